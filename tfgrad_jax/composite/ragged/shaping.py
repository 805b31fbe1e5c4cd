"""Ragged tensors in another form: dimensions merged, added and taken away, repeated, reversed, split."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from tfgrad_jax.composite.answers import answers
from tfgrad_jax.composite.checks import require
from tfgrad_jax.composite.ragged.dynamic_shape import DynamicRaggedShape
from tfgrad_jax.composite.ragged.partition import known, sizes_in, spans, vector
from tfgrad_jax.composite.ragged.rows import count_rows, rank_of, take_rows
from tfgrad_jax.composite.ragged.tensor import RaggedTensor
from tfgrad_jax.engine.declare.roles import static
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.ops.array import creation, rearrange, sizes
from tfgrad_jax.ops.array import shape as shapes
from tfgrad_jax.ops.array.array import concat, split
from tfgrad_jax.ops.array.gather import gather
from tfgrad_jax.ops.array.sequences import range as range_
from tfgrad_jax.ops.math.cast import cast


def axis_of(axis: Any, rank: int, name: str = "axis") -> int:
    """An axis, counted from the front.

    Raises:
      TypeError: if it is no integer.
      ValueError: if there is no such axis.
    """
    axis = static(axis)
    if not isinstance(axis, int) or isinstance(axis, bool):
        raise TypeError(f"{name} must be an int; got {type(axis).__name__}")
    if not -rank <= axis < rank:
        raise ValueError(f"{name}={axis} out of bounds: expected {-rank}<={name}<{rank}")
    return axis % rank


def merge_dims(self: RaggedTensor, outer_axis: int, inner_axis: int) -> Any:
    """Dimensions from `outer_axis` to `inner_axis`, both included, as one. Mirrors `tf.RaggedTensor.merge_dims`.

    Raises:
      ValueError: if there is no such axis, or the outer one is not outside.
    """
    rank = rank_of(self)
    outer, inner = axis_of(outer_axis, rank, "outer_axis"), axis_of(inner_axis, rank, "inner_axis")
    if outer > inner:
        raise ValueError(f"Expected outer_axis ({outer_axis}) to be less than or equal to inner_axis ({inner_axis})")
    result: Any = self
    for _ in range(inner - outer):
        result = _merged(result, outer)
    return result


def _merged(value: Any, axis: int) -> Any:
    """An axis and the next one as one."""
    if not isinstance(value, RaggedTensor):
        old = sizes_in(value)
        return shapes.reshape(value, concat([old[:axis], (old[axis] * old[axis + 1])[None], old[axis + 2 :]], 0))
    if axis == 0:
        return value.values
    if axis > 1:
        return RaggedTensor(_merged(value.values, axis - 1), value.row_splits, value.uniform_row_length, internal=True)
    inner, uniform = value.values, value.uniform_row_length
    if isinstance(inner, RaggedTensor):
        splits = gather(inner.row_splits, value.row_splits)
        length = inner.uniform_row_length
        inner = inner.values
    else:
        length = sizes_in(inner, value.row_splits.dtype)[1]
        splits = value.row_splits * length
        inner = _merged(inner, 0)
    both = None if uniform is None or length is None else uniform * length
    return RaggedTensor(inner, splits, both, internal=True)


@answers(RaggedTensor, "expand_dims")
def expand_dims(input: Any, axis: Any, name: Any = None) -> Any:
    """A dimension of size 1 more."""
    if not isinstance(input, RaggedTensor):
        return shapes.expand_dims(input, axis)
    axis = axis_of(axis, rank_of(input) + 1)
    if axis == 0:
        return RaggedTensor.from_uniform_row_length(input, input.nrows(), nrows=1, validate=False)
    if axis == 1:
        return RaggedTensor.from_uniform_row_length(input, 1, nrows=input.nrows(), validate=False)
    return _with_values(input, expand_dims(input.values, axis - 1))


def _with_values(rows: RaggedTensor, values: Any) -> RaggedTensor:
    return RaggedTensor(values, rows.row_splits, rows.uniform_row_length, internal=True)


@answers(RaggedTensor, "squeeze")
def _squeeze(input: Any, axis: Any = None, name: Any = None) -> Any:
    if axis is None:
        raise ValueError("Ragged.squeeze must have an axis argument.")
    axes = static(axis)
    rank = rank_of(input)
    result: Any = input
    for one in sorted({axis_of(a, rank) for a in (axes if isinstance(axes, tuple) else (axes,))}, reverse=True):
        result = _without(result, one)
    return result


_NOT_SQUEEZABLE = "the given axis (axis = {}) is not squeezable! Its size is not 1"


def _without(value: Any, axis: int) -> Any:
    """An axis of size 1 less."""
    if not isinstance(value, RaggedTensor):
        return shapes.squeeze(value, [axis])
    if axis == 0:
        require(_NOT_SQUEEZABLE.format(axis), lambda n: n == 1, count_rows(value))
        return value.values
    if axis > 1:
        return _with_values(value, _without(value.values, axis - 1))
    require(_NOT_SQUEEZABLE.format(axis), lambda n: n == 1, value.row_lengths())
    return value.values


@answers(RaggedTensor, "tile")
def _tile(input: Any, multiples: Any, name: Any = None) -> Any:
    numbers = vector(multiples, "multiples", input.row_splits.dtype)
    numbers = cast(numbers, input.row_splits.dtype)
    rank, given = rank_of(input), numbers.shape[0]
    if given is not None and given != rank:
        raise IndexError(f"multiples must have an entry for each of the {rank} dimensions; got {given}")
    return _repeated(input, [numbers[i] for i in range(rank)])


def _repeated(value: Any, numbers: list[Any]) -> Any:
    """Each dimension repeated so many times."""
    if not isinstance(value, RaggedTensor):
        return rearrange.tile(value, [static(n) if known(n) is not None else n for n in numbers])
    outer, inner, *rest = numbers
    deeper = _repeated(value.values, [_one(outer), *rest]) if rest else value.values
    rows = RaggedTensor(deeper, value.row_splits, value.uniform_row_length, internal=True)
    # Each row stands `inner` times, one after the other, and so becomes one row; all rows stand `outer` times.
    count = rows.nrows()
    once: Any = rearrange.repeat(range_(count), inner)
    places = rearrange.tile(once, [static(outer) if known(outer) is not None else outer])
    picked = take_rows(rows, places)
    splits = gather(picked.row_splits, range_(outer * count + 1) * inner)
    uniform = None if value.uniform_row_length is None else value.uniform_row_length * inner
    return RaggedTensor(picked.values, splits, uniform, internal=True)


def _one(like: Any) -> Any:
    return convert(np.array(1, like.dtype.np))


@answers(RaggedTensor, "reverse")
def _reverse(tensor: Any, axis: Any, name: Any = None) -> Any:
    axes = static(axis)
    rank = rank_of(tensor)
    result: Any = tensor
    for one in {axis_of(a, rank) for a in (axes if isinstance(axes, tuple) else (axes,))}:
        result = _reversed(result, one)
    return result


def _reversed(value: Any, axis: int) -> Any:
    if not isinstance(value, RaggedTensor):
        return rearrange.reverse(value, [axis])
    if axis == 0:
        count = count_rows(value, value.row_splits.dtype)
        return take_rows(value, count - 1 - range_(count))
    if axis == 1:
        lengths = value.row_lengths()
        _, places = spans(value.row_limits() - 1, lengths, -1)
        return _with_values(value, take_rows(value.values, places))
    return _with_values(value, _reversed(value.values, axis - 1))


@answers(RaggedTensor, "split")
def _split(value: Any, num_or_size_splits: Any, axis: Any = 0, num: Any = None, name: Any = None) -> Any:
    rank = rank_of(value)
    axis = axis_of(axis, rank)
    if axis == 0:
        count = known(count_rows(value))
        if count is None:
            return _split_later(value, static(num_or_size_splits))
        numbers = _parts(num_or_size_splits, int(count))
        ends = np.cumsum([0, *numbers])
        return [value[int(a) : int(b)] for a, b in pairwise(ends)]
    level = value
    for _ in range(axis - 1):
        if not isinstance(level, RaggedTensor):
            break
        level = level.values
    if isinstance(level, RaggedTensor) and axis - (value.ragged_rank - level.ragged_rank) == 1:
        if level.uniform_row_length is None:
            raise ValueError(f"Cannot split a ragged dimension: along axis {axis} rows differ in length")
        length = known(level.uniform_row_length)
        numbers = _parts(num_or_size_splits, None if length is None else int(length))
        ends = np.cumsum([0, *numbers])
        keys = [(*[slice(None)] * axis, slice(int(a), int(b))) for a, b in pairwise(ends)]
        return [value[key] for key in keys]
    inner = split(value.flat_values, num_or_size_splits, axis - value.ragged_rank, num)
    return [value.with_flat_values(part) for part in inner]


def _split_later(value: Any, number: Any) -> list[Any]:
    """Parts of rows whose number is known when they are there."""
    rows: Any = count_rows(value)
    if isinstance(number, int):
        whole = f"Cannot exactly split the `axis` dimension of `value` by {number}"
        if number < 1:
            raise invalid_argument(whole, "Split")
        require(whole, lambda n: n % number == 0, rows)
        size = rows // number
        return [value[i * size : (i + 1) * size] for i in range(number)]
    ends = np.cumsum([0, *number])
    require(f"The sizes {list(number)} must add up to the number of rows", lambda n: n == ends[-1], rows)
    return [value[int(a) : int(b)] for a, b in pairwise(ends)]


def _parts(number: Any, size: int | None) -> list[int]:
    """The sizes of the parts.

    Raises:
      InvalidArgumentError: if they are not those of the whole.
      ValueError: if the whole has no size that is known.
    """
    number = static(number)
    if size is None:
        raise ValueError("tf.split of a RaggedTensor needs a size that is known; it is not in this graph")
    if isinstance(number, int):
        if number <= 0 or size % number:
            raise invalid_argument(f"Cannot exactly split the `axis` dimension of `value`: {size} by {number}", "Split")
        return [size // number] * number
    if any(n < 0 for n in number) or sum(number) != size:
        raise invalid_argument(f"The sizes {list(number)} must not be negative, and add up to {size}", "SplitV")
    return list(number)


@answers(RaggedTensor, "size")
def _size(input: Any, out_type: Any = None, name: Any = None) -> Any:
    return sizes.size(input.flat_values, out_type)


@answers(RaggedTensor, "shape")
def _shape(input: Any, out_type: Any = None, name: Any = None) -> Any:
    return DynamicRaggedShape.from_tensor(input, out_type or dtypes.int32)


@answers(RaggedTensor, "rank")
def _rank(input: Any, name: Any = None) -> Any:
    return convert(np.array(rank_of(input), np.int32))


@answers(RaggedTensor, "one_hot")
def _one_hot(
    indices: Any,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: Any = None,
    dtype: Any = None,
    name: Any = None,
) -> Any:
    rank = rank_of(indices)
    place = rank if axis is None else axis_of(axis, rank + 1)
    if place <= indices.ragged_rank:
        raise ValueError(f"axis ({axis}) must be greater than indices.ragged_rank ({indices.ragged_rank}).")
    inner = place - indices.ragged_rank
    return indices.with_flat_values(creation.one_hot(indices.flat_values, depth, on_value, off_value, inner, dtype))
