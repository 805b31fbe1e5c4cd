"""Convolution, pooling and images."""

from functools import partial

import numpy as np

from conformance.helpers import raises, value_and_grad
from conformance.registry import case

# Sums over windows are added up in another order.
conv = partial(case, "ops/convolution", function_ok=True, rtol=2e-5)
pool = partial(case, "ops/pooling", function_ok=True)
image = partial(case, "ops/image")


def wave(*shape):
    """Numbers that are all different, of both signs, and the same everywhere."""
    n = int(np.prod(shape))
    return (np.sin(np.arange(n) * 1.7) * 2).astype(np.float32).reshape(shape)


@conv("conv2d with each padding")
def _(tf):
    x, k = wave(1, 5, 4, 2), wave(3, 2, 2, 3)
    return [value_and_grad(tf, lambda x, k, p=p: tf.nn.conv2d(x, k, 1, p), x, k) for p in ("SAME", "VALID")]


@conv("conv2d with strides, dilations and explicit padding")
def _(tf):
    x, k = wave(1, 6, 6, 1), wave(2, 2, 1, 2)
    return [
        value_and_grad(tf, lambda x, k: tf.nn.conv2d(x, k, 2, "SAME"), x, k),
        value_and_grad(tf, lambda x, k: tf.nn.conv2d(x, k, [1, 2, 1, 1], "VALID"), x, k),
        value_and_grad(tf, lambda x, k: tf.nn.conv2d(x, k, 1, "VALID", dilations=2), x, k),
        tf.nn.conv2d(x, k, 1, [[0, 0], [1, 0], [0, 2], [0, 0]]),
    ]


@conv("conv1d")
def _(tf):
    x, k = wave(2, 6, 2), wave(3, 2, 2)
    return [
        value_and_grad(tf, lambda x, k, s=s, p=p: tf.nn.conv1d(x, k, s, p), x, k)
        for s, p in ((1, "SAME"), (2, "VALID"))
    ]


@conv("conv3d")
def _(tf):
    return value_and_grad(
        tf, lambda x, k: tf.nn.conv3d(x, k, [1] * 5, "SAME"), wave(1, 3, 3, 3, 1), wave(2, 2, 2, 1, 2)
    )


@conv("convolution of every rank")
def _(tf):
    return tf.nn.convolution(wave(1, 5, 2), wave(2, 2, 3)), tf.nn.convolution(
        wave(1, 4, 4, 1), wave(2, 2, 1, 1), strides=2, padding="SAME"
    )


@conv("transposed convolution")
def _(tf):
    x, k = wave(1, 3, 3, 2), wave(2, 2, 1, 2)
    return [
        value_and_grad(tf, lambda x, k: tf.nn.conv2d_transpose(x, k, [1, 6, 6, 1], 2, "SAME"), x, k),
        tf.nn.conv2d_transpose(x, k, [1, 4, 4, 1], 1, "VALID"),
        tf.nn.conv1d_transpose(wave(1, 3, 2), wave(2, 1, 2), [1, 6, 1], 2),
    ]


@conv("depthwise and separable convolution")
def _(tf):
    x, k = wave(1, 4, 4, 2), wave(2, 2, 2, 2)
    return [
        value_and_grad(tf, lambda x, k: tf.nn.depthwise_conv2d(x, k, [1, 1, 1, 1], "SAME"), x, k),
        tf.nn.depthwise_conv2d(x, k, [1, 2, 2, 1], "VALID"),
        tf.nn.separable_conv2d(x, k, wave(1, 1, 4, 3), [1, 1, 1, 1], "VALID"),
    ]


@conv("groups")
def _(tf):
    return value_and_grad(tf, lambda x, k: tf.nn.conv2d(x, k, 1, "SAME"), wave(1, 3, 3, 4), wave(2, 2, 2, 4))


@conv("dilation and erosion")
def _(tf):
    return tf.nn.dilation2d(wave(1, 4, 4, 1), wave(2, 2, 1), [1, 1, 1, 1], "SAME", "NHWC", [1, 1, 1, 1])


@conv("conv2d in float64")
def _(tf):
    return value_and_grad(
        tf, lambda x, k: tf.nn.conv2d(x, k, 1, "SAME"), wave(1, 3, 3, 1), wave(2, 2, 1, 1), dtype=tf.float64
    )


@conv("second derivative of a convolution")
def _(tf):
    x, k = tf.constant(wave(1, 3, 3, 1)), tf.constant(wave(2, 2, 1, 1))
    with tf.GradientTape() as outer:
        outer.watch(k)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum(tf.nn.conv2d(x, k, 1, "SAME") ** 2)
        g = inner.gradient(y, x)
        z = tf.reduce_sum(g * g)
    return outer.gradient(z, k)


@pool("max_pool2d and avg_pool2d")
def _(tf):
    x = wave(1, 5, 5, 2)
    return [
        value_and_grad(tf, lambda x, f=f, p=p: f(x, 2, 2, p), x)
        for f in (tf.nn.max_pool2d, tf.nn.avg_pool2d)
        for p in ("SAME", "VALID")
    ]


@pool("overlapping windows")
def _(tf):
    x = wave(1, 4, 4, 1)
    return [
        value_and_grad(tf, lambda x, f=f: f(x, [3, 2], [1, 1], "SAME"), x) for f in (tf.nn.max_pool2d, tf.nn.avg_pool2d)
    ]


@pool("pooling in one and three dimensions")
def _(tf):
    return [
        value_and_grad(tf, lambda x: tf.nn.max_pool1d(x, 2, 2, "VALID"), wave(1, 6, 2)),
        value_and_grad(tf, lambda x: tf.nn.avg_pool1d(x, 2, 1, "SAME"), wave(1, 4, 1)),
        tf.nn.max_pool3d(wave(1, 4, 4, 4, 1), 2, 2, "VALID"),
        tf.nn.avg_pool3d(wave(1, 4, 4, 4, 1), 2, 2, "VALID"),
        tf.nn.max_pool(wave(1, 4, 4, 1), 2, 2, "SAME"),
        tf.nn.pool(wave(1, 4, 4, 1), [2, 2], "AVG", strides=[2, 2]),
    ]


@pool("global pooling by reduction")
def _(tf):
    return value_and_grad(tf, lambda x: tf.reduce_mean(x, axis=[1, 2]), wave(2, 3, 3, 2))


@image("adjust_contrast and adjust_brightness")
def _(tf):
    x = tf.constant(np.abs(wave(2, 2, 3)) / 4)
    return tf.image.adjust_contrast(x, 2.0), tf.image.adjust_brightness(x, 0.1)


@image("flips and rot90")
def _(tf):
    x = tf.constant(wave(2, 3, 1))
    return tf.image.flip_left_right(x), tf.image.flip_up_down(x), tf.image.rot90(x), tf.image.transpose(x)


@image("convert_image_dtype")
def _(tf):
    x = tf.constant([[[0, 128, 255]]], tf.uint8)
    f = tf.image.convert_image_dtype(x, tf.float32)
    return f, tf.image.convert_image_dtype(f, tf.uint8), tf.image.convert_image_dtype(f, tf.float64)


@image("resize by every simple method")
def _(tf):
    x = tf.constant(wave(4, 4, 1))
    return tf.image.resize(x, [2, 2]), tf.image.resize(x, [6, 8]), tf.image.resize(x, [3, 5], method="nearest")


@image("the gradient of a bilinear resize")
def _(tf):
    return value_and_grad(tf, lambda x: tf.image.resize(x, [3, 5]), wave(2, 2, 1))


@image("grayscale and standardisation", rtol=2e-5)
def _(tf):
    x = tf.constant(np.abs(wave(2, 2, 3)))
    return tf.image.rgb_to_grayscale(x), tf.image.per_image_standardization(x), tf.image.grayscale_to_rgb(x[..., :1])


@image("adjust_contrast takes integers and refuses the wrong rank")
def _(tf):
    return tf.image.adjust_contrast(tf.constant([[[10, 20, 30]]], tf.uint8), 2.0), raises(
        lambda: tf.image.adjust_contrast([1.0], 2.0)
    )
