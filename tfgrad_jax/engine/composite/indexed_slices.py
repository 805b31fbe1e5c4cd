"""`tf.IndexedSlices`: the sparse gradient of a lookup, rows and where they belong."""

from __future__ import annotations

import functools
from typing import Any

import jax.numpy as jnp
import numpy as np

from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.execute import execute, host_value
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.symbolic import SymbolicTensor, static_sizes
from tfgrad_jax.engine.values.tensor import Tensor, is_host


@export("IndexedSlices")
class IndexedSlices:
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
        return IndexedSlices(-self._values, self._indices, self._dense_shape)

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
        return IndexedSlices(values, indices, self._dense_shape)

    @property
    def _type_spec(self) -> IndexedSlicesSpec:
        return IndexedSlicesSpec(self._dense_shape is not None)

    def as_operand(self) -> Tensor:
        """The larger tensor, dense."""
        if self._dense_shape is None:
            raise ValueError(
                "Tensor conversion requested for IndexedSlices for a tensor without a dense_shape; give one to IndexedSlices"
            )
        operands = convert(self._values), convert(self._indices)
        shape = convert(self._dense_shape)
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


class IndexedSlicesSpec:
    """How structures take `IndexedSlices` apart and put them together again.

    Args:
      has_shape: whether the dense shape is one of the components.
    """

    def __init__(self, has_shape: bool) -> None:
        self.has_shape = has_shape

    def _to_components(self, value: IndexedSlices) -> tuple[Any, ...]:
        return (value.values, value.indices, value.dense_shape) if self.has_shape else (value.values, value.indices)

    def _from_components(self, components: tuple[Any, ...]) -> IndexedSlices:
        return IndexedSlices(*components)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IndexedSlicesSpec) and other.has_shape == self.has_shape

    def __hash__(self) -> int:
        return hash(self.has_shape)


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
