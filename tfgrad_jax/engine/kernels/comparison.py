"""The comparison of a compiled form with interpretation, which no busy moment decides for long."""

from __future__ import annotations

import math

_TRIALS = 5
"""So many calls of the compiled form are compared with as many interpreted ones,"""

_CLEARLY = 4
"""if these are not known to take so many times as long."""

_AGAIN = 64
"""After so many calls the two are compared once more, then after twice as many, and so on,"""

_REPAID = 50
"""but not before what was chosen has taken so many times as long as it takes to ask the other."""

_COPYING = 9e-11
"""So many seconds a byte it takes to copy what interpretation made to where compiled code wants it."""

_HEAVY = 0.25
"""What takes so many seconds interpreted, and is clearly quicker compiled, is not interpreted again for a comparison."""


class Comparison:
    """Calls of the two forms in turns, so that whatever the machine does besides meets both; made again later.

    Attributes:
      left: calls until it begins anew.
      best: what the compiled form took at least, in seconds.
    """

    __slots__ = ("_compared", "_compiled", "_copying", "_interpreted", "best", "left")

    def __init__(self) -> None:
        self.best = math.inf
        self._compared = 0
        self._copying = 0.0
        self.begin()

    def begin(self) -> None:
        """From here on calls are compared."""
        self.left = math.inf
        self._compiled: list[float] = []
        self._interpreted: list[float] = []

    @property
    def is_compiled_next(self) -> bool:
        """Whether it is the compiled form's turn."""
        return len(self._compiled) <= len(self._interpreted)

    def compiled(self, seconds: float) -> None:
        """The compiled form took so long."""
        self._compiled.append(seconds)
        self.best = min(self.best, seconds)

    def interpreted(self, seconds: float, made: int = 0) -> None:
        """Interpretation took so long, and made arrays of so many bytes."""
        self._interpreted.append(seconds)
        self._copying = _COPYING * made

    def verdict(self, best_interpreted: float) -> bool | None:
        """Whether the compiled form is the quicker one; None as long as one cannot tell.

        Args:
          best_interpreted: what interpretation ever took at least.
        """
        # What it took once is no less than it takes; but that may be from long ago.
        clear = best_interpreted > _CLEARLY * self.best and bool(self._interpreted or not self._compared)
        if not clear and min(len(self._compiled), len(self._interpreted)) < _TRIALS:
            return None
        quicker = clear or min(self._compiled) < min(self._interpreted) + self._copying
        chosen, other = (self.best, best_interpreted) if quicker else (best_interpreted, self.best)
        self.left = max(_AGAIN << min(self._compared, 40), _REPAID * other / max(chosen, 1e-9))
        if clear and best_interpreted > _HEAVY:
            self.left = math.inf
        self._compared += 1
        return quicker
