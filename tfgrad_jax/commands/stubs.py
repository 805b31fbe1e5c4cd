"""`python -m tfgrad_jax stubs`: a `tensorflow` for editors and type checkers, which do not know what `install()` does."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

_USAGE = """\
usage: python -m tfgrad_jax stubs [FOLDER]

Writes FOLDER/tensorflow, from which editors and type checkers learn what `import tensorflow as tf` means in programs that run on
tfgrad_jax. FOLDER is `typings` unless it is given, where Pyright and editors that build on it look by themselves; mypy is told by
`mypy_path = typings`. A folder that was written before is replaced; one that has something else is left alone.
Exit status: 0 if it was written, 2 otherwise."""

_HEAD = '"""Made by `python -m tfgrad_jax stubs`."""\n'
_HERE = Path(__file__).parents[1]
_BELOW = re.compile(r"^from tfgrad_jax\._stubs import (\w+)", re.M)
_PRIVATE = re.compile(r"^(?:from tfgrad_jax\._stubs import )?(__\w+__)\b", re.M)
"""Names of the root that `import *` leaves out."""

_ANY_NAME = "def __getattr__(name: str) -> Any: ...\n"
"""For type checkers that do not look into packages without types, such as Keras."""


def main(arguments: list[str]) -> int:
    """Write the folder; returns the exit status."""
    if len(arguments) > 1 or any(argument.startswith("-") for argument in arguments):
        asked = arguments[0] in ("-h", "--help")
        print(_USAGE, file=sys.stdout if asked else sys.stderr)
        return 0 if asked else 2
    target = Path(*(arguments or ["typings"])) / "tensorflow"
    root = target / "__init__.pyi"
    if target.exists() and not (root.exists() and root.read_text(encoding="utf-8").startswith(_HEAD)):
        print(f"{target} was not written by this command, and is left alone", file=sys.stderr)
        return 2
    shutil.rmtree(target, ignore_errors=True)
    modules = {**_modules(), **_keras()}
    for name, text in modules.items():
        path = target.joinpath(*name.split("."), "__init__.pyi")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{_HEAD}{text}", encoding="utf-8")
    without = "" if "keras" in modules else "; Keras is not installed, so nothing tells of tf.keras"
    print(f"{target}: {len(modules)} modules{without}")
    return 0


def _modules() -> dict[str, str]:
    """The text for each public module, by its name below `tensorflow`; the root's is empty."""
    root = (_HERE / "__init__.pyi").read_text(encoding="utf-8")
    private = sorted({*_PRIVATE.findall(root)})
    names = ", ".join(f"{name} as {name}" for name in private)
    made = {"": f"from tfgrad_jax import *\nfrom tfgrad_jax import {names}\n"}
    if _keras_folder():
        made[""] += "from tensorflow import keras as keras\n"
    for name, stub in _tree("", root):
        made[name] = f"from tfgrad_jax._stubs.{stub} import *\n"
    return made


def _tree(above: str, text: str) -> Iterator[tuple[str, str]]:
    """Each module below one, of which this is the stub: (its name, its stub's, which has `_` in place of the dots)."""
    start = f"{above.replace('.', '_')}_" if above else ""
    for stub in _BELOW.findall(text):
        if stub.startswith(start):
            name = f"{above}.{stub.removeprefix(start)}" if above else stub
            yield name, stub
            yield from _tree(name, (_HERE / "_stubs" / f"{stub}.pyi").read_text(encoding="utf-8"))


def _keras_folder() -> Path | None:
    """Where Keras has the modules that are `tf.keras`, which is found out without importing it."""
    spec = find_spec("keras")
    folder = Path(spec.origin).parent / "_tf_keras" / "keras" if spec and spec.origin else None
    return folder if folder and folder.is_dir() else None


def _keras() -> dict[str, str]:
    """The text for each module of `tf.keras`."""
    folder = _keras_folder()
    if folder is None:
        return {}
    inside = sorted(path.parent.relative_to(folder).parts for path in folder.rglob("__init__.py"))
    names = [".".join(("keras", *parts)) for parts in inside]
    return {name: f"from typing import Any\nfrom keras._tf_keras.{name} import *\n{_ANY_NAME}" for name in names}
