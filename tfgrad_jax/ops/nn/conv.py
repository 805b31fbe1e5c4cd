"""Convolutions of one, two and three spatial dimensions, their transposes, and depthwise ones."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.declare.roles import shape_tuple, static
from tfgrad_jax.engine.graph.deferred import deferred
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.execute import misfit
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.shapes import UNRANKED, TensorShape
from tfgrad_jax.engine.values.tensor import Spec
from tfgrad_jax.ops.common import partly_known, shape_of, tensor_like
from tfgrad_jax.ops.nn import conv_kernels as kernels
from tfgrad_jax.ops.nn.holes import with_space_to_batch
from tfgrad_jax.ops.signal.windows import is_channels_first, padding_of, per_dimension, strides_or_dilations


def _forward(n: int, x: Any, filters: Any, strides: Any, padding: Any, data_format: Any, dilations: Any) -> Any:
    name = "Conv3D" if n == 3 else "Conv2D"
    first = is_channels_first(data_format, n, name)
    made = (kernels.conv3d if n == 3 else kernels.conv2d)(
        x,
        filters,
        per_dimension(strides, n, first, "strides", name),
        padding_of(padding, n, first, name),
        per_dimension(dilations, n, first, "dilations", name),
        first,
    )
    if made.spec.shape is UNRANKED:  # what is of unknown rank has one batch dimension, as TensorFlow takes it
        channels = tensor_like(filters).spec.shape
        known = [None] * (n + 2)
        known[1 if first else -1] = None if channels is UNRANKED else channels[-1]
        made.set_shape(known)
    return made


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
    """Convolve volumes with filters [depth, height, width, channels, out]. Mirrors `tf.nn.conv3d`.

    Raises:
      TypeError: if `strides` is no list.
      InvalidArgumentError: if it has not a number for each dimension, batch and channels included; a ValueError in a graph.
    """
    steps = static(strides)
    if not isinstance(steps, tuple):
        raise TypeError(f"Expected list for 'strides' argument to 'conv3d' Op, not {strides}.")
    if len(steps) < 5:
        raise misfit(f"Attr 'strides' of 'Conv3D' Op passed list of length {len(steps)} less than minimum 5.", "Conv3D")
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
      TypeError: if `padding` is no string.
      ValueError: if strides and dilations are both above 1.
    """
    if not isinstance(padding, str):
        raise TypeError(f"Expected string for argument 'padding' not {padding}.")
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
    return (kernels.conv3d_transpose if n == 3 else kernels.conv2d_transpose)(
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
def _(
    output_shape: Any, filters: Any, input: Any = None, value: Any = None, data_format: Any = None, **_: Any
) -> list[Any]:
    given = value if input is None else input
    shape, rank = shape_of(given), len(shape_of(filters))
    if len(shape) != rank:
        raise misfit(f"Shape must be rank {rank} but is rank {len(shape)}", "Conv2DBackpropInput")
    sizes = partly_known(output_shape) or [None] * rank
    first, channels = (data_format or "").startswith("NC"), shape_of(filters)[-2]
    if len(sizes) == rank - 2:
        sizes = [shape[0], channels, *sizes] if first else [shape[0], *sizes, channels]
    if sizes[1 if first else -1] is None:
        sizes[1 if first else -1] = channels
    # The whole type, since sizes that go with an output are hard to guess.
    return [Spec.open(given.dtype, TensorShape(sizes)) if isinstance(given, Spec) else sizes]


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
    """Convolve each channel by itself: filters [height, width, channels, each]. Mirrors `tf.nn.depthwise_conv2d`.

    With strides and dilations both above 1, the strides are taken within each of the pieces that the dilations make of the input.

    Raises:
      TypeError: if `strides` is no list.
      InvalidArgumentError: if shapes do not fit, or an argument is out of range.
    """
    raw = "DepthwiseConv2dNative"
    if not isinstance(static(strides), tuple):
        raise TypeError(f"Expected list for 'strides' argument to 'depthwise_conv2d_native' Op, not {strides}.")
    first = is_channels_first(data_format, 2, raw)
    if len(static(strides)) != 4:
        raise misfit(f"strides must be a number for each of 4 dimensions, got {list(strides)}", raw)
    steps = per_dimension(strides, 2, first, "strides", raw)
    holes = per_dimension(dilations, 2, first, "dilations", raw)
    filters = convert(filter)

    def convolved(x: Any, padding: Any, holes: tuple[int, ...]) -> Any:
        return kernels.depthwise_conv2d(x, filters, steps, padding_of(padding, 2, first, raw), holes, first)

    if max(steps) > 1 and max(holes) > 1:
        return with_space_to_batch(
            input, holes, padding, lambda x, n, pad: convolved(x, pad, (1, 1)), filters.shape[:2], None, data_format
        )
    return convolved(input, padding, holes)


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
    """`depthwise_conv2d`, then a 1x1 `conv2d` that mixes the channels. Mirrors `tf.nn.separable_conv2d`.

    Raises:
      ValueError: if the second filter is not 1x1.
    """
    size = tensor_like(pointwise_filter).spec.shape
    if size is not UNRANKED and len(size) == 4 and any(n not in (1, None) for n in size[:2]):
        raise ValueError(f"tf.nn.separable_conv2d: pointwise_filter must be of size 1x1, got the shape {size}")
    between = depthwise_conv2d(input, depthwise_filter, strides, padding, data_format, dilations)
    return conv2d(between, pointwise_filter, 1, "VALID", data_format or "NHWC")
