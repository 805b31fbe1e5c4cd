"""Primitives that move elements: shapes, slices, joins, padding, counting. Results are views where they can be."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from tfgrad_jax.engine.host.rules import Call, Function, any_sizes, rule

_FEW = 1 << 14
"""Up to so many elements, writing a broadcast array out is quicker than making a view of strides that are 0."""


def _same(x: Any) -> Any:
    return x


@rule("dim_as_value")
def _(call: Call) -> Function:
    value = np.array(call.params["dim"], call.outs[0].dtype)
    value.setflags(write=False)
    return lambda: value


@rule("reshape", "squeeze", "expand_dims")
def _(call: Call) -> Function:
    shape = call.outs[0].shape
    order = call.params.get("dimensions") if call.name == "reshape" else None
    if order is not None and tuple(order) != tuple(range(len(order))):
        return lambda x: x.transpose(order).reshape(shape)
    return _same if shape == call.ins[0].shape else lambda x: x.reshape(shape)


@rule("transpose", alike=any_sizes)
def _(call: Call) -> Function:
    permutation = tuple(map(int, call.params["permutation"]))
    return _same if permutation == (*range(len(permutation)),) else lambda x: x.transpose(permutation)


@rule("broadcast_in_dim")
def _(call: Call) -> Function:
    into, (shape, dtype) = call.params["broadcast_dimensions"], call.outs[0]
    taken = call.ins[0].shape
    expanded = [1] * len(shape)
    for n, d in zip(taken, into, strict=True):
        expanded[d] = n
    aligned = tuple(expanded)
    if aligned == shape:
        return _same if taken == shape else lambda x: x.reshape(shape)
    # What lines up from the right is broadcast as it is.
    fits = all([n == 1 for n in aligned[: len(shape) - len(taken)]]) and aligned[len(shape) - len(taken) :] == taken
    if math.prod(shape) > _FEW:
        return lambda x: np.broadcast_to(x if fits else x.reshape(aligned), shape)
    empty = np.empty
    if fits:

        def spread(x: Any) -> Any:
            out = empty(shape, dtype)
            out[...] = x
            return out

        return spread

    def spread_after_reshape(x: Any) -> Any:
        out = empty(shape, dtype)
        out[...] = x.reshape(aligned)
        return out

    return spread_after_reshape


@rule("iota")
def _(call: Call) -> Function:
    (shape, dtype), dimension = call.outs[0], call.params["dimension"]
    line = np.arange(shape[dimension]).astype(dtype)
    counted = np.broadcast_to(line.reshape([-1 if d == dimension else 1 for d in range(len(shape))]), shape)
    return lambda: counted


@rule("empty", "empty2")
def _(call: Call) -> Function:
    shape, dtype = call.outs[0]
    return lambda: np.zeros(shape, dtype)


@rule("slice")
def _(call: Call) -> Function:
    starts, limits = call.params["start_indices"], call.params["limit_indices"]
    strides = call.params["strides"] or [1] * len(starts)
    return operator.itemgetter(tuple(map(slice, starts, limits, strides)))


_SHORT, _MANY, _MOST = 16, 1 << 10, 1 << 16
"""NumPy goes through a view that is turned round slowly, if it has many numbers and few of them, but not one, stay neighbours;
it is quicker to take them by their places, of which so many are kept."""


@rule("rev")
def _(call: Call) -> Function:
    turned, shape = call.params["dimensions"], call.ins[0].shape
    rank = len(shape)
    if len(turned) == 1:
        axis = turned[0]
        before, size, together = shape[:axis], shape[axis], math.prod(shape[axis + 1 :])
        if 1 < together < _SHORT and math.prod(shape) > _MANY and size * together <= _MOST:
            places = np.arange(size * together).reshape(size, together)[::-1].reshape(-1)
            return lambda x: x.reshape(*before, -1).take(places, axis, mode="clip").reshape(shape)
    backwards, whole = slice(None, None, -1), slice(None)
    return operator.itemgetter(tuple([backwards if d in turned else whole for d in range(rank)]))


@rule("split")
def _(call: Call) -> Function:
    axis, stops = call.params["axis"], np.cumsum(call.params["sizes"]).tolist()
    before = (slice(None),) * axis
    parts = [(*before, slice(a, b)) for a, b in zip([0, *stops], stops)]
    return lambda x: [x[part] for part in parts]


@rule("unstack")
def _(call: Call) -> Function:
    axis = call.params["axis"]
    before = (slice(None),) * axis
    parts = [(*before, i) for i in range(call.ins[0].shape[axis])]
    return lambda x: [x[part] for part in parts]


@rule("concatenate", alike=any_sizes)
def _(call: Call) -> Function:
    axis, join = call.params["dimension"], np.concatenate
    return _same if len(call.ins) == 1 else lambda *arrays: join(arrays, axis)


@rule("stack")
def _(call: Call) -> Function:
    axis, join = call.params["axis"], np.concatenate
    shape = list(call.outs[0].shape)
    shape[axis] = 1
    one = tuple(shape)
    return lambda *arrays: join([x.reshape(one) for x in arrays], axis)


@rule("tile")
def _(call: Call) -> Function:
    times, shape = call.params["reps"], call.outs[0].shape
    taken = (1,) * (len(times) - len(call.ins[0].shape)) + call.ins[0].shape
    between = tuple([n for pair in zip(times, taken, strict=True) for n in pair])
    apart = tuple([n for size in taken for n in (1, size)])
    return lambda x: np.broadcast_to(x.reshape(apart), between).reshape(shape)


@rule("pad")
def _(call: Call) -> Function:
    taken, (shape, dtype) = call.ins[0].shape, call.outs[0]
    source, target = [], []
    for size, (low, high, inner) in zip(taken, call.params["padding_config"], strict=True):
        step = inner + 1
        room = (size - 1) * step + 1 + low + high if size else low + high
        # Element i lands at low + i * step; which of them do so within the room?
        first = max(0, -(low // step))
        last = max(first, min(size, (room - low + inner) // step))
        source.append(slice(first, last))
        target.append(
            slice(low + first * step, max(low + (last - 1) * step + 1, 0), step) if last > first else slice(0)
        )
    taken_all = [s == slice(0, n) for s, n in zip(source, taken, strict=True)]
    fully, read, written = all(taken_all), tuple(source), tuple(target)
    empty = np.empty

    def padded(x: Any, value: Any) -> Any:
        out = empty(shape, dtype)
        out[...] = value
        out[written] = x if fully else x[read]
        return out

    return padded


@rule("dynamic_slice")
def _(call: Call) -> Function:
    shape, sizes = call.ins[0].shape, tuple(map(int, call.params["slice_sizes"]))
    # Where all is taken, the start can only be 0.
    room = [n - size for n, size in zip(shape, sizes, strict=True)]
    moving = [d for d, free in enumerate(room) if free]
    if len(moving) == 1:
        (axis,) = moving
        before, size, free = (slice(None),) * axis, sizes[axis], room[axis]

        def along_one(x: Any, *starts: Any) -> Any:
            start = min(max(int(starts[axis]), 0), free)
            return x[(*before, slice(start, start + size))]

        return along_one

    def sliced(x: Any, *starts: Any) -> Any:
        found = [min(max(int(s), 0), free) for s, free in zip(starts, room)]
        return x[tuple([slice(s, s + size) for s, size in zip(found, sizes)])]

    return sliced


@rule("dynamic_update_slice")
def _(call: Call) -> Function:
    shape, sizes = call.ins[0].shape, call.ins[1].shape
    room = [n - size for n, size in zip(shape, sizes, strict=True)]
    if not any(room):
        return lambda x, update, *starts: update

    def updated(x: Any, update: Any, *starts: Any) -> Any:
        found = [min(max(int(s), 0), free) for s, free in zip(starts, room)]
        out = x.copy()
        out[tuple([slice(s, s + size) for s, size in zip(found, sizes)])] = update
        return out

    return updated
