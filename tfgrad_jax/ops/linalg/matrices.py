"""Decompositions of matrices and linear systems."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import DTypeArg, Flag, Inexact, Operand, Truth
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.ops.checks import invertible, pivots
from tfgrad_jax.ops.common import listed, xp
from tfgrad_jax.ops.math.cast import cast


def adjoint_of(x: Any) -> Any:
    return jnp.conj(jnp.swapaxes(x, -1, -2))


def _square(x: Any, name: str) -> None:
    if x.ndim < 2:
        raise invalid_argument(f"Input tensor must have rank >= 2, got shape {listed(x.shape)}", name)
    if x.shape[-1] != x.shape[-2]:
        raise invalid_argument(f"Input matrix must be square, got shape {listed(x.shape)}", name)


def check_matrix(x: Any, name: str) -> None:
    if x.ndim < 2:
        raise invalid_argument(f"Input tensor must have rank >= 2, got shape {listed(x.shape)}", name)


# -- determinants and inverses ----------------------------------------------------------------------------------------


@op("MatrixDeterminant", "linalg.det")
def det(input: Inexact):
    """The determinant of each matrix."""
    _square(input, "MatrixDeterminant")
    return jnp.linalg.det(input)


@det.rule
def _(cts, inputs, outputs):
    """For complex matrices TensorFlow's, which does not conjugate the determinant; JAX's needs no inverse for the others."""
    if not inputs[0].size:
        return [jnp.zeros_like(inputs[0])]
    if not jnp.iscomplexobj(inputs[0]):
        return [jax.vjp(jnp.linalg.det, inputs[0])[1](cts[0])[0]]
    return [(cts[0] * outputs[0])[..., None, None] * adjoint_of(jnp.linalg.inv(inputs[0]))]


LogMatrixDeterminant = namedtuple("LogMatrixDeterminant", ["sign", "log_abs_determinant"])


@op("LogMatrixDeterminant")
def _slogdet(input: Inexact):
    _square(input, "LogMatrixDeterminant")
    sign, log = jnp.linalg.slogdet(input)
    sign = jnp.where(jnp.isnan(input).any((-2, -1)), jnp.nan, sign)  # elimination may pass over what is no number
    log = jnp.where(jnp.isnan(sign), jnp.nan, log)
    return sign, log.astype(input.dtype)


@_slogdet.rule
def _(cts, inputs, outputs):
    """TensorFlow's: nothing goes through the sign, which turns with a complex determinant."""
    return [cts[1][..., None, None] * adjoint_of(jnp.linalg.inv(inputs[0]))]


@export("linalg.slogdet")
def slogdet(input: Any, name: str | None = None) -> Any:
    """The sign of the determinant of each matrix, and the logarithm of its size. Mirrors `tf.linalg.slogdet`."""
    return LogMatrixDeterminant(*_slogdet(input))


@op("linalg.logdet", "linalg.logdet")
def logdet(matrix: Inexact):
    """The logarithm of the determinant of each positive definite matrix."""
    _square(matrix, "Cholesky")
    factor = lax.linalg.cholesky(matrix, symmetrize_input=True)
    return 2 * jnp.sum(jnp.log(jnp.real(jnp.diagonal(factor, axis1=-2, axis2=-1))), -1)


def no_half(matrix: Any) -> Any:
    """LAPACK has no float16: it is computed in float32."""
    return matrix.astype(jnp.float32) if matrix.dtype == jnp.float16 else matrix


@op("MatrixInverse")
def _inv(input: Inexact, adjoint: Flag = False):
    _square(input, "MatrixInverse")
    return jnp.linalg.inv(no_half(adjoint_of(input) if adjoint else input)).astype(input.dtype)


@_inv.rule
def _(cts, inputs, outputs, adjoint):
    inverse = adjoint_of(outputs[0])
    gradient = -inverse @ cts[0] @ inverse
    return [adjoint_of(gradient) if adjoint else gradient]


@_inv.check
def _(input, outputs):
    return invertible(outputs[0], "MatrixInverse", input)


@export("linalg.inv")
def inv(input: Any, adjoint: bool = False, name: str | None = None) -> Any:
    """The inverse of each matrix, or of its adjoint. Mirrors `tf.linalg.inv`.

    Raises:
      InvalidArgumentError: if a matrix is not square or not invertible.
    """
    return _inv(input, adjoint)


# -- linear systems ---------------------------------------------------------------------------------------------------


@op("MatrixSolve")
def _solve(matrix: Inexact, rhs: Inexact, adjoint: Flag = False):
    if matrix.ndim != rhs.ndim:
        raise invalid_argument(
            f"All input tensors must have the same rank: {listed(matrix.shape)} and {listed(rhs.shape)}", "MatrixSolve"
        )
    _square(matrix, "MatrixSolve")
    if matrix.shape[:-1] != rhs.shape[:-1]:
        raise invalid_argument(
            f"Input matrix and rhs are incompatible: {listed(matrix.shape)} and {listed(rhs.shape)}", "MatrixSolve"
        )
    return jnp.linalg.solve(adjoint_of(matrix) if adjoint else matrix, rhs)


@_solve.check
def _(matrix, rhs, outputs):
    return invertible(outputs[0], "MatrixSolve", matrix, rhs)


@export("linalg.solve")
def solve(matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None) -> Any:
    """X with `matrix` X = `rhs`, or with its adjoint. Mirrors `tf.linalg.solve`.

    Raises:
      InvalidArgumentError: if the shapes do not fit or a matrix is not invertible.
    """
    return _solve(matrix, rhs, adjoint)


def _broadcast_batch(a: Any, b: Any, name: str) -> tuple[Any, Any]:
    _square(a, name)
    if b.ndim < 2 or a.shape[-1] != b.shape[-2]:
        raise invalid_argument(f"In[0] and In[1] are incompatible: {listed(a.shape)} and {listed(b.shape)}", name)
    try:
        batch = jnp.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    except ValueError:
        raise invalid_argument(
            f"In[0] and In[1] must have compatible batch dimensions: {listed(a.shape)} vs. {listed(b.shape)}", name
        ) from None
    return jnp.broadcast_to(a, (*batch, *a.shape[-2:])), jnp.broadcast_to(b, (*batch, *b.shape[-2:]))


def _triangular(a: Any, b: Any, lower: bool, adjoint: bool) -> Any:
    return lax.linalg.triangular_solve(a, b, left_side=True, lower=lower, transpose_a=adjoint, conjugate_a=adjoint)


@op("MatrixTriangularSolve", "linalg.triangular_solve")
def triangular_solve(matrix: Inexact, rhs: Inexact, lower: Flag = True, adjoint: Flag = False):
    """X with `matrix` X = `rhs`, of which one triangle is read."""
    matrix, rhs = _broadcast_batch(matrix, rhs, "MatrixTriangularSolve")
    return _triangular(matrix, rhs, lower, adjoint)


@op("linalg.cholesky_solve", "linalg.cholesky_solve")
def cholesky_solve(chol: Inexact, rhs: Inexact):
    """X with A X = `rhs`, given the Cholesky factor of A."""
    chol, rhs = _broadcast_batch(chol, rhs, "MatrixTriangularSolve")
    return _triangular(chol, _triangular(chol, rhs, True, False), True, True)


_Double: Any = Operand(shared=False, forced=dtypes.float64, differentiable=False)


@op("MatrixSolveLs")
def _lstsq(matrix: Inexact, rhs: Inexact, l2_regularizer: _Double, fast: Truth):
    fits = min(matrix.ndim, rhs.ndim) > 1 and matrix.shape[-2] == rhs.shape[-2]
    if not fits or not (fast or matrix.shape[:-2] == rhs.shape[:-2]):
        raise invalid_argument(
            f"matrix and rhs are incompatible: {listed(matrix.shape)} and {listed(rhs.shape)}", "MatrixSolveLs"
        )
    rows, columns = matrix.shape[-2:]
    if not fast:
        return jnp.linalg.pinv(matrix) @ rhs
    tall = rows >= columns
    turned = adjoint_of(matrix)
    gram = turned @ matrix if tall else matrix @ turned
    gram = gram + l2_regularizer.astype(gram.dtype) * jnp.eye(gram.shape[-1], dtype=gram.dtype)
    factor = lax.linalg.cholesky(gram, symmetrize_input=False)

    def solved(b: Any) -> Any:
        each, b = _broadcast_batch(factor, b, "MatrixSolveLs")
        return _triangular(each, _triangular(each, b, True, False), True, True)

    return solved(turned @ rhs) if tall else turned @ solved(rhs)


@export("linalg.lstsq")
def lstsq(matrix: Any, rhs: Any, l2_regularizer: Any = 0.0, fast: bool = True, name: str | None = None) -> Any:
    """X with the smallest `matrix` X - `rhs`, or the smallest such X. Mirrors `tf.linalg.lstsq`.

    Args:
      matrix, rhs: the system.
      l2_regularizer: weighs the size of X; used if `fast`.
      fast: by the normal equations, which need a well-conditioned matrix.
      name: accepted for compatibility.
    """
    return _lstsq(matrix, rhs, cast(l2_regularizer, dtypes.float64), fast)


# -- decompositions ---------------------------------------------------------------------------------------------------


@op("Cholesky", "linalg.cholesky")
def cholesky(input: Inexact):
    """The lower factor L with L L^H each matrix, of which the lower triangle is read; NaN if not positive definite."""
    _square(input, "Cholesky")
    return lax.linalg.cholesky(input, symmetrize_input=False)


@cholesky.rule
def _(cts, inputs, outputs):
    factor = outputs[0]
    inner = jnp.tril(adjoint_of(factor) @ jnp.tril(cts[0]))
    inner = inner - 0.5 * inner * jnp.eye(inner.shape[-1], dtype=inner.dtype)
    # L^-H inner L^-1, made symmetric since only one triangle of the input was read.
    half = _triangular(factor, inner, True, True)
    gradient = adjoint_of(_triangular(factor, adjoint_of(half), True, True))
    return [0.5 * (gradient + adjoint_of(gradient))]


Qr = namedtuple("Qr", ["q", "r"])


@op("Qr")
def _qr(input: Inexact, full_matrices: Flag = False):
    check_matrix(input, "Qr")
    q, r = jnp.linalg.qr(no_half(input), mode="complete" if full_matrices else "reduced")
    return q.astype(input.dtype), r.astype(input.dtype)


@export("linalg.qr")
def qr(input: Any, full_matrices: bool = False, name: str | None = None) -> Any:
    """Q and R of each matrix: orthonormal columns times an upper triangle. Mirrors `tf.linalg.qr`."""
    return Qr(*_qr(input, full_matrices))


def _from_lower(tensor: Any) -> Any:
    """The self-adjoint matrices that the lower triangles are of: what lies above is not read and has no gradient."""
    return jnp.tril(tensor) + jnp.conj(jnp.swapaxes(jnp.tril(tensor, -1), -1, -2))


@op("SelfAdjointEigV2")
def _eigh(tensor: Inexact):
    _square(tensor, "SelfAdjointEigV2")
    values, vectors = jnp.linalg.eigh(_from_lower(tensor), UPLO="L", symmetrize_input=False)
    return values.astype(tensor.dtype), vectors


@_eigh.rule
def _(cts, inputs, outputs):
    """What goes to the lower triangle alone; where two eigenvalues are equal, TensorFlow takes their part of the vectors for 0."""
    values, vectors = outputs
    apart = values[..., None, :] - values[..., :, None]
    turned = jnp.where(apart == 0, 0, 1 / jnp.where(apart == 0, 1, apart)) * (adjoint_of(vectors) @ cts[1])
    whole = (
        vectors @ (turned + jnp.eye(values.shape[-1], dtype=vectors.dtype) * cts[0][..., None, :]) @ adjoint_of(vectors)
    )
    both = jnp.tril(whole + adjoint_of(whole))
    return [both * (1 - 0.5 * jnp.eye(values.shape[-1], dtype=vectors.dtype))]


@export("linalg.eigh")
def eigh(tensor: Any, name: str | None = None) -> Any:
    """Eigenvalues in rising order and eigenvectors of self-adjoint matrices. Mirrors `tf.linalg.eigh`."""
    return _eigh(tensor)


@op("linalg.eigvalsh", "linalg.eigvalsh")
def eigvalsh(tensor: Inexact):
    """Eigenvalues of self-adjoint matrices, in rising order."""
    _square(tensor, "SelfAdjointEigV2")
    return jnp.linalg.eigh(_from_lower(tensor), UPLO="L", symmetrize_input=False)[0].astype(tensor.dtype)


def _complex(dtype: Any) -> Any:
    return dtypes.complex128 if dtype in (dtypes.float64, dtypes.complex128) else dtypes.complex64


@jax.custom_jvp
def _eigen(a: Any) -> Any:
    return tuple(jnp.linalg.eig(a))


@jax.custom_jvp
def _eigen_values(a: Any) -> Any:
    return jnp.linalg.eigvals(a)


@_eigen.defjvp
def _(primals: Any, tangents: Any) -> Any:
    """Of vectors that keep their length (Giles, "Collected matrix derivative results", 2008)."""
    values, vectors = _eigen(*primals)
    moved = jnp.linalg.solve(vectors, tangents[0].astype(vectors.dtype) @ vectors)
    apart = values[..., None, :] - values[..., :, None]
    turned = jnp.where(apart == 0, 0, moved / jnp.where(apart == 0, 1, apart))
    stretched = jnp.diagonal(jnp.conj(jnp.swapaxes(vectors, -1, -2)) @ vectors @ turned, axis1=-2, axis2=-1).real
    moved_values = jnp.diagonal(moved, axis1=-2, axis2=-1)
    return (values, vectors), (moved_values, vectors @ turned - vectors * stretched[..., None, :])


@_eigen_values.defjvp
def _(primals: Any, tangents: Any) -> Any:
    (values, _), (moved, _) = jax.jvp(_eigen, primals, tangents)
    return values, moved


@op("Eig")
def _eig(tensor: Inexact, dtype: DTypeArg):
    _square(tensor, "Eig")
    values, vectors = _eigen(tensor)
    return values.astype(dtype.np), vectors.astype(dtype.np)


@export("linalg.eig", "eig")
def eig(tensor: Any, name: str | None = None) -> Any:
    """Eigenvalues and eigenvectors of square matrices, complex; on a CPU only. Mirrors `tf.linalg.eig`."""
    tensor = convert(tensor)
    return _eig(tensor, _complex(tensor.dtype))


@op("linalg.eigvals")
def _eigvals(tensor: Inexact, dtype: DTypeArg):
    _square(tensor, "Eig")
    return _eigen_values(tensor).astype(dtype.np)


@export("linalg.eigvals", "eigvals")
def eigvals(tensor: Any, name: str | None = None) -> Any:
    """Eigenvalues of square matrices, complex; on a CPU only. Mirrors `tf.linalg.eigvals`."""
    tensor = convert(tensor)
    return _eigvals(tensor, _complex(tensor.dtype))


Lu = namedtuple("Lu", ["lu", "p"])


@op("Lu")
def _lu(input: Inexact, dtype: DTypeArg):
    _square(input, "Lu")
    packed, _, order = lax.linalg.lu(input)
    return packed, order.astype(dtype.np)


@_lu.check
def _(outputs):
    return pivots(xp(outputs[0]).diagonal(outputs[0], axis1=-2, axis2=-1), "Lu")


@export("linalg.lu")
def lu(input: Any, output_idx_type: Any = dtypes.int32, name: str | None = None) -> Any:
    """Both triangular factors in one matrix, and the order of the rows. Mirrors `tf.linalg.lu`.

    Raises:
      InvalidArgumentError: if a matrix is not square or not invertible.
    """
    return Lu(*_lu(input, output_idx_type))
