"""Random matrices that tests of linear operators are given: real or complex, definite, triangular, nearly singular."""

from __future__ import annotations

import math
from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values.dtypes import as_dtype, float32
from tfgrad_jax.lib.linear_operators.parts import shape_of
from tfgrad_jax.ops.array.creation import eye
from tfgrad_jax.ops.linalg.linalg import band_part, set_diag
from tfgrad_jax.ops.linalg.matmul import matmul
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.complex import complex as complex_of
from tfgrad_jax.ops.math.rounding import sign
from tfgrad_jax.ops.random.seeds import normal, uniform

_PLACE = "python.ops.linalg.linear_operator_test_util."


def _drawn(draw: Any, dtype: Any, seed: int | None, step: int) -> Any:
    """One draw where the dtype is real; of two the second is the imaginary part, with a seed `step` further."""
    dtype = as_dtype(dtype)
    first = draw(dtype.real_dtype, seed)
    if not dtype.is_complex:
        return first
    return complex_of(first, draw(dtype.real_dtype, None if seed is None else seed + step))


@export(_PLACE + "random_normal")
def random_normal(shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = float32, seed: int | None = None) -> Any:
    """Normal numbers; complex ones have real and imaginary parts that are."""
    return _drawn(lambda real, seed: normal(shape, mean, stddev, real, seed), dtype, seed, 1234)


@export(_PLACE + "random_uniform")
def random_uniform(
    shape: Any, minval: Any = None, maxval: Any = None, dtype: Any = float32, seed: int | None = None
) -> Any:
    """Numbers between two bounds; complex ones have real and imaginary parts that are."""
    low = 0 if minval is None else minval
    return _drawn(lambda real, seed: uniform(shape, low, maxval, real, seed), dtype, seed, 12345)


@export(_PLACE + "random_sign_uniform")
def random_sign_uniform(
    shape: Any, minval: Any = None, maxval: Any = None, dtype: Any = float32, seed: int | None = None
) -> Any:
    """Such numbers, of which about half have the other sign."""
    size = random_uniform(shape, minval, maxval, dtype, seed)
    return size * cast(sign(uniform(shape, -1.0, 1.0, seed=None if seed is None else seed + 12)), size.dtype)


@export(_PLACE + "random_positive_definite_matrix")
def random_positive_definite_matrix(
    shape: Any, dtype: Any, oversampling_ratio: int = 4, force_well_conditioned: bool = False
) -> Any:
    """Covariances of a few samples of normal numbers: hermitian, and positive definite if there are samples enough.

    Args:
      shape: of the matrices.
      dtype: of the matrices.
      oversampling_ratio: how many samples there are for each row.
      force_well_conditioned: whether to take the mean with the identity, so that most eigenvalues are close to 1.

    Raises:
      ValueError: if the matrices are not square.
    """
    dtype = as_dtype(dtype)
    *batch, rows, columns = map(int, shape)
    if rows != columns:
        raise ValueError(f"random_positive_definite_matrix: expected a shape of square matrices, got {shape}")
    samples = oversampling_ratio * columns
    deviation = 1 / math.sqrt(samples) if samples else math.inf
    drawn = random_normal([*batch, rows, samples], stddev=deviation, dtype=dtype)
    covariance = matmul(drawn, drawn, adjoint_b=True)
    return (covariance + eye(rows, dtype=dtype)) / cast(2, dtype) if force_well_conditioned else covariance


@export(_PLACE + "random_tril_matrix")
def random_tril_matrix(shape: Any, dtype: Any, force_well_conditioned: bool = False, remove_upper: bool = True) -> Any:
    """Lower triangles of normal numbers, whose diagonals have moduli of 1 to 2 if they shall be well conditioned.

    With `remove_upper=False` the upper triangles are normal numbers too.
    """
    dtype = as_dtype(dtype)
    matrix = random_normal(shape, dtype=dtype)
    if remove_upper:
        matrix = band_part(matrix, -1, 0)
    if not force_well_conditioned:
        return matrix
    return set_diag(matrix, random_sign_uniform(shape[:-1], 1.0, math.sqrt(2.0), dtype))


@export(_PLACE + "random_normal_correlated_columns")
def random_normal_correlated_columns(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = float32, eps: float = 1e-4, seed: int | None = None
) -> Any:
    """Matrices of normal numbers that are nearly singular: rows lie within `eps` of a space of one dimension less.

    Raises:
      ValueError: if `shape` has less than two dimensions.
    """
    if len(shape) < 2:
        raise ValueError(f"random_normal_correlated_columns: expected a shape of at least 2 dimensions, got {shape}")
    *batch, rows, columns = shape
    if columns < 2 or columns < rows:
        return random_normal(shape, mean, stddev, dtype, seed)
    inner = random_normal([*batch, rows, columns - 1], 0.0, 1 / math.sqrt(columns - 1), dtype, seed)
    outer = random_normal([*batch, columns, columns - 1], dtype=dtype, seed=None if seed is None else seed + 1287)
    spanned = matmul(inner, outer, transpose_b=True)
    return spanned + random_normal(shape_of(spanned), stddev=eps, dtype=dtype) + cast(mean, dtype)
