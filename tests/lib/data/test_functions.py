"""Datasets and their iterators inside functions: what is converted, and what is refused."""

from __future__ import annotations

import pytest

import tfgrad_jax as tf


def test_a_loop_that_nobody_converts_is_refused():
    @tf.function(autograph=False)
    def count(dataset):
        return sum(1 for _ in dataset)

    with pytest.raises(ValueError, match="An unusually high number of elements"):
        count(tf.data.Dataset.range(3))


def test_what_is_given_to_a_function_is_converted_wherever_it_comes_from():
    def total(dataset):
        found = tf.constant(0, tf.int64)
        for x in dataset:
            found += x
        return found

    total.__module__ = "keras.somewhere"
    assert int(tf.function(total)(tf.data.Dataset.range(4))) == 6
