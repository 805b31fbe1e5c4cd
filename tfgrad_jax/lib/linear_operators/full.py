"""Operators that hold a matrix: full ones, triangular ones, and those that are the adjoint or the inverse of another."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.lib.linear_operators.assertions import not_zero
from tfgrad_jax.lib.linear_operators.operator import LinearOperator
from tfgrad_jax.lib.linear_operators.parts import kept, shape_of, with_one_batch
from tfgrad_jax.ops.array.array import concat
from tfgrad_jax.ops.linalg.linalg import band_part, diag_part
from tfgrad_jax.ops.linalg.matmul import adjoint as adjoint_of
from tfgrad_jax.ops.linalg.matrices import triangular_solve
from tfgrad_jax.ops.math.complex import conj
from tfgrad_jax.ops.math.elementary import log
from tfgrad_jax.ops.math.reduce import reduce_prod, reduce_sum
from tfgrad_jax.ops.math.rounding import abs as absolute


@export("linalg.LinearOperatorFullMatrix")
class LinearOperatorFullMatrix(LinearOperator):
    """A dense matrix as an operator. Mirrors `tf.linalg.LinearOperatorFullMatrix`.

    Args:
      matrix: of shape `[..., rows, columns]`.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: what is known.
      name: the name.
    """

    def __init__(
        self,
        matrix: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorFullMatrix",
    ) -> None:
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        parameters["matrix"] = self._matrix = _matrix(matrix, "matrix")
        super().__init__(
            self._matrix.dtype,
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            is_square,
            name,
            parameters,
        )

    @property
    def matrix(self) -> Any:
        """The matrix."""
        return self._matrix

    def _shape(self) -> Any:
        return self._matrix.shape

    def _shape_tensor(self) -> Any:
        return shape_of(self._matrix)

    def _to_dense(self) -> Any:
        return kept(self._matrix) if not hasattr(self._matrix, "read_value") else self._matrix.read_value()

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"matrix": 2}


def _matrix(value: Any, name: str) -> Any:
    value = kept(value)
    if not (value.dtype.is_floating or value.dtype.is_complex):
        raise TypeError(f"Argument `{name}` must have a floating or complex dtype. Received: {value.dtype}")
    if value.shape.rank is not None and value.shape.rank < 2:
        raise ValueError(f"Argument `{name}` must have at least 2 dimensions. Found: {value}")
    return value


@export("linalg.LinearOperatorLowerTriangular")
class LinearOperatorLowerTriangular(LinearOperator):
    """A lower triangular matrix as an operator. Mirrors `tf.linalg.LinearOperatorLowerTriangular`.

    Args:
      tril: of shape `[..., n, n]`; what is above the diagonal counts as zero.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: what is known.
      name: the name.

    Raises:
      ValueError: if it is said not to be square.
    """

    def __init__(
        self,
        tril: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorLowerTriangular",
    ) -> None:
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        if is_square is False:
            raise ValueError(
                "Only square lower triangular operators supported at this time. Argument `is_square` must be True or None."
            )
        parameters["tril"] = self._tril = _matrix(tril, "tril")
        super().__init__(
            self._tril.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, True, name, parameters
        )

    @property
    def tril(self) -> Any:
        """The matrix as it was given."""
        return self._tril

    def _shape(self) -> Any:
        return self._tril.shape

    def _shape_tensor(self) -> Any:
        return shape_of(self._tril)

    def _to_dense(self) -> Any:
        return band_part(self._tril, -1, 0)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        rhs = adjoint_of(rhs) if adjoint_arg else rhs
        return triangular_solve(*with_one_batch(self.to_dense(), rhs), lower=True, adjoint=adjoint)

    def _determinant(self) -> Any:
        return reduce_prod(self.diag_part(), axis=-1)

    def _log_abs_determinant(self) -> Any:
        return reduce_sum(log(absolute(self.diag_part())), axis=-1)

    def _diag_part(self) -> Any:
        return diag_part(self._tril)

    def _eigvals(self) -> Any:
        return self.diag_part()

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"tril": 2}

    def assert_non_singular(self, name: str = "assert_non_singular") -> Any:
        """Refuse zeros on the diagonal."""
        return not_zero(self.diag_part(), "the diagonal")


class _OfAnother(LinearOperator):
    """An operator that is derived from one other."""

    def __init__(
        self,
        operator: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        self._operator = operator
        super().__init__(
            operator.dtype,
            None,
            operator.is_non_singular if is_non_singular is None else is_non_singular,
            operator.is_self_adjoint if is_self_adjoint is None else is_self_adjoint,
            operator.is_positive_definite if is_positive_definite is None else is_positive_definite,
            operator.is_square if is_square is None else is_square,
            f"{operator.name}{self._suffix}" if name is None else name,
            parameters,
        )

    _suffix = ""

    @property
    def operator(self) -> Any:
        """The other operator."""
        return self._operator

    def _shape(self) -> Any:
        shape = self._operator.shape
        return shape if shape.rank is None else shape[:-2].concatenate([shape[-1], shape[-2]])

    def _shape_tensor(self) -> Any:
        sizes = self._operator.shape_tensor()
        return concat([sizes[:-2], sizes[-1:], sizes[-2:-1]], 0)

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"operator": 0}


@export("linalg.LinearOperatorAdjoint")
class LinearOperatorAdjoint(_OfAnother):
    """The conjugate transpose of an operator. Mirrors `tf.linalg.LinearOperatorAdjoint`.

    Args:
      operator: the other operator.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: what is known; what the other knows where None.
      name: the name.
    """

    _suffix = "_adjoint"

    def _linop_adjoint(self) -> Any:
        return self._operator

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._operator.matmul(x, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _matvec(self, x: Any, adjoint: bool = False) -> Any:
        return self._operator.matvec(x, adjoint=not adjoint)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._operator.solve(rhs, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _to_dense(self) -> Any:
        return adjoint_of(self._operator.to_dense())

    def _determinant(self) -> Any:
        found = self._operator.determinant()
        return conj(found) if self.is_self_adjoint is not True and found.dtype.is_complex else found

    def _log_abs_determinant(self) -> Any:
        return self._operator.log_abs_determinant()

    def _diag_part(self) -> Any:
        return conj(self._operator.diag_part())

    def _cond(self) -> Any:
        return self._operator.cond()


@export("linalg.LinearOperatorInversion")
class LinearOperatorInversion(_OfAnother):
    """The inverse of an operator. Mirrors `tf.linalg.LinearOperatorInversion`.

    Args:
      operator: the other operator.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: what is known; what the other knows where None.
      name: the name.

    Raises:
      ValueError: if the other operator has no inverse, or is said to have none.
    """

    _suffix = "_inv"

    def __init__(self, operator: Any, is_non_singular: bool | None = None, *args: Any, **kwargs: Any) -> None:
        if operator.is_non_singular is False or is_non_singular is False:
            raise ValueError(f"operator and supplied hints must have `is_non_singular` is not False; found {operator}")
        super().__init__(operator, is_non_singular, *args, **kwargs)

    def _linop_inverse(self) -> Any:
        return self._operator

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._operator.solve(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._operator.matmul(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _determinant(self) -> Any:
        return 1.0 / self._operator.determinant()

    def _log_abs_determinant(self) -> Any:
        return -1.0 * self._operator.log_abs_determinant()

    def _cond(self) -> Any:
        return self._operator.cond()
