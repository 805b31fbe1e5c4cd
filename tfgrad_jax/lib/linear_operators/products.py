"""Products of operators, one after the other or of Kronecker."""

from __future__ import annotations

import functools
import math
from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.lib.linear_operators.operator import LinearOperator
from tfgrad_jax.lib.linear_operators.parts import batch_with, hint, shape_of
from tfgrad_jax.ops.array.array import concat
from tfgrad_jax.ops.array.shape import broadcast_dynamic_shape, expand_dims, reshape, transpose
from tfgrad_jax.ops.linalg.matmul import adjoint as adjoint_of
from tfgrad_jax.ops.math.cast import cast


def batch_of(operators: Any) -> TensorShape:
    """The static batch shape of several operators together."""
    return functools.reduce(batch_with, [operator.batch_shape for operator in operators])


def batch_tensor_of(operators: Any) -> Any:
    """That as a tensor."""
    return functools.reduce(broadcast_dynamic_shape, [operator.batch_shape_tensor() for operator in operators])


class OfSeveral(LinearOperator):
    """An operator made of several others; what all of them are known to be, it is."""

    def __init__(
        self,
        operators: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        operators = list(operators)
        kind = type(self).__name__
        if not operators:
            raise ValueError(f"{kind}: expected a list of at least one operator, found: {operators}")
        dtypes = {operator.dtype for operator in operators}
        if len(dtypes) > 1:
            raise TypeError(
                f"{kind}: expected all operators to have the same dtype, found {[o.dtype for o in operators]}"
            )
        parameters = {
            "operators": operators,
            "is_non_singular": is_non_singular,
            "is_self_adjoint": is_self_adjoint,
            "is_positive_definite": is_positive_definite,
            "is_square": is_square,
            "name": name,
        }
        self._operators = operators
        if all(operator.is_non_singular for operator in operators):
            if is_non_singular is False:
                raise ValueError(f"{kind} of non-singular operators is always non-singular.")
            is_non_singular = True
        if self._inherits:
            said = is_self_adjoint, is_positive_definite
            is_self_adjoint = hint(*(o.is_self_adjoint for o in operators)) if said[0] is None else said[0]
            is_positive_definite = hint(*(o.is_positive_definite for o in operators)) if said[1] is None else said[1]
        super().__init__(
            operators[0].dtype,
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            is_square,
            name or self._joined.join(operator.name for operator in operators),
            parameters,
        )

    _joined = "_o_"
    _inherits = True

    @property
    def operators(self) -> list[Any]:
        """The others."""
        return self._operators

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"operators": [0] * len(self._operators)}


@export("linalg.LinearOperatorComposition")
class LinearOperatorComposition(OfSeveral):
    """Operators applied one after the other, the last one first. Mirrors `tf.linalg.LinearOperatorComposition`.

    Args:
      operators: a list of them.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: what is known.
      name: the name.
    """

    _inherits = False

    def _shape(self) -> Any:
        for left, right in zip(self._operators, self._operators[1:]):
            if None not in (left.domain_dimension.value, right.range_dimension.value) and (
                left.domain_dimension.value != right.range_dimension.value
            ):
                raise ValueError(f"the operators {left.name} and {right.name} do not fit: {left.shape}, {right.shape}")
        ends = [self._operators[0].range_dimension.value, self._operators[-1].domain_dimension.value]
        return batch_of(self._operators).concatenate(ends)

    def _shape_tensor(self) -> Any:
        ends = [self._operators[0].range_dimension_tensor(), self._operators[-1].domain_dimension_tensor()]
        return concat([batch_tensor_of(self._operators), ends], 0)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        order = self._operators if adjoint else self._operators[::-1]
        x = order[0].matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)
        for operator in order[1:]:
            x = operator.matmul(x, adjoint=adjoint)
        return x

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        order = self._operators[::-1] if adjoint else self._operators
        x = order[0].solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        for operator in order[1:]:
            x = operator.solve(x, adjoint=adjoint)
        return x

    def _determinant(self) -> Any:
        return math.prod([operator.determinant() for operator in self._operators])

    def _log_abs_determinant(self) -> Any:
        return sum(operator.log_abs_determinant() for operator in self._operators)

    def _to_dense(self) -> Any:
        *first, last = self._operators
        x = last.to_dense()
        for operator in reversed(first):
            x = operator.matmul(x)
        return x


@export("linalg.LinearOperatorKronecker")
class LinearOperatorKronecker(OfSeveral):
    """The Kronecker product of operators. Mirrors `tf.linalg.LinearOperatorKronecker`.

    Args:
      operators: a list of them.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: what is known.
      name: the name.
    """

    _joined = "_x_"

    def _shape(self) -> Any:
        ends: list[int | None] = []
        for sizes in (
            [o.range_dimension.value for o in self._operators],
            [o.domain_dimension.value for o in self._operators],
        ):
            ends.append(None if None in sizes else math.prod(sizes))
        return batch_of(self._operators).concatenate(ends)

    def _shape_tensor(self) -> Any:
        ends = [
            math.prod([o.range_dimension_tensor() for o in self._operators]),
            math.prod([o.domain_dimension_tensor() for o in self._operators]),
        ]
        return concat([batch_tensor_of(self._operators), ends], 0)

    def _each(self, x: Any, apply: Any, sizes: Any) -> Any:
        """Every operator along its own factor of the rows of `x`."""
        before, after = 1, math.prod(sizes)
        columns = shape_of(x)[-1]
        for operator, size in zip(self._operators, sizes):
            after = after // size
            batch = shape_of(x)[:-2]
            split = reshape(x, concat([batch, [before, size, after * columns]], 0))
            swapped = _swapped(split)
            batch = shape_of(swapped)[:-3]
            flat = reshape(swapped, concat([batch, [size, before * after * columns]], 0))
            made = apply(operator, flat)
            batch, rows = shape_of(made)[:-2], shape_of(made)[-2]
            back = _swapped(reshape(made, concat([batch, [rows, before, after * columns]], 0)))
            x = reshape(back, concat([batch, [before * rows * after, columns]], 0))
            before = before * rows
        return x

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x = adjoint_of(x) if adjoint_arg else x
        sizes = [(o.range_dimension_tensor if adjoint else o.domain_dimension_tensor)() for o in self._operators]
        return self._shown(self._each(x, lambda o, y: o.matmul(y, adjoint=adjoint), sizes), x, adjoint)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        rhs = adjoint_of(rhs) if adjoint_arg else rhs
        sizes = [(o.domain_dimension_tensor if adjoint else o.range_dimension_tensor)() for o in self._operators]
        return self._shown(self._each(rhs, lambda o, y: o.solve(y, adjoint=adjoint), sizes), rhs, adjoint)

    def _shown(self, made: Any, x: Any, adjoint: bool) -> Any:
        if x.shape.rank is not None and self.is_square and self.shape.is_fully_defined():
            made.set_shape(batch_with(self.batch_shape, x.shape[:-2]).concatenate(x.shape[-2:]))
        return made

    def _determinant(self) -> Any:
        total = self.domain_dimension_tensor()
        return math.prod([o.determinant() ** _as(total // o.domain_dimension_tensor(), o) for o in self._operators])

    def _log_abs_determinant(self) -> Any:
        total = self.domain_dimension_tensor()
        return sum(o.log_abs_determinant() * _as(total // o.domain_dimension_tensor(), o) for o in self._operators)

    def _trace(self) -> Any:
        return math.prod([operator.trace() for operator in self._operators])

    def _diag_part(self) -> Any:
        found = self._operators[0].diag_part()
        for operator in self._operators[1:]:
            product = expand_dims(found, -1) * expand_dims(operator.diag_part(), -2)
            found = reshape(product, concat([shape_of(product)[:-2], [-1]], 0))
        return found

    def _to_dense(self) -> Any:
        found = self._operators[0].to_dense()
        for operator in self._operators[1:]:
            other = operator.to_dense()
            product = found[..., :, None, :, None] * other[..., None, :, None, :]
            sizes = shape_of(product)
            found = reshape(product, concat([sizes[:-4], [sizes[-4] * sizes[-3], sizes[-2] * sizes[-1]]], 0))
        found.set_shape(self.shape)
        return found

    def _eigvals(self) -> Any:
        found = self._operators[0].eigvals()
        for operator in self._operators[1:]:
            product = expand_dims(found, -1) * expand_dims(operator.eigvals(), -2)
            found = reshape(product, concat([shape_of(product)[:-2], [-1]], 0))
        return found

    def _linop_adjoint(self) -> Any:
        return LinearOperatorKronecker([operator.adjoint() for operator in self._operators])

    def _linop_inverse(self) -> Any:
        return LinearOperatorKronecker([operator.inverse() for operator in self._operators])

    def _linop_cholesky(self) -> Any:
        return LinearOperatorKronecker([operator.cholesky() for operator in self._operators])


def _swapped(x: Any) -> Any:
    rank = x.shape.rank
    return transpose(x, [*range(rank - 3), rank - 2, rank - 3, rank - 1])


def _as(number: Any, operator: Any) -> Any:
    return cast(number, operator.dtype)
