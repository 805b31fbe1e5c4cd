"""Clocks that tell how much work something is, whatever else the machine does meanwhile."""

from __future__ import annotations

import sys
import time

# Windows counts a processor's time in ticks that are longer than most calls.
_COARSE = sys.platform == "win32"

wall = time.perf_counter
processors = time.perf_counter if _COARSE else time.process_time
own = time.perf_counter if _COARSE else time.thread_time
"""The time of this thread: for work that is done on it alone."""


class Watch:
    """Tells how long work takes, of which other threads may do a part.

    That is what the wall clock says, or what all processors spent on this process if that is less, as where others want them too.
    """

    __slots__ = ("_processors", "_wall")

    def __init__(self) -> None:
        self._processors = processors()
        self._wall = wall()

    @property
    def seconds(self) -> float:
        """So long, since this was made."""
        return min(wall() - self._wall, processors() - self._processors)
