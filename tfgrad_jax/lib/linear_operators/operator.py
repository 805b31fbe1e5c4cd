"""`tf.linalg.LinearOperator`: what all of them have, and what follows from a dense matrix where a subclass knows no better."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.hooks import Hook
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values.composite import Composite, NotOneTensor
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dimension import Dimension
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.spec_names import register
from tfgrad_jax.lib.linear_operators.assertions import Assertions
from tfgrad_jax.lib.linear_operators.parts import (
    GradientOfParts,
    is_part,
    kept,
    part_spec,
    shape_of,
    spec_class,
    with_one_batch,
)
from tfgrad_jax.lib.module import Module
from tfgrad_jax.ops.array.shape import expand_dims, squeeze
from tfgrad_jax.ops.linalg.linalg import diag_part
from tfgrad_jax.ops.linalg.matmul import adjoint as adjoint_of
from tfgrad_jax.ops.linalg.matmul import matmul
from tfgrad_jax.ops.linalg.matrices import cholesky, cholesky_solve, det, eigvalsh, slogdet, solve
from tfgrad_jax.ops.linalg.singular import svd
from tfgrad_jax.ops.math.elementary import exp, log
from tfgrad_jax.ops.math.reduce import reduce_max, reduce_min, reduce_sum
from tfgrad_jax.ops.math.rounding import abs as absolute

algebra = Hook(
    "makes an operator of others; takes what is asked for ('matmul', 'solve', 'adjoint', 'inverse', 'cholesky') and the operators",
    "lib/linear_operators/algebra.py",
)


@export("linalg.LinearOperator")
class LinearOperator(Assertions, Module, Composite):
    """A batch of matrices that need not be stored. Mirrors `tf.linalg.LinearOperator`.

    A subclass gives `_shape` and `_matmul`; `_to_dense` and others where it knows better than by its dense matrix.

    Args:
      dtype: of the matrix.
      graph_parents: accepted for compatibility.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: what is known; None for what is not.
      name: the name.
      parameters: the arguments of the subclass, by name.

    Raises:
      ValueError: if what is said to be known contradicts itself.
    """

    _TF_MODULE_IGNORED_PROPERTIES = frozenset(("_parameters",))
    __composite_gradient__ = GradientOfParts
    spec_kind: Any

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.spec_kind = spec_class(cls)
        if cls.__module__.startswith(__package__):
            register(f"tf.linalg.{cls.spec_kind.__name__}")(cls.spec_kind)

    def __init__(
        self,
        dtype: Any,
        graph_parents: Any = None,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
        parameters: Any = None,
    ) -> None:
        if is_positive_definite and is_non_singular is False:
            raise ValueError("A positive definite matrix is always non-singular.")
        is_non_singular = is_non_singular or is_positive_definite or is_non_singular
        if is_non_singular and is_square is False:
            raise ValueError("A non-singular matrix is always square.")
        if is_self_adjoint and is_square is False:
            raise ValueError("A self-adjoint matrix is always square.")
        self._is_square_set_or_implied_by_hints = is_square or is_non_singular or is_self_adjoint or is_square
        self._dtype = None if dtype is None else as_dtype(dtype)
        self._is_non_singular = is_non_singular
        self._is_self_adjoint = is_self_adjoint
        self._is_positive_definite = is_positive_definite
        given: dict[str, Any] = dict(parameters or {})
        self._parameters: Any = self._no_dependency(given)
        super().__init__(name=(name or type(self).__name__).replace("/", "_"))

    @property
    def _type_spec(self) -> Any:
        parts = {name: part_spec(value) for name, value in self._parameters.items() if is_part(value)}
        return self.spec_kind(parts, {name: v for name, v in self._parameters.items() if name not in parts})

    def __tf_tensor__(self, dtype: Any = None, name: Any = None) -> Any:
        """Refuse it: `to_dense` makes the tensor.

        Raises:
          NotOneTensor: always; functions that know operators answer then (`public.py`).
        """
        raise NotOneTensor(f"{self.name} is a linear operator and no tensor; to_dense() makes one of it")

    # -- what it is ---------------------------------------------------------------------------------------------------

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments that it was made of, by name."""
        return dict(self._parameters)

    @property
    def graph_parents(self) -> list[Any]:
        """Always empty."""
        return []

    @property
    def dtype(self) -> Any:
        """The dtype of the matrix."""
        return self._dtype

    @property
    def is_non_singular(self) -> bool | None:
        """Whether it has an inverse, as far as is known."""
        return self._is_non_singular

    @property
    def is_self_adjoint(self) -> bool | None:
        """Whether it equals its conjugate transpose, as far as is known."""
        return self._is_self_adjoint

    @property
    def is_positive_definite(self) -> bool | None:
        """Whether `x^H A x` has a positive real part for every `x` but zero, as far as is known."""
        return self._is_positive_definite

    @property
    def is_square(self) -> bool | None:
        """Whether it has as many rows as columns, as far as is known."""
        known = self.domain_dimension.value, self.range_dimension.value
        by_shape = None if None in known else known[0] == known[1]
        said = self._is_square_set_or_implied_by_hints
        if said is not None and by_shape is not None and said != by_shape:
            raise ValueError(f"{self.name}.is_square was set to {said}, but the shape is {self.shape}")
        return by_shape if said is None else said

    def _shape(self) -> TensorShape:
        raise NotImplementedError(f"{type(self).__name__} gives no _shape")

    def _shape_tensor(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__} gives no _shape_tensor")

    @property
    def shape(self) -> TensorShape:
        """The static shape: batch, rows, columns."""
        return TensorShape(self._shape())

    def shape_tensor(self, name: str = "shape_tensor") -> Any:
        """The shape as a tensor."""
        return convert(self.shape.as_list()) if self.shape.is_fully_defined() else self._shape_tensor()

    @property
    def batch_shape(self) -> TensorShape:
        """The shape without rows and columns."""
        return self.shape[:-2]

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Any:
        """That as a tensor."""
        return self.shape_tensor()[:-2]

    @property
    def tensor_rank(self) -> Any:
        """The rank of the dense matrix."""
        return self.shape.rank

    def tensor_rank_tensor(self, name: str = "tensor_rank_tensor") -> Any:
        """That as a tensor."""
        return convert(self.tensor_rank) if self.tensor_rank is not None else shape_of(self.shape_tensor())[0]

    @property
    def domain_dimension(self) -> Dimension:
        """The number of columns."""
        return Dimension(self.shape[-1] if self.shape.rank is not None else None)

    def domain_dimension_tensor(self, name: str = "domain_dimension_tensor") -> Any:
        """That as a tensor."""
        known = self.domain_dimension.value
        return self.shape_tensor()[-1] if known is None else convert(known)

    @property
    def range_dimension(self) -> Dimension:
        """The number of rows."""
        return Dimension(self.shape[-2] if self.shape.rank is not None else None)

    def range_dimension_tensor(self, name: str = "range_dimension_tensor") -> Any:
        """That as a tensor."""
        known = self.range_dimension.value
        return self.shape_tensor()[-2] if known is None else convert(known)

    # -- what it does -------------------------------------------------------------------------------------------------

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return matmul(self.to_dense(), x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "matmul") -> Any:
        """The product with matrices, or with another operator, which gives an operator.

        Raises:
          ValueError: if the shapes do not fit.
        """
        if isinstance(x, LinearOperator):
            return algebra("matmul", self.adjoint() if adjoint else self, x.adjoint() if adjoint_arg else x)
        return self._matmul(self._checked(x, adjoint, adjoint_arg, solving=False), adjoint, adjoint_arg)

    def __matmul__(self, other: Any) -> Any:
        return self.matmul(other)

    def _matvec(self, x: Any, adjoint: bool = False) -> Any:
        return squeeze(self.matmul(expand_dims(x, -1), adjoint=adjoint), axis=-1)

    def matvec(self, x: Any, adjoint: bool = False, name: str = "matvec") -> Any:
        """The product with vectors."""
        return self._matvec(self._checked(x, adjoint, False, solving=False, axis=-1), adjoint)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        rhs = adjoint_of(rhs) if adjoint_arg else rhs
        if self._can_use_cholesky():
            return cholesky_solve(*with_one_batch(cholesky(self.to_dense()), rhs))
        return solve(*with_one_batch(self.to_dense(), rhs), adjoint=adjoint)

    def solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "solve") -> Any:
        """The `x` of which the product is `rhs`; of an operator, an operator.

        Raises:
          NotImplementedError: if the operator is known to be singular, or not to be square.
          ValueError: if the shapes do not fit.
        """
        self._check_solvable()
        if isinstance(rhs, LinearOperator):
            return algebra("solve", self.adjoint() if adjoint else self, rhs.adjoint() if adjoint_arg else rhs)
        return self._solve(self._checked(rhs, adjoint, adjoint_arg, solving=True), adjoint, adjoint_arg)

    def _solvevec(self, rhs: Any, adjoint: bool = False) -> Any:
        return squeeze(self.solve(expand_dims(rhs, -1), adjoint=adjoint), axis=-1)

    def solvevec(self, rhs: Any, adjoint: bool = False, name: str = "solve") -> Any:
        """As `solve`, for vectors."""
        rhs = self._checked(rhs, adjoint, False, solving=True, axis=-1)
        self._check_solvable()
        return self._solvevec(rhs, adjoint)

    def _check_solvable(self) -> None:
        if self.is_non_singular is False:
            raise NotImplementedError("Exact solve not implemented for an operator that is expected to be singular.")
        if self.is_square is False:
            raise NotImplementedError("Exact solve not implemented for an operator that is expected to not be square.")

    def _of_my_dtype(self, x: Any) -> Any:
        x = convert(x) if x is None else kept(x)  # converting None raises
        if x.dtype != self.dtype:
            raise TypeError(f"Expected argument to have dtype {self.dtype}. Found: {x.dtype} in tensor {x}")
        return x

    def _checked(self, x: Any, adjoint: bool, adjoint_arg: bool, solving: bool, axis: int = -2) -> Any:
        """An argument of this dtype, whose size along `axis` fits."""
        x = self._of_my_dtype(x)
        mine = (self.domain_dimension if adjoint == solving else self.range_dimension).value
        theirs = x.shape[-1 if adjoint_arg else axis] if x.shape.rank is not None else None
        if None not in (mine, theirs) and mine != theirs:
            raise ValueError(f"Operators are incompatible. Expected `x` to have dimension {mine} but got {theirs}.")
        return x

    def _can_use_cholesky(self) -> bool:
        return bool(self.is_self_adjoint and self.is_positive_definite)

    def _to_dense(self) -> Any:
        eye = algebra("eye", self)
        return self.matmul(eye)

    def to_dense(self, name: str = "to_dense") -> Any:
        """The matrix as a tensor."""
        return self._to_dense()

    def _determinant(self) -> Any:
        return exp(self.log_abs_determinant()) if self._can_use_cholesky() else det(self.to_dense())

    def determinant(self, name: str = "det") -> Any:
        """The determinant.

        Raises:
          NotImplementedError: if the operator is known not to be square.
        """
        self._check_square("Determinant")
        return self._determinant()

    def _log_abs_determinant(self) -> Any:
        if self._can_use_cholesky():
            return 2 * reduce_sum(log(diag_part(cholesky(self.to_dense()))), axis=-1)
        return slogdet(self.to_dense())[1]

    def log_abs_determinant(self, name: str = "log_abs_det") -> Any:
        """The logarithm of the determinant's absolute value.

        Raises:
          NotImplementedError: if the operator is known not to be square.
        """
        self._check_square("Determinant")
        return self._log_abs_determinant()

    def _check_square(self, what: str) -> None:
        if self.is_square is False:
            raise NotImplementedError(f"{what} not implemented for an operator that is expected to not be square.")

    def _trace(self) -> Any:
        return reduce_sum(self.diag_part(), axis=-1)

    def trace(self, name: str = "trace") -> Any:
        """The sum of the diagonal."""
        return self._trace()

    def _diag_part(self) -> Any:
        return diag_part(self.to_dense())

    def diag_part(self, name: str = "diag_part") -> Any:
        """The diagonal."""
        return self._diag_part()

    def _add_to_tensor(self, x: Any) -> Any:
        return self.to_dense() + x

    def add_to_tensor(self, x: Any, name: str = "add_to_tensor") -> Any:
        """The sum of the matrix and a tensor."""
        return self._add_to_tensor(self._of_my_dtype(x))

    def _eigvals(self) -> Any:
        return eigvalsh(self.to_dense())

    def eigvals(self, name: str = "eigvals") -> Any:
        """The eigenvalues, of self-adjoint operators.

        Raises:
          NotImplementedError: if the operator is not known to be self-adjoint.
        """
        if not self.is_self_adjoint:
            raise NotImplementedError("Only self-adjoint matrices are supported.")
        return self._eigvals()

    def _cond(self) -> Any:
        if self.is_self_adjoint:
            values = absolute(self.eigvals())
        else:
            values = svd(self.to_dense(), compute_uv=False)
        return reduce_max(values, axis=-1) / reduce_min(values, axis=-1)

    def cond(self, name: str = "cond") -> Any:
        """The condition number."""
        return self._cond()

    # -- operators made of it -----------------------------------------------------------------------------------------

    def adjoint(self, name: str = "adjoint") -> Any:
        """The conjugate transpose as an operator."""
        return self if self.is_self_adjoint else self._linop_adjoint()

    H = property(adjoint)

    def inverse(self, name: str = "inverse") -> Any:
        """The inverse as an operator.

        Raises:
          ValueError: if the operator is known to be singular, or not to be square.
        """
        if self.is_square is False:
            raise ValueError("Cannot take the inverse: This operator represents a non square matrix.")
        if self.is_non_singular is False:
            raise ValueError("Cannot take the inverse: This operator represents a singular matrix.")
        return self._linop_inverse()

    def cholesky(self, name: str = "cholesky") -> Any:
        """The Cholesky factor as an operator.

        Raises:
          ValueError: if the operator is not known to be positive definite and self-adjoint.
        """
        if not self._can_use_cholesky():
            raise ValueError("Cannot take the Cholesky decomposition: Not a positive definite self adjoint matrix.")
        return self._linop_cholesky()

    def _linop_adjoint(self) -> Any:
        return algebra("adjoint", self)

    def _linop_inverse(self) -> Any:
        return algebra("inverse", self)

    def _linop_cholesky(self) -> Any:
        return algebra("cholesky", self)

    # -- slices -------------------------------------------------------------------------------------------------------

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        """How many of each argument's dimensions belong to one matrix."""
        return {}

    def __getitem__(self, slices: Any) -> Any:
        return algebra("slice", self, slices)
