"""`rnn_cell_impl._concat`. The answers are TensorFlow 2.21's."""

from __future__ import annotations

import pytest

import tfgrad_jax as tf

joined = tf.python.ops.rnn_cell_impl._concat


@pytest.mark.parametrize(
    ("prefix", "suffix", "sizes"),
    [
        (2, 3, [2, 3]),
        (lambda: tf.constant(2), 3, [2, 3]),
        (lambda: tf.constant([2, 4]), 3, [2, 4, 3]),
        (2, tf.TensorShape([3, 4]), [2, 3, 4]),
        (2, [3, 4], [2, 3, 4]),
    ],
)
def test_known_sizes(prefix, suffix, sizes):
    prefix = prefix() if callable(prefix) else prefix
    made = joined(prefix, suffix)
    assert made.numpy().tolist() == joined(prefix, suffix, static=True) == sizes and made.dtype == tf.int32


def test_open_sizes():
    assert joined(tf.TensorShape([2, None]), 3, static=True) == [2, None, 3]
    assert joined(None, 3, static=True) is joined(2, tf.TensorShape(None), static=True) is None
    for prefix in (None, tf.TensorShape([2, None])):
        with pytest.raises(ValueError, match="prefix or suffix of None"):
            joined(prefix, 3)
    with pytest.raises(ValueError, match="scalar or vector"):
        joined(2, tf.constant([[3]]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="was expected to be a int32 tensor but is a float tensor"):
        joined(2, tf.constant(3.0))


def test_in_a_function():
    @tf.function
    def shape(batch):
        assert joined(batch, 3, static=True) is None
        return joined(batch, 3)

    assert shape(tf.constant(2)).numpy().tolist() == [2, 3]
