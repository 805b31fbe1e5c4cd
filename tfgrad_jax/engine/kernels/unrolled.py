"""Loops that Python has unrolled, as the cells of a recurrent network are: in a program that is compiled they are loops again.

XLA takes time for each operation, and as many of them merge more than in proportion: a GRU of 50 steps takes it 20 seconds, one
cell in a loop two seconds, and the loop runs in half the time. So stretches of operations that come again and again are found here,
by their kernels and how they are wired. An operand of a cell is one of four things: a result of the same cell, of the cell before,
the same for all cells, or another one for each. Operations that differ from cell to cell, as where each takes another row of a
tensor, stand apart: before the loop, or after it with all that needs them.
"""

from __future__ import annotations

import bisect
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.kernels.cells import Carried, Fixed, Inside, Loop, Operation, Place, Source, Varied
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.threads.accelerator import on_accelerator

CELLS = 6
"""A loop has so many cells at least,"""

OPERATIONS = 96
"""and so many operations: what is less compiles soon as it is."""

_HEAVY = ("MatMul", "Einsum", "Conv", "Tensordot")
"""One of these, or its gradient, is in each cell: operations on elements alone are merged best where they are not in a loop."""

_EFFORT = 50
"""The search looks at so many operands for each operation that there is, over and over, before it gives up."""

_PERIODS = 8
"""So many distances are tried from where an operation is to where it comes again."""


def with_loops(operations: Sequence[Any], live: Collection[int], types: Callable[[Any], Any]) -> list[Any]:
    """The operations, with loops in the places of stretches that come again and again.

    Args:
      operations: in order.
      live: slots that are needed at the end.
      types: what is known of the types of an operation's results.
    """
    # Only measured where XLA compiles for processors; elsewhere a loop starts each operation of each cell anew.
    heavy = any([_is_heavy(operation.kernel) for operation in operations])
    if len(operations) < OPERATIONS or not heavy or on_accelerator():
        return list(operations)
    return _Search(operations, live, types).found()


class _Search:
    """The search for loops among operations."""

    def __init__(self, operations: Sequence[Operation], live: Collection[int], types: Callable[[Any], Any]) -> None:
        self._operations = operations
        self._live = frozenset(live)
        self._keys = [(o.kernel, types(o)) for o in operations]
        uses = Counter(self._keys)
        numbers: dict[Any, int] = {}
        tokens = []
        self._places: dict[int, list[int]] = {}
        self._made: dict[int, Place] = {}
        self._users: dict[int, list[int]] = {}
        for i, operation in enumerate(operations):
            key = self._keys[i]
            key = key if uses[key] >= CELLS and _may_loop(operation.kernel) else operation.kernel.name
            token = numbers.setdefault(key, len(numbers))
            tokens.append(token)
            self._places.setdefault(token, []).append(i)
            self._made.update({slot: (i, o) for o, slot in enumerate(operation.outs)})
            for slot in operation.ins:
                self._users.setdefault(slot, []).append(i)
        self._tokens = np.array(tokens)
        self._heavy = np.cumsum([0, *[_is_heavy(o.kernel) for o in operations]])
        self._left = _EFFORT * len(operations)

    def found(self) -> list[Operation | Loop]:
        """All operations, in loops where there are."""
        result: list[Operation | Loop] = []
        i = 0
        while i < len(self._operations):
            loop = self._at(i) if self._left > 0 else None
            if loop is None:
                result.append(self._operations[i])
                i += 1
            else:
                result.append(loop)
                i += len(loop.operations)
        return result

    def _at(self, start: int) -> Loop | None:
        """The loop that begins here."""
        tokens = self._tokens
        places = self._places[tokens[start]]
        first = bisect.bisect_right(places, start)
        for period in [i - start for i in places[first : first + _PERIODS]]:
            end = start + period
            if self._heavy[end] == self._heavy[start]:
                continue
            self._left -= 1
            if not np.array_equal(tokens[start:end], tokens[end : end + period]):
                continue
            alike = tokens[end:] == tokens[start:-period]
            count = (len(alike) if alike.all() else int(np.argmin(alike))) // period + 1
            if count >= CELLS and count * period >= OPERATIONS:
                loop = self._wired(start, period, count)
                if loop is not None:
                    return loop
        return None

    def _wired(self, start: int, period: int, count: int) -> Loop | None:
        """The loop of cells from here on that are wired alike; None if they are too few."""
        sources: list[list[Source]] = []
        for j in range(period):
            row = []
            counts = {(len(o.ins), len(o.outs)) for o in self._operations[start + j : start + count * period : period]}
            if len(counts) > 1:  # of one name, but with more operands or results
                return None
            for q in range(len(self._operations[start + j].ins)):
                source, count = self._source(start, period, count, j, q)
                if count < CELLS:
                    return None
                row.append(source)
            sources.append(row)
        sources = [[Varied(s.slots[:count]) if isinstance(s, Varied) else s for s in row] for row in sources]
        return self._divided(start, period, count, sources)

    def _source(self, start: int, period: int, count: int, j: int, q: int) -> tuple[Source, int]:
        """What an operand is, and of how many cells."""
        self._left -= count
        slots = [self._operations[start + k * period + j].ins[q] for k in range(count)]
        made = [self._made.get(slot, (-1, 0)) for slot in slots]
        offset = made[1][0] - start - period
        if 0 <= offset < j:
            place = offset, made[1][1]
            return Inside(place), _alike(made, start, period, place, 0)
        if -period <= offset < 0 and made[0][0] < start:
            place = offset + period, made[1][1]
            return Carried(place, slots[0]), _alike(made, start - period, period, place, 1)
        kept = next((k for k, (i, _) in enumerate(made) if i >= start), count)
        return (Fixed(slots[0]) if len({*slots[:kept]}) == 1 else Varied(tuple(slots))), kept

    def _divided(self, start: int, period: int, count: int, sources: list[list[Source]]) -> Loop | None:
        """The loop, with what differs from cell to cell apart; None if too little is left."""
        operations = self._operations[start : start + period * count]
        if any([o.kernel.stateful or o.kernel.host for o in operations]):
            return None  # what it does besides is done in order
        foreign = {
            j
            for j in range(period)
            if not _may_loop(operations[j].kernel)
            or len({*self._keys[start + j : start + count * period : period]}) > 1
            or (operations[j].kernel.check and not all([isinstance(s, Fixed) for s in sources[j][1:]]))
        }
        before: set[int] = set()
        for j in foreign:
            needed = _needed(j, sources)
            if not any([_is_heavy(operations[i].kernel) for i in needed]):
                before |= needed
        after = foreign - before
        grows = True
        while grows:
            more = {j for j in range(period) if j not in after and not after.isdisjoint(_taken(sources[j]))}
            after, grows = after | more, bool(more)
        core = [j for j in range(period) if j not in before and j not in after]
        if after & before or len(core) * count < OPERATIONS or not any([_is_heavy(operations[j].kernel) for j in core]):
            return None
        for row in sources:
            for q, s in enumerate(row):
                if isinstance(s, (Inside, Carried)) and s.place[0] in before:
                    j, o = s.place
                    slots = [operations[k * period + j].outs[o] for k in range(count)]
                    row[q] = Varied(tuple(slots if isinstance(s, Inside) else [s.first, *slots[:-1]]))
        inside = {start + k * period + j for k in range(count) for j in core}
        emitted = [
            (j, o)
            for j in core
            for o in range(len(operations[j].outs))
            if self._is_emitted(operations, period, count, (j, o), inside, sources, core)
        ]
        return Loop(operations, count, sources, sorted(before), sorted(after), emitted)

    def _is_emitted(
        self,
        operations: Sequence[Operation],
        period: int,
        count: int,
        place: Place,
        inside: set[int],
        sources: list[list[Source]],
        core: list[int],
    ) -> bool:
        """Whether a result is needed outside of the loop; of the last cell alone it is there anyway, if it is carried."""
        j, o = place
        wanted = [
            k
            for k in range(count)
            for slot in [operations[k * period + j].outs[o]]
            if slot in self._live or any([i not in inside for i in self._users.get(slot, ())])
        ]
        if not wanted:
            return False
        carried = any([type(s) is Carried and s.place == place for i in core for s in sources[i]])
        return not carried or wanted != [count - 1]


def _alike(made: Sequence[Place], start: int, period: int, place: Place, first: int) -> int:
    """Of how many cells an operand is the same result; None of them if the first ones are not."""
    j, o = place
    for k in range(first, len(made)):
        if made[k] != (start + k * period + j, o):
            return k
    return len(made)


def _taken(row: list[Source]) -> list[int]:
    """The operations of this cell or the one before whose results an operation takes."""
    return [s.place[0] for s in row if isinstance(s, (Inside, Carried))]


def _needed(j: int, sources: list[list[Source]]) -> set[int]:
    """An operation, and all those of this cell and earlier ones that it needs."""
    found, left = {j}, [j]
    while left:
        more = {*_taken(sources[left.pop()])} - found
        found |= more
        left += more
    return found


def _is_heavy(kernel: Kernel) -> bool:
    return any([name in kernel.name for name in _HEAVY])


def _may_loop(kernel: Kernel) -> bool:
    """Whether an operation may run in a loop: nothing looks at its values, or at more than its operands, while it is traced."""
    return not (kernel.parts or kernel.host or kernel.stateful or kernel.reads_values or kernel.interpret)
