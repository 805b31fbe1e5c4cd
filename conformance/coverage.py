"""`python -m conformance coverage`: every public symbol of TensorFlow, and what becomes of it here."""

from __future__ import annotations

import functools
import inspect
import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance import ledger

PATH = Path(__file__).parent / "symbols.json"
"""TensorFlow's public names by module, as `python -m conformance coverage --record` wrote them where TensorFlow is installed."""

STATES = ("works", "differs", "missing")

_ELSEWHERE = {
    "compat.v2", "compat.v1.compat", "compat.v1.raw_ops", "keras", "compat.v1.keras", "losses", "metrics", "optimizers",
    "initializers", "compat.v1.estimator", "compat.v1.layers", "compat.v1.flags", "compat.v1.app.flags",
}  # fmt: skip
"""Modules that are others under a second name, Keras' or absl's."""


_PUBLIC = ("tensorflow._api.", "tensorflow.experimental")
"""How the modules are called that have public names and nothing else."""


@dataclass(frozen=True)
class Row:
    """A symbol: the module that it stands in, its name there, its state, and a sentence about that, or nothing."""

    module: str
    name: str
    state: str
    why: str

    @property
    def symbol(self) -> str:
        """The name after `tf.`."""
        return f"{self.module}.{self.name}" if self.module else self.name


def names_of(tf: Any) -> dict[str, list[str]]:
    """The public names of a module and those in it, by module."""
    found: dict[str, list[str]] = {}

    def walk(module: Any, path: str) -> None:
        for name in sorted(dir(module)):
            full = f"{path}.{name}" if path else name
            if name.startswith("_") or full in _ELSEWHERE:
                continue
            try:
                value = getattr(module, name)
                below = inspect.ismodule(value) and value.__name__
            except (AttributeError, ImportError):  # a name that TensorFlow lists and does not have
                continue
            if not inspect.ismodule(value):
                found.setdefault(path, []).append(name)
            elif below and below.startswith(_PUBLIC):
                walk(value, full)

    walk(tf, "")
    return found


def read() -> dict[str, list[str]]:
    """The recorded names."""
    names: dict[str, list[str]] = json.loads(PATH.read_text(encoding="utf-8"))
    return names


def record(tf: Any) -> int:
    """Write the names of TensorFlow; returns how many there are."""
    names = names_of(tf)
    PATH.write_text(json.dumps(names, indent=0, sort_keys=True) + "\n", encoding="utf-8")
    return sum(map(len, names.values()))


def rows(tf: Any, absent: Any, known: Any = lambda symbol: "") -> list[Row]:
    """What becomes of each recorded symbol.

    Args:
      tf: the module that is looked at.
      absent: gives the reason why a symbol is not there, or nothing.
      known: gives what is known to differ about a symbol beside the ledger, or nothing.
    """
    gaps = ledger.read().values()
    found = []
    for module, names in sorted(read().items()):
        for name in names:
            symbol = f"{module}.{name}" if module else name
            value = _value(tf, symbol)
            differs = known(symbol) or next((reason for reason in gaps if _names(reason, symbol)), "")
            if value is _NOTHING:
                found.append(Row(module, name, "missing", absent(symbol) or ""))
            elif isinstance(instead := getattr(value, "instead", None), str):
                found.append(Row(module, name, "missing", instead))
            else:
                found.append(Row(module, name, "differs" if differs else "works", differs))
    return found


_NOTHING = object()


def _value(tf: Any, symbol: str) -> Any:
    try:
        return functools.reduce(getattr, symbol.split("."), tf)
    except (AttributeError, ImportError):
        return _NOTHING


def _names(reason: str, symbol: str) -> bool:
    return f"tf.{symbol}" in [word.strip(",.;:()`") for word in reason.split()]


def counts(found: list[Row]) -> dict[str, Counter[str]]:
    """How many symbols of each state there are, by module; all together under "total"."""
    by_module: dict[str, Counter[str]] = {}
    for row in found:
        by_module.setdefault(f"tf.{row.module}".rstrip("."), Counter())[row.state] += 1
    return {**by_module, "total": sum(by_module.values(), Counter())}


def table(found: list[Row]) -> str:
    """The counts, and how much of each module works or differs."""
    by_module = counts(found)
    width = max(map(len, by_module))
    lines = [f"{'module':<{width}}  {'  '.join(f'{state:>7}' for state in STATES)}  total       %"]
    for module, count in by_module.items():
        cells = "  ".join(f"{count[state]:>7}" for state in STATES)
        share = 100 * (count.total() - count["missing"]) / count.total()
        lines.append(f"{module:<{width}}  {cells}  {count.total():>5}  {share:>6.1f}")
    return "\n".join(lines)


def page(found: list[Row], version: str) -> str:
    """The same as a page of the documentation: the counts, then what differs and what is missing, by module."""
    lines = [
        "# Coverage of TensorFlow's names",
        "",
        f"Made by `make docs` from the public names of TensorFlow {version}, without Keras' and absl's. A name that works is "
        "there: what it answers is what the conformance suite is about. One that differs has a line in `conformance/gaps.toml`.",
        "",
        "| module | " + " | ".join(STATES) + " | total |",
        "|---|" + "---:|" * (len(STATES) + 1),
    ]
    for module, count in counts(found).items():
        lines.append(f"| {module} | " + " | ".join(str(count[state]) for state in STATES) + f" | {count.total()} |")
    for state in STATES[1:]:
        lines += ["", f"## What {'differs' if state == 'differs' else 'is missing'}"]
        by_module: dict[str, dict[str, list[str]]] = {}
        for row in found:
            if row.state == state:
                by_module.setdefault(row.module, {}).setdefault(row.why, []).append(row.name)
        for module, reasons in by_module.items():
            lines += ["", f"### tf.{module}".rstrip("."), ""]
            lines += [
                f"- {', '.join(f'`{n}`' for n in names)}" + (f": {why}" if why else "")
                for why, names in reasons.items()
            ]
    return "\n".join(lines) + "\n"
