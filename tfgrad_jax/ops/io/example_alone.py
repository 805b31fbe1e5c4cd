"""One serialized example as programs write them, and features as they declare most: no arrays of one row on the way.

What is written or declared in any other way, or is wrong, is left to `example_rows`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tfgrad_jax.ops.io import example_native
from tfgrad_jax.ops.io.example_parts import DENSE, SPARSE
from tfgrad_jax.ops.io.example_rows import FIRST, KINDS, usual_entries
from tfgrad_jax.ops.io.wire import BYTES, BadProto, read_varint, varints


class _Wanted(NamedTuple):
    """What a declaration asks for: values in `shape`, or any number of them in a sparse tensor, where that is None.

    Where there are none, these are the values in a place of the defaults; nothing serves if that is -1.
    """

    tag: int
    shape: tuple[int, ...] | None
    default: int
    dtype: np.dtype


@functools.lru_cache(256)
def _wanted(parts: Any) -> tuple[list[_Wanted], example_native.Wanted] | None:
    """What declarations ask for, and how C code is told of it; None if one is of another kind."""
    found, told = [], []
    for kind, key, dtype, *more in parts:
        if kind not in (DENSE, SPARSE):
            return None
        shape, default = more if kind == DENSE else (None, -1)
        found.append(_Wanted(KINDS[dtype] << 3 | BYTES, shape, default, dtype.np))
        told.append((key, dtype, -1 if shape is None else math.prod(shape)))
    return found, tuple(told)


def arrays_alone(data: bytes, parts: Any, defaults: Sequence[np.ndarray]) -> list[np.ndarray] | None:
    """The arrays for declarations; None if the example, or one of them, is not as most are.

    Args:
      data: the example.
      parts: the declarations, see `example_parts`.
      defaults: what they name by position.
    """
    wanted = _wanted(parts)
    if wanted is None:
        return None
    asked, told = wanted
    values: Sequence[np.ndarray | None] | None
    try:
        values = [found if steps > 0 else None for steps, found in example_native.alone(data, FIRST, told)]
    except example_native.Odd:
        with example_native.compiled.missed():
            values = _in_python(data, asked, told)
    if values is None:
        return None
    out: list[np.ndarray] = []
    for (_, shape, default, dtype), found in zip(asked, values):
        if shape is None:
            size = 0 if found is None else len(found)
            places = _places(size) if size < _FEW else np.arange(size).reshape(size, 1)
            out += [places, np.zeros(0, dtype) if found is None else found, np.array([size])]
            continue
        if found is None:
            if default < 0:
                return None
            found = defaults[default]
        out.append(found.reshape(shape))
    return out


def _in_python(
    data: bytes, asked: Sequence[_Wanted], told: example_native.Wanted
) -> Sequence[np.ndarray | None] | None:
    """The values of each feature; None for one that is not there, and for all if the example is not written as usual."""
    features = usual_entries(data, 1)
    if features is None:
        return None
    values: list[np.ndarray | None] = []
    try:
        for (key, _, number), (tag, *_) in zip(told, asked):
            feature = features.get(key.encode())
            found = None if feature is None else _values(feature, tag)
            if feature is not None and (found is None or number not in (-1, len(found))):
                return None
            values.append(found)
    except (IndexError, BadProto):  # a length beyond the end
        return None
    return values


_FEW = 64
"""Places of fewer values are kept: nobody writes to them."""


@functools.lru_cache(_FEW)
def _places(size: int) -> np.ndarray:
    found = np.arange(size).reshape(size, 1).copy()
    found.flags.writeable = False
    return found


def _values(feature: bytes, tag: int) -> np.ndarray | None:
    """The values of a `Feature` message that holds one list, packed; None if it is another message."""
    if feature[0] != tag:
        return None
    size = feature[1]
    size, at = (size, 2) if size < 128 else read_varint(feature, 1)
    end = len(feature)
    if at + size != end:
        return None
    if not size:
        return np.zeros(0, _DTYPES[tag])
    texts: list[bytes] = []
    while True:
        if feature[at] != FIRST:
            return None
        size = feature[at + 1]
        size, at = (size, at + 2) if size < 128 else read_varint(feature, at + 1)
        stop = at + size
        if tag == _TEXTS:
            texts.append(feature[at:stop])
        if stop == end:
            break
        if stop > end or tag != _TEXTS:
            return None
        at = stop
    if tag == _TEXTS:
        values = np.empty(len(texts), object)
        values[:] = texts
        return values
    held = feature[at:]
    if tag == _FLOATS:
        return None if size & 3 else np.frombuffer(held, "<f4")
    return np.array(list(held), np.int64) if size == 1 and held[0] < 128 else varints(held)


_TEXTS, _FLOATS = (n << 3 | BYTES for n in (1, 2))
_DTYPES = {number << 3 | BYTES: dtype.np for dtype, number in KINDS.items()}
