"""Images turned by a number that is known only when a function runs."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf


@pytest.mark.parametrize(
    ("image", "traced"),
    [([2, 3, 1], (None, None, 1)), ([2, 2, 3, 1], (2, None, None, 1)), ([3, 3, 1], (3, 3, 1))],
)
def test_a_turn_may_be_known_when_the_function_runs(image, traced):
    shapes = []

    @tf.function
    def turned(x, k):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.image.rot90(x, k)
            shapes.append(tuple(y.shape))
            loss = tf.reduce_sum(tf.reshape(y, [-1]) * tf.range(float(np.prod(image))))
        return y, tape.gradient(loss, x)

    x = tf.reshape(tf.range(float(np.prod(image))), image)
    for k in (1, 2, -1, 4):
        y, gradient = turned(x, tf.constant(k))
        assert y.numpy().tolist() == np.rot90(x.numpy(), k, (-3, -2)).tolist()
        order = np.arange(float(np.prod(image))).reshape(y.shape)
        assert gradient.numpy().tolist() == np.rot90(order, -k, (-3, -2)).tolist()
    assert shapes == [traced]


def test_a_turn_may_be_drawn_in_a_pipeline():
    images = tf.data.Dataset.from_tensors(tf.zeros([2, 3, 1])).repeat(8)
    turned = images.map(lambda x: tf.image.rot90(x, tf.random.uniform([], 0, 4, tf.int32, seed=3)))
    assert turned.element_spec.shape.as_list() == [None, None, 1]
    assert {tuple(x.shape) for x in turned} == {(2, 3, 1), (3, 2, 1)}
