"""Loops that count: how often `while i < n: ...; i += 1` runs is known before it runs, where the integers are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.control.body import Body


def iterations(test: Body, body: Body, carried: Sequence[Any], outside: Mapping[Any, Any]) -> int | None:
    """How often a loop runs: whose condition is `variable < limit`, and whose body adds a positive constant to the variable.

    Args:
      test: the condition, of the number of the iteration and the variables.
      body: gives the variables again, of the same.
      carried: the variables at the start.
      outside: what both take from outside.

    Returns:
      The number; None if the loop is another one, or its integers are not known.
    """
    compared = _made_by(test, test.outputs[0].slot, "Less", "LessEqual")
    if compared is None:
        return None
    left, right = [_source(test, slot, outside) for slot in compared.ins]
    if not isinstance(left, int) or not _is_number(right) or left >= len(carried) or not _is_number(carried[left]):
        return None
    added = _made_by(body, body.outputs[left].slot, "AddV2")
    if added is None:
        return None
    sources = [_source(body, slot, outside) for slot in added.ins]
    steps = [s for s in sources if _is_number(s)]
    if len(steps) != 1 or left not in [s for s in sources if isinstance(s, int)] or int(steps[0]) < 1:
        return None
    start, step = int(carried[left]), int(steps[0])
    limit = int(right) + (compared.kernel.name == "LessEqual")
    count = max(0, -((start - limit) // step))
    # Beyond its type's largest value the variable would begin again from below.
    return count if start + count * step <= np.iinfo(carried[left].dtype).max else None


def _made_by(body: Body, slot: int, *names: str) -> Any:
    """The operation that gives a value, if it is one of these."""
    for node in body.lifted.nodes:
        if slot in node.outs:
            return node if node.kernel.name in names else None
    return None


def _source(body: Body, slot: int, outside: Mapping[Any, Any]) -> Any:
    """Where an operand comes from: the number of a variable, or the value itself; None if it is made inside."""
    lifted = body.lifted
    if slot in lifted.constants:
        return lifted.constants[slot]
    if slot not in lifted.entering:
        return None
    place = lifted.entering.index(slot)
    if place >= lifted.arguments:
        return outside[lifted.keys[place - lifted.arguments]]
    return place - 1 if place else None  # the first argument is the number of the iteration


def _is_number(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in "iu" and value.shape == ()
