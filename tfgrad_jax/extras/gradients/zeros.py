"""Where a gradient becomes zeros: what is recorded is walked back once more, and the cotangents on a way are looked at."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tfgrad_jax.engine.composite.indexed_slices import IndexedSlices
from tfgrad_jax.engine.fused.modes import execution
from tfgrad_jax.engine.graph.graph import SymbolicTensor
from tfgrad_jax.engine.kernels.constants import ONES, ONES_LIKE
from tfgrad_jax.engine.tape.backward import Entry, backward_pass, filled
from tfgrad_jax.engine.threads.context import context, set_recorders
from tfgrad_jax.extras.gradients.history import Key


@dataclass(frozen=True, slots=True)
class Lost:
    """Between which values of a way a gradient becomes zeros.

    Attributes:
      last: the place of the value that gets zeros, and is nearest to the target of those.
      first: the place of the next value that gets something else.
      adds_up: whether the operation between them passes something on, which other uses of the value cancel.
    """

    last: int
    first: int
    adds_up: bool

    def sentence(self, operations: str, many: int) -> str:
        """What to say of it, by the names of the operations between the two values."""
        if self.adds_up:
            return (
                f"The gradient comes, but is zero: the uses of one value, {operations} among them, pass on gradients that add "
                f"up to zero."
            )
        which = f"one of {operations}" if many > 1 else operations
        return f"The gradient comes, but is zero: what reaches {which} is not, what it passes on is."


class Cotangents:
    """The cotangents that a tape's answer about targets consists of, without asking the tape.

    Args:
      tape: a tape.
      targets: tensors and variables.
    """

    def __init__(self, tape: Any, targets: Sequence[Any]) -> None:
        self._entries: list[Entry] = tape.kept()[0]
        self._targets = targets
        self.known = (
            bool(self._entries) and context.graph is None and not any(isinstance(t, SymbolicTensor) for t in targets)
        )

    def of(self, keys: set[Key]) -> dict[Key, Any] | None:
        """The cotangents of those of the values that get one; None where that cannot be known.

        Args:
          keys: identities of values. Names of values within functions stand for nothing here.
        """
        with _unseen():
            try:
                seeds = {t.identity: filled(ONES, ONES_LIKE, t) for t in self._targets}
                return backward_pass(self._entries, seeds, keys, consume=False)
            except Exception:  # gradients that Python code gives may fail: then nothing is known, and nothing is said
                return None

    def lost(self, values: Sequence[Key]) -> Lost:
        """Where on a way the gradient becomes zeros.

        Args:
          values: those on the way from the source, whose gradient is zeros, to the target.
        """
        found = self.of(set(values)) or {}
        some = [k for k, value in enumerate(values) if value in found and not is_zero(found[value])]
        first = min(some, default=len(values) - 1)
        last = max([k for k, value in enumerate(values[:first]) if value in found], default=0)
        adds_up = last + 1 == first in some and self._passes(values[last], values[first], found[values[first]])
        return Lost(last, first, adds_up)

    def _passes(self, value: Key, result: Key, cotangent: Any) -> bool:
        """Whether the operation that made a result of a value passes on something else than zeros."""
        for entry in self._entries:
            if list(entry.outputs) == [result] and value in entry.inputs:
                with _unseen():
                    passed = zip(entry.inputs, entry.cotangents([cotangent]), strict=True)
                    return any(i == value and c is not None and not is_zero(c) for i, c in passed)
        return False


@contextlib.contextmanager
def _unseen() -> Iterator[None]:
    """A context whose operations run at once, and are on no tape."""
    recorders = context.recorders
    with execution("immediate"):
        set_recorders(())
        try:
            yield
        finally:
            set_recorders(recorders)


def is_zero(cotangent: Any) -> bool:
    """Whether there is a gradient of which all is zero, and something that could be different."""
    if cotangent is None:
        return False
    values = np.asarray(cotangent.values if isinstance(cotangent, IndexedSlices) else cotangent)
    return values.size > 0 and not np.any(values)
