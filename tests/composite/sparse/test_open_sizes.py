"""Sparse and ragged tensors whose sizes a function leaves open."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

MATRIX = tf.sparse.SparseTensor([[0, 0], [0, 2], [1, 1], [2, 0], [2, 3]], [1.0, -2.0, 3.0, 4.0, -0.5], [3, 4])
SPARSE = tf.SparseTensorSpec([None, None], tf.float32)
ROWS = tf.ragged.constant([[1.0, 2.0, 3.0], [], [4.0, 5.0]])


def recorded(function, spec):
    return tf.function(function, input_signature=[spec], autograph=False)


@pytest.mark.parametrize("count, axis", [(2, 1), (3, 1), (4, 1), (3, 0), (1, 0)])
def test_split(count, axis):
    known = tf.sparse.split(MATRIX, count, axis)
    later = recorded(lambda x: tf.sparse.split(x, count, axis), SPARSE)(MATRIX)
    wanted = np.array_split(tf.sparse.to_dense(MATRIX).numpy(), count, axis)
    for parts in (known, later):
        assert [tf.sparse.to_dense(part).numpy().tolist() for part in parts] == [part.tolist() for part in wanted]


def test_split_into_too_many():
    with pytest.raises(tf.errors.InvalidArgumentError, match="num_split should be between 1 and the size"):
        recorded(lambda x: tf.sparse.split(x, 5, 1), SPARSE)(MATRIX)
    with pytest.raises(ValueError, match="num_split should be between 1"):
        recorded(lambda x: tf.sparse.split(x, 0, 1), SPARSE)(MATRIX)


@pytest.mark.parametrize("parts", [3, [1, 2]])
def test_split_of_rows(parts):
    spec = tf.RaggedTensorSpec([None, None], tf.float32)
    found = recorded(lambda x: tf.split(x, parts), spec)(ROWS)
    assert [one.to_list() for one in found] == [one.to_list() for one in tf.split(ROWS, parts)]
    wrong = 2 if parts == 3 else [1, 1]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"split|add up"):
        recorded(lambda x: tf.split(x, wrong), spec)(ROWS)


def test_ragged_to_sparse_with_open_sizes_of_rows():
    ragged = tf.RaggedTensor.from_row_splits(tf.reshape(tf.range(10.0), [5, 2]), [0, 2, 2, 5])
    found = recorded(lambda x: x.to_sparse(), tf.RaggedTensorSpec([None, None, None], tf.float32, 1))(ragged)
    wanted = ragged.to_sparse()
    assert found.indices.numpy().tolist() == wanted.indices.numpy().tolist()
    assert (found.values.numpy().tolist(), found.shape.as_list()) == (wanted.values.numpy().tolist(), [3, 3, 2])


def test_the_number_of_values_may_change_in_a_loop():
    @tf.function
    def grown(values):
        matrix = tf.sparse.SparseTensor([[0, 0], [1, 1]], values, [2, 2])
        return tf.while_loop(lambda i, x: i < 2, lambda i, x: (i + 1, tf.sparse.concat(1, [x, x])), [0, matrix])[1]

    assert tf.sparse.to_dense(grown(tf.constant([1.0, 2.0]))).numpy().tolist() == [[1, 0] * 4, [0, 2] * 4]

    @tf.function
    def longer(rows):
        return tf.while_loop(lambda i, x: i < 2, lambda i, x: (i + 1, tf.concat([x, x], 0)), [0, rows])[1]

    with pytest.raises(ValueError, match="after one iteration"):  # how many rows there are is not open
        longer(ROWS)


@pytest.mark.parametrize("dtype", [tf.int32, tf.int64])
def test_counts_have_the_dtype_of_what_is_counted(dtype):
    numbers = tf.sparse.SparseTensor([[0, 1], [1, 0], [1, 2]], tf.constant([3, 1, 1], dtype), [2, 3])
    found = tf.sparse.bincount(numbers, axis=-1)
    assert found.dtype is dtype and found.values.numpy().tolist() == [1, 2]
    assert tf.sparse.bincount(numbers, weights=tf.sparse.map_values(tf.cast, numbers, tf.float32)).dtype is tf.float32
    rows = tf.math.bincount(numbers, axis=-1, minlength=5)
    assert (rows.dtype, rows.numpy().tolist()) == (tf.int32, [[0, 0, 0, 1, 0], [0, 2, 0, 0, 0]])
    assert tf.math.bincount(numbers, axis=-1, binary_output=True).numpy().tolist() == [[0, 0, 0, 1], [0, 1, 0, 0]]


def test_softmax_of_a_vector():
    with pytest.raises(tf.errors.InvalidArgumentError, match="rank >= 2"):
        tf.sparse.softmax(tf.sparse.SparseTensor([[0]], [1.0], [2]))


CUBE = tf.sparse.SparseTensor([[0, 0, 1], [0, 1, 0], [1, 2, 2], [2, 0, 0]], [1.0, 2.0, 3.0, 4.0], [3, 3, 3])
UNRANKED = {
    "concat": lambda x: tf.sparse.concat(-1, [x, x]),
    "concat to the largest": lambda x: tf.sparse.concat(0, [x, x], expand_nonconcat_dims=True),
    "expand_dims": lambda x: tf.sparse.expand_dims(x, 1),
    "expand_dims at the end": tf.sparse.expand_dims,
    "transpose": tf.sparse.transpose,
    "split": lambda x: tf.sparse.split(x, 2, -1)[1],
    "reduce_sum": lambda x: tf.sparse.reduce_sum(x, -1, keepdims=True),
    "reduce_sum of all": tf.sparse.reduce_sum,
    "reduce_max": lambda x: tf.sparse.reduce_max(x, [0]),
    "sparse reduce_max": lambda x: tf.sparse.reduce_max(x, [0], output_is_sparse=True),
    "sparse reduce_sum": lambda x: tf.sparse.reduce_sum(x, 1, keepdims=True, output_is_sparse=True),
    "softmax": tf.sparse.softmax,
    "product": lambda x: x * [2.0],
    "quotient": lambda x: x / 2.0,
    "map_fn": lambda x: tf.map_fn(tf.sparse.reduce_sum, x, fn_output_signature=tf.float32),
}


@pytest.mark.parametrize("name", UNRANKED)
@pytest.mark.parametrize("sparse", [MATRIX, CUBE], ids=["matrix", "cube"])
def test_the_number_of_dimensions_need_not_be_known(name, sparse):
    function = UNRANKED[name]
    found = recorded(function, tf.SparseTensorSpec(None, tf.float32))(sparse)
    wanted = function(sparse)
    if isinstance(wanted, tf.SparseTensor):
        assert found.indices.numpy().tolist() == wanted.indices.numpy().tolist()
        assert found.dense_shape.numpy().tolist() == wanted.dense_shape.numpy().tolist()
        found, wanted = found.values, wanted.values
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


@pytest.mark.parametrize(
    "function, message",
    [
        (lambda x: tf.sparse.concat(2, [x, x]), "axis 2 is out of range"),
        (lambda x: tf.sparse.reduce_sum(x, -3), "axis -3 is out of range"),
        (lambda x: x * tf.ones([4, 4, 4]), "more dimensions"),
        (lambda x: tf.sparse.softmax(tf.sparse.reshape(x, [-1])), "rank >= 2"),
    ],
)
def test_wrong_axes_of_unknown_ranks_are_refused(function, message):
    made = recorded(function, tf.SparseTensorSpec(None, tf.float32))
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        made(MATRIX)
