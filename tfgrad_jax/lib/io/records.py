"""Files of records (TFRecord): one after the other, each with its length and checksums."""

from __future__ import annotations

import ctypes
import itertools
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np

from tfgrad_jax.engine.kernels.native import Beside
from tfgrad_jax.engine.messages.errors import DataLossError, failed_precondition
from tfgrad_jax.engine.messages.optional import optional
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.lib.io import snappy
from tfgrad_jax.lib.io.paths import path_text
from tfgrad_jax.ops.io.file_systems import file_system, speaking_of
from tfgrad_jax.ops.io.wire import windows

_LENGTH = struct.Struct("<Q")
_CHECKSUM = struct.Struct("<I")
_HEADER = struct.Struct("<QI")

_MASK = 0xA282EAD8
"""What is added to checksums, so that those of bytes that hold checksums are good, too."""

_CHUNK = 1 << 18
"""So many bytes are read at a time, unless the caller says otherwise."""


def checksum(needed_by: str) -> Callable[[Any], int]:
    """The masked CRC-32C of bytes, as records and checkpoints have it."""
    crc = optional("crc32c", "records", needed_by).crc32c

    def masked(data: Any) -> int:
        found = crc(data)
        return ((found >> 15 | found << 17) + _MASK) & 0xFFFFFFFF

    return masked


@export("io.TFRecordOptions")
class TFRecordOptions:
    """How records are compressed. Mirrors `tf.io.TFRecordOptions`.

    Args:
      compression_type: `"GZIP"`, `"ZLIB"`, or `""` or None for none.
      flush_mode, input_buffer_size, output_buffer_size: accepted for compatibility.
      window_bits, compression_level, compression_method, mem_level, compression_strategy: as the functions of zlib take them.

    Raises:
      ValueError: if there is no such compression.
    """

    compression_type_map = {0: "", 1: "ZLIB", 2: "GZIP"}  # noqa: RUF012 -- as programs know it

    def __init__(
        self,
        compression_type: Any = None,
        flush_mode: int | None = None,
        input_buffer_size: int | None = None,
        output_buffer_size: int | None = None,
        window_bits: int | None = None,
        compression_level: int | None = None,
        compression_method: int | None = None,
        mem_level: int | None = None,
        compression_strategy: int | None = None,
    ) -> None:
        self.get_compression_type_string(compression_type)
        self.compression_type = compression_type
        self.flush_mode = flush_mode
        self.input_buffer_size = input_buffer_size
        self.output_buffer_size = output_buffer_size
        self.window_bits = window_bits
        self.compression_level = compression_level
        self.compression_method = compression_method
        self.mem_level = mem_level
        self.compression_strategy = compression_strategy

    @classmethod
    def get_compression_type_string(cls, options: Any) -> str:
        """The compression that options, or a name, stand for.

        Raises:
          ValueError: if there is none such.
        """
        if isinstance(options, cls):
            return cls.get_compression_type_string(options.compression_type)
        found = cls.compression_type_map.get(options, options) or ""
        if found not in cls.compression_type_map.values():
            raise ValueError(f'Not a valid compression_type: "{options}"; the types are "", "GZIP" and "ZLIB"')
        return found

    def compressor(self) -> Any:
        """What compresses, or None."""
        kind = self.get_compression_type_string(self)
        if not kind:
            return None
        bits = zlib.MAX_WBITS if self.window_bits is None else self.window_bits
        return zlib.compressobj(
            -1 if self.compression_level is None else self.compression_level,
            zlib.DEFLATED if self.compression_method is None else self.compression_method,
            bits | 16 if kind == "GZIP" else bits,
            9 if self.mem_level is None else self.mem_level,
            zlib.Z_DEFAULT_STRATEGY if self.compression_strategy is None else self.compression_strategy,
        )


class SnappyOptions(TFRecordOptions):
    """Snappy, which `tf.data.Dataset.save` can write, and `tf.io.TFRecordWriter` cannot by name."""

    def compressor(self) -> Any:
        return snappy.Compressor()


@export("io.TFRecordWriter")
class TFRecordWriter:
    """Writes a file of records. Mirrors `tf.io.TFRecordWriter`.

    Args:
      path: the file, which is written anew.
      options: a `tf.io.TFRecordOptions`, or the name of a compression.

    Raises:
      NotFoundError: if the directory does not exist; other classes for what else the system says.
      ValueError: if there is no such compression.
    """

    _file: IO[bytes] | None = None

    def __init__(self, path: Any, options: Any = None) -> None:
        options = options if isinstance(options, TFRecordOptions) else TFRecordOptions(options)
        self._path = path_text(path)
        self._compressor = options.compressor()
        self._checksum = checksum("tf.io.TFRecordWriter")
        with speaking_of(self._path):
            self._file = file_system(self._path).open(self._path, "wb")

    def _opened(self) -> IO[bytes]:
        if self._file is None:
            raise failed_precondition(f"Writer is closed: {self._path}")
        return self._file

    def write(self, record: bytes | str) -> None:
        """Add a record.

        Raises:
          TypeError: if it is no bytes.
          FailedPreconditionError: if the file is closed.
        """
        if not isinstance(record, (bytes, bytearray, str)):
            raise TypeError(f"tf.io.TFRecordWriter.write takes a record as bytes, got {record!r}")
        data = record.encode() if isinstance(record, str) else bytes(record)
        length = _LENGTH.pack(len(data))
        whole = length + _CHECKSUM.pack(self._checksum(length)) + data + _CHECKSUM.pack(self._checksum(data))
        file = self._opened()
        with speaking_of(self._path):
            file.write(self._compressor.compress(whole) if self._compressor else whole)

    def flush(self) -> None:
        """Have all records be in the file."""
        file = self._opened()
        with speaking_of(self._path):
            if self._compressor:
                file.write(self._compressor.flush(zlib.Z_SYNC_FLUSH))
            file.flush()

    def close(self) -> None:
        """Close the file."""
        file, self._file = self._file, None
        if file is not None:
            with speaking_of(self._path), file:
                if self._compressor:
                    file.write(self._compressor.flush())

    def __enter__(self) -> TFRecordWriter:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()


class _Inflated:
    """A compressed file as it was before."""

    def __init__(self, file: IO[bytes], window: int, path: str, chunk: int) -> None:
        self._file, self._window, self._path, self._chunk = file, window, path, chunk
        self._stream = zlib.decompressobj(window)
        self._rest = b""

    def read(self, size: int) -> bytes:
        """At least one byte and at most about `size`; none at the end."""
        while True:
            if self._stream.eof:  # another member may follow
                self._rest, self._stream = self._stream.unused_data, zlib.decompressobj(self._window)
            data = self._rest or self._file.read(self._chunk)
            if not data:
                return b""
            try:
                found = self._stream.decompress(data, size)
            except zlib.error as error:
                raise DataLossError(None, None, f"{self._path}: inflate() failed: {error}") from None
            self._rest = self._stream.unconsumed_tail
            if found:
                return found


def read_records(path: Any, compression_type: Any = None, buffer_size: int | None = None) -> Iterator[bytes]:
    """The records of a file, one after the other.

    Args:
      path: the file.
      compression_type: `"GZIP"`, `"ZLIB"`, `"SNAPPY"`, or `""` or None for none.
      buffer_size: how many bytes are read at a time.

    Yields:
      Each record as bytes.

    Raises:
      DataLossError: if a record is corrupt or cut off; says the file and the offset of what is wrong.
      NotFoundError: if there is no such file; other classes for what else the system says.
    """
    path = path_text(path)
    kind = (
        compression_type
        if compression_type == "SNAPPY"
        else TFRecordOptions.get_compression_type_string(compression_type)
    )
    masked, crc = checksum("reading records"), optional("crc32c", "records", "reading records").crc32c
    chunk = max(buffer_size or _CHUNK, 16)
    with speaking_of(path):
        file = file_system(path).open(path, "rb")
    with file:
        source: Any = file
        if kind == "SNAPPY":
            source = snappy.Expanded(file, path)
        elif kind:
            source = _Inflated(file, zlib.MAX_WBITS | (16 if kind == "GZIP" else 0), path, chunk)
        buffer, offset = b"", 0  # what was read and not given yet, and where that begins
        while True:
            records, at, wrong = _whole_records(buffer, crc)
            yield from records
            if wrong is not None:
                raise DataLossError(None, None, f"{path}: corrupted record at {offset + at}{wrong}")
            size = _HEADER.size  # what the next one needs at least
            if len(buffer) - at >= size:
                length, check = _HEADER.unpack_from(buffer, at)
                if masked(buffer[at : at + _LENGTH.size]) != check:
                    raise DataLossError(None, None, f"{path}: corrupted record at {offset + at}{_NO_LENGTH}")
                size += length + _CHECKSUM.size
            offset += at
            pieces, have = [buffer[at:]], len(buffer) - at
            while have < size:
                with speaking_of(path):
                    more = source.read(max(chunk, size - have))
                if not more:
                    if have < _HEADER.size:
                        return
                    raise DataLossError(None, None, f"{path}: truncated record at {offset}")
                pieces.append(more)
                have += len(more)
                size = max(size, _HEADER.size)
            buffer = b"".join(pieces)


_NO_LENGTH = " (Is this even a TFRecord file?)"


def _code() -> Beside:
    """`records.c`, which is compiled when it pays."""
    kind = ctypes.PYFUNCTYPE(ctypes.c_int64, ctypes.c_char_p, ctypes.c_uint64, ctypes.c_void_p)
    return Beside(Path(__file__).with_suffix(".c"), (), {"records": ("tfgrad_jax_records", kind)})


_compiled = _code()


def _whole_records(buffer: bytes, crc: Callable[[Any], int]) -> tuple[list[bytes], int, str | None]:
    """The records that stand in some bytes as a whole, up to the first that is corrupt.

    Returns:
      The records, where the next one begins, and None or what to say of that one.
    """
    if _compiled.functions:
        places = np.empty(len(buffer) // (_HEADER.size + _CHECKSUM.size) + 1, np.int64)
        count = _compiled.functions["records"](buffer, len(buffer), places.ctypes.data)
        if count >= 0:
            return _between(buffer, bounds := places[: count + 1].tolist()), bounds[-1], None
    with _compiled.missed():
        return _whole_records_in_python(buffer, crc)


def _between(buffer: bytes, bounds: list[int]) -> list[bytes]:
    return [buffer[i + 12 : j - 4] for i, j in itertools.pairwise(bounds)]


def _whole_records_in_python(buffer: bytes, crc: Callable[[Any], int]) -> tuple[list[bytes], int, str | None]:
    starts, at, end = list[int](), 0, len(buffer)
    while at + _HEADER.size <= end:
        after = at + _LENGTH.unpack_from(buffer, at)[0] + _HEADER.size + _CHECKSUM.size
        if after > end:
            break
        starts.append(at)
        at = after
    if not starts:
        return [], 0, None
    records = _between(buffer, [*starts, at])
    places = np.array([*starts, at])
    words = windows(np.frombuffer(buffer, np.uint8), 4)

    def differ(data: Iterable[bytes], written: np.ndarray) -> np.ndarray:
        found = np.fromiter(map(crc, data), np.uint32, len(starts))
        return (found >> 15 | found << 17) + np.uint32(_MASK) != words[written].view("<u4")[:, 0]

    no_length = differ([buffer[i : i + 8] for i in starts], places[:-1] + 8)
    corrupt = no_length | differ(records, places[1:] - 4)
    if not corrupt.any():
        return records, at, None
    first = int(corrupt.argmax())
    if no_length[first]:
        return records[:first], starts[first], _NO_LENGTH
    return records[:first], starts[first] + _HEADER.size, ""
