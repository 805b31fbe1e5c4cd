"""Norms, diagonals and bands of matrices."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Attr, Axis, Inexact, Int, Number, One, Real, T, Truth, static
from tfgrad_jax.engine.graph.deferred import deferred
from tfgrad_jax.engine.messages.errors import failed_precondition, invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.ops.common import listed, shape_of
from tfgrad_jax.ops.linalg.matrices import no_half
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.math import divide

# -- norms ------------------------------------------------------------------------------------------------------------


def _reduced_axes(axis: Any, rank: int) -> tuple[int, ...]:
    axes = tuple(range(rank)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    for a in axes:
        if not -rank <= a < rank:
            raise invalid_argument(f"Invalid reduction dimension ({a} for input with {rank} dimension(s)", "Sum")
    return tuple(a % rank for a in axes)


@op("norm")
def _euclidean(tensor: Inexact, axis: Axis, keepdims: Truth):
    return jnp.sqrt(jnp.sum(tensor * jnp.conj(tensor), _reduced_axes(axis, tensor.ndim), keepdims=keepdims))


@_euclidean.rule
def _(cts, inputs, outputs, axis, keepdims):
    x, y, ct = inputs[0], outputs[0], cts[0]
    # NaN at zero, unless nothing comes from above.
    half = jnp.where(ct == 0, 0, ct / jnp.where(ct == 0, 1, y)).real
    if not keepdims:
        half = jnp.expand_dims(half, _reduced_axes(axis, x.ndim))
    return [x * half]


@op("norm.p")
def _p_norm(tensor: Number, ord: Attr, axis: Axis, keepdims: Truth):
    axes = _reduced_axes(axis, tensor.ndim)
    if isinstance(axis, tuple) and ord == 2:
        matrix = jnp.moveaxis(tensor, axes, (-2, -1))
        largest = jnp.max(jnp.linalg.svd(matrix, compute_uv=False), -1, initial=-np.inf)
        return jnp.expand_dims(largest, axes) if keepdims else largest
    # The derivative of this at 0 is 0, that of JAX's abs is 1.
    size = jnp.abs(tensor) if jnp.iscomplexobj(tensor) else tensor * jnp.sign(tensor)
    if isinstance(axis, tuple):
        rows, columns = axes
        summed, other = (rows, columns) if ord == 1 else (columns, rows)
        result = jnp.max(jnp.sum(size, summed, keepdims=True, dtype=size.dtype), other, keepdims=True)
        return result if keepdims else jnp.squeeze(result, axes)
    if ord == 1:
        return jnp.sum(size, axes, keepdims=keepdims, dtype=size.dtype)
    if ord == np.inf:
        least = -jnp.inf if jnp.issubdtype(size.dtype, jnp.inexact) else None  # of nothing
        return jnp.max(size, axes, keepdims=keepdims, initial=least)
    return jnp.sum(size**ord, axes, keepdims=keepdims) ** (1 / ord)


@export("norm", "linalg.norm")
def norm(tensor: Any, ord: Any = "euclidean", axis: Any = None, keepdims: Any = None, name: str | None = None) -> Any:
    """A norm of vectors, or of matrices if `axis` names two dimensions. Mirrors `tf.norm`.

    Args:
      tensor: a tensor; whole numbers only for the norms 1 and infinity.
      ord: "euclidean", a positive number or infinity; for matrices "fro", "euclidean", 1, 2 or infinity.
      axis: None for all elements, a dimension, or two.
      keepdims: whether the reduced dimensions stay, with length 1.
      name: accepted for compatibility.

    Raises:
      ValueError: for another `ord` or `axis`.
    """
    if isinstance(axis, (list, tuple)) and not all(isinstance(a, (int, np.integer)) for a in axis):
        raise ValueError(f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {axis}")
    axis, ord = static(axis), static(ord)
    matrix = isinstance(axis, tuple)
    if isinstance(axis, tuple):
        if len(axis) != 2 or axis[0] == axis[1]:
            raise ValueError(f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {axis}")
        if ord not in ("euclidean", "fro", 1, 2, np.inf):
            raise ValueError(f"'ord' must be a supported matrix norm in ['euclidean', 'fro', 1, 2, inf], got {ord}")
    elif ord != "euclidean" and (isinstance(ord, str) or ord <= 0):
        raise ValueError(f"'ord' must be a supported vector norm, got {ord}")
    if ord in ("euclidean", "fro") or (ord == 2 and not matrix):
        return _euclidean(tensor, axis, bool(keepdims))
    return _p_norm(tensor, float(ord), axis, bool(keepdims))


@export("linalg.normalize")
def normalize(tensor: Any, ord: Any = "euclidean", axis: Any = None, name: str | None = None) -> Any:
    """The tensor divided by its norm, and the norm. Mirrors `tf.linalg.normalize`."""
    tensor = convert(tensor)
    length = cast(norm(tensor, ord, axis, keepdims=True), tensor.dtype)
    return divide(tensor, length), length


# -- diagonals --------------------------------------------------------------------------------------------------------


def _band(k: Any) -> tuple[int, int]:
    """The lowest and the highest of the diagonals `k`."""
    k = static(k)
    low, high = (k, k) if isinstance(k, int) else (k[0], k[-1])
    if low > high:
        raise invalid_argument(
            f"lower_diag_index must not be larger than upper_diag_index: {low} > {high}", "MatrixDiagV3"
        )
    return low, high


def _alignment(align: str) -> tuple[bool, bool]:
    """Whether super- and subdiagonals are packed to the right."""
    if align not in ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT"):
        raise invalid_argument(
            f"Unknown align {align!r}; expected RIGHT_LEFT, LEFT_RIGHT, LEFT_LEFT or RIGHT_RIGHT", "MatrixDiagV3"
        )
    above, below = align.split("_")
    return above == "RIGHT", below == "RIGHT"


def _packing(rows: int, columns: int, low: int, high: int, align: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where each element of a matrix stands among packed diagonals: its diagonal, the place there, whether at all."""
    above, below = _alignment(align)
    i, j = np.arange(rows)[:, None], np.arange(columns)[None, :]
    d = j - i
    lengths = np.minimum(rows + np.minimum(d, 0), columns - np.maximum(d, 0))
    longest = _longest(rows, columns, low, high)
    right = np.where(d > 0, above, below) & (d != 0) | (d == 0) & (above if low >= 0 and high > 0 else below)
    place = np.minimum(i, j) + np.where(right, longest - lengths, 0)
    inside = (d >= low) & (d <= high)
    return np.where(inside, high - d, 0), np.where(inside, place, 0), inside


def _longest(rows: int, columns: int, low: int, high: int) -> int:
    return min(rows + min(high, 0), columns - max(low, 0))


def _spread(diagonals: Any, rows: int, columns: int, low: int, high: int, align: str, other: Any) -> Any:
    """A matrix with these packed diagonals, and `other` elsewhere."""
    if low == high:
        diagonals = diagonals[..., None, :]
    which, place, inside = _packing(rows, columns, low, high, align)
    return jnp.where(inside, diagonals[..., which, place], other)


@op("MatrixDiagV3")
def _matrix_diag(diagonal: T, padding_value: T, low: Int, high: Int, rows: Int, columns: Int, align: Attr):
    if diagonal.ndim < (1 if low == high else 2):
        raise invalid_argument(
            f"diagonal must be at least {1 if low == high else 2}-dim, received shape: {listed(diagonal.shape)}",
            "MatrixDiagV3",
        )
    longest = diagonal.shape[-1]
    if low != high and diagonal.shape[-2] != high - low + 1:
        raise invalid_argument(
            "The number of rows of `diagonal` doesn't match the number of diagonals implied from `k`: "
            f"{diagonal.shape[-2]} "
            f"vs. {high - low + 1}",
            "MatrixDiagV3",
        )
    least_rows, least_columns = longest - min(high, 0), longest + max(low, 0)
    for sides, number in (("rows", rows), ("columns", columns)):
        if number < -1:
            raise invalid_argument(
                f"The number of {sides} is too small: {number}; -1 stands for the smallest", "MatrixDiagV3"
            )
    if rows < 0 and columns < 0:
        rows = columns = max(least_rows, least_columns)
    rows, columns = least_rows if rows < 0 else rows, least_columns if columns < 0 else columns
    if _longest(rows, columns, low, high) != longest:
        raise invalid_argument(
            f"The number of rows and columns ({rows}, {columns}) does not fit diagonals of length {longest} for "
            f"k=({low}, {high})",
            "MatrixDiagV3",
        )
    return _spread(diagonal, rows, columns, low, high, align, padding_value)


@export("linalg.diag")
@deferred("k", "num_rows", "num_cols", ranks=True, name="MatrixDiagV3")
def diag(
    diagonal: Any,
    name: str | None = "diag",
    k: Any = 0,
    num_rows: int = -1,
    num_cols: int = -1,
    padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Any:
    """Matrices with the given diagonals. Mirrors `tf.linalg.diag`.

    Args:
      diagonal: the diagonal in the last dimension; several, the highest first, in the last two.
      name: accepted for compatibility.
      k: which diagonal, or the lowest and the highest; positive ones lie above the main one.
      num_rows, num_cols: the size of the matrices; -1 for the smallest.
      padding_value: what stands elsewhere.
      align: how shorter super- and subdiagonals are packed: "RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT" or "RIGHT_RIGHT".

    Raises:
      InvalidArgumentError: if the sizes do not fit.
    """
    diagonal = convert(diagonal)
    return _matrix_diag(
        diagonal, _padding(padding_value, diagonal.dtype), *_band(k), static(num_rows), static(num_cols), align
    )


def _padding(value: Any, dtype: DType) -> Tensor:
    """What stands where there is no element; matrices of booleans take numbers, too."""
    return convert(bool(value) if dtype.is_bool and isinstance(value, int) else value, dtype)


def _check_matrix(x: Any, low: int, high: int, name: str) -> None:
    if x.ndim < 2:
        raise invalid_argument(f"input must be at least 2-dim, received shape: {listed(x.shape)}", name)
    rows, columns = x.shape[-2:]
    for which, k in (("lower", low), ("upper", high)):
        if not -rows < k < columns and k != 0:
            raise invalid_argument(
                f"{which}_diag_index is out of bound: {k}. It must be between {-rows} and {columns}", name
            )


@op("MatrixDiagPartV3")
def _matrix_diag_part(input: T, padding_value: T, low: Int, high: Int, align: Attr):
    _check_matrix(input, low, high, "MatrixDiagPartV3")
    rows, columns = input.shape[-2:]
    if low == high:
        count = _longest(rows, columns, low, high)
        return input[..., np.arange(count) - min(low, 0), np.arange(count) + max(low, 0)]
    which, place, inside = _packing(rows, columns, low, high, align)
    shape = (high - low + 1, _longest(rows, columns, low, high))
    row, column, known = (np.zeros(shape, int) for _ in range(3))
    i, j = np.nonzero(inside)
    row[which[i, j], place[i, j]] = i
    column[which[i, j], place[i, j]] = j
    known[which[i, j], place[i, j]] = 1
    return jnp.where(known == 1, input[..., row, column], padding_value)


@_matrix_diag_part.open_shape
def _(attributes: dict[str, Any], given: Any, *rest: Any) -> Any:
    low, high = attributes["low"], attributes["high"]
    return (*given[:-2], *(() if low == high else (high - low + 1,)), None)


@export("linalg.diag_part")
@deferred("k", ranks=True, name="MatrixDiagPartV3")
def diag_part(
    input: Any, name: str | None = "diag_part", k: Any = 0, padding_value: Any = 0, align: str = "RIGHT_LEFT"
) -> Any:
    """Diagonals of matrices, packed as `diag` takes them. Mirrors `tf.linalg.diag_part`.

    Raises:
      InvalidArgumentError: if there are no such diagonals.
    """
    input = convert(input)
    return _matrix_diag_part(input, _padding(padding_value, input.dtype), *_band(k), align)


@op("MatrixSetDiagV3")
def _matrix_set_diag(input: T, diagonal: T, low: Int, high: Int, align: Attr):
    _check_matrix(input, low, high, "MatrixSetDiagV3")
    rows, columns = input.shape[-2:]
    wanted = (*input.shape[:-2], *([] if low == high else [high - low + 1]), _longest(rows, columns, low, high))
    if diagonal.shape != wanted:
        raise invalid_argument(
            "Either first dimensions of diagonal don't match input.shape[:-2], or diagonal.shape[:-1] is not equal "
            "to the "
            "longests diagonal in range [lower_diag_index:upper_diag_index].\nInput shape: "
            f"{listed(input.shape)}\nDiagonal "
            f"shape: {listed(diagonal.shape)}\nExpected diagonal shape: {listed(wanted)}",
            "MatrixSetDiagV3",
        )
    return _spread(diagonal, rows, columns, low, high, align, input)


@_matrix_set_diag.open_shape
def _(attributes: dict[str, Any], given: Any, *rest: Any) -> Any:
    return given


@export("linalg.set_diag")
def set_diag(input: Any, diagonal: Any, name: str | None = "set_diag", k: Any = 0, align: str = "RIGHT_LEFT") -> Any:
    """Matrices with some diagonals replaced. Mirrors `tf.linalg.set_diag`.

    Raises:
      InvalidArgumentError: if the diagonals do not fit.
    """
    return _matrix_set_diag(input, diagonal, *_band(k), align)


@op("linalg.trace", "linalg.trace")
def trace(x: Number):
    """The sum of the main diagonal of each matrix."""
    _check_matrix(x, 0, 0, "MatrixDiagPartV3")
    return jnp.trace(x, axis1=-2, axis2=-1, dtype=x.dtype)


@op("Diag", "linalg.tensor_diag")
def tensor_diag(diagonal: Number):
    """A tensor of twice the rank, with the argument where the first half of the indices equals the second."""
    if not diagonal.ndim:
        raise invalid_argument("Input must be at least rank 1, got 0", "Diag")
    size = diagonal.size
    return jnp.diag(diagonal.reshape(size)).reshape(diagonal.shape * 2)


@op("DiagPart", "linalg.tensor_diag_part")
def tensor_diag_part(input: Number):
    """The elements where the first half of the indices equals the second."""
    half = input.ndim // 2
    if not half or input.ndim % 2 or input.shape[:half] != input.shape[half:]:
        raise invalid_argument(
            f"the first half of the dimensions must equal the second: {listed(input.shape)}", "DiagPart"
        )
    size = int(np.prod(input.shape[:half], dtype=int))
    return jnp.diagonal(input.reshape(size, size)).reshape(input.shape[:half])


@op("MatrixBandPart")
def _band_part(input: T, num_lower: One, num_upper: One):
    if input.ndim < 2:
        raise invalid_argument(f"input must be at least 2-dim, received shape: {listed(input.shape)}", "MatrixBandPart")
    rows, columns = input.shape[-2:]
    for name, value, limit in (("num_lower", num_lower, rows), ("num_upper", num_upper, columns)):
        if value > limit:
            raise invalid_argument(
                f"{name} must be negative or less or equal to number of rows or columns ({limit}) got: {value}",
                "MatrixBandPart",
                when_run=True,
            )
    d = np.arange(columns)[None, :] - np.arange(rows)[:, None]
    kept = ((num_lower < 0) | (-d <= num_lower)) & ((num_upper < 0) | (d <= num_upper))
    return jnp.where(kept, input, jnp.zeros((), input.dtype))


@export("linalg.band_part")
@deferred("num_lower", "num_upper")
def band_part(input: Any, num_lower: Any, num_upper: Any, name: str | None = None) -> Any:
    """A central band of matrices; a negative number keeps the whole triangle. Mirrors `tf.linalg.band_part`.

    Raises:
      InvalidArgumentError: if a number is larger than the matrix.
    """
    return _band_part(input, static(num_lower), static(num_upper))


@band_part.open_shape
def _(input: Any, **_: Any) -> list[Any]:
    return [shape_of(input)]


@op("Cross", "linalg.cross")
def cross(a: Real, b: Real):
    """The cross product of vectors of three elements, in the last dimension."""
    if a.shape != b.shape:
        raise invalid_argument(f"Both inputs must be of same shape: {listed(a.shape)} vs. {listed(b.shape)}", "Cross")
    if not a.ndim or a.shape[-1] != 3:
        raise failed_precondition(f"Cross-products are only defined for 3-element vectors: {listed(a.shape)}", "Cross")
    return jnp.cross(a, b)


@op("linalg.expm", "linalg.expm")
def expm(input: Inexact):
    """The exponential of each square matrix."""
    if input.ndim < 2 or input.shape[-1] != input.shape[-2]:
        raise invalid_argument(f"Input matrix must be square, got shape {listed(input.shape)}", "MatrixExponential")
    return jax.scipy.linalg.expm(no_half(input)).astype(input.dtype)
