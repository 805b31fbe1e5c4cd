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


X = np.array([[1.0, 2.0, 3.0]], np.float32)
SINGLE = {
    "cumsum": lambda n: tf.cumsum(X, n),
    "cumprod": lambda n: tf.math.cumprod(X, n),
    "cumulative_logsumexp": lambda n: tf.math.cumulative_logsumexp(X, n),
    "top_k": lambda n: tf.math.top_k(X, n),
    "in_top_k": lambda n: tf.math.in_top_k([1], X, n),
    "band_part": lambda n: tf.linalg.band_part(X, n, 0),
    "histogram": lambda n: tf.histogram_fixed_width(X, [0.0, 5.0], n),
    "segments": lambda n: tf.math.unsorted_segment_sum(X, [0], n),
    "segments of strings": lambda n: tf.strings.unsorted_segment_join(["a"], [0], n),
    "bincount": lambda n: tf.math.bincount([1], minlength=n),
    "confusion": lambda n: tf.math.confusion_matrix([0], [0], n),
    "categorical": lambda n: tf.random.categorical(X, n),
}


@pytest.mark.parametrize("call", SINGLE.values(), ids=SINGLE)
@pytest.mark.parametrize("several", [[1, 0], [1], np.array([[1, 0]])], ids=str)
def test_several_where_one_integer_is_a_tensor(call, several):
    with pytest.raises(tf.errors.InvalidArgumentError):
        call(several)
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError)):
        tf.function(lambda: call(several))()


@pytest.mark.parametrize("find", [tf.argmax, tf.argmin])
def test_a_tensor_of_axes(find):
    with pytest.raises(tf.errors.InvalidArgumentError, match="dim must be a scalar"):
        find(X, tf.constant([1, 0]))


@pytest.mark.parametrize("call", [SINGLE["top_k"], SINGLE["cumsum"]])
def test_what_is_no_integer_where_one_is_a_tensor(call):
    with pytest.raises(TypeError, match="expected an integer"):
        call(1.5)
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected an integer"):
        call(tf.constant(1.5))
