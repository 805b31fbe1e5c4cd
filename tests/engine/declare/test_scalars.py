"""Continuous attributes are operands: many values of one share a kernel."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import tfgrad_jax as tf
from tfgrad_jax.engine.kernels.executables import budget

X = np.array([[1.0, -2.0], [3.0, -0.5]], np.float32)
IMAGE = np.arange(16, dtype=np.float32).reshape(1, 2, 2, 4)
ONES = np.ones(4, np.float32)

USES = {
    "leaky_relu": lambda x, a: tf.nn.leaky_relu(x, alpha=a),
    "leaky_relu, negative": lambda x, a: tf.nn.leaky_relu(x, alpha=-a),
    "batch_normalization": lambda x, a: tf.nn.batch_normalization(x, [0.0, 1.0], [1.0, 2.0], None, None, a),
    "fused_batch_norm": lambda x, a: tf.compat.v1.nn.fused_batch_norm(
        tf.reshape(x, [1, 1, 1, 4]) * IMAGE, ONES, ONES, ONES, ONES, epsilon=a, exponential_avg_factor=a
    )[0],
    "lrn": lambda x, a: tf.nn.lrn(tf.reshape(x, [1, 1, 1, 4]), alpha=a, bias=1 + a),
    "lstsq": lambda x, a: tf.linalg.lstsq(x, x, l2_regularizer=a),
    "dropout": lambda x, a: tf.nn.experimental.stateless_dropout(x, a, seed=[1, 2]),
    "uniform": lambda x, a: x * tf.random.stateless_uniform([2], [1, 2], minval=-a, maxval=a),
    "normal": lambda x, a: x * tf.random.stateless_normal([2], [1, 2], mean=a, stddev=1 - a),
    "clip": lambda x, a: tf.clip_by_value(x, -a, a),
}


@pytest.mark.usefixtures("compiled_at_once")
@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_many_values_are_compiled_once(use, monkeypatch):
    monkeypatch.setattr("tfgrad_jax.engine.fused.program.HOT_SECONDS", 1e9)  # whole traces compile by the clock
    x = tf.constant(X)

    def ask(a):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = use(x, a)
        return y.numpy(), tape.gradient(y, x).numpy()

    ask(0.3)
    before = budget.now
    found = [ask(k / 9) for k in range(1, 6)]
    assert budget.now == before
    assert all(not np.array_equal(a[0], b[0]) for a, b in itertools.pairwise(found))


def test_values_and_gradients():
    x = tf.constant(X)
    for a in (0.0, 0.25, -0.5, 1, np.float32(2)):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.nn.leaky_relu(x, a)
        assert np.array_equal(y.numpy(), np.where(X > 0, X, X * a))
        assert np.array_equal(tape.gradient(y, x).numpy(), np.where(X > 0, 1, a).astype(np.float32))
    half = tf.nn.leaky_relu(tf.constant(X, tf.float16), 0.1)
    assert np.array_equal(half.numpy(), np.where(X > 0, X, X * np.float16(0.1)).astype(np.float16))
    assert tf.nn.leaky_relu(x, alpha=None).numpy()[0, 1] == np.float32(-2) * np.float32(0.2)


def test_a_number_is_a_constant_of_a_function():
    @tf.function
    def f(x):
        return tf.nn.leaky_relu(x, 0.5) + tf.nn.leaky_relu(x, 0.25)

    assert np.array_equal(f(tf.constant(X)).numpy(), np.where(X > 0, 2 * X, 0.75 * X))


@pytest.mark.parametrize(
    "value", [lambda: tf.constant(0.3), lambda: tf.Variable(0.3), lambda: "a"], ids=["tensor", "variable", "text"]
)
def test_where_a_number_is_wanted_nothing_else_will_do(value):
    with pytest.raises(TypeError, match="Expected float for argument 'alpha'"):
        tf.nn.leaky_relu(X, alpha=value())


def test_a_tensor_may_regularize():
    x, a = tf.constant(X), tf.constant(0.3)
    expected = tf.linalg.lstsq(x, x, l2_regularizer=float(np.float32(0.3)))
    assert np.array_equal(tf.linalg.lstsq(x, x, l2_regularizer=a), expected)
    f = tf.function(lambda x, a: tf.linalg.lstsq(x, x, l2_regularizer=a))
    assert np.allclose(f(x, a), expected, rtol=1e-6)
