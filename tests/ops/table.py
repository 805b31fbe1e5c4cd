"""The table of operation tests: what a row is, and what is observed of it under `tfgrad_jax` or under TensorFlow.

Rows live in `rows_<family>.py`, which declare them on a `Rows` object of their own; what TensorFlow answers to each is
kept in `goldens/<family>.json`, written by `python -m tests.ops.record`. A row is a call and its tensor arguments:

    rows = Rows("reduce")
    rows("reduce_max ties", lambda tf, x: tf.reduce_max(x, 1), [[1.0, 1.0], [0.0, 2.0]], smooth=False)

Lists of floats become `dtype` (float32), of integers int32, of complex numbers complex64; NumPy arrays keep theirs.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from conformance.observe import encode

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Row:
    """One call of an operation.

    Attributes:
      family: the file it stands in, and the file of its golden.
      name: what is tested; unique in the family.
      call: takes the module (`tf`) and the tensors; returns a tensor or a nest of tensors.
      args: the values of the tensors; every floating or complex one is differentiated.
      gradient: whether gradients are asked for at all.
      smooth: whether finite differences of first and second order apply (in float64; never to complex arguments).
      rtol: replaces the tolerance of the dtype against TensorFlow's answer.
      differs: why our answer is another than TensorFlow's, on purpose; the row must then differ.
    """

    family: str
    name: str
    call: Callable[..., Any]
    args: tuple[np.ndarray, ...]
    gradient: bool = True
    smooth: bool = True
    rtol: float | None = None
    differs: str | None = None

    @property
    def id(self) -> str:
        """The name of its tests."""
        return f"{self.family}/{self.name}"


class Rows(dict[str, Row]):
    """The rows of a family, by name."""

    def __init__(self, family: str) -> None:
        super().__init__()
        self.family = family

    def __call__(
        self, name: str, call: Callable[..., Any], *args: Any, dtype: Any = np.float32, **options: Any
    ) -> None:
        """Add a row; see `Row`.

        Raises:
          ValueError: if the family has a row of this name.
        """
        if name in self:
            raise ValueError(f"{self.family}: two rows are called {name!r}")
        self[name] = Row(self.family, name, call, tuple(_array(a, dtype) for a in args), **options)

    def each(self, names: str, *args: Any, tag: str = "", **options: Any) -> None:
        """Add a row for each public name in `names` (separated by blanks), called with the tensors alone.

        Args:
          names: what to call; the rows bear these names, followed by `tag`.
          args, options: as for one row.
        """
        for name in names.split():
            self(f"{name} {tag}".rstrip(), _caller(name), *args, **options)


def _caller(name: str) -> Callable[..., Any]:
    def call(tf: Any, *tensors: Any) -> Any:
        function = tf
        for part in name.split("."):
            function = getattr(function, part)
        return function(*tensors)

    return call


def _array(value: Any, dtype: Any) -> np.ndarray:
    if isinstance(value, np.ndarray | np.generic):
        return np.asarray(value)
    array = np.array(value)
    if array.dtype.kind == "f":
        return array.astype(dtype)
    return array.astype({"i": np.int32, "c": np.complex64}.get(array.dtype.kind, array.dtype))


def families() -> list[str]:
    """The families that there are."""
    return sorted(path.stem.removeprefix("rows_") for path in HERE.glob("rows_*.py"))


def load(family: str) -> Rows:
    """The rows of a family."""
    return importlib.import_module(f"tests.ops.rows_{family}").rows


def seed_for(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """The cotangent of an output: another number at each place, so that no mistake cancels."""
    size = int(np.prod(shape, dtype=int))
    seed = (0.5 + np.arange(size) / max(size, 1)).reshape(shape)
    return (seed * (1 - 0.5j) if dtype.kind == "c" else seed).astype(dtype)


def trainable(dtype: np.dtype) -> bool:
    """Whether a tensor of this NumPy dtype has gradients (bfloat16 is of the kind V to NumPy)."""
    return dtype.kind in "fc" or dtype.name == "bfloat16"


def differentiate(
    tf: Any, call: Callable[..., Any], tensors: list[Any], seeds: list[Any] | None = None
) -> tuple[Any, Any]:
    """The value of `call`, and its gradients with respect to the trainable tensors."""
    sources = [t for t in tensors if trainable(np.dtype(t.dtype.as_numpy_dtype))]
    with tf.GradientTape() as tape:
        tape.watch(sources)
        value = call(tf, *tensors)
    targets = [t for t in tf.nest.flatten(value) if tf.is_tensor(t) and trainable(np.dtype(t.dtype.as_numpy_dtype))]
    if not targets or not sources:
        return value, [None for _ in sources]
    if seeds is None:
        seeds = [tf.constant(seed_for(tuple(t.shape), np.dtype(t.dtype.as_numpy_dtype))) for t in targets]
    return value, tape.gradient(targets, sources, output_gradients=seeds)


def observe(tf: Any, row: Row) -> dict[str, Any]:
    """Value and gradients of a row, or the exception class, as plain JSON values."""
    tensors = [tf.constant(a) for a in row.args]
    if not row.gradient:
        return _attempt(tf, lambda: {"value": row.call(tf, *tensors)})
    return _attempt(tf, lambda: dict(zip(("value", "gradient"), differentiate(tf, row.call, tensors), strict=True)))


def traced(tf: Any, row: Row, is_open: bool) -> Any:
    """The row as a function of its arguments, whose first dimensions are unknown while it is traced if it `is_open`."""
    specs = [
        tf.TensorSpec([None, *a.shape[1:]] if is_open and a.ndim else a.shape, tf.as_dtype(a.dtype)) for a in row.args
    ]
    return tf.function(lambda *tensors: row.call(tf, *tensors), input_signature=specs, autograph=False)


def observe_traced(tf: Any, row: Row, is_open: bool) -> Any:
    """The static shapes of a row's results in a function (None for an unknown rank), or the exception class."""
    try:
        function = traced(tf, row, is_open)
        found = function.get_concrete_function().structured_outputs
        function(*[tf.constant(a) for a in row.args])
    except Exception as error:
        return {"raises": type(error).__name__, "says": str(error)[:300]}
    return static_shapes(tf, found)


def static_shapes(tf: Any, found: Any) -> list[Any]:
    """The static shapes of the tensors in a structure."""
    flat = tf.nest.flatten(found, expand_composites=True)
    return [None if t.shape.rank is None else t.shape.as_list() for t in flat if tf.is_tensor(t)]


def _attempt(tf: Any, run: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    try:
        return {key: encode(tf, value) for key, value in run().items()}
    except Exception as error:
        return {"raises": type(error).__name__, "says": str(error)[:300]}


def golden_path(family: str) -> Path:
    """The file with what TensorFlow answers to the family's rows."""
    return HERE / "goldens" / f"{family}.json"


def traced_path(family: str) -> Path:
    """The file with the static shapes that TensorFlow infers for the family's rows in functions."""
    return HERE / "goldens" / "traced" / f"{family}.json"


def goldens(family: str, path: Path | None = None) -> dict[str, Any]:
    """What TensorFlow answers to the family's rows, by name; empty when nothing was recorded."""
    path = path or golden_path(family)
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
