"""Whether noting operations pays: programs that never repeat are better off in immediate mode."""

from __future__ import annotations

_EVIDENCE = 500
_DECAY = 0.9
_RATIO = 4
_FIRST_REST = 2000
_LONGEST_REST = 1 << 17
_FLUSH = 10


class Pace:
    """Of one thread: how much of what it noted lately was new.

    Where nearly all is new, over and over, the thread rests from noting and runs its operations immediately; ever longer
    while it finds, in between, that nothing repeats yet. So programs that never repeat lose little against immediate mode,
    and programs that come to repeat are found out.

    Attributes:
      rest: operations to run immediately before noting again.
    """

    __slots__ = ("_known", "_length", "_new", "rest")

    def __init__(self) -> None:
        self.rest = 0
        self._new = 0.0
        self._known = 0.0
        self._length = _FIRST_REST

    def note(self, operations: int, is_new: bool) -> None:
        """A trace of so many operations runs, for the first time or not."""
        weight = operations + _FLUSH
        if is_new:
            self._new = self._new * _DECAY + weight
            self._known *= _DECAY
            if self._new > _EVIDENCE and self._new > _RATIO * self._known:
                self.rest = self._length
                self._length = min(self._length * 2, _LONGEST_REST)
                self._new = _EVIDENCE / 2
        else:
            self._known = self._known * _DECAY + weight
            self._new *= _DECAY
            if self._known > self._new:
                self._length = _FIRST_REST
