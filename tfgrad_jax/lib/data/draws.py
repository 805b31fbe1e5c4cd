"""Random numbers of functions of elements: what needs nothing but random states is drawn for many elements at once.

A draw takes little and what is around it much, so a hundred of them cost as one does. Nobody sees that states are ahead: those
of an iteration are its own. To trace what draws for many takes as long as to draw for some thousands of elements one by one, so
that is what happens first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from jax import lax

from tfgrad_jax.engine.graph.graph import Node
from tfgrad_jax.engine.graph.lifted import Lifted, Part
from tfgrad_jax.engine.host.rules import NoRule
from tfgrad_jax.engine.kernels import clock
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.values.shapes import UNRANKED
from tfgrad_jax.engine.values.tensor import Spec, Tensor
from tfgrad_jax.lib.data.nodes.node import Element
from tfgrad_jax.lib.data.structure import arrays_of

_AT_ONCE = 64
"""Elements to draw for."""

_WORTH_TRACING = 0.2
"""So many seconds are spent on draws for one element before those for many are traced."""

_LARGE = 1 << 10
"""Numbers of more bytes are not made ahead: drawing them takes longer than what is around it."""

States = Sequence[Any]
"""The values of the random boxes that a function writes, in its order."""


class Draws:
    """The part of a function that depends on random states alone.

    Args:
      lifted: its graph.
      nodes: the operations that depend on nothing else.
      drawn: slots of what the rest of the function needs of them.
      states: slots of the states.

    Attributes:
      rest: the function, which takes what was drawn in the places of random states, after everything else.
    """

    def __init__(self, lifted: Lifted, nodes: list[Node], drawn: list[int], states: tuple[int, ...]) -> None:
        tensors, ends = lifted.graph.tensors, lifted.results[len(lifted.outputs) :]
        needed = {*drawn, *(t.slot for t in ends)}
        nodes = _needed(nodes, needed)
        moving = Part(lifted.graph, _needed(nodes, {t.slot for t in ends}), states, ends)
        drawing = Part(lifted.graph, nodes, states, [tensors[slot] for slot in drawn])

        def one(*now: Any) -> tuple[Any, ...]:
            return *moving.run(*now), *drawing.run(*now)

        def many(*first: Any) -> tuple[Any, ...]:
            last, each = lax.scan(lambda now, _: (moving.run(*now), now), first, None, _AT_ONCE)
            return *last, *jax.vmap(drawing.run)(*each)

        outside = tuple([slot for slot in lifted.entering if slot not in states])
        self.rest = lifted.after(nodes, (*outside, *drawn))
        self._states = len(states)
        size = moving.size + drawing.size
        self._one, self._many = [Kernel("Dataset_draws", f, differentiable=0, size=size) for f in (one, many)]
        self._program: Callable[..., Any] | None = None
        self._spent = 0.0  # on draws for one element

    def _interpreted(self, states: States) -> Callable[..., Any]:
        """What draws for one element; it is not worth to be compiled before `many` takes over."""
        if self._program is None:
            try:
                self._program = self._one.program(tuple([(a.shape, a.dtype) for a in states]))
            except NoRule:
                self._program = self._one.run
        return self._program

    def ahead(self, states: States) -> tuple[States, list[Element]]:
        """The states after some elements, and what is drawn for each of these, the last one first."""
        if self._spent < _WORTH_TRACING:
            one = self._interpreted(states)
            start = clock.own()
            out = list(map(np.asarray, one(*states)))
            self._spent += clock.own() - start
            return out[: self._states], [tuple(out[self._states :])]
        out = self._many.run(*states)
        last, drawn = out[: self._states], [list(map(np.asarray, np.asarray(many))) for many in out[self._states :]]
        return list(map(np.asarray, last)), list(zip(*drawn, strict=True))[::-1]


class Outside:
    """What a function takes besides elements, in one iteration: what it captured, boxes, and what was drawn.

    Args:
      lifted: its graph.
      captured: the tensors that it captured.
      ahead: what is drawn ahead, if something is.
    """

    def __init__(self, lifted: Lifted, captured: Sequence[Tensor], ahead: Draws | None) -> None:
        self._known = arrays_of(captured)
        self._ahead = ahead
        self._drawn: list[Element] = []
        self._states: dict[int, Any] = {box.id: arrays_of([box.anew().current])[0] for box in lifted.boxes}
        apart = {} if ahead is None else self._states
        self._read = [box for box in lifted.read if box.id not in apart]
        self._count = len(lifted.outputs)

    def next(self) -> Element:
        """What the next call takes."""
        states = self._states
        read = [states[box.id] if box.id in states else arrays_of([box.current])[0] for box in self._read]
        if self._ahead is None:
            return (*self._known, *read)
        if not self._drawn:
            last, self._drawn = self._ahead.ahead(list(states.values()))
            states.update(zip(states, last, strict=True))
        return (*self._known, *read, *self._drawn.pop())

    def results(self, out: Element) -> Element:
        """The results among what a call gave; random states that it moved on are those of the next."""
        if self._ahead is None and self._states:
            self._states.update(zip(self._states, out[self._count :], strict=True))
        return out[: self._count]


def draws(lifted: Lifted) -> Draws | None:
    """What can be drawn for many elements at once; None if next states depend on something else, too.

    Args:
      lifted: a graph that writes no boxes but random states.
    """
    boxes = [box.id for box in lifted.boxes]
    entering = lifted.entering[len(lifted.entering) - len(lifted.read) :]
    places = {box.id: slot for box, slot in zip(lifted.read, entering, strict=True)}
    if not boxes or not places.keys() >= {*boxes}:
        return None
    states = tuple([places[box] for box in boxes])
    known = {*states, *lifted.constants}
    small = _small(lifted.specs)
    nodes = []
    for node in lifted.nodes:
        if known.issuperset(node.ins) and _is_plain(node) and all(map(small, node.outs)):
            nodes.append(node)
            known.update(node.outs)
    if not known.issuperset([t.slot for t in lifted.results[len(lifted.outputs) :]]):
        return None
    ours = {id(node) for node in nodes}
    taken = [slot for node in lifted.nodes if id(node) not in ours for slot in node.ins]
    wanted = dict.fromkeys([*taken, *(t.slot for t in lifted.outputs)])
    return Draws(lifted, nodes, [s for s in wanted if s in known and s not in lifted.constants], states)


def _is_plain(node: Node) -> bool:
    """Whether an operation is a function of arrays and nothing else."""
    kernel = node.kernel
    apart = kernel.host or kernel.stateful or kernel.interpret is not None or kernel.gradient_of is not None
    return kernel.whole and not apart and not kernel.checked and node.place is None


def _small(specs: Sequence[Spec]) -> Callable[[int], bool]:
    def holds(slot: int) -> bool:
        shape, dtype = specs[slot].shape, specs[slot].dtype.np
        known = shape is not UNRANKED and None not in shape and dtype is not None and dtype.kind != "O"
        return known and math.prod(shape) * dtype.itemsize <= _LARGE

    return holds


def _needed(nodes: Sequence[Node], slots: set[int]) -> list[Node]:
    """Those operations without which these slots would be empty, in order."""
    wanted = set(slots)
    found = []
    for node in reversed(nodes):
        if not wanted.isdisjoint(node.outs):
            found.append(node)
            wanted.update(node.ins)
    return found[::-1]
