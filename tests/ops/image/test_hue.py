"""`tf.image.adjust_hue` of whole numbers, where the last place of a float decides: all numbers are TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

IMAGE = np.array([[[0, 5, 10], [15, 20, 25], [30, 35, 40]]])


@pytest.mark.parametrize(
    ("dtype", "delta", "turned"),
    [
        ("int32", 0.1, [0, 0, 10, 15, 15, 25, 31, 30, 40]),
        ("int32", -0.3, [3, 10, 0, 18, 25, 15, 33, 40, 30]),
        ("int64", 0.5, [10, 5, 0, 25, 20, 15, 40, 35, 30]),
        ("uint8", 0.1, [1, 0, 10, 16, 15, 25, 31, 30, 40]),
    ],
)
def test_whole_numbers(dtype, delta, turned):
    assert tf.image.adjust_hue(tf.constant(IMAGE, dtype), delta).numpy().ravel().tolist() == turned


def test_gray_stays_and_a_whole_turn_ends_where_it_began():
    gray = tf.constant([[[0.25, 0.25, 0.25]]])
    assert tf.image.adjust_hue(gray, 0.3).numpy().tolist() == gray.numpy().tolist()
    bright = tf.constant([[[1.0, 0.0, 0.0], [1.0, 0.0, 0.5], [0.0, 0.0, 1.0]]])
    for delta in (-1.0, 0.0, 1.0):
        assert tf.image.adjust_hue(bright, delta).numpy().tolist() == bright.numpy().tolist()
