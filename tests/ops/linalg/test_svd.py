"""Gradients of singular value decompositions: of all their vectors, where singular values are equal, and of complex matrices."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

random = np.random.default_rng(0)


def loss(x, full):
    s, u, v = tf.linalg.svd(x, full_matrices=full)
    return tf.reduce_sum(s**3) + tf.reduce_sum(tf.abs(u) ** 4) + tf.reduce_sum(tf.abs(v) ** 4)


def gradient(x, full):
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = loss(x, full)
    return tape.gradient(value, x)


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
@pytest.mark.parametrize(("shape", "full"), [((2, 3), True), ((2, 3, 2), True), ((2, 4), False)])
def test_along_a_direction(shape, full, dtype):
    def drawn():
        real = random.normal(size=shape)
        return (real if dtype is np.float64 else real + 1j * random.normal(size=shape)).astype(dtype)

    x, step = drawn(), drawn()
    with tf.GradientTape() as tape:
        at = tf.constant(x)
        tape.watch(at)
        found = gradient(at, full)
        square = tf.reduce_sum(tf.abs(found) ** 2)
    second = tape.gradient(square, at)
    for of, function in (
        (found, lambda y: loss(y, full)),
        (second, lambda y: tf.reduce_sum(tf.abs(gradient(y, full)) ** 2)),
    ):
        either = [float(function(tf.constant(x + h * step))) for h in (1e-6, -1e-6)]
        slope = np.sum(of.numpy() * np.conj(step)).real
        np.testing.assert_allclose(slope, (either[0] - either[1]) / 2e-6, rtol=1e-5)


def test_equal_singular_values():
    x = tf.eye(3)
    with tf.GradientTape() as tape:
        tape.watch(x)
        s, u, v = tf.linalg.svd(x)
        value = tf.reduce_sum(s * [1.0, 2.0, 3.0]) + tf.reduce_sum(u) + tf.reduce_sum(v)
    assert np.isfinite(tape.gradient(value, x)).all()


def test_vectors_that_nothing_determines():
    x = tf.constant(random.normal(size=(2, 5)))
    with pytest.raises(NotImplementedError, match=r"svd gradient is not implemented for abs\(m - n\) > 1"):
        gradient(x, True)
