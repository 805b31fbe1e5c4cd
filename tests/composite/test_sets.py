"""`tf.sets`: dense and sparse tensors as sets, eagerly and in functions."""

from __future__ import annotations

import pytest

import tfgrad_jax as tf

A, B = [[1, 2, 3, 3], [4, 4, 5, 6]], [[1, 3], [7, 4]]


@pytest.mark.parametrize("make", [tf.constant, lambda x: tf.sparse.from_dense(tf.constant(x))])
@pytest.mark.parametrize(
    ("operation", "indices", "values", "shape"),
    [
        (tf.sets.difference, [[0, 0], [1, 0], [1, 1]], [2, 5, 6], [2, 2]),
        (tf.sets.intersection, [[0, 0], [0, 1], [1, 0]], [1, 3, 4], [2, 2]),
        (
            tf.sets.union,
            [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2], [1, 3]],
            [1, 2, 3, 4, 5, 6, 7],
            [2, 4],
        ),
    ],
)
def test_operations(make, operation, indices, values, shape):
    for run in (operation, tf.function(operation)):
        found = run(make(A), make(B))
        assert found.indices.numpy().tolist() == indices and found.values.numpy().tolist() == values
        assert found.dense_shape.numpy().tolist() == shape


def test_the_other_way_round_texts_and_sizes():
    assert tf.sets.difference(tf.constant(A), tf.constant(B), aminusb=False).values.numpy().tolist() == [7]
    assert tf.sets.union(tf.constant([["a", "b"]]), tf.constant([["c", "b"]])).values.numpy().tolist() == [
        b"a",
        b"b",
        b"c",
    ]
    assert tf.sets.size(tf.sparse.from_dense(tf.constant(A))).numpy().tolist() == [3, 3]


def test_what_does_not_fit():
    with pytest.raises(tf.errors.InvalidArgumentError, match="different group shapes"):
        tf.sets.union(tf.constant(A), tf.constant(B[:1]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="at least two dimensions"):
        tf.sets.union(tf.constant(A[0]), tf.constant(B[0]))
    with pytest.raises(TypeError, match="integers or strings, got float32"):
        tf.sets.union(tf.constant(A, tf.float32), tf.constant(B, tf.float32))
    with pytest.raises(TypeError, match="Types do not match"):
        tf.sets.union(tf.constant(A), tf.constant(B, tf.int64))
    with pytest.raises(TypeError, match="Expected `SparseTensor`"):
        tf.sets.size(tf.constant(A))
