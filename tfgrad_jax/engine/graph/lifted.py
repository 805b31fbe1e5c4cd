"""A recorded graph as a function, with the one calling convention that all who run graphs share."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.cache import Cache
from tfgrad_jax.engine.graph.dimensions import with_values
from tfgrad_jax.engine.graph.elements import variable_of
from tfgrad_jax.engine.graph.graph import Graph, Node, ShapeKernel, SymbolicTensor
from tfgrad_jax.engine.graph.postponed import connected, record_gradients
from tfgrad_jax.engine.graph.replay import replay
from tfgrad_jax.engine.host.patterns import constants_in
from tfgrad_jax.engine.kernels import products
from tfgrad_jax.engine.kernels.unrolled import with_loops
from tfgrad_jax.engine.run.checks import unchecked
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values.shapes import UNRANKED
from tfgrad_jax.engine.values.tensor import Tensor

_NOTHING: Mapping[int, Any] = {}


class Part:
    """Operations of a finished graph as a function of arrays.

    Args:
      graph: the graph.
      nodes: the operations, in order.
      entering: the slots of what the function takes.
      outputs: the tensors of the graph that it gives.
      results: these, and what else it gives after them; None if that is all.
      seeded: slots that hold those of all outputs to which a cotangent may come; None if it may come to each.

    Attributes:
      specs: what is claimed of the type of each slot.
      stateful: whether running it has an effect besides its results.
      checked: whether an operation inside may have a check of values.
      size: how many operations it has, with those of functions, branches and bodies inside.
      run: the function on arrays; it keeps nothing from outside alive.
      plans: how its operations run one by one, by the types of what enters; see `interpret`.
      sizes: None, or how they run for all sizes alike; see `planning`.
      last_uses: the slots whose values nobody needs after each operation.
      checked_run: `run`, whose checks of values are noted for the program around it, if JAX traces that at the same level.
    """

    def __init__(
        self,
        graph: Graph,
        nodes: Sequence[Node],
        entering: tuple[int, ...],
        outputs: Sequence[SymbolicTensor],
        results: Sequence[SymbolicTensor] | None = None,
        seeded: set[int] | None = None,
    ) -> None:
        self.graph = graph
        self.seeded = seeded
        self.nodes = list(nodes)
        self.entering = entering
        self.outputs = list(outputs)
        self.results = self.outputs if results is None else list(results)
        self.specs = [t.spec for t in graph.tensors]
        self.stateful = any(node.kernel.stateful for node in nodes)
        self.checked = any(node.kernel.checked for node in nodes)
        self.size = len(self.nodes) + sum(part.size for node in nodes for part in node.kernel.parts)
        self.plans: Cache[Any, Any] = Cache(8)
        self.sizes: Any = None
        self._last_uses: list[tuple[int, ...]] | None = None
        self.checked_run = self._function()
        self.run = unchecked(self.checked_run)

    def _function(self) -> Callable[..., tuple[Any, ...]]:
        nodes, entering, specs = self.nodes, self.entering, self.specs
        slots = [t.slot for t in self.results]
        constants = self.constants
        parts: list[Any] = []

        def run(*arrays: Any) -> tuple[Any, ...]:
            values: dict[int, Any] = dict(constants)
            values.update(zip(entering, arrays, strict=True))
            if not parts:
                parts[:] = with_loops(nodes, slots, lambda node: tuple([specs[s] for s in node.outs]))
            replay(parts, values, specs)
            return tuple([with_values(products.evaluated(values[s]), specs[s].dtype.np) for s in slots])

        return run

    @property
    def last_uses(self) -> list[tuple[int, ...]]:
        if self._last_uses is None:
            needed = {t.slot for t in self.results} | set(self.graph.constants)
            found = []
            for node in reversed(self.nodes):
                found.append(tuple({*node.ins, *node.outs} - needed))
                needed.update(node.ins)
            self._last_uses = found[::-1]
        return self._last_uses

    @property
    def constants(self) -> dict[int, np.ndarray]:
        """The values that are written into it, by their slots."""
        used = {*(t.slot for t in self.results), *(i for node in self.nodes for i in node.ins)}
        return {s: v for s, v in self.graph.constants.items() if s in used}

    def integers(self) -> frozenset[int]:
        """The integers on which its code may depend: those in it, and sizes that it claims, which hold for these alone."""
        claimed = [s.shape for s in self.specs if s.shape is not UNRANKED]
        written = [*self.constants.values(), *claimed]
        return frozenset().union(*map(constants_in, written), *[node.kernel.constants() for node in self.nodes])

    @property
    def pattern(self) -> Any:
        """A key of what it does: parts with equal patterns are the same function of arrays, recorded in the same lines.

        Those who record a function again and again, as for each of many datasets, compile it once by this.
        """
        constants = self.constants
        place = {slot: i for i, slot in enumerate((*constants, *self.entering))}
        nodes = []
        for node in self.nodes:
            nodes.append(
                (
                    node.kernel,
                    node.where,
                    tuple([place[s] for s in node.ins]),
                    tuple([self.specs[s] for s in node.outs]),
                )
            )
            for slot in node.outs:
                place[slot] = len(place)
        values = tuple([(v.dtype.str, v.shape, v.tobytes()) for v in constants.values()])
        takes = tuple([self.specs[s] for s in self.entering])
        return values, takes, tuple(nodes), tuple([place[t.slot] for t in self.results])

    def connected(self) -> list[bool]:
        """Which of the values that enter have a path to an output along which a gradient may flow."""
        reached = self.reached()
        return [s in reached for s in self.entering]

    def reached(self) -> set[int]:
        """The slots of the outputs to which a cotangent may come, and of all values from which a gradient may flow there."""
        tensors = self.graph.tensors
        seeded = self.seeded
        reached = {t.slot for t in self.outputs if t.dtype.trainable and (seeded is None or t.slot in seeded)}
        for node in reversed(self.nodes):
            if any(o in reached for o in node.outs):
                reached.update(s for s in connected(node) if tensors[s].dtype.trainable)
        return reached

    def work(self, largest: int, smallest: int) -> int:
        """How many bytes its operations make, about: each once, with `largest` elements along one open dimension.

        There are `smallest` along others of the same value: what is expected too light is measured soon, what is expected too
        heavy is compiled before it has ever run. What operations run, a loop's body for one, counts as if it ran once; values of
        unknown rank do not count.
        """
        count = 0
        for node in self.nodes:
            for spec in [self.specs[slot] for slot in node.outs]:
                if spec.shape is not UNRANKED and spec.dtype.np is not None:
                    known = [size for size in spec.shape if size is not None]
                    others = len(spec.shape) - len(known) - 1
                    open_ = largest * smallest**others if others >= 0 else 1
                    count += math.prod(known) * open_ * spec.dtype.np.itemsize
            count += sum(part.work(largest, smallest) for part in node.kernel.parts)
        return count


class Lifted(Part):
    """A finished graph as a function of arrays.

    The function takes the graph's arguments, then what the graph captured from outside, then the values of the boxes that it
    reads. It gives the outputs, then the values that `boxes` have at the end. Functions, branches, loops, custom gradients and
    export all call a graph in this way.

    Args:
      graph: the graph; nothing is recorded in it any more.
      outputs: the tensors that it gives, of the graph or from outside.
      boxes: the state whose last values it gives besides; None for all that it writes.

    Attributes:
      arguments: how many arguments there are.
      captured: the tensors that are passed from outside; None for each when they are released.
      read: the boxes whose values are passed.
      entering: the slots of arguments, captured tensors and boxes, in order.
      inner: what is left of it without host operations at its ends; None if that was not asked for.
      schedule: how it runs in stretches, where it holds host operations; None as long as nobody asked.
      flow: how it runs on arrays, see `flows`.
      early: whether its stretches are compiled as soon as they are met with their first types.
    """

    def __init__(self, graph: Graph, outputs: Sequence[Tensor], boxes: Sequence[Any] | None = None) -> None:
        if boxes is None:
            boxes = [graph.boxes[i][0] for i in graph.written]
        with graph.as_default():
            ends = [graph.values[b.id] if b.id in graph.values else graph.read(b) for b in boxes]
        results = [graph.tensors[graph.slot(t)] for t in (*outputs, *ends)]
        record_gradients(graph, results)
        captured = [pair for pair in graph.captured.values() if pair[1].slot not in graph.constants]
        read = [(box, inner) for box, inner in graph.boxes.values() if inner is not None]
        entering = tuple([t.slot for t in (*graph.inputs, *(t for _, t in captured), *(t for _, t in read))])
        super().__init__(graph, graph.needed([t.slot for t in results]), entering, results[: len(outputs)], results)
        self.boxes = list(boxes)
        self.captured = [tensor for tensor, _ in captured]
        self.read = [box for box, _ in read]
        self.arguments = len(graph.inputs)
        self.schedule: Any = None
        self.flow: Any = None
        self.early = False
        self.inner: Lifted | None = None

    def between(self, first: Sequence[Node], last: Sequence[Node]) -> Lifted:
        """What is left of it without operations that run before it and after it.

        It takes what it needs of what enters the whole, then the results of the first operations, then the boxes; and gives
        what its own operations make of the whole's outputs and of the last operations' operands.
        """
        apart = {id(node) for node in (*first, *last)}
        nodes = [node for node in self.nodes if id(node) not in apart]
        made = {s for node in nodes for s in node.outs}
        tensors = self.graph.tensors
        wanted = dict.fromkeys([*(t.slot for t in self.outputs), *(s for node in last for s in node.ins)])
        outputs = [tensors[s] for s in wanted if s in made]
        results = [*outputs, *self.results[len(self.outputs) :]]
        count = len(self.entering) - len(self.read)
        needed = {*(s for node in nodes for s in node.ins), *(t.slot for t in results)}
        outside = [s for s in self.entering[:count] if s in needed]
        entering = (*outside, *(s for node in first for s in node.outs), *self.entering[count:])
        self.inner = rest = self._partly(nodes, entering, outputs, results)
        rest.boxes, rest.read, rest.arguments = self.boxes, self.read, len(outside)
        return rest

    def after(self, first: Sequence[Node], entering: tuple[int, ...]) -> Lifted:
        """What is left of it when some operations have run: it gives the outputs, and has no boxes.

        Args:
          first: those operations.
          entering: the slots of what it takes, results of these among them.
        """
        apart = {id(node) for node in first}
        rest = self._partly([n for n in self.nodes if id(n) not in apart], entering, self.outputs, self.outputs)
        rest.arguments = len(entering)
        return rest

    def _partly(
        self,
        nodes: Sequence[Node],
        entering: tuple[int, ...],
        outputs: Sequence[SymbolicTensor],
        results: Sequence[SymbolicTensor],
    ) -> Lifted:
        rest = Lifted.__new__(Lifted)
        Part.__init__(rest, self.graph, nodes, entering, outputs, results, self.reached())
        rest.boxes, rest.captured, rest.read = [], [], []
        rest.schedule, rest.flow, rest.inner, rest.early = None, None, None, self.early
        return rest

    @property
    def keys(self) -> list[tuple[str, int]]:
        """Names of the values from outside; graphs that take the same value share its name."""
        return [*(("tensor", id(t)) for t in self.captured), *(("box", box.id) for box in self.read)]

    def outside(self, instead: Mapping[int, Any] = _NOTHING) -> list[Tensor]:
        """The tensors that a call must pass besides the arguments.

        Args:
          instead: boxes that take the places of others, by the identity of those.
        """
        if instead:
            return [*self.captured, *[instead.get(box.id, box).tensor for box in self.read]]
        if context.graph is None:
            return [*self.captured, *[box.current for box in self.read]]
        return [*self.captured, *[box.tensor for box in self.read]]

    def tell_reads(self, instead: Mapping[int, Any] = _NOTHING) -> None:
        """Let the open tapes see which variables a call reads."""
        for box in self.read:
            variable = variable_of(instead.get(box.id, box))
            if variable is not None and variable.trainable:
                for recorder in context.recorders:
                    recorder.saw_variable(variable)

    def deciding(self, inside: bool) -> tuple[int, ...]:
        """Positions, among what enters, of the values on which shapes depend.

        Args:
          inside: whether operations that contain graphs count as if those made shapes of all that they are given.
        """
        wanted = {node.ins[i] for node in self.nodes for i in node.kernel.reads_values}
        for node in reversed(self.nodes):
            if (inside and node.kernel.interpret is not None) or (
                not isinstance(node.kernel, ShapeKernel) and any(o in wanted for o in node.outs)
            ):
                wanted.update(node.ins)
        return tuple([i for i, slot in enumerate(self.entering) if slot in wanted])

    def release(self) -> None:
        """Let go of what it took from outside, when nobody can call it any more: kernels may outlive a function."""
        self.captured = [None] * len(self.captured)  # type: ignore[list-item]
        self.read = [None] * len(self.read)
        self.boxes = []
        if self.inner is not None:
            self.inner.read, self.inner.boxes = self.read, []
        self.graph.release()
