"""Singular values, and what is made of them."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Flag, Inexact, Own
from tfgrad_jax.engine.graph.deferred import deferred
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.ops.linalg.matrices import adjoint_of, check_matrix


@op("Svd")
def _svd(tensor: Inexact, full_matrices: Flag = False, compute_uv: Flag = True):
    check_matrix(tensor, "Svd")
    real = dtypes.BY_NUMPY[np.dtype(tensor.dtype)].real_dtype.np
    if not compute_uv:
        return jnp.linalg.svd(tensor, compute_uv=False).astype(real)
    u, s, vh = jnp.linalg.svd(tensor, full_matrices=full_matrices)
    return s.astype(real), u, adjoint_of(vh)


@_svd.rule
def _(cts, inputs, outputs, full_matrices, compute_uv):
    """Of singular values that are all different; where two are equal, TensorFlow takes their part of the vectors for 0."""
    tensor = inputs[0]
    if not compute_uv:
        u, _, vh = jnp.linalg.svd(tensor, full_matrices=False)
        return [(u * cts[0][..., None, :].astype(u.dtype)) @ vh]
    rows, columns = tensor.shape[-2:]
    if full_matrices and abs(rows - columns) > 1:
        raise NotImplementedError(
            f"svd gradient is not implemented for abs(m - n) > 1 when full_matrices is True: the matrices have {rows} rows "
            f"and {columns} columns; their other singular vectors may be turned at will"
        )
    (s, u, v), (to_s, to_u, to_v) = outputs, cts
    if rows > columns:  # the decomposition of the adjoint, whose rows are the fewer
        return [adjoint_of(_of_wide(s, v, u, to_s, to_v, to_u))]
    return [_of_wide(s, u, v, to_s, to_u, to_v)]


def _of_wide(s: Any, u: Any, v: Any, to_s: Any, to_u: Any, to_v: Any) -> Any:
    """The gradient for matrices that have at least as many columns as rows (Townsend, "Differentiating the SVD", 2016)."""
    count = s.shape[-1]
    first, to_first = v[..., :count], to_v[..., :count]
    apart = _reciprocal(jnp.square(s)[..., None, :] - jnp.square(s)[..., :, None]).astype(u.dtype)
    apart = apart * (1 - jnp.eye(count, dtype=u.dtype))
    lengths, inverse = s[..., None, :].astype(u.dtype), _reciprocal(s)[..., None, :].astype(u.dtype)
    turned, along = apart * (adjoint_of(u) @ to_u), adjoint_of(first) @ to_first
    bent = apart * along
    inner = (turned + adjoint_of(turned)) * lengths + jnp.swapaxes(lengths, -1, -2) * (bent + adjoint_of(bent))
    inner = inner + jnp.eye(count, dtype=u.dtype) * to_s[..., None, :].astype(u.dtype)
    if jnp.iscomplexobj(u):  # a pair of vectors may be turned in the complex plane together
        phases = jnp.eye(count, dtype=u.dtype) * along
        inner = inner + 0.5 * jnp.swapaxes(inverse, -1, -2) * (jnp.conj(phases) - phases)
    found = u @ inner @ adjoint_of(first)
    if v.shape[-2] == count:
        return found
    outside = adjoint_of(to_first) - adjoint_of(to_first) @ first @ adjoint_of(first)
    if v.shape[-1] > count:
        outside = outside - adjoint_of(first) @ to_v[..., count:] @ adjoint_of(v[..., count:])
    return found + (u * inverse) @ outside


def _reciprocal(x: Any) -> Any:
    return jnp.where(x == 0, 0, 1 / jnp.where(x == 0, 1, x))


@export("linalg.svd")
def svd(tensor: Any, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None) -> Any:
    """Singular values, left and right singular vectors (as columns). Mirrors `tf.linalg.svd`.

    Args:
      tensor: matrices.
      full_matrices: whether to complete the vectors to square matrices.
      compute_uv: False for the singular values alone.
      name: accepted for compatibility.

    Returns:
      `s`, `u`, `v`; or `s`.
    """
    return _svd(tensor, full_matrices, compute_uv)


@op("linalg.pinv")
def _pinv(a: Inexact, rcond: Own = None):
    check_matrix(a, "Svd")
    return jnp.linalg.pinv(a, rtol=rcond)


@export("linalg.pinv")
@deferred()
def pinv(a: Any, rcond: Any = None, validate_args: bool = False, name: str | None = None) -> Any:
    """The pseudo-inverse of matrices. Mirrors `tf.linalg.pinv`.

    Args:
      a: matrices.
      rcond: singular values below this share of the largest count as zero; 10 * size * machine precision if None.
      validate_args: accepted for compatibility.
      name: accepted for compatibility.
    """
    a = convert(a)
    if rcond is None:
        rcond = 10.0 * max(a.spec.shape[-2:]) * float(np.finfo(a.dtype.real_dtype.np).eps) if a.ndim > 1 else 0.0
    return _pinv(a, convert(rcond, a.dtype.real_dtype))


@op("linalg.matrix_rank", differentiable=False)
def _matrix_rank(a: Inexact, tol: Own = None):
    check_matrix(a, "Svd")
    values = jnp.linalg.svd(a, compute_uv=False)
    if tol is None:
        limit = max(a.shape[-2:]) * jnp.finfo(values.dtype).eps * jnp.max(values, -1, keepdims=True, initial=0)
    else:
        limit = tol[..., None]
    return jnp.sum(values > limit, -1, dtype=np.int32)


@export("linalg.matrix_rank")
def matrix_rank(a: Any, tol: Any = None, validate_args: bool = False, name: str | None = None) -> Any:
    """How many singular values exceed `tol`. Mirrors `tf.linalg.matrix_rank`."""
    return _matrix_rank(a, tol)
