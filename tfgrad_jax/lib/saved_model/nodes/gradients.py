"""Nodes that are gradients of others, as graphs of training contain them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.tape.tape import GradientTape
from tfgrad_jax.engine.values.convert import get_static_value
from tfgrad_jax.lib.saved_model.nodes.registry import lines, rules, tf


def pulled(function: Callable[[Any], Any], at: Any, cotangent: Any) -> Any:
    """The gradient of a function of one tensor, of zeros where there is none.

    Nodes are given integers, too (`MirrorPadGrad`, `MaxPoolGrad`), through which nothing flows on a tape: these go through
    float64, which holds integers exactly up to 2**53.
    """
    if at.dtype.is_integer:
        found = pulled(function, tf("cast")(at, "float64"), tf("cast")(cotangent, "float64"))
        return tf("cast")(found, at.dtype)
    with GradientTape() as tape:
        tape.watch(at)
        made = function(at)
    return tf("convert_to_tensor")(tape.gradient(made, at, cotangent, unconnected_gradients="zero"))


def _zeros(shape: Any, like: Any) -> Any:
    return tf("zeros")(get_static_value(shape), like.dtype)


def _text(value: bytes) -> str:
    return value.decode()


def _pooling(name: str) -> Callable[..., Any]:
    def gradient(
        x: Any, y: Any, grad: Any, *, ksize: Any, strides: Any, padding: bytes, data_format: bytes | None = None
    ) -> Any:
        how = _text(data_format or (b"NHWC" if len(ksize) == 4 else b"NDHWC"))
        return pulled(lambda v: tf(name)(v, list(ksize), list(strides), _text(padding), how), x, grad)

    return gradient


def _average(
    shape: Any, grad: Any, *, ksize: Any, strides: Any, padding: bytes, data_format: bytes | None = None
) -> Any:
    name = "nn.avg_pool2d" if len(ksize) == 4 else "nn.avg_pool3d"
    return _pooling(name)(
        _zeros(shape, grad), None, grad, ksize=ksize, strides=strides, padding=padding, data_format=data_format
    )


def _max_v2(
    x: Any, y: Any, grad: Any, ksize: Any, strides: Any, *, padding: bytes, data_format: bytes = b"NHWC"
) -> Any:
    sizes = [get_static_value(v).tolist() for v in (ksize, strides)]
    return _pooling("nn.max_pool2d")(
        x, y, grad, ksize=sizes[0], strides=sizes[1], padding=padding, data_format=data_format
    )


def _filters(raw: str) -> Callable[..., Any]:
    def gradient(
        x: Any, sizes: Any, grad: Any, *, strides: Any, padding: bytes, explicit_paddings: Any = (),
        data_format: bytes | None = None, dilations: Any = None,
    ) -> Any:  # fmt: skip
        given: dict[str, Any] = {"strides": strides, "padding": padding, "explicit_paddings": explicit_paddings}
        given |= {"data_format": data_format} if data_format is not None else {}
        given |= {"dilations": dilations} if dilations is not None else {}
        return pulled(lambda filters: rules[raw]([x, filters], given, None), _zeros(sizes, x), grad)

    return gradient


def _depthwise_input(
    sizes: Any, filters: Any, grad: Any, *, strides: Any, padding: bytes, data_format: bytes = b"NHWC",
    dilations: Any = (1, 1, 1, 1),
) -> Any:  # fmt: skip
    return tf("nn.depthwise_conv2d_backprop_input")(
        get_static_value(sizes), filters, grad, list(strides), _text(padding), _text(data_format), list(dilations)
    )


def _depthwise_filter(
    x: Any, sizes: Any, grad: Any, *, strides: Any, padding: bytes, data_format: bytes = b"NHWC",
    dilations: Any = (1, 1, 1, 1),
) -> Any:  # fmt: skip
    return tf("nn.depthwise_conv2d_backprop_filter")(
        x, get_static_value(sizes), grad, list(strides), _text(padding), _text(data_format), list(dilations)
    )


def _strided_slice(
    shape: Any, begin: Any, end: Any, strides: Any, grad: Any, *, begin_mask: int = 0, end_mask: int = 0,
    ellipsis_mask: int = 0, new_axis_mask: int = 0, shrink_axis_mask: int = 0,
) -> Any:  # fmt: skip
    masks = {
        "begin_mask": begin_mask, "end_mask": end_mask, "ellipsis_mask": ellipsis_mask, "new_axis_mask": new_axis_mask,
        "shrink_axis_mask": shrink_axis_mask,
    }  # fmt: skip
    return pulled(lambda x: rules["StridedSlice"]([x, begin, end, strides], masks, None), _zeros(shape, grad), grad)


def _resized(raw: str) -> Callable[..., Any]:
    def gradient(grads: Any, like: Any, *, align_corners: bool = False, half_pixel_centers: bool = False) -> Any:
        shape, kind = tf("shape")(like), like.dtype
        count, *size, channels = tf("unstack")(tf("shape")(grads), 4)
        if raw == "ResizeNearestNeighbor":  # which is told the size, not the image
            height, width = tf("unstack")(like, 2)
            shape, kind = tf("stack")([count, height, width, channels]), grads.dtype
        given = {"align_corners": align_corners, "half_pixel_centers": half_pixel_centers}
        return pulled(lambda x: rules[raw]([x, tf("stack")(size)], given, None), tf("zeros")(shape, kind), grads)

    return gradient


def _normalized(grad: Any, x: Any, scale: Any, mean: Any, variance: Any, *, epsilon: float = 0.0001,
                data_format: bytes = b"NHWC", is_training: bool = True) -> list[Any]:  # fmt: skip
    first = data_format.startswith(b"NC")
    axes = [i for i in range(x.shape.rank) if i != (1 if first else x.shape.rank - 1)]
    spread = [1, -1, *[1] * (x.shape.rank - 2)] if first else [-1]

    def forward(x: Any, scale: Any, offset: Any) -> Any:
        if is_training:
            center = tf("reduce_mean")(x, axes, keepdims=True)
            power = tf("reduce_mean")((x - center) ** 2, axes, keepdims=True)
        else:
            center, power = tf("reshape")(mean, spread), tf("reshape")(variance, spread)
        shaped = [tf("reshape")(v, spread) for v in (scale, offset)]
        return (x - center) * tf("math.rsqrt")(power + epsilon) * shaped[0] + shaped[1]

    offset = tf("zeros_like")(scale)
    with GradientTape() as tape:
        tape.watch([x, scale, offset])
        y = forward(x, scale, offset)
    found = tape.gradient(y, [x, scale, offset], grad)
    return [*found, tf("zeros")([0], scale.dtype), tf("zeros")([0], scale.dtype)]


def _of_cholesky(factor: Any, dy: Any) -> Any:
    return pulled(
        tf("linalg.cholesky"), tf("matmul")(factor, factor, adjoint_b=True), tf("linalg.band_part")(dy, -1, 0)
    )


def _alike(raw: str, function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """A function of two tensors that must have one shape."""

    def checked(dy: Any, x: Any) -> Any:
        if not dy.shape.is_compatible_with(x.shape):
            raise invalid_argument(f"gradients and features must have one shape, got {dy.shape} and {x.shape}", raw)
        return function(dy, x)

    return checked


def _unmirrored(grad: Any, paddings: Any, mode: str) -> Any:
    sizes = [n - int(a) - int(b) for n, (a, b) in zip(grad.shape.as_list(), paddings, strict=True)]
    return pulled(lambda x: tf("pad")(x, paddings, mode), tf("zeros")(sizes, grad.dtype), grad)


lines(
    {
        "AvgPoolGrad AvgPool3DGrad": _average,
        "MaxPoolGrad": _pooling("nn.max_pool2d"),
        "MaxPool3DGrad": _pooling("nn.max_pool3d"),
        "MaxPoolGradV2": _max_v2,
        "Conv2DBackpropFilter": _filters("Conv2D"),
        "Conv3DBackpropFilterV2": _filters("Conv3D"),
        "DepthwiseConv2dNativeBackpropInput": _depthwise_input,
        "DepthwiseConv2dNativeBackpropFilter": _depthwise_filter,
        "FusedBatchNormGradV3: x_backprop scale_backprop offset_backprop reserve_space_4 reserve_space_5": (
            lambda grad, x, scale, mean, variance, rest, *, epsilon=0.0001, data_format=b"NHWC", is_training=True: _normalized(
                grad, x, scale, mean, variance, epsilon=epsilon, data_format=data_format, is_training=is_training
            )
        ),
        "FusedBatchNormGrad FusedBatchNormGradV2: x_backprop scale_backprop offset_backprop reserve_space_3 reserve_space_4": (
            _normalized
        ),
        "EluGrad": _alike("EluGrad", lambda dy, y: tf("where")(y < 0, dy * (y + 1), dy)),
        "SeluGrad": _alike(
            "SeluGrad", lambda dy, y: tf("where")(y < 0, dy * (y + 1.7580993408473768), dy * 1.0507009873554805)
        ),
        "SoftplusGrad": _alike("SoftplusGrad", lambda dy, x: dy * tf("sigmoid")(x)),
        "SoftsignGrad": _alike("SoftsignGrad", lambda dy, x: dy / tf("square")(1 + tf("abs")(x))),
        "LeakyReluGrad": lambda dy, x, *, alpha=0.2: _alike(
            "LeakyReluGrad", lambda dy, x: tf("where")(x > 0, dy, dy * alpha)
        )(dy, x),
        "LRNGrad": lambda dy, x, y, *, depth_radius=5, bias=1.0, alpha=1.0, beta=0.5: pulled(
            lambda v: tf("nn.local_response_normalization")(v, depth_radius, bias, alpha, beta), x, dy
        ),
        "MirrorPadGrad": lambda dy, paddings, *, mode: _unmirrored(dy, get_static_value(paddings), _text(mode)),
        "StridedSliceGrad": _strided_slice,
        "ResizeBilinearGrad": _resized("ResizeBilinear"),
        "ResizeBicubicGrad": _resized("ResizeBicubic"),
        "ResizeNearestNeighborGrad": _resized("ResizeNearestNeighbor"),
        "CholeskyGrad": lambda factor, dy: _of_cholesky(tf("linalg.band_part")(factor, -1, 0), dy),
    }
)  # fmt: skip
