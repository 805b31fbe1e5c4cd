"""What several processes print, brought together line by line."""

from __future__ import annotations

import threading
import time
from collections import deque
from contextlib import suppress
from typing import IO, Any

_TRACEBACK = b"Traceback (most recent call last):"
_KEPT = 400
"""So many of the last lines of a process are kept: more than a traceback has."""


class Lines:
    """A stream on which lines of several processes stand one below the other.

    A line that is not at its end, such as a progress bar that goes back to its beginning by a carriage return, is shown as it
    grows where the stream is a terminal and no other process has such a line there; otherwise when it ends, as it is then.

    Args:
      stream: takes bytes.
      terminal: whether somebody looks at it.
    """

    def __init__(self, stream: IO[bytes], terminal: bool) -> None:
        self._stream = stream
        self._terminal = terminal
        self._lock = threading.Lock()
        self._growing: Any = None

    def end(self, who: Any, line: bytes) -> None:
        """Write a whole line of a process."""
        with self._lock:
            if self._growing is not None:
                self._stream.write(b"\r\x1b[K" if self._growing is who else b"\n")
                self._growing = None
            self._stream.write(line + b"\n")
            self._stream.flush()

    def grow(self, who: Any, line: bytes) -> None:
        """Show a line of a process that is not at its end, if there is a place for it."""
        with self._lock:
            if self._terminal and self._growing in (None, who):
                self._stream.write((b"\r\x1b[K" if self._growing is who else b"") + line)
                self._stream.flush()
                self._growing = who


class Follower(threading.Thread):
    """Reads what a process prints until it ends, and hands on each line.

    Args:
      source: the process' end of a pipe.
      lines: where they are shown.
      prefix: what stands before each.

    Attributes:
      failed_at: when the last traceback began, or None.
    """

    def __init__(self, source: IO[bytes], lines: Lines, prefix: bytes) -> None:
        super().__init__(daemon=True)
        self.failed_at: float | None = None
        self._source = source
        self._lines = lines
        self._prefix = prefix
        self._last: deque[bytes] = deque(maxlen=_KEPT)
        self._since = 0  # how many lines there are since the last traceback began
        self.start()

    def run(self) -> None:
        with (
            self._source,
            suppress(OSError),
        ):  # where nobody takes the lines, the process is told when it writes the next
            left = b""
            while got := self._source.read1(1 << 16):  # type: ignore[attr-defined]
                *whole, left = (left + got).replace(b"\r\n", b"\n").split(b"\n")
                for line in whole:
                    self._end(line)
                left = left[left.rfind(b"\r", 0, max(left.rfind(b"\r"), 0)) + 1 :]  # no more than two states are of use
                if shown := _last_state(left):
                    self._lines.grow(self, self._prefix + shown)
            if left:
                self._end(left)

    def traceback(self) -> list[bytes]:
        """The lines of the last traceback, with what came after it; none if that was much."""
        return list(self._last)[-self._since :] if 0 < self._since <= _KEPT else []

    def _end(self, line: bytes) -> None:
        line = _last_state(line)
        if line.startswith(_TRACEBACK):
            self.failed_at, self._since = time.monotonic(), 0
        if self.failed_at is not None:
            self._since += 1
        self._last.append(line)
        self._lines.end(self, self._prefix + line)


def _last_state(line: bytes) -> bytes:
    """What is seen of a line in which carriage returns and backspaces go back to its beginning."""
    states = [state for state in (part.strip(b"\b") for part in line.split(b"\r")) if state]
    return states[-1] if states else b""
