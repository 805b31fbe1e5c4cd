"""Circulant operators and conjugate gradients: what TensorFlow answers, and what dense matrices do."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

linalg = tf.linalg
REAL = tf.constant([6.0, 4.0, 4.0])


def close(a, b):
    np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)


def test_a_real_matrix():
    c = linalg.LinearOperatorCirculant(REAL, input_output_dtype=tf.float32)
    assert c.shape == (3, 3) and c.is_self_adjoint and c.block_depth == 1 and c.block_shape == (3,)
    dense = np.full((3, 3), 2 / 3) + np.eye(3) * 4
    close(c.to_dense(), dense)
    close(c.matvec([1.0, 2.0, 3.0]), [8.0, 12.0, 16.0])
    close(c.solvevec([1.0, 2.0, 3.0]), [0.08333334, 0.33333334, 0.5833334])
    close(c.convolution_kernel(), dense[:, 0])
    for name, expected in {"determinant": 96.0, "trace": 14.0, "cond": 1.5, "log_abs_determinant": 4.564348}.items():
        close(getattr(c, name)(), expected)
    close(c.diag_part(), np.diag(dense))
    close(c.eigvals(), REAL)
    for made, by in ((c.inverse(), np.linalg.inv(dense)), (c.matmul(c), dense @ dense), (c.adjoint(), dense.T)):
        assert isinstance(made, linalg.LinearOperatorCirculant)
        close(made.to_dense(), by)
    c.assert_non_singular(), c.assert_positive_definite(), c.assert_hermitian_spectrum(), c.assert_self_adjoint()


def test_a_complex_matrix():
    c = linalg.LinearOperatorCirculant([6.0, 4.0, 2.0])
    assert c.dtype is tf.complex64
    close(c.to_dense()[1], [1 + 0.57735026j, 4, 1 - 0.57735026j])
    x = tf.complex(tf.ones([3, 2]), tf.constant([[1.0, 2.0]] * 3))
    close(c.matmul(x, adjoint=True), np.conj(np.transpose(c.to_dense())) @ x)
    close(c.matmul(c.solve(x)), x)


@pytest.mark.parametrize(
    ("kind", "shape"), [(linalg.LinearOperatorCirculant2D, (2, 3)), (linalg.LinearOperatorCirculant3D, (2, 2, 2))]
)
def test_nested_blocks(kind, shape):
    spectrum = np.arange(1, 2 * np.prod(shape) + 1, dtype=np.float32).reshape(2, *shape)
    c = kind(tf.constant(spectrum, tf.complex64))
    size = int(np.prod(shape))
    assert c.shape == (2, size, size) and c.batch_shape == (2,) and c.block_shape == shape
    kernel = np.fft.ifftn(spectrum, axes=range(1, 1 + len(shape)))
    close(c.convolution_kernel(), kernel)
    close(c.to_dense()[..., 0], kernel.reshape(2, size))
    close(linalg.det(c.to_dense()), c.determinant() * tf.ones([2], tf.complex64))
    close(linalg.trace(c.to_dense()), c.trace())
    x = tf.ones([size, 1], tf.complex64)
    close(c.matmul(x), c.to_dense() @ x)
    close(tf.function(lambda o, v: o.matmul(v), autograph=False)(c, x), c.to_dense() @ x)


def test_gradients():
    spectrum = tf.Variable(REAL)
    with tf.GradientTape(persistent=True) as tape:
        c = linalg.LinearOperatorCirculant(spectrum, input_output_dtype=tf.float32)
        y = tf.reduce_sum(c.matvec([1.0, 2.0, 4.0]) ** 2)
        z = c.log_abs_determinant()
    close(tape.gradient(z, spectrum), 1 / REAL.numpy())
    # The squares of the transform, by Parseval's formula.
    waves = np.abs(np.fft.fft([1.0, 2.0, 4.0])) ** 2
    close(tape.gradient(y, spectrum), 2 * REAL.numpy() * waves / 3)


def test_refused():
    with pytest.raises(ValueError, match="must have at least 2 dimensions"):
        linalg.LinearOperatorCirculant2D([1.0])
    with pytest.raises(ValueError, match="always square"):
        linalg.LinearOperatorCirculant([1.0], is_square=False)
    with pytest.raises(ValueError, match="self-adjoint"):
        linalg.LinearOperatorCirculant([1.0], is_self_adjoint=False)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Singular operator"):
        linalg.LinearOperatorCirculant([0.0, 1.0]).assert_non_singular()
    with pytest.raises(tf.errors.InvalidArgumentError, match="Not positive definite"):
        linalg.LinearOperatorCirculant([1.0, -1.0]).assert_positive_definite()


def test_conjugate_gradients():
    matrix = linalg.LinearOperatorFullMatrix([[2.0, 1.0], [1.0, 3.0]], is_self_adjoint=True, is_positive_definite=True)
    solve = linalg.experimental.conjugate_gradient
    for call in (solve, tf.function(lambda a, b: solve(a, b), autograph=False)):
        found = call(matrix, tf.constant([1.0, 2.0]))
        assert int(found.i) == 2
        close(found.x, [0.2, 0.6])
    near = linalg.LinearOperatorDiag([0.5, 1 / 3], is_self_adjoint=True, is_positive_definite=True)
    close(
        solve(matrix, tf.constant([[1.0, 2.0], [0.0, 5.0]]), preconditioner=near, x=tf.ones([2, 2])).x,
        [[0.2, 0.6], [-1, 2]],
    )
    with pytest.raises(ValueError, match="self-adjoint, positive definite operator"):
        solve(linalg.LinearOperatorFullMatrix([[1.0]]), [1.0])
