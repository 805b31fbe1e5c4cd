"""What is said of arguments that make no sense, in TensorFlow's words."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf


@pytest.mark.parametrize("axis", [[[1]], [[1], [2]], [3.14], [1, 1], [1, 2, 3]])
def test_axes_of_norms(axis):
    with pytest.raises(ValueError, match="'axis' must be None, an integer, or a tuple of 2 unique integers"):
        tf.norm([[1.0, 2.0]], axis=axis)


def test_places_in_nothing():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Requested more than 0 entries, but params is empty"):
        tf.gather_nd(np.empty((0, 3), np.float32), [[0, 0]])


def test_a_shape_of_unknown_sizes_is_no_tensor():
    with pytest.raises(ValueError, match="Cannot convert a partially known TensorShape"):
        tf.convert_to_tensor(tf.TensorShape([2, None]))
