"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
def difference(a: _Any, b: _Any, aminusb: _Any = True, validate_indices: _Any = True) -> _Any:
    """What one set has and the other has not, for each set of the last dimension. Mirrors `tf.sets.difference`."""
def intersection(a: _Any, b: _Any, validate_indices: _Any = True) -> _Any:
    """What both sets have, for each set of the last dimension. Mirrors `tf.sets.intersection`; see `tf.sets.difference`."""
def size(a: _Any, validate_indices: _Any = True) -> _Any:
    """How many members each set of a sparse tensor's last dimension has. Mirrors `tf.sets.size`."""
def union(a: _Any, b: _Any, validate_indices: _Any = True) -> _Any:
    """What either set has, for each set of the last dimension. Mirrors `tf.sets.union`; see `tf.sets.difference`."""
