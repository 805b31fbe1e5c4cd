"""What the integers of a quantized dtype stand for: numbers of a range in equal steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.engine.declare.roles import Operand
from tfgrad_jax.engine.messages.errors import invalid_argument, not_found
from tfgrad_jax.engine.values.dtypes import DType, as_dtype, float32, plain
from tfgrad_jax.engine.values.numbers import quantized
from tfgrad_jax.ops.common import listed

Limit: Any = Operand(shared=False, forced=float32, differentiable=False)
"""An end of a range."""

Limits: Any = Operand(shared=False, forced=float32, many=True, differentiable=False)


def integers(x: Any, raw: str, *taken: DType) -> tuple[np.ndarray, DType]:
    """The integers of a quantized array, and its dtype.

    Raises:
      NotFoundError: if it is none of the dtypes `taken`.
    """
    dtype = as_dtype(x.dtype)
    if dtype not in taken:
        raise no_kernel(raw, dtype, taken)
    return plain(np.asarray(x)), dtype


def check_scalars(raw: str, *limits: Any) -> None:
    """Raises if an end of a range is no scalar."""
    for value in limits:
        if np.size(value) != 1:
            raise invalid_argument(f"the ends of ranges must be scalars, got shape {listed(np.shape(value))}", raw)


def no_kernel(raw: str, dtype: DType, taken: Any) -> Exception:
    """What to raise where TensorFlow has no kernel for a dtype."""
    names = ", ".join(sorted(d.name for d in taken))
    return not_found(f"{raw} has no kernel for {dtype.name}; it takes {names}", raw)


def ends(dtype: DType) -> tuple[int, int]:
    """The first and the last integer."""
    info = np.iinfo(dtype.np[0])
    return int(info.min), int(info.max)


def _step(dtype: DType, low: Any, high: Any) -> tuple[float, float]:
    """How many integers there are, and the distance of two numbers in double precision."""
    first, last = ends(dtype)
    steps = float(last - first + 1)
    return steps, (float(high) - float(low)) * (steps / (steps - 1))


def away(x: Any) -> Any:
    """Rounded, halves away from zero."""
    whole = np.trunc(x)
    return whole + np.where(np.abs(x - whole) >= 0.5, np.sign(x), np.zeros_like(x))


def unclamped(x: Any, dtype: DType, low: Any, high: Any) -> np.ndarray:
    """The integers (int64) that are closest to numbers, which may lie outside of the range."""
    first, _ = ends(dtype)
    if low == high:
        return np.full(np.shape(x), first, np.int64)
    steps, width = _step(dtype, low, high)
    scale = steps / width
    return (away(np.asarray(x, np.float64) * scale) - away(float(low) * scale) + first).astype(np.int64)


def nearest(x: Any, dtype: DType, low: Any, high: Any) -> np.ndarray:
    """The quantized numbers that are closest to numbers."""
    return quantized(np.clip(unclamped(x, dtype, low, high), *ends(dtype)), dtype)


def floats(x: np.ndarray, dtype: DType, low: Any, high: Any) -> np.ndarray:
    """The numbers that integers stand for, in float32."""
    low, high = np.float32(low), np.float32(high)
    if low == high:
        return np.full(x.shape, low, np.float32)
    first, _ = ends(dtype)
    steps, width = _step(dtype, low, high)
    scale = width / steps
    start = np.float32(away(np.float32(low / np.float32(scale)))) * np.float32(scale)
    return (float(start) + (x.astype(np.float64) - first) * scale).astype(np.float32)


def nearest_in_single(x: Any, dtype: DType, low: Any, high: Any) -> np.ndarray:
    """`nearest`, computed in float32: where halves are met, or dtypes are wide, the integer may be another one."""
    first, last = ends(dtype)
    if low == high:
        return quantized(np.full(np.shape(x), first), dtype)
    scale = np.float32((float(last) - first) / float(np.float32(high) - np.float32(low)))
    start = away(np.float32(low) * scale)
    found = away(np.asarray(x, np.float32) * scale) - (start - np.float32(first))
    return quantized(np.clip(found, np.float32(first), _below(last)).astype(np.int64), dtype)


def _below(last: int) -> np.float32:
    """The largest float32 that is no larger than an integer."""
    found = np.float32(last)
    return found if float(found) <= last else np.nextafter(found, np.float32(0))


def floats_in_single(x: np.ndarray, dtype: DType, low: Any, high: Any) -> np.ndarray:
    """`floats`, computed in float32."""
    first, last = ends(dtype)
    step = np.float32(float(np.float32(high) - np.float32(low)) / (float(last) - first))
    start = np.float32(low) if step == 0 else away(np.float32(low) / step) * step
    return (start - np.float32(first) * step) + x.astype(np.float32) * step


def level(dtype: DType, low: Any, high: Any) -> np.float32:
    """The distance of two numbers of a range."""
    first, last = ends(dtype)
    return np.float32((np.float32(high) - np.float32(low)) / np.float32(last - first))


def range_of_product(x: tuple[DType, Any, Any], y: tuple[DType, Any, Any], to: DType) -> tuple[np.float32, np.float32]:
    """The range in which products of integers are integers of `to`."""
    each = level(*x) * level(*y)
    first, last = ends(to)
    return np.float32(each * np.float32(first)), np.float32(each * np.float32(last))
