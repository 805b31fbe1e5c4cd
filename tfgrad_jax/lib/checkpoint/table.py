"""Sorted tables of keys and values, in the format of LevelDB: the index of a checkpoint.

Blocks of entries, whose keys leave out what they share with the key before; after each block its kind of compression and
a checksum; an index of the blocks; a footer that says where the index is.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator

from tfgrad_jax.engine.messages.errors import DataLossError
from tfgrad_jax.lib.checkpoint.crc import crc32c, masked
from tfgrad_jax.lib.checkpoint.snappy import uncompressed
from tfgrad_jax.ops.io.wire import BadProto, read_varint, varint

_MAGIC = 0xDB4775248B80FB57
_FOOTER = 48
_BLOCK = 262144
"""About so many bytes a block has."""

_RESTART = 16
"""So many keys after a whole one leave out what they share."""


class _Block:
    """A block as it is written."""

    def __init__(self, restart: int) -> None:
        self._restart = restart
        self._out = bytearray()
        self._starts = [0]
        self._count = 0
        self.last = b""

    def add(self, key: bytes, value: bytes) -> None:
        shared = 0
        if self._count < self._restart:
            shared = _shared(self.last, key)
        else:
            self._starts.append(len(self._out))
            self._count = 0
        self._out += varint(shared) + varint(len(key) - shared) + varint(len(value)) + key[shared:] + value
        self.last = key
        self._count += 1

    def __len__(self) -> int:
        return len(self._out) + 4 * (len(self._starts) + 1)

    @property
    def empty(self) -> bool:
        return not self._out

    def finished(self) -> bytes:
        return bytes(self._out) + struct.pack(f"<{len(self._starts) + 1}I", *self._starts, len(self._starts))


def _shared(first: bytes, second: bytes) -> int:
    """How many bytes are the same from the start."""
    for at, (a, b) in enumerate(zip(first, second)):
        if a != b:
            return at
    return min(len(first), len(second))


def _between(last: bytes, following: bytes) -> bytes:
    """A short key that is not before `last` and before `following`."""
    at = _shared(last, following)
    if at < min(len(last), len(following)) and last[at] < 255 and last[at] + 1 < following[at]:
        return last[:at] + bytes([last[at] + 1])
    return last


def _after(last: bytes) -> bytes:
    """A short key that is not before `last`."""
    for at, byte in enumerate(last):
        if byte < 255:
            return last[:at] + bytes([byte + 1])
    return last


def write_table(items: Iterable[tuple[bytes, bytes]]) -> bytes:
    """A table.

    Args:
      items: keys in ascending order, and values.
    """
    out = bytearray()
    crc = crc32c()

    def place(block: _Block) -> bytes:
        data = block.finished()
        handle = varint(len(out)) + varint(len(data))
        out.extend(data)
        out.extend(struct.pack("<BI", 0, masked(crc(b"\0", crc(data)))))
        return handle

    index, block, handle, before = _Block(1), _Block(_RESTART), b"", b""
    for key, value in items:
        if handle:
            index.add(_between(before, key), handle)
            handle = b""
        block.add(key, value)
        if len(block) >= _BLOCK:
            handle, before, block = place(block), key, _Block(_RESTART)
    if not block.empty:
        before = block.last
        handle = place(block)
    meta = place(_Block(_RESTART))
    if handle:
        index.add(_after(before), handle)
    handles = meta + place(index)
    return bytes(out) + handles.ljust(_FOOTER - 8, b"\0") + struct.pack("<Q", _MAGIC)


def read_table(data: bytes, name: str) -> Iterator[tuple[bytes, bytes]]:
    """The keys and values of a table.

    Args:
      data: the whole table.
      name: the file, for errors.

    Raises:
      DataLossError: if it is no table, or corrupt.
    """
    if len(data) < _FOOTER:
        raise DataLossError(None, None, f"{name}: file is too short to be an sstable")
    if struct.unpack_from("<Q", data, len(data) - 8)[0] != _MAGIC:
        raise DataLossError(None, None, f"{name}: not an sstable (bad magic number)")
    try:
        footer = data[-_FOOTER:]
        at = 0
        for _ in range(2):  # the block of facts about the table, which has none, comes first
            _, at = read_varint(footer, at)
        for _, handle in _entries(_block(data, footer[at:])):
            yield from _entries(_block(data, handle))
    except (ValueError, struct.error, IndexError) as error:
        raise DataLossError(
            None, None, f"Unable to read file ({name}). Perhaps the file is corrupt: {error}"
        ) from error


def _block(data: bytes, handle: bytes) -> bytes:
    start, at = read_varint(handle, 0)
    size, _ = read_varint(handle, at)
    end = start + size
    if end + 5 > len(data):
        raise BadProto("a block is cut off")
    kind, stored = struct.unpack_from("<BI", data, end)
    if masked(crc32c()(data[start : end + 1])) != stored:
        raise BadProto("block checksum mismatch")
    if kind > 1:
        raise BadProto(f"a block is compressed in an unknown way ({kind})")
    return uncompressed(data[start:end]) if kind else data[start:end]


def _entries(block: bytes) -> Iterator[tuple[bytes, bytes]]:
    (count,) = struct.unpack_from("<I", block, len(block) - 4)
    end = len(block) - 4 * (count + 1)
    at, key = 0, b""
    while at < end:
        shared, at = read_varint(block, at)
        more, at = read_varint(block, at)
        size, at = read_varint(block, at)
        if shared > len(key) or at + more + size > end:
            raise BadProto("an entry is cut off")
        key = key[:shared] + block[at : at + more]
        at += more
        yield key, block[at : at + size]
        at += size
