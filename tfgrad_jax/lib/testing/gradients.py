"""`tf.test.compute_gradient`: what a tape says beside what differences say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfgrad_jax.engine.composite.indexed_slices import IndexedSlices
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.tape.tape import GradientTape
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.lib.testing.arrays import as_array

_DELTA = 1.0 / 1024
"""A power of two, so that adding it rounds nothing away from small numbers."""


def _parts(array: Any) -> Any:
    """Complex numbers as pairs of real ones, flat; others flat."""
    flat = np.ascontiguousarray(array).ravel()
    return flat.view(flat.real.dtype) if flat.dtype.kind == "c" else flat


def _theoretical(f: Callable[..., Any], xs: list[Any], which: int) -> Any:
    x = xs[which]
    with GradientTape(persistent=True) as tape:
        tape.watch(xs)
        y: Any = convert(f(*xs))
    value = y.numpy()
    rows = _parts(value).size
    out = np.zeros((rows, _parts(x.numpy()).size), _parts(x.numpy()).dtype)
    for row in range(rows):
        seed = np.zeros(value.shape, value.dtype)
        _parts_view(seed)[row] = 1
        gradient: Any = tape.gradient(y, x, output_gradients=convert(seed))
        if gradient is not None:
            dense: Any = convert(gradient) if isinstance(gradient, IndexedSlices) else gradient
            out[row] = _parts(dense.numpy())
    return out


def _parts_view(array: Any) -> Any:
    flat = array.reshape(-1)
    return flat.view(flat.real.dtype) if flat.dtype.kind == "c" else flat


def _numeric(f: Callable[..., Any], xs: list[Any], which: int, delta: float) -> Any:
    base = np.array(xs[which].numpy())
    columns = []
    for column in range(_parts(base).size):
        ends = []
        for step in (delta, -delta):
            moved = base.copy().reshape(base.shape)
            _parts_view(moved)[column] += step
            inputs = [*xs[:which], convert(moved), *xs[which + 1 :]]
            ends.append(_parts(as_array(f(*inputs))))
        columns.append((ends[0] - ends[1]) / (2 * delta))
    if not columns:
        return np.zeros((_parts(as_array(f(*xs))).size, 0), _parts(base).dtype)
    return np.stack(columns, axis=1).astype(_parts(base).dtype)


@export("test.compute_gradient")
def compute_gradient(f: Callable[..., Any], x: Any, delta: float | None = None) -> tuple[Any, Any]:
    """The Jacobian of a function by tapes and by differences. Mirrors `tf.test.compute_gradient`.

    Args:
      f: a function of as many tensors as `x` has.
      x: a list or tuple of tensors, or of what becomes such; complex numbers count as two real ones.
      delta: how far the differences step.

    Returns:
      Two tuples of arrays of shape `[size of f's result, size of the argument]`, one for each argument.

    Raises:
      ValueError: if `x` is no list or tuple.
      AssertionError: if an argument has no derivatives for its dtype.
    """
    if not isinstance(x, (list, tuple)):
        raise ValueError(
            f"`x` must be a list or tuple of values convertible to a Tensor (arguments to `f`), not a {type(x)}"
        )
    tensors: list[Any] = [convert(value) for value in x]
    for i, tensor in enumerate(tensors):
        if not (tensor.dtype.is_floating or tensor.dtype in (dtypes.complex64, dtypes.complex128)):
            raise AssertionError(f"Cannot compute gradient for unsupported type {tensor.dtype.name} of argument {i}")
    step = _DELTA if delta is None else delta
    places = range(len(tensors))
    return (
        tuple(_theoretical(f, tensors, i) for i in places),
        tuple(_numeric(f, tensors, i, step) for i in places),
    )
