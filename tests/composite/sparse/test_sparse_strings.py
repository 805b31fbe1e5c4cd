"""Sparse tensors as strings, and distances of the sequences in them: what TensorFlow answers."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

SPARSE = tf.SparseTensor([[0, 1], [1, 0]], [1.0, 2.0], [2, 3])


def test_strings_and_back():
    one, many = tf.io.serialize_sparse(SPARSE), tf.io.serialize_many_sparse(SPARSE)
    assert one.shape == (3,)
    assert one.numpy()[2] == b'\x08\t\x12\x04\x12\x02\x08\x02"\x10\x02' + bytes(7) + b"\x03" + bytes(7)
    assert many.shape == (2, 3)
    assert many.numpy()[0][1] == b'\x08\x01\x12\x04\x12\x02\x08\x01"\x04\x00\x00\x80?'
    back = tf.io.deserialize_many_sparse(many, tf.float32)
    np.testing.assert_array_equal(tf.sparse.to_dense(back), tf.sparse.to_dense(SPARSE))
    both = tf.io.deserialize_many_sparse(tf.stack([one, one]), tf.float32, rank=2)
    assert both.indices.numpy().tolist() == [[0, 0, 1], [0, 1, 0], [1, 0, 1], [1, 1, 0]]
    assert both.dense_shape.numpy().tolist() == [2, 2, 3]


def test_in_a_function():
    @tf.function(input_signature=[tf.SparseTensorSpec([None, 3], tf.float32)])
    def there_and_back(x):
        return tf.io.deserialize_many_sparse(tf.io.serialize_many_sparse(x), tf.float32, rank=1)

    np.testing.assert_array_equal(tf.sparse.to_dense(there_and_back(SPARSE)), tf.sparse.to_dense(SPARSE))


def test_strings_that_are_none():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Could not parse serialized proto"):
        tf.io.deserialize_many_sparse([["a", "b", "c"]], tf.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="type int32 but SparseTensor has type float"):
        tf.io.deserialize_many_sparse(tf.io.serialize_many_sparse(SPARSE), tf.int32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="should be > 1, but saw rank: 1"):
        tf.io.serialize_many_sparse(tf.SparseTensor([[0]], [1], [3]))
    with pytest.raises(TypeError):
        tf.io.serialize_sparse([1.0])


def test_sampled_products():
    a, b = np.arange(6.0, dtype=np.float32).reshape(2, 3), np.arange(12.0, dtype=np.float32).reshape(3, 4)
    call = tf.sparse.sampled_addmm
    for run in (call, tf.function(call, autograph=False)):
        indices, values, shape = run([[0, 1], [1, 0]], [1.0, 2.0], [2, 4], a, b, beta=2.0, alpha=0.5)
        assert (indices.dtype, shape.numpy().tolist()) == (tf.int32, [2, 4])
        np.testing.assert_allclose(values, [13.5, 32.0])
    assert call([[0, 1]], [1], [2, 4], a, b, output_type=tf.float64)[1].dtype is tf.float64
    with pytest.raises(tf.errors.InvalidArgumentError):
        call([[5, 0]], [1.0], [2, 4], a, b)
    places = [[[0, 1], [1, 0]], [[0, 0], [1, 0]]]
    first = np.arange(1, 13, dtype=np.float32).reshape(2, 2, 3)
    second = np.arange(13, 25, dtype=np.float32).reshape(2, 3, 2)
    for run in (call, tf.function(call, autograph=False)):
        found = run(places, [[3.0, 5.0], [2.0, 7.0]], [2, 2], first, second, alpha=0.75, beta=0.25)[1]
        np.testing.assert_allclose(found, [[75.75, 173.0], [381.5, 524.5]])


HYPOTHESIS = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1, 2, 3], [2, 2])
TRUTH = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], [1, 3, 4], [2, 2])
NONE = tf.SparseTensor(np.zeros((0, 2), np.int64), np.array([], np.int32), [2, 2])


@pytest.mark.parametrize(
    ("a", "b", "normalize", "expected"),
    [
        (HYPOTHESIS, TRUTH, True, [1.0, 0.5]),
        (HYPOTHESIS, TRUTH, False, [1.0, 1.0]),
        (HYPOTHESIS, NONE, True, [np.inf, np.inf]),
        (NONE, NONE, True, [0.0, 0.0]),
        (*[tf.compat.v1.SparseTensorValue([[0, 0]], [7], [1, 2])] * 2, True, [0.0]),
    ],
)
def test_distances(a, b, normalize, expected):
    for call in (tf.edit_distance, tf.function(tf.edit_distance, autograph=False)):
        found = call(a, b, normalize=normalize)
        assert found.dtype is tf.float32
        np.testing.assert_array_equal(found, expected)


def test_distances_of_ranks_that_do_not_fit():
    one, two = tf.sparse.from_dense(["a"]), tf.sparse.from_dense([["a"]])
    for a, b, says in ((one, one, "rank at least 2"), (one, two, "matching ranks")):
        with pytest.raises(tf.errors.InvalidArgumentError, match=says):
            tf.edit_distance(a, b)
        with pytest.raises(ValueError, match=says):
            tf.function(tf.edit_distance, autograph=False)(a, b)


def test_distances_of_what_is_not_sparse():
    with pytest.raises(TypeError, match="Truth must be a SparseTensor"):
        tf.edit_distance(HYPOTHESIS, [1])
