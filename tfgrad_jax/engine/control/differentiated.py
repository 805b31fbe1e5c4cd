"""Graphs that run operation by operation under a tape: forwards and backwards as graphs of their own, each with plans.

A tape that sees every operation of a function or of a loop's body differentiates them anew in each call. Here the gradient is
recorded once, for operands of some types; the tape sees one operation.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from tfgrad_jax.engine.control import interpret, planning
from tfgrad_jax.engine.graph.graph import Graph
from tfgrad_jax.engine.graph.lifted import Part
from tfgrad_jax.engine.run.execute import execute, identity, immediate
from tfgrad_jax.engine.tape.tape import GradientTape, UnconnectedGradients
from tfgrad_jax.engine.threads.context import context, switched
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.tensor import Tensor

Gradient = Callable[..., list[Tensor]]
"""Takes a cotangent, or None, for each result, and returns those of the operands that are watched."""


def seen(part: Part, inputs: Sequence[Tensor], wrt: Sequence[int]) -> tuple[list[Tensor], Gradient]:
    """The results of a graph whose operations every open tape sees, and the gradient.

    Args:
      part: the graph.
      inputs: what enters it.
      wrt: positions of the operands that are watched.
    """
    known = list(inputs)
    # Each operand is a tensor of its own to the tape, though one tensor may be several operands.
    for i in wrt:
        known[i] = identity(inputs[i])
    sources = [known[i] for i in wrt]
    with GradientTape(persistent=True, watch_accessed_variables=False) as tape:
        tape.watch(sources)
        results = interpret.run(part, known)

    def gradient(*cotangents: Any) -> list[Tensor]:
        seeded = [(t, c) for t, c in zip(results, cotangents, strict=True) if c is not None and t.spec.dtype.trainable]
        answers = tape.gradient(
            [t for t, _ in seeded], sources, [convert(c) for _, c in seeded], UnconnectedGradients.ZERO
        )
        return [convert(a) for a in answers]

    return results, gradient


class Differentiated:
    """A graph and its gradient, recorded for operands of some types.

    Args:
      part: the graph, whose operations do what types decide alone.
      inputs: operands of these types.
      wrt: positions of those that are watched.
    """

    def __init__(self, part: Part, inputs: Sequence[Tensor], wrt: Sequence[int]) -> None:
        self._part = part
        self._wrt = wrt
        self._graph = Graph(f"{part.graph.name}_differentiated")
        with self._graph.as_default():
            self._operands = [self._graph.placeholder(t.spec, "operand") for t in inputs]
            values: dict[int, Tensor] = {s: interpret.constant(v) for s, v in part.constants.items()}
            values.update(zip(part.entering, self._operands, strict=True))
            self._tape = GradientTape(persistent=True, watch_accessed_variables=False)
            with self._tape:
                self._tape.watch([self._operands[i] for i in wrt])
                for node in part.nodes:
                    out = execute(node.kernel, tuple([values[s] for s in node.ins]))
                    self._graph.nodes[-1].where = node.where
                    values.update(zip(node.outs, out if isinstance(out, (tuple, list)) else (out,), strict=True))
        self._nodes = list(self._graph.nodes)
        self._results = [self._graph.tensors[self._graph.slot(values[t.slot])] for t in part.results]
        self._seeds = [self._graph.placeholder(t.spec, "cotangent") for t in self._results]
        self._backward: dict[tuple[int, ...], Part] = {}
        self._recording = threading.Lock()
        whole = self._backward_for(tuple([i for i, t in enumerate(self._results) if t.dtype.trainable]))
        entering = tuple([t.slot for t in self._operands])
        made = {s for node in self._nodes for s in node.outs}
        self._kept = [s for s in whole.entering if s in made]
        kept = [self._graph.tensors[s] for s in self._kept]
        self._forward = Part(self._graph, self._nodes, entering, self._results, [*self._results, *kept])

    def run(self, inputs: Sequence[Tensor]) -> tuple[list[Tensor], Gradient]:
        """The results, and the gradient."""
        with switched(None, immediate):
            results = interpret.run(self._forward, inputs)
        count = len(self._results)
        known = dict(zip(self._kept, results[count:], strict=True))
        known.update(zip([t.slot for t in self._operands], inputs, strict=True))

        def gradient(*cotangents: Any) -> list[Tensor]:
            if context.recorders:
                # It is differentiated itself: what it depends on are the operands, not what was kept.
                return seen(self._part, inputs, self._wrt)[1](*cotangents)
            seeds = [i for i, c in enumerate(cotangents) if c is not None and self._results[i].dtype.trainable]
            backward = self._backward_for(tuple(seeds))
            given = known | {self._seeds[i].slot: convert(cotangents[i]) for i in seeds}
            if not given.keys() >= {*backward.entering}:
                return seen(self._part, inputs, self._wrt)[1](*cotangents)
            with switched(None, immediate):
                return interpret.run(backward, [given[s] for s in backward.entering])

        return results[:count], gradient

    def _backward_for(self, seeds: tuple[int, ...]) -> Part:
        """The gradient, from the cotangents of some of the results."""
        with self._recording:
            found = self._backward.get(seeds)
            if found is not None:
                return found
            graph = self._graph
            first = len(graph.nodes)
            with graph.as_default():
                answers = self._tape.gradient(
                    [self._results[i] for i in seeds],
                    [self._operands[i] for i in self._wrt],
                    [self._seeds[i] for i in seeds],
                    UnconnectedGradients.ZERO,
                )
                slots = [graph.slot(convert(a)) for a in answers]
            made = {s for node in graph.nodes[first:] for s in node.outs}
            reads = dict.fromkeys([*(s for node in graph.nodes[first:] for s in node.ins), *slots])
            entering = tuple([s for s in reads if s not in made and s not in graph.constants])
            found = Part(graph, graph.nodes[first:], entering, [graph.tensors[s] for s in slots])
            self._backward[seeds] = found
            return found

    @property
    def is_closed(self) -> bool:
        """Whether it takes nothing but the operands."""
        return all([inner.slot in self._graph.constants for _, inner in self._graph.captured.values()])


def differentiated(part: Part, inputs: Sequence[Tensor], wrt: Sequence[int]) -> Differentiated | bool:
    """A graph and its gradient for operands of these types; False if more than types decides what its operations do."""
    constants = part.constants
    if not all([planning.is_plain(node, constants) for node in part.nodes]):
        return False
    found = Differentiated(part, inputs, wrt)
    return found if found.is_closed else False
