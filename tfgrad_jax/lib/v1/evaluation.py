"""Tensors and nests of them as NumPy values, as tests look at them."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.composite.ragged.tensor import RaggedTensor
from tfgrad_jax.composite.ragged.values import RaggedTensorValue
from tfgrad_jax.composite.sparse_tensor import SparseTensor, SparseTensorValue
from tfgrad_jax.engine.composite.indexed_slices import IndexedSlices, IndexedSlicesValue
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.tensor import Tensor


def is_tensor_like(value: Any) -> bool:
    """Whether a value has a NumPy value that has to be asked for: tensors, variables, Keras' own."""
    return isinstance(value, (Tensor, SparseTensor, RaggedTensor, IndexedSlices)) or callable(
        getattr(value, "numpy", None)
    )


def evaluated(value: Any) -> Any:
    """One tensor as an array, composite ones as records of arrays; None and functions' results likewise.

    Raises:
      ValueError: for anything else.
    """
    if value is None:
        return None
    if callable(value) and not is_tensor_like(value):
        return evaluated_nest(value())
    if isinstance(value, SparseTensor):
        return SparseTensorValue(value.indices.numpy(), value.values.numpy(), value.dense_shape.numpy())
    if isinstance(value, RaggedTensor):
        inner = evaluated(value.values)
        return RaggedTensorValue(inner, value.row_splits.numpy())
    if isinstance(value, IndexedSlices):
        shape = value.dense_shape
        return IndexedSlicesValue(value.values.numpy(), value.indices.numpy(), None if shape is None else shape.numpy())
    if not is_tensor_like(value):
        raise ValueError(f"Unsupported type {type(value).__name__!r}.")
    return value.numpy()


def evaluated_nest(structure: Any) -> Any:
    """Every tensor of a nest, as `evaluated` gives it."""
    return nest.map_structure(evaluated, structure)
