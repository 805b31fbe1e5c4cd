"""Rows of tensors and ragged tensors: taken by number, cut out, put one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfgrad_jax.composite.ragged.partition import INDEX_TYPES, size_of, spans, splits_of_lengths
from tfgrad_jax.composite.ragged.tensor import RaggedTensor
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.ops.array.array import concat
from tfgrad_jax.ops.array.gather import gather
from tfgrad_jax.ops.common import operand
from tfgrad_jax.ops.math.cast import cast


def ragged_or_tensor(value: Any, hint: DType | None = None) -> Any:
    """A ragged tensor as it is, anything else as a tensor."""
    return value if isinstance(value, RaggedTensor) else operand(value, hint)


def rank_of(value: Any) -> int:
    """The number of dimensions.

    Raises:
      ValueError: if it is unknown.
    """
    rank = value.shape.rank
    if rank is None:
        raise ValueError("The rank must be known statically where ragged tensors take part")
    return int(rank)


def count_rows(value: Any, dtype: DType = dtypes.int64) -> Any:
    """How many rows there are."""
    return value.nrows(out_type=dtype) if isinstance(value, RaggedTensor) else size_of(value, dtype)


def take_rows(value: Any, places: Any) -> Any:
    """The rows at `places`, a vector: `value[places[0]], value[places[1]], ...`."""
    if not isinstance(value, RaggedTensor):
        return gather(value, places)
    if places.dtype is not value.row_splits.dtype and places.dtype in INDEX_TYPES:
        places = cast(places, value.row_splits.dtype)
    lengths = gather(value.row_lengths(), places)
    splits, inner = spans(gather(value.row_starts(), places), lengths)
    return RaggedTensor(take_rows(value.values, inner), splits, value.uniform_row_length, internal=True)


def cut_rows(value: Any, start: Any, limit: Any) -> Any:
    """The rows from `start` up to `limit`, which must be in range."""
    if not isinstance(value, RaggedTensor):
        return value[start:limit]
    splits = value.row_splits[start : limit + 1]
    values = cut_rows(value.values, splits[0], splits[-1])
    return RaggedTensor(values, splits - splits[0], value.uniform_row_length, internal=True)


def same_splits_dtype(values: Sequence[Any]) -> list[Any]:
    """The same, with int64 row splits everywhere if any of them has."""
    found = {v.row_splits.dtype for v in values if isinstance(v, RaggedTensor)}
    if len(found) < 2:
        return list(values)
    return [v.with_row_splits_dtype(dtypes.int64) if isinstance(v, RaggedTensor) else v for v in values]


def join_rows(values: Sequence[Any]) -> Any:
    """The rows of all values, one after the other: they have one rank, and as many ragged dimensions."""
    if not any(isinstance(v, RaggedTensor) for v in values):
        return concat(list(values), 0)
    lengths = concat([v.row_lengths() for v in values], 0)
    return RaggedTensor(join_rows([v.values for v in values]), splits_of_lengths(lengths), internal=True)
