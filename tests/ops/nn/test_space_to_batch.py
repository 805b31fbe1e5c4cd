"""Windows with holes, gradients of convolutions by channel, `tf.conv`: what TensorFlow answers."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

X = np.arange(60, dtype=np.float32).reshape(1, 6, 5, 2)
K = np.arange(16, dtype=np.float32).reshape(2, 2, 2, 2)


def pool(x, n, padding):
    return tf.nn.max_pool(x, 2, 1, padding)


def convolve(x, n, padding):
    return tf.nn.conv2d(x, K, 1, padding)


def holes(*args, **kwargs):
    return lambda: tf.nn.with_space_to_batch(X, *args, **kwargs)


CHANNELS, MIXED = np.arange(8, dtype=np.float32).reshape(2, 2, 2, 1), np.ones([1, 1, 2, 1], np.float32)

CALLS = {
    "strides within holes": (
        lambda: tf.nn.depthwise_conv2d(X, CHANNELS, [1, 2, 2, 1], "SAME", dilations=[2, 2]),
        (1, 4, 3, 2),
        [72.0, 91.0, 124.0, 160.0],
    ),
    "strides within holes, mixed": (
        lambda: tf.nn.separable_conv2d(X, CHANNELS, MIXED, [1, 2, 2, 1], "VALID", dilations=[2, 1]),
        (1, 2, 2, 1),
        [492.0, 604.0, 772.0, 884.0],
    ),
    "a pool": (holes([2, 2], "VALID", pool, filter_shape=[2, 2]), (1, 4, 3, 2), [24.0, 25.0, 26.0, 27.0]),
    "the same size": (holes([2, 2], "SAME", convolve, filter_shape=[2, 2]), (1, 6, 5, 2), [326.0, 351.0, 568.0, 618.0]),
    "one direction": (holes([2, 1], "SAME", convolve, filter_shape=[2, 2]), (1, 6, 5, 2), [516.0, 562.0, 604.0, 658.0]),
    "no holes": (holes([1, 1], "SAME", convolve), (1, 6, 5, 2), [544.0, 596.0, 656.0, 724.0]),
    "two widths": (
        holes([2, 3], "VALID", convolve, spatial_dims=[1, 2]),
        (1, 4, 2, 2),
        [1128.0, 1236.0, 1240.0, 1364.0],
    ),
    "a later dimension": (
        holes([2], "VALID", lambda x, n, padding: x, spatial_dims=[2]),
        (1, 6, 5, 2),
        [0.0, 1.0, 2.0, 3.0],
    ),
    "by filters": (
        lambda: tf.nn.depthwise_conv2d_backprop_filter(X, [2, 2, 2, 1], tf.ones([1, 5, 4, 2]), [1, 1, 1, 1], "VALID"),
        (2, 2, 2, 1),
        [460.0, 480.0, 500.0, 520.0],
    ),
    "by input": (
        lambda: tf.nn.depthwise_conv2d_backprop_input(
            [1, 6, 5, 2], tf.ones([2, 2, 2, 1]), tf.ones([1, 3, 3, 2]), [1, 2, 2, 1], "SAME"
        ),
        (1, 6, 5, 2),
        [1.0, 1.0, 1.0, 1.0],
    ),
    "conv": (lambda: tf.conv(X, K, [1, 2, 2, 1], "SAME"), (1, 3, 3, 2), [544.0, 596.0, 768.0, 852.0]),
    "conv with holes": (
        lambda: tf.conv(X, K, [1, 1, 1, 1], "VALID", dilations=[1, 2, 2, 1]),
        (1, 4, 3, 2),
        [1056.0, 1156.0, 1168.0, 1284.0],
    ),
    "conv with paddings": (
        lambda: tf.conv(X, K, [1, 1, 1, 1], "EXPLICIT", explicit_paddings=[0, 0, 1, 1, 1, 1, 0, 0]),
        (1, 7, 6, 2),
        [14.0, 15.0, 76.0, 82.0],
    ),
    "conv of volumes": (
        lambda: tf.conv(tf.ones([1, 3, 3, 3, 1]), tf.ones([2, 2, 2, 1, 1]), [1] * 5, "VALID"),
        (1, 2, 2, 2, 1),
        [8.0, 8.0, 8.0, 8.0],
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_value(name):
    call, shape, first = CALLS[name]
    for found in (call(), tf.function(call, autograph=False)()):
        assert found.shape == shape
        np.testing.assert_array_equal(np.ravel(found)[:4], first)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (holes([2, 2], "SAME", convolve), "`filter_shape` must be specified"),
        (holes([2, 2], "BAD", convolve), "`padding` must be one of"),
        (holes([2, 0], "SAME", convolve), "`dilation_rate` must be positive"),
    ],
)
def test_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
    with pytest.raises(tf.errors.InvalidArgumentError, match="2 or 3 spatial dimensions but got 1"):
        tf.conv(tf.ones([1, 3, 1]), tf.ones([2, 1, 1]), [1, 1, 1], "VALID")
