"""The kernels of convolutions, their transposes, and depthwise ones.

Gradients with respect to the input and to the filters are transposes of a linear map, each of the lowering that suits it; and
gradients of gradients are these again, to any order.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Attr, Flag, Number
from tfgrad_jax.engine.kernels.derivative_rules import with_own_rule
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
    x = x.reshape(math.prod(lead), *x.shape[-n - 1 :])
    if channels_first:
        x = jnp.moveaxis(x, 1, -1)
    depth, wanted, made = x.shape[-1], k.shape[n], k.shape[-1]
    if depth % wanted or not depth:
        raise invalid_argument(
            f"input depth must be evenly divisible by filter depth: {depth} vs {wanted} (filter {listed(k.shape)})",
            name,
        )
    groups = depth // wanted
    if made % groups:
        raise invalid_argument(f"output depth must be evenly divisible by number of groups: {made} vs {groups}", name)
    pads = pads_for(padding, x.shape[1:-1], k.shape[:n], strides, dilations, name)
    y = convolve(x, k, strides, pads, dilations, groups, purpose)
    if channels_first:
        y = jnp.moveaxis(y, -1, 1)
    return y.reshape(*lead, *y.shape[1:])


def _bound(convolution: Any, strides: Any, padding: Any, dilations: Any, channels_first: bool, **more: Any) -> Any:
    """A convolution of an input and filters."""
    attributes = {"strides": strides, "padding": padding, "dilations": dilations, "channels_first": channels_first}
    return functools.partial(convolution, **attributes, **more)


class _Maps:
    """The three maps of a convolution: its output, and its gradients by the input and by the filters.

    The sum over convolution(x, k) * y is linear in x, in k and in y, and each map is its gradient by one of them, given the other
    two. So the gradient of a map is the two other maps, which JAX is told: what it derives from transposes are convolutions of
    something spread by the strides with a window as large as that, for which XLA takes up to eighty times as long on a CPU.

    Args:
      convolution: takes an input, filters and `purpose`, see `convolve`.
      x, k: an input and filters, or their types.
    """

    def __init__(self, convolution: Callable[..., Any], x: Any, k: Any) -> None:
        x, k = (jax.ShapeDtypeStruct(v.shape, v.dtype) for v in (x, k))
        self._maps = (
            lambda k, y: jax.linear_transpose(lambda x: convolution(x, k, purpose="input"), x)(y)[0],
            lambda x, y: jax.linear_transpose(lambda k: convolution(x, k, purpose="filters"), k)(y)[0],
            convolution,
        )

    def by_input(self, filters: Any, output: Any) -> Any:
        """The gradient by the input, for a cotangent of the output."""
        return self._missing(0, filters, output)

    def by_filters(self, input: Any, output: Any) -> Any:
        """The gradient by the filters, for a cotangent of the output."""
        return self._missing(1, input, output)

    def output(self, input: Any, filters: Any) -> Any:
        """The convolution."""
        return self._missing(2, input, filters)

    def _missing(self, place: int, *two: Any) -> Any:
        places = [i for i in range(3) if i != place]

        def pull(inputs: Any, outputs: Any, moving: list[int], cotangents: Any) -> list[Any]:
            three = {place: cotangents[0], **dict(zip(places, inputs, strict=True))}
            return [self._missing(p, *[three[i] for i in range(3) if i != p]) for p in [places[m] for m in moving]]

        return with_own_rule(lambda *given: [self._maps[place](*given)], None, pull)(*two)[0]


def _gradients(name: str) -> Any:
    def rule(cts, inputs, outputs, strides, padding, dilations, channels_first):
        x, k = inputs
        maps = _Maps(_bound(_convolution, strides, padding, dilations, channels_first, name=name), x, k)
        return [maps.by_input(k, cts[0]), maps.by_filters(x, cts[0])]

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
    """The gradients are a convolution of the cotangent, and what its gradient by the filters is."""

    def rule(cts, inputs, outputs, output_shape, strides, padding, dilations, channels_first):
        given, filters = inputs
        convolution = _bound(_convolution, strides, padding, dilations, channels_first, name=name)
        maps = _Maps(convolution, cts[0], filters)
        return [maps.output(cts[0], filters), maps.by_filters(cts[0], given)]

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
        raise invalid_argument(
            f"input depth must be evenly divisible by filter depth: {depth} vs {k.shape[2]} (filter {listed(k.shape)})",
            name,
        )
    k = k.reshape(*k.shape[:2], 1, -1)
    return _convolution(x, k, strides, padding, dilations, channels_first, name, purpose)


@depthwise_conv2d.rule
def _(cts, inputs, outputs, strides, padding, dilations, channels_first):
    x, k = inputs
    maps = _Maps(_bound(_by_channel, strides, padding, dilations, channels_first), x, k)
    return [maps.by_input(k, cts[0]), maps.by_filters(x, cts[0])]
