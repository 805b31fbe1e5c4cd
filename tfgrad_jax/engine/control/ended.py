"""What a function assigns although an iterator in it has ended: all that does not depend on what the host would have given.

Nothing orders the two in TensorFlow's graphs, where what is ready runs while the iterator looks for its next element. So a step
that meets the end of its data has counted itself, and has taken the seeds of its random layers; a loop of steps has made those
before. Each graph on the error's way out adds to it what it has to give, from which the one around it finds its own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import compress

from tfgrad_jax.engine.control.interpret import Interpreter, constant
from tfgrad_jax.engine.graph.graph import Node
from tfgrad_jax.engine.graph.lifted import Lifted, Part
from tfgrad_jax.engine.graph.segments import never_compiled
from tfgrad_jax.engine.kernels.constants import ALIAS
from tfgrad_jax.engine.kernels.kernel import compiled_only
from tfgrad_jax.engine.messages.errors import OutOfRangeError
from tfgrad_jax.engine.run.execute import alias, immediate
from tfgrad_jax.engine.state.box import Box
from tfgrad_jax.engine.threads.context import switched
from tfgrad_jax.engine.values.tensor import Tensor


def leave(error: OutOfRangeError, lifted: Lifted, values: Mapping[int, Tensor], failed: Node) -> None:
    """Let an error know what a graph that it leaves has to give: of its results the boxes that were assigned.

    Args:
      error: the error.
      lifted: the graph.
      values: the slots whose values are at hand.
      failed: the operation that raised it.
    """
    inside = error.so_far
    last: dict[int, Tensor] = {}
    if inside is not None and any([part is inside[0] for part in failed.kernel.parts]):
        last.update((s, t) for s, t in zip(failed.outs, inside[1], strict=True) if t is not None)
    error.so_far = lifted, _results(lifted, values, failed, last)


def leave_loop(error: OutOfRangeError, body: Lifted, carried: Sequence[Tensor]) -> None:
    """Let an error that leaves a loop know the values of all boxes that this assigns: the last of its results, as of its body's.

    Args:
      error: the error.
      body: the graph of the body.
      carried: the values of the boxes before the iteration that failed.
    """
    found = error.so_far
    last = found[1] if found is not None and found[0] is body else [None] * len(body.results)
    count = len(body.outputs)
    ends = [before if after is None else after for before, after in zip(carried, last[count:], strict=True)]
    error.so_far = body, [*last[:count], *ends]


def assign(error: OutOfRangeError, lifted: Lifted, boxes: Sequence[Box]) -> None:
    """Give boxes the values that an error has brought along.

    Args:
      error: the error, which has left the graph.
      lifted: the graph.
      boxes: the boxes that it writes, whose locks this thread holds.
    """
    found, error.so_far = error.so_far, None
    if found is None or found[0] is not lifted:
        return
    with switched(None, immediate):
        for box, value in zip(boxes, found[1][len(lifted.outputs) :], strict=True):
            if value is not None:
                box.replace(alias(value, box.id))


def _results(
    lifted: Lifted, values: Mapping[int, Tensor], failed: Node, last: Mapping[int, Tensor]
) -> list[Tensor | None]:
    """None for each output; for each box what it was assigned last before what is missing, None if there is no such thing.

    Args:
      lifted: the graph.
      values: the slots whose values are at hand.
      failed: the operation that failed.
      last: what that has left in boxes, by the slots that it gives; nothing takes it.
    """
    absent = {s for s in lifted.entering if s not in values}
    ends_here = set(last)
    missing = _missing(lifted, set(absent), values, ends_here)
    made = {*values, *lifted.graph.constants, *[s for node in lifted.nodes for s in node.outs]} - missing | ends_here
    # Values that were made, and were needed no more, are not at hand; yet what followed them has been done.
    done = {s for node in lifted.nodes[: lifted.nodes.index(failed)] for s in node.outs}
    undone = _missing(lifted, absent, {*values, *done}, set())
    ends: list[int | None] = []
    for box, result in zip(lifted.boxes, lifted.results[len(lifted.outputs) :], strict=True):
        written = lifted.graph.written.get(box.id, ())
        end = None
        for slot in [*written, result.slot] if written else ():
            if slot in made:
                end = slot
            if slot in undone:
                break
        ends.append(end)
    known = {**values, **last}
    with switched(None, immediate):
        _run(lifted, known, [s for s in ends if s is not None])
    return [*[None] * len(lifted.outputs), *[None if s is None else known[s] for s in ends]]


def _missing(part: Part, missing: set[int], known: Collection[int], ends: set[int]) -> set[int]:
    """The slots that depend on the host or on an effect, or on what is missing already; functions inside are looked into.

    Args:
      part: the graph.
      missing: slots that are missing; all others are added.
      known: slots whose values are known.
      ends: is added those slots that are missing to others, which wait for the whole of a call, but which it gives.
    """
    waits = part.graph.waits
    late: set[int] = set()  # what waits for what is missing, although it may have been computed before its turn
    for node in part.nodes:
        inner = _inlined(node)
        if not late.isdisjoint(node.ins) or any([not missing.isdisjoint(waits.get(s, ())) for s in node.outs]):
            late.update(node.outs)
            missing.update(node.outs)
            continue
        on_host = never_compiled(node, part.graph.tensors) or node.kernel.stateful
        if on_host and inner is None:
            missing.update([s for s in node.outs if s not in known])
        elif not on_host and missing.isdisjoint(node.ins):
            continue
        elif node.kernel is ALIAS and node.ins[0] in ends:
            missing.update(node.outs)
            ends.update(node.outs)
        elif inner is None or not missing.isdisjoint(node.ins[len(node.ins) - len(inner.read) :]):
            missing.update([s for s in node.outs if s not in known])  # a call waits for all that was assigned before
        else:
            taken = {s for s, given in zip(inner.entering, node.ins, strict=True) if given in missing}
            given_inside: set[int] = set()
            inside = _missing(inner, taken, (), given_inside) - given_inside
            lost = [t.slot in inside for t in inner.results]
            count = len(inner.outputs)
            if node.kernel.stateful or any(lost[count:]):  # what follows waits for a call's effects and assignments
                kept = [s for s, is_lost in zip(node.outs[count:], lost[count:], strict=True) if not is_lost]
                ends.update([s for s in kept if s not in known])
                lost = [True] * len(lost)
            missing.update([s for s in compress(node.outs, lost) if s not in known])
    return missing


def _inlined(node: Node) -> Lifted | None:
    """The graph of a called function; None if the operation is no call, or one that is a program by itself."""
    return None if node.kernel.interpreter is compiled_only else node.kernel.called


def _needed(part: Part, wanted: Iterable[int], known: Collection[int]) -> tuple[list[Node], set[int]]:
    """The operations that some slots need, and all slots that these need, but for those that are known."""
    slots, nodes = {s for s in wanted if s not in known}, []
    for node in reversed(part.nodes):
        if slots.isdisjoint(node.outs):
            continue
        nodes.append(node)
        inner = _inlined(node)
        if inner is None:
            needed = node.ins
        else:
            inside = _needed(inner, _asked(node, inner, slots), ())[1]
            needed = tuple([given for s, given in zip(inner.entering, node.ins, strict=True) if s in inside])
        slots.update([s for s in needed if s not in known])
    return nodes[::-1], slots


def _asked(node: Node, inner: Part, slots: set[int]) -> list[int]:
    """The slots in a called function whose values the call is asked for."""
    return [t.slot for s, t in zip(node.outs, inner.results, strict=True) if s in slots]


def _run(part: Part, values: dict[int, Tensor], wanted: Iterable[int]) -> None:
    """Add the values of the slots that are wanted to those that are known, and of what these need."""
    nodes, slots = _needed(part, wanted, values)
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
