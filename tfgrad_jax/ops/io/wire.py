"""The wire format of protocol buffers: numbers of seven bits a byte, and fields that are one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


class BadProto(ValueError):
    """Bytes that are no message."""


def varint(value: int) -> bytes:
    """A number of up to 64 bits; a negative one has all ten bytes."""
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number: int, value: Any) -> bytes:
    """A field: of bytes, or of an integer."""
    if isinstance(value, int):
        return varint(number << 3 | VARINT) + varint(value)
    return varint(number << 3 | BYTES) + varint(len(value)) + value


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    """The number at a place, and the place after it.

    Raises:
      BadProto: if the bytes end before, or it is too long.
    """
    if at + 1 < len(data) and data[at + 1] < 128:  # most have two bytes
        first = data[at]
        return (first, at + 1) if first < 128 else (first & 127 | data[at + 1] << 7, at + 2)
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise BadProto("a number is cut off" if at >= len(data) else "a number is too long")
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value & (1 << 64) - 1, at
        shift += 7


def fields(data: bytes) -> Iterator[tuple[int, int, Any]]:
    """Every (number, wire type, value) of a message: an integer for a number, bytes for all else.

    Raises:
      BadProto: if the bytes are none.
    """
    at, end = 0, len(data)
    while at < end:
        tag = data[at]
        at += 1
        if tag > 127:
            tag, at = read_varint(data, at - 1)
        kind = tag & 7
        if not tag >> 3:
            raise BadProto("a field has the number 0")
        if kind == VARINT:
            value, at = read_varint(data, at)
            yield tag >> 3, kind, value
            continue
        if kind == BYTES:
            if at < end and data[at] < 128:
                size = data[at]
                at += 1
            else:
                size, at = read_varint(data, at)
        elif kind in (FIXED32, FIXED64):
            size = 4 if kind == FIXED32 else 8
        else:
            raise BadProto(f"there is no wire type {kind}")
        if at + size > end:
            raise BadProto("a field is cut off")
        yield tag >> 3, kind, data[at : at + size]
        at += size


_FEW = 32
"""Numbers in fewer bytes than this are quicker one by one."""


def windows(bytes_: np.ndarray, size: int) -> np.ndarray:
    """A view of so many bytes from each place on, a row each: NumPy's `sliding_window_view`, which takes long to begin.

    Raises:
      BadProto: if there are not so many.
    """
    if len(bytes_) < size:
        raise BadProto("bytes are cut off")
    return np.ndarray((len(bytes_) - size + 1, size), np.uint8, bytes_, strides=(1, 1))


def varints(data: Any) -> np.ndarray:
    """Numbers one after the other, as int64: what a packed field of integers holds.

    Raises:
      BadProto: if the last one is cut off, or one is too long.
    """
    if len(data) < _FEW:
        data, numbers, at = bytes(data), [], 0
        while at < len(data):
            number, at = (data[at], at + 1) if data[at] < 128 else read_varint(data, at)
            numbers.append(number)
        return np.array(numbers, np.uint64).view(np.int64)
    found = np.frombuffer(data, np.uint8)
    if not found.size or found.max() < 128:
        return found.astype(np.int64)
    ends = np.flatnonzero(found < 128)
    if found[-1] >= 128:
        raise BadProto("a number is cut off")
    starts = np.concatenate([[0], ends[:-1] + 1])
    place = np.arange(found.size) - np.repeat(starts, ends - starts + 1)
    if place.max() > 9:
        raise BadProto("a number is too long")
    bits = (found & 127).astype(np.uint64) << (7 * place).astype(np.uint64)
    return np.bitwise_or.reduceat(bits, starts).view(np.int64)
