"""Circulant operators, nested once, twice or three times: diagonal to Fourier transforms."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.names.export import export, registry
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.lib.linear_operators.assertions import OfEntries
from tfgrad_jax.lib.linear_operators.operator import LinearOperator
from tfgrad_jax.lib.linear_operators.parts import hint, kept, shape_of
from tfgrad_jax.ops.array.array import concat
from tfgrad_jax.ops.array.creation import ones
from tfgrad_jax.ops.array.shape import expand_dims, reshape
from tfgrad_jax.ops.host.debugging import assert_less
from tfgrad_jax.ops.linalg.matmul import adjoint as adjoint_of
from tfgrad_jax.ops.linalg.matmul import matrix_transpose
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.complex import conj, real
from tfgrad_jax.ops.math.elementary import log
from tfgrad_jax.ops.math.reduce import reduce_max, reduce_mean, reduce_min, reduce_prod, reduce_sum
from tfgrad_jax.ops.math.rounding import abs as absolute


class Circulant(OfEntries, LinearOperator):
    """`F^H D F` of the discrete Fourier transform `F` along the last dimensions, and the diagonal matrix `D` of the spectrum.

    Args:
      spectrum: the eigenvalues, `[..., N]` with one dimension for each level.
      input_output_dtype: the dtype of the matrix; if real, imaginary parts are dropped.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: what is known.
      name: the name; that of the class by default.

    Raises:
      ValueError: if the spectrum has too few dimensions, or something is said of it that is not so.
    """

    _depth = 1

    def __init__(
        self,
        spectrum: Any,
        input_output_dtype: Any = dtypes.complex64,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str | None = None,
    ) -> None:
        name = name or type(self).__name__
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        parameters["spectrum"] = self._spectrum = kept(spectrum)
        rank = self._spectrum.shape.rank
        if rank is not None and rank < self._depth:
            raise ValueError(f"Argument `spectrum` must have at least {self._depth} dimensions. Received: {spectrum}.")
        if is_square is False:
            raise ValueError(
                f"A [[nested] block] circulant operator is always square. Expected argument `is_square` to be True. "
                f"Received: {is_square}."
            )
        if not self._spectrum.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError(
                    f"A real spectrum always corresponds to a self-adjoint operator. Expected argument `is_self_adjoint` to be "
                    f"True when `spectrum.dtype.is_complex` = True. Received: {is_self_adjoint}."
                )
            is_self_adjoint = True
        super().__init__(
            as_dtype(input_output_dtype),
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            True,
            name,
            parameters,
        )

    # -- what it is ---------------------------------------------------------------------------------------------------

    @property
    def spectrum(self) -> Any:
        """The eigenvalues."""
        return self._spectrum

    @property
    def block_depth(self) -> int:
        """How often circulant blocks are nested."""
        return self._depth

    @property
    def block_shape(self) -> TensorShape:
        """The sizes of the levels."""
        return self._spectrum.shape[-self._depth :]

    def block_shape_tensor(self) -> Any:
        """That as a tensor."""
        return shape_of(self._spectrum)[-self._depth :]

    def _shape(self) -> Any:
        size = self.block_shape.num_elements() if self.block_shape.is_fully_defined() else None
        return self._spectrum.shape[: -self._depth].concatenate([size, size])

    def _shape_tensor(self) -> Any:
        sizes = shape_of(self._spectrum)
        size = reduce_prod(sizes[-self._depth :], keepdims=True)
        return concat([sizes[: -self._depth], size, size], 0)

    # -- transforms ---------------------------------------------------------------------------------------------------

    def _transform(self, x: Any, name: str = "fft") -> Any:
        wide = x.dtype in (dtypes.float64, dtypes.complex128)
        suffix = "" if self._depth == 1 else f"{self._depth}d"
        return registry[f"signal.{name}{suffix}"](cast(x, dtypes.complex128 if wide else dtypes.complex64))

    def convolution_kernel(self, name: str = "convolution_kernel") -> Any:
        """What a product convolves with: the inverse transform of the spectrum."""
        return cast(self._transform(self._spectrum, "ifft"), self.dtype)

    def _applied(self, x: Any, eigenvalues: Any) -> Any:
        """The operator with other eigenvalues, of the columns of `x`."""
        columns = matrix_transpose(x)
        sizes = shape_of(columns)
        blocks = reshape(columns, concat([sizes[:-1], self.block_shape_tensor()], 0))
        waves = self._transform(blocks)
        changed = self._transform(waves * cast(expand_dims(eigenvalues, -self._depth - 1), waves.dtype), "ifft")
        found = cast(changed, self.dtype)
        lead = shape_of(found)[: -self._depth]
        return matrix_transpose(reshape(found, concat([lead, sizes[-1:]], 0)))

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x = adjoint_of(x) if adjoint_arg else x
        return self._applied(x, conj(self._spectrum) if adjoint else self._spectrum)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        rhs = adjoint_of(rhs) if adjoint_arg else rhs
        eigenvalues: Any = conj(self._spectrum) if adjoint else self._spectrum
        return self._applied(rhs, 1 / eigenvalues)

    def _to_dense(self) -> Any:
        return self._matmul(registry["eye"](self.domain_dimension_tensor(), dtype=self.dtype))

    # -- numbers ------------------------------------------------------------------------------------------------------

    @property
    def _levels(self) -> list[int]:
        return list(range(-self._depth, 0))

    def _determinant(self) -> Any:
        return cast(reduce_prod(self._spectrum, axis=self._levels), self.dtype)

    def _log_abs_determinant(self) -> Any:
        return cast(reduce_sum(log(absolute(self._spectrum)), axis=self._levels), self.dtype)

    def _trace(self) -> Any:
        return cast(reduce_sum(self._spectrum, axis=self._levels), self.dtype)

    def _diag_part(self) -> Any:
        value = expand_dims(reduce_mean(self._spectrum, axis=self._levels), -1)
        return cast(value, self.dtype) * ones(self.shape_tensor()[:-1], self.dtype)

    def _eigvals(self) -> Any:
        return cast(
            reshape(self._spectrum, concat([shape_of(self._spectrum)[: -self._depth], [-1]], 0)),
            self._spectrum.dtype,
        )

    def _cond(self) -> Any:
        sizes = absolute(self._spectrum)
        return reduce_max(sizes, axis=self._levels) / reduce_min(sizes, axis=self._levels)

    # -- assertions ---------------------------------------------------------------------------------------------------

    _entries_are = "the spectrum"

    def _entries(self) -> Any:
        return self._spectrum

    def assert_hermitian_spectrum(self, name: str = "assert_hermitian_spectrum") -> Any:
        """Refuse a spectrum whose convolution kernel is not real."""
        kernel = self._transform(self._spectrum, "ifft")
        most = cast(10 * 1.2e-7 if kernel.dtype is dtypes.complex64 else 10 * 2.3e-16, real(kernel).dtype)
        least = absolute(registry["math.imag"](kernel))
        return assert_less(least, most * (1 + reduce_max(absolute(kernel))), message="Spectrum was not Hermitian")

    # -- operators made of it -----------------------------------------------------------------------------------------

    def with_spectrum(self, spectrum: Any, other: Any = None, dtype: Any = dtypes.complex64) -> Any:
        """One of this kind with another spectrum; what is known is what both operators have."""
        both = (self, other or self)
        return type(self)(
            spectrum,
            dtype,
            is_non_singular=hint(*[o.is_non_singular for o in both]),
            is_self_adjoint=hint(*[o.is_self_adjoint for o in both]),
            is_positive_definite=hint(*[o.is_positive_definite for o in both]),
            is_square=True,
        )

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"spectrum": self._depth}


@export("linalg.LinearOperatorCirculant")
class LinearOperatorCirculant(Circulant):
    """A circulant matrix: each row is the one before, turned by one. Mirrors `tf.linalg.LinearOperatorCirculant`."""


@export("linalg.LinearOperatorCirculant2D")
class LinearOperatorCirculant2D(Circulant):
    """A circulant matrix of circulant blocks. Mirrors `tf.linalg.LinearOperatorCirculant2D`."""

    _depth = 2


@export("linalg.LinearOperatorCirculant3D")
class LinearOperatorCirculant3D(Circulant):
    """A circulant matrix of such matrices of circulant blocks. Mirrors `tf.linalg.LinearOperatorCirculant3D`."""

    _depth = 3
