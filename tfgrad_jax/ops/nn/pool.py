"""Pooling: the maximum or the average of windows.

Measured on two cores in float32, milliseconds, JAX's primitive against the views of `pool_windows`:

    32x28x28x16, 2x2       forward 0.45   0.44    backward 5.0   0.6
    32x14x14x32, 2x2       forward 0.06   0.02    backward 2.0   0.1
    32x28x28x32, 3x3 by 2                         backward 10    0.9
    8x112x112x64, 3x3 by 2                        backward 160   10

Windows that lie side by side are not scattered: each element looks at its one window. Milliseconds of both cores for a maximum, its
gradient and that of a rectifier before it, parts of windows put together against that:

    32x16x16x16x8, 2x2x2   3.1    2.2
    32x8x8x8x16, 2x2x2     0.8    0.4
    32x32x32x32, 2x2       2.1    1.3
    32x26x26x32, 2x2       1.4    1.0
"""

from __future__ import annotations

import functools
import math
from collections import namedtuple
from typing import Any

import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import lax

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Attr, DTypeArg, Flag, Floating, Int, Real, static
from tfgrad_jax.engine.kernels.once import computed_once
from tfgrad_jax.engine.messages.errors import invalid_argument, unimplemented
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.execute import misfit
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.ops.common import wide
from tfgrad_jax.ops.nn.pool_windows import Windows
from tfgrad_jax.ops.signal.windows import is_channels_first, padding_of, per_dimension, strides_or_dilations


def _lowest(dtype: Any) -> Any:
    return -np.inf if jnp.issubdtype(dtype, jnp.floating) else ml_dtypes.iinfo(dtype).min


def _last(x: Any, channels_first: bool) -> Any:
    return jnp.moveaxis(x, 1, -1) if channels_first else x


def _back(x: Any, channels_first: bool) -> Any:
    return jnp.moveaxis(x, -1, 1) if channels_first else x


def _max(x: Any, window: Any, strides: Any, padding: Any, dilations: Any, channels_first: bool, name: str) -> Any:
    x = _last(x, channels_first)
    windows = Windows(x, window, strides, padding, dilations, name)
    make = functools.partial(windows.reduce, value=_lowest(x.dtype), combine=jnp.maximum, general=lax.max)
    # What reads the maximum of that many elements would look at all of them again.
    return _back(computed_once(make, x) if len(window) == 3 else make(x), channels_first)


def _max_gradient(
    ct: Any, x: Any, y: Any, window: Any, strides: Any, padding: Any, dilations: Any, channels_first: bool, shared: bool
) -> Any:
    """The cotangent goes to the first maximum of each window, or to every one if `shared`."""
    ct, x, y = (_last(v, channels_first) for v in (ct, x, y))
    windows = Windows(x, window, strides, padding, dilations, "MaxPoolGrad")
    if windows.apart:
        # Each element looks at its one window, and may be made where it is read.
        hit = x == windows.spread(y) if shared else windows.spread(_place(windows, x, y)) == windows.numbers()
        return _back(jnp.where(hit, windows.spread(ct), 0), channels_first)
    if not shared and len(windows.places) <= np.iinfo(np.int8).max:
        at = computed_once(lambda x: _first(windows, x), x)
        return _back(windows.scatter([jnp.where(at == i, ct, 0) for i in range(len(windows.places))]), channels_first)
    taken = jnp.zeros(y.shape, bool)
    parts = []
    # Padding is smaller than any element, or else comes after one in its window.
    for seen in windows.views(windows.pad(x, _lowest(x.dtype))):
        hit = seen == y
        parts.append(jnp.where(hit if shared else hit & ~taken, ct, 0))
        taken |= hit
    return _back(windows.scatter(parts), channels_first)


def _place(windows: Windows, x: Any, y: Any) -> Any:
    """The number of the position at which each window has `y` first, or -1."""
    at = jnp.full(y.shape, -1, np.int32)
    for i, seen in reversed(list(enumerate(windows.views(windows.pad(x, _lowest(x.dtype)))))):
        at = jnp.where(seen == y, i, at)
    return at


def _first(windows: Windows, x: Any) -> Any:
    """The number of the position at which each window has its first maximum."""
    largest, *others = windows.views(windows.pad(x, _lowest(x.dtype)))
    at = jnp.zeros(largest.shape, np.int8)
    for i, seen in enumerate(others, 1):
        larger = seen > largest
        largest, at = jnp.where(larger, seen, largest), jnp.where(larger, np.int8(i), at)
    return at


@op("MaxPool")
def _max_pool(input: Real, window: Attr, strides: Attr, padding: Attr, dilations: Attr, channels_first: Flag):
    return _max(input, window, strides, padding, dilations, channels_first, "MaxPool")


@_max_pool.rule
def _(cts, inputs, outputs, window, strides, padding, dilations, channels_first):
    return [_max_gradient(cts[0], inputs[0], outputs[0], window, strides, padding, dilations, channels_first, False)]


@op("MaxPool3D")
def _max_pool3d(input: Real, window: Attr, strides: Attr, padding: Attr, dilations: Attr, channels_first: Flag):
    return _max(input, window, strides, padding, dilations, channels_first, "MaxPool3D")


@_max_pool3d.rule
def _(cts, inputs, outputs, window, strides, padding, dilations, channels_first):
    # TensorFlow's gradient in three dimensions gives each of several maxima the whole cotangent.
    return [_max_gradient(cts[0], inputs[0], outputs[0], window, strides, padding, dilations, channels_first, True)]


def _average(x: Any, window: Any, strides: Any, padding: Any, dilations: Any, channels_first: bool, name: str) -> Any:
    x = _last(x, channels_first)
    windows = Windows(x, window, strides, padding, dilations, name)
    # TensorFlow adds up bfloat16 in float32, and rounds each sum of float16.
    total = windows.reduce(wide(x) if x.dtype == jnp.bfloat16 else x, 0, jnp.add, lax.add)
    shares = _shares(windows)
    return _back((total / jnp.asarray(shares, total.dtype)).astype(x.dtype), channels_first)


def _shares(windows: Windows) -> Any:
    """How many elements each window sees, since padding does not count; a number where it is the same for all."""
    if not any(type(n) is not int or n for pads in windows.pads for n in pads):
        return float(math.prod(windows.window))
    # It is known now, but in a program that is exported for all sizes.
    xp: Any = jnp if windows.is_open else np
    shares: Any = 1.0
    for i, (before, after) in enumerate(windows.pads):
        at = (
            xp.arange(windows.out[i])[:, None] * windows.strides[i]
            + np.arange(windows.window[i]) * windows.dilations[i]
        )
        inside = ((at >= before) & (at < windows.sizes[i] - after)).sum(1)
        shares = shares * inside.reshape([-1 if j == i else 1 for j in range(len(windows.out))] + [1])
    if windows.is_open:
        return shares
    if not shares.size:
        return 1.0
    return shares.flat[0] if (shares == shares.flat[0]).all() else shares


@op("AvgPool")
def _avg_pool(value: Floating, window: Attr, strides: Attr, padding: Attr, dilations: Attr, channels_first: Flag):
    return _average(value, window, strides, padding, dilations, channels_first, "AvgPool")


@op("AvgPool3D")
def _avg_pool3d(value: Floating, window: Attr, strides: Attr, padding: Attr, dilations: Attr, channels_first: Flag):
    return _average(value, window, strides, padding, dilations, channels_first, "AvgPool3D")


# -- public -----------------------------------------------------------------------------------------------------------


def _pooled(
    kind: str, n: int, x: Any, ksize: Any, strides: Any, padding: Any, data_format: Any, dilations: Any = None
) -> Any:
    name = kind + ("Pool3D" if n == 3 else "Pool")
    first = is_channels_first(data_format, n, name)
    if kind == "Max" and n == 2 and (over := _over_channels(ksize, strides)):
        return _max_over_channels(x, over)
    if kind == "Avg" and not isinstance(padding, str):
        raise TypeError(f"Expected string for argument 'padding' not {padding}.")
    declared = {"MaxPool": _max_pool, "MaxPool3D": _max_pool3d, "AvgPool": _avg_pool, "AvgPool3D": _avg_pool3d}[name]
    window, pads = per_dimension(ksize, n, first, "ksize", name), padding_of(padding, n, first, name)
    if not isinstance(pads, str):
        _check_pads(pads, window, padding, name)
    return declared(
        x,
        window,
        per_dimension(strides, n, first, "strides", name),
        pads,
        per_dimension(dilations, n, first, "dilations", name),
        first,
    )


def _check_pads(pads: Any, window: Any, given: Any, name: str) -> None:
    """Every window must see an element, and only spatial dimensions may be padded."""
    if sum(map(sum, pads)) != sum(map(sum, static(given))):
        raise misfit("Nonzero explicit padding in the batch or depth dimensions is not supported", name)
    for (before, after), size in zip(pads, window, strict=True):
        if max(before, after) >= size:
            raise invalid_argument(
                f"Padding {max(before, after)} needs to be smaller than the window size {size}", name
            )


def _over_channels(ksize: Any, strides: Any) -> int:
    """The window over the channels, if that is what is asked for; 0 otherwise."""
    size, step = static(ksize), static(strides)
    if not isinstance(size, tuple) or len(size) != 4 or size[3] == 1:
        return 0
    if size[:3] != (1, 1, 1) or step != size:
        raise unimplemented(
            f"MaxPooling supports exactly one of pooling across depth or pooling across width/height: ksize={size}, "
            f"strides={step}",
            "MaxPool",
        )
    return size[3]


@op("nn.max_pool over channels")
def _max_over_channels(input: Real, size: Int):
    *outer, depth = input.shape
    if depth % size:
        raise unimplemented(
            f"Depthwise max pooling requires the depth window {size} to evenly divide the depth {depth}", "MaxPool"
        )
    return jnp.max(input.reshape(*outer, depth // size, size), -1)


def _rank(x: Any, ksize: Any) -> int:
    n = (len(ksize) if x.shape.rank is None and isinstance(ksize, (list, tuple)) else x.ndim) - 2
    if not 1 <= n <= 3:
        raise ValueError(f"`input.shape.rank` must be 3, 4 or 5. Received: input.shape={x.shape} of rank {x.ndim}.")
    return n


@export("nn.max_pool")
def max_pool(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = None, name: str | None = None
) -> Any:
    """The maximum of each window, over one to three spatial dimensions. Mirrors `tf.nn.max_pool`."""
    input = convert(input)
    return _pooled("Max", _rank(input, ksize), input, ksize, strides, padding, data_format)


@export("nn.max_pool1d")
def max_pool1d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = "NWC", name: str | None = None
) -> Any:
    """The maximum of each window of [batch, width, channels]. Mirrors `tf.nn.max_pool1d`."""
    return _pooled("Max", 1, input, ksize, strides, padding, data_format)


@export("nn.max_pool2d")
def max_pool2d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = "NHWC", name: str | None = None
) -> Any:
    """The maximum of each window of an image; the gradient goes to the first one. Mirrors `tf.nn.max_pool2d`.

    Args:
      input: [batch, height, width, channels], or channels first where `data_format` says so.
      ksize, strides: a number, one a spatial dimension, or one a dimension.
      padding: "SAME", "VALID", or a pair of numbers for each dimension.
      data_format: "NHWC" or "NCHW".
      name: accepted for compatibility.

    Raises:
      InvalidArgumentError: if an argument is out of range.
      ValueError: if one has a wrong length.
    """
    return _pooled("Max", 2, input, ksize, strides, padding, data_format)


@export("nn.max_pool3d")
def max_pool3d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = "NDHWC", name: str | None = None
) -> Any:
    """The maximum of each window of a volume. Mirrors `tf.nn.max_pool3d`."""
    return _pooled("Max", 3, input, ksize, strides, padding, data_format)


@export("nn.avg_pool")
def avg_pool(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = None, name: str | None = None
) -> Any:
    """The average of each window, over one to three spatial dimensions. Mirrors `tf.nn.avg_pool`."""
    input = convert(input)
    return _pooled("Avg", _rank(input, ksize), input, ksize, strides, padding, data_format)


@export("nn.avg_pool1d")
def avg_pool1d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = "NWC", name: str | None = None
) -> Any:
    """The average of each window of [batch, width, channels]. Mirrors `tf.nn.avg_pool1d`."""
    return _pooled("Avg", 1, input, ksize, strides, padding, data_format)


@export("nn.avg_pool2d")
def avg_pool2d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = "NHWC", name: str | None = None
) -> Any:
    """The average of each window of an image. Mirrors `tf.nn.avg_pool2d`."""
    return _pooled("Avg", 2, input, ksize, strides, padding, data_format)


@export("nn.avg_pool3d")
def avg_pool3d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = "NDHWC", name: str | None = None
) -> Any:
    """The average of each window of a volume. Mirrors `tf.nn.avg_pool3d`."""
    return _pooled("Avg", 3, input, ksize, strides, padding, data_format)


@export("nn.pool")
def pool(
    input: Any,
    window_shape: Any,
    pooling_type: str,
    strides: Any = None,
    padding: Any = "VALID",
    data_format: Any = None,
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Pooling of type "MAX" or "AVG" over as many dimensions as `window_shape` has. Mirrors `tf.nn.pool`.

    Raises:
      ValueError: for another type, strides and dilations both above 1, strides above the window's sizes, or padding "SAME" with
        dilations above 1.
    """
    n = len(window_shape)
    if pooling_type not in ("MAX", "AVG") or not 1 <= n <= 3:
        raise ValueError(f"{n}-D {pooling_type} pooling is not supported.")
    step, holes = (
        static(strides if strides is not None else [1] * n),
        static(dilations if dilations is not None else [1] * n),
    )
    strides_or_dilations(step, holes)
    if padding == "SAME" and max(holes) > 1:
        raise ValueError(f"pooling with 'SAME' padding is not implemented for `dilation_rate` > 1, got {list(holes)}")
    if any(s > w for s, w in zip(step, static(window_shape), strict=False)):
        raise ValueError(f"`strides` > `window_shape` not supported, got {list(step)} and {list(window_shape)}")
    return _pooled(pooling_type.capitalize(), n, input, window_shape, step, padding, data_format, holes)


# -- where the maxima are ---------------------------------------------------------------------------------------------


@op("MaxPoolWithArgmax")
def _with_argmax(input: Real, window: Attr, strides: Attr, padding: Attr, dtype: DTypeArg, with_batch: Flag):
    y = _max(input, window, strides, padding, (1, 1), False, "MaxPoolWithArgmax")
    windows = Windows(input, window, strides, padding, (1, 1), "MaxPoolWithArgmax")
    _, height, width, channels = input.shape
    row = lax.broadcasted_iota(np.int64, input.shape, 0) if with_batch else 0
    flat = ((row * height + lax.broadcasted_iota(np.int64, input.shape, 1)) * width) * channels
    flat = (
        flat
        + lax.broadcasted_iota(np.int64, input.shape, 2) * channels
        + lax.broadcasted_iota(np.int64, input.shape, 3)
    )
    found = jnp.full(y.shape, -1)
    seen = windows.views(windows.pad(input, _lowest(input.dtype)))
    for value, position in zip(seen, windows.views(windows.pad(flat, -1)), strict=True):
        found = jnp.where((found < 0) & (value == y), position, found)
    return y, found.astype(dtype.np)


@_with_argmax.rule
def _(cts, inputs, outputs, window, strides, padding):
    return [_max_gradient(cts[0], inputs[0], outputs[0], window, strides, padding, (1, 1), False, False)]


MaxPoolWithArgmax = namedtuple("MaxPoolWithArgmax", ["output", "argmax"])


@export("nn.max_pool_with_argmax")
def max_pool_with_argmax(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    output_dtype: Any = dtypes.int64,
    include_batch_in_index: bool = False,
    name: str | None = None,
) -> Any:
    """The maximum of each window of an image, and its flat index. Mirrors `tf.nn.max_pool_with_argmax`.

    Raises:
      ValueError: if `data_format` is not "NHWC".
    """
    if data_format != "NHWC":
        raise ValueError(
            f"`data_format` values other than 'NHWC' are not supported. Received: data_format={data_format}"
        )
    raw = "MaxPoolWithArgmax"
    output = _with_argmax(
        input,
        per_dimension(ksize, 2, False, "ksize", raw),
        per_dimension(strides, 2, False, "strides", raw),
        padding_of(padding, 2, False, raw),
        as_dtype(output_dtype),
        include_batch_in_index,
    )
    return MaxPoolWithArgmax(*output)
