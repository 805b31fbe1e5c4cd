"""What a loop does in one turn, taken apart: elements that it takes of arrays, what it makes of them, elements that it puts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from tfgrad_jax.engine.graph.graph import Node
from tfgrad_jax.engine.graph.lifted import Part
from tfgrad_jax.engine.graph.segments import needs_host
from tfgrad_jax.engine.kernels.kernel import Kernel

if TYPE_CHECKING:
    from tfgrad_jax.engine.control.loop_program import LoopProgram


class Along(NamedTuple):
    """Along which axis an element is taken, and whether negative indices count from the end."""

    axis: int
    wraps: bool = False


takes_element: dict[str, Callable[[Kernel], Along | None]] = {}
"""Operations that take an element of their first operand, at the index that is their second, by their raw names: along which axis,
for a kernel of theirs; None if that does something else."""


class Taken(NamedTuple):
    """An element that a turn takes: the place of the array among what enters the body, the slot of the index, and the axis."""

    array: int
    at: int
    along: Along


class Put(NamedTuple):
    """An element that a turn puts into an array: the place of the array; the slot of its index; whether the array grows."""

    array: int
    at: int
    grows: bool


class Turn:
    """What a loop does in one turn, with what it takes, puts and counts apart.

    Attributes:
      counts: operations on integers that indices come from; the host runs them.
      takes, puts: the elements; `elements` are both.
      arrays: the places of the arrays among what enters the body.
      counters: of each variable that counts, the place and the slot of its next value.
      state: the places of the other variables.
      cell: what makes of the elements taken, and of all else that enters, the variables of `state`, what is collected, and the
        elements to be put.
      sources: of each operand of it the place, among what enters the body, what is counted, and the elements taken.
    """

    def __init__(
        self,
        loop: LoopProgram,
        counts: list[Node],
        takes: list[Taken],
        puts: list[Put],
        taken: list[int],
        put: list[int],
        rest: list[Node],
    ) -> None:
        body = loop.body.lifted
        first = 1 + loop.xs
        self.counts, self.takes, self.puts = counts, takes, puts
        self.elements: list[Taken | Put] = [*takes, *puts]
        self.arrays = {one.array for one in self.elements}
        counted = [slot for node in counts for slot in node.outs]
        variables = [at for at in range(first, first + loop.n) if at not in self.arrays]
        ends = {at: body.results[at - first] for at in variables}
        self.counters = [(at, ends[at].slot) for at in variables if ends[at].slot in counted]
        self.state = [at for at in variables if ends[at].slot not in counted]
        gives = [*[ends[at] for at in self.state], *body.results[loop.n :], *[body.graph.tensors[slot] for slot in put]]
        known = [*body.entering, *counted, *taken]
        made = {slot for node in rest for slot in node.outs}
        used = {slot for node in rest for slot in node.ins} | {t.slot for t in gives}
        whole = range(1, first)  # slices that enter the body are among the elements taken
        self.sources = [i for i, slot in enumerate(known) if slot in used and slot not in made and i not in whole]
        self.cell = Part(body.graph, rest, tuple([known[i] for i in self.sources]), gives, seeded=body.reached())


def turn_of(loop: LoopProgram) -> Turn | None:
    """What a loop does in one turn; None if that cannot be taken apart."""
    body = loop.body.lifted
    if loop.boxes or needs_host(body) or any([node.kernel.stateful or node.kernel.reads_values for node in body.nodes]):
        return None
    place = {slot: i for i, slot in enumerate(body.entering)}
    ends = [t.slot for t in body.results]
    first = 1 + loop.xs
    variables = range(first, first + loop.n)
    integers = _integers(body)
    takes = [Taken(1 + i, body.entering[0], Along(0)) for i in range(loop.xs)]
    taken = list(body.entering[1:first])
    puts: list[Put] = []
    put: list[int] = []
    written: dict[int, int] = {}  # what an array is after its element was put, by the place of the array
    rest: list[Node] = []
    for node in body.nodes:
        name = node.kernel.name
        at = place.get(node.ins[0], 0) if node.ins else 0
        indexed = at >= first and len(node.ins) > 1 and node.ins[1] in integers
        along = takes_element[name](node.kernel) if indexed and name in takes_element and len(node.ins) == 2 else None
        if along is not None:
            takes.append(Taken(at, node.ins[1], along))
            taken.extend(node.outs)
        elif indexed and name == "TensorArrayWriteV3" and at in variables and at not in written:
            puts.append(Put(at, node.ins[1], node.kernel.interpret is not None))
            put.append(node.ins[2])
            (written[at],) = node.outs
        else:
            rest.append(node)
    if not takes and not puts:
        return None
    counts = _counts(
        body, integers, [*[one.at for one in takes], *[one.at for one in puts]], dict(zip(body.entering[first:], ends))
    )
    counted = {id(node) for node in counts}
    rest = [node for node in rest if id(node) not in counted]
    turn = Turn(loop, counts, takes, puts, taken, put, rest)
    # Nobody else may see the arrays.
    whole = {body.entering[at] for at in turn.arrays if at >= first}.union(written.values())
    if whole.intersection([*[s for node in (*rest, *counts) for s in node.ins], *[t.slot for t in turn.cell.results]]):
        return None
    if any([ends[at - first] != written.get(at, body.entering[at]) for at in turn.arrays if at in variables]):
        return None
    if loop.test is not None:
        test = loop.test.lifted
        asked = {s for node in test.nodes for s in node.ins} | {t.slot for t in test.results}
        if any([test.entering[at - loop.xs] in asked for at in turn.arrays if at in variables]):
            return None
    return turn


def _integers(body: Part) -> set[int]:
    """The slots of scalar integers that the host can count: they come from outside, or from others by operations on integers."""

    def is_integer(slot: int) -> bool:
        spec = body.specs[slot]
        return spec.shape == () and spec.dtype.is_integer

    found = {slot for slot in (*body.entering, *body.constants) if is_integer(slot)}
    for node in body.nodes:
        kernel = node.kernel
        plain = not (kernel.interpret or kernel.eager or kernel.host or kernel.parts)
        if plain and found.issuperset(node.ins) and all(map(is_integer, node.outs)):
            found.update(node.outs)
    return found


def _counts(body: Part, integers: set[int], indices: Sequence[int], after: Mapping[int, int]) -> list[Node]:
    """The operations that indices come from; `after` are the slots of variables' next values, by those of the variables."""
    wanted = {*indices}
    while True:
        before = len(wanted)
        wanted.update([end for slot, end in after.items() if slot in wanted and end in integers])
        for node in reversed(body.nodes):
            if wanted.intersection(node.outs):
                wanted.update(node.ins)
        if len(wanted) == before:
            return [node for node in body.nodes if wanted.intersection(node.outs)]
