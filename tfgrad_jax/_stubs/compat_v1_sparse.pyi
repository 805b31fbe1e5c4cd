"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
def merge(sp_ids: _Any, sp_values: _Any, vocab_size: _Any, name: _Any = None, already_sorted: _Any = False) -> _Any:
    """Values at the places that ids name in the last dimension. Mirrors `tf.compat.v1.sparse_merge`."""
def placeholder(dtype: _Any, shape: _Any = None, name: _Any = None) -> _Any:
    """A sparse tensor of the open graph, without a value. Mirrors `tf.compat.v1.sparse_placeholder`."""
