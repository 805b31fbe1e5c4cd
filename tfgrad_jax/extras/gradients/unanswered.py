"""Why variables have no gradient, said by the tape that is asked: the optimizer that hears None only knows that there is none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfgrad_jax.engine.hooks import unanswered
from tfgrad_jax.engine.messages.logging import warn
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.extras.gradients.explain import reasons

SHOWN = 8
"""Of so many variables the reason is logged at once; of the others, how many they are."""

_told: set[int] = set()


@unanswered.fill
def say_why(
    tape: Any, targets: Sequence[Any], sources: Sequence[Any], answers: Sequence[Any], told: set[int] = _told
) -> None:
    """Log for each variable whose gradient is None why that is so, unless that was done before.

    Args:
      tape: the tape that answered.
      targets, sources: what it was asked.
      answers: its answers.
      told: the identities of those that were logged before; grows.
    """
    silent = []
    for source, answer in zip(sources, answers, strict=True):
        if answer is None and isinstance(source, Variable) and source.identity not in told:
            told.add(source.identity)
            silent.append(source)
    if silent:
        found = "\n".join(map(str, reasons(tape, targets, silent[:SHOWN])))
        more = len(silent) - SHOWN
        warn("No gradient for %s%s", found, f"\nand for {more} more; tape.explain tells of all" if more > 0 else "")
