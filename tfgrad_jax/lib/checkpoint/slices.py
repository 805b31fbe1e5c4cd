"""Tensors that were saved in parts: which part of the whole each one is, and under what key it lies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tfgrad_jax.ops.io.wire import fields


class Part(NamedTuple):
    """A start and a length for each axis; a length of None is all of it."""

    extents: tuple[tuple[int, int | None], ...]

    @classmethod
    def parsed(cls, data: bytes) -> Part:
        """The part that a message describes."""
        extents = []
        for number, _, value in fields(data):
            if number == 1:
                found = {at: n for at, _, n in fields(value)}
                extents.append((found.get(1, 0), found.get(2)))
        return cls(tuple(extents))


def covering(parts: Iterable[Part], shape: tuple[int, ...]) -> Iterator[tuple[Part, tuple[slice, ...]]]:
    """Each part and its place in the whole."""
    for part in parts:
        yield part, tuple(slice(s, n if length is None else s + length) for (s, length), n in zip(part.extents, shape))


def slice_key(name: str, part: Part) -> bytes:
    """The key of a part: it keeps the order of names, ranks, starts and lengths as bytes do."""
    out = _number(0) + _text(name.encode(errors="surrogateescape")) + _number(len(part.extents))
    for start, length in part.extents:
        out += _signed(start) + _signed(-1 if length is None else length)
    return out


def _number(value: int) -> bytes:
    """How many bytes, and the bytes, the highest first."""
    data = value.to_bytes((value.bit_length() + 7) // 8, "big")
    return bytes([len(data)]) + data


def _text(value: bytes) -> bytes:
    escaped = {0: b"\0\xff", 255: b"\xff\0"}
    return b"".join(escaped.get(byte, bytes([byte])) for byte in value) + b"\0\1"


def _signed(value: int) -> bytes:
    """A number whose first bits say how many bytes it has; negative ones have all bits turned."""
    magnitude = value if value >= 0 else ~value
    size = 1
    while magnitude >> (7 * size - 1):
        size += 1
    head = ((1 << size) - 1) << (8 * size - size)
    coded = (magnitude | head).to_bytes(size, "big")
    return coded if value >= 0 else bytes(255 - byte for byte in coded)
