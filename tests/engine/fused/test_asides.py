"""Checks of integers that are pending: their values are told aside, and what is noted stays one program."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf
from tests.engine.fused.fusing import hot, is_pending, pending, values
from tfgrad_jax.engine.threads import background


@pytest.fixture(autouse=True)
def _fused():
    with hot():
        yield


TABLE = np.arange(12, dtype=np.float32).reshape(4, 3)


def test_a_label_that_is_cast_leaves_the_step_whole():
    w = tf.Variable(TABLE)
    x = tf.constant(np.eye(4, dtype=np.float32))

    def step(labels):
        with tf.GradientTape() as tape:
            logits = tf.matmul(x, w)
            labels = tf.reshape(tf.cast(tf.squeeze(tf.cast(labels, tf.float32), -1), tf.int64), [-1])
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))
            noted = pending()
        w.assign_sub(0.1 * tape.gradient(loss, w))
        assert noted == 6 and is_pending(logits)  # a product, casts, new shapes, the losses and their mean
        return loss

    labels = np.array([[0], [1], [2], [0]], np.int32)
    losses = []
    for _ in range(4):
        losses.append(float(step(tf.constant(labels))))
        background.wait()
    w.assign(TABLE)
    with tf.extras.execution("immediate"):
        expected = []
        for _ in range(4):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits([0, 1, 2, 0], tf.matmul(x, w)))
            w.assign_sub(0.1 * tape.gradient(loss, w))
            expected.append(float(loss))
    np.testing.assert_allclose(losses, expected, rtol=1e-5)
    before = w.numpy()
    w.assign_add(tf.ones_like(w))
    labels[2] = 3
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"label value of 3 .*SparseSoftmaxCrossEntropyWithLogits"):
        step(tf.constant(labels))
    np.testing.assert_array_equal(w, before + 1)  # what was assigned before is there


def test_wrong_values_are_refused_where_they_are_used():
    table = tf.constant(TABLE)
    for _ in range(3):
        i = tf.cast(tf.constant([1.0, 3.9]), tf.int32)
        assert is_pending(tf.gather(table, i)) and is_pending(i)
    i = i + 1
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[1\] = 4 is not in \[0, 4\)"):
        tf.gather(table, i)
    with pytest.raises(tf.errors.InvalidArgumentError, match="division by zero"):
        i // (i - i)
    assert values(i)[1].tolist() == [2, 4]


def test_what_is_not_exact_is_computed_as_it_was_noted():
    """Two ways to round would be two ways to decide."""
    x = tf.constant([0.3, 2.5])
    i = tf.cast(x * 1.1, tf.int32)
    tf.gather(TABLE, i)
    assert not is_pending(i)


def test_what_takes_much_is_not_computed_twice():
    i = tf.cast(tf.constant([1.0, 2.0]), tf.int32)
    for _ in range(8):
        i = i + 0
    tf.gather(TABLE, i)
    assert not is_pending(i)
