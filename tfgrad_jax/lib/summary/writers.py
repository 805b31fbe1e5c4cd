"""Writers of event files, and which of them is the default."""

from __future__ import annotations

import atexit
import contextlib
import itertools
import os
import socket
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.threads.context import going_on_too
from tfgrad_jax.lib.io.paths import path_text
from tfgrad_jax.lib.io.records import TFRecordWriter
from tfgrad_jax.lib.summary.messages import Event
from tfgrad_jax.ops.io.file_systems import file_system

_QUEUE = 10
_MILLISECONDS = 120_000
_number = itertools.count().__next__
_open: weakref.WeakSet[Any] = weakref.WeakSet()


class State(threading.local):
    """What one thread has chosen.

    Attributes:
      writer: the default writer, or None.
      step: the default step, a number or a variable, or None.
      recording: whether to record: a bool, a tensor, or a function of nothing that returns one.
    """

    def __init__(self) -> None:
        self.writer: SummaryWriter | None = None
        self.step: Any = None
        self.recording: Any = True


state = State()


@going_on_too.append
def _go_on(replica: int) -> Callable[[], None]:
    """Replicas record where the program does, and the first one alone."""
    writer, step, recording = state.writer, state.step, state.recording if not replica else False

    def go_on() -> None:
        state.writer, state.step, state.recording = writer, step, recording

    return go_on


@export("summary.SummaryWriter")
class SummaryWriter:
    """Where summaries go. Mirrors `tf.summary.SummaryWriter`; `tf.summary.create_file_writer` makes one."""

    def set_as_default(self, step: Any = None) -> None:
        """Be this thread's default writer from now on; with a step, that is the default step, too."""
        self.check_open()
        state.writer = self
        if step is not None:
            state.step = step

    @contextlib.contextmanager
    def as_default(self, step: Any = None) -> Iterator[SummaryWriter]:
        """A context in which this is the default writer, and `step`, if given, the default step.

        What was recorded is in the file when it ends.
        """
        self.check_open()
        before = state.writer, state.step
        state.writer = self
        if step is not None:
            state.step = step
        try:
            yield self
            self.flush()
        finally:
            state.writer = before[0]
            if step is not None:
                state.step = before[1]

    def check_open(self) -> None:
        """Raise RuntimeError if it was closed."""

    def init(self) -> None:
        """Accepted: a writer is ready when it is made."""
        self.check_open()

    def flush(self) -> None:
        """See that all that was recorded is in the file."""

    def close(self) -> None:
        """Flush, and take nothing more."""

    @property
    def takes(self) -> bool:
        """Whether anything is recorded at all."""
        return False

    def add(self, event: Any) -> None:
        """Take an event."""


class FileWriter(SummaryWriter):
    """A writer of one event file.

    Args:
      folder: where it is made.
      max_queue: so many events wait at most.
      flush_millis: so long they wait at most, if others come.
      suffix: the end of the file's name.
    """

    def __init__(self, folder: str, max_queue: int, flush_millis: int, suffix: str) -> None:
        file_system(folder).make_directories(folder)
        name = f"events.out.tfevents.{int(time.time()):010d}.{socket.gethostname()}.{os.getpid()}.{_number()}{suffix}"
        self._file: TFRecordWriter | None = TFRecordWriter(os.path.join(folder, name))
        self._lock = threading.RLock()
        self._waiting, self._flushed = 0, time.monotonic()
        self._max_queue, self._wait = max_queue, flush_millis / 1000
        _open.add(self)
        self.add(Event(file_version="brain.Event:2", source_metadata={"writer": "tensorflow.core.util.events_writer"}))
        self.flush()

    def check_open(self) -> None:
        """Raise RuntimeError if it was closed."""
        if self._file is None:
            raise RuntimeError(f"SummaryWriter {self!r} is already closed")

    @property
    def takes(self) -> bool:
        """Whether anything is recorded at all."""
        return True

    def add(self, event: Any) -> None:
        """Take an event, at the time that it is now."""
        event.wall_time = time.time()
        with self._lock:
            self.check_open()
            assert self._file is not None
            self._file.write(event.SerializeToString())
            self._waiting += 1
            if self._waiting > self._max_queue or time.monotonic() - self._flushed > self._wait:
                self.flush()

    def flush(self) -> None:
        """See that all that was recorded is in the file."""
        with self._lock:
            if self._file is not None:
                self._file.flush()
            self._waiting, self._flushed = 0, time.monotonic()

    def close(self) -> None:
        """Flush, and take nothing more."""
        with self._lock:
            if self._file is not None:
                self._file.close()
            self._file = None


@atexit.register
def _flush_all() -> None:
    for writer in list(_open):
        writer.flush()


@export("summary.create_file_writer")
def create_file_writer(
    logdir: Any,
    max_queue: int | None = None,
    flush_millis: int | None = None,
    filename_suffix: str | None = None,
    name: str | None = None,
    experimental_trackable: bool = False,
    experimental_mesh: Any = None,
) -> SummaryWriter:
    """A writer of a new event file in a folder. Mirrors `tf.summary.create_file_writer`.

    Args:
      logdir: the folder, which is made if it is not there; None for a writer that records nothing.
      max_queue: so many events wait at most before they are written; 10.
      flush_millis: so long they wait at most; two minutes.
      filename_suffix: the end of the file's name; ".v2".
      name, experimental_trackable, experimental_mesh: accepted for compatibility.
    """
    if logdir is None:
        return create_noop_writer()
    return FileWriter(
        path_text(logdir),
        _QUEUE if max_queue is None else int(max_queue),
        _MILLISECONDS if flush_millis is None else int(flush_millis),
        ".v2" if filename_suffix is None else filename_suffix,
    )


@export("summary.create_noop_writer")
def create_noop_writer() -> SummaryWriter:
    """A writer that records nothing. Mirrors `tf.summary.create_noop_writer`."""
    return SummaryWriter()


@export("summary.flush")
def flush(writer: SummaryWriter | None = None, name: str | None = None) -> None:
    """Flush a writer, or the default one. Mirrors `tf.summary.flush`."""
    chosen = state.writer if writer is None else writer
    if chosen is not None:
        chosen.flush()
