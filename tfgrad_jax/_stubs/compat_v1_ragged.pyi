"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax.composite.ragged.values import RaggedTensorValue as RaggedTensorValue
def constant_value(pylist: _Any, dtype: _Any = None, ragged_rank: _Any = None, inner_shape: _Any = None, row_splits_dtype: _Any = 'int64') -> _Any:
    """Nested lists as a `RaggedTensorValue`; as an array if nothing is nested. Mirrors `tf.compat.v1.ragged.constant_value`."""
def placeholder(dtype: _Any, ragged_rank: _Any, value_shape: _Any = None, name: _Any = None) -> _Any:
    """A ragged tensor of the open graph, without a value. Mirrors `tf.compat.v1.ragged.placeholder`."""
