"""Graphs that hold host operations, cut into stretches: XLA compiles each stretch, and the host operations run between them.

Strings, Python functions and shapes that depend on values are for the host. All else of such a graph is grouped so that as few
programs as possible run: an operation belongs to the first stretch that has all its operands, whatever comes between in the
order of the program. Host operations, and whatever has effects, keep that order among themselves. Where replicas have a device
each, a stretch holds operations of one of them; what brings their values together is the first one's, but for what devices exchange
among themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfgrad_jax.engine.graph.graph import Node, ShapeKernel
from tfgrad_jax.engine.graph.lifted import Part
from tfgrad_jax.engine.kernels.kernel import Kernel


def _never_in_xla(tensor: Any) -> bool:
    """Whether it stays on the host, or is a handle."""
    return tensor.dtype.on_host or not tensor.dtype.is_numpy_compatible


def needs_host(part: Part) -> bool:
    """Whether a graph holds something that XLA cannot have in any program."""
    tensors = part.graph.tensors
    if any(_never_in_xla(tensors[s]) for s in part.entering) or any(map(_never_in_xla, part.results)):
        return True
    return any(never_compiled(node, tensors) for node in part.nodes)


def places(part: Part) -> tuple[Any, ...]:
    """The devices on which replicas recorded operations of a graph, in that order."""
    return tuple(dict.fromkeys([node.place for node in part.nodes if node.place is not None]))


def ends(part: Part) -> tuple[list[Node], list[Node]] | None:
    """The host operations of a graph, if all of them come before everything else or after it; None if some do not.

    An iterator's next element is the usual beginning, an optional value around the results the usual end.
    """
    tensors = part.graph.tensors
    known = {*part.entering, *part.graph.constants}
    first: list[Node] = []
    last: list[Node] = []
    made_last: set[int] = set()
    effects = False
    if any(node.kernel.gradient_of is not None and not node.kernel.gradient_of[0].whole for node in part.nodes):
        return None  # such a gradient is asked of the tape that saw the operation: both run here or there
    for node in part.nodes:
        if not never_compiled(node, tensors):
            if made_last.intersection(node.ins) or (last and node.kernel.stateful):
                return None
            effects = effects or node.kernel.stateful
        elif not effects and not last and known.issuperset(node.ins):
            first.append(node)
            known.update(node.outs)
        else:
            last.append(node)
            made_last.update(node.outs)
    if made_last.intersection([t.slot for t in part.results[len(part.outputs) :]]):
        return None  # a variable's new value, which the program in between is to give
    return first, last


def never_compiled(node: Node, tensors: Sequence[Any]) -> bool:
    """Whether XLA cannot have an operation in any program."""
    kernel = node.kernel
    if kernel.host or not kernel.whole:
        return True
    return any(_never_in_xla(tensors[s]) for s in (*node.ins, *node.outs))


def _on_host(node: Node, tensors: Sequence[Any], sized: set[int], cautious: bool) -> bool:
    kernel = node.kernel
    if kernel.stateful or never_compiled(node, tensors) or _tells_unwritten(kernel):
        return True
    if kernel.interpret is not None and (cautious or not kernel.parts):
        return True
    if kernel.gradient_of is not None:
        forward = kernel.gradient_of[0]
        if not forward.whole or (forward.interpret is not None and (cautious or not forward.parts)):
            return True
    return any(node.ins[i] not in sized for i in kernel.reads_values)


def _tells_unwritten(kernel: Kernel) -> bool:
    """Whether an operation, or one inside, tells what was not written: the next stretch would take that for zeros."""
    return kernel.tells_unwritten or any(_tells_unwritten(n.kernel) for part in kernel.parts for n in part.nodes)


def cut(
    part: Part, cautious: bool, many_sizes: bool = False, apart: Callable[[Node], bool] | None = None
) -> list[Part | Node]:
    """The stretches and host operations of a graph, in an order in which they can run.

    Args:
      part: the graph.
      cautious: whether loops, branches and functions inside run on the host too, since shapes in them depend on values.
      many_sizes: whether it runs with other sizes each time, as of images: where an operation makes one size of all, a new stretch
        begins, which is the same for all of them.
      apart: says of an operation whether it is to stand between the stretches, too.
    """
    tensors, constants = part.graph.tensors, part.graph.constants
    stages: list[tuple[dict[Any, list[Node]], list[Node]]] = []
    stage: dict[int, int] = {}  # from which one on a value is known
    made_at: dict[int, Any] = {}  # on which device, in that stage, operations may take it
    sized = {s for s, v in constants.items() if v.dtype.kind in "iub"}
    sizing: dict[int, Node] = {}  # what computes integers from shapes: known in every stretch, if computed there
    last = 0
    home = next(iter(places(part)), None)  # what brings values together goes with the first replica's own work
    if home is not None and _heavy(part):
        home = None
    for node in part.nodes:
        place = node.place or home
        at = max([stage.get(s, 0) + (made_at.get(s, place) is not place) for s in node.ins], default=0)
        on_host = _on_host(node, tensors, sized, cautious) or (apart is not None and apart(node))
        if on_host:
            last = at = max(at, last)
        elif isinstance(node.kernel, ShapeKernel) or (node.ins and all(s in sized for s in node.ins)):
            sized.update(node.outs)
            sizing.update(dict.fromkeys(node.outs, node))
        seals = many_sizes and not on_host and _is_open(node.ins, tensors) and not _is_open(node.outs, tensors)
        stage.update(dict.fromkeys(node.outs, at + (on_host or seals)))
        while len(stages) <= at:
            stages.append(({}, []))
        if on_host:
            stages[at][1].append(node)
        else:
            made_at.update(dict.fromkeys(node.outs, place))
            stages[at][0].setdefault(place, []).append(node)
    steps: list[Part | Node] = []
    reached = part.reached()
    wanted = {t.slot for t in part.results}
    for compiled, hosted in reversed(stages):
        for node in reversed(hosted):
            steps.append(node)
            wanted.update(node.ins)
        for nodes in reversed(compiled.values()):
            step = _stretch(part, nodes, wanted, sizing, reached)
            steps.append(step)
            wanted.update(step.ins if isinstance(step, Node) else step.entering)
    steps.reverse()
    return steps


def _heavy(part: Part) -> bool:
    """Whether what brings values of replicas together makes so much that it is to be a program of its own.

    Results that other devices read stand in memory in any case. Where the first replica's updates were in the same program, XLA
    would compute the sums again in their loops, and keep a copy of each operand that it has written a sum over.
    """
    tensors = part.graph.tensors
    made = [tensors[s] for n in part.nodes if n.place is None and n.kernel.across is None for s in n.outs]
    return sum(t.spec.size * t.dtype.size for t in made if t.shape.is_fully_defined()) > _PROGRAM


_PROGRAM = 1 << 19
"""What so many bytes cost to write and read again is as much as to begin a program."""


def _is_open(slots: Sequence[int], tensors: Sequence[Any]) -> bool:
    return any([not tensors[s].shape.is_fully_defined() for s in slots])


def _stretch(
    part: Part, nodes: list[Node], wanted: set[int], sizing: dict[int, Node], reached: set[int]
) -> Part | Node:
    tensors = part.graph.tensors
    own = {id(n) for n in nodes}
    earlier: dict[int, Node] = {}

    def recompute(slots: Sequence[int]) -> None:
        for s in slots:
            node = sizing.get(s)
            if node is not None and id(node) not in own and id(node) not in earlier:
                recompute(node.ins)
                earlier[id(node)] = node

    for node in nodes:
        recompute(node.ins)
    if len(nodes) == 1 and not earlier and not nodes[0].kernel.parts and not places(part):
        return nodes[0]  # compiled already, perhaps
    given = [tensors[s] for n in nodes for s in n.outs if s in wanted]
    nodes = [*earlier.values(), *nodes]
    made = {s for n in nodes for s in n.outs}
    entering = dict.fromkeys(s for n in nodes for s in n.ins if s not in made and s not in part.graph.constants)
    # What only host operations without a gradient take gets no cotangent: nothing that leads there alone has a gradient.
    return Part(part.graph, nodes, tuple(entering), given, seeded=reached)
