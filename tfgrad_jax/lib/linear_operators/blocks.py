"""Operators made of blocks: along the diagonal, or below it, too."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.lib.linear_operators.operator import LinearOperator
from tfgrad_jax.lib.linear_operators.parts import hint, shape_of
from tfgrad_jax.lib.linear_operators.products import OfSeveral, batch_of, batch_tensor_of
from tfgrad_jax.ops.array.array import concat, split
from tfgrad_jax.ops.array.creation import zeros
from tfgrad_jax.ops.array.shape import broadcast_to, expand_dims, squeeze
from tfgrad_jax.ops.linalg.matmul import adjoint as adjoint_of


def _total(sizes: list[Any]) -> Any:
    return None if None in sizes else sum(sizes)


def _joined(blocks: list[Any], axis: int) -> Any:
    """Blocks one after the other, with the batch dimensions of all."""
    if len({tuple(block.shape[:-2]) for block in blocks}) > 1:
        batch = shape_of(sum(block[..., :1, :1] for block in blocks))[:-2]
        blocks = [broadcast_to(block, concat([batch, shape_of(block)[-2:]], 0)) for block in blocks]
    return concat(blocks, axis)


class _Blocks(LinearOperator):
    """What takes one tensor, or a list with one for each block."""

    @abstractmethod
    def _sizes(self, rows: bool) -> list[Any]:
        """How many rows, or columns, each block has."""

    def _block_range_dimension_tensors(self) -> list[Any]:
        return self._sizes(rows=True)

    def _block_domain_dimension_tensors(self) -> list[Any]:
        return self._sizes(rows=False)

    @abstractmethod
    def _apply(self, blocks: list[Any], adjoint: bool, solving: bool) -> list[Any]:
        """The product with one tensor for each block, or the solution."""

    def _on(self, x: Any, adjoint: bool, adjoint_arg: bool, solving: bool) -> Any:
        sizes = self._sizes(rows=adjoint != solving)
        if isinstance(x, (list, tuple)):
            if len(x) != len(sizes):
                raise ValueError(f"{self.name}: expected a list of {len(sizes)} blocks, got one of {len(x)}")
            return self._apply([adjoint_of(part) if adjoint_arg else part for part in x], adjoint, solving)
        x = adjoint_of(x) if adjoint_arg else x
        return _joined(self._apply(split(x, sizes, axis=-2), adjoint, solving), -2)

    def matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "matmul") -> Any:
        """The product with a tensor, with a list of one for each block, or with an operator."""
        if isinstance(x, (list, tuple)):
            return self._on(x, adjoint, adjoint_arg, solving=False)
        return super().matmul(x, adjoint, adjoint_arg)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._on(x, adjoint, adjoint_arg, solving=False)

    def matvec(self, x: Any, adjoint: bool = False, name: str = "matvec") -> Any:
        """The product with vectors, or with a list of them."""
        if isinstance(x, (list, tuple)):
            return [squeeze(part, -1) for part in self.matmul([expand_dims(part, -1) for part in x], adjoint)]
        return super().matvec(x, adjoint)

    def solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "solve") -> Any:
        """As `LinearOperator.solve`, also of a list of one for each block."""
        if isinstance(rhs, (list, tuple)):
            return self._on(rhs, adjoint, adjoint_arg, solving=True)
        return super().solve(rhs, adjoint, adjoint_arg)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._on(rhs, adjoint, adjoint_arg, solving=True)

    def solvevec(self, rhs: Any, adjoint: bool = False, name: str = "solve") -> Any:
        """As `solve`, for vectors, or a list of them."""
        if isinstance(rhs, (list, tuple)):
            return [squeeze(part, -1) for part in self.solve([expand_dims(part, -1) for part in rhs], adjoint)]
        return super().solvevec(rhs, adjoint)


@export("linalg.LinearOperatorBlockDiag")
class LinearOperatorBlockDiag(OfSeveral, _Blocks):
    """Operators along a diagonal. Mirrors `tf.linalg.LinearOperatorBlockDiag`.

    Args:
      operators: a list of them.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: what is known.
      name: the name.
    """

    _joined = "_ds_"

    def __init__(
        self,
        operators: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str | None = None,
    ) -> None:
        super().__init__(operators, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name)

    def _shape(self) -> Any:
        ends = [
            _total([o.range_dimension.value for o in self._operators]),
            _total([o.domain_dimension.value for o in self._operators]),
        ]
        return batch_of(self._operators).concatenate(ends)

    def _shape_tensor(self) -> Any:
        ends = [sum(self._sizes(True)), sum(self._sizes(False))]
        return concat([batch_tensor_of(self._operators), ends], 0)

    def _sizes(self, rows: bool) -> list[Any]:
        return [(o.range_dimension_tensor if rows else o.domain_dimension_tensor)() for o in self._operators]

    def _apply(self, blocks: list[Any], adjoint: bool, solving: bool) -> list[Any]:
        return [(o.solve if solving else o.matmul)(block, adjoint=adjoint) for o, block in zip(self._operators, blocks)]

    def _determinant(self) -> Any:
        found = self._operators[0].determinant()
        for operator in self._operators[1:]:
            found = found * operator.determinant()
        return found

    def _log_abs_determinant(self) -> Any:
        return sum(operator.log_abs_determinant() for operator in self._operators)

    def _check_squares(self, what: str) -> None:
        if not all(operator.is_square for operator in self._operators):
            raise NotImplementedError(f"`{what}` not implemented for an operator whose blocks are not square.")

    def _trace(self) -> Any:
        self._check_squares("trace")
        return sum(operator.trace() for operator in self._operators)

    def _of_each(self, parts: list[Any]) -> Any:
        return squeeze(_joined([expand_dims(part, -1) for part in parts], -2), -1)

    def _diag_part(self) -> Any:
        self._check_squares("diag_part")
        return self._of_each([operator.diag_part() for operator in self._operators])

    def _block_range_dimensions(self) -> list[Any]:
        return [operator.range_dimension for operator in self._operators]

    def _block_domain_dimensions(self) -> list[Any]:
        return [operator.domain_dimension for operator in self._operators]

    def _eigvals(self) -> Any:
        return self._of_each([operator.eigvals() for operator in self._operators])

    def _to_dense(self) -> Any:
        return _dense([[o if i == j else None for j in range(i + 1)] for i, o in enumerate(self._operators)])

    def _linop_adjoint(self) -> Any:
        return LinearOperatorBlockDiag([operator.adjoint() for operator in self._operators])

    def _linop_inverse(self) -> Any:
        return LinearOperatorBlockDiag([operator.inverse() for operator in self._operators])

    def _linop_cholesky(self) -> Any:
        return LinearOperatorBlockDiag([operator.cholesky() for operator in self._operators])


def _dense(rows: list[list[Any]]) -> Any:
    """The matrix of rows of blocks below the diagonal; None stands for zeros."""
    columns = [row[-1].domain_dimension_tensor() for row in rows]
    made = []
    for row in rows:
        blocks = [None if block is None else block.to_dense() for block in row] + [None] * (len(rows) - len(row))
        height, dtype = row[-1].range_dimension_tensor(), row[-1].dtype
        made.append(_joined([zeros([height, n], dtype) if b is None else b for b, n in zip(blocks, columns)], -1))
    return _joined(made, -2)


@export("linalg.LinearOperatorBlockLowerTriangular")
class LinearOperatorBlockLowerTriangular(_Blocks):
    """Blocks on and below a diagonal. Mirrors `tf.linalg.LinearOperatorBlockLowerTriangular`.

    Args:
      operators: a list of rows; row `i` is a list of `i + 1` operators, the last one square.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: what is known.
      name: the name.
    """

    def __init__(
        self,
        operators: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorBlockLowerTriangular",
    ) -> None:
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        self._operators = operators = [list(row) for row in operators]
        parameters["operators"] = operators
        for i, row in enumerate(operators):
            if len(row) != i + 1:
                raise ValueError(
                    f"Argument `operators` must have in row {i} as many blocks as there are up to the diagonal, {i + 1}; "
                    f"found {len(row)}"
                )
            if row[-1].is_square is False:
                raise ValueError(
                    f"Argument `operators` must have square matrices on the diagonal; row {i} ends with {row[-1].shape}"
                )
        said = is_non_singular
        super().__init__(
            operators[0][0].dtype,
            None,
            hint(*(row[-1].is_non_singular for row in operators)) if said is None else said,
            is_self_adjoint,
            is_positive_definite,
            True if is_square is None else is_square,
            name,
            parameters,
        )

    @property
    def operators(self) -> Any:
        """The rows."""
        return self._operators

    def _flat(self) -> list[Any]:
        return [operator for row in self._operators for operator in row]

    def _shape(self) -> Any:
        size = _total([row[-1].range_dimension.value for row in self._operators])
        return batch_of(self._flat()).concatenate([size, size])

    def _shape_tensor(self) -> Any:
        size = sum(self._sizes(True))
        return concat([batch_tensor_of(self._flat()), [size, size]], 0)

    def _sizes(self, rows: bool) -> list[Any]:
        return [row[-1].range_dimension_tensor() for row in self._operators]

    def _block_range_dimensions(self) -> list[Any]:
        return [row[-1].range_dimension for row in self._operators]

    def _block_domain_dimensions(self) -> list[Any]:
        return [row[-1].domain_dimension for row in self._operators]

    def _apply(self, blocks: list[Any], adjoint: bool, solving: bool) -> list[Any]:
        count = len(blocks)
        made: list[Any] = [None] * count
        for i in reversed(range(count)) if adjoint else range(count):
            others = [(self._operators[j][i], j) for j in range(i + 1, count)] if adjoint else [
                (self._operators[i][j], j) for j in range(i)
            ]  # fmt: skip
            diagonal = self._operators[i][i]
            if solving:
                rest = blocks[i]
                for operator, j in others:
                    rest = rest - operator.matmul(made[j], adjoint=adjoint)
                made[i] = diagonal.solve(rest, adjoint=adjoint)
            else:
                made[i] = diagonal.matmul(blocks[i], adjoint=adjoint)
                for operator, j in others:
                    made[i] = made[i] + operator.matmul(blocks[j], adjoint=adjoint)
        return made

    def _determinant(self) -> Any:
        found = self._operators[0][0].determinant()
        for row in self._operators[1:]:
            found = found * row[-1].determinant()
        return found

    def _log_abs_determinant(self) -> Any:
        return sum(row[-1].log_abs_determinant() for row in self._operators)

    def _trace(self) -> Any:
        return sum(row[-1].trace() for row in self._operators)

    def _diag_part(self) -> Any:
        parts = [expand_dims(row[-1].diag_part(), -1) for row in self._operators]
        return squeeze(_joined(parts, -2), -1)

    def _eigvals(self) -> Any:
        parts = [expand_dims(row[-1].eigvals(), -1) for row in self._operators]
        return squeeze(_joined(parts, -2), -1)

    def _to_dense(self) -> Any:
        return _dense(self._operators)

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"operators": [[0] * len(row) for row in self._operators]}
