"""Stateless numbers in functions with `jit_compile=True`: TensorFlow's, which XLA makes of other bits there."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

R = tf.random

DRAWN = {
    "uniform": (R.stateless_uniform, [8], [0.75646, 0.25409, 0.03393, 0.54764, 0.71463, 0.41196, 0.70892, 0.59283]),
    "normal": (R.stateless_normal, [8], [0.74688, -0.01922, -0.76715, -2.48568, 0.43068, -0.6975, -0.45685, -0.69233]),
    "normal, odd": (R.stateless_normal, [3], [0.74688, -0.01922, -0.76715]),
    "normal, two dimensions": (
        R.stateless_normal,
        [2, 5],
        [[0.39252, -1.60049, -1.43276, -0.18257, -0.62614], [-0.63571, -0.42255, -2.17125, -1.08209, 0.5291]],
    ),
    "truncated": (R.stateless_truncated_normal, [6], [0.65819, -0.62714, -1.597, 0.11424, 0.53843, -0.21222]),
}


@pytest.mark.parametrize("name", DRAWN)
def test_numbers(name):
    draw, shape, expected = DRAWN[name]
    compiled = tf.function(draw, jit_compile=True)
    assert compiled(shape, [3, 5]).numpy() == pytest.approx(np.array(expected), abs=1e-5)
    assert (compiled(shape, [3, 5], alg="philox").numpy() == draw(shape, [3, 5]).numpy()).all()
    assert (tf.function(draw)(shape, [3, 5]).numpy() == draw(shape, [3, 5]).numpy()).all()


def test_other_types():
    @tf.function(jit_compile=True)
    def draw(dtype):
        return R.stateless_uniform([3], [3, 5], dtype=dtype), R.stateless_normal([6], [3, 5], dtype=dtype)

    uniform, normal = draw(tf.float64)
    assert uniform.numpy() == pytest.approx([0.25409, 0.54764, 0.41196], abs=1e-5)
    assert normal.numpy() == pytest.approx([-0.48816, -1.58171, -0.73351, -1.11158, 0.23526, 0.49238], abs=1e-5)
    uniform, normal = (tf.cast(x, tf.float32).numpy().tolist() for x in draw(tf.bfloat16))  # cut off, not rounded
    assert uniform == [0.75390625, 0.25390625, 0.03369140625]
    assert normal[:1] + normal[4:] == [0.74609375, 0.4296875, -0.6953125]
    assert draw(tf.float16)[0].numpy() == pytest.approx([0.60449, 0.18652, 0.07422], abs=1e-5)


def test_dropout_and_branches():
    @tf.function(jit_compile=True, input_signature=[tf.TensorSpec([None, 4])])
    def dropped(x):
        by_number = tf.nn.experimental.stateless_dropout(x, 0.4, seed=[1, 2])
        by_tensor = tf.nn.experimental.stateless_dropout(x, tf.constant(0.3), seed=[4, 2], noise_shape=[1, None])
        return tf.cast(by_number, tf.bool), tf.cast(by_tensor, tf.bool)

    by_number, by_tensor = (kept.numpy().astype(int).tolist() for kept in dropped(tf.ones([3, 4])))
    assert by_number == [[0, 1, 1, 0], [0, 1, 0, 0], [0, 0, 1, 1]]
    assert by_tensor == [[1, 0, 1, 0]] * 3

    @tf.function(jit_compile=True)
    def chosen(first):
        total = tf.zeros([2])
        for i in tf.range(3):
            total += R.stateless_uniform([2], [i, 7])
        return tf.cond(first, lambda: R.stateless_uniform([3], [1, 1]), lambda: R.stateless_normal([3], [1, 1])), total

    assert chosen(tf.constant(True))[0].numpy() == pytest.approx([0.88105, 0.87918, 0.55948], abs=1e-5)
    numbers, total = chosen(tf.constant(False))
    assert numbers.numpy() == pytest.approx([-0.34639, 0.36509, 0.93841], abs=1e-5)
    assert total.numpy() == pytest.approx([1.96221, 1.76012], abs=1e-5)
