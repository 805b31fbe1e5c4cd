"""Embeddings of lists of ids, and products of sparse matrices, against TensorFlow's values."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf
from tfgrad_jax.composite.sparse import csr

TABLE = tf.reshape(tf.range(12.0), [6, 2])
IDS = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, 3, 4], [4, 2])
WEIGHTS = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1.0, 2.0, -0.5], [4, 2])

LOOKUPS = [
    (None, "sum", [[8, 10], [0, 0], [8, 9]]),
    (None, "mean", [[4, 5], [0, 0], [8, 9]]),
    (None, "sqrtn", [[5.656854, 7.071068], [0, 0], [8, 9]]),
    (WEIGHTS, "sum", [[14, 17], [0, 0], [-4, -4.5]]),
    (WEIGHTS, "mean", [[4.6666665, 5.6666665], [0, 0], [8, 9]]),
    (WEIGHTS, "sqrtn", [[6.260990, 7.602631], [0, 0], [-8, -9]]),
]


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
@pytest.mark.parametrize(("weights", "combiner", "expected"), LOOKUPS)
def test_lookups(wrap, weights, combiner, expected):
    lookup = wrap(lambda table: tf.nn.embedding_lookup_sparse(table, IDS, weights, combiner))
    np.testing.assert_allclose(lookup(TABLE), expected, rtol=1e-6)


def test_the_safe_form_drops_ids_and_fills_rows():
    safe = tf.nn.safe_embedding_lookup_sparse
    np.testing.assert_allclose(safe(TABLE, IDS, WEIGHTS), [[4.6666665, 5.6666665], [0, 0], [0, 0], [0, 0]], rtol=1e-6)
    filled = [[4.6666665, 5.6666665], [10, 11], [10, 11], [10, 11]]
    np.testing.assert_allclose(safe(TABLE, IDS, WEIGHTS, default_id=5), filled, rtol=1e-6)
    negative = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [-1, 3, 4], [4, 2])
    np.testing.assert_allclose(safe(TABLE, negative, None, "sum"), [[6, 7], [0, 0], [8, 9], [0, 0]])
    cube = tf.SparseTensor([[0, 0, 0], [0, 1, 1], [1, 1, 1]], [-1, 3, 4], [2, 2, 2])
    np.testing.assert_allclose(safe(TABLE, cube, None, "sum"), [[[0, 0], [6, 7]], [[0, 0], [8, 9]]])


def test_gradients_of_table_and_weights():
    with tf.GradientTape() as tape:
        tape.watch([TABLE, WEIGHTS.values])
        y = tf.nn.embedding_lookup_sparse(TABLE, IDS, WEIGHTS, "mean")
    table, weights = tape.gradient(y, [TABLE, WEIGHTS.values])
    np.testing.assert_allclose(tf.convert_to_tensor(table)[:, 0], [0, 1 / 3, 0, 2 / 3, 1, 0], rtol=1e-6)
    np.testing.assert_allclose(weights, [-1.7777774, 0.8888893, 0.0], atol=1e-6)


BAD = [
    ([1, 2], None, "sum", TypeError, "sp_ids must be SparseTensor"),
    (IDS, [1.0], "sum", TypeError, "sp_weights"),
    (IDS, None, "max", ValueError, "combiner must be one of"),
    (tf.SparseTensor([[0, 0]], [9], [1, 1]), None, "sum", tf.errors.InvalidArgumentError, "9"),
]


@pytest.mark.parametrize(("ids", "weights", "combiner", "error", "message"), BAD)
def test_bad_lookups(ids, weights, combiner, error, message):
    with pytest.raises(error, match=message):
        tf.nn.embedding_lookup_sparse(TABLE, ids, weights, combiner)


@pytest.mark.parametrize("batch", [(), (2,)])
def test_products_of_sparse_matrices(batch):
    rng = np.random.default_rng(1)
    a, b = (np.where(rng.random(s) < 0.4, rng.random(s), 0).astype("float32") for s in ((*batch, 3, 4), (*batch, 4, 5)))
    parts = [tf.sparse.from_dense(m) for m in (a, b)]
    matrices = [csr.sparse_tensor_to_csr_sparse_matrix(p.indices, p.values, p.dense_shape) for p in parts]
    product = csr.csr_sparse_matrix_to_sparse_tensor(
        csr.sparse_matrix_sparse_mat_mul(*matrices, tf.float32), tf.float32
    )
    dense = tf.sparse.to_dense(tf.SparseTensor(product.indices, product.values, product.dense_shape))
    np.testing.assert_allclose(dense, a @ b, rtol=1e-5)
