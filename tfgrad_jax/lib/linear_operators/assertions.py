"""What linear operators check of themselves: by their matrix, or by the entries that they are made of."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.ops.host.debugging import assert_equal, assert_less, assert_positive
from tfgrad_jax.ops.linalg.linalg import diag_part
from tfgrad_jax.ops.linalg.matmul import adjoint as adjoint_of
from tfgrad_jax.ops.linalg.matrices import cholesky
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.complex import imag, real
from tfgrad_jax.ops.math.reduce import reduce_max
from tfgrad_jax.ops.math.rounding import abs as absolute
from tfgrad_jax.ops.math.rounding import maximum


def not_zero(values: Any, what: str) -> Any:
    """Refuse zeros: the operator is singular."""
    sizes = absolute(values)
    return assert_less(cast(0, sizes.dtype), sizes, message=f"Singular operator: {what} has zeros, so it was singular")


class Assertions:
    """What an operator checks by its matrix."""

    name: Any
    dtype: Any
    is_self_adjoint: Any
    to_dense: Any
    cond: Any
    domain_dimension_tensor: Any
    range_dimension_tensor: Any

    def _largest_condition(self) -> Any:
        """The condition number from which on an operator counts as singular."""
        rows = reduce_max(cast([self.range_dimension_tensor(), self.domain_dimension_tensor()], self.dtype.real_dtype))
        return 1 / (maximum(cast(100, rows.dtype), rows) * float(np.finfo(self.dtype.np).eps))

    def assert_non_singular(self, name: str = "assert_non_singular") -> Any:
        """Check that it is not singular: that its condition number is no larger than the dtype can tell."""
        message = f"Singular matrix up to precision epsilon: {self.name} was singular"
        return assert_less(absolute(self.cond()), self._largest_condition(), message=message)

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> Any:
        """Check that it is positive definite.

        Raises:
          NotImplementedError: if it is not known to be self-adjoint.
        """
        if not self.is_self_adjoint:
            raise NotImplementedError(
                f"assert_positive_definite is not implemented for {self.name}, which is not known to be self-adjoint: "
                "pass is_self_adjoint=True if it is"
            )
        message = f"Not positive definite: {self.name} was not positive definite"
        return assert_positive(real(diag_part(cholesky(self.to_dense()))), message=message)

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> Any:
        """Check that it is self-adjoint."""
        dense = self.to_dense()
        message = f"Matrix was not equal to its adjoint: {self.name} was not self-adjoint"
        return assert_equal(dense, adjoint_of(dense), message=message)


class OfEntries:
    """What an operator checks whose eigenvalues are entries of it: a subclass gives these, and says what they are called."""

    _entries_are = "the diagonal"

    def _entries(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__} gives no _entries")

    def assert_non_singular(self, name: str = "assert_non_singular") -> Any:
        """Refuse entries that are zero."""
        return not_zero(self._entries(), self._entries_are)

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> Any:
        """Refuse entries whose real part is not positive."""
        values = self._entries()
        said = "has entries with non-positive real part" if values.dtype.is_complex else "has non-positive entries"
        message = f"Not positive definite: {self._entries_are} {said}, so it was not positive definite"
        return assert_positive(real(values), message=message)

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> Any:
        """Refuse entries that are not real."""
        values = imag(self._entries())
        message = f"Not self-adjoint: {self._entries_are} has imaginary parts, so it was not self-adjoint"
        return assert_equal(cast(0, values.dtype), values, message=message)
