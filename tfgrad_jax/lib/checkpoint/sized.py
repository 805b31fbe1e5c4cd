"""Checkpoints whose files of data have a largest size: what does not fit into the rest of a file is cut."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from tfgrad_jax.lib.checkpoint.bundle import BundleWriter
from tfgrad_jax.lib.checkpoint.slices import Part


class Piece(NamedTuple):
    """What goes into a file.

    Attributes:
      file: the number of the file.
      key: the name of the tensor.
      place: the part of the tensor, a start and a length for each axis; None for all of it.
    """

    file: int
    key: str
    place: tuple[tuple[int, int], ...] | None


def write_sized(prefix: str, values: Mapping[str, Callable[[], Any]], limit: int) -> None:
    """Write tensors into as many files as it takes.

    Args:
      prefix: the path without what follows for each file.
      values: functions that give the tensors, by key.
      limit: the bytes of a file. Only strings, and single numbers that are larger, make it longer: these are not cut.
    """
    arrays = {key: np.asarray(get()) for key, get in values.items()}
    pieces = list(planned(arrays, limit))
    count = pieces[-1].file + 1
    with contextlib.ExitStack() as files:
        writers = [files.enter_context(BundleWriter(prefix, i, count)) for i in range(count)]  # the first one ends last
        for writer in writers:
            writer.entries = writers[0].entries  # one table tells of all
        for file, key, place in pieces:
            array = arrays[key]
            if place is None:
                writers[file].add(key, array)
            else:
                found = array[tuple([slice(start, start + length) for start, length in place])]
                writers[file].add_part(key, array.shape, Part(place), found)


def planned(arrays: Mapping[str, np.ndarray], limit: int) -> Iterator[Piece]:
    """The pieces that tensors are cut into, file by file."""
    file, room = 0, limit
    for key, array in arrays.items():
        if array.dtype == object or not array.nbytes:
            yield Piece(file, key, None)
            continue
        waiting = [tuple([(0, size) for size in array.shape])]
        whole = waiting[0]
        while waiting:
            place = waiting.pop()
            size = math.prod([length for _, length in place]) * array.itemsize
            if size > room:
                cut = _cut(place, size, max(room, 0))
                if cut is None and room < limit:
                    file, room = file + 1, limit
                    waiting.append(place)
                    continue
                if cut is None:
                    cut = _first_row(place)
                if cut is not None:
                    waiting += reversed(cut)
                    continue
            yield Piece(file, key, None if place is whole else place)
            room -= size


Places = tuple[tuple[tuple[int, int], ...], ...]


def _cut(place: tuple[tuple[int, int], ...], size: int, room: int) -> Places | None:
    """A part in two, of which the first is the largest that fits; None if none does."""
    rows = [(length * room // size) * (size // length) for _, length in place]
    if not any(rows):
        return None
    axis = rows.index(max(rows))
    return _divided(place, axis, place[axis][1] * room // size)


def _first_row(place: tuple[tuple[int, int], ...]) -> Places | None:
    """A part in its first row and the rest; None for a single number."""
    axis = next((i for i, (_, length) in enumerate(place) if length > 1), None)
    return None if axis is None else _divided(place, axis, 1)


def _divided(place: tuple[tuple[int, int], ...], axis: int, count: int) -> Places:
    start, length = place[axis]
    ends: Iterable[tuple[int, int]] = ((start, count), (start + count, length - count))
    return tuple([(*place[:axis], end, *place[axis + 1 :]) for end in ends])
