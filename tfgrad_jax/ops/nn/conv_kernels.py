"""The kernels of convolutions, their transposes, and depthwise ones.

Gradients with respect to the input and to the filters are transposes of a linear map, each of the lowering that suits it.
"""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Attr, Flag, Number
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.ops.common import listed
from tfgrad_jax.ops.nn.conv_lowering import convolve
from tfgrad_jax.ops.signal.windows import pads_for


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
def conv2d(input: Number, filters: Number, strides: Attr, padding: Attr, dilations: Attr, channels_first: Flag):
    """A convolution of two dimensions."""
    return _convolution(input, filters, strides, padding, dilations, channels_first, "Conv2D")


@op("Conv3D")
def conv3d(input: Number, filters: Number, strides: Attr, padding: Attr, dilations: Attr, channels_first: Flag):
    """A convolution of three dimensions."""
    return _convolution(input, filters, strides, padding, dilations, channels_first, "Conv3D")


conv2d.rule(_gradients("Conv2D"))
conv3d.rule(_gradients("Conv3D"))


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
def conv2d_transpose(
    input: Number,
    filters: Number,
    output_shape: Attr,
    strides: Attr,
    padding: Attr,
    dilations: Attr,
    channels_first: Flag,
):
    """The transpose of one of two dimensions."""
    return _transposed(input, filters, output_shape, strides, padding, channels_first, dilations, "Conv2DBackpropInput")


@op("Conv3DBackpropInputV2")
def conv3d_transpose(
    input: Number,
    filters: Number,
    output_shape: Attr,
    strides: Attr,
    padding: Attr,
    dilations: Attr,
    channels_first: Flag,
):
    """The transpose of one of three dimensions."""
    return _transposed(
        input, filters, output_shape, strides, padding, channels_first, dilations, "Conv3DBackpropInputV2"
    )


def _gradients_of_transpose(name: str) -> Any:
    """The gradients are a convolution of the cotangent, and what its gradient by the filters is.

    JAX derives the same from the transpose. By the filters, that is a convolution of an input spread by the strides with a window
    as large as that, for which XLA takes up to eighty times as long on a CPU.
    """

    def rule(cts, inputs, outputs, output_shape, strides, padding, dilations, channels_first):
        given, filters = inputs
        rest = (strides, padding, dilations, channels_first, name)
        by_filters = jax.linear_transpose(lambda v: _convolution(cts[0], v, *rest, purpose="filters"), filters)
        return [_convolution(cts[0], filters, *rest), by_filters(given)[0]]

    return rule


conv2d_transpose.rule(_gradients_of_transpose("Conv2DBackpropInput"))
conv3d_transpose.rule(_gradients_of_transpose("Conv3DBackpropInputV2"))


@op("DepthwiseConv2dNative")
def depthwise_conv2d(
    input: Number, filter: Number, strides: Attr, padding: Attr, dilations: Attr, channels_first: Flag
):
    """Each channel convolved by itself."""
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


@depthwise_conv2d.rule
def _(cts, inputs, outputs, strides, padding, dilations, channels_first):
    x, k = inputs
    rest = (strides, padding, dilations, channels_first)
    by_input = jax.linear_transpose(lambda v: _by_channel(v, k, *rest, purpose="input"), x)
    by_filter = jax.linear_transpose(lambda v: _by_channel(x, v, *rest, purpose="filters"), k)
    return [by_input(cts[0])[0], by_filter(cts[0])[0]]
