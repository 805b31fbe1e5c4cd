"""Gradients of convolutions by their names in `tf.compat.v1.nn`, with TensorFlow's numbers."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

N = tf.compat.v1.nn
RNG = np.random.default_rng(0)
X, K, DEPTHWISE, Y, Y5, VOLUME, Z, DEEP = (
    RNG.normal(size=shape).astype(np.float32)
    for shape in (
        (1, 5, 5, 2), (3, 3, 2, 3), (3, 3, 2, 1), (1, 3, 3, 3), (1, 5, 5, 3), (1, 4, 4, 4, 2), (1, 4, 4, 4, 3), (1, 5, 5, 2)
    )
)  # fmt: skip
CALLS = {
    "filter": lambda: N.conv2d_backprop_filter(X, [3, 3, 2, 3], Y, [1, 2, 2, 1], "SAME"),
    "filter explicit": lambda: N.conv2d_backprop_filter(
        X, [3, 3, 2, 3], Y5, [1, 1, 1, 1], [[0, 0], [1, 1], [2, 0], [0, 0]]
    ),
    "input": lambda: N.conv2d_backprop_input([1, 5, 5, 2], K, Y, [1, 2, 2, 1], "SAME"),
    "input valid": lambda: N.conv2d_backprop_input(
        [1, 5, 5, 2], filters=K, out_backprop=Y, strides=[1, 1, 1, 1], padding="VALID"
    ),
    "volume": lambda: N.conv3d_backprop_filter(VOLUME, [2, 2, 2, 2, 3], Z, [1] * 5, "SAME"),
    "volume v2": lambda: N.conv3d_backprop_filter_v2(
        VOLUME, [2, 2, 2, 2, 3], Z[:, :2, :2, :2], [1, 2, 2, 2, 1], "VALID"
    ),
    "depthwise filter": lambda: N.depthwise_conv2d_native_backprop_filter(X, [3, 3, 2, 1], DEEP, [1] * 4, "SAME"),
    "depthwise input": lambda: N.depthwise_conv2d_native_backprop_input([1, 5, 5, 2], DEPTHWISE, DEEP, [1] * 4, "SAME"),
}


def weighed(found):
    """One number of all entries, each with a weight of its own."""
    values = np.asarray(found, np.float64).reshape(-1)
    return float(np.dot(values, np.arange(values.size)))


EXPECTED = {
    "filter": ([3, 3, 2, 3], -198.45351),
    "filter explicit": ([3, 3, 2, 3], 160.10944),
    "input": ([1, 5, 5, 2], -24.34387),
    "input valid": ([1, 5, 5, 2], 234.84057),
    "volume": ([2, 2, 2, 2, 3], 128.37989),
    "volume v2": ([2, 2, 2, 2, 3], 983.87216),
    "depthwise filter": ([3, 3, 2, 1], -204.84364),
    "depthwise input": ([1, 5, 5, 2], 429.87714),
}


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eagerly", "in functions"])
@pytest.mark.parametrize("name", CALLS)
def test_gradients_of_convolutions(name, wrap):
    found, (shape, number) = wrap(CALLS[name])(), EXPECTED[name]
    assert found.shape == shape
    np.testing.assert_allclose(weighed(found), number, rtol=1e-4)


def test_filters_by_both_names():
    with pytest.raises(ValueError, match="both 'filter' and 'filters'"):
        N.conv2d_backprop_input([1, 5, 5, 2], K, Y, [1, 1, 1, 1], "VALID", filters=K)
