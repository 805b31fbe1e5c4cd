"""Parts of tensors by numbers."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf


def test_numbers_of_parts_may_be_any_array_but_no_other_tensor():
    parts = tf.dynamic_partition(np.array([5, 6, 7]), np.array([0, 1, 0]), 2)
    assert [p.numpy().tolist() for p in parts] == [[5, 7], [6]]
    with pytest.raises(ValueError, match="int32"):
        tf.dynamic_partition([1, 2], tf.constant([0, 1], tf.int64), 2)


@pytest.mark.parametrize("block", [1, 0, -1])
@pytest.mark.parametrize("move", [tf.nn.depth_to_space, tf.nn.space_to_depth])
def test_blocks_of_pictures_have_at_least_two_rows(move, block):
    picture = tf.ones([1, 2, 2, 4])
    with pytest.raises(tf.errors.InvalidArgumentError, match="block_size"):
        move(picture, block)
    with pytest.raises(ValueError, match="block_size"):
        tf.function(move)(picture, block)
