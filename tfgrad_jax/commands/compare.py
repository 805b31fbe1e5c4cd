"""`python -m tfgrad_jax compare`: a program under TensorFlow and under this package, and where the two first differ."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tfgrad_jax
from tfgrad_jax.commands import probe
from tfgrad_jax.commands.differences import Tolerance, difference, same_text, worth_comparing

_USAGE = """\
usage: python -m tfgrad_jax compare [--rtol R] [--atol A] script.py [argument ...] --tensorflow PYTHON

Runs the script under TensorFlow, by an interpreter that has it, and under tfgrad_jax, and shows the first place where printed
text, variables, gradients, random numbers or the final values of variables and models differ. What counts is what the
script and the files beside it call themselves, eagerly. After `--` every argument is the script's.
Exit status: 0 if nothing differs, 1 if something does, 2 if the script could not be run."""

_NAMES = {
    "print": ("line of text", "lines of text", "prints"),
    "values": ("tf.print", "tf.prints", "prints"),
    "variable": ("variable", "variables", "makes the variable"),
    "assign": ("assignment", "assignments", "assigns"),
    "gradient": ("gradient", "gradients", "computes the gradient"),
    "random": ("draw of random numbers", "draws of random numbers", "draws"),
    "final": ("final value", "final values", "ends with"),
    "error": ("error", "errors", "raises"),
    "end": ("", "", "ends with status"),
}
_OPTIONS = {"--tensorflow": str, "--rtol": float, "--atol": float}


@dataclass
class Event:
    """Something that a program did: what, where, under which name, with which value."""

    kind: str
    place: str
    label: str
    value: Any


def main(arguments: list[str]) -> int:
    """Compare what the command line names; returns the exit status."""
    if arguments and arguments[0] in ("-h", "--help"):
        print(_USAGE)
        return 0
    try:
        options, script = _parsed(arguments)
    except ValueError as error:
        print(f"python -m tfgrad_jax compare: {error}\n{_USAGE}", file=sys.stderr)
        return 2
    tolerance = Tolerance(options.get("--rtol", 1e-3), options.get("--atol", 1e-4))
    try:
        theirs, ours = _run(options["--tensorflow"], script)
    except RuntimeError as error:
        print(f"python -m tfgrad_jax compare: {error}", file=sys.stderr)
        return 2
    return _report(theirs, ours, tolerance)


def _parsed(arguments: list[str]) -> tuple[dict[str, Any], list[str]]:
    options: dict[str, Any] = {}
    script: list[str] = []
    rest = iter(arguments)
    for argument in rest:
        name, _, value = argument.partition("=")
        if argument == "--":
            script += rest
        elif name in _OPTIONS:
            text = value or next(rest, "")
            if not text:
                raise ValueError(f"{name} needs a value")
            options[name] = _OPTIONS[name](text)
        else:
            script.append(argument)
    if not script or not Path(script[0]).is_file():
        raise ValueError(f"there is no script {script[0]!r}" if script else "which script?")
    if "--tensorflow" not in options:
        raise ValueError("--tensorflow names a Python interpreter that has TensorFlow")
    return options, script


def _run(tensorflow: str, script: list[str]) -> tuple[list[Event], list[Event]]:
    """What the script does under TensorFlow and under this package, run at the same time.

    Raises:
      RuntimeError: if it cannot be run under one of them.
    """
    package = str(Path(str(tfgrad_jax.__file__)).parent.parent)
    environment = {"PYTHONHASHSEED": "0", "TF_CPP_MIN_LOG_LEVEL": "2", **os.environ}
    runs: list[tuple[str, subprocess.Popen[bytes], Path, Path]] = []
    with tempfile.TemporaryDirectory() as folder:
        for name, python, where in (("TensorFlow", tensorflow, ""), ("tfgrad_jax", sys.executable, package)):
            out, errors = Path(folder, name), Path(folder, f"{name}.err")
            with errors.open("w") as stream:
                try:
                    command = [python, probe.__file__, str(out), where, *script]
                    null = subprocess.DEVNULL
                    process = subprocess.Popen(command, stdin=null, stdout=null, stderr=stream, env=environment)
                except OSError as error:
                    for _, started, _, _ in runs:
                        started.kill()
                        started.wait()
                    raise RuntimeError(f"cannot run {python!r}: {error}") from None
            runs.append((name, process, out, errors))
        for _, process, _, _ in runs:
            process.wait()
        return tuple(_events(name, out, errors) for name, _, out, errors in runs)  # type: ignore[return-value]


def _events(name: str, out: Path, errors: Path) -> list[Event]:
    lines = out.read_text().splitlines() if out.exists() else []
    if not lines:
        raise RuntimeError(f"the script could not be run under {name}:\n{errors.read_text(errors='replace')[-2000:]}")
    events = [Event(**json.loads(line)) for line in lines][1:]
    if not events or events[-1].kind != "end":
        raise RuntimeError(f"the script was ended under {name}:\n{errors.read_text(errors='replace')[-2000:]}")
    return [event for event in events if event.kind != "print" or worth_comparing(event.value)]


def _report(theirs: list[Event], ours: list[Event], tolerance: Tolerance) -> int:
    equal: Counter[str] = Counter()
    status = 0
    for their, our in zip(theirs, ours):
        what = _different(their, our, tolerance)
        if what:
            status = 1
            print(what)
            break
        equal[their.kind] += 1
        if their.kind == "error":
            print(f"both end here: {_told(their)}")
    counted = ", ".join(
        f"{equal[kind]} {one if equal[kind] == 1 else many}"
        for kind, (one, many, _) in _NAMES.items()
        if one and equal[kind]
    )
    before = "equal before that" if status else f"no difference (rtol {tolerance.rtol}, atol {tolerance.atol})"
    print(f"{before}: {counted or 'nothing to compare'}")
    return status


def _different(their: Event, our: Event, tolerance: Tolerance) -> str:
    """The text that shows how two events differ; nothing if they do not."""
    if their.kind != our.kind:
        return f"here the two go different ways:\n  TensorFlow  {_told(their)}\n  tfgrad_jax  {_told(our)}"
    if their.kind in ("print", "error", "end"):
        if (their.kind == "print" and same_text(their.value, our.value, tolerance)) or their.value == our.value:
            return ""
        how = ""
    elif not (how := difference(their.value, our.value, tolerance)):
        return ""
    title = _NAMES[their.kind][0] or "exit status"
    label = f" {their.label}" if their.label not in ("", their.kind) else ""
    where = f"{their.place}: the {title}{label} differs"
    shown = f"\n  TensorFlow  {_shown(their)}\n  tfgrad_jax  {_shown(our)}"
    return where + shown + (f"\n  {how}" if how else "")


def _told(event: Event) -> str:
    return f"{event.place} {_NAMES[event.kind][2]} {_shown(event)}"


def _shown(event: Event) -> str:
    if event.kind == "error":
        return f"{event.value}: {event.label}"
    return str(event.value) if event.kind in ("print", "end") else Tolerance.shown(event.value)
