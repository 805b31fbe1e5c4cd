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
