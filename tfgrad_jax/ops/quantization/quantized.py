"""Arithmetic of quantized numbers by their integers, in NumPy: XLA has no such types."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Attr, DTypeArg, Flag, Own, Owns, Text
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.dtypes import DType, plain
from tfgrad_jax.engine.values.numbers import quantized
from tfgrad_jax.ops.common import listed
from tfgrad_jax.ops.quantization.levels import (
    Limit,
    Limits,
    check_scalars,
    ends,
    floats,
    floats_in_single,
    integers,
    nearest,
    nearest_in_single,
    no_kernel,
    range_of_product,
    unclamped,
)

_8 = (dtypes.quint8,)
_FEW = (dtypes.quint8, dtypes.qint8)


def _centred(raw: str, x: Any, low: Any, high: Any) -> tuple[np.ndarray, tuple[DType, Any, Any]]:
    """Integers from which the one that stands for 0 is subtracted, and what makes their range."""
    check_scalars(raw, low, high)
    whole, dtype = integers(x, raw, *_8)
    return whole.astype(np.int64) - unclamped(0.0, dtype, low, high), (dtype, low, high)


def _product(raw: str, found: np.ndarray, x: Any, y: Any, to: DType) -> list[np.ndarray]:
    if to is not dtypes.qint32:
        raise no_kernel(raw, to, (dtypes.qint32,))
    return [quantized(found, to), *map(np.asarray, range_of_product(x, y, to))]


@op("QuantizedMatMul", host=True, differentiable=False)
def matmul(
    a: Own,
    b: Own,
    min_a: Limit,
    max_a: Limit,
    min_b: Limit,
    max_b: Limit,
    Toutput: DTypeArg = dtypes.qint32,
    transpose_a: Flag = False,
    transpose_b: Flag = False,
):
    raw = "QuantizedMatMul"
    (x, of_x), (y, of_y) = _centred(raw, a, min_a, max_a), _centred(raw, b, min_b, max_b)
    for name, value in (("a", x), ("b", y)):
        if value.ndim != 2:
            raise invalid_argument(f"{name} must be a matrix, got shape {listed(value.shape)}", raw)
    x, y = x.T if transpose_a else x, y.T if transpose_b else y
    if x.shape[1] != y.shape[0]:
        raise invalid_argument(f"Matrix size-incompatible: {listed(a.shape)}, {listed(b.shape)}", raw)
    return _product(raw, x @ y, of_x, of_y, Toutput)


@op("QuantizedMul", host=True, differentiable=False)
def multiply(
    x: Own, y: Own, min_x: Limit, max_x: Limit, min_y: Limit, max_y: Limit, Toutput: DTypeArg = dtypes.qint32
):  # fmt: skip
    raw = "QuantizedMul"
    (one, of_one), (other, of_other) = _centred(raw, x, min_x, max_x), _centred(raw, y, min_y, max_y)
    return _product(raw, one * other, of_one, of_other, Toutput)


def _summands(raw: str, x: Any, y: Any, limits: Any, taken: Any, to: DType, headroom: int) -> Any:
    """Two operands as `(integers, dtype, range)` each, and the range of their sum."""
    if to is not dtypes.qint32:
        raise no_kernel(raw, to, (dtypes.qint32,))
    check_scalars(raw, *limits)
    (one, of_one), (other, of_other) = integers(x, raw, *taken), integers(y, raw, *taken)
    if of_one is not of_other:
        raise no_kernel(raw, of_other, (of_one,))
    most = np.max(np.abs(np.array(limits, np.float32))) * np.float32(1 << headroom)
    return (one, of_one, limits[:2]), (other, of_other, limits[2:]), (-most, most)


def _in_steps(x: Any, dtype: DType, limits: Any, new: Any, to: DType) -> Any:
    """Integers of one range as those of another: of several, the distance of two is rounded, and not each."""
    if x.size == 1:
        return unclamped(floats(x, dtype, *limits), to, *new)
    first = ends(dtype)[0]
    start, following = unclamped(floats(np.array([first, first + 1]), dtype, *limits), to, *new)
    return start + (x.astype(np.int64) - first) * (following - start)


@op("QuantizedAdd", host=True, differentiable=False)
def add(x: Own, y: Own, min_x: Limit, max_x: Limit, min_y: Limit, max_y: Limit, Toutput: DTypeArg = dtypes.qint32):
    one, other, new = _summands("QuantizedAdd", x, y, (min_x, max_x, min_y, max_y), _8, Toutput, 14)
    parts = [_in_steps(x, dtype, of, new, Toutput) for x, dtype, of in (one, other)]
    return [quantized(parts[0] + parts[1], Toutput), *map(np.asarray, new)]


@op("QuantizedBiasAdd", host=True, differentiable=False)
def bias_add(
    input: Own, bias: Own, min_input: Limit, max_input: Limit, min_bias: Limit, max_bias: Limit, out_type: DTypeArg
):
    raw = "QuantizedBiasAdd"
    if input.ndim < 2:
        raise invalid_argument(f"Input tensor must be at least 2D: {listed(input.shape)}", raw)
    if bias.ndim != 1:
        raise invalid_argument(f"Biases must be 1D: {listed(bias.shape)}", raw)
    if bias.shape[0] != input.shape[-1]:
        raise invalid_argument(
            f"there must be as many biases as the last dimension of the input: {listed(bias.shape)} vs. {listed(input.shape)}",
            raw,
        )
    limits = min_input, max_input, min_bias, max_bias
    one, other, new = _summands(raw, input, bias, limits, _FEW, out_type, 17)
    parts = [
        plain(nearest_in_single(floats_in_single(x, dtype, *of), out_type, *new)).astype(np.int64)
        for x, dtype, of in (one, other)
    ]
    zero = unclamped(0.0, out_type, *new)  # -1 for some ranges, and TensorFlow adds it
    return [quantized(parts[0] + parts[1] + zero, out_type), *map(np.asarray, new)]


# -- windows ----------------------------------------------------------------------------------------------------------


def _windows(raw: str, x: Any, size: Any, strides: Any, padding: str, fill: int) -> np.ndarray:
    """The windows of an image, `[batch, rows, columns, depth, height, width]`; outside of it there is `fill`."""
    if padding not in ("SAME", "VALID"):
        raise invalid_argument(f"padding must be 'SAME' or 'VALID', got {padding!r}", raw)
    pads = [(0, 0)]
    for n, k, s in zip(x.shape[1:3], size, strides, strict=True):
        whole = max((-(-n // s) - 1) * s + k - n, 0) if padding == "SAME" else 0
        pads.append((whole // 2, whole - whole // 2))
    x = np.pad(x, [*pads, (0, 0)], constant_values=fill)
    if x.shape[1] < size[0] or x.shape[2] < size[1]:
        raise invalid_argument(f"a window of {listed(size)} does not fit into {listed(x.shape)}", raw)
    return np.lib.stride_tricks.sliding_window_view(x, tuple(size), (1, 2))[:, :: strides[0], :: strides[1]]


def _of_images(raw: str, name: str, sizes: Any) -> Any:
    if len(sizes) != 4 or sizes[0] != 1 or sizes[3] != 1:
        raise invalid_argument(
            f"{name} must have four entries, of which the first and the last are 1, got {listed(sizes)}", raw
        )
    return sizes[1:3]


@op("QuantizedConv2D", "compat.v1.nn.quantized_conv2d", host=True, differentiable=False)
def conv2d(
    input: Own,
    filter: Own,
    min_input: Limit,
    max_input: Limit,
    min_filter: Limit,
    max_filter: Limit,
    strides: Attr = (),
    padding: Text = "",
    out_type: DTypeArg = dtypes.qint32,
    dilations: Attr = (1, 1, 1, 1),
):
    """The convolution of quantized images, whose numbers are integers of a wider dtype.

    Args:
      input: images, `[batch, height, width, depth]`, of quint8.
      filter: `[height, width, depth, channels]`, of quint8.
      min_input, max_input: the range of `input`.
      min_filter, max_filter: the range of `filter`.
      strides: how far windows are apart, `[1, rows, columns, 1]`.
      padding: `"SAME"` or `"VALID"`.
      out_type: qint32.
      dilations: only ones.
      name: accepted for compatibility.

    Returns:
      The numbers, and the ends of their range.

    Raises:
      InvalidArgumentError: if shapes do not fit, or there are dilations.
      NotFoundError: for other dtypes.
    """
    raw = "QuantizedConv2D"
    if tuple(dilations) != (1, 1, 1, 1):
        raise invalid_argument("Current implementation only supports dilated rate as 1 for each dimension", raw)
    (x, of_x), (y, of_y) = _centred(raw, input, min_input, max_input), _centred(raw, filter, min_filter, max_filter)
    for name, value in (("input", x), ("filter", y)):
        if value.ndim != 4:
            raise invalid_argument(f"{name} must be rank 4 but is rank {value.ndim}", raw)
    if x.shape[3] != y.shape[2]:
        raise invalid_argument(f"input and filter must have the same depth: {x.shape[3]} vs {y.shape[2]}", raw)
    parts = _windows(raw, x, y.shape[:2], _of_images(raw, "strides", strides), padding, 0)
    return _product(raw, np.einsum("brcdhw,hwdo->brco", parts, y), of_x, of_y, out_type)


def _pooled(raw: str, x: Any, low: Any, high: Any, ksize: Any, strides: Any, padding: str, mean: bool) -> list[Any]:
    whole, dtype = integers(x, raw, *_FEW)
    if whole.ndim != 4:
        raise invalid_argument(f"tensor_in must be 4-dimensional, got shape {listed(whole.shape)}", raw)
    size, steps = _of_images(raw, "ksize", ksize), _of_images(raw, "strides", strides)
    first, last = ends(dtype)
    parts = _windows(raw, whole.astype(np.int64), size, steps, padding, first - 1)
    if not mean:
        return [quantized(parts.max((-2, -1)), dtype), np.asarray(low), np.asarray(high)]
    inside = parts >= first
    count = inside.sum((-2, -1))
    total = np.where(inside, parts, 0).sum((-2, -1))
    found = np.rint(total / count)
    return [quantized(np.clip(found, first, last), dtype), np.asarray(low), np.asarray(high)]


@op("QuantizedMaxPool", "compat.v1.nn.quantized_max_pool", host=True, differentiable=False)
def max_pool(input: Own, min_input: Limit, max_input: Limit, ksize: Attr = (), strides: Attr = (), padding: Text = ""):
    """The largest number of each window of quantized images, and the range, which stays.

    Raises:
      InvalidArgumentError: if sizes do not fit.
      NotFoundError: for other dtypes than quint8 and qint8.
    """
    return _pooled("QuantizedMaxPool", input, min_input, max_input, ksize, strides, padding, False)


@op("QuantizedAvgPool", "compat.v1.nn.quantized_avg_pool", host=True, differentiable=False)
def avg_pool(input: Own, min_input: Limit, max_input: Limit, ksize: Attr = (), strides: Attr = (), padding: Text = ""):
    """The mean of each window of quantized images, rounded, and the range, which stays.

    Raises:
      InvalidArgumentError: if sizes do not fit.
      NotFoundError: for other dtypes than quint8 and qint8.
    """
    return _pooled("QuantizedAvgPool", input, min_input, max_input, ksize, strides, padding, True)


# -- elements ---------------------------------------------------------------------------------------------------------


def _cut(raw: str, x: Any, low: Any, high: Any, to: DType, most: float | None) -> list[np.ndarray]:
    whole, dtype = integers(x, raw, dtypes.quint8, dtypes.qint32)
    if to is not dtype:
        raise no_kernel(raw, to, (dtype,))
    limits = [None if v is None else np.clip(unclamped(v, dtype, low, high), *ends(dtype)) for v in (0.0, most)]
    return [quantized(np.clip(whole, *limits), dtype), np.asarray(low), np.asarray(high)]


@op("QuantizedRelu", host=True, differentiable=False)
def relu(features: Own, min_features: Limit, max_features: Limit, out_type: DTypeArg = dtypes.quint8):
    return _cut("QuantizedRelu", features, min_features, max_features, out_type, None)


@op("QuantizedRelu6", host=True, differentiable=False)
def relu6(features: Own, min_features: Limit, max_features: Limit, out_type: DTypeArg = dtypes.quint8):
    return _cut("QuantizedRelu6", features, min_features, max_features, out_type, 6.0)


@op("QuantizedConcat", host=True, differentiable=False)
def concat(concat_dim: Own, values: Owns, input_mins: Limits, input_maxes: Limits):
    raw = "QuantizedConcat"
    parts = [integers(v, raw, dtypes.quint8, dtypes.qint32) for v in values]
    low = min(np.float32(0), *[np.float32(v) for v in input_mins])
    high = max(*[np.float32(v) for v in input_maxes]) if len(input_maxes) > 1 else np.float32(input_maxes[0])
    if ends(parts[0][1])[0]:
        high = np.maximum(-low, high)
        low = -high
    moved = []
    for (whole, dtype), a, b in zip(parts, input_mins, input_maxes, strict=True):
        same = a == low and b == high
        moved.append(
            whole if same else plain(nearest_in_single(floats_in_single(whole, dtype, a, b), dtype, low, high))
        )
    dtype = parts[0][1]
    try:
        found = np.concatenate(moved, int(concat_dim))
    except ValueError as error:
        raise invalid_argument(f"ConcatOp : {error}", raw) from None
    return [quantized(found, dtype), np.asarray(low), np.asarray(high)]


@op("QuantizedInstanceNorm", host=True, differentiable=False)
def instance_norm(
    x: Own,
    x_min: Limit,
    x_max: Limit,
    output_range_given: Flag = False,
    given_y_min: Attr = 0.0,
    given_y_max: Attr = 0.0,
    variance_epsilon: Attr = 1e-5,
    min_separation: Attr = 1e-3,
):
    raw = "QuantizedInstanceNorm"
    whole, dtype = integers(x, raw, *_8)
    if whole.ndim != 4:
        raise invalid_argument(f"input must be 4-dimensional, got shape {listed(whole.shape)}", raw)
    numbers = floats(whole, dtype, x_min, x_max)
    mean, spread = numbers.mean((1, 2), keepdims=True), numbers.var((1, 2), keepdims=True)
    found = (numbers - mean) / np.sqrt(spread + np.float32(variance_epsilon))
    if output_range_given:
        low, high = np.float32(given_y_min), np.float32(given_y_max)
    else:
        low, high = found.min(), found.max()
        high = np.maximum(high, low + np.float32(min_separation))
    return [nearest(found, dtype, low, high), np.asarray(low), np.asarray(high)]


class QuantizedConcat(NamedTuple):
    """A quantized tensor, and the ends of its range."""

    output: Any
    output_min: Any
    output_max: Any


@export("quantization.quantized_concat", "quantized_concat")
def quantized_concat(concat_dim: Any, values: Any, input_mins: Any, input_maxes: Any, name: str | None = None) -> Any:
    """Quantized tensors one after the other, in a range that has all of theirs in it. Mirrors `tf.quantization.quantized_concat`.

    Args:
      concat_dim: the axis.
      values: quantized tensors of one dtype, quint8 or qint32.
      input_mins, input_maxes: the ends of their ranges.
      name: accepted for compatibility.

    Returns:
      The tensor, and the ends of its range.

    Raises:
      InvalidArgumentError: if shapes do not fit.
      NotFoundError: for other dtypes.
    """
    return QuantizedConcat(*concat(concat_dim, values, input_mins, input_maxes, name=name))
