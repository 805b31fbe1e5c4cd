"""How values are divided into rows: every way to say it becomes a vector of row splits.

Row `i` of a division is `values[splits[i] : splits[i + 1]]`, so the vector begins with 0, never falls, and ends with the number
of values.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.engine.declare.attributes import is_symbolic
from tfgrad_jax.engine.run.execute import host_value
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert, convert_to_tensor
from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.ops.array.array import concat
from tfgrad_jax.ops.array.gather import gather, where
from tfgrad_jax.ops.array.sequences import range as range_
from tfgrad_jax.ops.array.sizes import shape
from tfgrad_jax.ops.array.sorting import searchsorted
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.cumulative import cumsum
from tfgrad_jax.ops.math.rounding import ceil, maximum

INDEX_TYPES = (dtypes.int32, dtypes.int64)


def vector(value: Any, what: str, dtype: DType | None = None, rank: int = 1) -> Any:
    """A vector of integers (a scalar with `rank` 0) that tells of rows.

    Raises:
      ValueError: if it is neither int32 nor int64, or of another rank.
    """
    if isinstance(value, np.ndarray) and value.dtype == np.int32 and dtype is None:
        tensor = convert(value)
    else:
        tensor = convert_to_tensor(value, dtype_hint=dtype or dtypes.int64)
    if tensor.dtype not in INDEX_TYPES:
        raise ValueError(f"{what} must have dtype int32 or int64, got {tensor.dtype.name}")
    tensor.shape.assert_has_rank(rank)
    return tensor


def known(tensor: Any) -> np.ndarray | None:
    """The value of a tensor, if it has one yet."""
    return None if is_symbolic(tensor) else host_value(tensor)


def never_falls(values: Any) -> Any:
    """Whether no element of a vector is smaller than the one before."""
    return values[1:] >= values[:-1]


def sizes_in(tensor: Any, dtype: DType = dtypes.int32) -> Any:
    """The shape as a vector."""
    return shape(tensor, out_type=dtype)


def size_of(tensor: Any, dtype: DType) -> Any:
    """The size of the first dimension."""
    return sizes_in(tensor, dtype)[0]


def splits_of_lengths(lengths: Any) -> Any:
    zero = convert(np.zeros(1, lengths.dtype.np))
    return concat([zero, cumsum(lengths)], 0)


def splits_of_rowids(rowids: Any, nrows: Any) -> Any:
    return searchsorted(rowids, range_(nrows + 1), side="left", out_type=rowids.dtype)


def rowids_of_splits(splits: Any, nvals: Any) -> Any:
    """The row of each value. Their number comes from the values themselves: a shape, which is known before any splits are."""
    after: Any = searchsorted(splits, range_(cast(nvals, splits.dtype)), side="right", out_type=splits.dtype)
    return after - 1


def splits_of_uniform_length(length: Any, nrows: Any) -> Any:
    return range_(nrows + 1) * length


def spans(starts: Any, counts: Any, step: Any = 1) -> tuple[Any, Any]:
    """Stretches of places, one after the other.

    Args:
      starts: the first place of each.
      counts: how many places each has.
      step: from one place to the next.

    Returns:
      The splits between the stretches, and all places.
    """
    splits = splits_of_lengths(counts)
    total = splits[-1]
    rows = rowids_of_splits(splits, total)
    places: Any = range_(total)
    inside = places - gather(splits, rows)
    return splits, gather(starts, rows) + (inside if isinstance(step, int) and step == 1 else inside * step)


def count_of_range(first: Any, last: Any, step: Any) -> Any:
    """How many numbers there are from `first` up to `last`, by steps."""
    distance = (
        (last - first)
        if step.dtype.is_floating
        else (last - first + step - where(step > 0, step * 0 + 1, step * 0 - 1))
    )
    steps = ceil(distance / step) if step.dtype.is_floating else distance // step
    return maximum(steps, steps * 0)
