"""An operator plus a product of few columns: solved and measured by the small matrix between them."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values.dimension import Dimension
from tfgrad_jax.lib.linear_operators.diagonal import LinearOperatorDiag, LinearOperatorIdentity
from tfgrad_jax.lib.linear_operators.operator import LinearOperator
from tfgrad_jax.lib.linear_operators.parts import batch_with, kept, shape_of, with_one_batch
from tfgrad_jax.ops.array.shape import expand_dims
from tfgrad_jax.ops.linalg.linalg import diag_part
from tfgrad_jax.ops.linalg.matmul import adjoint as adjoint_of
from tfgrad_jax.ops.linalg.matmul import matmul
from tfgrad_jax.ops.linalg.matrices import cholesky, cholesky_solve, det, slogdet, solve
from tfgrad_jax.ops.math.complex import conj
from tfgrad_jax.ops.math.elementary import log
from tfgrad_jax.ops.math.reduce import reduce_sum


@export("linalg.LinearOperatorLowRankUpdate")
class LinearOperatorLowRankUpdate(LinearOperator):
    """`L + U D V^H`. Mirrors `tf.linalg.LinearOperatorLowRankUpdate`.

    Args:
      base_operator: L.
      u: U, `[..., rows, k]`.
      diag_update: the diagonal of D; ones where None.
      v: V, `[..., columns, k]`; U where None.
      is_diag_update_positive: whether that diagonal is known to be positive.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: what is known.
      name: the name.
    """

    def __init__(
        self,
        base_operator: Any,
        u: Any,
        diag_update: Any = None,
        v: Any = None,
        is_diag_update_positive: bool | None = None,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorLowRankUpdate",
    ) -> None:
        parameters = {k: w for k, w in locals().items() if k not in ("self", "__class__")}
        self._base_operator, self._diag_given = base_operator, diag_update is not None
        parameters["u"] = self._u = kept(u, base_operator.dtype)
        parameters["v"] = self._v_given = kept(v, base_operator.dtype)
        parameters["diag_update"] = self._diag_update = kept(diag_update, base_operator.dtype)
        self._check_sizes()
        if diag_update is None:
            is_diag_update_positive = True
        self._is_diag_update_positive = is_diag_update_positive
        real = diag_update is None or is_diag_update_positive or not self._diag_update.dtype.is_complex
        if v is None and base_operator.is_self_adjoint and real:
            if is_self_adjoint is False:
                raise ValueError(
                    f"{name}: is_self_adjoint is False, but the sum of a self-adjoint operator and U D U^H is self-adjoint"
                )
            is_self_adjoint = True
            if base_operator.is_positive_definite and is_diag_update_positive:
                if is_positive_definite is False:
                    raise ValueError(
                        f"{name}: is_positive_definite is False, but the arguments imply a positive definite operator"
                    )
                is_positive_definite = True
        if base_operator.is_square is not None and is_square is None:
            is_square = base_operator.is_square
        super().__init__(
            base_operator.dtype,
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            is_square,
            name,
            parameters,
        )

    def _check_sizes(self) -> None:
        base, u, v = self._base_operator, self._u.shape, self._u.shape if self._v_given is None else self._v_given.shape
        inner = u if self._diag_update is None else self._diag_update.shape
        for size, shape, axis in ((base.range_dimension, u, -2), (base.domain_dimension, v, -2),
                                  (Dimension(u[-1] if u.rank else None), v, -1),
                                  (Dimension(u[-1] if u.rank else None), inner, -1)):  # fmt: skip
            if shape.rank:
                size.assert_is_compatible_with(shape[axis] if shape.rank >= -axis else None)

    @property
    def base_operator(self) -> Any:
        """L."""
        return self._base_operator

    @property
    def u(self) -> Any:
        """U."""
        return self._u

    @property
    def v(self) -> Any:
        """V."""
        return self._u if self._v_given is None else self._v_given

    @property
    def diag_update(self) -> Any:
        """The diagonal of D, or None."""
        return self._diag_update

    @property
    def is_diag_update_positive(self) -> bool | None:
        """Whether it is known to be positive."""
        return self._is_diag_update_positive

    @property
    def diag_operator(self) -> Any:
        """D."""
        if self._diag_given:
            return LinearOperatorDiag(self._diag_update, is_positive_definite=self._is_diag_update_positive)
        return LinearOperatorIdentity(num_rows=shape_of(self._u)[-1], dtype=self.dtype)

    def _shape(self) -> Any:
        base, u, v = self._base_operator.shape, self._u.shape, self.v.shape
        if None in (base.rank, u.rank, v.rank):
            return base
        batch = base[:-2]
        for other in (u[:-2], v[:-2]):
            batch = batch_with(batch, other)
        return batch.concatenate(base[-2:])

    def _shape_tensor(self) -> Any:
        return shape_of(self.to_dense())

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x = adjoint_of(x) if adjoint_arg else x
        u, v = (self.v, self._u) if adjoint else (self._u, self.v)
        between = self.diag_operator.matmul(matmul(v, x, adjoint_a=True), adjoint=adjoint)
        return self._base_operator.matmul(x, adjoint=adjoint) + matmul(u, between)

    def _capacitance(self) -> Any:
        inside = matmul(self.v, self._base_operator.solve(self._u), adjoint_a=True)
        if not self._diag_given:
            return self.diag_operator.add_to_tensor(inside)
        return self.diag_operator.inverse().add_to_tensor(inside)

    def _small_is_positive(self) -> bool:
        known = self.is_self_adjoint and self.is_positive_definite and self._is_diag_update_positive
        return bool(known and self._v_given is None)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        rhs = adjoint_of(rhs) if adjoint_arg else rhs
        u, v = (self.v, self._u) if adjoint else (self._u, self.v)
        first = self._base_operator.solve(rhs, adjoint=adjoint)
        seen = matmul(v, first, adjoint_a=True)
        small = self._capacitance()
        if self._small_is_positive():
            weights = cholesky_solve(*with_one_batch(cholesky(small), seen))
        else:
            weights = solve(*with_one_batch(small, seen), adjoint=adjoint)
        return first - self._base_operator.solve(matmul(u, weights), adjoint=adjoint)

    def _determinant(self) -> Any:
        base = self._base_operator.determinant()
        if self._diag_given:
            base = base * self.diag_operator.determinant()
        return det(self._capacitance()) * base

    def _log_abs_determinant(self) -> Any:
        base = self._base_operator.log_abs_determinant()
        if self._diag_given:
            base = base + self.diag_operator.log_abs_determinant()
        small = self._capacitance()
        if self._small_is_positive():
            return 2 * reduce_sum(log(diag_part(cholesky(small))), axis=-1) + base
        return slogdet(small)[1] + base

    def _diag_part(self) -> Any:
        rows = self._u * expand_dims(self._diag_update, -2) if self._diag_given else self._u
        return reduce_sum(rows * conj(self.v), axis=-1) + self._base_operator.diag_part()

    def _to_dense(self) -> Any:
        update = matmul(self._u, self.diag_operator.matmul(self.v, adjoint_arg=True))
        return self._base_operator.add_to_tensor(update)

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"base_operator": 0, "u": 2, "diag_update": 1, "v": 2}
