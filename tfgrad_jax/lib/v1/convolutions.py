"""Gradients of convolutions by their names in `tf.compat.v1.nn`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import int32
from tfgrad_jax.lib.saved_model.nodes import rules


def _made(raw: str, operands: list[Any], strides: Any, padding: Any, data_format: str, dilations: Any) -> Any:
    explicit = () if isinstance(padding, str) else [int(n) for pair in padding for n in pair]
    attributes = {
        "strides": list(strides),
        "padding": b"EXPLICIT" if explicit else padding.encode(),
        "explicit_paddings": explicit,
        "data_format": data_format.encode(),
        "dilations": list(dilations),
    }
    return rules[raw](operands, attributes, None)


@export("compat.v1.nn.conv2d_backprop_filter")
def conv2d_backprop_filter(
    input: Any, filter_sizes: Any, out_backprop: Any, strides: Any, padding: Any, use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC", dilations: Any = (1, 1, 1, 1), name: str | None = None,
) -> Any:  # fmt: skip
    """The gradient of `tf.nn.conv2d` by its filters. Mirrors `tf.compat.v1.nn.conv2d_backprop_filter`.

    Args:
      input: the input, of rank 4.
      filter_sizes: the shape of the filters.
      out_backprop: the gradient by the output.
      strides, padding, data_format, dilations: those of the convolution.
      use_cudnn_on_gpu, name: accepted for compatibility.

    Returns:
      A tensor of the shape `filter_sizes`.
    """
    operands = [convert(input), convert(filter_sizes, int32), convert(out_backprop)]
    return _made("Conv2DBackpropFilter", operands, strides, padding, data_format, dilations)


@export("compat.v1.nn.conv2d_backprop_input")
def conv2d_backprop_input(
    input_sizes: Any, filter: Any = None, out_backprop: Any = None, strides: Any = None, padding: Any = None,
    use_cudnn_on_gpu: bool = True, data_format: str = "NHWC", dilations: Any = (1, 1, 1, 1), name: str | None = None,
    filters: Any = None,
) -> Any:  # fmt: skip
    """The gradient of `tf.nn.conv2d` by its input. Mirrors `tf.compat.v1.nn.conv2d_backprop_input`.

    Args:
      input_sizes: the shape of the input.
      filter, filters: the filters, by either name.
      out_backprop: the gradient by the output.
      strides, padding, data_format, dilations: those of the convolution.
      use_cudnn_on_gpu, name: accepted for compatibility.

    Returns:
      A tensor of the shape `input_sizes`.

    Raises:
      ValueError: if the filters are given by both names.
    """
    if filter is not None and filters is not None:
        raise ValueError("Cannot specify both 'filter' and 'filters'.")
    operands = [convert(input_sizes, int32), convert(filter if filters is None else filters), convert(out_backprop)]
    return _made("Conv2DBackpropInput", operands, strides, padding, data_format, dilations)


def _conv3d(name: str) -> Callable[..., Any]:
    @export(f"compat.v1.nn.{name}")
    def conv3d_backprop_filter(
        input: Any, filter_sizes: Any, out_backprop: Any, strides: Any, padding: Any, data_format: str = "NDHWC",
        dilations: Any = (1, 1, 1, 1, 1), name: str | None = None,
    ) -> Any:  # fmt: skip
        """The gradient of `tf.nn.conv3d` by its filters; see `conv2d_backprop_filter`. Mirrors its namesake."""
        operands = [convert(input), convert(filter_sizes, int32), convert(out_backprop)]
        return _made("Conv3DBackpropFilterV2", operands, strides, padding, data_format, dilations)

    return conv3d_backprop_filter


conv3d_backprop_filter = _conv3d("conv3d_backprop_filter")
conv3d_backprop_filter_v2 = _conv3d("conv3d_backprop_filter_v2")
