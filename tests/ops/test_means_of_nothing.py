"""Means of no elements: NaN of floats, 0 of integers, as TensorFlow gives them."""

import numpy as np
import pytest

import tfgrad_jax as tf


@pytest.mark.parametrize("how", [lambda f: f, tf.function], ids=["eagerly", "in a function"])
@pytest.mark.parametrize("dtype", [tf.int32, tf.int64, tf.uint8])
def test_of_integers(how, dtype):
    mean = how(tf.reduce_mean)
    assert mean(tf.zeros([0], dtype)).numpy() == 0
    assert how(lambda x: tf.reduce_mean(x, 1))(tf.zeros([2, 0], dtype)).numpy().tolist() == [0, 0]
    assert mean(tf.constant([-3, -4], tf.int32)).numpy() == -3  # towards zero


def test_of_floats():
    assert np.isnan(tf.reduce_mean(tf.zeros([0])))
