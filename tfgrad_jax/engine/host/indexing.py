"""Gathers and scatters: windows of an operand at places that are data.

The general form finds, for each element of the result (or of the updates), its place in the operand; the usual ones (rows by one
index, one window) are NumPy's own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from jax.lax import GatherScatterMode

from tfgrad_jax.engine.host.rules import Call, Function, Type, rule


class _Windows:
    """Where the windows of a gather or scatter lie in the operand.

    Args:
      shape: the operand's.
      sizes: the window's, one a dimension of the operand.
      indices: the type of the indices, whose last dimension is the index into the operand.
      indexed: the operand's dimensions that the indices are for.
      batched: the operand's dimensions that are also the indices', and which of those.
      gone: the operand's dimensions that windows do not have.
    """

    def __init__(
        self,
        shape: Sequence[int],
        sizes: Sequence[int],
        indices: Type,
        indexed: Sequence[int],
        batched: dict[int, int],
        gone: Sequence[int],
    ) -> None:
        self.shape = tuple(shape)
        self.sizes = tuple(sizes)
        self.batch = tuple(indices.shape[:-1])
        self.indexed = list(indexed)
        self.batched = batched
        self.dimensions = [d for d in range(len(shape)) if d not in gone]
        self.room = [n - size for n, size in zip(shape, sizes, strict=True)]
        last = np.array([self.room[d] for d in indexed], np.int64)
        self._last = last
        # What is negative is too large for all, where it is read as unsigned.
        self._unsigned = np.dtype(f"u{indices.dtype.itemsize}")
        self._limits = np.minimum(last, np.iinfo(indices.dtype).max).astype(self._unsigned)

    def inside(self, indices: Any) -> Any:
        """Which windows are inside, in the shape of the batch."""
        return (indices.view(self._unsigned) <= self._limits).all(-1)

    def all_inside(self, indices: Any) -> Any:
        """Whether all are."""
        return (indices.view(self._unsigned) <= self._limits).all()

    def clipped(self, indices: Any) -> Any:
        """The indices, moved so that all windows are inside."""
        return np.minimum(np.maximum(_signed(indices), 0), self._last)

    def row_axis(self) -> int | None:
        """The axis along which windows are single elements or rows across it, one for each index; None for other windows."""
        if len(self.indexed) != 1 or self.batched:
            return None
        (axis,) = self.indexed
        across = [d for d in range(len(self.shape)) if d != axis]
        if self.sizes[axis] != 1 or not self.shape[axis] or any([self.room[d] for d in across]):
            return None
        return axis if {*across} <= {*self.dimensions} else None

    def places(self, axes: Sequence[int]) -> Function:
        """A function of indices that are inside: the place in the flat operand of each element of each window.

        Args:
          axes: which axes of the result the windows' dimensions are; the batch's are the others, in order.
        """
        rank = len(self.batch) + len(axes)
        batch = [axis for axis in range(rank) if axis not in axes]
        strides = [math.prod(self.shape[d + 1 :]) for d in range(len(self.shape))]
        base = np.zeros([1] * rank, np.int64)
        lines = [(d, batch[b], self.shape[d]) for d, b in self.batched.items()]
        lines += [(d, axis, self.sizes[d]) for d, axis in zip(self.dimensions, axes, strict=True)]
        for d, axis, size in lines:
            base = base + _along(np.arange(size) * strides[d], axis, rank)
        column = tuple([self.batch[batch.index(axis)] if axis in batch else 1 for axis in range(rank)])
        weights = np.array([strides[d] for d in self.indexed], np.int64)
        # NumPy has no integers for products of these and signed ones.
        signed = _signed if self._unsigned == np.uint64 else lambda indices: indices
        return lambda indices: (signed(indices) @ weights).reshape(column) + base


def _along(line: Any, axis: int, rank: int) -> Any:
    return line.reshape([-1 if a == axis else 1 for a in range(rank)])


def _signed(indices: Any) -> Any:
    """Indices as int64; what is too large for it stays too large."""
    if indices.dtype == np.uint64:
        indices = np.minimum(indices, np.uint64(np.iinfo(np.int64).max))
    return indices.astype(np.int64, copy=False)


def _ints(values: Any) -> list[int]:
    return [int(v) for v in values]


# -- gather ------------------------------------------------------------------------------------------------------------


@rule("gather")
def _(call: Call) -> Function:
    numbers, mode = call.params["dimension_numbers"], call.params["mode"]
    (shape, dtype), out = call.ins[0], call.outs[0].shape
    windows = _Windows(
        shape,
        _ints(call.params["slice_sizes"]),
        call.ins[1],
        _ints(numbers.start_index_map),
        dict(zip(_ints(numbers.operand_batching_dims), _ints(numbers.start_indices_batching_dims), strict=True)),
        _ints(numbers.collapsed_slice_dims) + _ints(numbers.operand_batching_dims),
    )
    axes = _ints(numbers.offset_dims)
    clipping = _one_window(windows) if not windows.batch else _rows(windows, axes)
    inner = clipping or _elements(windows, axes)
    all_inside, clipped = windows.all_inside, windows.clipped
    if mode is not GatherScatterMode.FILL_OR_DROP or not windows.indexed:
        return clipping or (lambda x, indices: inner(x, indices if all_inside(indices) else clipped(indices)))
    value = _fill_value(call.params["fill_value"], dtype)
    column = tuple([1 if axis in axes else n for axis, n in enumerate(out)])

    def filled(x: Any, indices: Any) -> Any:
        if all_inside(indices):
            return inner(x, indices)
        if not x.size:
            return np.full(out, value, dtype)
        return np.where(windows.inside(indices).reshape(column), inner(x, clipped(indices)), value)

    return filled


def _one_window(windows: _Windows) -> Function:
    """One window: a slice at a place that is data."""
    whole = [slice(0, size) if d in windows.dimensions else 0 for d, size in enumerate(windows.sizes)]
    steps = [
        (k, d, windows.room[d], windows.sizes[d], d in windows.dimensions)
        for k, d in enumerate(windows.indexed)
        if windows.room[d]
    ]

    def taken(x: Any, indices: Any) -> Any:
        where: list[Any] = whole.copy()
        starts = indices.tolist()
        for k, d, most, size, keep in steps:
            start = min(max(starts[k], 0), most)
            where[d] = slice(start, start + size) if keep else start
        return x[tuple(where)]

    return taken


def _rows(windows: _Windows, axes: list[int]) -> Function | None:
    """Elements, or what lies across an axis, by an index along it; None if the windows are others."""
    axis = windows.row_axis()
    if axis is None:
        return None
    batch = len(windows.batch)
    kept = axis in windows.dimensions  # then as a dimension of size 1, after the batch
    column = (*windows.batch, 1) if kept else windows.batch
    # `take` puts the batch where the axis was: windows' dimensions before it, batch, windows' dimensions after it.
    before = [d for d in windows.dimensions if d < axis]
    found = [*before, *[None] * batch, *windows.dimensions[len(before) :]]
    window_axes = dict(zip(windows.dimensions, axes, strict=True))
    batch_axes = iter([a for a in range(len(found)) if a not in axes])
    goes = [next(batch_axes) if d is None else window_axes[d] for d in found]
    order = tuple(np.argsort(goes).tolist())

    def rows(x: Any, indices: Any) -> Any:
        if indices.dtype == np.uint64:
            indices = _signed(indices)
        return x.take(indices.reshape(column), axis, None, "clip")

    return rows if goes == sorted(goes) else lambda x, indices: rows(x, indices).transpose(order)


def _elements(windows: _Windows, axes: list[int]) -> Function:
    places = windows.places(axes)
    return lambda x, indices: x.reshape(-1).take(places(indices))


def _fill_value(value: Any, dtype: np.dtype) -> Any:
    if value is None:
        if dtype.kind in "iu":
            limits = np.iinfo(dtype)
            value = limits.min if dtype.kind == "i" else limits.max
        else:
            value = dtype.kind == "b" or np.nan
    return np.array(value).astype(dtype)


# -- scatter -----------------------------------------------------------------------------------------------------------

_COMBINED: dict[str, Any] = {
    "scatter": None, "scatter-add": np.add, "scatter-sub": np.subtract, "scatter-mul": np.multiply,
    "scatter-min": np.minimum, "scatter-max": np.maximum,
}  # fmt: skip


@rule(*_COMBINED)
def _(call: Call) -> Function:
    numbers, combine = call.params["dimension_numbers"], _COMBINED[call.name]
    (shape, _), indices, (updates, _) = call.ins
    function = call.params.get("update_jaxpr")
    if math.prod(updates) == 0 or math.prod(shape) == 0:
        return lambda x, indices, updates: x
    batched = _ints(numbers.operand_batching_dims)
    gone = [*_ints(numbers.inserted_window_dims), *batched]
    axes, sizes = _ints(numbers.update_window_dims), [1] * len(shape)
    for d, axis in zip([d for d in range(len(shape)) if d not in gone], axes, strict=True):
        sizes[d] = updates[axis]
    windows = _Windows(
        shape,
        sizes,
        indices,
        _ints(numbers.scatter_dims_to_operand_dims),
        dict(zip(batched, _ints(numbers.scatter_indices_batching_dims), strict=True)),
        gone,
    )
    # What is promised to be inside, XLA drops all the same if it is not.
    clip = call.params["mode"] is GatherScatterMode.CLIP
    if function is None and not windows.batch:
        return _into_one(windows, combine, clip)
    if function is None and combine is None and windows.row_axis() == 0 and axes == _rows_last(windows):
        return _into_rows(windows, clip)
    return _into_many(windows, combine.at if combine else function and _by_function(function), clip, axes)


def _rows_last(windows: _Windows) -> list[int]:
    """The axes of the windows' dimensions in the updates, if they come after the batch and have none of size 1 for the index."""
    return [] if 0 in windows.dimensions else [len(windows.batch) + d - 1 for d in windows.dimensions]


def _by_function(function: Function) -> Function:
    """Combines as `ufunc.at` does, with a function of two scalars."""

    def at(line: Any, where: Any, updates: Any) -> None:
        for i, update in zip(where.tolist(), updates):
            (line[i],) = function(line[i], update)

    return at


def _into_one(windows: _Windows, combine: Any, clip: bool) -> Function:
    """Into one window."""
    whole = [slice(0, size) if d in windows.dimensions else 0 for d, size in enumerate(windows.sizes)]
    steps = [(k, d, windows.room[d], windows.sizes[d], d in windows.dimensions) for k, d in enumerate(windows.indexed)]

    def scattered(x: Any, indices: Any, updates: Any) -> Any:
        where: list[Any] = whole.copy()
        starts = indices.tolist()
        for k, d, most, size, keep in steps:
            start = starts[k]
            if not 0 <= start <= most:
                if not clip:
                    return x
                start = min(max(start, 0), most)
            where[d] = slice(start, start + size) if keep else start
        at = tuple(where)
        out = x.copy()
        out[at] = updates if combine is None else combine(out[at], updates)
        return out

    return scattered


def _into_rows(windows: _Windows, clip: bool) -> Function:
    """Whole rows in place of others; of those for one place, the last one stays."""
    batch, all_inside = windows.batch, windows.all_inside

    def scattered(x: Any, indices: Any, updates: Any) -> Any:
        out = x.copy()
        if all_inside(indices):
            out[indices.reshape(batch)] = updates
        elif clip:
            out[windows.clipped(indices).reshape(batch)] = updates
        else:
            inside = windows.inside(indices)
            out[indices.reshape(batch)[inside]] = updates[inside]
        return out

    return scattered


def _into_many(windows: _Windows, at: Any, clip: bool, axes: list[int]) -> Function:
    """Into windows of which some may be the same or overlap: element by element, one window after the other."""
    batch = len(windows.batch)
    rank = batch + len(axes)
    order = [*[axis for axis in range(rank) if axis not in axes], *axes]
    turned = order != sorted(order)
    places, all_inside = windows.places(range(batch, rank)), windows.all_inside

    def scattered(x: Any, indices: Any, updates: Any) -> Any:
        if turned:
            updates = updates.transpose(order)
        if all_inside(indices):
            where = places(indices)
        else:
            where = places(windows.clipped(indices))
            if not clip:
                inside = windows.inside(indices)
                where, updates = where[inside], updates[inside]
        out = x.copy("C")
        line = out.reshape(-1)
        if at is None:
            line[where] = updates
        else:
            at(line, where.reshape(-1), updates.reshape(-1))
        return out

    return scattered
