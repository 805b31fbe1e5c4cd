"""Functions of elements that work on the host in part: files, strings, Python, shapes that depend on values."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from tfgrad_jax.engine.cache import Cache
from tfgrad_jax.engine.control.flows import on_arrays
from tfgrad_jax.engine.graph.lifted import Lifted
from tfgrad_jax.engine.run import effects
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.data.draws import Draws, Outside, draws
from tfgrad_jax.lib.data.nodes.node import Element


class Hosted:
    """A function that writes no state but random ones, and runs in stretches.

    Args:
      lifted: its graph.

    Attributes:
      states_ahead: whether its random states move on whatever the element is, so that calls may run side by side.
    """

    def __init__(self, lifted: Lifted) -> None:
        self._graph, self._draws = _shared(lifted)
        self.states_ahead = not lifted.boxes or self._draws is not None

    def evaluation(self, lifted: Lifted, captured: Sequence[Tensor]) -> Evaluation:
        """What evaluates it in one iteration.

        Args:
          lifted: its graph, which knows the states.
          captured: what it takes from outside.
        """
        return Evaluation(self._graph, self._draws, lifted, captured)


class Evaluation:
    """A function in one iteration: a call is `run` of `operands`, of which only the latter must keep the elements' order.

    Attributes:
      graph: what runs.
    """

    def __init__(self, graph: Lifted, ahead: Draws | None, lifted: Lifted, captured: Sequence[Tensor]) -> None:
        self.graph = graph if ahead is None else ahead.rest
        self._outside = Outside(lifted, captured, ahead)
        self._count = len(lifted.outputs)

    def __call__(self, element: Element) -> Element:
        return self._outside.results(self._results(self.operands(element)))

    def operands(self, element: Element) -> Element:
        """What a call takes; what is drawn ahead moves on."""
        return (*element, *self._outside.next())

    def run(self, operands: Element) -> Element:
        """The results; several threads may ask for them at a time."""
        return self._results(operands)[: self._count]

    def _results(self, operands: Element) -> Element:
        with effects.program() if self.graph.stateful else _NOTHING:
            return tuple(on_arrays(self.graph, operands))


_NOTHING = contextlib.nullcontext()

_graphs: Cache[object, tuple[Lifted, Draws | None]] = Cache(256)


def _shared(lifted: Lifted) -> tuple[Lifted, Draws | None]:
    """The graph that functions share which are recorded from the same lines of a program, and so what was compiled of it.

    What runs Python is not kept here: it may hold anything. Beside it stands what of it is drawn ahead.
    """
    if any([node.kernel.interpret is not None or node.kernel.stateful for node in lifted.nodes]):
        return lifted, draws(lifted)
    key = lifted.pattern
    return _graphs[key] or _graphs.keep(key, (lifted, draws(lifted)))
