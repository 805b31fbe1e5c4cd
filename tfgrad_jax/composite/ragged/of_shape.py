"""Tensors brought into a given shape: ragged ones into a uniform shape, and any into a `tf.experimental.DynamicRaggedShape`."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.composite.answers import answers
from tfgrad_jax.composite.checks import require
from tfgrad_jax.composite.ragged.broadcasting import fitted
from tfgrad_jax.composite.ragged.dynamic_shape import DynamicRaggedShape
from tfgrad_jax.composite.ragged.rows import ragged_or_tensor
from tfgrad_jax.composite.ragged.tensor import RaggedTensor
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.ops.array import creation
from tfgrad_jax.ops.array import shape as shapes
from tfgrad_jax.ops.array.sizes import shape as shape_of
from tfgrad_jax.ops.math.compare import logical_or


def _divided(flat: Any, shape: DynamicRaggedShape) -> Any:
    """Flat values in the rows of a shape.

    Raises:
      InvalidArgumentError: if there are more or fewer than the rows have.
    """
    for part in reversed(shape.row_partitions):
        flat = RaggedTensor.from_row_splits(flat, part.row_splits())
    return flat


@answers(RaggedTensor, "reshape")
@answers(DynamicRaggedShape, "reshape")
def _reshape(tensor: Any, shape: Any, name: Any = None) -> Any:
    flat = tensor.flat_values if isinstance(tensor, RaggedTensor) else tensor
    if not isinstance(shape, DynamicRaggedShape):
        return shapes.reshape(flat, shape)
    return _divided(shapes.reshape(flat, shape.inner_shape), shape)


@answers(RaggedTensor, "broadcast_to")
@answers(DynamicRaggedShape, "broadcast_to")
def _broadcast_to(input: Any, shape: Any, name: Any = None) -> Any:
    if not isinstance(shape, DynamicRaggedShape):
        return NotImplemented
    input = ragged_or_tensor(input)
    if not shape.row_partitions:
        return shapes.broadcast_to(input, shape.inner_shape)
    values, pattern, divided = fitted(input, _zeros(shape, dtypes.bool_))
    require(
        "tf.broadcast_to: the shape has fewer values than what is to be stretched",
        lambda found, wanted: found[: len(wanted)] == wanted,
        shape_of(pattern, out_type=shape.dtype),
        shape.inner_shape,
    )
    return divided(shapes.broadcast_to(values, shape_of(pattern)))


@answers(DynamicRaggedShape, "broadcast_dynamic_shape")
def _broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> DynamicRaggedShape:
    shapes_ = [s if isinstance(s, DynamicRaggedShape) else DynamicRaggedShape((), s) for s in (shape_x, shape_y)]
    x, y = [_zeros(s, dtypes.bool_) for s in shapes_]
    ragged = next((s for s in shapes_ if s.row_partitions), shapes_[0])
    return DynamicRaggedShape.from_tensor(logical_or(x, y), ragged.dtype)


@answers(DynamicRaggedShape, "zeros")
def _zeros(shape: Any, dtype: Any = dtypes.float32, name: Any = None, layout: Any = None) -> Any:
    return _divided(creation.zeros(shape.inner_shape, dtype), shape)


@answers(DynamicRaggedShape, "ones")
def _ones(shape: Any, dtype: Any = dtypes.float32, name: Any = None, layout: Any = None) -> Any:
    return _divided(creation.ones(shape.inner_shape, dtype), shape)


@answers(DynamicRaggedShape, "fill")
def _fill(dims: Any, value: Any, name: Any = None, layout: Any = None) -> Any:
    return _divided(creation.fill(dims.inner_shape, value), dims)
