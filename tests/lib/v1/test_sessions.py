"""Programs of TensorFlow 1: the errors that they meet first say that there are no sessions, and what to do."""

from __future__ import annotations

import pytest

import tfgrad_jax as tf

v1 = tf.compat.v1


def test_a_placeholder_as_a_key_of_what_is_fed():
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [2])
        with pytest.raises(TypeError, match=r"Tensor is unhashable.*tf\.compat\.v1\.Session, are not here"):
            {x: [1.0, 2.0]}


def test_an_optimizer_of_a_graph():
    optimizer = v1.train.GradientDescentOptimizer(0.1)
    with (
        tf.Graph().as_default(),
        pytest.raises(ValueError, match=r"No variables to optimize\. .*sessions of TensorFlow 1"),
    ):
        optimizer.minimize(tf.reduce_sum(tf.Variable([1.0, 2.0])))


def test_a_session():
    with pytest.raises(NotImplementedError, match=r"sessions of TensorFlow 1.*tf\.function"):
        v1.Session()
