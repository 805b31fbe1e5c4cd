"""`tf.IndexedSlices`: the sparse gradient of a lookup, rows and where they belong."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from tfgrad_jax.engine import hooks
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.names.export import export, recognised_as
from tfgrad_jax.engine.run.execute import execute, host_value
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.composite import Composite, CompositeSpec
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.specs import TensorSpec
from tfgrad_jax.engine.values.symbolic import SymbolicTensor, static_sizes
from tfgrad_jax.engine.values.tensor import EagerTensor, Tensor, is_host


@export("compat.v1.IndexedSlicesValue")
class IndexedSlicesValue(NamedTuple):
    """The parts of `tf.IndexedSlices` as arrays. Mirrors `tf.compat.v1.IndexedSlicesValue`."""

    values: Any
    indices: Any
    dense_shape: Any


@export("IndexedSlices")
@recognised_as("python.framework.indexed_slices")
class IndexedSlices(Composite):
    """Rows `values[i]` that belong at `indices[i]` of a larger tensor; repeated rows add up. Mirrors `tf.IndexedSlices`.

    Args:
      values: a tensor of shape `[n, ...]`.
      indices: an integer tensor of shape `[n]`.
      dense_shape: the shape of the larger tensor, or None where it is not known.
    """

    _is_tensor_type = True

    def __init__(self, values: Any, indices: Any, dense_shape: Any = None) -> None:
        self._values = values
        self._indices = indices
        self._dense_shape = dense_shape
        self.within = False
        """Whether the indices are known to be within the larger tensor: those of a lookup that was checked."""

    @property
    def values(self) -> Any:
        return self._values

    @property
    def indices(self) -> Any:
        return self._indices

    @property
    def dense_shape(self) -> Any:
        return self._dense_shape

    @property
    def dtype(self) -> DType:
        return self._values.dtype

    @property
    def device(self) -> str:
        return self._values.device

    @property
    def name(self) -> str:
        return self._values.name

    @property
    def shape(self) -> TensorShape:
        """The static shape of the larger tensor."""
        if self._dense_shape is None:
            return TensorShape(None)
        shape = convert(self._dense_shape)
        if is_host(shape):
            return TensorShape(shape.held.tolist())
        if isinstance(shape, SymbolicTensor):
            return TensorShape(static_sizes(shape))
        return TensorShape(host_value(shape).tolist())

    def get_shape(self) -> TensorShape:
        return self.shape

    def __neg__(self) -> IndexedSlices:
        negative = IndexedSlices(-self._values, self._indices, self._dense_shape)
        negative.within = self.within
        return negative

    def __str__(self) -> str:
        shape = f", dense_shape={self._dense_shape!s}" if self._dense_shape is not None else ""
        return f"IndexedSlices(indices={self._indices!s}, values={self._values!s}{shape})"

    def joined(self, other: IndexedSlices) -> IndexedSlices:
        """The sum of two, as the rows of both."""
        values = execute(_JOIN, (self._values, other._values))
        places = convert(self._indices), convert(other._indices)
        if places[0].dtype is not places[1].dtype:
            places = _as_int64(places[0]), _as_int64(places[1])
        indices = execute(_JOIN, places)
        both = IndexedSlices(values, indices, self._dense_shape)
        both.within = self.within and other.within
        return both

    @property
    def _type_spec(self) -> IndexedSlicesSpec:
        rows = TensorShape(self._values.shape)
        shape = TensorShape([None]).concatenate(rows[1:]) if self._dense_shape is None else self.shape
        dense = None if self._dense_shape is None else convert(self._dense_shape).dtype
        return IndexedSlicesSpec(shape, self.dtype, self._indices.dtype, dense, self._indices.shape)

    @property
    def __composite_gradient__(self) -> Any:
        return _SlicesGradient

    def as_operand(self) -> Tensor:
        """The larger tensor, dense; rows at negative indices are left out.

        Raises:
          ValueError: if its shape is not known.
          InvalidArgumentError: if an index is too large.
        """
        if self._dense_shape is None:
            raise ValueError(
                "Tensor conversion requested for IndexedSlices for a tensor without a dense_shape; give one to IndexedSlices"
            )
        operands = convert(self._values), convert(self._indices)
        shape = convert(self._dense_shape)
        if not self.within:
            return hooks.rows_summed(*operands, shape)
        if isinstance(shape, SymbolicTensor) and not is_host(shape):
            return execute(_SCATTER_ROWS, (*operands, shape))
        sizes = shape.held if is_host(shape) else host_value(shape)
        return execute(_scatter_rows(tuple(sizes.tolist())), operands)

    def __tf_tensor__(self, dtype: DType | None, name: str | None) -> Tensor:
        dense = self.as_operand()
        if dtype is not None and dtype is not dense.dtype:
            raise ValueError(
                f"Tensor conversion requested dtype {dtype.name} for IndexedSlices with dtype {dense.dtype.name}"
            )
        return dense


@export("IndexedSlicesSpec")
class IndexedSlicesSpec(CompositeSpec):
    """The type of an `IndexedSlices`. Mirrors `tf.IndexedSlicesSpec`.

    Args:
      shape: of the larger tensor.
      dtype: of the rows.
      indices_dtype: of the indices.
      dense_shape_dtype: of the `dense_shape`; None if there is none.
      indices_shape: of the indices; of unknown length, if not given.
    """

    def __init__(
        self,
        shape: Any = None,
        dtype: Any = dtypes.float32,
        indices_dtype: Any = dtypes.int64,
        dense_shape_dtype: Any = None,
        indices_shape: Any = None,
    ) -> None:
        self._shape = TensorShape(shape)
        self._values_dtype = dtypes.as_dtype(dtype)
        self._indices_dtype = dtypes.as_dtype(indices_dtype)
        self._dense_shape_dtype = None if dense_shape_dtype is None else dtypes.as_dtype(dense_shape_dtype)
        self._indices_shape = TensorShape([None] if indices_shape is None else indices_shape)

    @property
    def value_type(self) -> Any:
        """`tf.IndexedSlices`."""
        return IndexedSlices

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._values_dtype, self._indices_dtype, self._dense_shape_dtype, self._indices_shape

    @property
    def _component_specs(self) -> tuple[TensorSpec, ...]:
        rows = TensorShape(None) if self._shape.rank is None else self._indices_shape.concatenate(self._shape[1:])
        specs = TensorSpec(rows, self._values_dtype), TensorSpec(self._indices_shape, self._indices_dtype)
        if self._dense_shape_dtype is None:
            return specs
        return *specs, TensorSpec([self._shape.rank], self._dense_shape_dtype)

    def _to_components(self, value: IndexedSlices) -> tuple[Any, ...]:
        parts = value.values, value.indices
        return parts if self._dense_shape_dtype is None else (*parts, value.dense_shape)

    def _from_components(self, components: Any) -> IndexedSlices:
        return IndexedSlices(*components)

    def _shape_invariant_to_type_spec(self, shape: Any) -> IndexedSlicesSpec:
        return IndexedSlicesSpec(shape, self._values_dtype, self._indices_dtype, self._dense_shape_dtype)

    def known_components(self) -> dict[int, Tensor]:
        """The dense shape: that of a table, whichever rows are looked up."""
        if self._dense_shape_dtype is None or not self._shape.is_fully_defined():
            return {}
        return {2: EagerTensor(np.array(self._shape.as_list(), self._dense_shape_dtype.np))}


class _SlicesGradient:
    """The gradient of slices is that of their rows."""

    @staticmethod
    def get_gradient_components(value: IndexedSlices) -> Any:
        return value.values

    @staticmethod
    def replace_gradient_components(value: IndexedSlices, gradient: Any) -> IndexedSlices:
        return IndexedSlices(gradient, value.indices, value.dense_shape)


def _as_int64(indices: Tensor) -> Tensor:
    return indices if indices.dtype is dtypes.int64 else execute(_TO_INT64, (indices,))


_JOIN = Kernel("ConcatV2", lambda a, b: jnp.concatenate([a, b]))
_TO_INT64 = Kernel("Cast", lambda x: x.astype(jnp.int64))


def _scattered(values: Any, indices: Any, shape: tuple[int, ...]) -> Any:
    return jnp.zeros(shape, values.dtype).at[indices].add(values.reshape(indices.shape + shape[1:]), mode="drop")


@functools.lru_cache(maxsize=1024)
def _scatter_rows(shape: tuple[int, ...]) -> Kernel:
    return Kernel("UnsortedSegmentSum", lambda values, indices: _scattered(values, indices, shape), differentiable=1)


_SCATTER_ROWS = Kernel(
    "UnsortedSegmentSum",
    lambda values, indices, shape: _scattered(values, indices, tuple(np.asarray(shape).tolist())),
    differentiable=1,
    reads_values=(2,),
)
