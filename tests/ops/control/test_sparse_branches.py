"""Branches that give slices of a table, whose places have two types."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf


@pytest.mark.parametrize("first", [True, False])
def test_places_of_two_types_become_int64(first):
    @tf.function
    def chosen(which):
        narrow = tf.IndexedSlices(tf.ones([1, 2]), tf.constant([1], tf.int32), tf.constant([3, 2]))
        wide = tf.IndexedSlices(tf.ones([2, 2]), tf.constant([0, 2], tf.int64), tf.constant([3, 2]))
        return tf.cond(which, lambda: narrow, lambda: wide)

    found = chosen(tf.constant(first))
    assert found.indices.dtype == tf.int64
    np.testing.assert_array_equal(found.indices, [1] if first else [0, 2])
