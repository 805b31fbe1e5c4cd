"""Operators made of operators: products, inverses, adjoints, Cholesky factors, slices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values.spec_names import register
from tfgrad_jax.lib.linear_operators.blocks import LinearOperatorBlockDiag
from tfgrad_jax.lib.linear_operators.circulant import Circulant
from tfgrad_jax.lib.linear_operators.diagonal import (
    LinearOperatorDiag,
    LinearOperatorIdentity,
    LinearOperatorScaledIdentity,
    LinearOperatorZeros,
)
from tfgrad_jax.lib.linear_operators.full import (
    LinearOperatorAdjoint,
    LinearOperatorFullMatrix,
    LinearOperatorInversion,
    LinearOperatorLowerTriangular,
)
from tfgrad_jax.lib.linear_operators.operator import LinearOperator, algebra
from tfgrad_jax.lib.linear_operators.parts import hint
from tfgrad_jax.lib.linear_operators.products import LinearOperatorComposition
from tfgrad_jax.ops.array.creation import eye, ones
from tfgrad_jax.ops.array.shape import expand_dims
from tfgrad_jax.ops.linalg.matrices import cholesky
from tfgrad_jax.ops.math.complex import conj
from tfgrad_jax.ops.math.power import sqrt


def _check(left: Any, right: Any, inner: Any) -> None:
    theirs = right.range_dimension.value
    if None not in (inner, theirs) and inner != theirs:
        raise ValueError(f"Operators are incompatible. Expected `x` to have dimension {inner} but got {theirs}.")


def _both(left: Any, right: Any) -> dict[str, Any]:
    """What is known of a product of two operators that commute with all of their kind."""
    return {
        "is_non_singular": hint(left.is_non_singular, right.is_non_singular),
        "is_self_adjoint": hint(left.is_self_adjoint, right.is_self_adjoint),
        "is_positive_definite": hint(left.is_positive_definite, right.is_positive_definite),
        "is_square": True,
    }


def _product(left: Any, right: Any) -> Any:
    _check(left, right, left.domain_dimension.value)
    if isinstance(left, LinearOperatorIdentity):
        return right
    if isinstance(right, LinearOperatorIdentity):
        return left
    if isinstance(right, LinearOperatorZeros) or isinstance(left, LinearOperatorZeros):
        if not (left.is_square and right.is_square):
            raise ValueError(
                f"Products with LinearOperatorZeros need square operators: {left.shape} times {right.shape}"
            )
        return right if isinstance(right, LinearOperatorZeros) else left
    diagonals = LinearOperatorDiag, LinearOperatorScaledIdentity
    if isinstance(left, LinearOperatorScaledIdentity) and isinstance(right, LinearOperatorScaledIdentity):
        return LinearOperatorScaledIdentity(
            left.domain_dimension_tensor(), left.multiplier * right.multiplier, **_both(left, right)
        )
    if isinstance(left, diagonals) and isinstance(right, diagonals):
        return LinearOperatorDiag(left.diag_part() * right.diag_part(), **_both(left, right))
    if isinstance(left, LinearOperatorDiag) and isinstance(right, LinearOperatorLowerTriangular):
        return LinearOperatorLowerTriangular(expand_dims(left.diag, -1) * right.to_dense())
    if isinstance(left, LinearOperatorLowerTriangular) and isinstance(right, LinearOperatorDiag):
        return LinearOperatorLowerTriangular(left.to_dense() * expand_dims(right.diag, -2))
    if isinstance(left, Circulant) and isinstance(right, Circulant) and left.block_depth == right.block_depth:
        return left.with_spectrum(left.spectrum * right.spectrum, right)
    if _blocks_fit(left, right):
        blocks = [one.matmul(other) for one, other in zip(left.operators, right.operators, strict=True)]
        return LinearOperatorBlockDiag(
            blocks, is_non_singular=hint(left.is_non_singular, right.is_non_singular), is_square=True
        )
    if isinstance(left, LinearOperatorInversion) and left.operator is right:
        return LinearOperatorIdentity(right.domain_dimension_tensor(), right.batch_shape, right.dtype)
    return _composed(left, right, _are_adjoints(left, right))


def _composed(left: Any, right: Any, adjoints: bool) -> Any:
    """One operator after another; of an operator and its adjoint it is known that they are positive definite, if not singular."""
    parts = [p for o in (left, right) for p in (o.operators if isinstance(o, LinearOperatorComposition) else [o])]
    rows, columns = left.range_dimension.value, right.domain_dimension.value
    if not (left.is_square and right.is_square) and None not in (rows, columns) and rows != columns:
        return LinearOperatorComposition(parts, False, False, False, False)
    whole = hint(left.is_non_singular, right.is_non_singular)
    return LinearOperatorComposition(parts, whole, adjoints or None, (adjoints and whole) or None)


def _are_adjoints(left: Any, right: Any) -> bool:
    if left is right:
        return bool(left.is_self_adjoint)
    return (isinstance(right, LinearOperatorAdjoint) and right.operator is left) or (
        isinstance(left, LinearOperatorAdjoint) and left.operator is right
    )


def _blocks_fit(left: Any, right: Any) -> bool:
    """Whether both are made of as many blocks along the diagonal, of the same sizes."""
    if not isinstance(left, LinearOperatorBlockDiag) or not isinstance(right, LinearOperatorBlockDiag):
        return False
    sizes = (
        [one.domain_dimension.value for one in left.operators],
        [one.range_dimension.value for one in right.operators],
    )
    return sizes[0] == sizes[1] and None not in sizes[0]


def _quotient(left: Any, right: Any) -> Any:
    _check(left, right, left.range_dimension.value)
    if _blocks_fit(left, right):
        blocks = [one.solve(other) for one, other in zip(left.operators, right.operators, strict=True)]
        return LinearOperatorBlockDiag(
            blocks, is_non_singular=hint(left.is_non_singular, right.is_non_singular), is_square=True
        )
    inverse = left.inverse()
    if isinstance(inverse, LinearOperatorInversion) and not isinstance(
        right, (LinearOperatorIdentity, LinearOperatorZeros)
    ):
        return _composed(inverse, right, False)
    return _product(inverse, right)


def _adjoint(operator: Any) -> Any:
    if isinstance(operator, Circulant):
        return operator.with_spectrum(conj(operator.spectrum))
    if isinstance(operator, LinearOperatorDiag):
        return LinearOperatorDiag(conj(operator.diag), operator.is_non_singular, operator.is_self_adjoint)
    if isinstance(operator, LinearOperatorScaledIdentity):
        return LinearOperatorScaledIdentity(
            operator.domain_dimension_tensor(),
            conj(operator.multiplier),
            operator.is_non_singular,
            operator.is_self_adjoint,
            operator.is_positive_definite,
        )
    return LinearOperatorAdjoint(operator)


def _inverse(operator: Any) -> Any:
    known: dict[str, Any] = {
        "is_non_singular": operator.is_non_singular,
        "is_self_adjoint": operator.is_self_adjoint,
        "is_positive_definite": operator.is_positive_definite,
        "is_square": True,
    }
    if isinstance(operator, LinearOperatorIdentity):
        return operator
    if isinstance(operator, Circulant):
        return operator.with_spectrum(1.0 / operator.spectrum, dtype=operator.dtype)
    if isinstance(operator, LinearOperatorDiag):
        return LinearOperatorDiag(1.0 / operator.diag, **known)
    if isinstance(operator, LinearOperatorScaledIdentity):
        return LinearOperatorScaledIdentity(operator.domain_dimension_tensor(), 1.0 / operator.multiplier, **known)
    return LinearOperatorInversion(operator)


def _cholesky(operator: Any) -> Any:
    if isinstance(operator, LinearOperatorIdentity):
        return operator
    known: dict[str, Any] = {
        "is_non_singular": True,
        "is_self_adjoint": True,
        "is_positive_definite": True,
        "is_square": True,
    }
    if isinstance(operator, LinearOperatorDiag):
        return LinearOperatorDiag(sqrt(operator.diag), **known)
    if isinstance(operator, LinearOperatorScaledIdentity):
        return LinearOperatorScaledIdentity(operator.domain_dimension_tensor(), sqrt(operator.multiplier), **known)
    return LinearOperatorLowerTriangular(
        cholesky(operator.to_dense()), is_non_singular=True, is_self_adjoint=False, is_square=True
    )


def _eye(operator: Any) -> Any:
    return eye(operator.domain_dimension_tensor(), dtype=operator.dtype)


def _slice(operator: Any, slices: Any, rank: int | None = None) -> Any:
    """The operator of a slice of the batch: of each argument the same slice of its batch dimensions.

    `rank` is that of the batch which is cut: an operator inside of another may have fewer dimensions.
    """
    given = tuple(slices) if isinstance(slices, (list, tuple)) else (slices,)
    rank = operator.batch_shape.rank if rank is None else rank
    matrix = operator._experimental_parameter_ndims_to_matrix_ndims
    changed = {
        name: _sliced(value, given, matrix[name], rank)
        for name, value in operator.parameters.items()
        if name in matrix and value is not None
    }
    if operator.parameters.get("batch_shape") is not None:
        changed["batch_shape"] = _sliced(ones(operator.batch_shape), given, 0, rank).shape
    return type(operator)(**{**operator.parameters, **changed})


def _sliced(value: Any, slices: tuple[Any, ...], dimensions: Any, rank: int) -> Any:
    if isinstance(dimensions, (list, tuple)):
        return [_sliced(v, slices, d, rank) for v, d in zip(value, dimensions)]
    if isinstance(value, LinearOperator):
        return _slice(value, slices, rank)
    absent = rank - (value.shape.rank - dimensions)  # the batch dimensions that this argument does without
    used: list[Any] = []
    at = 0
    for i, item in enumerate(slices):
        if item is Ellipsis:
            covered = rank - at - sum(1 for s in slices[i + 1 :] if s is not None)
            used += [slice(None)] * (max(0, at + covered - absent) - max(0, at - absent))
            at += covered
        elif item is None:
            used.append(None)
        else:
            if at >= absent:
                spread = value.shape[at - absent] == 1
                used.append(item if not spread else slice(None) if isinstance(item, slice) else 0)
            at += 1
    return value[(*used, Ellipsis)]


_MADE: dict[str, Callable[..., Any]] = {
    "matmul": _product,
    "solve": _quotient,
    "adjoint": _adjoint,
    "inverse": _inverse,
    "cholesky": _cholesky,
    "eye": _eye,
    "slice": _slice,
}


@algebra.fill
def _make(what: str, *operators: Any) -> Any:
    return _MADE[what](*operators)


@export("python.ops.linalg.linear_operator.make_composite_tensor")
def make_composite_tensor(cls: Any, module_name: str = "tf.linalg") -> Any:
    """A decorator of subclasses that libraries use: all operators are composites already, so it names their types only."""
    register(f"{module_name}.{cls.__name__}Spec")(cls.spec_kind)
    return cls


@export("python.ops.linalg.linear_operator_addition.add_operators")
def add_operators(
    operators: Any, operator_name: str | None = None, addition_tiers: Any = None, name: Any = None
) -> Any:
    """The sum of operators, as a list of one."""
    first, *rest = operators
    if not rest:
        return [first]
    if all(
        isinstance(o, (LinearOperatorDiag, LinearOperatorScaledIdentity, LinearOperatorIdentity)) for o in operators
    ):
        return [LinearOperatorDiag(sum(o.diag_part() for o in operators), is_positive_definite=hint(*(
            o.is_positive_definite for o in operators)))]  # fmt: skip
    total = first.to_dense()
    for operator in rest:
        total = operator.add_to_tensor(total)
    return [
        LinearOperatorFullMatrix(
            total,
            is_self_adjoint=hint(*(o.is_self_adjoint for o in operators)),
            is_positive_definite=hint(*(o.is_positive_definite for o in operators)),
            is_square=True,
        )
    ]
