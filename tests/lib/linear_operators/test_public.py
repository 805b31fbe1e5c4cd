"""Public functions of matrices, called with linear operators."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

L = tf.linalg
MATRIX = np.array([[4.0, 1.0], [1.0, 3.0]])
OTHER = np.array([[1.0, 2.0], [3.0, 4.0]])


def full(**known):
    return L.LinearOperatorFullMatrix(MATRIX, **known)


POSITIVE = {"is_self_adjoint": True, "is_positive_definite": True}


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (lambda: L.det(full()), np.linalg.det(MATRIX)),
        (lambda: L.trace(full()), 7.0),
        (lambda: L.diag_part(full(), k=1), [4.0, 3.0]),
        (lambda: L.logdet(full(**POSITIVE)), np.log(np.linalg.det(MATRIX))),
        (lambda: L.solve(full(), OTHER), np.linalg.solve(MATRIX, OTHER)),
        (lambda: tf.matmul(full(), OTHER), MATRIX @ OTHER),
        (lambda: tf.matmul(OTHER, full(), adjoint_a=True), OTHER.T @ MATRIX),
        (lambda: tf.constant(OTHER) @ full(), OTHER @ MATRIX),
        (lambda: L.matvec(full(), OTHER[0]), MATRIX @ OTHER[0]),
        (lambda: L.inv(full(), adjoint=True).to_dense(), np.linalg.inv(MATRIX)),
        (lambda: L.cholesky(full(**POSITIVE)).to_dense(), np.linalg.cholesky(MATRIX)),
        (lambda: L.adjoint(full()).to_dense(), MATRIX),
        (lambda: L.solve(full(), full()).to_dense(), np.eye(2)),
    ],
)
def test_the_operator_is_asked(made, expected):
    np.testing.assert_allclose(made(), expected, atol=1e-12)
    np.testing.assert_allclose(tf.function(made, autograph=False)(), expected, atol=1e-12)


@pytest.mark.parametrize(
    "make",
    [
        lambda: L.logdet(full()),
        lambda: L.solve(OTHER, full()),
        lambda: tf.matmul(full(), OTHER, transpose_a=True),
        lambda: tf.matmul(full(), OTHER, a_is_sparse=True),
        lambda: L.slogdet(full()),
        lambda: tf.convert_to_tensor(full()),
        lambda: tf.reduce_sum(full()),
    ],
)
def test_what_is_refused(make):
    with pytest.raises(ValueError):
        make()


def test_gradients_pass_through():
    matrix = tf.Variable(MATRIX)
    with tf.GradientTape() as tape:
        loss = L.det(L.LinearOperatorFullMatrix(matrix))
    np.testing.assert_allclose(tape.gradient(loss, matrix), np.linalg.det(MATRIX) * np.linalg.inv(MATRIX).T)
