"""Why variables have no gradient, said by the tape that is asked: the optimizer that hears None only knows that there is none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfgrad_jax.engine.graph.graph import SymbolicTensor
from tfgrad_jax.engine.hooks import unanswered
from tfgrad_jax.engine.messages.logging import warn
from tfgrad_jax.engine.state.unanswered import keep, waiting
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.tape.sources import asked
from tfgrad_jax.extras.gradients.explain import reasons
from tfgrad_jax.extras.gradients.reason import Reason

SHOWN = 8
"""Of so many variables the reason is logged at once; of the others, how many they are."""

_told: set[Any] = set()


@unanswered.fill
def say_why(
    tape: Any,
    targets: Sequence[Any],
    sources: Sequence[Any],
    answers: Sequence[Any],
    at_once: bool,
    told: set[Any] = _told,
) -> None:
    """Log for each variable whose gradient is None why that is so, unless that was done before.

    Variables of which the same is to say share a message, which has the way from the first of them.

    Args:
      tape: the tape that answered.
      targets, sources: what it was asked; variables of other libraries as they are.
      answers: its answers.
      at_once: whether it is logged now, or only if an optimizer is given the variables: None may be what the program wants.
      told: the identities of those that were logged before, in functions with what was said; grows.
    """
    recorded = any(isinstance(target, SymbolicTensor) for target in targets)
    silent: dict[int, Any] = {}
    for source, value, answer in zip(sources, asked(list(sources), "source"), answers, strict=True):
        if answer is None and isinstance(value, Variable) and value.identity not in told:
            silent[value.identity] = source
    if not silent:
        return
    if not (at_once or recorded) and all(identity in waiting for identity in silent):
        return  # with what was found before: to look for it takes longer than a small step
    alike: dict[tuple[str, str], list[Reason]] = {}
    keys: list[Any] = []
    for identity, reason in zip(silent, reasons(tape, targets, list(silent.values())[:SHOWN]), strict=False):
        # What is recorded anew may be another function, in which something else is in the way.
        key = (identity, reason.text) if recorded else identity
        if key not in told:
            keys.append(key)
            alike.setdefault((reason.reason, reason.text), []).append(reason)
    if not alike:
        return
    for first, *others in alike.values():
        first.source = ", ".join([first.source, *[reason.source for reason in others]])
    found = "\n".join([str(first) for first, *_ in alike.values()])
    more = len(silent) - SHOWN
    known = keys if recorded else list(silent)  # what waits to be said keeps no variable alive

    def say() -> None:
        told.update(known)
        warn("No gradient for %s%s", found, f"\nand for {more} more; tape.explain tells of all" if more > 0 else "")

    if at_once:
        say()
    else:
        keep(silent, say)
