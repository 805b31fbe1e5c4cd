"""Static shapes that rules beside the declarations tell, where sizes or margins are not known; recorded from TensorFlow."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

INT = np.int32


def floats(*shape):
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape) / 10


IMAGES = floats(2, 3, 4, 3)
BOXES = np.array([[0.0, 0.0, 1.0, 1.0], [0.1, 0.2, 0.5, 0.6]], np.float32)

# The call, its arguments, how many leading sizes of each are known (-1: all), and the shape of the result.
CALLS = {
    "rgb_to_grayscale": (tf.image.rgb_to_grayscale, [IMAGES], [0], "(None, None, None, 1)"),
    "rgb_to_hsv": (tf.image.rgb_to_hsv, [IMAGES], [0], "(None, None, None, 3)"),
    "rgb_to_yuv": (tf.image.rgb_to_yuv, [IMAGES], [1], "(2, None, None, 3)"),
    "grayscale_to_rgb": (tf.image.grayscale_to_rgb, [IMAGES[..., :1]], [0], "(None, None, None, 3)"),
    "crop_and_resize": (
        lambda x, boxes: tf.image.crop_and_resize(x, boxes, [0, 1], [5, 6]),
        [IMAGES, BOXES],
        [0, 0],
        "(2, 5, 6, None)",
    ),
    "crop_and_resize to a size": (
        lambda x, size: tf.image.crop_and_resize(x, BOXES, [0, 1], size),
        [IMAGES, np.array([5, 6], INT)],
        [-1, 1],
        "(2, None, None, 3)",
    ),
    "extract_glimpse": (
        lambda x, at: tf.image.extract_glimpse(x, [2, 3], at, noise="zero"),
        [IMAGES, np.zeros((2, 2), np.float32)],
        [0, 0],
        "(None, 2, 3, None)",
    ),
    "diagonals": (lambda x: tf.linalg.diag_part(x, k=(-1, 1)), [floats(2, 3, 3)], [0], "(None, 3, None)"),
    "blocks": (lambda x: tf.space_to_batch(x, [3, 2], [[0, 0], [0, 0]]), [IMAGES], [0], "(None, None, None, None)"),
    "blocks of channels": (
        lambda x, margins: tf.space_to_batch(x, [3, 2], margins),
        [IMAGES, np.zeros((2, 2), INT)],
        [-1, 2],
        "(12, None, None, 3)",
    ),
    "unknown blocks": (
        lambda x, blocks: tf.space_to_batch(x, blocks, [[0, 0], [0, 2]]),
        [IMAGES, np.array([3, 2], INT)],
        [-1, 1],
        "(None, None, None, 3)",
    ),
    "blocks put together": (
        lambda x, crops: tf.batch_to_space(x, [2, 1], crops),
        [IMAGES, np.array([[1, 0], [0, 1]], INT)],
        [-1, 2],
        "(1, None, None, 3)",
    ),
    "conv2d_transpose": (
        lambda x: tf.nn.conv2d_transpose(x, tf.constant(floats(2, 2, 5, 3)), [2, 6, 8, 5], 2),
        [IMAGES],
        [0],
        "(2, 6, 8, 5)",
    ),
    "conv2d_transpose to a size": (
        lambda x, size: tf.nn.conv2d_transpose(x, tf.constant(floats(2, 2, 5, 3)), size, 2),
        [IMAGES, np.array([2, 6, 8, 5], INT)],
        [0, 1],
        "(None, None, None, 5)",
    ),
    "conv1d_transpose": (
        lambda x: tf.nn.conv1d_transpose(x, tf.constant(floats(2, 5, 3)), [tf.shape(x)[0], 8, 5], 2),
        [IMAGES[0]],
        [0],
        "(None, 8, 5)",
    ),
    "nce_loss": (
        lambda x, y: tf.nn.nce_loss(
            tf.constant(floats(9, 4)),
            tf.zeros([9]),
            y,
            x,
            2,
            9,
            sampled_values=(tf.constant([1, 2], tf.int64), tf.ones([2, 1]), tf.ones([2])),
        ),
        [floats(2, 4), np.array([[1], [2]])],
        [0, 0],
        "(2,)",
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_shape_and_value(name):
    call, args, known, shape = CALLS[name]
    specs = [
        tf.TensorSpec([n if k == -1 or i < k else None for i, n in enumerate(a.shape)], a.dtype)
        for a, k in zip(args, known, strict=True)
    ]
    function = tf.function(call, input_signature=specs, autograph=False)
    assert str(function.get_concrete_function().output_shapes) == shape
    given = [tf.constant(a) for a in args]
    np.testing.assert_allclose(function(*given), call(*given), rtol=1e-5, atol=1e-6)


def test_what_may_be_fed_is_not_known_before():
    with tf.Graph().as_default():
        shape = tf.compat.v1.placeholder_with_default([2, 3], [2])
        assert tf.reshape(tf.zeros([6]), shape).shape.as_list() == [None, None]
