"""`tf.compat.v1.ragged`: ragged tensors of NumPy arrays, and those of graphs that take them."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from tfgrad_jax.composite.ragged.constants import nested
from tfgrad_jax.composite.ragged.tensor import RaggedTensor
from tfgrad_jax.engine.graph.func_graph import placeholder as tensor_placeholder
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.names.scopes import name_scope
from tfgrad_jax.engine.values.dtypes import as_dtype, int64
from tfgrad_jax.engine.values.shapes import TensorShape


@export("compat.v1.ragged.RaggedTensorValue")
class RaggedTensorValue:
    """The values and row splits of a ragged tensor as arrays. Mirrors `tf.compat.v1.ragged.RaggedTensorValue`.

    Args:
      values: an array, or another such value.
      row_splits: an integer vector.

    Raises:
      TypeError: if an argument is of another kind.
      ValueError: if the row splits are no vector.
    """

    def __init__(self, values: Any, row_splits: Any) -> None:
        if not (isinstance(row_splits, (np.ndarray, np.generic)) and row_splits.dtype in (np.int64, np.int32)):
            raise TypeError(f"Argument `row_splits` must be a 1D int32 or int64 numpy array. Received {row_splits}.")
        if row_splits.ndim != 1:
            raise ValueError(f"row_splits must be a vector; it has shape {row_splits.shape}")
        if not isinstance(values, (np.ndarray, np.generic, RaggedTensorValue)):
            raise TypeError(f"Argument `values` must be a numpy array or a RaggedTensorValue. Received {values}.")
        self._values: Any = values
        self._row_splits: Any = row_splits

    @property
    def values(self) -> Any:
        """The rows, one after the other."""
        return self._values

    @property
    def row_splits(self) -> Any:
        """Row `i` is `values[row_splits[i] : row_splits[i + 1]]`."""
        return self._row_splits

    @property
    def flat_values(self) -> Any:
        """The values without any division into rows."""
        inner = self._values
        return inner.flat_values if isinstance(inner, RaggedTensorValue) else inner

    @property
    def nested_row_splits(self) -> tuple[Any, ...]:
        """The row splits of all ragged dimensions, the outermost first."""
        inner = self._values
        return (self._row_splits, *(inner.nested_row_splits if isinstance(inner, RaggedTensorValue) else ()))

    @property
    def ragged_rank(self) -> int:
        """How many dimensions are divisions into rows."""
        return len(self.nested_row_splits)

    @property
    def dtype(self) -> Any:
        """The NumPy dtype of the values."""
        return self._values.dtype

    @property
    def shape(self) -> tuple[int | None, ...]:
        """The shape; None where rows differ in length."""
        return (self._row_splits.shape[0] - 1, None, *self._values.shape[1:])

    def to_list(self) -> list[Any]:
        """The rows as nested Python lists."""
        inner = self._values
        rows = inner.to_list() if isinstance(inner, RaggedTensorValue) else inner.tolist()
        return [rows[start:limit] for start, limit in pairwise(self._row_splits.tolist())]

    def __repr__(self) -> str:
        return f"tf.RaggedTensorValue(values={self._values!r}, row_splits={self._row_splits!r})"

    def __str__(self) -> str:
        return f"<tf.RaggedTensorValue {self.to_list()}>"


@export("compat.v1.ragged.constant_value")
def constant_value(
    pylist: Any,
    dtype: Any = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    row_splits_dtype: Any = "int64",
) -> Any:
    """Nested lists as a `RaggedTensorValue`; as an array if nothing is nested. Mirrors `tf.compat.v1.ragged.constant_value`.

    Takes what `tf.ragged.constant` does.
    """
    index = as_dtype(row_splits_dtype).np
    wanted = dtype if dtype is None else as_dtype(dtype).np

    def leaves(values: Any, shape: tuple[int, ...]) -> Any:
        return np.reshape(np.array(values, dtype=wanted), shape)

    return nested(
        pylist,
        ragged_rank,
        inner_shape,
        leaves,
        lambda values, splits: RaggedTensorValue(values, np.array(splits, index)),
    )


@export("compat.v1.ragged.placeholder")
def placeholder(dtype: Any, ragged_rank: int, value_shape: Any = None, name: str | None = None) -> Any:
    """A ragged tensor of the open graph, without a value. Mirrors `tf.compat.v1.ragged.placeholder`.

    Args:
      dtype: of its values.
      ragged_rank: how many dimensions are divisions into rows; with 0 it is a tensor.
      value_shape: what is known of the shape of a value in the rows.
      name: of the scope of its parts.

    Raises:
      RuntimeError: outside of a graph.
    """
    if ragged_rank == 0:
        return tensor_placeholder(dtype, value_shape, name)
    with name_scope(name or "RaggedPlaceholder"):
        values = tensor_placeholder(dtype, TensorShape([None]).concatenate(value_shape), "flat_values")
        splits = [tensor_placeholder(int64, [None], f"row_splits_{i}") for i in range(ragged_rank)]
    return RaggedTensor.from_nested_row_splits(values, splits, validate=False)
