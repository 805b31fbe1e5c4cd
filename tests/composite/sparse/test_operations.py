"""Operations on sparse tensors, eagerly and in functions, and their gradients."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf
from tests.composite.sparse.rows import OPERANDS, ROWS
from tests.composite.tables import check, ways


@pytest.fixture(scope="module")
def names():
    return {name: eval(text, {"tf": tf}) for name, text in OPERANDS.items()}


@pytest.mark.parametrize(("expression", "expected", "way"), ways(ROWS))
def test_as_tensorflow(expression, expected, way, names):
    check(expression, expected, way, names)


GRADIENTS = [
    (lambda s: tf.sparse.to_dense(s) * [[1.0, 2.0, 3.0]], [2.0, 3.0]),
    (lambda s: tf.sparse.reduce_sum(s, axis=1) * [1.0, 5.0], [1.0, 5.0]),
    (lambda s: tf.sparse.sparse_dense_matmul(s, [[1.0], [2.0], [3.0]]), [2.0, 3.0]),
    (lambda s: tf.sparse.add(s, s).values, [2.0, 2.0]),
    (lambda s: tf.sparse.reorder(s).values * [1.0, 2.0], [1.0, 2.0]),
    (lambda s: tf.sparse.concat(1, [s, s]).values, [2.0, 2.0]),
    (lambda s: (s * [[1.0, 4.0, 7.0]]).values, [4.0, 7.0]),
    (lambda s: tf.sparse.fill_empty_rows(s, 1.0)[0].values, [1.0, 1.0]),
    (lambda s: tf.square(s).values, [2.0, 4.0]),
]


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
@pytest.mark.parametrize(("function", "expected"), GRADIENTS)
def test_gradients(function, expected, wrap):
    @wrap
    def gradient(values):
        with tf.GradientTape() as tape:
            tape.watch(values)
            y = function(tf.SparseTensor([[0, 1], [1, 2]], values, [2, 3]))
        return tape.gradient(y, values)

    assert gradient(tf.constant([1.0, 2.0])).numpy().tolist() == expected


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
def test_crosses(wrap):
    words = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], ["a", "b", "c"], [2, 2])
    crossed = wrap(lambda *inputs: tf.sparse.cross(inputs, separator="+"))(words, words)
    assert crossed.values.numpy().tolist() == [b"a+a", b"a+b", b"b+a", b"b+b", b"c+c"]
    assert crossed.indices.numpy().tolist() == [[0, 0], [0, 1], [0, 2], [0, 3], [1, 0]]
    assert crossed.dense_shape.numpy().tolist() == [2, 4]
    hashed = wrap(lambda *inputs: tf.sparse.cross_hashed(inputs))(words, words)
    assert hashed.values.numpy().tolist()[:2] == [3112133398209135108, 5527121959452899179]
    mixed = wrap(lambda *inputs: tf.sparse.cross_hashed(inputs, num_buckets=100))
    pairs = tf.SparseTensor([[0, 0], [0, 1]], ["c", "d"], [2, 2])
    assert mixed(tf.constant([[1], [2]]), pairs).values.numpy().tolist() == [53, 95]
    with pytest.raises(TypeError):
        tf.sparse.cross([[["a"], ["b"]], words])


TABLE, SPARSE = np.ones((4, 2), np.float32), ([[0, 0], [0, 1], [1, 0]], [1.0, 2.0, 3.0], [2, 4])
PICKED = [0, 1, 3], [0, 0, 1]

KINDS = {
    "matmul": (lambda k: tf.sparse.sparse_dense_matmul(tf.SparseTensor(*SPARSE), k), tf.Tensor),
    "matmul, turned": (
        lambda k: tf.sparse.sparse_dense_matmul(k, tf.SparseTensor(*SPARSE), adjoint_a=True, adjoint_b=True),
        tf.Tensor,
    ),
    "segment_sum": (lambda k: tf.sparse.segment_sum(k, *PICKED), tf.Tensor),
    "segment_mean": (lambda k: tf.sparse.segment_mean(k, *PICKED), tf.Tensor),
    "segment_sqrt_n": (lambda k: tf.sparse.segment_sqrt_n(k, *PICKED), tf.Tensor),
    "segment_sum, as asked for": (lambda k: tf.sparse.segment_sum(k, *PICKED, sparse_gradient=True), tf.IndexedSlices),
    "slice": (
        lambda k: tf.sparse.slice(tf.SparseTensor(SPARSE[0], k[:3, 0], [2, 4]), [0, 0], [1, 2]).values,
        tf.Tensor,
    ),
    "embedding": (
        lambda k: tf.nn.embedding_lookup_sparse(k, tf.SparseTensor(SPARSE[0], [1, 2, 3], [2, 4]), None),
        tf.IndexedSlices,
    ),
}


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
@pytest.mark.parametrize("name", KINDS)
def test_kinds_of_gradients(name, wrap):
    """As TensorFlow's: programs call `numpy()` on one, and look for `values` in the other."""
    function, kind = KINDS[name]
    table = tf.Variable(TABLE)

    @wrap
    def gradient():
        with tf.GradientTape() as tape:
            total = tf.reduce_sum(function(table))
        return tape.gradient(total, table)

    assert isinstance(gradient(), kind)
