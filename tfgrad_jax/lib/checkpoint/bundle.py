"""Tensors in files, as checkpoints have them: raw data in `PREFIX.data-00000-of-00001`, where each one is in `PREFIX.index`."""

from __future__ import annotations

import math
import os
import re
import struct
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from tfgrad_jax.engine.messages.errors import DataLossError, InvalidArgumentError, NotFoundError, UnimplementedError
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.dtypes import BY_NUMPY, DType, as_dtype
from tfgrad_jax.lib.checkpoint.crc import crc32c, masked
from tfgrad_jax.lib.checkpoint.files import Unfinished, newest
from tfgrad_jax.lib.checkpoint.memory import aligned
from tfgrad_jax.lib.checkpoint.slices import Part, covering, slice_key
from tfgrad_jax.lib.checkpoint.table import read_table, write_table
from tfgrad_jax.ops.io.file_systems import file_system, speaking_of
from tfgrad_jax.ops.io.wire import BadProto, field, fields, read_varint, varint


def index_name(prefix: str) -> str:
    """The path of a checkpoint's table."""
    return prefix + ".index"


def data_name(prefix: str, shard: int, shards: int) -> str:
    """The path of one of its files of data."""
    return f"{prefix}.data-{shard:05d}-of-{shards:05d}"


def data_start(prefix: str) -> str:
    """How the path of the first of its files of data begins, however many there are."""
    return f"{prefix}.data-00000-of-"


def files_of(prefix: str) -> list[str]:
    """The paths of the files that a checkpoint consists of."""
    system = file_system(prefix)
    above, name = os.path.split(prefix)
    pattern = re.compile(re.escape(name) + r"\.(index|data-\d{5}-of-\d{5})(\.tempstate\w*)?")
    found = system.names(above or ".") if system.exists(above or ".") else []
    return [os.path.join(above, other) for other in found if pattern.fullmatch(other)]


class Entry(NamedTuple):
    """What the table says of a tensor."""

    dtype: DType
    shape: tuple[int, ...]
    shard: int
    offset: int
    size: int
    crc: int
    slices: tuple[Part, ...]


class BundleWriter:
    """Writes tensors in TensorFlow's format; nothing is at the prefix before `finish`, or the end of the context.

    Args:
      prefix: the path without what follows for each file.
      shard, shards: which file of data it is, of how many; the first one's writer writes the table, too.

    Attributes:
      entries: what the table will say of each tensor, by key.
    """

    def __init__(self, prefix: str, shard: int = 0, shards: int = 1) -> None:
        self._data, self._index = data_name(prefix, shard, shards), index_name(prefix)
        self._files = Unfinished(self._data) if shard else Unfinished(self._data, self._index)
        self._header = field(1, shards) + field(3, field(1, 1))  # the files, little-endian, version 1
        self._shard = shard
        self.entries: dict[bytes, bytes] = {}
        self._offset = 0

    def __enter__(self) -> BundleWriter:
        self._files.file(self._data)
        return self

    def __exit__(self, kind: Any, *error: Any) -> None:
        if kind is None and not self._shard:
            try:
                table = write_table([(b"", self._header), *sorted(self.entries.items())])
                with speaking_of(self._index):
                    self._files.file(self._index).write(table)
            except BaseException as failed:
                self._files.__exit__(type(failed))
                raise
        self._files.__exit__(kind, *error)

    def add(self, key: str, value: Any) -> None:
        """Write a tensor.

        Args:
          key: its name in the checkpoint.
          value: an array, or what NumPy makes one of; strings are arrays of `bytes`.
        """
        array = np.asarray(value, object if isinstance(value, (str, bytes)) else None)
        dtype = BY_NUMPY[array.dtype.newbyteorder("=")]
        file = self._files.file(self._data)
        with speaking_of(self._data):
            if dtype is dtypes.string:
                pieces = _packed_strings(array)
                size, crc = sum(map(len, pieces)), crc32c()(b"".join(_summed_strings(array, pieces)))
                file.write(b"".join(pieces))
            else:
                raw = _raw(array)
                size, crc = raw.nbytes, crc32c()(raw)
                file.write(raw)
        where = field(3, self._shard) if self._shard else b""
        at = b"".join((where, field(4, self._offset) if self._offset else b"", field(5, size) if size else b""))
        head = _typed(dtype, array.shape)
        self.entries[key.encode(errors="surrogateescape")] = (
            head + at + varint(6 << 3 | 5) + struct.pack("<I", masked(crc))
        )
        self._offset += size

    def add_part(self, key: str, shape: tuple[int, ...], part: Part, value: Any) -> None:
        """Write a part of a tensor.

        Args:
          key: the name of the whole.
          shape: of the whole.
          part: which part it is.
          value: the part.
        """
        array = np.asarray(value)
        self.add(slice_key(key, part).decode(errors="surrogateescape"), array)
        whole = self.entries.setdefault(key.encode(errors="surrogateescape"), _typed(BY_NUMPY[array.dtype], shape))
        self.entries[key.encode(errors="surrogateescape")] = whole + field(7, part.encoded())


def _typed(dtype: DType, shape: tuple[int, ...]) -> bytes:
    """The beginning of an entry: type and shape."""
    sizes = b"".join(field(2, field(1, n) if n else b"") for n in shape)
    return field(1, dtype.as_datatype_enum) + field(2, sizes)


def _raw(array: np.ndarray) -> memoryview:
    """The bytes of an array, without a copy where it lies in a row."""
    little = array.dtype.newbyteorder("<")
    return np.ascontiguousarray(array, little).reshape(-1).view(np.uint8).data


def _texts(array: np.ndarray) -> list[bytes]:
    return [text if isinstance(text, bytes) else str(text).encode() for text in array.reshape(-1).tolist()]


def _packed_strings(array: np.ndarray) -> list[bytes]:
    """Lengths, their checksum, and the strings."""
    texts = _texts(array)
    checked = b"".join(_length(text) for text in texts)
    return [b"".join(varint(len(text)) for text in texts), struct.pack("<I", masked(crc32c()(checked))), *texts]


def _summed_strings(array: np.ndarray, pieces: list[bytes]) -> list[bytes]:
    """What the checksum of all is of: lengths as numbers of a fixed size, their checksum, and the strings."""
    return [*map(_length, pieces[2:]), *pieces[1:]]


def _length(text: bytes) -> bytes:
    return struct.pack("<I" if len(text) < 1 << 32 else "<Q", len(text))


class BundleReader:
    """Reads tensors that this class's counterpart, or TensorFlow, wrote.

    Args:
      prefix: the path without what follows for each file.

    Raises:
      NotFoundError: if there is no such checkpoint.
      DataLossError: if its table is corrupt.
    """

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self._scratch: Any = None  # what is only looked at is read into it
        system = file_system(prefix)
        path = newest(index_name(prefix), data_start(prefix))
        if not system.exists(path):
            raise NotFoundError(
                None,
                None,
                f"Unsuccessful TensorSliceReader constructor: Failed to find any matching files for {prefix}",
            )
        with speaking_of(path), system.open(path, "rb") as file:
            table = dict(read_table(file.read(), path))
        self._path = path
        try:
            self._shards = _header(table.pop(b"", b""))
            self._entries = {key: _entry(value) for key, value in table.items() if not key.startswith(b"\0")}
            self._parts = {key: _entry(value) for key, value in table.items() if key.startswith(b"\0")}
            self.entries = {key.decode(errors="surrogateescape"): entry for key, entry in self._entries.items()}
        except (ValueError, TypeError) as error:
            raise DataLossError(None, None, f"Unable to read file ({path}). Perhaps it is corrupt: {error}") from error

    def _found(self, key: str) -> Entry:
        found = self.entries.get(key)
        if found is None:
            raise NotFoundError(None, None, f"Key {key} not found in checkpoint")
        return found

    def verify(self, keys: Iterable[str]) -> None:
        """Read tensors and compare them with their checksums, without keeping them.

        Raises:
          DataLossError: if one is corrupt.
          NotFoundError: if a key or a file is missing.
        """
        for key in keys:
            self._loaded(key, keep=False)
        self._scratch = None

    def tensor(self, key: str) -> np.ndarray:
        """A tensor as an array that belongs to the caller.

        Raises:
          DataLossError: if it is corrupt.
          NotFoundError: if the key or a file is missing.
        """
        return self._loaded(key, keep=True)

    def _loaded(self, key: str, keep: bool) -> Any:
        entry = self._found(key)
        if not entry.slices:
            return self._read(key, entry, keep)
        whole = np.empty(entry.shape, object if entry.dtype is dtypes.string else entry.dtype.np)
        for part, place in covering(entry.slices):
            found = self._parts.get(slice_key(key, part))
            if found is None:
                raise DataLossError(None, None, f"{self._path}: a slice of {key} is missing")
            whole[place] = self._read(key, found, True)
        return whole

    def _read(self, key: str, entry: Entry, keep: bool) -> Any:
        path = data_name(self.prefix, entry.shard, self._shards)
        system = file_system(path)
        with speaking_of(path):
            length = system.status(path)[0]
        where = f"TensorBundle at {self.prefix} shard {entry.shard} ({entry.size} bytes), key {key}"
        if entry.offset + entry.size > length:
            raise DataLossError(None, None, f"{where}: Read less bytes than requested: the file ends at {length}")
        text = entry.dtype is dtypes.string
        if not text and entry.size != math.prod(entry.shape) * entry.dtype.np.itemsize:
            raise DataLossError(
                None, None, f"{where}: the shape {entry.shape} of {entry.dtype.name} needs another size"
            )
        crc = 0
        if not (keep or text) and self._scratch is None:
            self._scratch = np.empty(_PIECE, np.uint8)
        buffer = aligned(entry.size) if keep or text else self._scratch
        with speaking_of(path), system.open(path, "rb") as file:
            file.seek(entry.offset)
            at = 0
            while at < entry.size:
                n = min(_PIECE, entry.size - at)
                piece = buffer[at : at + n] if keep or text else buffer[:n]
                if _filled(file, piece) < n:
                    raise DataLossError(None, None, f"{where}: Read less bytes than requested")
                if not text:
                    crc = crc32c()(piece, crc)
                at += n
        if text:
            found, crc = _unpacked_strings(buffer.tobytes(), math.prod(entry.shape), where)
        if masked(crc) != entry.crc:
            raise DataLossError(
                None,
                None,
                f"{where}: Checksum does not match: stored {entry.crc} vs. calculated on the restored bytes {masked(crc)}",
            )
        if text:
            strings = np.empty(len(found), object)
            strings[:] = found
            return strings.reshape(entry.shape)
        return buffer.view(entry.dtype.np.newbyteorder("<")).reshape(entry.shape) if keep else None


_PIECE = 1 << 22
"""So many bytes are read, and added to the checksum, at a time."""


def _filled(file: Any, piece: np.ndarray) -> int:
    """Read as many bytes as fit, and say how many there were."""
    if hasattr(file, "readinto"):
        return file.readinto(memoryview(piece))  # type: ignore[arg-type]
    found = file.read(len(piece))
    piece[: len(found)] = np.frombuffer(found, np.uint8)
    return len(found)


def _unpacked_strings(data: bytes, count: int, where: str) -> tuple[list[bytes], int]:
    """The strings, and the checksum of all."""
    lengths, at = [], 0
    try:
        for _ in range(count):
            length, at = read_varint(data, at)
            lengths.append(length)
    except BadProto as error:
        raise DataLossError(None, None, f"{where}: {error}") from error
    checked = b"".join(struct.pack("<I" if n < 1 << 32 else "<Q", n) for n in lengths)
    stored = data[at : at + 4]
    if stored != struct.pack("<I", masked(crc32c()(checked))):
        raise DataLossError(None, None, f"{where}: The length checksum does not match")
    crc = crc32c()(data[at:], crc32c()(checked))
    at += 4
    found = []
    for length in lengths:
        found.append(data[at : at + length])
        at += length
    if at != len(data):
        raise DataLossError(None, None, f"{where}: the strings have another length in all")
    return found, crc


def _header(data: bytes) -> int:
    shards, big = 0, 0
    for number, _, value in fields(data):
        if number == 1:
            shards = value
        elif number == 2:
            big = value
    if big:
        raise UnimplementedError(None, None, "a checkpoint of a big-endian machine")
    if not shards:
        raise BadProto("it has no header")
    return shards


def _entry(data: bytes) -> Entry:
    found: dict[int, Any] = {}
    slices = []
    for number, _, value in fields(data):
        if number == 7:
            slices.append(Part.parsed(value))
        else:
            found[number] = value
    shape = []
    for number, _, value in fields(found.get(2, b"")):
        if number == 2:
            shape.append(next((n for at, _, n in fields(value) if at == 1), 0))
    crc = struct.unpack("<I", found[6])[0] if 6 in found else 0
    try:
        dtype = as_dtype(found.get(1, 0))
    except TypeError as error:
        raise BadProto(f"a tensor has an unknown type ({found.get(1)})") from error
    return Entry(dtype, tuple(shape), found.get(3, 0), found.get(4, 0), found.get(5, 0), crc, tuple(slices))


def check_dtype(key: str, entry: Entry, expected: DType) -> None:
    """Make sure that a tensor has the expected type.

    Raises:
      InvalidArgumentError: if it does not.
    """
    if entry.dtype is dtypes.variant:
        raise UnimplementedError(
            None, None, f"tensor_name = {key}: a state that only TensorFlow can read, such as that of its iterators; leave the "
            "object out of what is restored",
        )  # fmt: skip
    if entry.dtype is not expected:
        raise InvalidArgumentError(
            None, None,
            f"tensor_name = {key}; expected dtype {expected.name} does not equal original dtype {entry.dtype.name} [Op:RestoreV2]",
        )  # fmt: skip
