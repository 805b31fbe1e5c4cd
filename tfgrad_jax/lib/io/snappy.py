"""Snappy, as TensorFlow writes it into files: blocks, each after its compressed length.

A block is the length of its text, then pieces: bytes as they stand, or a distance back in the text and how many bytes to copy
from there. See https://github.com/google/snappy/blob/main/format_description.txt.
"""

from __future__ import annotations

from typing import IO

from tfgrad_jax.engine.messages.errors import DataLossError
from tfgrad_jax.ops.io.wire import BadProto, read_varint, varint

_BLOCK = 1 << 16
"""So many bytes make a block."""

_SHORTEST, _LONGEST = 4, 64
"""Lengths of what is copied by one piece."""

_PATIENCE = 5
"""After each 2 ** 5 places at which nothing was found, they are looked at less densely."""

_FAR = (1 << 16) - 1
"""The largest distance that is written."""


class Compressor:
    """Compresses what it is given bit by bit, with the methods of `zlib`'s."""

    def __init__(self) -> None:
        self._held = bytearray()

    def compress(self, data: bytes) -> bytes:
        """What can be written now."""
        self._held += data
        out = b""
        while len(self._held) >= _BLOCK:
            out += _framed(bytes(self._held[:_BLOCK]))
            del self._held[:_BLOCK]
        return out

    def flush(self, mode: int = 0) -> bytes:
        """The rest."""
        held, self._held = bytes(self._held), bytearray()
        return _framed(held) if held else b""


class Expanded:
    """A compressed file as it was before.

    Args:
      file: the file.
      path: what it is called.
    """

    def __init__(self, file: IO[bytes], path: str) -> None:
        self._file, self._path = file, path

    def read(self, size: int) -> bytes:
        """The next block; none at the end.

        Raises:
          DataLossError: if it is damaged.
        """
        length = self._file.read(4)
        if not length:
            return b""
        block = self._file.read(int.from_bytes(length, "big"))
        try:
            if len(length) < 4 or len(block) < int.from_bytes(length, "big"):
                raise BadProto("it ends within a block")
            return expanded(block) or self.read(size)
        except (BadProto, IndexError) as error:
            raise DataLossError(None, None, f"{self._path}: Snappy: {error}") from error


def _framed(text: bytes) -> bytes:
    block = compressed(text)
    return len(block).to_bytes(4, "big") + block


def compressed(text: bytes) -> bytes:
    """A block."""
    out, seen = bytearray(varint(len(text))), dict[bytes, int]()
    at = written = misses = 0
    while at + _SHORTEST <= len(text):
        key = text[at : at + _SHORTEST]
        before = seen.get(key, -1)
        seen[key] = at
        if before < 0 or at - before > _FAR:
            misses += 1
            at += 1 + (misses >> _PATIENCE)
            continue
        size = _alike(text, before, at)
        _add_bytes(out, text[written:at])
        _add_copy(out, at - before, size)
        at = written = at + size
        misses = 0
    _add_bytes(out, text[written:])
    return bytes(out)


def _alike(text: bytes, first: int, second: int) -> int:
    """How many bytes are the same from two places on, at least `_SHORTEST`."""
    size = _SHORTEST
    while text[first + size : first + size + 64] == text[
        second + size : second + size + 64
    ] and second + size + 64 <= len(text):
        size += 64
    while second + size < len(text) and text[first + size] == text[second + size]:
        size += 1
    return size


def _add_bytes(out: bytearray, text: bytes) -> None:
    if not text:
        return
    last = len(text) - 1
    if last < 60:
        out.append(last << 2)
    else:
        count = (last.bit_length() + 7) // 8
        out.append((59 + count) << 2)
        out += last.to_bytes(count, "little")
    out += text


def _add_copy(out: bytearray, distance: int, size: int) -> None:
    while size:
        now = min(size, _LONGEST)
        out.append((now - 1) << 2 | 2)
        out += distance.to_bytes(2, "little")
        size -= now


def expanded(block: bytes) -> bytes:
    """The text of a block.

    Raises:
      BadProto: if it is damaged.
      IndexError: if it ends within a piece.
    """
    length, at = read_varint(block, 0)
    out = bytearray()
    while at < len(block):
        tag = block[at]
        at += 1
        kind, size = tag & 3, (tag >> 2) + 1
        if not kind:
            if size > 60:
                count = size - 60
                size = int.from_bytes(block[at : at + count], "little") + 1
                at += count
            if at + size > len(block):
                raise BadProto("it ends within a piece")
            out += block[at : at + size]
            at += size
            continue
        if kind == 1:
            size, distance = (tag >> 2 & 7) + 4, (tag & 0xE0) << 3 | block[at]
            at += 1
        else:
            count = 2 if kind == 2 else 4
            distance = int.from_bytes(block[at : at + count], "little")
            at += count
        start = len(out) - distance
        if start < 0 or not distance:
            raise BadProto("a piece is to be copied from before the beginning")
        piece = out[start : start + size]
        out += piece if size <= distance else (piece * (size // distance + 1))[:size]
    if len(out) != length:
        raise BadProto(f"a block has {len(out)} bytes, and says {length}")
    return bytes(out)
