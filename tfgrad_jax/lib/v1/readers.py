"""`tf.compat.v1`'s readers: records of files whose names come from a queue, in graphs of sessions."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tfgrad_jax.engine.graph.waiting import recorded_last
from tfgrad_jax.engine.messages.errors import left_to_subclass, unimplemented
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.eager import executing_eagerly
from tfgrad_jax.engine.run.effects import effect, with_eager_context
from tfgrad_jax.engine.run.execute import execute
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.tensor import Spec, Tensor
from tfgrad_jax.lib.io.gfile import GFile
from tfgrad_jax.lib.v1.files import tf_record_iterator

_Record = tuple[bytes, bytes]
_HEAD, _FOOT = 12, 4
"""The bytes around a record: its length and a checksum before it, a checksum behind it."""


@export("compat.v1.ReaderBase")
class ReaderBase:
    """What all readers have. Mirrors `tf.compat.v1.ReaderBase`.

    Args:
      reader_ref: what stands for its state.
      supports_serialize: whether TensorFlow's reader can be serialized.

    Raises:
      RuntimeError: outside of graphs.
    """

    _at_once = False
    """Whether the one record of a file completes it."""

    def __init__(self, reader_ref: Any, supports_serialize: bool = False) -> None:
        if executing_eagerly():
            raise RuntimeError(
                "Readers are not supported when eager execution is enabled. Instead, please use tf.data to get data into "
                "your model."
            )
        self._ref = reader_ref
        self._serializes = supports_serialize
        self._lock = threading.Lock()
        self._forget()

    def _forget(self) -> None:
        self._current: Iterator[_Record] | None = None
        self._produced = self._completed = 0

    @property
    def reader_ref(self) -> Any:
        """What stands for the reader's state."""
        return self._ref

    @property
    def supports_serialize(self) -> bool:
        """Whether TensorFlow's reader can be serialized."""
        return self._serializes

    def _records(self, name: bytes) -> Iterator[_Record]:
        """The keys and values in a file."""
        raise left_to_subclass(self, "_records")

    def _some(self, queue: Any, most: int) -> list[_Record]:
        """Up to so many records of one file: of the next one, if nothing is left of the current one."""
        found: list[_Record] = []
        while not found:
            if self._current is None:
                self._current = self._records(bytes(np.asarray(with_eager_context(queue.dequeue).array).item()))
            for record in self._current:
                found.append(record)
                if len(found) == most and not self._at_once:
                    break
            else:
                self._current = None
                self._completed += 1
        self._produced += len(found)
        return found

    def read(self, queue: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
        """The key of the next record, which tells file and place, and its value. The queue tells the next file where one has ended.

        Raises:
          OutOfRangeError: when it runs, if the queue is closed and empty.
        """

        def run() -> list[np.ndarray]:
            with self._lock:
                return [np.array(part, object) for part in self._some(queue, 1)[0]]

        return tuple(execute(effect("ReaderReadV2", run, [Spec.of(dtypes.string, ())] * 2), ()))

    def read_up_to(self, queue: Any, num_records: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
        """Vectors of the keys and the values of up to `num_records` records, fewer where a file ends. See `read`."""

        def run(most: Any) -> list[np.ndarray]:
            with self._lock:
                found = self._some(queue, int(most))
            return [np.array([record[i] for record in found], object) for i in range(2)]

        many = [Spec.open(dtypes.string, TensorShape([None]))] * 2
        return tuple(execute(effect("ReaderReadUpToV2", run, many), (convert(num_records, dtypes.int64),)))

    def num_records_produced(self, name: str | None = None) -> Tensor:
        """How many records were read."""
        return self._number("ReaderNumRecordsProducedV2", lambda: self._produced)

    def num_work_units_completed(self, name: str | None = None) -> Tensor:
        """How many files were read to their end."""
        return self._number("ReaderNumWorkUnitsCompletedV2", lambda: self._completed)

    @staticmethod
    def _number(op: str, of: Callable[[], int]) -> Tensor:
        made: Tensor = execute(effect(op, lambda: np.array(of(), np.int64), Spec.of(dtypes.int64, ())), ())
        return made

    def reset(self, name: str | None = None) -> Any:
        """Begin anew, with the next file."""

        def run() -> list[np.ndarray]:
            with self._lock:
                self._forget()
            return []

        execute(effect("ReaderResetV2", run, []), ())
        return recorded_last()

    def serialize_state(self, name: str | None = None) -> Tensor:
        """Not supported.

        Raises:
          UnimplementedError: always.
        """
        raise unimplemented(
            "Reader SerializeState: what a reader has read is not written down", "ReaderSerializeStateV2"
        )

    def restore_state(self, state: Any, name: str | None = None) -> Any:
        """Not supported.

        Raises:
          UnimplementedError: always.
        """
        raise unimplemented("Reader RestoreState: what a reader has read is not written down", "ReaderRestoreStateV2")


def _contents(name: bytes) -> bytes:
    with GFile(name.decode(), "rb") as file:
        found: bytes = file.read()
    return found


@export("compat.v1.WholeFileReader")
class WholeFileReader(ReaderBase):
    """Names and contents of files. Mirrors `tf.compat.v1.WholeFileReader`."""

    _at_once = True

    def __init__(self, name: str | None = None) -> None:
        super().__init__(self, supports_serialize=True)

    def _records(self, name: bytes) -> Iterator[_Record]:
        yield name, _contents(name)


@export("compat.v1.IdentityReader")
class IdentityReader(ReaderBase):
    """What the queue has, as key and as value. Mirrors `tf.compat.v1.IdentityReader`."""

    _at_once = True

    def __init__(self, name: str | None = None) -> None:
        super().__init__(self, supports_serialize=True)

    def _records(self, name: bytes) -> Iterator[_Record]:
        yield name, name


@export("compat.v1.TextLineReader")
class TextLineReader(ReaderBase):
    """Lines of files; keys have the number of the line, from 1. Mirrors `tf.compat.v1.TextLineReader`.

    Args:
      skip_header_lines: how many lines of each file are left out.
      name: accepted for compatibility.
    """

    def __init__(self, skip_header_lines: int | None = None, name: str | None = None) -> None:
        super().__init__(self)
        self._skipped = skip_header_lines or 0

    def _records(self, name: bytes) -> Iterator[_Record]:
        lines = _contents(name).split(b"\n")
        if not lines[-1]:
            lines.pop()
        for number, line in enumerate(lines[self._skipped :], self._skipped + 1):
            yield b"%s:%d" % (name, number), line.removesuffix(b"\r")


@export("compat.v1.TFRecordReader")
class TFRecordReader(ReaderBase):
    """Records of files of records; keys have the place of the first byte. Mirrors `tf.compat.v1.TFRecordReader`.

    Args:
      name: accepted for compatibility.
      options: how the files are compressed.
    """

    def __init__(self, name: str | None = None, options: Any = None) -> None:
        super().__init__(self)
        self._options = options

    def _records(self, name: bytes) -> Iterator[_Record]:
        place = 0
        for record in tf_record_iterator(name.decode(), self._options):
            yield b"%s:%d" % (name, place), record
            place += _HEAD + len(record) + _FOOT


@export("compat.v1.FixedLengthRecordReader")
class FixedLengthRecordReader(ReaderBase):
    """Records of one length; keys have their numbers, from 0. Mirrors `tf.compat.v1.FixedLengthRecordReader`.

    Args:
      record_bytes: the length.
      header_bytes, footer_bytes: how much is left out at the beginning and the end of a file.
      hop_bytes: from the beginning of a record to that of the next; `record_bytes` where it is 0 or None.
      name: accepted for compatibility.
      encoding: must be None: compressed files are not supported.

    Raises:
      NotImplementedError: for compressed files.
    """

    def __init__(
        self, record_bytes: int, header_bytes: int | None = None, footer_bytes: int | None = None, hop_bytes: int | None = None,
        name: str | None = None, encoding: str | None = None,
    ) -> None:  # fmt: skip
        super().__init__(self)
        if encoding:
            raise NotImplementedError(
                f"tf.compat.v1.FixedLengthRecordReader: encoding {encoding!r}: use tf.data.FixedLengthRecordDataset"
            )
        self._length, self._hop = record_bytes, hop_bytes or record_bytes
        self._head, self._foot = header_bytes or 0, footer_bytes or 0

    def _records(self, name: bytes) -> Iterator[_Record]:
        contents = _contents(name)
        last = len(contents) - self._foot - self._length
        for number, start in enumerate(range(self._head, last + 1, self._hop)):
            yield b"%s:%d" % (name, number), contents[start : start + self._length]
