"""`ragged[...]`: rows by number, slices of rows and of what is in them."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.composite.checks import require
from tfgrad_jax.composite.ragged.partition import known, spans
from tfgrad_jax.composite.ragged.rows import count_rows, cut_rows, rank_of, take_rows
from tfgrad_jax.composite.ragged.tensor import RaggedTensor
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.ops.array.gather import where
from tfgrad_jax.ops.array.sequences import range as range_
from tfgrad_jax.ops.array.strided_slice import SLICE_TYPE_ERROR
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.rounding import maximum, minimum


def getitem(self: RaggedTensor, key: Any) -> Any:
    """A row, or a selection of rows and of what is in them. Mirrors `tf.RaggedTensor.__getitem__`.

    Args:
      key: a number, a slice, `...`, `tf.newaxis`, or a tuple of such. A dimension whose rows differ in length takes slices only.

    Raises:
      ValueError: if a number stands where rows differ in length, or there are too many.
      IndexError: if there is no such row.
      InvalidArgumentError: if there is none, counted from the end, or where that shows only when a graph runs; or a step is 0.
      TypeError: if a key is of another kind.
    """
    keys = list(key) if isinstance(key, tuple) else [key]
    return _selected(self, _without_ellipsis(self, keys))


def _without_ellipsis(value: RaggedTensor, keys: list[Any]) -> list[Any]:
    dots = [i for i, key in enumerate(keys) if key is Ellipsis]
    if not dots:
        return keys
    if len(dots) > 1:
        raise ValueError("An index can only have a single ellipsis ('...')")
    taken = sum(key is not None for key in keys) - 1
    missing = rank_of(value) - taken
    if missing < 0:
        raise IndexError(f"Too many indices for RaggedTensor of shape {value.shape}: {taken}")
    return [*keys[: dots[0]], *[slice(None)] * missing, *keys[dots[0] + 1 :]]


def _selected(value: Any, keys: list[Any]) -> Any:
    """`value[keys]`."""
    if not keys:
        return value
    if not isinstance(value, RaggedTensor):
        return value[tuple(keys)]
    key, *rest = keys
    if key is None:
        inner = _selected(value, rest)
        return RaggedTensor.from_uniform_row_length(
            inner, count_rows(inner, value.row_splits.dtype), nrows=1, validate=False
        )
    if isinstance(key, slice):
        return _in_rows(_sliced_rows(value, key), rest)
    place = _number(key, value.row_splits.dtype)
    number, count = known(place), value.shape[0]
    if number is not None and count is not None and number >= count:
        raise IndexError(f"Row key {number} out of bounds: there are {count} rows")
    splits = value.row_splits
    row = cut_rows(value.values, splits[:-1][place], splits[1:][place])
    return _selected(row, rest)


def _in_rows(value: Any, keys: list[Any]) -> Any:
    """`value[:, keys]`."""
    if not keys:
        return value
    if not isinstance(value, RaggedTensor):
        return value[(slice(None), *keys)]
    key, *rest = keys
    if key is None:
        return RaggedTensor.from_uniform_row_length(_in_rows(value, rest), 1, nrows=value.nrows(), validate=False)
    if isinstance(key, slice):
        if key == slice(None):
            return _with_inner(value, rest)
        return _with_inner(_sliced_in_rows(value, key), rest)
    length = value.uniform_row_length
    if length is None:
        raise ValueError("Cannot index into an inner ragged dimension. Its rows differ in length; take a slice")
    place = _number(key, value.row_splits.dtype)
    require(
        f"slice index {key} of an inner dimension out of bounds",
        lambda place, length: (place >= -length) & (place < length),
        place,
        length,
    )
    column = value.row_starts() + where(place < 0, place + length, place)
    return _in_rows(take_rows(value.values, column), rest)


def _with_inner(value: RaggedTensor, keys: list[Any]) -> Any:
    """`value[:, :, keys]`."""
    if not keys:
        return value
    inner = _in_rows(value.values, keys)
    return RaggedTensor(inner, value.row_splits, value.uniform_row_length, internal=True)


def _number(key: Any, dtype: DType) -> Any:
    """The number of a row.

    Raises:
      TypeError: if it is no integer.
    """
    try:
        place = convert(key)
    except (TypeError, ValueError):
        place = None
    if place is None or not place.dtype.is_integer or place.shape.rank != 0:
        raise TypeError(f"{SLICE_TYPE_ERROR}, got {key!r}")
    return cast(place, dtype)


def _step_of(key: slice) -> Any:
    if key.step is None:
        return 1
    step = known(convert(key.step))
    if step is None:
        raise ValueError("The step of a slice of a RaggedTensor must be known")
    if step == 0:
        raise invalid_argument("strides[0] must be non-zero", "StridedSlice")
    return int(step)


def _bounds(key: slice, lengths: Any) -> tuple[Any, Any]:
    """The first place of a slice in sequences of these lengths, and how many places it has."""
    step = _step_of(key)
    first, last = (0, lengths) if step > 0 else (-1, lengths - 1)

    def within(bound: Any, default: Any) -> Any:
        if bound is None:
            return default
        bound = _number(bound, lengths.dtype)
        return minimum(maximum(where(bound < 0, bound + lengths, bound), first), last)

    start = within(key.start, first * 0 if step > 0 else last)
    stop = within(key.stop, last if step > 0 else first)
    distance = stop - start if step > 0 else start - stop
    counts = maximum((distance + (abs(step) - 1)) // abs(step), lengths * 0)
    return start + lengths * 0, counts


def _sliced_rows(value: RaggedTensor, key: slice) -> Any:
    if key == slice(None):
        return value
    start, count = _bounds(key, value.nrows())
    step = _step_of(key)
    if step == 1:
        return cut_rows(value, start, start + count)
    return take_rows(value, start + range_(count) * step)


def _sliced_in_rows(value: RaggedTensor, key: slice) -> RaggedTensor:
    start, counts = _bounds(key, value.row_lengths())
    splits, places = spans(value.row_starts() + start, counts, _step_of(key))
    uniform = None
    if value.uniform_row_length is not None:
        uniform = _bounds(key, value.uniform_row_length)[1]
    return RaggedTensor(take_rows(value.values, places), splits, uniform, internal=True)


def iterate(self: RaggedTensor) -> Any:
    """The rows, one by one.

    Raises:
      TypeError: in a graph, where their number is not known.
    """
    count = known(count_rows(self))
    if count is None:
        raise TypeError("Iterating over a RaggedTensor is not allowed in a graph where its number of rows is unknown")
    return (getitem(self, i) for i in range(int(count)))
