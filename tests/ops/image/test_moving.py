"""Images that are scaled and moved by any factors: `tf.raw_ops.ScaleAndTranslate`, as TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

IMAGES = np.random.RandomState(0).rand(1, 5, 6, 2).astype(np.float32)
SHRUNK, MOVED = ([4, 4], [0.8, 0.66], [0.0, 0.0]), ([3, 3], [0.5, 0.5], [1.0, 1.0])


@pytest.mark.parametrize(
    ("kernel", "antialias", "how", "first", "total", "slopes"),
    [
        ("lanczos1", True, SHRUNK, [0.5468, 0.661, 0.4244, 0.6254], 16.442, [0.0, 0.6, 0.5, 1.03]),
        ("lanczos1", False, MOVED, [0.0, 0.0, 0.0, 0.0], 4.298, [2.0, 2.25, 2.0, 2.25]),
        ("lanczos5", True, MOVED, [0.0, 0.0, 0.0, 0.0], 4.132, [1.09, 1.26, 1.92, 2.18]),
        ("gaussian", True, SHRUNK, [0.5063, 0.6356, 0.401, 0.6379], 16.593, [0.33, 0.81, 0.8, 1.34]),
        ("box", False, SHRUNK, [0.5488, 0.7152, 0.4237, 0.6459], 16.193, [0.0, 1.0, 0.0, 0.0]),
        ("triangle", True, MOVED, [0.0, 0.0, 0.0, 0.0], 4.207, [1.47, 1.65, 2.01, 2.24]),
        ("keyscubic", True, SHRUNK, [0.555, 0.6289, 0.3676, 0.626], 16.604, [-0.22, 0.26, 0.25, 0.81]),
        ("mitchellcubic", False, SHRUNK, [0.5503, 0.6776, 0.4002, 0.6227], 16.273, [-0.23, 0.39, 0.25, 0.65]),
    ],
)
def test_values_and_gradients(kernel, antialias, how, first, total, slopes):
    size, scale, translation = how
    with tf.GradientTape() as tape:
        images = tf.constant(IMAGES)
        tape.watch(images)
        found = tf.raw_ops.ScaleAndTranslate(
            images=images, size=size, scale=scale, translation=translation, kernel_type=kernel, antialias=antialias
        )
        weights = tf.reshape(tf.range(float(np.prod(found.shape))), found.shape)
        value = tf.reduce_sum(found * weights)
    np.testing.assert_allclose(found.numpy().ravel()[:4], first, atol=1e-4)
    np.testing.assert_allclose(found.numpy().sum(), total, rtol=1e-3)
    gradient = tape.gradient(value, images)
    np.testing.assert_allclose(gradient.numpy().ravel()[:4], slopes, atol=1e-2)
    back = tf.raw_ops.ScaleAndTranslateGrad(
        grads=weights,
        original_image=IMAGES,
        scale=scale,
        translation=translation,
        kernel_type=kernel,
        antialias=antialias,
    )
    np.testing.assert_allclose(back, gradient, rtol=1e-5)


@pytest.mark.parametrize("kernel", ["lanczos3", "gaussian", "box", "triangle", "keyscubic"])
def test_factors_that_only_the_graph_knows(kernel):
    def moved(images, scale, translation):
        return tf.raw_ops.ScaleAndTranslate(
            images=images, size=[4, 3], scale=scale, translation=translation, kernel_type=kernel, antialias=True
        )

    operands = tf.constant(IMAGES), tf.constant([0.8, 0.66]), tf.constant([0.5, 0.0])
    found = []
    for function in (moved, tf.function(moved), tf.function(moved, jit_compile=True)):
        with tf.GradientTape() as tape:
            tape.watch(operands)
            y = function(*operands)
        slopes, *others = tape.gradient(y, operands, y)
        assert others == [None, None]
        found.append((y, slopes))
    for traced in found[1:]:
        np.testing.assert_allclose(traced[0], found[0][0], rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(traced[1], found[0][1], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"size": [0, 2]}, "output dimensions must be positive"),
        ({"size": [2]}, "output_shape_t must have two elements"),
        ({"scale": [0.0, 1.0]}, "Scale must be greater than zero."),
        ({"kernel_type": "foo"}, "Unrecognized kernel type: foo"),
        ({"images": IMAGES[0]}, "input must be 4-dimensional"),
    ],
)
def test_refused(wrong, said):
    with pytest.raises(tf.errors.InvalidArgumentError, match=said):
        tf.raw_ops.ScaleAndTranslate(
            **{"images": IMAGES, "size": [2, 2], "scale": [1.0, 1.0], "translation": [0.0, 0.0], **wrong}
        )


@pytest.mark.parametrize("scale", [[0.0, 1.0], [1.0, -1.0], [float("nan"), 1.0]])
def test_factors_are_positive_that_only_the_graph_knows(scale):
    @tf.function
    def moved(scale):
        return tf.raw_ops.ScaleAndTranslate(images=IMAGES, size=[2, 2], scale=scale, translation=[0.0, 0.0])

    moved(tf.constant([1.0, 1.0]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be greater than zero"):
        moved(tf.constant(scale))
