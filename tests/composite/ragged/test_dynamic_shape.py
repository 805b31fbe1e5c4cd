"""The shape of a ragged tensor as a value, as TensorFlow gives it."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

RAGGED = {
    "one ragged dimension": (tf.ragged.constant([[1, 2], [3]]), [2, (2, 1)], [3], 1),
    "two": (tf.ragged.constant([[[1, 2], [3]], [[4]]]), [2, (2, 1), (2, 1, 1)], [4], 2),
    "one inside": (tf.ragged.constant([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1), [2, (2, 1), 2], [3, 2], 1),
}


@pytest.mark.parametrize("name", RAGGED)
def test_its_parts(name):
    tensor, lengths, inner, count = RAGGED[name]
    shape = tf.shape(tensor)
    assert shape.dtype is tf.int32 and shape.rank == len(lengths) and shape.num_row_partitions == count
    np.testing.assert_array_equal(shape.inner_shape, inner)
    assert shape.static_lengths() == lengths
    assert shape.static_lengths(ragged_lengths=False) == [None if isinstance(n, tuple) else n for n in lengths]
    assert [shape.is_uniform(i) for i in range(shape.rank)] == [not isinstance(n, tuple) for n in lengths]
    assert int(shape[0]) == 2 and shape[:1].static_lengths() == [2] and shape[:2].static_lengths() == lengths[:2]
    with pytest.raises(ValueError, match="Index 1 is not uniform"):
        shape[1]
    with pytest.raises(ValueError, match="must be uniform"):
        shape[1:]


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
def test_a_size_is_a_tensor(wrap):
    tensor = RAGGED["one inside"][0]
    np.testing.assert_array_equal(wrap(lambda x: [tf.shape(x)[0], tf.shape(x)[2]])(tensor), [2, 2])


def test_it_is_shown_and_made():
    shape = tf.experimental.DynamicRaggedShape
    assert repr(tf.shape(RAGGED["two"][0])) == (
        "<DynamicRaggedShape lengths=[2, (2, 1), (2, 1, 1)] num_row_partitions=2>"
    )
    assert (
        repr(shape.from_lengths([2, (1, 2), 3])) == "<DynamicRaggedShape lengths=[2, (1, 2), 3] num_row_partitions=1>"
    )
    assert repr(shape.from_tensor(tf.ones([2, 3]))) == "<DynamicRaggedShape lengths=[2, 3] num_row_partitions=0>"
    assert repr(tf.shape(RAGGED["two"][0]).row_partitions[0]) == "tf.RowPartition(row_splits=[0 2 3])"
    part = tf.experimental.RowPartition.from_row_lengths([1, 2])
    assert repr(shape([part], [3, 2])) == "<DynamicRaggedShape lengths=[2, (1, 2), 2] num_row_partitions=1>"
    assert int(part.nrows()) == 2 and int(part.nvals()) == 3


def test_partitions_of_every_division():
    make = tf.experimental.RowPartition
    part = make.from_value_rowids([0, 0, 2], nrows=4)
    assert repr(part) == "tf.RowPartition(row_splits=[0 2 2 3 3])"
    assert part.value_rowids().numpy().tolist() == [0, 0, 2]
    assert part.row_starts().numpy().tolist() == [0, 2, 2, 3] and part.row_limits().numpy().tolist() == [2, 2, 3, 3]
    assert part.offsets_in_rows().numpy().tolist() == [0, 1, 0]
    assert (part.static_nrows, part.static_nvals, part.dtype) == (4, 3, tf.int64)
    assert make.from_value_rowids([], nrows=2).row_splits().numpy().tolist() == [0, 0, 0]
    assert make.from_row_starts([0, 2], 3).row_splits().numpy().tolist() == [0, 2, 3]
    assert make.from_row_limits([2, 3]).row_splits().numpy().tolist() == [0, 2, 3]
    assert make.from_uniform_row_length(2, 4).row_splits().numpy().tolist() == [0, 2, 4]
    with pytest.raises(tf.errors.InvalidArgumentError):
        make.from_value_rowids([2, 1])
    with pytest.raises(ValueError, match="nrows"):
        make.from_value_rowids([0, 1], nrows=1)
    with pytest.raises(tf.errors.InvalidArgumentError):
        make.from_row_splits([1, 2])


@pytest.mark.parametrize("how", [lambda f: f, tf.function], ids=["eagerly", "in a function"])
def test_tensors_are_brought_into_it(how):
    make = tf.experimental.DynamicRaggedShape.from_lengths
    rows, deep = tf.ragged.constant([[3, 1, 4, 1], [], [5, 9, 2], [6]]), tf.ragged.constant([[[1, 2], [3]], [[4]]])
    pairs = tf.RaggedTensor.from_row_splits(tf.reshape(tf.range(12), [6, 2]), [0, 2, 2, 6])

    def listed(call, *arguments):
        return how(call)(*arguments).to_list()

    assert listed(lambda t: tf.reshape(t, make([3, (2, 4, 2)])), rows) == [[3, 1], [4, 1, 5, 9], [2, 6]]
    assert listed(lambda t: tf.reshape(t, make([2, (2, 4)])), tf.range(6)) == [[0, 1], [2, 3, 4, 5]]
    assert listed(lambda t: tf.reshape(t, make([2, (1, 3)])), deep) == [[1], [2, 3, 4]]
    assert listed(lambda t: tf.reshape(t, make([2, (1, 5), 2])), pairs)[0] == [[0, 1]]
    assert listed(lambda t: tf.broadcast_to(t, make([2, (1, 3)])), tf.constant([[1], [2]])) == [[1], [2, 2, 2]]
    assert listed(lambda t: tf.broadcast_to(t, make([2, (1, 3)])), tf.constant(5)) == [[5], [5, 5, 5]]
    assert listed(lambda t: tf.broadcast_to(t, make([4, (4, 0, 3, 1)])), rows) == rows.to_list()
    assert listed(lambda: tf.zeros(make([2, (1, 3)]))) == [[0.0], [0.0, 0.0, 0.0]]
    assert listed(lambda: tf.ones(make([2, (1, 3)]), tf.int32)) == [[1], [1, 1, 1]]
    assert listed(lambda: tf.fill(make([2, (1, 3)]), 7)) == [[7], [7, 7, 7]]
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match="requested shape has 5"):
        how(lambda: tf.reshape(tf.range(6), make([2, (2, 3)])))()
    with pytest.raises(
        (tf.errors.InvalidArgumentError, ValueError), match=r"lengths of rows must agree|Incompatible shapes"
    ):
        listed(lambda t: tf.broadcast_to(t, make([2, (1, 3)])), tf.ragged.constant([[1], [2]]))


def test_shapes_of_what_broadcasts():
    S = tf.experimental.DynamicRaggedShape
    ragged = S.from_tensor(tf.ragged.constant([[1], [2, 3]]))
    for other in (S.from_tensor(tf.constant([[5]])), tf.constant([2, 1], tf.int64), ragged):
        found = tf.broadcast_dynamic_shape(ragged, other)
        assert repr(found) == "<DynamicRaggedShape lengths=[2, (1, 2)] num_row_partitions=1>"
    dense = S.from_lengths([2, 1])
    assert tf.broadcast_dynamic_shape(dense, S.from_lengths([3])).static_lengths() == [2, 3]
