"""Square roots, logarithms and eigenvalues of special matrices."""

from __future__ import annotations

import importlib
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tfgrad_jax.engine.declare.op import MISSING, op
from tfgrad_jax.engine.declare.roles import Flag, Inexact, Operand, static
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.threads.accelerator import on_accelerator
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.ops.array.gather import boolean_mask
from tfgrad_jax.ops.common import listed, operand

_COMPLEX = frozenset({dtypes.complex64, dtypes.complex128})
_Exact: Any = Operand(_COMPLEX | {dtypes.float32, dtypes.float64})
_Complex: Any = Operand(_COMPLEX)


def _adjoint(x: Any) -> Any:
    return jnp.conj(jnp.swapaxes(x, -1, -2))


def _square(x: Any, name: str) -> None:
    if x.ndim < 2:
        raise invalid_argument(f"Input tensor 0 must have rank >= 2, got shape {listed(x.shape)}", name)
    if x.shape[-1] != x.shape[-2]:
        raise invalid_argument(f"Input matrix must be square, got shape {listed(x.shape)}", name)


def _diagonal(x: Any, offset: int = 0) -> Any:
    return jnp.diagonal(x, offset, -2, -1)


def _schur(x: Any, vectors: bool = True) -> Any:
    """The Schur forms of matrices, and their vectors if wanted."""
    if on_accelerator():  # JAX has them for a CPU alone
        form = jax.ShapeDtypeStruct(x.shape, x.dtype)
        return jax.pure_callback(_schur_on_host, (form, form), x, vmap_method="expand_dims")
    return lax.linalg.schur(x, compute_schur_vectors=vectors)


def _schur_on_host(x: Any) -> tuple[np.ndarray, np.ndarray]:
    x, schur = np.asarray(x), importlib.import_module("scipy.linalg").schur
    found = [schur(matrix) for matrix in x.reshape(-1, *x.shape[-2:])]
    forms, vectors = (np.stack(side).reshape(x.shape).astype(x.dtype) for side in zip(*found, strict=True))
    return forms, vectors


def _root_of_triangle(t: Any) -> Any:
    """The principal square root of upper triangles, one column after the other: each is a triangular system."""
    size = t.shape[-1]
    places = np.arange(size)

    def column(j: Any, root: Any) -> Any:
        before = places < j
        corner = jnp.sqrt(jnp.take(_diagonal(t), j, -1))[..., None]
        left = jnp.where(before[:, None] & before, root, 0) + jnp.where(
            np.eye(size, dtype=bool), jnp.where(before, corner, 1)[..., None], 0
        )
        right = jnp.where(before, jnp.take(t, j, -1), 0)[..., None]
        above = lax.linalg.triangular_solve(left, right, left_side=True, lower=False)
        return jnp.where(places == j, jnp.where((places == j)[:, None], corner[..., None], above), root)

    return lax.fori_loop(0, size, column, jnp.zeros_like(t))


def _has_negative(x: Any) -> Any:
    """Whether real matrices have negative eigenvalues: blocks of size 1 in their real Schur forms."""
    t = _schur(x, vectors=False)[0]
    edge = [(0, 0)] * (x.ndim - 2)
    paired = _diagonal(t, -1) != 0
    alone = ~(jnp.pad(paired, [*edge, (0, 1)]) | jnp.pad(paired, [*edge, (1, 0)]))
    return jnp.any(alone & (_diagonal(t) < 0), -1)


@op("MatrixSquareRoot", "linalg.sqrtm", "matrix_square_root")
def sqrtm(input: _Exact):
    """The principal square root of each square matrix; NaN where a real one has none."""
    _square(input, "MatrixSquareRoot")
    if not input.size:
        return input
    kind = jnp.result_type(input.dtype, jnp.complex64)
    t, vectors = _schur(input.astype(kind))
    root = vectors @ _root_of_triangle(t) @ _adjoint(vectors)
    if jnp.iscomplexobj(input):
        return root
    return jnp.where(_has_negative(input)[..., None, None], jnp.nan, root.real)


@sqrtm.rule
def _(cts, inputs, outputs):
    # R^T G + G R^T = cotangent, as one linear system in the elements of G; TensorFlow does not conjugate R.
    root, size = jnp.swapaxes(outputs[0], -1, -2), outputs[0].shape[-1]
    eye = jnp.eye(size, dtype=root.dtype)
    left = jnp.einsum("...ik,jl->...ijkl", root, eye) + jnp.einsum("ik,...lj->...ijkl", eye, root)
    batch = root.shape[:-2]
    solved = jnp.linalg.solve(left.reshape(*batch, size * size, size * size), cts[0].reshape(*batch, size * size, 1))
    return [solved.reshape(root.shape)]


@op("MatrixLogarithm", "linalg.logm", gradient=MISSING)
def logm(input: _Complex):
    """The principal logarithm of each square complex matrix; NaN for singular ones."""
    _square(input, "MatrixLogarithm")
    if not input.size:
        return input
    t, vectors = _schur(input.astype(jnp.complex128))  # what is near to 1 loses digits
    eye = jnp.eye(t.shape[-1], dtype=t.dtype)

    def far(state: Any) -> Any:
        root, halvings = state
        return (jnp.max(jnp.sum(jnp.abs(root - eye), -2)) > 0.25) & (halvings < 60)

    def halve(state: Any) -> Any:
        root, halvings = state
        return _root_of_triangle(root), halvings + 1

    root, halvings = lax.while_loop(far, halve, (t, 0))
    off = root - eye
    # The integral of off / (1 + s off) for s from 0 to 1, by Gauss' rule.
    nodes, weights = np.polynomial.legendre.leggauss(8)
    parts = [
        weight / 2 * lax.linalg.triangular_solve(eye + (node + 1) / 2 * off, off, left_side=True, lower=False)
        for node, weight in zip(nodes, weights, strict=True)
    ]
    log = sum(parts) * 2.0**halvings
    eigenvalues = _diagonal(t)
    log = jnp.where(eye == 1, jnp.log(eigenvalues)[..., None], log)
    result = (vectors @ log @ _adjoint(vectors)).astype(input.dtype)
    return jnp.where(jnp.any(eigenvalues == 0, -1)[..., None, None], jnp.nan, result)


@op("linalg.eigh_tridiagonal")
def _eigh_tridiagonal(alpha: Inexact, beta: Inexact, vectors: Flag):
    if alpha.ndim != 1 or beta.ndim != 1 or beta.size != max(alpha.size - 1, 0):
        raise invalid_argument(
            f"Incompatible shapes: alpha has {listed(alpha.shape)}, beta {listed(beta.shape)}, expected [n] and [n-1]",
            "AddV2",
        )
    matrix = jnp.diag(alpha.real.astype(alpha.dtype)) + jnp.diag(beta, 1) + jnp.diag(jnp.conj(beta), -1)
    exact = matrix.astype(jnp.promote_types(matrix.dtype, jnp.float32))
    values, columns = jnp.linalg.eigh(exact, symmetrize_input=False)
    values = values.astype(alpha.real.dtype)
    return (values, columns.astype(alpha.dtype)) if vectors else values


@export("linalg.eigh_tridiagonal")
def eigh_tridiagonal(
    alpha: Any,
    beta: Any,
    eigvals_only: bool = True,
    select: str = "a",
    select_range: Any = None,
    tol: Any = None,
    name: str | None = None,
) -> Any:
    """Eigenvalues of a self-adjoint tridiagonal matrix, in rising order. Mirrors `tf.linalg.eigh_tridiagonal`.

    Args:
      alpha: the diagonal, of which the real part counts.
      beta: what is above it, one element less.
      eigvals_only: False for the eigenvectors, too.
      select: "a" for all; "i" for those from one place to another, counted from 0; "v" for those in an interval.
      select_range: the first and the last place, or what the eigenvalues exceed and do not exceed.
      tol: accepted for compatibility; the eigenvalues are as exact as the dtype.
      name: accepted for compatibility.

    Returns:
      The eigenvalues; with eigenvectors, both, these as columns. Gradients are those of the eigenvalues themselves.

    Raises:
      ValueError: for dtypes that differ, whole numbers, or another `select`.
      InvalidArgumentError: if shapes do not fit or `select_range` is empty.
    """
    alpha, beta = operand(alpha), operand(beta)
    if alpha.dtype != beta.dtype:
        raise ValueError(f"'alpha' and 'beta' must have the same type, got {alpha.dtype!r} and {beta.dtype!r}")
    if not (alpha.dtype.is_floating or alpha.dtype.is_complex):
        raise ValueError(f"tf.linalg.eigh_tridiagonal: dtype {alpha.dtype!r} is not inexact; tf.cast alpha and beta")
    if select not in ("a", "i", "v"):
        raise ValueError(f"'select' must have a value in {{'a', 'i', 'v'}}, got {select!r}")
    found = _eigh_tridiagonal(alpha, beta, not eigvals_only)
    if select == "a":
        return found
    first, last = static(select_range)
    if first > last if select == "i" else first >= last:
        raise invalid_argument(
            f"Got empty {'index ' * (select == 'i')}range in select_range: {first}, {last}", "Assert"
        )
    values = found if eigvals_only else found[0]
    if select == "i":
        chosen = values[first : last + 1]
        return chosen if eigvals_only else (chosen, found[1][:, first : last + 1])
    inside = (values > first) & (values <= last)
    chosen = boolean_mask(values, inside)
    return chosen if eigvals_only else (chosen, boolean_mask(found[1], inside, axis=1))
