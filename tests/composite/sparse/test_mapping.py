"""`tf.map_fn` of sparse tensors, and what else libraries ask of sparse and ragged ones; the answers are TensorFlow's."""

import pytest

import tfgrad_jax as tf

BOTH = pytest.mark.parametrize("staged", [False, True])


def called(function, staged, *args):
    return (tf.function(function, autograph=False) if staged else function)(*args)


def sparse(value):
    return tf.sparse.from_dense(tf.reshape(tf.range(12.0), [2, 3, 2]) if value is None else value)


def shown(value):
    return [part.numpy().tolist() for part in (value.indices, value.values, value.dense_shape)]


@BOTH
def test_sparse_elements_and_dense_ones(staged):
    def product(a, b):
        return tf.map_fn(
            lambda x: tf.sparse.sparse_dense_matmul(x[0], x[1]), elems=(sparse(a), b), fn_output_signature=tf.float32
        )

    a, b = tf.reshape(tf.range(12.0), [2, 3, 2]), tf.ones([2, 2, 1])
    assert called(product, staged, a, b).numpy().tolist() == [[[1.0], [5.0], [9.0]], [[13.0], [17.0], [21.0]]]


@BOTH
def test_sparse_results(staged):
    def widened(a):
        signature = tf.SparseTensorSpec([1, 2], tf.float32)
        return tf.map_fn(lambda e: tf.sparse.expand_dims(e, 0), sparse(a), fn_output_signature=signature)

    found = called(widened, staged, tf.constant([[0.0, 2.0], [3.0, 0.0]]))
    assert shown(found) == [[[0, 0, 1], [1, 0, 0]], [2.0, 3.0], [2, 1, 2]]


def test_zeros_that_are_kept():
    kept = tf.SparseTensor([[0, 1], [1, 0]], [0.0, 3.0], [2, 2])
    assert shown(tf.map_fn(lambda e: e, kept)) == [[[0, 1], [1, 0]], [0.0, 3.0], [2, 2]]


def test_gradients_of_mapped_sparse_tensors():
    values = tf.Variable([2.0, 3.0])
    with tf.GradientTape() as tape:
        given = tf.SparseTensor([[0, 1], [1, 0]], values * 1.0, [2, 2])
        total = tf.reduce_sum(tf.map_fn(lambda e: tf.sparse.to_dense(e) ** 2, given, fn_output_signature=tf.float32))
    assert tape.gradient(total, values).numpy().tolist() == [4.0, 6.0]


def test_results_of_another_type():
    with pytest.raises(ValueError, match="fn_output_signature has SparseTensorSpec"):
        tf.map_fn(lambda e: e, sparse(None), fn_output_signature=tf.SparseTensorSpec([5, 5], tf.float32))


@BOTH
@pytest.mark.parametrize(
    ("axis", "keepdims", "expected"),
    [
        (None, False, [[[]], [15.0], []]),
        (None, True, [[[0, 0]], [15.0], [1, 1]]),
        ((0, 1), True, [[[0, 0]], [15.0], [1, 1]]),
        (0, True, [[[0, 0], [0, 1], [0, 2]], [3.0, 5.0, 7.0], [1, 3]]),
    ],
)
def test_sparse_sums_over_all_axes(staged, axis, keepdims, expected):
    def total(a):
        return tf.sparse.reduce_sum(sparse(a), axis, keepdims, output_is_sparse=True)

    assert shown(called(total, staged, tf.reshape(tf.range(6.0), [2, 3]))) == expected


@BOTH
@pytest.mark.parametrize("axis", [None, 0, -1])
def test_bins_of_vectors(staged, axis):
    for given in (tf.constant([1, 1, 2]), tf.sparse.from_dense([1, 1, 2])):
        found = called(lambda x: tf.sparse.bincount(x, axis=axis), staged, given)
        assert shown(found) == [[[1], [2]], [2, 1], [3]]


@BOTH
def test_ragged_indices_along_inner_axes(staged):
    x, indices = tf.reshape(tf.range(6.0), [2, 3]), tf.ragged.constant([[0, 2], [1]])
    found = called(lambda x, i: tf.gather(x, i, axis=1), staged, x, indices)
    assert found.to_list() == [[[0.0, 2.0], [1.0]], [[3.0, 5.0], [4.0]]]
    assert found.shape.as_list()[-1] is None
    found = called(lambda x, i: tf.gather(x, i, axis=-1), staged, x[None], indices)
    assert found.to_list() == [[[[0.0, 2.0], [1.0]], [[3.0, 5.0], [4.0]]]]
    rows = tf.ragged.constant([[1, 2, 3], [4, 5]])
    found = called(lambda x, i: tf.gather(x, i, axis=1), staged, rows, tf.ragged.constant([[0], [1, 0]]))
    assert found.to_list() == [[[1], [2, 1]], [[4], [5, 4]]]


@BOTH
def test_diagonals_of_booleans(staged):
    assert called(tf.linalg.diag, staged, tf.constant([True, False])).numpy().tolist() == [[True, False], [False] * 2]
    part = called(lambda x: tf.linalg.diag_part(x, k=(0, 1)), staged, tf.constant([[True, False], [True, True]]))
    assert part.numpy().tolist() == [[False, False], [True, True]]
