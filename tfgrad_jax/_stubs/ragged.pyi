"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
def boolean_mask(data: _Any, mask: _Any, name: _Any = None) -> _Any:
    """The elements where the mask holds, in their rows. Mirrors `tf.ragged.boolean_mask`."""
def constant(pylist: _Any, dtype: _Any = None, ragged_rank: _Any = None, inner_shape: _Any = None, name: _Any = None, row_splits_dtype: _Any = ...) -> _Any:
    """A ragged tensor of nested lists; a tensor if nothing is nested. Mirrors `tf.ragged.constant`."""
def cross(inputs: _Any, name: _Any = None) -> _Any:
    """Every combination of the values of a row, joined with "_X_". Mirrors `tf.ragged.cross`."""
def cross_hashed(inputs: _Any, num_buckets: _Any = 0, hash_key: _Any = None, name: _Any = None) -> _Any:
    """Every combination of the values of a row, hashed. Mirrors `tf.ragged.cross_hashed`."""
def map_flat_values(op: _Any, *args: _Any, **kwargs: _Any) -> _Any:
    """A function of the flat values, in the rows they came from. Mirrors `tf.ragged.map_flat_values`."""
def range(starts: _Any, limits: _Any = None, deltas: _Any = 1, dtype: _Any = None, name: _Any = None, row_splits_dtype: _Any = ...) -> _Any:
    """A row of numbers from each start up to each limit. Mirrors `tf.ragged.range`."""
def row_splits_to_segment_ids(splits: _Any, name: _Any = None, out_type: _Any = None) -> _Any:
    """The row of each value, by the splits. Mirrors `tf.ragged.row_splits_to_segment_ids`."""
def segment_ids_to_row_splits(segment_ids: _Any, num_segments: _Any = None, out_type: _Any = None, name: _Any = None) -> _Any:
    """The splits, by the row of each value. Mirrors `tf.ragged.segment_ids_to_row_splits`."""
def stack(values: _Any, axis: _Any = 0, name: _Any = None) -> _Any:
    """Values along a new axis, as a ragged tensor; their sizes may differ. Mirrors `tf.ragged.stack`."""
def stack_dynamic_partitions(data: _Any, partitions: _Any, num_partitions: _Any, name: _Any = None) -> _Any:
    """Rows of data by the partition of each, in order. Mirrors `tf.ragged.stack_dynamic_partitions`."""
