"""One serialized example as programs write them, and features as they declare most: no arrays of one row on the way.

What is written or declared in any other way, or is wrong, is left to `example_rows`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tfgrad_jax.ops.io.example_parts import DENSE, SPARSE
from tfgrad_jax.ops.io.example_rows import FIRST, KINDS, usual_entries
from tfgrad_jax.ops.io.wire import BYTES, BadProto, read_varint, varints


class _Wanted(NamedTuple):
    """What a declaration asks for: `number` values in `shape`, or any number of them, in a sparse tensor, where `number` is -1.

    Where there are none, these are the values in a place of the defaults; nothing serves if that is -1.
    """

    key: bytes
    tag: int
    number: int
    shape: tuple[int, ...]
    default: int
    dtype: np.dtype


@functools.lru_cache(256)
def _wanted(parts: Any) -> tuple[_Wanted, ...] | None:
    """What declarations ask for; None if one is of another kind."""
    found = []
    for kind, key, dtype, *more in parts:
        if kind not in (DENSE, SPARSE):
            return None
        shape, default = more if kind == DENSE else ((), -1)
        count = math.prod(shape) if kind == DENSE else -1
        found.append(_Wanted(key.encode(), KINDS[dtype] << 3 | BYTES, count, shape, default, dtype.np))
    return tuple(found)


def arrays_alone(data: bytes, parts: Any, defaults: Sequence[np.ndarray]) -> list[np.ndarray] | None:
    """The arrays for declarations; None if the example, or one of them, is not as most are.

    Args:
      data: the example.
      parts: the declarations, see `example_parts`.
      defaults: what they name by position.
    """
    wanted = _wanted(parts)
    features = None if wanted is None else usual_entries(data, 1)
    if wanted is None or features is None:
        return None
    out: list[np.ndarray] = []
    try:
        for key, tag, count, shape, default, dtype in wanted:
            feature = features.get(key)
            if feature is not None:
                values = _values(feature, tag)
            elif count < 0:
                values = np.zeros(0, dtype)
            else:
                values = defaults[default].reshape(-1) if default >= 0 else None
            if values is None:
                return None
            if count < 0:
                size = len(values)
                out += [np.arange(size).reshape(size, 1), values, np.array([size])]
            elif len(values) != count:
                return None
            else:
                out.append(values.reshape(shape))
    except (IndexError, BadProto):  # a length beyond the end
        return None
    return out


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
