"""Under which public names TensorFlow's private modules have their attributes: writes the table behind `tfgrad_jax.python`.

Runs where TensorFlow is installed, as a part of `python -m conformance coverage --record`.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import inspect
import json
import pkgutil
import sys
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from conformance.coverage import names_of

PATH = Path(__file__).parent.parent / "tfgrad_jax" / "api" / "private_names.json"

_PACKAGE = "tensorflow."
_INTERNAL = "__internal__"  # shown to Keras, and so as good as public
_ROOTS = ("tensorflow.core.", "tensorflow.dtensor.python.", "tensorflow.python.")
_LEFT_OUT = tuple(
    f"{_PACKAGE}python.{part}"
    for part in (
        "_", "compiler", "debug.cli", "debug.wrappers", "keras", "lib.core", "profiler.internal", "tools", "tpu",
    )
)  # fmt: skip


def record(tf: Any, names: Mapping[str, list[str]]) -> int:
    """Write the table; returns how many attributes it has.

    Args:
      tf: TensorFlow.
      names: its public names, by module.
    """
    internal = {f"{_INTERNAL}.{room}".rstrip("."): listed for room, listed in names_of(getattr(tf, _INTERNAL)).items()}
    public = _by_identity(tf, {**names, **internal})
    for root in _ROOTS:
        for module in pkgutil.walk_packages(
            importlib.import_module(root.rstrip(".")).__path__, root, lambda name: None
        ):
            if not module.name.startswith(_LEFT_OUT) and not module.name.endswith("_test"):
                with contextlib.suppress(Exception):  # what needs other packages stays out
                    importlib.import_module(module.name)
    table: dict[str, dict[str, str]] = {}
    count = 0
    for full, module in sorted(sys.modules.items()):
        if not full.startswith(_ROOTS) or full.startswith(_LEFT_OUT):
            continue
        rooms = defaultdict(list)
        for name, value in sorted(vars(module).items()):
            candidates = public.get(id(value), [])
            if name.startswith("__") or not candidates or inspect.ismodule(value):
                continue
            room, _, leaf = min(candidates, key=functools.partial(_rank, name)).rpartition(".")
            rooms[room].append(name if leaf == name else f"{name}={leaf}")
            count += 1
        # One without public names is there all the same: programs import it, and need it only in some places or not at all.
        table[full.removeprefix(_PACKAGE)] = {room: " ".join(listed) for room, listed in sorted(rooms.items())}
    PATH.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")
    return count


def _by_identity(tf: Any, names: Mapping[str, list[str]]) -> dict[int, list[str]]:
    """The public names of each value that has some; not of plain constants, which are equal by chance."""
    found: dict[int, list[str]] = defaultdict(list)
    for module, listed in names.items():
        for name in listed:
            symbol = f"{module}.{name}".lstrip(".")
            value = functools.reduce(getattr, symbol.split("."), tf)
            if not isinstance(value, (bool, int, float, str, bytes, tuple, list, dict, type(None))):
                found[id(value)].append(symbol)
    return found


def _rank(name: str, symbol: str) -> Any:
    """What makes one of several public names the better one for an attribute: today's, the same name, the shorter."""
    rooms = (_INTERNAL, "compat.v1.", "raw_ops.", "compat.", "experimental.numpy.")
    return *(symbol.startswith(room) for room in rooms), symbol.rpartition(".")[2] != name, symbol.count("."), symbol
