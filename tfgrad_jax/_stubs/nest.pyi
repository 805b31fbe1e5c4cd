"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
def assert_same_structure(nest1: _Any, nest2: _Any, check_types: _Any = True, expand_composites: _Any = False) -> _Any:
    """Raises unless the two nests have the same structure (`tf.nest.assert_same_structure`)."""
def flatten(structure: _Any, expand_composites: _Any = False) -> _Any:
    """The leaves of `structure`, depth first (`tf.nest.flatten`)."""
def is_nested(seq: _Any) -> _Any:
    """Whether `seq` is a structure rather than a leaf (`tf.nest.is_nested`)."""
def map_structure(func: _Any, *structure: _Any, **kwargs: _Any) -> _Any:
    """`func` applied to the leaves that stand at the same place of every structure (`tf.nest.map_structure`)."""
def pack_sequence_as(structure: _Any, flat_sequence: _Any, expand_composites: _Any = False) -> _Any:
    """A nest like `structure` with the leaves `flat_sequence` (`tf.nest.pack_sequence_as`)."""
