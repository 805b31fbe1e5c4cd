"""Flat programs: NumPy calls in order, over slots."""

from __future__ import annotations

import contextvars
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.host.rules import Function, Type

LARGE = 1 << 14
"""Arrays of more bytes are let go of as soon as nobody needs them."""


_quiet = contextvars.Context()
_quiet.run(np.seterr, all="ignore")


def quietly(function: Callable[..., Any], *arrays: np.ndarray) -> Any:
    """What NumPy code gives that asks nothing of the user's: NumPy warns of nothing there, as XLA does not.

    It keeps what it warns of in a context variable, so this is `np.errstate` in a tenth of the time.
    """
    return _quiet.copy().run(function, *arrays)


class Flat:
    """A function of NumPy arrays: calls in order, on slots.

    Args:
      count: the number of operands, which are in the first slots.
      rest: what is in the other slots at first: constants, and None.
      steps: how a call is made, what is called, on which slots, into which slot (or slots), and which are emptied after it.
      results: the slots of the results, and `types` their types.
    """

    __slots__ = ("_rest", "_results", "_steps", "count", "types")

    def __init__(
        self,
        count: int,
        rest: Sequence[Any],
        steps: Sequence[tuple[int, Function, Any, Any, Any, Sequence[int]]],
        results: Sequence[int],
        types: Sequence[Type],
    ) -> None:
        self.count = count
        self._rest = rest
        self._steps = steps
        self._results = results
        self.types = types

    @property
    def cost(self) -> int:
        """About how many calls it makes."""
        return sum([getattr(step[1], "cost", 1) for step in self._steps])

    @property
    def only(self) -> Function | None:
        """The one NumPy call that it makes of its operands as they come, and whose result is its own; None if it does more."""
        if len(self._steps) != 1:
            return None
        kind, function, first, second, out, _ = self._steps[0]
        places = {1: (first,), 2: (first, second)}.get(kind)
        return function if places == tuple(range(self.count)) and list(self._results) == [out] else None

    def moved_into(
        self,
        operands: Sequence[int],
        slot: Callable[[Any], int],
        steps: list[tuple[int, Function, Any, Any, Any, Sequence[int]]],
    ) -> list[int]:
        """Let another program make these calls as well.

        Args:
          operands: the slots there of what it takes.
          slot: gives a new slot there, with what is in it at first.
          steps: those of the other program; its own are added. Returned are the slots there of the results.
        """
        place = [*operands, *map(slot, self._rest)]
        for kind, function, first, second, out, frees in self._steps:
            outs = place[out] if type(out) is int else tuple([place[o] for o in out])
            # Others may still need an operand.
            kept = tuple([place[i] for i in frees if i >= self.count])
            if kind:
                steps.append((kind, function, place[first], place[second], outs, kept))
            else:
                steps.append((0, function, tuple([place[i] for i in first]), None, outs, kept))
        return [place[i] for i in self._results]

    def __call__(self, *arrays: Any) -> list[Any]:
        """The results, as NumPy arrays or scalars; views of operands among them, perhaps."""
        values = [*arrays, *self._rest]
        # Most calls have one operand or two, and one result: those are written out, because this is what all time goes into.
        for kind, function, first, second, out, frees in self._steps:
            if kind == 2:
                values[out] = function(values[first], values[second])
            elif kind == 1:
                values[out] = function(values[first])
            else:
                made = function(*[values[i] for i in first])
                if type(out) is int:
                    values[out] = made
                else:
                    for slot, value in zip(out, made, strict=True):
                        values[slot] = value
            if frees:
                for i in frees:
                    values[i] = None
        return [values[i] for i in self._results]
