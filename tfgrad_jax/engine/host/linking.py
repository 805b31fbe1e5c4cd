"""Flat programs one after another, linked to one: what is between two calls costs as much as a small call."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from tfgrad_jax.engine.host.flat import LARGE, Flat
from tfgrad_jax.engine.host.rules import Function, Type

Link = tuple[Flat | Function, Sequence[Hashable], Sequence[Hashable]]
"""A program, or a function of arrays that returns a sequence of them; names of its operands, and of its results."""


def linked(
    operands: Sequence[Hashable],
    constants: Mapping[Any, Any],
    links: Sequence[Link],
    results: Sequence[Hashable],
    types: Mapping[Any, Type],
) -> Flat:
    """One program that runs others in order.

    Args:
      operands: names of what it takes, in order.
      constants: arrays by their names.
      links: what it runs.
      results: names of what it gives.
      types: of what has a name, where it is known.
    """
    place: dict[Hashable, int] = {name: i for i, name in enumerate(operands)}
    rest: list[Any] = []

    def slot(value: Any = None) -> int:
        rest.append(value)
        return len(operands) + len(rest) - 1

    for name, value in constants.items():
        place[name] = slot(value)
    steps: list[tuple[int, Function, Any, Any, Any, Sequence[int]]] = []
    ends: dict[int, int] = {}  # after how many steps a named value that is made here is needed last
    for program, ins, outs in links:
        given = [place[name] for name in ins]
        if isinstance(program, Flat):
            made = program.moved_into(given, slot, steps)
        else:
            made = [slot() for _ in outs]
            steps.append((0, program, tuple(given), None, tuple(made), ()))
        for name, i in zip(outs, made, strict=True):
            place[name] = i
            ends[i] = len(steps)
        ends.update(dict.fromkeys(set(given) & ends.keys(), len(steps)))
    for i in [place[name] for name in results]:
        ends.pop(i, None)
    small = {place[name] for name, t in types.items() if name in place and t.nbytes <= LARGE}
    freed: dict[int, list[int]] = {}
    for i, end in ends.items():
        if end and i not in small:
            freed.setdefault(end - 1, []).append(i)
    for end, slots in freed.items():
        *call, frees = steps[end]
        steps[end] = (*call, (*frees, *slots))
    return Flat(
        len(operands),
        rest,
        steps,
        [place[name] for name in results],
        [types[name] for name in results if name in types],
    )
