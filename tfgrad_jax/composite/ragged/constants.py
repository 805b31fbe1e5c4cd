"""`tf.ragged.constant`: ragged tensors of nested Python lists."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfgrad_jax.composite.ragged.tensor import RaggedTensor
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.ops.array.creation import constant as dense_constant


@export("ragged.constant")
def constant(
    pylist: Any,
    dtype: Any = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    name: str | None = None,
    row_splits_dtype: Any = dtypes.int64,
) -> Any:
    """A ragged tensor of nested lists; a tensor if nothing is nested. Mirrors `tf.ragged.constant`.

    Args:
      pylist: nested lists, tuples or arrays; scalars stand at one depth.
      dtype: of the values; chosen by them if not given.
      ragged_rank: how many dimensions are divisions into rows; all that `inner_shape` leaves if not given.
      inner_shape: of one value; follows from the list and `ragged_rank` if not given.
      name: accepted for compatibility.
      row_splits_dtype: int32 or int64.

    Raises:
      ValueError: if scalars stand at different depths, or the list does not fit `ragged_rank` and `inner_shape`.
    """
    wanted = as_dtype(row_splits_dtype)

    def divided(values: Any, splits: list[int]) -> Any:
        row_splits = convert(np.array(splits, wanted.np))
        return RaggedTensor.from_row_splits(values, row_splits, validate=False)

    def leaves(values: Any, shape: tuple[int, ...]) -> Any:
        return dense_constant(values, dtype=dtype, shape=shape)

    return nested(pylist, ragged_rank, inner_shape, leaves, divided)


def nested(
    pylist: Any,
    ragged_rank: int | None,
    inner_shape: Any,
    leaves: Callable[[Any, tuple[int, ...]], Any],
    divided: Callable[[Any, list[int]], Any],
) -> Any:
    """The values of nested lists in their rows.

    Args:
      pylist, ragged_rank, inner_shape: as for `constant`.
      leaves: makes the flat values of a list and a shape.
      divided: makes rows of values and splits.
    """
    pylist = _as_lists(pylist)
    if ragged_rank is not None and ragged_rank < 0:
        raise ValueError(f"Invalid ragged_rank={ragged_rank}: must be nonnegative")
    inner = None if inner_shape is None else tuple(int(n) for n in np.reshape(inner_shape, -1))
    if not isinstance(pylist, list):
        if ragged_rank or inner:
            given = f"ragged_rank={ragged_rank}" if ragged_rank else f"dim(inner_shape)={len(inner or ())}"
            raise ValueError(f"Invalid pylist={pylist!r}: incompatible with {given}")
        return leaves(pylist, ())
    scalars, deepest = _depths(pylist)
    if scalars is not None and deepest > scalars:
        raise ValueError(f"Invalid pylist={pylist!r}: empty list nesting is greater than scalar value nesting")
    if inner is not None and ragged_rank is not None:
        expected = ragged_rank + len(inner) + 1
        if expected != scalars if scalars is not None else expected < deepest:
            raise ValueError(
                f"Invalid pylist={pylist!r}: incompatible with ragged_rank={ragged_rank} and dim(inner_shape)={len(inner)}"
            )
    if ragged_rank is None:
        ragged_rank = max(0, deepest - 1 - len(inner or ()))
    elif scalars is not None and ragged_rank >= scalars:
        raise ValueError(
            f"Invalid pylist={pylist!r}: pylist has scalar values depth {scalars}, but ragged_rank={ragged_rank} requires scalar "
            f"value depth greater than {ragged_rank}"
        )
    values, divisions = pylist, []
    for _ in range(ragged_rank):
        splits = [0]
        for row in values:
            splits.append(splits[-1] + len(row))
        divisions.append(splits)
        values = [item for row in values for item in row]
    if inner is None:
        inner = _inner_shape(values)
    result = leaves(values, (len(values), *inner))
    for splits in reversed(divisions):
        result = divided(result, splits)
    return result


def _as_lists(value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    return [_as_lists(v) for v in value] if isinstance(value, (list, tuple, range)) else value


def _depths(value: Any) -> tuple[int | None, int]:
    """The depth at which scalars stand (None if there are none), and the greatest depth of lists."""
    if not isinstance(value, list):
        return 0, 0
    scalars: int | None = None
    deepest = 1
    for item in value:
        below, depth = _depths(item)
        deepest = max(deepest, depth + 1)
        if below is not None:
            if scalars is not None and scalars != below + 1:
                raise ValueError("all scalar values must have the same nesting depth")
            scalars = below + 1
    return scalars, deepest


def _inner_shape(values: Sequence[Any]) -> tuple[int, ...]:
    """The shape of the first of some values, which all have."""
    shape = []
    item: Any = values[0] if values else None
    while isinstance(item, list):
        shape.append(len(item))
        item = item[0] if item else None
    return tuple(shape)
