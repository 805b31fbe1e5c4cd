"""Sums of rows that are picked out: `tf.sparse.segment_*`."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.composite.checks import require
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.ops.array.array import concat as join
from tfgrad_jax.ops.array.creation import zeros
from tfgrad_jax.ops.array.gather import gather, gather_rows
from tfgrad_jax.ops.common import integer_operand, operand
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.segments import segment


def _segments(how: Any, data: Any, indices: Any, segment_ids: Any, num_segments: Any, sparse_gradient: bool) -> Any:
    ids: Any = operand(segment_ids, dtypes.int32)
    require("segment ids must not be negative", lambda i: i >= 0, ids)
    require("segment ids are not increasing", lambda i: i[1:] >= i[:-1], ids)
    rows = (gather if sparse_gradient else gather_rows)(data, indices)
    if num_segments is None:
        ends: Any = join([zeros([1], ids.dtype), ids + 1], 0)
        num_segments = ends[-1]
    count = cast(integer_operand(num_segments, dtypes.int32), ids.dtype)
    require("segment ids must be below num_segments", lambda i, n: i < n, ids, count)
    return how(rows, ids, count)


@export("sparse.segment_sum")
def segment_sum(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Any:
    """Sums of the rows `data[indices]` by segments. Mirrors `tf.sparse.segment_sum`.

    Args:
      data: a tensor.
      indices: which rows.
      segment_ids: the segment of each, which never falls.
      num_segments: how many segments there are; one more than the last id if not given.
      name: accepted for compatibility.
      sparse_gradient: the gradient for `data` is `tf.IndexedSlices`.

    Raises:
      InvalidArgumentError: if a row is out of range, or segment ids fall or are too large.
    """
    return _segments(segment.unsorted_segment_sum, data, indices, segment_ids, num_segments, sparse_gradient)


@export("sparse.segment_mean")
def segment_mean(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Any:
    """Means of the rows `data[indices]` by segments. Mirrors `tf.sparse.segment_mean`; see `segment_sum`."""
    return _segments(segment.unsorted_segment_mean, data, indices, segment_ids, num_segments, sparse_gradient)


@export("sparse.segment_sqrt_n")
def segment_sqrt_n(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Any:
    """Sums of rows by segments, divided by the root of their number. Mirrors `tf.sparse.segment_sqrt_n`; see `segment_sum`."""
    return _segments(segment.unsorted_segment_sqrt_n, data, indices, segment_ids, num_segments, sparse_gradient)
