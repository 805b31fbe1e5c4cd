"""Numbers as quantized ones and back, and quantized ones in other ranges."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tfgrad_jax.engine.declare.op import MISSING, op
from tfgrad_jax.engine.declare.roles import Attr, DTypeArg, Flag, Own, Text
from tfgrad_jax.engine.messages.errors import invalid_argument, unimplemented
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import DType, as_dtype
from tfgrad_jax.engine.values.numbers import quantized
from tfgrad_jax.engine.values.shapes import as_shape
from tfgrad_jax.engine.values.tensor import Spec, Tensor
from tfgrad_jax.ops.common import operand
from tfgrad_jax.ops.quantization.levels import (
    Limit,
    away,
    ends,
    floats,
    floats_in_single,
    integers,
    nearest,
    nearest_in_single,
    no_kernel,
)

_QUANTIZED = (dtypes.qint8, dtypes.quint8, dtypes.qint16, dtypes.quint16, dtypes.qint32)
_MODES = ("MIN_COMBINED", "MIN_FIRST", "SCALED")
_ROUNDINGS = ("HALF_AWAY_FROM_ZERO", "HALF_TO_EVEN")


def _check_modes(raw: str, mode: str, rounding: str = _ROUNDINGS[0]) -> None:
    for given, known, name in ((mode, _MODES, "mode"), (rounding, _ROUNDINGS, "round_mode")):
        if given not in known:
            listed = ", ".join(f'"{k}"' for k in known)
            raise invalid_argument(
                f"Value for attr '{name}' of \"{given}\" is not in the list of allowed values: {listed}", raw
            )
    if rounding == "HALF_TO_EVEN" and mode != "SCALED":
        raise invalid_argument("Round mode 'HALF_TO_EVEN' only supported for mode 'SCALED'", raw)


def _ranges(raw: str, x: Any, low: Any, high: Any, axis: int) -> Any:
    """Two ends that broadcast against `x`: scalars, or one for each slice along an axis."""
    low, high = np.asarray(low), np.asarray(high)
    if axis == -1:
        for name, value in (("min_range", low), ("max_range", high)):
            if value.size != 1:
                raise invalid_argument(
                    f"{name} must be a scalar where no axis is given, got shape {list(value.shape)}", raw
                )
        return low.reshape(()), high.reshape(())
    if not 0 <= axis < x.ndim:
        raise invalid_argument(f"Axis must be less than input dimension({x.ndim}), got axis {axis}", raw)
    for name, value in (("min_range", low), ("max_range", high)):
        if value.shape != (x.shape[axis],):
            raise invalid_argument(f"{name} must have the shape [{x.shape[axis]}], got {list(value.shape)}", raw)
    shape = [-1 if d == axis else 1 for d in range(x.ndim)]
    return low.reshape(shape), high.reshape(shape)


@op("QuantizeV2", host=True, gradient=MISSING)
def quantize_v2(
    input: Own,
    min_range: Limit,
    max_range: Limit,
    T: DTypeArg,
    mode: Text = "MIN_COMBINED",
    round_mode: Text = "HALF_AWAY_FROM_ZERO",
    narrow_range: Flag = False,
    axis: Attr = -1,
    ensure_minimum_range: Attr = 0.01,
):
    raw = "QuantizeV2"
    _check_modes(raw, mode, round_mode)
    if T not in _QUANTIZED:
        raise invalid_argument(f"Value for attr 'T' of {T.name} is not in the list of allowed values", raw)
    x = np.asarray(input)
    if axis != -1 and mode == "MIN_FIRST":
        raise unimplemented("MIN_FIRST mode is not implemented for Quantize with axis != -1.", raw)
    low, high = _ranges(raw, x, min_range, max_range, axis)
    if np.any(low > high):
        raise invalid_argument("input_max_range must be larger than input_min_range.", raw)
    one = np.float32(1)
    low = np.minimum(np.float32(0), low)
    least = np.maximum(one, np.maximum(np.abs(low), np.abs(high))) * np.float32(ensure_minimum_range)
    high = np.maximum(np.maximum(np.float32(0), high), low + least)
    first, last = ends(T)
    if mode == "MIN_FIRST":
        if T is dtypes.quint8 and not narrow_range:
            scale = np.float32(last) / (high - low)
            found = quantized(np.clip(np.rint(x * scale - low * scale), first, last), T)
        else:
            found = nearest_in_single(x, T, low, high)
    elif mode == "MIN_COMBINED":
        scale = ((float(last) - float(first)) / (high - low).astype(np.float64)).astype(np.float32)
        half = np.float32((float(last) - float(first) + 1) / 2 if first else 0)
        moved = (np.clip(x, low, high) - low) * scale
        found = _to_integers(away(moved - half), T)
    else:
        found, low, high = _scaled(x, low, high, T, round_mode, narrow_range)
    shape = np.shape(min_range)
    return [found, np.asarray(low, np.float32).reshape(shape), np.asarray(high, np.float32).reshape(shape)]


def _to_integers(x: np.ndarray, dtype: DType) -> np.ndarray:
    """Whole numbers as integers; what lies beyond 32 bits is the smallest, as processors have it."""
    found = np.where(x >= np.float32(2.0**31), np.float32(-(2.0**31)), x).astype(np.int64)
    return quantized(found if dtype is dtypes.qint32 else np.clip(found, *ends(dtype)), dtype)


def _scaled(x: Any, low: Any, high: Any, dtype: DType, rounding: str, narrow: bool) -> Any:
    """Numbers in a range around 0, in which 0 is 0, and that range."""
    first, last = ends(dtype)
    if rounding == "HALF_TO_EVEN" and not narrow and dtype.size != 2:
        if dtype is dtypes.qint32:
            raise no_kernel("QuantizeV2", dtype, _QUANTIZED[:-1])
        most = np.maximum(np.abs(low), np.abs(high))
        scale = np.float32(127.5 if first else 255) / most
        found = np.clip(np.rint(x * scale), first, last)
        return quantized(found, dtype), -most if first else np.zeros_like(most), most
    least = first + 1 if narrow else first
    with np.errstate(divide="ignore", invalid="ignore"):
        below = np.where((low < 0) & (first < 0), np.float32(least) / low, np.float32(np.finfo(np.float32).max))
        above = np.where(high > 0, np.float32(last) / high, np.float32(np.finfo(np.float32).max))
    scale = np.minimum(below, above).astype(np.float32)
    low, high = np.float32(least) / scale, np.float32(last) / scale
    moved = np.clip(x, low, high) * scale
    found = np.rint(moved) if rounding == "HALF_TO_EVEN" else away(moved)
    return _to_integers(found, dtype), low, high


@quantize_v2.types
def _(input, min_range, max_range, T, **_):
    ends_ = [Spec.open(dtypes.float32, s.tensor_shape) for s in (min_range, max_range)]
    return [Spec.open(T, input.tensor_shape), *ends_]


class QuantizeV2(NamedTuple):
    """Quantized numbers, and the ends of their range."""

    output: Any
    output_min: Any
    output_max: Any


def _place(axis: int | None, x: Tensor) -> int:
    """An axis that is counted from the front; -1 stands for none."""
    if axis is None:
        return -1
    return axis + len(x.spec.shape) if axis < 0 else axis


@export("quantization.quantize", "quantize")
def quantize(
    input: Any,
    min_range: Any,
    max_range: Any,
    T: Any,
    mode: str = "MIN_COMBINED",
    round_mode: str = "HALF_AWAY_FROM_ZERO",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
    ensure_minimum_range: float = 0.01,
) -> Any:
    """Numbers as quantized ones, and the range that these cover. Mirrors `tf.quantization.quantize`.

    Args:
      input: float32 numbers.
      min_range: the number that the first integer stands for; a vector where `axis` is given.
      max_range: the number that the last integer stands for.
      T: the quantized dtype.
      mode: `"MIN_COMBINED"`, `"MIN_FIRST"` or `"SCALED"`.
      round_mode: `"HALF_AWAY_FROM_ZERO"`, or with `"SCALED"` also `"HALF_TO_EVEN"`.
      name: accepted for compatibility.
      narrow_range: with `"SCALED"`, whether the first integer is left out.
      axis: the axis along which each slice has a range of its own.
      ensure_minimum_range: how wide the range is at least, as a part of its larger end.

    Returns:
      The quantized numbers, and the ends of their range.

    Raises:
      InvalidArgumentError: if a mode is not known, or a range is empty.
      UnimplementedError: for `"MIN_FIRST"` with an axis.
    """
    numbers = [convert(v, dtypes.float32) for v in (input, min_range, max_range)]
    place = _place(axis, numbers[0])
    return QuantizeV2(*quantize_v2(*numbers, as_dtype(T), mode, round_mode, narrow_range, place, ensure_minimum_range))


@op("Dequantize", host=True, gradient=MISSING)
def dequantize_v2(
    input: Own,
    min_range: Limit,
    max_range: Limit,
    mode: Text = "MIN_COMBINED",
    narrow_range: Flag = False,
    axis: Attr = -1,
    dtype: DTypeArg = dtypes.float32,
):
    raw = "Dequantize"
    _check_modes(raw, mode)
    if dtype not in (dtypes.float32, dtypes.bfloat16):
        raise invalid_argument(
            f"Value for attr 'dtype' of {dtype.name} is not in the list of allowed values: bfloat16, float", raw
        )
    if dtype is dtypes.bfloat16 and mode == "MIN_FIRST":
        raise invalid_argument(
            "When output type is bfloat16, Dequantize only supports the modes SCALED and MIN_COMBINED.", raw
        )
    if axis != -1 and mode == "MIN_FIRST":
        raise unimplemented("MIN_FIRST mode is not implemented for Dequantize with axis != -1.", raw)
    x, kind = integers(input, raw, *_QUANTIZED)
    low, high = _ranges(raw, x, min_range, max_range, axis)
    first, last = ends(kind)
    wide = x.astype(np.float32)
    if mode == "MIN_FIRST":
        found = floats_in_single(x, kind, low, high)
    elif mode == "MIN_COMBINED":
        half = np.float32((float(last) - first + 1) / 2 if first else 0)
        scale = (high - low) / np.float32(float(last) - first)
        found = (wide + half) * scale + low
    else:
        if kind is dtypes.qint32:
            raise no_kernel(raw, kind, _QUANTIZED[:-1])
        if dtype is dtypes.bfloat16 and kind.size != 1:
            raise invalid_argument("When output type is bfloat16, the mode SCALED only takes qint8 and quint8.", raw)
        scale = high / np.float32(last)
        if first:
            scale = np.maximum(low / np.float32(first + 1 if narrow_range else first), scale)
        found = wide * scale
    return found.astype(dtype.np)


@dequantize_v2.types
def _(input, dtype, **_):
    return Spec.open(dtype, input.tensor_shape)


@export("quantization.dequantize", "dequantize", "compat.v1.dequantize")
def dequantize(
    input: Any,
    min_range: Any,
    max_range: Any,
    mode: str = "MIN_COMBINED",
    name: str | None = None,
    axis: int | None = None,
    narrow_range: bool = False,
    dtype: Any = dtypes.float32,
) -> Tensor:
    """The numbers that quantized ones stand for. Mirrors `tf.quantization.dequantize`.

    Args:
      input: quantized numbers.
      min_range: the number that the first integer stands for; a vector where `axis` is given.
      max_range: the number that the last integer stands for.
      mode: `"MIN_COMBINED"`, `"MIN_FIRST"` or `"SCALED"`.
      name: accepted for compatibility.
      axis: the axis along which each slice has a range of its own.
      narrow_range: with `"SCALED"`, whether the first integer was left out.
      dtype: float32 or bfloat16.

    Raises:
      InvalidArgumentError: if the mode is not known, or `dtype` does not go with it.
      NotFoundError: if `input` is not quantized.
      UnimplementedError: for `"MIN_FIRST"` with an axis.
    """
    low, high = (convert(v, dtypes.float32) for v in (min_range, max_range))
    numbers = operand(input)
    return dequantize_v2(numbers, low, high, mode, narrow_range, _place(axis, numbers), as_dtype(dtype))


# -- other ranges -----------------------------------------------------------------------------------------------------


def in_range(raw: str, x: Any, low: Any, high: Any, new: tuple[Any, Any], to: DType) -> np.ndarray:
    """Quantized numbers of one range in another."""
    whole, dtype = integers(x, raw, dtypes.qint32)
    if to not in (dtypes.quint8, dtypes.qint8):
        raise no_kernel(raw, to, (dtypes.quint8, dtypes.qint8))
    return nearest(floats(whole, dtype, low, high), to, *new)


def _used(raw: str, x: Any, low: Any, high: Any) -> tuple[np.float32, np.float32]:
    """The range that quantized numbers use, which has 0 in it."""
    whole, dtype = integers(x, raw, dtypes.qint32)
    least, most = floats(np.array([whole.min(), whole.max()]), dtype, low, high)
    return np.minimum(np.float32(0), least), most


@op("Requantize", host=True, differentiable=False)
def requantize(
    input: Own,
    input_min: Limit,
    input_max: Limit,
    requested_output_min: Limit,
    requested_output_max: Limit,
    out_type: DTypeArg,
):
    new = requested_output_min, requested_output_max
    if new[0] > 0:
        raise invalid_argument(f"requested_output_min must be <= 0, but got {new[0]}", "Requantize")
    if new[1] < new[0]:
        raise invalid_argument(
            f"requested_output_max must be >= requested_output_min, but got {new[1]} and {new[0]}", "Requantize"
        )
    return [in_range("Requantize", input, input_min, input_max, new, out_type), *map(np.asarray, new)]


@op("RequantizationRange", host=True, differentiable=False)
def requantization_range(input: Own, input_min: Limit, input_max: Limit):
    return [np.asarray(v) for v in _used("RequantizationRange", input, input_min, input_max)]


@op("QuantizeDownAndShrinkRange", host=True, differentiable=False)
def shrink(input: Own, input_min: Limit, input_max: Limit, out_type: DTypeArg):
    raw = "QuantizeDownAndShrinkRange"
    if out_type is not dtypes.quint8:
        raise no_kernel(raw, out_type, (dtypes.quint8,))
    new = _used(raw, input, input_min, input_max)
    return [in_range(raw, input, input_min, input_max, new, out_type), *map(np.asarray, new)]


_END = Spec.open(dtypes.float32, as_shape([]))


@requantize.types
def _(input, out_type, **_):
    return [Spec.open(out_type, input.tensor_shape), _END, _END]


@requantization_range.types
def _(**_):
    return [_END, _END]


@shrink.types
def _(input, out_type, **_):
    return [Spec.open(out_type, input.tensor_shape), _END, _END]
