"""Why variables have no gradient, said by the tape that is asked: the optimizer that hears None only knows that there is none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfgrad_jax.engine.hooks import unanswered
from tfgrad_jax.engine.messages.logging import warn
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.extras.gradients.explain import reasons
from tfgrad_jax.extras.gradients.reason import Reason

SHOWN = 8
"""Of so many variables the reason is logged at once; of the others, how many they are."""

_told: set[int] = set()


@unanswered.fill
def say_why(
    tape: Any, targets: Sequence[Any], sources: Sequence[Any], answers: Sequence[Any], told: set[int] = _told
) -> None:
    """Log for each variable whose gradient is None why that is so, unless that was done before.

    Variables of which the same is to say share a message, which has the way from the first of them.

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
        alike: dict[tuple[str, str], list[Reason]] = {}
        for reason in reasons(tape, targets, silent[:SHOWN]):
            alike.setdefault((reason.reason, reason.text), []).append(reason)
        for first, *others in alike.values():
            first.source = ", ".join([first.source, *[reason.source for reason in others]])
        found = "\n".join([str(first) for first, *_ in alike.values()])
        more = len(silent) - SHOWN
        warn("No gradient for %s%s", found, f"\nand for {more} more; tape.explain tells of all" if more > 0 else "")
