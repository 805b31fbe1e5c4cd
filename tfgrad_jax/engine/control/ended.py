"""What a function assigns although an iterator in it has ended: all that does not depend on what the host would have given.

Nothing orders the two in TensorFlow's graphs, where what is ready runs while the iterator looks for its next element. So a step
that meets the end of its data has counted itself, and has taken the seeds of its random layers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import compress

from tfgrad_jax.engine.control.interpret import Interpreter, constant
from tfgrad_jax.engine.graph.graph import Node
from tfgrad_jax.engine.graph.lifted import Lifted, Part
from tfgrad_jax.engine.graph.segments import never_compiled
from tfgrad_jax.engine.kernels.kernel import compiled_only
from tfgrad_jax.engine.run.execute import alias, immediate
from tfgrad_jax.engine.state.box import Box
from tfgrad_jax.engine.threads.context import switched
from tfgrad_jax.engine.values.tensor import Tensor


def assign(lifted: Lifted, inputs: Sequence[Tensor], boxes: Sequence[Box]) -> None:
    """Give boxes those of their new values that need no operation on the host.

    Args:
      lifted: the graph.
      inputs: what enters it.
      boxes: the boxes that it writes, whose locks this thread holds.
    """
    missing = _missing(lifted, set())
    entering = set(lifted.entering)
    ends = [t.slot for t in lifted.results[len(lifted.outputs) :]]
    known = [(box, s) for box, s in zip(boxes, ends, strict=True) if s not in missing and s not in entering]
    with switched(None, immediate):
        values = dict(zip(lifted.entering, inputs, strict=True))
        _run(lifted, values, [s for _, s in known])
        for box, slot in known:
            box.replace(alias(values[slot], box.id))


def _missing(part: Part, missing: set[int]) -> set[int]:
    """The slots that depend on the host or on an effect, or on what is missing already; functions inside are looked into."""
    for node in part.nodes:
        if never_compiled(node, part.graph.tensors) or node.kernel.stateful:
            missing.update(node.outs)
        elif missing.isdisjoint(node.ins):
            continue
        elif (inner := _inlined(node)) is None:
            missing.update(node.outs)
        else:
            taken = {s for s, given in zip(inner.entering, node.ins, strict=True) if given in missing}
            inside = _missing(inner, taken)
            lost = [t.slot in inside for t in inner.results]
            count = len(inner.outputs)
            if any(lost[count:]):  # what a call gives waits for what it assigns
                lost[:count] = [True] * count
            missing.update(compress(node.outs, lost))
    return missing


def _inlined(node: Node) -> Part | None:
    """The graph of a called function; None if the operation is no call, or one that is a program by itself."""
    return None if node.kernel.interpreter is compiled_only else node.kernel.called


def _needed(part: Part, wanted: Iterable[int]) -> tuple[list[Node], set[int]]:
    """The operations that some slots need, and all slots that these need."""
    slots, nodes = set(wanted), []
    for node in reversed(part.nodes):
        if slots.isdisjoint(node.outs):
            continue
        nodes.append(node)
        inner = _inlined(node)
        if inner is None:
            slots.update(node.ins)
        else:
            inside = _needed(inner, _asked(node, inner, slots))[1]
            slots.update(given for s, given in zip(inner.entering, node.ins, strict=True) if s in inside)
    return nodes[::-1], slots


def _asked(node: Node, inner: Part, slots: set[int]) -> list[int]:
    """The slots in a called function whose values the call is asked for."""
    return [t.slot for s, t in zip(node.outs, inner.results, strict=True) if s in slots]


def _run(part: Part, values: dict[int, Tensor], wanted: Iterable[int]) -> None:
    """Add the values of the slots that are wanted to those that are known, and of what these need."""
    nodes, slots = _needed(part, wanted)
    values.update({s: constant(v) for s, v in part.graph.constants.items() if s in slots})
    one_by_one = Interpreter(part.nodes, values, part.specs)
    for node in nodes:
        inner = _inlined(node)
        if inner is None:
            one_by_one.run(node)
            continue
        inside = {s: values[given] for s, given in zip(inner.entering, node.ins, strict=True) if given in values}
        _run(inner, inside, _asked(node, inner, slots))
        values.update({s: inside[t.slot] for s, t in zip(node.outs, inner.results, strict=True) if t.slot in inside})
