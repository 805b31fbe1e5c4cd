"""What ragged tensors say of wrong arguments, as programs look for it. Recorded from TensorFlow 2.21."""

from __future__ import annotations

import pytest

import tfgrad_jax as tf

rows = tf.ragged.constant([[1, 2], [3]])
Wrong = tf.errors.InvalidArgumentError


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (
            lambda: tf.ragged.constant(12, ragged_rank=1),
            ValueError,
            "Invalid pylist=12: incompatible with ragged_rank=1",
        ),
        (lambda: tf.ragged.constant(12, inner_shape=(1,)), ValueError, "incompatible with dim(inner_shape)=1"),
        (lambda: tf.ragged.constant([[1]], ragged_rank=-1), ValueError, "Invalid ragged_rank=-1: must be nonnegative"),
        (
            lambda: tf.ragged.constant([[1], [[]]]),
            ValueError,
            "empty list nesting is greater than scalar value nesting",
        ),
        (lambda: tf.ragged.constant([1], ragged_rank=1), ValueError, "requires scalar value depth greater than 1"),
        (lambda: tf.where(rows > 1, rows), ValueError, "x and y must be either both None or both non-None"),
        (
            lambda: tf.ragged.map_flat_values(tf.reduce_sum, rows),
            ValueError,
            "(output shape: (); expected outer dimension size: 3)",
        ),
        (
            lambda: tf.ragged.map_flat_values(tf.add, rows, tf.ragged.constant([[1], [2, 3]])),
            Wrong,
            "incompatible row_splits",
        ),
        (lambda: rows[..., 0, 0, 0], IndexError, "Too many indices for RaggedTensor"),
        (lambda: rows[:, 0], ValueError, "Cannot index into an inner ragged dimension."),
        (lambda: rows["a"], TypeError, "Only integers, slices"),
        (lambda: tf.squeeze(rows, 0), Wrong, "the given axis (axis = 0) is not squeezable!"),
        (lambda: tf.RaggedTensor.from_uniform_row_length([1], -1), ValueError, "uniform_row_length must be >= 0."),
        (
            lambda: tf.RaggedTensor.from_row_lengths([1], [-1, 2]),
            Wrong,
            "from_row_lengths do not form a valid RowPartition",
        ),
        (lambda: rows.to_tensor(shape=[1]), Wrong, "rt_input.rank = 2 but shape.rank = 1"),
        (lambda: tf.split(rows, 3), Wrong, "Cannot exactly split the `axis` dimension of `value`"),
        (lambda: tf.strings.reduce_join(tf.ragged.constant([["a"]]), axis=5), ValueError, "axis=5 out of bounds"),
    ],
)
def test_wrong_arguments(call, error, said):
    with pytest.raises(error) as caught:
        call()
    assert said in str(caught.value)
