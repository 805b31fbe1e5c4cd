"""Shape, size and rank of tensors, as tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.engine.graph.graph import RANK, SHAPE, SIZE
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.execute import execute
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.engine.values.shapes import UNRANKED
from tfgrad_jax.engine.values.symbolic import SymbolicTensor
from tfgrad_jax.engine.values.tensor import EagerTensor, Spec, Tensor
from tfgrad_jax.ops.array.creation import INDEX_TYPES
from tfgrad_jax.ops.common import in_sessions, one_of, operand

# -- shapes -----------------------------------------------------------------------------------------------------------
# These results lie on the host and cost no computation; in a graph with open dimensions they are known when it runs.


@export("shape")
def shape(input: Any, out_type: Any = None, name: str | None = None) -> Tensor:
    """The shape as a vector of `out_type` (int32). Mirrors `tf.shape`."""
    dtype = dtypes.int32 if out_type is None else as_dtype(out_type)
    one_of(dtype, INDEX_TYPES, "Shape")
    if isinstance(input, tuple) and hasattr(input, "dense_shape"):  # the parts of a sparse tensor as arrays
        return convert(np.asarray(input.dense_shape, dtype.np))
    tensor = operand(input)
    if None in tensor.spec.shape:
        return execute(SHAPE[dtype], (tensor,))
    return _named(EagerTensor(np.array(_claimed(tensor).shape, dtype.np)), name)


@export("shape_n")
def shape_n(input: Any, out_type: Any = dtypes.int32, name: str | None = None) -> list[Tensor]:
    """The shapes of several tensors. Mirrors `tf.shape_n`."""
    return [shape(x, out_type) for x in input]


@export("size")
def size(input: Any, out_type: Any = None, name: str | None = None) -> Tensor:
    """The number of elements. Mirrors `tf.size`."""
    dtype = dtypes.int32 if out_type is None else as_dtype(out_type)
    if isinstance(input, tuple) and hasattr(input, "dense_shape"):
        one_of(dtype, INDEX_TYPES, "Size")
        return convert(np.asarray(np.prod(input.dense_shape), dtype.np))
    tensor = operand(input)
    if None in tensor.spec.shape:
        one_of(dtype, INDEX_TYPES, "Size")
        return execute(SIZE[dtype], (tensor,))
    if dtype.on_host:
        raise TypeError(f"tf.size: a number of elements cannot be of dtype {dtype.name}: give a numeric out_type")
    return _named(EagerTensor(np.array(_claimed(tensor).size).astype(dtype.np)), name)  # of any dtype where it is known


@export("rank")
def rank(input: Any, name: str | None = None) -> Tensor:
    """The number of dimensions. Mirrors `tf.rank`."""
    if isinstance(input, tuple) and hasattr(input, "dense_shape"):
        return convert(np.asarray(len(input.dense_shape), np.int32))
    tensor = operand(input)
    if tensor.spec.shape is UNRANKED:
        return execute(RANK, (tensor,))
    return _named(EagerTensor(np.array(len(_claimed(tensor).shape), np.int32)), name)


def _named(known: Tensor, name: str | None) -> Tensor:
    return known if name is None else in_sessions(known, name)


def _claimed(tensor: Any) -> Spec:
    """The type of a tensor, which a graph compares with the real one when it runs, since it becomes a value here."""
    if isinstance(tensor, SymbolicTensor):
        tensor.graph.relied.add(tensor.slot)
    return tensor.spec
