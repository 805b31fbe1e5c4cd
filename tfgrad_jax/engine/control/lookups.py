"""Functions that look up rows of tables: under a tape the lookups come before the function, so that the tape sees them.

The gradient of a compiled function is an array for each input, which for a table would be as large as the table. A lookup that
a tape sees by itself has the rows as its gradient, as slices of the table. So what takes nothing but rows of an input is replaced
by an operand more, the rows.
"""

from __future__ import annotations

from collections.abc import Sequence

from tfgrad_jax.engine.graph.graph import Node
from tfgrad_jax.engine.graph.lifted import Part
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.run.execute import execute
from tfgrad_jax.engine.values.tensor import EagerTensor, Tensor


def lookups(part: Part) -> dict[int, list[Node]]:
    """The inputs of which a graph takes nothing but rows, by position, with the operations that take them."""
    taken: dict[int, list[Node]] = {slot: [] for slot in part.entering}
    whole = {t.slot for t in part.results}
    for node in part.nodes:
        for i, slot in enumerate(node.ins):
            if slot in taken and i == 0 and _takes_rows(node.kernel):
                taken[slot].append(node)
            else:
                whole.add(slot)
    return {i: taken[slot] for i, slot in enumerate(part.entering) if taken[slot] and slot not in whole}


def _takes_rows(kernel: Kernel) -> bool:
    origin = kernel.origin
    return origin is not None and origin.op.takes_rows is not None and origin.op.takes_rows(**origin.attributes)


class Beforehand:
    """A graph whose lookups in some of its inputs come before it.

    Args:
      part: the graph.
      nodes: the lookups.

    Attributes:
      possible: whether the indices can be computed apart from the rest: nothing that they need has an effect.
      rest: what remains, which takes the rows of each lookup besides.
    """

    def __init__(self, part: Part, nodes: Sequence[Node]) -> None:
        graph = part.graph
        self._nodes = nodes
        self._place = {slot: i for i, slot in enumerate(part.entering)}
        self._constants = {n.ins[1]: graph.constants[n.ins[1]] for n in nodes if n.ins[1] in graph.constants}
        known = self._place.keys() | self._constants.keys()
        self._computed = [n.ins[1] for n in nodes if n.ins[1] not in known]
        needed = _needed(part.nodes, self._computed)
        self.possible = not any(n.kernel.stateful or n.kernel.host or not n.kernel.whole for n in needed)
        indices = Part(graph, needed, part.entering, [graph.tensors[s] for s in self._computed])
        self._indices = Kernel(f"{graph.name}_indices", indices.run, differentiable=0, size=len(needed) or 1)
        rows = [graph.new(graph.tensors[n.outs[0]].spec, "rows").slot for n in nodes]
        given = {id(node): slot for node, slot in zip(nodes, rows, strict=True)}
        rest = [_given(n, given[id(n)]) if id(n) in given else n for n in part.nodes]
        self.rest = Part(graph, rest, (*part.entering, *rows), part.outputs, part.results, part.seeded)

    def rows(self, inputs: Sequence[Tensor]) -> list[Tensor]:
        """The rows of each lookup, for what the graph takes."""
        found = dict(zip(self._computed, execute(self._indices, tuple(inputs)) if self._computed else (), strict=True))
        found |= {slot: EagerTensor(value) for slot, value in self._constants.items()}
        found |= {slot: inputs[i] for slot, i in self._place.items()}
        return [execute(n.kernel, (found[n.ins[0]], found[n.ins[1]])) for n in self._nodes]


def _needed(nodes: Sequence[Node], slots: Sequence[int]) -> list[Node]:
    wanted, found = set(slots), []
    for node in reversed(nodes):
        if any(o in wanted for o in node.outs):
            found.append(node)
            wanted.update(node.ins)
    return found[::-1]


def _given(node: Node, slot: int) -> Node:
    """A lookup whose rows are there already; it still checks the indices."""
    kernel = Kernel(node.kernel.name, lambda table, indices, rows: rows, differentiable=0b100)
    check = node.kernel.check
    if check is not None:
        kernel.check, kernel.checked = lambda inputs, outputs: check(inputs[:2], outputs), True
    return Node(kernel, (*node.ins, slot), node.outs, node.name, node.where, node.place)
