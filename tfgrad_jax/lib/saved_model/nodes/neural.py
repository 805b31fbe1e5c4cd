"""Nodes of neural networks: activations, convolutions, pooling, normalisation, losses."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.lib.saved_model.nodes.registry import node, same, tf
from tfgrad_jax.ops.nn.norm import fused_batch_norm

same(
    {
        "Elu": "nn.elu", "L2Loss": "nn.l2_loss", "LogSoftmax": "nn.log_softmax", "Relu": "nn.relu", "Relu6": "nn.relu6",
        "Selu": "nn.selu", "Softmax": "nn.softmax", "Softplus": "nn.softplus", "Softsign": "nn.softsign",
    }
)  # fmt: skip


@node("LeakyRelu")
def _leaky_relu(x: Any, *, alpha: float = 0.2) -> Any:
    return tf("nn.leaky_relu")(x, alpha)


@node("BiasAdd", "BiasAddV1")
def _bias_add(x: Any, bias: Any, *, data_format: bytes = b"NHWC") -> Any:
    return tf("nn.bias_add")(x, bias, data_format.decode())


def _padded(padding: bytes, explicit: list[int] | None) -> Any:
    """Padding as public functions take it."""
    if padding != b"EXPLICIT":
        return padding.decode()
    return [explicit[i : i + 2] for i in range(0, len(explicit), 2)] if explicit else "VALID"


def _convolution(raw: str, name: str, usual: bytes) -> None:
    def convolved(
        x: Any,
        filters: Any,
        *,
        strides: list[int],
        padding: bytes,
        explicit_paddings: Any = None,
        data_format: bytes = usual,
        dilations: Any = None,
    ) -> Any:
        return tf(name)(
            x, filters, strides, _padded(padding, explicit_paddings), data_format.decode(), dilations or None
        )

    node(raw)(convolved)


_convolution("Conv2D", "nn.conv2d", b"NHWC")
_convolution("Conv3D", "nn.conv3d", b"NDHWC")
_convolution("DepthwiseConv2dNative", "nn.depthwise_conv2d", b"NHWC")


def _transposed(raw: str, name: str, usual: bytes) -> None:
    def convolved(
        sizes: Any,
        filters: Any,
        x: Any,
        *,
        strides: list[int],
        padding: bytes,
        explicit_paddings: Any = None,
        data_format: bytes = usual,
        dilations: Any = None,
    ) -> Any:
        return tf(name)(
            x, filters, sizes, strides, _padded(padding, explicit_paddings), data_format.decode(), dilations or None
        )

    node(raw)(convolved)


_transposed("Conv2DBackpropInput", "nn.conv2d_transpose", b"NHWC")
_transposed("Conv3DBackpropInputV2", "nn.conv3d_transpose", b"NDHWC")


def _pooling(raw: str, name: str, usual: bytes) -> None:
    def pooled(
        x: Any,
        *,
        ksize: list[int],
        strides: list[int],
        padding: bytes,
        explicit_paddings: Any = None,
        data_format: bytes = usual,
    ) -> Any:
        return tf(name)(x, ksize, strides, _padded(padding, explicit_paddings), data_format.decode())

    node(raw)(pooled)


_pooling("MaxPool", "nn.max_pool2d", b"NHWC")
_pooling("AvgPool", "nn.avg_pool2d", b"NHWC")
_pooling("MaxPool3D", "nn.max_pool3d", b"NDHWC")
_pooling("AvgPool3D", "nn.avg_pool3d", b"NDHWC")


@node("FusedBatchNorm", "FusedBatchNormV2", outputs="y batch_mean batch_variance reserve_space_1 reserve_space_2")
def _batch_norm(
    x: Any,
    scale: Any,
    offset: Any,
    mean: Any,
    variance: Any,
    *,
    epsilon: float = 0.0001,
    exponential_avg_factor: float = 1.0,
    data_format: bytes = b"NHWC",
    is_training: bool = True,
) -> list[Any]:
    y, m, v = fused_batch_norm(
        x,
        scale,
        offset,
        mean,
        variance,
        epsilon,
        data_format.decode(),
        is_training,
        exponential_avg_factor=exponential_avg_factor,
    )
    if not is_training:
        return [y, m, v, m, v]
    axes = [i for i in range(x.shape.rank) if i != (1 if data_format.startswith(b"NC") else x.shape.rank - 1)]
    return [y, m, v, *tf("nn.moments")(tf("cast")(x, scale.dtype), axes)]


@node(
    "FusedBatchNormV3",
    outputs="y batch_mean batch_variance reserve_space_1 reserve_space_2 reserve_space_3",
)
@wraps(_batch_norm)  # which names the attributes
def _batch_norm_v3(*inputs: Any, **attributes: Any) -> list[Any]:
    found = _batch_norm(*inputs, **attributes)
    return [*found, tf("zeros")([], found[1].dtype)]


@node("LRN")
def _lrn(x: Any, *, depth_radius: int = 5, bias: float = 1.0, alpha: float = 1.0, beta: float = 0.5) -> Any:
    return tf("nn.lrn")(x, depth_radius, bias, alpha, beta)


@node("SoftmaxCrossEntropyWithLogits", outputs="loss backprop")
def _cross_entropy(logits: Any, labels: Any) -> list[Any]:
    loss = tf("nn.softmax_cross_entropy_with_logits")(labels, logits)
    return [loss, tf("nn.softmax")(logits) - labels]


@node("SparseSoftmaxCrossEntropyWithLogits", outputs="loss backprop")
def _sparse_cross_entropy(logits: Any, labels: Any) -> list[Any]:
    loss = tf("nn.sparse_softmax_cross_entropy_with_logits")(labels, logits)
    return [loss, tf("nn.softmax")(logits) - tf("one_hot")(labels, tf("shape")(logits)[-1], dtype=logits.dtype)]


# -- gradients of activations, which graphs of gradients consist of -----------------------------------------------------


def _of_one_shape(raw: str, name: str) -> Callable[..., Any]:
    """Declare a gradient of an elementwise function: both operands have one shape and one dtype with fractions."""

    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        def gradient(x: Any, dx: Any) -> Any:
            if not x.shape.is_compatible_with(dx.shape):
                raise invalid_argument(f"{name} must have one shape, got {x.shape} and {dx.shape}", raw)
            if "relu" not in raw.lower() and not (x.dtype.is_floating or x.dtype.is_complex):
                raise invalid_argument(f"{name}: expected floating or complex operands, got {x.dtype.name}", raw)
            return function(x, dx)

        node(raw)(gradient)
        return function

    return declare


@_of_one_shape("ReluGrad", "gradients and features")
def _relu_grad(gradients: Any, features: Any) -> Any:
    return tf("where")(features > 0, gradients, tf("zeros_like")(gradients))


@_of_one_shape("Relu6Grad", "gradients and features")
def _relu6_grad(gradients: Any, features: Any) -> Any:
    inside = tf("logical_and")(features > 0, features < 6)
    return tf("where")(inside, gradients, tf("zeros_like")(gradients))


@_of_one_shape("TanhGrad", "y and dy")
def _tanh_grad(y: Any, dy: Any) -> Any:  # TensorFlow does not conjugate here, nor below
    return dy * (1 - y * y)


@_of_one_shape("SigmoidGrad", "y and dy")
def _sigmoid_grad(y: Any, dy: Any) -> Any:
    return dy * y * (1 - y)


@_of_one_shape("SqrtGrad", "y and dy")
def _sqrt_grad(y: Any, dy: Any) -> Any:
    zero = tf("zeros_like")(dy)
    return tf("where")(tf("equal")(dy, zero), zero, dy * 0.5 / tf("math.conj")(y))


@_of_one_shape("RsqrtGrad", "y and dy")
def _rsqrt_grad(y: Any, dy: Any) -> Any:
    y = tf("math.conj")(y)
    return dy * -0.5 * y * y * y


@_of_one_shape("InvGrad", "y and dy")
@_of_one_shape("ReciprocalGrad", "y and dy")
def _reciprocal_grad(y: Any, dy: Any) -> Any:
    y = tf("math.conj")(y)
    return -dy * y * y


@node("BiasAddGrad")
def _bias_add_grad(gradients: Any, *, data_format: bytes = b"NHWC") -> Any:
    axes = [i for i in range(gradients.shape.rank) if i != (1 if data_format == b"NCHW" else gradients.shape.rank - 1)]
    return tf("reduce_sum")(gradients, axes)
