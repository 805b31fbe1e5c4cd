"""What TensorFlow computes of 16-bit floats in float32, with one rounding at the end."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

random = np.random.default_rng(3)
ROWS, IMAGE, FILTERS = random.normal(size=(4, 60)), random.normal(size=(1, 6, 6, 2)), random.normal(size=(3, 3, 2, 2))


def depthwise(dtype, x, k):
    with tf.GradientTape() as tape:
        tape.watch((x, k))
        y = tf.nn.depthwise_conv2d(x, k, [1, 1, 1, 1], "SAME")
    return y, *tape.gradient(y, (x, k), tf.cast(tf.constant(IMAGE.repeat(2, -1), dtype), x.dtype))


def sparse(dtype, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits([3, 0, 59, 7], x)
    return loss, tape.gradient(loss, x)


CASES = {
    "softmax": (("float16", "bfloat16"), lambda dtype, x: [tf.nn.softmax(x)], (ROWS,)),
    "sparse cross entropy": (("float16",), sparse, (ROWS,)),
    "depthwise": (("float16", "bfloat16"), depthwise, (IMAGE, FILTERS)),
    "averages": (("bfloat16",), lambda dtype, x: [tf.nn.avg_pool2d(x, 3, 2, "SAME")], (IMAGE,)),
    "averages of volumes": (("bfloat16",), lambda dtype, x: [tf.nn.avg_pool3d(x[None], 2, 1, "SAME")], (IMAGE,)),
    "bessel": (("float16",), lambda dtype, x: [tf.math.special.bessel_i1(x)], (ROWS,)),
    "expint": (("float16",), lambda dtype, x: [tf.math.special.expint(abs(x))], (ROWS,)),
}


@pytest.mark.parametrize("name, dtype", [(name, dtype) for name, (dtypes, *_) in CASES.items() for dtype in dtypes])
def test_it_is_rounded_once(name, dtype):
    _, function, arrays = CASES[name]
    narrow = [tf.constant(array, dtype) for array in arrays]
    wide = [tf.cast(x, tf.float32) for x in narrow]
    for found, exact in zip(function(dtype, *narrow), function(dtype, *wide), strict=True):
        assert found.dtype == dtype
        np.testing.assert_array_equal(found, tf.cast(exact, dtype))
