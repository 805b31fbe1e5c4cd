"""Nodes whose operands are quantized numbers."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from tfgrad_jax.engine.declare.op import Op
from tfgrad_jax.engine.declare.roles import Operand
from tfgrad_jax.engine.values.dtypes import qint32, quint8
from tfgrad_jax.lib.saved_model.nodes.registry import lines, node, tf
from tfgrad_jax.ops.quantization import images, quantize, quantized
from tfgrad_jax.ops.quantization.levels import no_kernel


def _node(function: Any) -> Callable[..., Any]:
    """What the nodes of a declared operation do: its attributes have the names of theirs, and texts are bytes there."""
    op: Op = function.op

    def call(*inputs: Any, **attributes: Any) -> Any:
        return function(*inputs, **{k: v.decode() if isinstance(v, bytes) else v for k, v in attributes.items()})

    kind = inspect.Parameter
    call.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            kind(name, kind.POSITIONAL_ONLY if isinstance(role, Operand) else kind.KEYWORD_ONLY)
            for name, role in zip(op.parameters, op.roles, strict=True)
        ]
    )
    return call


@node("QuantizedConcat", outputs="output output_min output_max")
def _concat(axis: Any, *rest: Any, N: int) -> Any:
    return quantized.concat(axis, rest[:N], rest[N : 2 * N], rest[2 * N :])


@node("QuantizedReshape", outputs="output output_min output_max")
def _reshape(x: Any, shape: Any, low: Any, high: Any) -> Any:
    if x.dtype not in (quint8, qint32):
        raise no_kernel("QuantizedReshape", x.dtype, (quint8, qint32))
    return [tf("reshape")(x, shape), low, high]


@node("QuantizedResizeBilinear", outputs="resized_images out_min out_max")
def _resize(
    x: Any, size: Any, low: Any, high: Any, *, align_corners: bool = False, half_pixel_centers: bool = False
) -> Any:
    return images.resize_bilinear(x, size, low, high, align_corners, half_pixel_centers)


lines(
    {
        "QuantizeV2: output output_min output_max": _node(quantize.quantize_v2),
        "Dequantize": _node(quantize.dequantize_v2),
        "Requantize: output output_min output_max": _node(quantize.requantize),
        "RequantizationRange: output_min output_max": _node(quantize.requantization_range),
        "QuantizeDownAndShrinkRange: output output_min output_max": _node(quantize.shrink),
        "QuantizedMatMul: out min_out max_out": _node(quantized.matmul),
        "QuantizedMul: z min_z max_z": _node(quantized.multiply),
        "QuantizedAdd: z min_z max_z": _node(quantized.add),
        "QuantizedBiasAdd: output min_out max_out": _node(quantized.bias_add),
        "QuantizedConv2D: output min_output max_output": _node(quantized.conv2d),
        "QuantizedMaxPool: output min_output max_output": _node(quantized.max_pool),
        "QuantizedAvgPool: output min_output max_output": _node(quantized.avg_pool),
        "QuantizedRelu: activations min_activations max_activations": _node(quantized.relu),
        "QuantizedRelu6: activations min_activations max_activations": _node(quantized.relu6),
        "QuantizedBatchNormWithGlobalNormalization: result result_min result_max": _node(images.batch_norm),
        "QuantizedInstanceNorm: y y_min y_max": _node(quantized.instance_norm),
    }
)
