"""What public functions of matrices do with linear operators: they ask the operator."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.composite.answers import answers
from tfgrad_jax.lib.linear_operators.operator import LinearOperator
from tfgrad_jax.ops.array.shape import expand_dims, squeeze
from tfgrad_jax.ops.linalg.matmul import adjoint as adjoint_of


@answers(LinearOperator, "linalg.adjoint")
def _adjoint(matrix: Any, name: Any = None) -> Any:
    return matrix.adjoint()


@answers(LinearOperator, "linalg.cholesky")
def _cholesky(input: Any, name: Any = None) -> Any:
    return input.cholesky()


@answers(LinearOperator, "linalg.det")
def _det(input: Any, name: Any = None) -> Any:
    return input.determinant()


@answers(LinearOperator, "linalg.diag_part")
def _diag_part(
    input: Any, name: Any = "diag_part", k: Any = 0, padding_value: Any = 0, align: Any = "RIGHT_LEFT"
) -> Any:
    return input.diag_part()


@answers(LinearOperator, "linalg.inv")
def _inv(input: Any, adjoint: bool = False, name: Any = None) -> Any:
    inverse = input.inverse()
    return inverse.adjoint() if adjoint else inverse


@answers(LinearOperator, "linalg.logdet")
def _logdet(matrix: Any, name: Any = None) -> Any:
    if not (matrix.is_self_adjoint and matrix.is_positive_definite):
        raise ValueError("tf.linalg.logdet: expected the operator to be known as self-adjoint and positive definite")
    return matrix.log_abs_determinant()


@answers(LinearOperator, "linalg.trace")
def _trace(x: Any, name: Any = None) -> Any:
    return x.trace()


@answers(LinearOperator, "linalg.solve")
def _solve(matrix: Any, rhs: Any, adjoint: bool = False, name: Any = None) -> Any:
    if not isinstance(matrix, LinearOperator):
        raise ValueError("tf.linalg.solve: where `rhs` is a linear operator, `matrix` must be one, too")
    return matrix.solve(rhs, adjoint=adjoint)


@answers(LinearOperator, "linalg.matmul")
def _matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    **others: Any,
) -> Any:
    if transpose_a or transpose_b:
        raise ValueError("tf.linalg.matmul: linear operators cannot be transposed here; take adjoint_a or adjoint_b")
    if a_is_sparse or b_is_sparse:
        raise ValueError("tf.linalg.matmul: with linear operators, neither operand may be said to be sparse")
    if isinstance(a, LinearOperator):
        return a.matmul(b, adjoint=adjoint_a, adjoint_arg=adjoint_b)
    return adjoint_of(b.matmul(a, adjoint=not adjoint_b, adjoint_arg=not adjoint_a))


@answers(LinearOperator, "linalg.matvec")
def _matvec(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: Any = None,
) -> Any:
    return squeeze(
        _matmul(a, expand_dims(b, -1), transpose_a, False, adjoint_a, False, a_is_sparse, b_is_sparse), axis=-1
    )
