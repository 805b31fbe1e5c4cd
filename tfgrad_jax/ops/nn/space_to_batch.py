"""Gradients of convolutions by their raw arguments."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.tape.tape import GradientTape
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.ops.array.creation import zeros
from tfgrad_jax.ops.nn.conv import conv2d, conv3d, depthwise_conv2d


@export("nn.depthwise_conv2d_backprop_input")
def depthwise_conv2d_backprop_input(
    input_sizes: Any,
    filter: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Any:
    """The gradient of `tf.nn.depthwise_conv2d` by its input. Mirrors `tf.nn.depthwise_conv2d_backprop_input`.

    Args:
      input_sizes: the shape of the input.
      filter: the filters.
      out_backprop: the gradient by the output.
      strides, padding, data_format, dilations: those of the convolution.
      name: accepted for compatibility.
    """
    filters = convert(filter)
    x = zeros(input_sizes, filters.dtype)
    with GradientTape() as tape:
        tape.watch(x)
        y = depthwise_conv2d(x, filters, strides, padding, data_format, _inner(dilations, data_format))
    return tape.gradient(y, x, out_backprop)


@export("nn.depthwise_conv2d_backprop_filter")
def depthwise_conv2d_backprop_filter(
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Any:
    """The gradient of `tf.nn.depthwise_conv2d` by its filters. Mirrors `tf.nn.depthwise_conv2d_backprop_filter`.

    Args:
      input: the input.
      filter_sizes: the shape of the filters.
      out_backprop: the gradient by the output.
      strides, padding, data_format, dilations: those of the convolution.
      name: accepted for compatibility.
    """
    x = convert(input)
    filters = zeros(filter_sizes, x.dtype)
    with GradientTape() as tape:
        tape.watch(filters)
        y = depthwise_conv2d(x, filters, strides, padding, data_format, _inner(dilations, data_format))
    return tape.gradient(y, filters, out_backprop)


def _inner(dilations: Any, data_format: str) -> list[int]:
    return list(dilations)[2:] if data_format.startswith("NC") else list(dilations)[1:3]


@export("conv")
def conv(
    input: Any,
    filter: Any,
    strides: Any,
    padding: str,
    explicit_paddings: Any = (),
    data_format: str = "CHANNELS_LAST",
    dilations: Any = (),
    batch_dims: int = 1,
    groups: int = 1,
    name: str | None = None,
) -> Any:
    """A convolution of images or volumes. Mirrors `tf.conv`.

    Args:
      input: a batch, of rank 4 or 5.
      filter: the filters.
      strides: a number for each dimension of the input.
      padding: `"VALID"`, `"SAME"`, or `"EXPLICIT"` with
      explicit_paddings: two numbers for each dimension of the input.
      data_format: `"CHANNELS_LAST"` or `"CHANNELS_FIRST"`.
      dilations: a number for each dimension of the input; none by default.
      batch_dims: 1; the others are not supported.
      groups: accepted; it follows from the shapes.
      name: accepted for compatibility.

    Raises:
      InvalidArgumentError: if there are not 2 or 3 spatial dimensions.
    """
    x = convert(input)
    if batch_dims != 1:
        raise NotImplementedError(
            f"tf.conv: batch_dims={batch_dims} is not supported; reshape the batch to one dimension"
        )
    n = (x.shape.rank or 0) - 2
    if n not in (2, 3):
        raise invalid_argument(f"The input must have 2 or 3 spatial dimensions but got {n}", "Conv")
    letters = "HW" if n == 2 else "DHW"
    kind = f"N{letters}C" if data_format == "CHANNELS_LAST" else f"NC{letters}"
    pads: Any = padding
    if padding == "EXPLICIT":
        pads = np.asarray(explicit_paddings).reshape(-1, 2).tolist()
    return (conv2d if n == 2 else conv3d)(x, filter, list(strides), pads, kind, list(dilations) or None)
