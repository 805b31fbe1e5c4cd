"""Convolutions of one, two and three spatial dimensions, their transposes, and depthwise ones.

Gradients with respect to the input and to the filters are transposes of a linear map, each of the lowering that suits it.
"""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Attr, Flag, Number, shape_tuple
from tfgrad_jax.engine.graph.deferred import deferred
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.ops.common import listed, partly_known, shape_of
from tfgrad_jax.ops.nn.conv_lowering import convolve
from tfgrad_jax.ops.signal.windows import is_channels_first, padding_of, pads_for, per_dimension, strides_or_dilations

# -- kernels ----------------------------------------------------------------------------------------------------------


def _convolution(
    x: Any, k: Any, strides: Any, padding: Any, dilations: Any, channels_first: bool, name: str, purpose: str = "output"
) -> Any:
    n = len(strides)
    if k.ndim != n + 2:
        raise invalid_argument(f"filter must be {n + 2}-dimensional: {listed(k.shape)}", name)
    if x.ndim < n + 2:
        raise invalid_argument(f"input must be at least {n + 2}-dimensional: {listed(x.shape)}", name)
    if 0 in k.shape:
        raise invalid_argument(
            f"filter must not have zero elements (i.e. all dimensions must be non-zero): {listed(k.shape)}", name
        )
    lead = x.shape[: -n - 1]
    x = x.reshape(-1, *x.shape[-n - 1 :])
    if channels_first:
        x = jnp.moveaxis(x, 1, -1)
    depth, wanted, made = x.shape[-1], k.shape[n], k.shape[-1]
    if depth % wanted or not depth:
        raise invalid_argument(f"input depth must be evenly divisible by filter depth: {depth} vs {wanted}", name)
    groups = depth // wanted
    if made % groups:
        raise invalid_argument(f"output depth must be evenly divisible by number of groups: {made} vs {groups}", name)
    pads = pads_for(padding, x.shape[1:-1], k.shape[:n], strides, dilations, name)
    y = convolve(x, k, strides, pads, dilations, groups, purpose)
    if channels_first:
        y = jnp.moveaxis(y, -1, 1)
    return y.reshape(*lead, *y.shape[1:])


def _gradients(name: str) -> Any:
    def rule(cts, inputs, outputs, strides, padding, dilations, channels_first):
        x, k = inputs
        rest = (strides, padding, dilations, channels_first, name)
        by_input = jax.linear_transpose(lambda v: _convolution(v, k, *rest, purpose="input"), x)
        by_filter = jax.linear_transpose(lambda v: _convolution(x, v, *rest, purpose="filters"), k)
        return [by_input(cts[0])[0], by_filter(cts[0])[0]]

    return rule


@op("Conv2D")
def _conv2d(input: Number, filters: Number, strides: Attr, padding: Attr, dilations: Attr, channels_first: Flag):
    return _convolution(input, filters, strides, padding, dilations, channels_first, "Conv2D")


@op("Conv3D")
def _conv3d(input: Number, filters: Number, strides: Attr, padding: Attr, dilations: Attr, channels_first: Flag):
    return _convolution(input, filters, strides, padding, dilations, channels_first, "Conv3D")


_conv2d.rule(_gradients("Conv2D"))
_conv3d.rule(_gradients("Conv3D"))


def _transposed(
    given: Any, filters: Any, shape: Any, strides: Any, padding: Any, channels_first: bool, dilations: Any, name: str
) -> Any:
    """The transpose of a convolution of something of the given shape, applied to `given`."""
    n = len(strides)
    if filters.ndim != n + 2 or given.ndim != n + 2 or len(shape) != n + 2:
        raise invalid_argument(
            f"input, filter and output must be {n + 2}-dimensional, got {listed(given.shape)}, "
            f"{listed(filters.shape)} and "
            f"an output_shape of {list(shape)}",
            name,
        )
    forward = functools.partial(
        _convolution,
        purpose="input",
        strides=strides,
        padding=padding,
        dilations=dilations,
        channels_first=channels_first,
        name=name,
    )
    like = jax.ShapeDtypeStruct(shape, given.dtype)
    made = jax.eval_shape(forward, like, filters).shape
    if made != given.shape:
        raise invalid_argument(
            f"an input of shape {listed(given.shape)} does not fit output_shape {list(shape)}, filters "
            f"{listed(filters.shape)}, strides {strides} and padding {padding!r}: expected an input of {listed(made)}",
            name,
        )
    return jax.linear_transpose(lambda v: forward(v, filters), like)(given)[0]


@op("Conv2DBackpropInput")
def _conv2d_transpose(
    input: Number,
    filters: Number,
    output_shape: Attr,
    strides: Attr,
    padding: Attr,
    dilations: Attr,
    channels_first: Flag,
):
    return _transposed(input, filters, output_shape, strides, padding, channels_first, dilations, "Conv2DBackpropInput")


@op("Conv3DBackpropInputV2")
def _conv3d_transpose(
    input: Number,
    filters: Number,
    output_shape: Attr,
    strides: Attr,
    padding: Attr,
    dilations: Attr,
    channels_first: Flag,
):
    return _transposed(
        input, filters, output_shape, strides, padding, channels_first, dilations, "Conv3DBackpropInputV2"
    )


@op("DepthwiseConv2dNative")
def _depthwise_conv2d(
    input: Number, filter: Number, strides: Attr, padding: Attr, dilations: Attr, channels_first: Flag
):
    return _by_channel(input, filter, strides, padding, dilations, channels_first)


def _by_channel(
    x: Any, k: Any, strides: Any, padding: Any, dilations: Any, channels_first: bool, purpose: str = "output"
) -> Any:
    name = "DepthwiseConv2dNative"
    if k.ndim != 4 or x.ndim != 4:
        raise invalid_argument(f"input and filter must be 4-dimensional: {listed(x.shape)} and {listed(k.shape)}", name)
    depth = x.shape[1 if channels_first else 3]
    if depth != k.shape[2]:
        raise invalid_argument(f"input depth must be evenly divisible by filter depth: {depth} vs {k.shape[2]}", name)
    k = k.reshape(*k.shape[:2], 1, -1)
    return _convolution(x, k, strides, padding, dilations, channels_first, name, purpose)


@_depthwise_conv2d.rule
def _(cts, inputs, outputs, strides, padding, dilations, channels_first):
    x, k = inputs
    rest = (strides, padding, dilations, channels_first)
    by_input = jax.linear_transpose(lambda v: _by_channel(v, k, *rest, purpose="input"), x)
    by_filter = jax.linear_transpose(lambda v: _by_channel(x, v, *rest, purpose="filters"), k)
    return [by_input(cts[0])[0], by_filter(cts[0])[0]]


# -- public -----------------------------------------------------------------------------------------------------------


def _forward(n: int, x: Any, filters: Any, strides: Any, padding: Any, data_format: Any, dilations: Any) -> Any:
    name = "Conv3D" if n == 3 else "Conv2D"
    first = is_channels_first(data_format, n, name)
    return (_conv3d if n == 3 else _conv2d)(
        x,
        filters,
        per_dimension(strides, n, first, "strides", name),
        padding_of(padding, n, first, name),
        per_dimension(dilations, n, first, "dilations", name),
        first,
    )


@export("nn.conv1d")
def conv1d(
    input: Any,
    filters: Any,
    stride: Any,
    padding: Any,
    data_format: Any = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Convolve sequences [..., width, channels] with filters [width, channels, out]. Mirrors `tf.nn.conv1d`."""
    return _forward(1, input, filters, stride, padding, data_format, dilations)


@export("nn.conv2d")
def conv2d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: Any = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Convolve images with filters [height, width, channels / groups, out]. Mirrors `tf.nn.conv2d`.

    Args:
      input: [..., height, width, channels], or channels first where `data_format` says so.
      filters: the filters; where they have fewer channels than `input`, the channels are convolved in groups.
      strides, dilations: a number, one a spatial dimension, or one a dimension.
      padding: "SAME", "VALID", or a pair of numbers for each dimension.
      data_format: "NHWC" or "NCHW".
      name: accepted for compatibility.

    Raises:
      InvalidArgumentError: if shapes do not fit, or an argument is out of range.
      ValueError: if `strides`, `dilations` or `padding` have a wrong length.
    """
    return _forward(2, input, filters, strides, padding, data_format, dilations)


@export("nn.conv3d")
def conv3d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: Any = "NDHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Convolve volumes with filters [depth, height, width, channels, out]. Mirrors `tf.nn.conv3d`."""
    return _forward(3, input, filters, strides, padding, data_format, dilations)


@export("nn.convolution")
def convolution(
    input: Any,
    filters: Any,
    strides: Any = None,
    padding: Any = "VALID",
    data_format: Any = None,
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """A convolution of as many dimensions as the filters have. Mirrors `tf.nn.convolution`.

    Raises:
      ValueError: if strides and dilations are both above 1.
    """
    filters = convert(filters)
    n = _dimensions(filters)
    first = is_channels_first(data_format, n, "Convolution")
    both = (
        per_dimension(v, n, first, what, "Convolution") for v, what in ((strides, "strides"), (dilations, "dilations"))
    )
    strides_or_dilations(*both)
    return _forward(n, input, filters, strides, padding, data_format, dilations)


def _dimensions(filters: Any) -> int:
    n = filters.ndim - 2
    if not 1 <= n <= 3:
        raise ValueError(
            f"`num_spatial_dims` must be 1, 2, or 3. Received: num_spatial_dims={n}, filters of shape {filters.shape}"
        )
    return n


@export("nn.atrous_conv2d")
def atrous_conv2d(value: Any, filters: Any, rate: Any, padding: Any, name: str | None = None) -> Any:
    """`conv2d` with holes of `rate - 1` between the filters' elements. Mirrors `tf.nn.atrous_conv2d`."""
    return conv2d(value, filters, 1, padding, dilations=rate)


def _backward(
    n: int, x: Any, filters: Any, output_shape: Any, strides: Any, padding: Any, data_format: Any, dilations: Any
) -> Any:
    name = "Conv3DBackpropInputV2" if n == 3 else "Conv2DBackpropInput"
    first = is_channels_first(data_format, n, name)
    x, filters = convert(x), convert(filters)
    shape = shape_tuple(output_shape)
    if len(shape) == n:  # spatial dimensions only
        channels = filters.spec.shape[-2]
        shape = (x.spec.shape[0], channels, *shape) if first else (x.spec.shape[0], *shape, channels)
    return (_conv3d_transpose if n == 3 else _conv2d_transpose)(
        x,
        filters,
        shape,
        per_dimension(strides, n, first, "strides", name),
        padding_of(padding, n, first, name),
        per_dimension(dilations, n, first, "dilations", name),
        first,
    )


@export("nn.conv1d_transpose")
@deferred("output_shape")
def conv1d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: Any = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """The transpose of `conv1d`; filters [width, out, channels]. Mirrors `tf.nn.conv1d_transpose`."""
    return _backward(1, input, filters, output_shape, strides, padding, data_format, dilations)


@export("nn.conv2d_transpose")
@deferred("output_shape")
def conv2d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: Any = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """The transpose of `conv2d`; filters [height, width, out, channels]. Mirrors `tf.nn.conv2d_transpose`.

    Raises:
      InvalidArgumentError: if `output_shape` cannot come from `input`.
    """
    return _backward(2, input, filters, output_shape, strides, padding, data_format, dilations)


@export("nn.conv3d_transpose")
@deferred("output_shape")
def conv3d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: Any = "NDHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """The transpose of `conv3d`. Mirrors `tf.nn.conv3d_transpose`."""
    return _backward(3, input, filters, output_shape, strides, padding, data_format, dilations)


@export("nn.conv_transpose")
@deferred("output_shape")
def conv_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: Any = None,
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """The transpose of `convolution`. Mirrors `tf.nn.conv_transpose`."""
    filters = convert(filters)
    return _backward(_dimensions(filters), input, filters, output_shape, strides, padding, data_format, dilations)


@export("nn.atrous_conv2d_transpose")
@deferred("output_shape")
def atrous_conv2d_transpose(
    value: Any, filters: Any, output_shape: Any, rate: Any, padding: Any, name: str | None = None
) -> Any:
    """The transpose of `atrous_conv2d`. Mirrors `tf.nn.atrous_conv2d_transpose`."""
    return conv2d_transpose(value, filters, output_shape, 1, padding, dilations=rate)


@conv1d_transpose.open_shape
@conv2d_transpose.open_shape
@conv3d_transpose.open_shape
@conv_transpose.open_shape
@atrous_conv2d_transpose.open_shape
def _(output_shape: Any, input: Any = None, value: Any = None, **_: Any) -> list[Any]:
    return [partly_known(output_shape) or (None,) * len(shape_of(value if input is None else input))]


@export("nn.depthwise_conv2d")
def depthwise_conv2d(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    data_format: Any = None,
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Convolve each channel by itself: filters [height, width, channels, each]. Mirrors `tf.nn.depthwise_conv2d`."""
    raw = "DepthwiseConv2dNative"
    first = is_channels_first(data_format, 2, raw)
    return _depthwise_conv2d(
        input,
        filter,
        per_dimension(strides, 2, first, "strides", raw),
        padding_of(padding, 2, first, raw),
        per_dimension(dilations, 2, first, "dilations", raw),
        first,
    )


@export("nn.separable_conv2d")
def separable_conv2d(
    input: Any,
    depthwise_filter: Any,
    pointwise_filter: Any,
    strides: Any,
    padding: Any,
    data_format: Any = None,
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """`depthwise_conv2d`, then a 1x1 `conv2d` that mixes the channels. Mirrors `tf.nn.separable_conv2d`."""
    between = depthwise_conv2d(input, depthwise_filter, strides, padding, data_format, dilations)
    return conv2d(between, pointwise_filter, 1, "VALID", data_format or "NHWC")
