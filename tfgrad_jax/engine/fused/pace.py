"""Whether noting operations pays: programs that never repeat, or that read each value at once, are better off in immediate mode."""

from __future__ import annotations

_EVIDENCE = 300
"""So many operations, in a few traces, must have been new before the thread rests,"""

_TRACES = 3
"""in at least about so many traces,"""

_RATIO = 4
"""and so many times as many as were known."""

_WINDOW = 2000
"""So many operations back counts, about; of traces, ten."""

_FIRST_REST = 4000
_LONGEST_REST = 1 << 17

_FLUSH = 10
"""The cost of running a trace, in operations."""

_SHORT = 2
"""A trace of no more operations costs more to note and run than they cost one by one (30 to 45 us against 5 to 20 us)."""

_SHORT_TRACES = 100
"""So many short traces must have followed each other before the thread rests,"""

_SHORT_AGAIN = 10
"""and so many after each rest, before the next one, which is twice as long."""

_FIRST_SHORT_REST = 250
_LONGEST_SHORT_REST = 4000


class Pace:
    """Of one thread: how much of what it noted lately was new.

    Where nearly all is new, over and over, the thread rests from noting and runs its operations immediately; ever longer
    while it finds, in between, that nothing repeats yet. So programs that never repeat lose little against immediate mode,
    and programs that come to repeat are found out. So it rests where each value is read as soon as it is computed: nothing is
    there to be fused.

    Attributes:
      rest: operations to run immediately before noting again.
      reason: why it rests, or rested last.
    """

    __slots__ = ("_known", "_length", "_new", "_short", "_short_length", "_traces", "reason", "rest")

    def __init__(self) -> None:
        self.rest = 0
        self.reason = ""
        self._new = 0.0
        self._traces = 0.0
        self._known = 0.0
        self._length = _FIRST_REST
        self._short = 0
        self._short_length = _FIRST_SHORT_REST

    def note(self, operations: int, is_new: bool) -> None:
        """A trace of so many operations runs, for the first time or not."""
        if operations > _SHORT:
            self._short, self._short_length = 0, _FIRST_SHORT_REST
        else:
            self._short += 1
            if self._short >= _SHORT_TRACES:
                self.rest = self._short_length
                self.reason = "nearly each value was read as soon as it was computed"
                self._short_length = min(self._short_length * 2, _LONGEST_SHORT_REST)
                self._short = _SHORT_TRACES - _SHORT_AGAIN
        weight = operations + _FLUSH
        fades = _WINDOW / (_WINDOW + weight)
        self._new *= fades
        self._known *= fades
        self._traces *= 0.9
        if not is_new:
            self._known += weight
            if self._known > self._new:
                self._length = _FIRST_REST
            return
        self._new += weight
        self._traces += 1
        if self._new > max(_EVIDENCE, _RATIO * self._known) and self._traces > _TRACES:
            self.rest = self._length
            self.reason = "programs did not repeat (new shapes, lengths or operations each time)"
            self._length = min(self._length * 2, _LONGEST_REST)
            # The next time, half as much will do.
            self._new /= 2
            self._traces /= 2
