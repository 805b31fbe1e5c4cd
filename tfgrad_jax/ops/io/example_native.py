"""Serialized examples in C, where it can be compiled: many at once, and each as programs write them.

The interpreter's lock is kept: all of it takes less than to wait for the lock, which another thread may hold for milliseconds.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tfgrad_jax.engine.kernels.native import Beside
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.ops.io.example_rows import FIRST, KINDS, SECOND, Column
from tfgrad_jax.ops.io.roles import strings

_P, _I = ctypes.c_void_p, ctypes.c_int64
_TEXT = ctypes.c_char_p


def code() -> Beside:
    """`examples.c`, which is compiled when it pays."""
    prototypes: dict[str, Any] = {
        "entries": (_I, _TEXT, _P, _I, _I, _TEXT, _P, _I, _P, _P),
        "items": (_I, _TEXT, _I, *[_P] * 5),
        "lists": (_I, _TEXT, _TEXT, _I, _I, *[_P] * 4),
        "numbers": (None, _TEXT, _I, _I, *[_P] * 3),
        "alone": (_I, _TEXT, _I, _I, _TEXT, _P, _TEXT, _P, _I, _P),
    }
    return Beside(
        Path(__file__).with_name("examples.c"),
        (),
        {name: (f"tfgrad_jax_{name}", ctypes.PYFUNCTYPE(*types)) for name, types in prototypes.items()},
    )


compiled = code()


Wanted = tuple[tuple[str, DType, int], ...]


class Odd(Exception):
    """The examples are not written as usual, or there is no C code."""


def columns(data: Sequence[bytes], wanted: Sequence[tuple[str, DType]]) -> list[Column]:
    """The column of each wanted feature, by key and dtype.

    Raises:
      Odd: if others must read them.
    """
    return _columns(*_entries(data, FIRST, wanted), wanted)


def steps(data: Sequence[bytes], wanted: Sequence[tuple[str, DType]]) -> list[tuple[np.ndarray, Column]]:
    """Of each wanted feature list the number of steps in each example, -1 where there is no such list, and the column of all steps.

    Raises:
      Odd: if others must read them.
    """
    joined, regions, at = _entries(data, SECOND, wanted)
    found = []
    for k, key in enumerate(wanted):
        items = _items(joined, *_places(at, regions, k))
        found.append((regions[2, k], _columns(joined, items, _address(items), [key])[0]))
    return found


def alone(data: bytes, tag: int, wanted: Wanted) -> list[tuple[int, np.ndarray]]:
    """Of each wanted feature of one example 1, of each feature list the number of steps, and all its values.

    -1 where it has no such feature or list.

    Args:
      data: the example.
      tag: that of the map in which features, or lists of steps, stand.
      wanted: the key and dtype of each, and how many values it, or each step, has; -1 for any number.

    Raises:
      Odd: if others must read it, or there are other numbers of values.
    """
    plan = _plan(wanted)
    if plan is None or not compiled.functions:
        raise Odd
    texts, key_ends, kinds, numbers, dtype_of, _ = plan
    count, size = len(kinds), len(data)
    out = np.empty(3 * count + size, np.int64)
    _known(_call("alone", data, size, tag, texts, key_ends, kinds, numbers, count, _address(out)))
    told = out[: 2 * count].tolist()
    found, at = [], 2 * count
    for steps, total, dtype in zip(told, told[count:], dtype_of):
        if dtype is None:
            begin, at = at, at + 2 * total
            places = out[begin:at].tolist()
            values = np.empty(total, object)
            values[:] = [data[a:b] for a, b in zip(places[::2], places[1::2])]
        elif dtype is _FLOAT:
            values, at = out[at:].view(dtype)[:total], at + (total + 1 >> 1)
        else:
            values, at = out[at : at + total], at + total
        found.append((steps, values))
    return found


_FLOAT = dtypes.float32.np


@functools.lru_cache(256)
def _plan(wanted: Wanted) -> tuple[bytes, int, bytes, int, list[np.dtype | None], Any] | None:
    """What C code is told of wanted features, and the dtypes of numbers; None if a key is there twice."""
    keys = _keys(tuple([(key, dtype) for key, dtype, _ in wanted]))
    if keys is None:
        return None
    texts, ends, at = keys
    numbers = np.array([number for *_, number in wanted], np.int64)
    dtype_of = [None if dtype is dtypes.string else dtype.np for _, dtype, _ in wanted]
    kinds = bytes([KINDS[dtype] for _, dtype, _ in wanted])
    return texts, at, kinds, _address(numbers), dtype_of, (ends, numbers)  # which stay where they are


def _entries(data: Sequence[bytes], tag: int, wanted: Sequence[tuple[str, DType]]) -> tuple[bytes, np.ndarray, int]:
    """All examples in a row, and where the message of each wanted key lies in these, of the map behind a tag.

    Returns:
      The bytes; an array (3, keys, examples) of where messages begin and end, and how much is in them, which is written later; and
      where that stands in memory.
    """
    keys = _keys(tuple(wanted))
    if keys is None or not compiled.functions:
        raise Odd
    joined = b"".join(data)
    ends = np.cumsum(np.fromiter(map(len, data), np.int64, len(data)))
    regions = np.empty((3, len(wanted), len(data)), np.int64)
    texts, _, key_ends = keys
    at = _address(regions)
    begin, end, _ = _places(at, regions)[1:]
    _known(_call("entries", joined, _address(ends), len(data), tag, texts, key_ends, len(wanted), begin, end))
    return joined, regions, at


@functools.lru_cache(256)
def _keys(wanted: tuple[tuple[str, DType], ...]) -> tuple[bytes, np.ndarray, int] | None:
    """The keys, where each ends, and where that stands in memory; None if one is there twice."""
    keys = [key.encode() for key, _ in wanted]
    ends = np.cumsum([len(key) for key in keys], dtype=np.int64)
    return (b"".join(keys), ends, _address(ends)) if len(set(keys)) == len(keys) else None


def _places(at: int, regions: np.ndarray, k: int = 0) -> tuple[int, int, int, int]:
    """How many regions a key has; and from a key on where the begins, ends and counts stand in memory."""
    _, keys, count = regions.shape
    return count, *[at + 8 * count * (part * keys + k) for part in range(3)]


def _items(joined: bytes, *places: int) -> np.ndarray:
    """The messages that stand in regions, as regions of one key."""
    items = np.empty((3, 1, _known(_call("items", joined, *places, None, None))), np.int64)
    _call("items", joined, *places, *_places(_address(items), items)[1:3])
    return items


def _columns(joined: bytes, regions: np.ndarray, at: int, wanted: Sequence[tuple[str, DType]]) -> list[Column]:
    """The columns of features that lie in regions."""
    kinds, totals = bytes([KINDS[dtype] for _, dtype in wanted]), np.empty(len(wanted), np.int64)
    count, *places = _places(at, regions)
    _known(_call("lists", joined, kinds, len(wanted), count, *places, _address(totals)))
    found = []
    for k, total in enumerate(totals.tolist()):
        dtype, (count, begin, end, counts) = wanted[k][1], _places(at, regions, k)
        if dtype is dtypes.string:
            begins, ends = _items(joined, count, begin, end, counts)[:2, 0].tolist()
            values = strings([joined[a:b] for a, b in zip(begins, ends)], (total,))
        else:
            values = np.empty(total, dtype.np)
            _call("numbers", joined, kinds[k], count, begin, end, _address(values))
        found.append(Column(regions[2, k], values))
    return found


def _address(array: np.ndarray) -> int:
    return int(array.__array_interface__["data"][0])


def _call(name: str, *args: Any) -> Any:
    return compiled.functions[name](*args)


def _known(found: int) -> int:
    if found < 0:
        raise Odd
    return found
