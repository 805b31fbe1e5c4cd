"""`tf.SparseTensor` and its type: the values of a tensor that are not zero, and where they are."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tfgrad_jax.composite.checks import require
from tfgrad_jax.engine.declare.attributes import is_symbolic
from tfgrad_jax.engine.hooks import run_in_session, sparse_operations
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export, recognised_as
from tfgrad_jax.engine.run.execute import host_value
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.composite import Composite, CompositeSpec, NotOneTensor
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import DType, as_dtype
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.spec_names import register
from tfgrad_jax.engine.values.specs import TensorSpec, row_of
from tfgrad_jax.engine.values.symbolic import TRIALS, SymbolicTensor, static_sizes
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.ops.array.creation import zeros
from tfgrad_jax.ops.array.gather import gather_nd, where
from tfgrad_jax.ops.array.sizes import shape
from tfgrad_jax.ops.common import operand
from tfgrad_jax.ops.math import math
from tfgrad_jax.ops.strings import basic as strings


@export("compat.v1.SparseTensorValue")
class SparseTensorValue(NamedTuple):
    """The parts of a sparse tensor as arrays. Mirrors `tf.compat.v1.SparseTensorValue`."""

    indices: Any
    values: Any
    dense_shape: Any


@export("SparseTensor", "sparse.SparseTensor")
@recognised_as("python.framework.sparse_tensor")
class SparseTensor(Composite):
    """A tensor of which only the elements at some places are kept; all others are zero. Mirrors `tf.SparseTensor`.

    Args:
      indices: the places, an int64 tensor of shape `[n, rank]`.
      values: the elements there, of shape `[n]`.
      dense_shape: the shape, an int64 vector.

    Raises:
      ValueError: if the shapes of the three do not fit each other.
    """

    _is_tensor_type = True

    def __init__(self, indices: Any, values: Any, dense_shape: Any) -> None:
        sparse_operations()
        if isinstance(dense_shape, TensorShape):
            dense_shape = dense_shape.as_list()
        self._indices = convert(indices, dtypes.int64)
        self._values = operand(values)
        self._dense_shape = convert(dense_shape, dtypes.int64)
        places = self._indices.shape.with_rank(2)
        shape = self._dense_shape.shape.with_rank(1)
        places[:1].assert_is_compatible_with(self._values.shape.with_rank(1))
        places[1:].assert_is_compatible_with(shape)
        self._static = TensorShape(_static_shape(self._dense_shape))

    @classmethod
    def from_value(cls, sparse_tensor_value: Any) -> SparseTensor:
        """A sparse tensor of a `SparseTensorValue`, or the tensor itself.

        Raises:
          TypeError: if it is neither.
        """
        if isinstance(sparse_tensor_value, cls):
            return sparse_tensor_value
        if not isinstance(sparse_tensor_value, SparseTensorValue):
            raise TypeError(
                f"Argument sparse_tensor_value={sparse_tensor_value} is neither SparseTensor nor SparseTensorValue."
            )
        return cls(*sparse_tensor_value)

    @property
    def indices(self) -> Any:
        """The places, a row for each value."""
        return self._indices

    @property
    def values(self) -> Any:
        """The elements at those places."""
        return self._values

    @property
    def dense_shape(self) -> Any:
        """The shape as a vector."""
        return self._dense_shape

    @property
    def dtype(self) -> DType:
        """The dtype of the values."""
        return self._values.dtype

    @property
    def shape(self) -> TensorShape:
        """The static shape, as far as it is known."""
        return self._static

    def get_shape(self) -> TensorShape:
        """The static shape."""
        return self._static

    def set_shape(self, shape: Any) -> None:
        """Tell what is known of the shape.

        Raises:
          ValueError: if it is another one.
        """
        self._static = self._static.merge_with(TensorShape(shape))

    def with_values(self, new_values: Any) -> SparseTensor:
        """Other values at the same places."""
        return SparseTensor(self._indices, new_values, self._dense_shape)

    def __mul__(self, other: Any) -> SparseTensor:
        """The product with a dense tensor that broadcasts to this shape: only what is kept counts."""
        return self.with_values(math.multiply(self._values, self._beside(other)))

    def __rmul__(self, other: Any) -> Any:
        return self * other if isinstance(other, (Tensor, Variable)) else NotImplemented

    def __truediv__(self, other: Any) -> SparseTensor:
        """The quotient by a dense tensor that broadcasts to this shape."""
        return self.with_values(math.truediv(self._values, self._beside(other)))

    __div__ = __truediv__

    def _beside(self, other: Any) -> Tensor:
        """The elements of a dense tensor, which is broadcast, at the places of the values."""
        dense = operand(other, self.dtype)
        sizes: Any = shape(dense, out_type=dtypes.int64)
        rank: Any = dense.shape.rank
        if rank == 0:
            return dense
        own: Any = self._dense_shape.shape[0]
        if rank is None or own is None:
            rank, own = (shape(vector, out_type=dtypes.int64)[0] for vector in (sizes, self._dense_shape))
            told = "SparseTensor: the dense operand has more dimensions"
            require(told, lambda rank, own: rank <= own, rank, own)
        elif rank > own:
            raise invalid_argument(
                f"SparseTensor of rank {own} does not broadcast to rank {rank}", "SparseDenseCwiseMul"
            )
        fits = "SparseTensor: the dense operand does not broadcast to the shape"
        require(fits, lambda own, sizes: (sizes == own) | (sizes == 1), self._dense_shape[own - rank :], sizes)
        return gather_nd(dense, where(sizes == 1, zeros([], dtypes.int64), self._indices[:, own - rank :]))

    @property
    def op(self) -> Any:
        """In a graph, the operation that made the values."""
        return self.values.op

    @property
    def graph(self) -> Any:
        """The graph that it belongs to."""
        return self.values.graph

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """A `SparseTensorValue`, in a session, the open one where none is given."""
        self.graph  # noqa: B018 -- eagerly it fails here, as an AttributeError
        return run_in_session(self, feed_dict, session)

    def printed(self, summarize: int) -> Tensor:
        """The text that `tf.print` shows, as a tensor."""
        parts = [self._indices, self._values, self._dense_shape]
        return strings.format("'SparseTensor(indices={}, values={}, shape={})'", parts, summarize=summarize)

    def consumers(self) -> list[Any]:
        """Nothing: operations do not know their consumers here."""
        return []

    def __str__(self) -> str:
        return f"SparseTensor(indices={self._indices!s}, values={self._values!s}, dense_shape={self._dense_shape!s})"

    __repr__ = __str__

    @property
    def _type_spec(self) -> SparseTensorSpec:
        return SparseTensorSpec(self._static, self.dtype)

    @property
    def __composite_gradient__(self) -> Any:
        return _GradientOfValues

    def __tf_tensor__(self, dtype: DType | None = None, name: str | None = None) -> Tensor:
        raise NotOneTensor(
            f"Attempt to convert a value (a SparseTensor of shape {self._static}, dtype {self.dtype.name}) with an unsupported "
            f"type ({type(self)}) to a Tensor; tf.sparse.to_dense makes a tensor of it"
        )


def _static_shape(dense_shape: Tensor) -> Any:
    """What is known of the shape: -1 stands for a size that a program leaves open."""
    if is_symbolic(dense_shape):
        return static_sizes(dense_shape)
    held = dense_shape.held  # which a constant of a graph has, too
    sizes = np.asarray(held) if held is not None else host_value(dense_shape)
    return [None if n == -1 else n for n in sizes.tolist()]


class _GradientOfValues:
    """The gradient of a sparse tensor is that of its values, at the same places."""

    @staticmethod
    def get_gradient_components(value: SparseTensor) -> Any:
        return value.values

    @staticmethod
    def replace_gradient_components(value: SparseTensor, gradient: Any) -> SparseTensor:
        return value.with_values(gradient)


@export("SparseTensorSpec")
@register("tf.SparseTensorSpec")
class SparseTensorSpec(CompositeSpec):
    """The type of a sparse tensor. Mirrors `tf.SparseTensorSpec`.

    Args:
      shape: the static shape.
      dtype: of the values.
    """

    def __init__(self, shape: Any = None, dtype: Any = dtypes.float32) -> None:
        self._shape = TensorShape(shape)
        self._dtype = as_dtype(dtype)

    @classmethod
    def from_value(cls, value: Any) -> SparseTensorSpec:
        """The spec of a sparse tensor.

        Raises:
          TypeError: if it is none.
        """
        if isinstance(value, SparseTensor):
            return cls(value.shape, value.dtype)
        if isinstance(value, SparseTensorValue):
            return cls(list(value.dense_shape), operand(value.values).dtype)
        raise TypeError(
            f"Expected SparseTensor or SparseTensorValue. Received: {value} of type {type(value).__name__}."
        )

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The dtype of the values."""
        return self._dtype

    @property
    def value_type(self) -> Any:
        """`tf.SparseTensor`."""
        return SparseTensor

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype

    @property
    def _component_specs(self) -> list[TensorSpec]:
        rank = self._shape.rank
        return [
            TensorSpec([None, rank], dtypes.int64),
            TensorSpec([None], self._dtype),
            TensorSpec([rank], dtypes.int64),
        ]

    def _to_components(self, value: Any) -> list[Any]:
        return [value.indices, value.values, value.dense_shape]

    def _from_components(self, components: Any) -> Any:
        indices, values, dense_shape = components
        if not all(isinstance(part, Tensor) for part in components):
            return SparseTensorValue(indices, values, dense_shape)
        result = SparseTensor(indices, values, dense_shape)
        if self._shape.is_compatible_with(result.shape):
            result.set_shape(self._shape)
        if isinstance(dense_shape, SymbolicTensor) and dense_shape.samples is None and self._shape.is_fully_defined():
            # What is computed of the shape is known, too.
            sizes = np.array(self._shape.as_list(), np.int64)
            dense_shape.samples, dense_shape.sure = (sizes,) * len(TRIALS), np.ones(len(sizes), bool)
        return result

    def _batch(self, batch_size: int | None) -> SparseTensorSpec:
        return SparseTensorSpec(TensorShape([batch_size]).concatenate(self._shape), self._dtype)

    def _unbatch(self) -> SparseTensorSpec:
        return SparseTensorSpec(row_of(self._shape), self._dtype)

    def _shape_invariant_to_type_spec(self, shape: Any) -> SparseTensorSpec:
        return SparseTensorSpec(shape, self._dtype)
