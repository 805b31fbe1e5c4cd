"""Calls that are right, and every wrong call that is made of one by exchanging one of its arguments.

    rows("math.add", x=M, y=M)

is a call with keywords alone. `mutations` says what stands in place of an argument of each kind: another dtype, another
rank, another size, nothing of it, `None`, a negative number. Values that only the module can make are `Made`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

ONE, THREE = np.float32(0.5), np.array([0.5, -0.25, 0.75], np.float32)
M = np.array([[0.5, 0.25, -0.5], [0.75, -0.25, 1.0]], np.float32)  # a matrix
SQUARE = np.array([[2.0, 0.5, 0.25], [0.5, 3.0, 0.5], [0.25, 0.5, 4.0]], np.float32)
CUBE = np.stack([M, M + 1])
COMPLEX = M + 1j * M[::-1]
INTS, ROWS, BOOLS = np.array([2, 0, 1], np.int32), np.array([1, 0], np.int32), np.array([True, False, True])
INT_M = np.array([[3, 1, 2], [4, 0, 5]], np.int32)
IMAGE = np.linspace(0, 1, 48, dtype=np.float32).reshape(1, 4, 4, 3)
BOXES = np.array([[0.0, 0.0, 0.5, 0.5], [0.25, 0.25, 1.0, 1.0]], np.float32)
LONG = np.int64


@dataclass(frozen=True)
class Made:
    """A value that `make` makes of the module, outside of functions; a wrong call has others in its place unless it is `kept`."""

    make: Callable[[Any], Any]
    kept: bool = False


def mutations(value: Any) -> Iterator[tuple[str, Any]]:
    """What is put in place of a value: a name and another value for each."""
    if isinstance(value, Made):
        if value.kept:
            return
        yield from {"text": "x", "number": 3, "matrix": M, "object": object()}.items()
    elif isinstance(value, np.ndarray | np.generic):
        yield "text", np.full(value.shape, b"x", object) if value.ndim else "x"
        yield from _arrays(np.asarray(value))
    elif isinstance(value, bool):
        return
    elif isinstance(value, int):
        yield from {
            "negative": -100,
            "zero": 0,
            "large": 1000,
            "fraction": 1.5,
            "text": "x",
            "list": [value] * 2,
        }.items()
    elif isinstance(value, float):
        yield from {"negative": -7.5, "text": "x", "list": [value] * 2}.items()
    elif isinstance(value, str):
        yield from {"unknown": "nonsense", "number": 3}.items()
    elif isinstance(value, list):
        yield from {"longer": [*value, *value[-1:]], "shorter": value[:-1], "text": "x", "object": object()}.items()
        if all(isinstance(v, int) for v in value):
            yield from {"negative": [-7 for _ in value], "large": [1000 for _ in value]}.items()
            yield "fractions", [1.5 for _ in value]
    if value is not None:
        yield "None", None


def _arrays(value: np.ndarray) -> Iterator[tuple[str, Any]]:
    kind = value.dtype.kind
    yield "rank more", value[None]
    yield "other dtype", value.real.astype(np.int32 if kind == "f" else np.float32)
    if kind in "if":
        yield "wide", value.astype({"f": np.float64, "i": np.int64}[kind] if value.itemsize == 4 else np.int16)
    if value.ndim:
        yield "rank less", value[0]
        yield "longer", np.concatenate([value, value[..., :1]], -1)
        yield "empty", value[:0]
    if kind == "i":
        yield "negative", -1 - value
        yield "large", value + 1000
    if kind == "f":
        yield "nan", value * np.nan


def _made(tf: Any, value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return tf.constant(value)
    if isinstance(value, list) and any(isinstance(v, np.ndarray) for v in value):
        return [_made(tf, v) for v in value]
    return value.make(tf) if isinstance(value, Made) else value


@dataclass(frozen=True)
class Row:
    """A call that is right: `call(tf, **args)`, by default of the public function `name`."""

    name: str
    args: dict[str, Any]
    call: Callable[..., Any] | None = None

    def run(self, tf: Any, args: dict[str, Any], inside: bool) -> Any:
        """The call, in a function or not."""
        given = {k: _made(tf, v) for k, v in args.items()}
        target = tf
        for part in () if self.call else self.name.partition(":")[0].split("."):
            target = getattr(target, part)
        call = partial(self.call, tf) if self.call else target

        def called() -> Any:
            found = call(**given)
            return found if not inside or tf.nest.is_nested(found) or tf.is_tensor(found) else None

        return (tf.function(called, autograph=False) if inside else called)()

    def wrong(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """The wrong calls' names and arguments."""
        for name, value in self.args.items():
            for what, other in mutations(value):
                yield f"{name}: {what}", {**self.args, name: other}
        if self.call is None:
            yield "unknown argument", {**self.args, "nonsense": 3}
            yield "no arguments", {}


class Rows(dict[str, Row]):
    """Rows by name; what stands after a colon in a name tells two rows of one function apart."""

    def __call__(self, name: str, call: Callable[..., Any] | None = None, /, **args: Any) -> None:
        assert name not in self, name
        self[name] = Row(name, args, call)

    def each(self, names: str, **args: Any) -> None:
        """A row for each of some functions that take the same arguments."""
        for name in names.split():
            self(name, **args)
