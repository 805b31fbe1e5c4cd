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
