"""Integers at the ends of their types; the figures are TensorFlow's."""

from __future__ import annotations

import pytest

import tfgrad_jax as tf


@pytest.mark.parametrize(
    "dtype, x, y, wanted",
    [
        ("int8", [-128, -128, 127, -7], [3, -3, -128, -128], [-42, 42, 0, 0]),
        ("int16", [-32768], [3], [-10922]),
        ("int32", [-(2**31), -(2**31), 5], [3, -3, -(2**31)], [-715827882, 715827882, 0]),
        ("int64", [-(2**63), -(2**63)], [3, -7], [-3074457345618258602, 1317624576693539401]),
        ("uint8", [255, 7], [2, 8], [127, 0]),
    ],
)
def test_quotients_rounded_towards_zero(dtype, x, y, wanted):
    x, y = tf.constant(x, dtype), tf.constant(y, dtype)
    for divide in (tf.truncatediv, tf.function(tf.truncatediv), lambda x, y: tf.raw_ops.TruncateDiv(x=x, y=y)):
        assert divide(x, y).numpy().tolist() == wanted
    assert tf.truncatediv(x, y[:1]).shape == x.shape


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_values_far_from_a_range_of_integers(dtype):
    values = tf.constant([2**31 - 1, -(2**31), 0], dtype)
    assert tf.histogram_fixed_width(values, tf.constant([-1, 1], dtype), 4).numpy().tolist() == [1, 0, 1, 1]
