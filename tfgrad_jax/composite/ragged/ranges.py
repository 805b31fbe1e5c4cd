"""`tf.ragged`: ranges, masks, partitions, and the two ways to say which row a value is in."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.composite.checks import require
from tfgrad_jax.composite.ragged.partition import (
    count_of_range,
    rowids_of_splits,
    spans,
    splits_of_lengths,
    splits_of_rowids,
    vector,
)
from tfgrad_jax.composite.ragged.rows import ragged_or_tensor, rank_of, take_rows
from tfgrad_jax.composite.ragged.tensor import RaggedTensor
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.ops.array import gather as lookups
from tfgrad_jax.ops.array.array import concat
from tfgrad_jax.ops.array.creation import zeros
from tfgrad_jax.ops.array.gather import gather, where
from tfgrad_jax.ops.array.shape import reshape
from tfgrad_jax.ops.array.sorting import argsort
from tfgrad_jax.ops.common import integer_operand, operand
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.reduce import reduce_sum


@export("ragged.range")
def range(
    starts: Any,
    limits: Any = None,
    deltas: Any = 1,
    dtype: Any = None,
    name: str | None = None,
    row_splits_dtype: Any = dtypes.int64,
) -> RaggedTensor:
    """A row of numbers from each start up to each limit. Mirrors `tf.ragged.range`.

    Args:
      starts, limits, deltas: vectors of one size, or scalars that go with every row. Without `limits`, the starts are limits, and
        all rows start at 0.
      dtype: of the numbers.
      name: accepted for compatibility.
      row_splits_dtype: int32 or int64.

    Raises:
      InvalidArgumentError: if the vectors differ in size, one has a higher rank, or a delta is 0.
    """
    if limits is None:
        starts, limits = 0, starts
    given = [starts, limits, deltas]
    if dtype is None:
        tensors = [operand(v) for v in given]
        order = [dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64]
        wanted = max((t.dtype for t in tensors), key=order.index)
        tensors = [cast(t, wanted) for t in tensors]
    else:
        wanted = as_dtype(dtype)
        tensors = [cast(operand(v, wanted), wanted) for v in given]
    if any(rank_of(t) > 1 for t in tensors):
        raise invalid_argument("starts must be a scalar or vector, and limits and deltas, too", "RaggedRange")
    sizes = {t.shape[0] for t in tensors if t.shape.rank} - {None}
    if len(sizes) > 1:
        raise invalid_argument("starts, limits, and deltas must have the same shape", "RaggedRange")
    require("Requires delta != 0", lambda delta: delta != 0, tensors[2])
    first, last, step = tensors[0] + zeros([1], wanted), tensors[1], tensors[2]
    index = as_dtype(row_splits_dtype)
    counts = cast(count_of_range(first, last, step), index)
    splits = splits_of_lengths(counts)
    rows = rowids_of_splits(splits, splits[-1])
    _, inside = spans(counts * 0, counts)
    none: Any = cast(counts * 0, wanted)  # for every row
    firsts, steps = first + none, step + none
    values = gather(firsts, rows) + gather(steps, rows) * cast(inside, wanted)
    return RaggedTensor(values, splits, internal=True)


@export("ragged.boolean_mask")
def boolean_mask(data: Any, mask: Any, name: str | None = None) -> Any:
    """The elements where the mask holds, in their rows. Mirrors `tf.ragged.boolean_mask`.

    Args:
      data: a tensor or ragged tensor.
      mask: truth values whose shape is the beginning of that of `data`.
      name: accepted for compatibility.

    Returns:
      A ragged tensor; a tensor if `data` is one and `mask` a vector.

    Raises:
      ValueError: if the mask is a scalar, or no truth values.
      InvalidArgumentError: if it has other rows than `data`.
    """
    values, truth = ragged_or_tensor(data), ragged_or_tensor(mask, dtypes.bool_)
    if truth.dtype is not dtypes.bool_:
        raise ValueError(f"tf.ragged.boolean_mask: mask must have dtype bool, got {truth.dtype.name}")
    rank = truth.shape.rank
    if rank == 0:
        raise ValueError("mask cannot be scalar.")
    if rank is None:
        raise ValueError("mask.shape.ndims must be known statically.")
    return _masked(values, truth)


def _masked(data: Any, mask: Any) -> Any:
    if rank_of(mask) == 1:
        if isinstance(data, RaggedTensor):
            require("mask and data have different numbers of rows", _equal, data.nrows(), vector_size(mask))
            places: Any = where(mask)
            return take_rows(data, places[:, 0])
        if not isinstance(mask, RaggedTensor):
            return lookups.boolean_mask(data, mask)
    dtype = next((v.row_splits.dtype for v in (data, mask) if isinstance(v, RaggedTensor)), dtypes.int64)
    data, mask = (
        v if isinstance(v, RaggedTensor) else RaggedTensor.from_tensor(v, row_splits_dtype=dtype) for v in (data, mask)
    )
    says = "mask must have the same rows as data"
    require(says, lambda x, y: x == y if x.shape == y.shape else False, data.row_splits, mask.row_splits)
    inner = mask.values
    values = _masked(data.values, inner)
    if rank_of(inner) > 1:
        return RaggedTensor(values, data.row_splits, data.uniform_row_length, internal=True)
    kept = cast(inner, data.row_splits.dtype)
    before = splits_of_lengths(kept)
    return RaggedTensor(values, gather(before, data.row_splits), internal=True)


def _equal(x: Any, y: Any) -> Any:
    return x == y


def vector_size(value: Any) -> Any:
    """The number of elements of a vector."""
    return reduce_sum(cast(value, dtypes.int64) * 0 + 1)


@export("ragged.row_splits_to_segment_ids")
def row_splits_to_segment_ids(splits: Any, name: str | None = None, out_type: Any = None) -> Any:
    """The row of each value, by the splits. Mirrors `tf.ragged.row_splits_to_segment_ids`.

    Raises:
      ValueError: if `splits` is no vector of int32 or int64.
    """
    found = vector(splits, "splits")
    based = found - found[:1]  # splits of a part of the values begin later than at 0
    ids = rowids_of_splits(based, based[-1])
    return cast(ids, found.dtype if out_type is None else as_dtype(out_type))


@export("ragged.segment_ids_to_row_splits")
def segment_ids_to_row_splits(
    segment_ids: Any, num_segments: Any = None, out_type: Any = None, name: str | None = None
) -> Any:
    """The splits, by the row of each value. Mirrors `tf.ragged.segment_ids_to_row_splits`.

    Args:
      segment_ids: integers that never fall.
      num_segments: the number of rows; one more than the last id if not given.
      out_type: int32 or int64; as `segment_ids` if not given.
      name: accepted for compatibility.
    """
    dtype = None if out_type is None else as_dtype(out_type)
    ids = vector(segment_ids, "segment_ids")
    wanted = dtype or ids.dtype
    ids = cast(ids, wanted)
    require("segment_ids must not be negative", lambda i: i >= 0, ids)
    ends: Any = concat([zeros([1], wanted), ids + 1], 0)
    count = ends[-1] if num_segments is None else cast(integer_operand(num_segments, wanted), wanted)
    return splits_of_rowids(ids, count)


@export("ragged.stack_dynamic_partitions")
def stack_dynamic_partitions(data: Any, partitions: Any, num_partitions: Any, name: str | None = None) -> RaggedTensor:
    """Rows of data by the partition of each, in order. Mirrors `tf.ragged.stack_dynamic_partitions`.

    Args:
      data: a tensor or ragged tensor.
      partitions: the partition of each row of `data`, or of each element: its shape is the beginning of that of `data`.
      num_partitions: how many rows the result has.
      name: accepted for compatibility.

    Raises:
      InvalidArgumentError: if a partition is out of range.
      ValueError: if the shapes do not fit.
    """
    values, ids = ragged_or_tensor(data), ragged_or_tensor(partitions)
    kind = dtypes.int64 if isinstance(values, RaggedTensor) else ids.dtype
    while isinstance(ids, RaggedTensor):
        if not isinstance(values, RaggedTensor):
            raise ValueError("partitions is ragged, but data is not")
        says = "partitions must have the same rows as data"
        require(says, lambda x, y: x == y if x.shape == y.shape else False, values.row_splits, ids.row_splits)
        values, ids = values.values, ids.values
    if rank_of(ids) != 1:
        shape = ids.shape
        shape.assert_is_compatible_with(values.shape[: shape.rank])
        values = reshape(values, [-1, *values.shape[shape.rank :].as_list()])
        ids = reshape(ids, [-1])
    ids.shape.assert_is_compatible_with(values.shape[:1])
    count = cast(operand(num_partitions), dtypes.int64)
    numbers = cast(ids, dtypes.int64)
    require("partitions must be in [0, num_partitions)", lambda i, n: (i >= 0) & (i < n), numbers, count)
    order = cast(argsort(numbers, stable=True), dtypes.int64)
    splits = cast(splits_of_rowids(gather(numbers, order), count), kind)
    if isinstance(values, RaggedTensor) and values.row_splits.dtype is not splits.dtype:
        values = values.with_row_splits_dtype(splits.dtype)
    return RaggedTensor(take_rows(values, order), splits, internal=True)
