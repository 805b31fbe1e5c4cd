"""Ragged tensors put together: `concat`, `stack`, `tf.ragged.stack`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfgrad_jax.composite.answers import answers
from tfgrad_jax.composite.checks import require
from tfgrad_jax.composite.ragged.partition import splits_of_lengths
from tfgrad_jax.composite.ragged.rows import (
    count_rows,
    join_rows,
    ragged_or_tensor,
    rank_of,
    same_splits_dtype,
    take_rows,
)
from tfgrad_jax.composite.ragged.shaping import axis_of
from tfgrad_jax.composite.ragged.tensor import RaggedTensor
from tfgrad_jax.engine.declare.roles import static
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.ops.array import array
from tfgrad_jax.ops.array.gather import gather
from tfgrad_jax.ops.array.sequences import range as range_
from tfgrad_jax.ops.array.shape import reshape, transpose


@answers(RaggedTensor, "concat")
def _concat(values: Any, axis: Any, name: Any = None) -> Any:
    if not isinstance(values, (list, tuple)):
        values = [values]
    return _joined(values, axis, stacks=False)


@export("ragged.stack")
@answers(RaggedTensor, "stack")
def stack(values: Any, axis: Any = 0, name: str | None = None) -> Any:
    """Values along a new axis, as a ragged tensor; their sizes may differ. Mirrors `tf.ragged.stack`.

    Args:
      values: ragged tensors or tensors, all of one rank.
      axis: the new one.
      name: accepted for compatibility.

    Returns:
      A ragged tensor; a tensor if the values are scalars.

    Raises:
      ValueError: if there is none, ranks differ, or there is no such axis.
      InvalidArgumentError: if sizes differ before the new axis.
    """
    if not isinstance(values, (list, tuple)):
        values = [values]
    return _joined(values, axis, stacks=True)


def _joined(values: Sequence[Any], axis: Any, stacks: bool) -> Any:
    if not values:
        raise ValueError("values must be a non-empty list")
    items = same_splits_dtype([ragged_or_tensor(v, _first_dtype(values)) for v in values])
    if len(items) == 1 and not stacks:
        return items[0]
    ranks = {rank_of(v) for v in items}
    if len(ranks) > 1:
        raise ValueError(f"All values must have the same rank; got {sorted(ranks)}")
    rank = ranks.pop()
    axis = axis_of(static(axis), rank + stacks)
    return _along(items, axis, stacks)


def _first_dtype(values: Sequence[Any]) -> DType | None:
    return next((v.dtype for v in values if isinstance(v, RaggedTensor)), None)


def _along(items: Sequence[Any], axis: int, stacks: bool) -> Any:
    ragged = any(isinstance(v, RaggedTensor) for v in items)
    rank = rank_of(items[0])
    if not ragged and (rank == 0 or 0 < axis >= rank - 1):
        return array.stack(items, axis) if stacks else array.concat(items, axis)
    if stacks and axis == 0:
        dtype = next((v.row_splits.dtype for v in items if isinstance(v, RaggedTensor)), dtypes.int32)
        counts = [count_rows(v, dtype) for v in items]
        items = _alike(items, min(1, rank_of(items[0]) - 1))
        return RaggedTensor(join_rows(items), splits_of_lengths(array.stack(counts)), internal=True)
    if axis == 0:
        return join_rows(_alike(items))
    items = _alike(items, 1)
    if axis == 1:
        return _in_rows(items, stacks)
    first = items[0]
    for other in items[1:]:
        if other.row_splits is not first.row_splits:
            says = "Inputs must have identical ragged splits"
            require(says, lambda x, y: x == y if x.shape == y.shape else False, first.row_splits, other.row_splits)
    inner = _along([v.values for v in items], axis - 1, stacks)
    return RaggedTensor(inner, first.row_splits, first.uniform_row_length, internal=True)


def _alike(items: Sequence[Any], at_least: int = 0) -> list[Any]:
    """The items with as many ragged dimensions as the most ragged has."""
    wanted = max([at_least, *[v.ragged_rank for v in items if isinstance(v, RaggedTensor)]])
    dtype = next((v.row_splits.dtype for v in items if isinstance(v, RaggedTensor)), None)
    return [_with_ragged_rank(v, wanted, dtype) for v in items]


def _with_ragged_rank(value: Any, wanted: int, dtype: Any) -> Any:
    if wanted == 0:
        return value
    if not isinstance(value, RaggedTensor):
        given = {} if dtype is None else {"row_splits_dtype": dtype}
        return RaggedTensor.from_tensor(value, ragged_rank=wanted, **given)
    return RaggedTensor(
        _with_ragged_rank(value.values, wanted - 1, dtype), value.row_splits, value.uniform_row_length, internal=True
    )


def _in_rows(items: Sequence[RaggedTensor], stacks: bool) -> RaggedTensor:
    """Row by row: what the items have there, joined to one row, or stacked."""
    count = items[0].nrows()
    for other in items[1:]:
        require("Input tensors have different numbers of rows", lambda x, y: x == y, count, other.nrows())
    number: Any = convert(len(items), count.dtype)
    places = transpose(reshape(range_(count * number), [number, count]))
    rows = take_rows(join_rows(items), reshape(places, [-1]))
    splits = range_(count + 1) * number
    if stacks:
        return RaggedTensor(rows, splits, internal=True)
    return RaggedTensor(rows.values, gather(rows.row_splits, splits), internal=True)
