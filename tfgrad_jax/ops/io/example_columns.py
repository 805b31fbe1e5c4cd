"""Serialized examples, many at once: in C, or where there is no compiler NumPy goes through all of them in step, entry by entry.

What is not written as programs write it (keys twice, lists in pieces, broken messages) is left to `example_rows`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.ops.io import example_native
from tfgrad_jax.ops.io.example_rows import FIRST, KINDS, SECOND, Blame, Column, columns_by_rows
from tfgrad_jax.ops.io.wire import BadProto, varints, windows

_FEW = 56
"""Fewer examples than this are quicker one by one."""

_CHUNK = 32768
"""So many examples at a time, so that what is noted of them stays in a processor's cache."""

_DISTINCT = 64
"""With more distinct keys in one place than this, going in step does not pay."""


class _Odd(Exception):
    """The examples are not written as usual."""


def _need(condition: Any) -> None:
    # Batches are small: the call of a NumPy function takes longer than what it does.
    if not (condition.all() if type(condition) is np.ndarray else condition):
        raise _Odd


def columns(data: Sequence[bytes], wanted: Sequence[tuple[str, DType]], blame: Blame) -> list[Column]:
    """The column of each wanted feature, by key and dtype.

    Raises:
      InvalidArgumentError: if an example is none, or a feature has another dtype.
    """
    with contextlib.suppress(example_native.Odd):
        return example_native.columns(data, wanted)
    with example_native.compiled.missed():
        return _in_python(data, wanted, blame)


def _in_python(data: Sequence[bytes], wanted: Sequence[tuple[str, DType]], blame: Blame) -> list[Column]:
    if len(data) < _FEW:
        return columns_by_rows(data, wanted, blame)
    try:
        chunks = [_in_step(data[i : i + _CHUNK], wanted) for i in range(0, len(data), _CHUNK)]
    except (_Odd, IndexError, BadProto):  # an index beyond the end is a length that is wrong
        return columns_by_rows(data, wanted, blame)
    return [Column(*map(np.concatenate, zip(*found, strict=True))) for found in zip(*chunks, strict=True)]


def _in_step(data: Sequence[bytes], wanted: Sequence[tuple[str, DType]]) -> list[Column]:
    joined = b"".join(data)
    bytes_ = np.frombuffer(joined, np.uint8)
    sizes = np.fromiter(map(len, data), np.int64, len(data))
    end = np.cumsum(sizes)
    at = end - sizes
    rows = sizes.nonzero()[0]
    p = at[rows]
    _need(bytes_[p] == FIRST)
    size, p = _length(bytes_, p + 1)
    _need(p + size == end[rows])
    at[rows] = p
    places = {key.encode(): (np.full(len(data), -1), np.zeros(len(data), np.int64)) for key, _ in wanted}
    rows = rows[at[rows] < end[rows]]
    while len(rows):
        at[rows] = _entry(bytes_, rows, at[rows], end[rows], places)
        rows = rows[at[rows] < end[rows]]
    return [_column(joined, bytes_, *places[key.encode()], KINDS[dtype]) for key, dtype in wanted]


def _length(bytes_: np.ndarray, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The lengths at some places, and the places after them."""
    value = bytes_[at].astype(np.int64)
    at = at + 1
    longer = (value > 127).nonzero()[0]
    if len(longer):
        value &= 127
        for shift in (7, 14, 21, 28):
            byte = bytes_[at[longer]].astype(np.int64)
            value[longer] |= (byte & 127) << shift
            at[longer] += 1
            longer = longer[byte > 127]
            if not len(longer):
                break
        _need(not len(longer))
    return value, at


def _windows(bytes_: np.ndarray, at: np.ndarray, size: int) -> np.ndarray:
    """So many bytes from each place on, a row each."""
    return windows(bytes_, size)[at]


def _entry(
    bytes_: np.ndarray, rows: np.ndarray, p: np.ndarray, end: np.ndarray, places: dict[bytes, Any]
) -> np.ndarray:
    """Note where the feature of the next entry of each example lies; returns where the entry ends."""
    _need(bytes_[p] == FIRST)
    size, p = _length(bytes_, p + 1)
    stop = p + size
    _need((stop <= end) & (bytes_[p] == FIRST))
    length, key_at = _length(bytes_, p + 1)
    p = key_at + length
    _need((length > 0) & (p < stop))
    _need(bytes_[p] == SECOND)
    size, p = _length(bytes_, p + 1)
    _need(p + size == stop)
    todo: Any = slice(None)
    first = 0
    for _ in range(_DISTINCT):  # mostly all have the same key here
        key = bytes_[key_at[first] : key_at[first] + length[first]]
        same = (length[todo] == len(key)) & (_windows(bytes_, key_at[todo], len(key)) == key).all(1)
        found = places.get(key.tobytes())
        if found is not None:
            these = todo if same.all() else same if type(todo) is slice else todo[same]
            start, finish = found
            row = rows[these]
            _need(start[row] < 0)
            start[row], finish[row] = p[these], stop[these]
        if same.all():
            return stop
        todo = (~same).nonzero()[0] if type(todo) is slice else todo[~same]
        first = todo[0]
    raise _Odd


def _column(joined: bytes, bytes_: np.ndarray, start: np.ndarray, finish: np.ndarray, kind: int) -> Column:
    counts = np.full(len(start), -1)
    rows = ((start >= 0) & (start < finish)).nonzero()[0]  # an empty feature is none
    p, stop = start[rows], finish[rows]
    _need(bytes_[p] == (kind << 3 | 2))
    size, p = _length(bytes_, p + 1)
    _need(p + size == stop)
    counts[rows] = 0
    some = p < stop
    rows, p, stop = rows[some], p[some], stop[some]
    _need(bytes_[p] == FIRST)
    if kind == 1:
        return _texts(joined, bytes_, rows, p, stop, counts)
    size, p = _length(bytes_, p + 1)
    _need((p + size == stop) & (size > 0))
    found = _regions(bytes_, p, size)
    if kind == 2:
        _need(size % 4 == 0)
        counts[rows] = size >> 2
        return Column(counts, found.view("<f4"))
    if len(rows):
        _need(bytes_[stop - 1] < 128)
        counts[rows] = np.add.reduceat(found < 128, np.cumsum(size) - size, dtype=np.int64)
    return Column(counts, varints(found))


def _regions(bytes_: np.ndarray, p: np.ndarray, size: np.ndarray) -> np.ndarray:
    """The bytes of many regions, one region after the other."""
    if len(p) and (size == size[0]).all():
        return _windows(bytes_, p, int(size[0])).reshape(-1)
    before = np.cumsum(size) - size
    return bytes_[np.repeat(p - before, size) + np.arange(size.sum())]


def _texts(
    joined: bytes, bytes_: np.ndarray, rows: np.ndarray, p: np.ndarray, stop: np.ndarray, counts: np.ndarray
) -> Column:
    found = []
    while len(rows):
        _need(bytes_[p] == FIRST)
        size, p = _length(bytes_, p + 1)
        _need(p + size <= stop)
        found.append((rows, p, p + size))
        counts[rows] += 1
        p = p + size
        more = p < stop
        rows, p, stop = rows[more], p[more], stop[more]
    if not found:
        return Column(counts, np.zeros(0, object))
    owner, begin, end = map(np.concatenate, zip(*found, strict=True))
    if len(found) > 1:
        order = np.argsort(owner, kind="stable")
        begin, end = begin[order], end[order]
    values = np.empty(len(owner), object)
    values[:] = [joined[a:b] for a, b in zip(begin.tolist(), end.tolist())]
    return Column(counts, values)
