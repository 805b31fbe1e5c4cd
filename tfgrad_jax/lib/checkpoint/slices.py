"""Tensors that were saved in parts: which part of the whole each one is, and under what key it lies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.ops.io.wire import field, fields


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

    def encoded(self) -> bytes:
        """The message that describes the part."""
        out = b""
        for start, length in self.extents:
            out += field(1, (field(1, start) if start else b"") + (b"" if length is None else field(2, length)))
        return out

    def place(self) -> tuple[slice, ...]:
        """Its place in the whole."""
        return tuple(slice(start, None if length is None else start + length) for start, length in self.extents)


class Slice(NamedTuple):
    """Of what a variable is a piece: the attribute `save_slice` of such a variable.

    Attributes:
      name: of the whole.
      full_shape: of the whole.
      offset: where the piece begins.
      shape: of the piece.
    """

    name: str
    full_shape: tuple[int, ...]
    offset: tuple[int, ...]
    shape: tuple[int, ...]

    @property
    def part(self) -> Part:
        """The piece as a part."""
        return Part(tuple(zip(self.offset, self.shape, strict=True)))


def parsed_slice(text: str) -> tuple[tuple[int, ...], Part]:
    """A shape and a part of it, as in `"4 6 0,2:-"`.

    Raises:
      InvalidArgumentError: if it makes no sense.
    """
    *sizes, last = text.split(" ")
    try:
        shape = tuple(map(int, sizes))
        extents = []
        for piece in last.split(":"):
            start, _, length = piece.partition(",")
            extents.append((0, None) if piece == "-" else (int(start), int(length)))
        if len(extents) != len(shape):
            raise ValueError("there are not as many pieces as dimensions")
    except ValueError as error:
        raise invalid_argument(f"Cannot parse the slice {text!r}: {error}") from error
    return shape, Part(tuple(extents))


def covering(parts: Iterable[Part]) -> Iterator[tuple[Part, tuple[slice, ...]]]:
    """Each part and its place in the whole."""
    for part in parts:
        yield part, part.place()


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
