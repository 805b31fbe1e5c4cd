"""Matrices with few diagonals, and solutions from factors that are there already."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfgrad_jax.engine.declare.check import Typed
from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Flag, Indices, Inexact, Operand, T
from tfgrad_jax.engine.graph.deferred import deferred
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.ops.array.shape import broadcast_static_shape
from tfgrad_jax.ops.checks import first_wrong, indices_below, nonzero_diagonal
from tfgrad_jax.ops.common import listed, operand, shape_of, xp

_Exact: Any = Operand(frozenset({dtypes.float32, dtypes.float64, dtypes.complex64, dtypes.complex128}))

# -- three diagonals --------------------------------------------------------------------------------------------------


@op("linalg.tridiagonal.sequence")
def _of_sequence(superdiag: T, maindiag: T, subdiag: T):
    def padded(diagonal: Any, before: int) -> Any:
        if diagonal.shape[-1] == maindiag.shape[-1]:
            return diagonal
        return jnp.pad(diagonal, [(0, 0)] * (diagonal.ndim - 1) + [(before, 1 - before)])

    parts = padded(superdiag, 0), maindiag, padded(subdiag, 1)
    if len({part.shape for part in parts}) > 1:
        raise ValueError(
            "tridiagonal diagonals: expected sizes n - 1 or n, n, n - 1 or n, got shapes "
            f"{listed(superdiag.shape)}, {listed(maindiag.shape)}, {listed(subdiag.shape)}"
        )
    return jnp.stack(parts, -2)


@op("linalg.tridiagonal.matrix")
def _of_matrix(matrix: T):
    if matrix.ndim < 2 or matrix.shape[-1] != matrix.shape[-2]:
        raise ValueError(f"Expected last two dimensions of diagonals to be same, got shape {listed(matrix.shape)}")
    edge = [(0, 0)] * (matrix.ndim - 2)
    above, main, below = (jnp.diagonal(matrix, k, -2, -1) for k in (1, 0, -1))
    if not matrix.shape[-1]:
        return jnp.stack([main] * 3, -2)
    return jnp.stack([jnp.pad(above, [*edge, (0, 1)]), main, jnp.pad(below, [*edge, (1, 0)])], -2)


def _compact(diagonals: Any, form: str) -> Any:
    if form == "compact":
        return operand(diagonals)
    if form == "sequence":
        if not isinstance(diagonals, (tuple, list)) or len(diagonals) != 3:
            raise ValueError("Expected diagonals to be a sequence of length 3: superdiagonal, diagonal, subdiagonal.")
        return _of_sequence(*diagonals)
    if form == "matrix":
        return _of_matrix(diagonals)
    raise ValueError(f"Unrecognized diagonals_format: {form}; expected 'compact', 'sequence' or 'matrix'")


def _solved(diagonals: Any, rhs: Any, pivoting: bool) -> Any:
    """Elimination downwards, with the row below in the place of a smaller pivot, then insertion upwards."""
    size = rhs.shape[-2]
    rows = jnp.moveaxis(diagonals, -1, 0)  # n, ..., (above, main, below)
    right = jnp.moveaxis(rhs, -2, 0)  # n, ..., k
    zero = jnp.zeros_like(rows[0, ..., 0])

    def eliminate(pending: Any, row: Any) -> Any:
        (p, q, b), (coefficients, c) = pending, row
        u, d, low = (coefficients[..., i] for i in range(3))
        r = zero
        if pivoting:
            swap = jnp.abs(low) > jnp.abs(p)
            (p, q, r), (low, d, u) = (
                [jnp.where(swap, y, x) for x, y in zip((p, q, r), (low, d, u), strict=True)],
                [jnp.where(swap, x, y) for x, y in zip((p, q, r), (low, d, u), strict=True)],
            )
            b, c = jnp.where(swap[..., None], c, b), jnp.where(swap[..., None], b, c)
        f = low / p
        return (d - f * q, u - f * r, c - f[..., None] * b), (p, q, r, b)

    # The last row has nothing above it; a first superdiagonal of one row alone is not used.
    rows = rows.at[size - 1, ..., 0].set(0)
    first = rows[0, ..., 1], rows[0, ..., 0], right[0]
    (p, _, b), done = lax.scan(eliminate, first, (rows[1:], right[1:]))

    def insert(known: Any, row: Any) -> Any:
        (one, two), (p, q, r, b) = known, row
        x = (b - q[..., None] * one - r[..., None] * two) / p[..., None]
        return (x, one), x

    last = b / p[..., None]
    _, others = lax.scan(insert, (last, jnp.zeros_like(last)), done, reverse=True)
    x = jnp.moveaxis(jnp.concatenate([others, last[None]]), 0, -2)
    singular = jnp.any(done[0] == 0, 0) | (p == 0)
    return jnp.where(singular[..., None, None], jnp.nan, x)


def _shifted(x: Any, by: int) -> Any:
    """The elements one place to the right (1) or left (-1), with 0 where none comes."""
    edge = [(0, 0)] * (x.ndim - 1)
    return jnp.pad(x[..., :-1], [*edge, (1, 0)]) if by > 0 else jnp.pad(x[..., 1:], [*edge, (0, 1)])


@op("TridiagonalSolve")
def _tridiagonal_solve(diagonals: _Exact, rhs: _Exact, pivoting: Flag):
    return _solved(diagonals, rhs, pivoting) if rhs.size else rhs


@_tridiagonal_solve.rule
def _(cts, inputs, outputs, pivoting):
    diagonals, x = inputs[0], outputs[0]
    if not x.size:
        return [jnp.zeros_like(diagonals), cts[0]]
    above, main, below = (diagonals[..., i, :] for i in range(3))  # TensorFlow conjugates nothing here
    transposed = jnp.stack([_shifted(below, -1), main, _shifted(above, 1)], -2)
    gradient = _solved(transposed, cts[0], pivoting)
    known = jnp.swapaxes(x, -1, -2)
    other = jnp.swapaxes(gradient, -1, -2)
    parts = [jnp.sum(other * moved, -2) for moved in (_shifted(known, -1), known, _shifted(known, 1))]
    return [-jnp.stack(parts, -2), gradient]


@op("linalg.tridiagonal.column")
def _column(rhs: T, transpose: Flag, conjugate: Flag):
    rhs = jnp.swapaxes(rhs, -1, -2) if transpose else rhs
    return jnp.conj(rhs) if conjugate else rhs


@op("linalg.tridiagonal.expand")
def _expand(rhs: T):
    return rhs[..., None]


@op("linalg.tridiagonal.squeeze")
def _squeeze(x: T):
    return x[..., 0]


@export("linalg.tridiagonal_solve")
@deferred()
def tridiagonal_solve(
    diagonals: Any,
    rhs: Any,
    diagonals_format: str = "compact",
    transpose_rhs: bool = False,
    conjugate_rhs: bool = False,
    name: str | None = None,
    partial_pivoting: bool = True,
    perturb_singular: bool = False,
) -> Any:
    """X with a tridiagonal matrix times X = `rhs`. Mirrors `tf.linalg.tridiagonal_solve`.

    Args:
      diagonals: the matrices, in the format.
      rhs: the right sides, [..., n, k] or [..., n].
      diagonals_format: "compact", [..., 3, n] with what is above, the diagonal and what is below, of which the last element
        and the first are not used; "sequence", the three of them, where those two may lack; "matrix", [..., n, n].
      transpose_rhs, conjugate_rhs: what to do to matrices `rhs` first.
      name: accepted for compatibility.
      partial_pivoting: whether rows are exchanged, which small pivots need.
      perturb_singular: not supported.

    Returns:
      The solutions; NaN where a matrix is singular.

    Raises:
      ValueError: if shapes or the format do not fit.
      NotImplementedError: for `perturb_singular`.
    """
    if perturb_singular:
        if not partial_pivoting:
            raise ValueError("partial_pivoting must be True if perturb_singular is.")
        raise NotImplementedError("tf.linalg.tridiagonal_solve: perturb_singular=True is not supported")
    compact, right = _compact(diagonals, diagonals_format), operand(rhs)
    vector = len(right.spec.shape) == len(compact.spec.shape) - 1
    if vector:
        right = _expand(right)
    if conjugate_rhs or (transpose_rhs and not vector):
        right = _column(right, transpose_rhs and not vector, conjugate_rhs)
    _fitting(compact.spec.shape, right.spec.shape)
    x = _tridiagonal_solve(compact, right, partial_pivoting)
    return _squeeze(x) if vector else x


@tridiagonal_solve.open_shape
def _(rhs: Any, transpose_rhs: bool, **_: Any) -> list[Any]:
    shape = shape_of(rhs)
    return [(*shape[:-2], shape[-1], shape[-2]) if transpose_rhs and len(shape) > 1 else shape]


def _fitting(diagonals: tuple[int, ...], rhs: tuple[int, ...]) -> None:
    if len(diagonals) < 2:
        raise ValueError(f"Expected diagonals to have rank at least 2, got {len(diagonals)}")
    if diagonals[-2] != 3:
        raise ValueError(f"Expected 3 diagonals got {diagonals[-2]}")
    if len(rhs) != len(diagonals):
        raise ValueError(f"Expected the rank of rhs to be {len(diagonals) - 1} or {len(diagonals)}, got {len(rhs)}")
    if diagonals[:-2] != rhs[:-2]:
        raise ValueError(f"Batch shapes {diagonals[:-2]} and {rhs[:-2]} are incompatible")
    if diagonals[-1] != rhs[-2]:
        raise ValueError(
            f"Expected number of left-hand sided and right-hand sides to be equal, got {diagonals[-1]} and {rhs[-2]}"
        )


@op("TridiagonalMatMul")
def _tridiagonal_matmul(diagonals: _Exact, rhs: _Exact):
    if rhs.ndim != diagonals.ndim:
        raise invalid_argument(
            f"All input tensors must have the same rank: {listed(diagonals.shape)} and {listed(rhs.shape)}",
            "TridiagonalMatMul",
        )
    wanted = (*rhs.shape[:-2], 3, rhs.shape[-2])
    if diagonals.shape != wanted:
        raise invalid_argument(
            f"Invalid superdiagonal shape: diagonals have {listed(diagonals.shape)}, expected {listed(wanted)} for rhs "
            f"of shape {listed(rhs.shape)}",
            "TridiagonalMatMul",
        )
    x = jnp.swapaxes(rhs, -1, -2)
    above, main, below = (diagonals[..., i : i + 1, :] for i in range(3))
    return jnp.swapaxes(above * _shifted(x, -1) + main * x + below * _shifted(x, 1), -1, -2)


@export("linalg.tridiagonal_matmul")
@deferred()
def tridiagonal_matmul(diagonals: Any, rhs: Any, diagonals_format: str = "compact", name: str | None = None) -> Any:
    """A tridiagonal matrix times `rhs`. Mirrors `tf.linalg.tridiagonal_matmul`.

    Args:
      diagonals: the matrices, in the format.
      rhs: [..., n, k].
      diagonals_format: as `tridiagonal_solve` has it.
      name: accepted for compatibility.

    Raises:
      ValueError: for another format.
      InvalidArgumentError: if shapes do not fit.
    """
    return _tridiagonal_matmul(_compact(diagonals, diagonals_format), rhs)


@tridiagonal_matmul.open_shape
def _(rhs: Any, **_: Any) -> list[Any]:
    return [shape_of(rhs)]


# -- triangles of few diagonals ---------------------------------------------------------------------------------------


@op("BandedTriangularSolve", "linalg.banded_triangular_solve")
def banded_triangular_solve(bands: _Exact, rhs: _Exact, lower: Flag = True, adjoint: Flag = False):
    """X with a triangle of few diagonals times X = `rhs`; `bands` has the main one first if `lower`, else last."""
    for place, x in enumerate((bands, rhs)):
        if x.ndim < 2:
            raise invalid_argument(f"In[{place}] ndims must be >= 2: {x.ndim}", "BandedTriangularSolve")
    count, size = bands.shape[-2:]
    if rhs.shape[-2] != size:
        raise invalid_argument(
            f"In[0] mismatch In[1] shape: {size} vs. {rhs.shape[-2]}: {listed(bands.shape)} {listed(rhs.shape)}",
            "BandedTriangularSolve",
        )
    try:
        batch = jnp.broadcast_shapes(bands.shape[:-2], rhs.shape[:-2])
    except ValueError:
        raise invalid_argument(
            f"In[0] and In[1] must have compatible batch dimensions: {listed(bands.shape)} vs. {listed(rhs.shape)}",
            "BandedTriangularSolve",
        ) from None
    rows, columns = np.indices((size, size))
    which = rows - columns if lower else count - 1 - (columns - rows)
    inside = (which >= 0) & (which < count) & ((rows >= columns) if lower else (rows <= columns))
    matrix = jnp.where(inside, bands[..., np.where(inside, which, 0), rows], 0)
    return lax.linalg.triangular_solve(
        jnp.broadcast_to(matrix, (*batch, size, size)),
        jnp.broadcast_to(rhs, (*batch, *rhs.shape[-2:])),
        left_side=True,
        lower=lower,
        transpose_a=adjoint,
        conjugate_a=adjoint,
    )


@banded_triangular_solve.check
def _(bands, lower, outputs):  # made beside the results, as it looks at numbers that are no integers
    return nonzero_diagonal(bands[..., 0 if lower else -1, :], "BandedTriangularSolve")


# -- LU factors -------------------------------------------------------------------------------------------------------


def _factors(lower_upper: Any) -> Any:
    packed = operand(lower_upper)
    shape = packed.spec.shape
    if len(shape) < 2:
        raise ValueError(f"Input `lower_upper` must have at least 2 dimensions, got shape {listed(shape)}")
    if shape[-1] != shape[-2]:
        raise ValueError(f"`lower_upper` must be square, got shape {listed(shape)}")
    return packed


@op("linalg.lu_reconstruct")
def _lu_reconstruct(lower_upper: Inexact, perm: Indices):
    eye = jnp.eye(lower_upper.shape[-1], dtype=lower_upper.dtype)
    product = (jnp.tril(lower_upper, -1) + eye) @ jnp.triu(lower_upper)
    return jnp.take_along_axis(product, jnp.argsort(perm, -1)[..., None], -2)


@_lu_reconstruct.check
def _(perm):
    wrong = (xp(perm).sort(perm, -1) != np.arange(perm.shape[-1])).any(-1)

    def error(place: tuple[int, ...], values: list[int]) -> Exception:
        return invalid_argument(f"perm: {values} is no permutation of {len(values)} indices", "InvertPermutation")

    return first_wrong(wrong, perm, error)


@export("linalg.lu_reconstruct")
@deferred()
def lu_reconstruct(lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None) -> Any:
    """The matrices that were decomposed by `tf.linalg.lu`. Mirrors `tf.linalg.lu_reconstruct`.

    Args:
      lower_upper, perm: what `lu` returned.
      validate_args: accepted for compatibility; arguments are always checked.
      name: accepted for compatibility.

    Raises:
      ValueError: if `lower_upper` is no square matrix.
      InvalidArgumentError: if `perm` is no permutation.
    """
    return _lu_reconstruct(_factors(lower_upper), perm)


@lu_reconstruct.open_shape
def _(lower_upper: Any, **_: Any) -> list[Any]:
    return [shape_of(lower_upper)]


@op("linalg.lu_solve.rows")
def _rows(rhs: T, perm: Indices):
    batch = jnp.broadcast_shapes(rhs.shape[:-2], perm.shape[:-1])
    right = jnp.broadcast_to(rhs, (*batch, *rhs.shape[-2:]))
    order = jnp.broadcast_to(perm, (*batch, perm.shape[-1]))
    return jnp.take_along_axis(right, order[..., None], -2)


@_rows.check
def _(rhs: Typed, perm):
    return indices_below(perm, rhs.shape[-2], "GatherV2")


@op("linalg.lu_solve")
def _lu_solve(lower_upper: Inexact, rhs: Inexact):
    size = lower_upper.shape[-1]
    batch = jnp.broadcast_shapes(lower_upper.shape[:-2], rhs.shape[:-2])
    packed = jnp.broadcast_to(lower_upper, (*batch, size, size))
    right = jnp.broadcast_to(rhs, (*batch, *rhs.shape[-2:]))
    right = lax.linalg.triangular_solve(packed, right, left_side=True, lower=True, unit_diagonal=True)
    return lax.linalg.triangular_solve(packed, right, left_side=True, lower=False)


@export("linalg.lu_solve")
@deferred()
def lu_solve(lower_upper: Any, perm: Any, rhs: Any, validate_args: bool = False, name: str | None = None) -> Any:
    """X with A X = `rhs`, given `tf.linalg.lu(A)`. Mirrors `tf.linalg.lu_solve`.

    Args:
      lower_upper, perm: what `lu` returned.
      rhs: matrices [..., n, k].
      validate_args: accepted for compatibility; arguments are always checked.
      name: accepted for compatibility.

    Returns:
      The solutions; not finite where A is singular.

    Raises:
      ValueError: if shapes do not fit.
      InvalidArgumentError: if `perm` is out of range.
    """
    packed = _factors(lower_upper)
    right = operand(rhs, packed.dtype)
    shape = right.spec.shape
    if len(shape) < 2:
        raise ValueError(f"Input `rhs` must have at least 2 dimensions, got shape {listed(shape)}")
    if len(packed.spec.shape) != operand(perm).ndim + 1:
        raise ValueError(f"`rank(lower_upper)` must equal `rank(perm) + 1`: {packed.shape}, {operand(perm).shape}")
    if packed.spec.shape[-1] != shape[-2]:
        raise ValueError(f"`lower_upper.shape[-1]` must equal `rhs.shape[-2]`: {packed.shape}, {listed(shape)}")
    return _lu_solve(packed, _rows(right, perm))


@lu_solve.open_shape
def _(lower_upper: Any, perm: Any, rhs: Any, **_: Any) -> list[Any]:
    batch = TensorShape(shape_of(perm)[:-1])
    for matrix in (lower_upper, rhs):
        batch = broadcast_static_shape(batch, TensorShape(shape_of(matrix)[:-2]))
    return [[*batch, shape_of(lower_upper)[-1], shape_of(rhs)[-1]]]


@op("linalg.lu_matrix_inverse.unit", differentiable=False)
def _unit(lower_upper: Inexact):
    return jnp.eye(lower_upper.shape[-1], dtype=lower_upper.dtype)


@export("linalg.lu_matrix_inverse")
@deferred()
def lu_matrix_inverse(lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None) -> Any:
    """The inverse of A, given `tf.linalg.lu(A)`. Mirrors `tf.linalg.lu_matrix_inverse`; see `lu_solve`."""
    packed = _factors(lower_upper)
    return _lu_solve(packed, _rows(_unit(packed), perm))


@lu_matrix_inverse.open_shape
def _(lower_upper: Any, **_: Any) -> list[Any]:
    return [shape_of(lower_upper)]
