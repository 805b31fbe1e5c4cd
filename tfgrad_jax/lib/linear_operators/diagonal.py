"""Operators that are known by their diagonal: diagonal ones, multiples of the identity, zeros."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.lib.linear_operators.assertions import OfEntries
from tfgrad_jax.lib.linear_operators.operator import LinearOperator
from tfgrad_jax.lib.linear_operators.parts import kept, shape_of
from tfgrad_jax.ops.array.array import concat
from tfgrad_jax.ops.array.creation import eye, ones, zeros, zeros_like
from tfgrad_jax.ops.array.shape import expand_dims
from tfgrad_jax.ops.common import static
from tfgrad_jax.ops.linalg.linalg import diag as diag_matrix
from tfgrad_jax.ops.linalg.linalg import diag_part, set_diag
from tfgrad_jax.ops.linalg.matmul import adjoint as adjoint_of
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.complex import conj
from tfgrad_jax.ops.math.elementary import log
from tfgrad_jax.ops.math.reduce import reduce_max, reduce_min, reduce_prod, reduce_sum
from tfgrad_jax.ops.math.rounding import abs as absolute


def _conjugated(x: Any, adjoint: bool) -> Any:
    return conj(x) if adjoint else x


@export("linalg.LinearOperatorDiag")
class LinearOperatorDiag(OfEntries, LinearOperator):
    """A diagonal matrix. Mirrors `tf.linalg.LinearOperatorDiag`.

    Args:
      diag: the diagonal, `[..., n]`.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: what is known.
      name: the name.

    Raises:
      ValueError: if what is said contradicts a real diagonal.
    """

    def __init__(
        self,
        diag: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorDiag",
    ) -> None:
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        parameters["diag"] = self._diag = kept(diag)
        if self._diag.shape.rank == 0:
            raise ValueError(f"Argument `diag` must have at least 1 dimension. Found: {self._diag}")
        if not self._diag.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError("A real diagonal operator is always self adjoint.")
            is_self_adjoint = True
        if is_square is False:
            raise ValueError("Only square diagonal operators currently supported.")
        super().__init__(
            self._diag.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, True, name, parameters
        )

    @property
    def diag(self) -> Any:
        """The diagonal."""
        return self._diag

    def _shape(self) -> Any:
        shape = self._diag.shape
        return shape if shape.rank is None else shape.concatenate(shape[-1:])

    def _shape_tensor(self) -> Any:
        sizes = shape_of(self._diag)
        return concat([sizes, sizes[-1:]], 0)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x = adjoint_of(x) if adjoint_arg else x
        return expand_dims(_conjugated(self._diag, adjoint), -1) * x

    def _matvec(self, x: Any, adjoint: bool = False) -> Any:
        return _conjugated(self._diag, adjoint) * x

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        rhs = adjoint_of(rhs) if adjoint_arg else rhs
        return rhs * expand_dims(1.0 / _conjugated(self._diag, adjoint), -1)

    def _solvevec(self, rhs: Any, adjoint: bool = False) -> Any:
        return rhs / _conjugated(self._diag, adjoint)

    def _to_dense(self) -> Any:
        return diag_matrix(self._diag)

    def _diag_part(self) -> Any:
        return kept(self._diag) if not hasattr(self._diag, "read_value") else self._diag.read_value()

    def _determinant(self) -> Any:
        return reduce_prod(self._diag, axis=-1)

    def _log_abs_determinant(self) -> Any:
        found = reduce_sum(log(absolute(self._diag)), axis=-1)
        return cast(found, self.dtype) if self.dtype.is_complex else found

    def _add_to_tensor(self, x: Any) -> Any:
        return set_diag(x, diag_part(x) + self._diag)

    def _eigvals(self) -> Any:
        return self.diag_part()

    def _cond(self) -> Any:
        size = absolute(self._diag)
        return reduce_max(size, axis=-1) / reduce_min(size, axis=-1)

    def _entries(self) -> Any:
        return convert(self._diag)

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"diag": 1}


class _Sized(LinearOperator):
    """An operator of which only sizes are given."""

    _num_rows: Any
    _num_columns: Any
    _batch: Any

    def _take_sizes(self, num_rows: Any, num_columns: Any, batch_shape: Any) -> None:
        for size in (num_rows, num_columns):
            if not (given := convert(size)).dtype.is_integer:
                raise TypeError(f"Argument `num_rows` must be an integer. Found: {size}")
            if given.shape.rank or (isinstance(size, int) and size < 0):
                raise ValueError(f"Argument `num_rows` must be a non-negative scalar. Found: {size}")
        self._num_rows, self._num_columns = num_rows, num_columns
        self._batch = () if batch_shape is None else batch_shape

    def _shape(self) -> Any:
        batch = TensorShape(
            [_known(n) for n in self._batch] if isinstance(self._batch, (list, tuple)) else _batch(self._batch)
        )
        return batch.concatenate([_known(self._num_rows), _known(self._num_columns)])

    def _shape_tensor(self) -> Any:
        rows, columns = cast(self._num_rows, dtypes.int32), cast(self._num_columns, dtypes.int32)
        return concat([cast(convert(self._batch, None), dtypes.int32), [rows], [columns]], 0)

    def _batch_sizes(self) -> Any:
        return self.shape_tensor()[:-2]


def _known(size: Any) -> int | None:
    if size is None or isinstance(size, int):
        return size
    held = getattr(size, "held", size)
    return None if held is None else int(static(size))


def _batch(value: Any) -> Any:
    if isinstance(value, TensorShape):
        return value
    return [None] * value.shape[0] if getattr(value, "held", value) is None else list(static(value))


@export("linalg.LinearOperatorIdentity")
class LinearOperatorIdentity(_Sized):
    """The identity. Mirrors `tf.linalg.LinearOperatorIdentity`.

    Args:
      num_rows: the number of rows and of columns.
      batch_shape: how many of them; None for one.
      dtype: float32 where None.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: must be True.
      assert_proper_shapes: accepted; shapes are always checked.
      name: the name.

    Raises:
      ValueError: if something is said of it that is not so.
    """

    def __init__(
        self,
        num_rows: Any,
        batch_shape: Any = None,
        dtype: Any = None,
        is_non_singular: bool = True,
        is_self_adjoint: bool = True,
        is_positive_definite: bool = True,
        is_square: bool = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorIdentity",
    ) -> None:
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        if not (is_non_singular and is_self_adjoint and is_positive_definite and is_square):
            raise ValueError("An identity operator is always non-singular, self-adjoint, positive definite and square.")
        self._take_sizes(num_rows, num_rows, batch_shape)
        super().__init__(dtype or dtypes.float32, None, True, True, True, True, name, parameters)

    def _to_dense(self) -> Any:
        return eye(self._num_rows, batch_shape=self._batch_sizes() if len(self.batch_shape) else None, dtype=self.dtype)

    def _spread(self, x: Any, special: int) -> Any:
        """`x` with this operator's batch dimensions."""
        if not self.batch_shape.rank:
            return x
        return x + zeros(concat([self._batch_sizes(), [1] * special], 0), self.dtype)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._spread(adjoint_of(x) if adjoint_arg else x, 2)

    def _matvec(self, x: Any, adjoint: bool = False) -> Any:
        return self._spread(x, 1)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._matmul(rhs, adjoint_arg=adjoint_arg)

    def _solvevec(self, rhs: Any, adjoint: bool = False) -> Any:
        return self._spread(rhs, 1)

    def _determinant(self) -> Any:
        return ones(self._batch_sizes(), self.dtype)

    def _log_abs_determinant(self) -> Any:
        return zeros(self._batch_sizes(), self.dtype)

    def _trace(self) -> Any:
        return ones(self._batch_sizes(), self.dtype) * cast(self._num_rows, self.dtype)

    def _diag_part(self) -> Any:
        return ones(self.shape_tensor()[:-1], self.dtype)

    def _add_to_tensor(self, x: Any) -> Any:
        return set_diag(x, diag_part(x) + 1)

    def _eigvals(self) -> Any:
        return self._diag_part()

    def _cond(self) -> Any:
        return ones(self._batch_sizes(), self.dtype)


@export("linalg.LinearOperatorScaledIdentity")
class LinearOperatorScaledIdentity(OfEntries, _Sized):
    """A multiple of the identity. Mirrors `tf.linalg.LinearOperatorScaledIdentity`.

    Args:
      num_rows: the number of rows and of columns.
      multiplier: the number, or a batch of numbers.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: what is known.
      assert_proper_shapes: accepted; shapes are always checked.
      name: the name.

    Raises:
      ValueError: if it is said not to be square.
    """

    def __init__(
        self,
        num_rows: Any,
        multiplier: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorScaledIdentity",
    ) -> None:
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        if not is_square:
            raise ValueError("A ScaledIdentity operator is always square.")
        parameters["multiplier"] = self._multiplier = kept(multiplier)
        if not self._multiplier.dtype.is_complex:
            is_self_adjoint = True if is_self_adjoint is None else is_self_adjoint
        self._take_sizes(num_rows, num_rows, None)
        super().__init__(
            self._multiplier.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, True, name, parameters
        )

    @property
    def multiplier(self) -> Any:
        """The number."""
        return self._multiplier

    def _shape(self) -> Any:
        rows = _known(self._num_rows)
        return self._multiplier.shape.concatenate([rows, rows])

    def _shape_tensor(self) -> Any:
        rows = cast(self._num_rows, dtypes.int32)
        return concat([shape_of(self._multiplier), [rows], [rows]], 0)

    def _times(self, adjoint: bool, dimensions: int) -> Any:
        found = _conjugated(self._multiplier, adjoint)
        for _ in range(dimensions):
            found = expand_dims(found, -1)
        return found

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return (adjoint_of(x) if adjoint_arg else x) * self._times(adjoint, 2)

    def _matvec(self, x: Any, adjoint: bool = False) -> Any:
        return x * self._times(adjoint, 1)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return (adjoint_of(rhs) if adjoint_arg else rhs) / self._times(adjoint, 2)

    def _solvevec(self, rhs: Any, adjoint: bool = False) -> Any:
        return rhs / self._times(adjoint, 1)

    def _diag_part(self) -> Any:
        return self._times(False, 1) * ones([self._num_rows], self.dtype)

    def _to_dense(self) -> Any:
        return diag_matrix(self._diag_part())

    def _determinant(self) -> Any:
        return self._multiplier ** cast(self._num_rows, self.dtype)

    def _log_abs_determinant(self) -> Any:
        return cast(self._num_rows, self.dtype.real_dtype) * log(absolute(self._multiplier))

    def _trace(self) -> Any:
        return self._multiplier * cast(self._num_rows, self.dtype)

    def _add_to_tensor(self, x: Any) -> Any:
        return set_diag(x, diag_part(x) + self._times(False, 1))

    def _eigvals(self) -> Any:
        return self._diag_part()

    def _cond(self) -> Any:
        return ones(shape_of(self._multiplier), self.dtype)

    _entries_are = "the multiplier"

    def _entries(self) -> Any:
        return convert(self._multiplier)

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"multiplier": 0}


@export("linalg.LinearOperatorZeros")
class LinearOperatorZeros(_Sized):
    """A matrix of zeros. Mirrors `tf.linalg.LinearOperatorZeros`.

    Args:
      num_rows: the number of rows.
      num_columns: the number of columns; that of rows where None.
      batch_shape: how many of them; None for one.
      dtype: float32 where None.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: what is known.
      assert_proper_shapes: accepted; shapes are always checked.
      name: the name.

    Raises:
      ValueError: if it is said to be non-singular or positive definite.
    """

    def __init__(
        self,
        num_rows: Any,
        num_columns: Any = None,
        batch_shape: Any = None,
        dtype: Any = None,
        is_non_singular: bool = False,
        is_self_adjoint: bool = True,
        is_positive_definite: bool = False,
        is_square: bool = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorZeros",
    ) -> None:
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        if is_non_singular or is_positive_definite:
            raise ValueError("A zero operator is always singular, and never positive definite.")
        columns = num_rows if num_columns is None else num_columns
        self._take_sizes(num_rows, columns, batch_shape)
        if is_self_adjoint and not is_square:
            is_self_adjoint = False
        super().__init__(dtype or dtypes.float32, None, False, is_self_adjoint, False, is_square, name, parameters)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x = adjoint_of(x) if adjoint_arg else x
        if self.is_square:
            found = zeros_like(x)
        else:
            rows = self.domain_dimension_tensor() if adjoint else self.range_dimension_tensor()
            sizes = shape_of(x)
            found = zeros(concat([sizes[:-2], [rows], sizes[-1:]], 0), x.dtype)
        return found if self.batch_shape.rank == 0 else found + zeros(self._batch_sizes(), x.dtype)[..., None, None]

    def _to_dense(self) -> Any:
        return zeros(self.shape_tensor(), self.dtype)

    def _determinant(self) -> Any:
        return zeros(self._batch_sizes(), self.dtype)

    _trace = _determinant

    def _diag_part(self) -> Any:
        sizes = self.shape_tensor()
        return zeros(concat([sizes[:-2], [reduce_min(sizes[-2:])]], 0), self.dtype)

    def _add_to_tensor(self, x: Any) -> Any:
        return x + zeros(self._batch_sizes(), self.dtype)[..., None, None]

    def _eigvals(self) -> Any:
        return self._diag_part()

    def assert_non_singular(self, name: str = "assert_non_singular") -> Any:
        """Refuse it: zero has no inverse."""
        raise invalid_argument("Zero operators are always non-invertible.", "LinearOperatorZeros")

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> Any:
        """Refuse it: zero is not positive definite."""
        raise invalid_argument("Zero operators are always non-positive definite.", "LinearOperatorZeros")

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> None:
        """Nothing to do: zero is self-adjoint."""
