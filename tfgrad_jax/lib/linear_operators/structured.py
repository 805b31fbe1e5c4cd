"""Operators with a structure of their own: reflections, permutations, Toeplitz and tridiagonal matrices."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.lib.linear_operators.operator import LinearOperator
from tfgrad_jax.lib.linear_operators.parts import batch_with, kept, shape_of, with_one_batch
from tfgrad_jax.ops.array.array import concat
from tfgrad_jax.ops.array.creation import one_hot, ones, zeros
from tfgrad_jax.ops.array.gather import gather
from tfgrad_jax.ops.array.sequences import range as range_of
from tfgrad_jax.ops.array.shape import expand_dims
from tfgrad_jax.ops.array.sorting import argsort
from tfgrad_jax.ops.linalg.linalg import diag as diag_matrix
from tfgrad_jax.ops.linalg.linalg import diag_part, norm
from tfgrad_jax.ops.linalg.matmul import adjoint as adjoint_of
from tfgrad_jax.ops.linalg.matmul import matmul
from tfgrad_jax.ops.linalg.matrices import solve
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.complex import conj


class _OneVector(LinearOperator):
    """A square operator that one vector describes."""

    _vector: Any

    def _shape(self) -> Any:
        shape = self._vector.shape
        return shape if shape.rank is None else shape.concatenate(shape[-1:])

    def _shape_tensor(self) -> Any:
        sizes = shape_of(self._vector)
        return concat([sizes, sizes[-1:]], 0)


@export("linalg.LinearOperatorHouseholder")
class LinearOperatorHouseholder(_OneVector):
    """A reflection, `I - 2 v v^H / |v|^2`. Mirrors `tf.linalg.LinearOperatorHouseholder`.

    Args:
      reflection_axis: v, `[..., n]`.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: what is known.
      name: the name.

    Raises:
      ValueError: if something is said of it that is not so.
    """

    def __init__(
        self,
        reflection_axis: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorHouseholder",
    ) -> None:
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        parameters["reflection_axis"] = self._vector = kept(reflection_axis)
        if self._vector.shape.rank == 0:
            raise ValueError(f"Argument `reflection_axis` must have at least 1 dimension. Found: {self._vector}")
        if is_self_adjoint is False or is_non_singular is False or is_square is False or is_positive_definite:
            raise ValueError(
                "A Householder operator is always non-singular, self adjoint, and never positive definite."
            )
        super().__init__(self._vector.dtype, None, is_non_singular, True, False, True, name, parameters)

    @property
    def reflection_axis(self) -> Any:
        """The vector."""
        return self._vector

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x = adjoint_of(x) if adjoint_arg else x
        axis = expand_dims(self._vector, -1)
        axis = axis / norm(axis, axis=[-2, -1], keepdims=True)
        return x - 2 * axis * matmul(axis, x, adjoint_a=True)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._matmul(rhs, adjoint, adjoint_arg)

    def _determinant(self) -> Any:
        return -ones(self.batch_shape_tensor(), self.dtype)

    def _log_abs_determinant(self) -> Any:
        return zeros(self.batch_shape_tensor(), self.dtype)

    def _trace(self) -> Any:
        return ones(self.batch_shape_tensor(), self.dtype) * cast(self.domain_dimension_tensor() - 2, self.dtype)

    def _to_dense(self) -> Any:
        axis = expand_dims(self._vector, -1)
        axis = axis / norm(axis, axis=[-2, -1], keepdims=True)
        eye = diag_matrix(ones(shape_of(self._vector), self.dtype))
        return eye - 2 * matmul(axis, axis, adjoint_b=True)

    def _diag_part(self) -> Any:
        axis = self._vector / norm(self._vector, axis=-1, keepdims=True)
        return 1.0 - 2 * axis * conj(axis)

    def _cond(self) -> Any:
        return ones(self.batch_shape_tensor(), self.dtype)

    def _linop_inverse(self) -> Any:
        return self

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> Any:
        """Refuse it: a reflection has the eigenvalue -1."""
        raise invalid_argument("Householder operators are always non-positive definite.", "LinearOperatorHouseholder")

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"reflection_axis": 1}


@export("linalg.LinearOperatorPermutation")
class LinearOperatorPermutation(_OneVector):
    """A permutation of rows. Mirrors `tf.linalg.LinearOperatorPermutation`.

    Args:
      perm: row `i` of the product is row `perm[i]`; integers, `[..., n]`.
      dtype: of the matrix.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: what is known.
      name: the name.

    Raises:
      ValueError: if something is said of it that is not so, or the permutation is of another dtype or rank.
    """

    def __init__(
        self,
        perm: Any,
        dtype: Any = dtypes.float32,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorPermutation",
    ) -> None:
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        parameters["perm"] = self._vector = kept(perm)
        if self._vector.shape.rank == 0:
            raise ValueError(f"Argument `perm` must have at least 1 dimension. Found: {self._vector}")
        if not self._vector.dtype.is_integer:
            raise TypeError(f"Argument `perm` must be integer dtype. Found: {self._vector}")
        if is_non_singular is False or is_square is False:
            raise ValueError("A Permutation operator is always non-singular and square.")
        super().__init__(dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, True, name, parameters)

    @property
    def perm(self) -> Any:
        """The permutation."""
        return self._vector

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x = adjoint_of(x) if adjoint_arg else x
        order = argsort(self._vector, axis=-1) if adjoint else self._vector
        if order.shape.rank == 1:
            return gather(x, order, axis=-2)
        chosen = one_hot(order, shape_of(order)[-1], dtype=self.dtype)
        return matmul(chosen, x)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._matmul(rhs, not adjoint, adjoint_arg)

    def _to_dense(self) -> Any:
        return one_hot(self._vector, shape_of(self._vector)[-1], dtype=self.dtype)

    def _log_abs_determinant(self) -> Any:
        return zeros(self.batch_shape_tensor(), self.dtype)

    def _cond(self) -> Any:
        return ones(self.batch_shape_tensor(), self.dtype)

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"perm": 1}


@export("linalg.LinearOperatorToeplitz")
class LinearOperatorToeplitz(LinearOperator):
    """A matrix with equal numbers along each diagonal. Mirrors `tf.linalg.LinearOperatorToeplitz`.

    Args:
      col: the first column, `[..., n]`.
      row: the first row, `[..., n]`; its first number is not used.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: what is known.
      name: the name.
    """

    def __init__(
        self,
        col: Any,
        row: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorToeplitz",
    ) -> None:
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        parameters["col"], parameters["row"] = self._col, self._row = kept(col), kept(row)
        for argument, vector in (("col", self._col), ("row", self._row)):
            if vector.shape.rank == 0:
                raise ValueError(f"Argument `{argument}` must have at least 1 dimension. Found: {vector}")
        if None not in (sizes := {v.shape[-1] for v in (self._col, self._row) if v.shape.rank}) and len(sizes) > 1:
            raise ValueError(f"Expected `col` and `row` of one length. Found: {self._col.shape} and {self._row.shape}")
        if is_square is False:
            raise ValueError("Only square Toeplitz operators currently supported.")
        super().__init__(
            self._row.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, True, name, parameters
        )

    @property
    def col(self) -> Any:
        """The first column."""
        return self._col

    @property
    def row(self) -> Any:
        """The first row."""
        return self._row

    def _shape(self) -> Any:
        both = batch_with(self._row.shape, self._col.shape)
        return both.concatenate(both[-1:])

    def _shape_tensor(self) -> Any:
        return shape_of(self.to_dense())

    def _to_dense(self) -> Any:
        size = shape_of(self._col)[-1]
        places: Any = range_of(size)
        difference = places[:, None] - places[None, :] + size - 1
        flat: Any = concat([(self._row + 0 * self._col)[..., :0:-1], self._col + 0 * self._row], -1)
        return gather(flat, difference, axis=-1)

    def _diag_part(self) -> Any:
        return self._col[..., :1] * ones(shape_of(self._row), self.dtype)

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"col": 1, "row": 1}


@export("linalg.LinearOperatorTridiag")
class LinearOperatorTridiag(LinearOperator):
    """A matrix with three diagonals. Mirrors `tf.linalg.LinearOperatorTridiag`.

    Args:
      diagonals: `[..., 3, n]` (compact), a sequence of three (sequence), or the matrix itself (matrix).
      diagonals_format: "compact", "sequence" or "matrix"; the upper diagonal's last and the lower's first number are not used.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: what is known.
      name: the name.

    Raises:
      ValueError: if there is no such format.
    """

    def __init__(
        self,
        diagonals: Any,
        diagonals_format: str = "compact",
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorTridiag",
    ) -> None:
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        if diagonals_format not in ("compact", "sequence", "matrix"):
            raise ValueError(
                f"Argument `diagonals_format` must be one of compact, matrix, or sequence. Found : {diagonals_format}"
            )
        self._format = diagonals_format
        given: Any = [kept(d) for d in diagonals] if diagonals_format == "sequence" else kept(diagonals)
        parameters["diagonals"] = self._diagonals = given
        if is_square is False:
            raise ValueError("Only square tridiagonal operators currently supported.")
        dtype = given[0].dtype if diagonals_format == "sequence" else given.dtype
        super().__init__(dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, True, name, parameters)

    @property
    def diagonals(self) -> Any:
        """The diagonals as they were given."""
        return self._diagonals

    @property
    def diagonals_format(self) -> str:
        """How they were given."""
        return self._format

    def _three(self) -> tuple[Any, Any, Any]:
        """Upper, main and lower diagonal, each `[..., n]`."""
        if self._format == "sequence":
            upper, main, lower = self._diagonals
            return upper, main, lower
        if self._format == "compact":
            return self._diagonals[..., 0, :], self._diagonals[..., 1, :], self._diagonals[..., 2, :]
        dense = convert(self._diagonals)
        main = diag_part(dense)
        none = zeros(shape_of(main[..., :1]), self.dtype)
        return concat([diag_part(dense, k=1), none], -1), main, concat([none, diag_part(dense, k=-1)], -1)

    def _shape(self) -> Any:
        if self._format == "matrix":
            return self._diagonals.shape
        main = self._diagonals[1].shape if self._format == "sequence" else self._diagonals.shape[:-2].concatenate(
            self._diagonals.shape[-1:]
        )  # fmt: skip
        return main.concatenate(main[-1:])

    def _shape_tensor(self) -> Any:
        sizes = shape_of(self._three()[1])
        return concat([sizes, sizes[-1:]], 0)

    def _to_dense(self) -> Any:
        if self._format == "matrix":
            return convert(self._diagonals)  # whatever stands beside the three diagonals
        return self._band()

    def _band(self) -> Any:
        """The matrix with nothing beside the three diagonals, by which products and solutions are computed."""
        upper, main, lower = self._three()
        return diag_matrix(main) + diag_matrix(upper[..., :-1], k=1) + diag_matrix(lower[..., 1:], k=-1)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return matmul(self._band(), x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        rhs = adjoint_of(rhs) if adjoint_arg else rhs
        return solve(*with_one_batch(self._band(), rhs), adjoint=adjoint)

    def _diag_part(self) -> Any:
        return self._three()[1]

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        if self._format == "sequence":
            return {"diagonals": [1, 1, 1]}
        return {"diagonals": 2}
