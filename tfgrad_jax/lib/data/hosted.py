"""Functions of elements that work on the host in part: files, strings, Python, shapes that depend on values."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

from tfgrad_jax.engine.cache import Cache
from tfgrad_jax.engine.control import interpret
from tfgrad_jax.engine.control.flows import on_arrays
from tfgrad_jax.engine.graph.lifted import Lifted, Part
from tfgrad_jax.engine.run import effects
from tfgrad_jax.engine.run.execute import immediate
from tfgrad_jax.engine.threads.context import switched
from tfgrad_jax.engine.values.tensor import EagerTensor, Tensor
from tfgrad_jax.lib.data.nodes.node import Element
from tfgrad_jax.lib.data.structure import arrays_of


class Hosted:
    """A function that writes no state but random ones, and runs in stretches.

    Args:
      lifted: its graph.

    Attributes:
      states_ahead: whether its random states move on whatever the element is, so that calls may run side by side.
    """

    def __init__(self, lifted: Lifted) -> None:
        self._graph = _shared(lifted)
        self._ahead = _moving_on(lifted)
        self.states_ahead = not lifted.boxes or self._ahead is not None

    def evaluation(self, lifted: Lifted, captured: Sequence[Tensor]) -> Evaluation:
        """What evaluates it in one iteration.

        Args:
          lifted: its graph, which knows the states.
          captured: what it takes from outside.
        """
        return Evaluation(self._graph, self._ahead, lifted, captured)


class Evaluation:
    """A function in one iteration: a call is `run` of `operands`, of which only the latter must keep the elements' order.

    Attributes:
      graph: what runs.
    """

    def __init__(self, graph: Lifted, ahead: Part | None, lifted: Lifted, captured: Sequence[Tensor]) -> None:
        self.graph = graph
        self._ahead = ahead
        self._known = arrays_of(captured)
        self._read = lifted.read
        self._written = [box.id for box in lifted.boxes]
        self._states: dict[int, Any] = {box.id: arrays_of([box.anew().current])[0] for box in lifted.boxes}
        self._count = len(lifted.outputs)

    def __call__(self, element: Element) -> Element:
        if not self._read:
            return self._results((*element, *self._known))
        results = self._results(self._entering(element))
        self._move_on(results[self._count :])
        return results[: self._count]

    def operands(self, element: Element) -> Element:
        """What a call takes; the random states move on."""
        entering = self._entering(element)
        if self._ahead is not None:
            states = [EagerTensor(a) for a in entering[len(entering) - len(self._ahead.entering) :]]
            with switched(None, immediate):
                self._move_on(arrays_of(interpret.run(self._ahead, states)))
        return entering

    def run(self, operands: Element) -> Element:
        """The results; several threads may ask for them at a time."""
        return self._results(operands)[: self._count]

    def _entering(self, element: Element) -> Element:
        states = self._states
        read = [states[box.id] if box.id in states else arrays_of([box.current])[0] for box in self._read]
        return (*element, *self._known, *read)

    def _results(self, operands: Element) -> Element:
        with effects.program() if self.graph.stateful else _NOTHING:
            return tuple(on_arrays(self.graph, operands))

    def _move_on(self, states: Sequence[Any]) -> None:
        self._states.update(zip(self._written, states, strict=True))


_NOTHING = contextlib.nullcontext()

_graphs: Cache[object, Lifted] = Cache(256)


def _shared(lifted: Lifted) -> Lifted:
    """The graph that functions share which are recorded from the same lines of a program, and so what was compiled of it.

    What runs Python is not kept here: it may hold anything.
    """
    if any([node.kernel.interpret is not None or node.kernel.stateful for node in lifted.nodes]):
        return lifted
    key = lifted.pattern
    return _graphs[key] or _graphs.keep(key, lifted)


def _moving_on(lifted: Lifted) -> Part | None:
    """The part of a graph that makes the next random states of the last ones; None if there are none, or they need more."""
    ends = lifted.results[len(lifted.outputs) :]
    states = lifted.entering[len(lifted.entering) - len(lifted.read) :]
    needed = {t.slot for t in ends}
    nodes = []
    for node in reversed(lifted.nodes):
        if not needed.isdisjoint(node.outs):
            nodes.append(node)
            needed.update(node.ins)
    made = {slot for node in nodes for slot in node.outs}
    if not ends or not needed <= {*made, *states, *lifted.constants}:
        return None
    return Part(lifted.graph, nodes[::-1], states, ends)
