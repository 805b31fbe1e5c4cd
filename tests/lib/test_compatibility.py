"""`tf.compat`'s dimensions and dates."""

from __future__ import annotations

import pytest

import tfgrad_jax as tf


def test_dimensions():
    known, unknown = (tf.compat.dimension_at_index(tf.TensorShape([16, None]), i) for i in (0, 1))
    assert [tf.compat.dimension_value(d) for d in (known, unknown, 4, None)] == [16, None, 4, None]
    assert (
        repr(known) == "Dimension(16)"
        and repr(tf.compat.dimension_at_index(tf.TensorShape(None), 0)) == "Dimension(None)"
    )
    with pytest.raises(IndexError):
        tf.compat.dimension_at_index(tf.TensorShape([1]), 3)


def test_dates():
    assert tf.compat.forward_compatible(2026, 1, 15) and not tf.compat.forward_compatible(2026, 1, 16)
    with tf.compat.forward_compatibility_horizon(2030, 1, 2):
        assert tf.compat.forward_compatible(2030, 1, 1) and not tf.compat.forward_compatible(2030, 1, 2)
    assert not tf.compat.forward_compatible(2030, 1, 1)


def test_dimensions_are_compared_and_counted_with():
    three, unknown = tf.compat.v1.Dimension(3), tf.compat.v1.Dimension(None)
    assert three < 4 and three <= 3 and three > 2 and not three >= 5
    assert [d.value for d in (three + 1, 1 + three, 5 - three, three - 1, three * 2, three // 2, three % 2)] == [
        *(4, 4, 2, 2, 6, 1, 1),
    ]
    assert (unknown < 4) is None and (unknown + 1).value is None


def test_shapes_in_lists_are_integers():
    assert tf.broadcast_dynamic_shape([], [2]).dtype == tf.int32
    assert tf.broadcast_dynamic_shape(tf.constant([2], tf.int64), []).dtype == tf.int64


def test_variable_scopes_open_name_scopes():
    with tf.compat.v1.variable_scope("a") as scope:
        assert scope.name == "a" and scope.caching_device is None
        with tf.compat.v1.variable_scope(tf.compat.v1.get_variable_scope()) as same:
            same.set_caching_device("CPU:0")
            assert same.name == "a" and tf.Variable(1.0, name="v").name == "a/a/v:0"
