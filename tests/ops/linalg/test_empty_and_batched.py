"""Matrices without elements, and systems whose batches are broadcast. The answers are TensorFlow 2.21's."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf


@pytest.mark.parametrize("shape", [(0, 0), (2, 0, 0), (0, 3), (2, 3, 0)])
def test_matrices_of_nothing(shape):
    x = tf.zeros(shape)
    assert tf.linalg.matrix_rank(x).numpy().tolist() == np.zeros(shape[:-2]).tolist()
    assert tf.norm(x, 2, axis=[-2, -1]).numpy().tolist() == np.full(shape[:-2], -np.inf).tolist()
    if shape[-1] == shape[-2]:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.linalg.det(x)
        assert y.numpy().tolist() == np.ones(shape[:-2]).tolist() and tape.gradient(y, x).shape == shape


@pytest.mark.parametrize(("one", "other"), [((2, 3, 3), (3, 2)), ((3, 3), (2, 3, 2)), ((2, 1, 3, 4), (5, 3, 2))])
def test_least_squares_in_batches(one, other):
    draw = np.random.default_rng(0).standard_normal
    matrix, rhs = tf.constant(draw(one)), tf.constant(draw(other))
    batch = np.broadcast_shapes(one[:-2], other[:-2])
    with tf.GradientTape() as tape:
        tape.watch([matrix, rhs])
        x = tf.linalg.lstsq(matrix, rhs)
    whole = np.linalg.pinv(np.broadcast_to(matrix, (*batch, *one[-2:]))) @ np.broadcast_to(rhs, (*batch, *other[-2:]))
    np.testing.assert_allclose(x, whole)
    assert [g.shape for g in tape.gradient(x, [matrix, rhs])] == [one, other]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.linalg.lstsq(matrix, rhs, fast=False)
