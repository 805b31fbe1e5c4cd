"""Graphs that programs record themselves: `FuncGraph`, placeholders, and what tells graphs and symbolic tensors apart."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from tfgrad_jax.engine.graph.graph import Graph, Operation
from tfgrad_jax.engine.graph.session_graph import SessionGraph
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.threads.context import Context, context, new_id
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.engine.values.shapes import as_shape
from tfgrad_jax.engine.values.symbolic import SymbolicTensor
from tfgrad_jax.engine.values.tensor import Spec

_outside = SessionGraph()


@export("__internal__.FuncGraph")
class FuncGraph(Graph):
    """A graph with inputs and outputs, to find out the types of what a function computes. Mirrors `tf.__internal__.FuncGraph`.

    Args:
      name: how errors call it.
      collections, capture_by_value, structured_input_signature, structured_outputs: accepted for compatibility; the last two can be
        read again.
    """

    only_types = True

    def __init__(
        self,
        name: str,
        collections: Any = None,
        capture_by_value: Any = None,
        structured_input_signature: Any = None,
        structured_outputs: Any = None,
    ) -> None:
        super().__init__(name, context.graph)
        self.structured_input_signature = structured_input_signature
        self.structured_outputs = structured_outputs

    @contextlib.contextmanager
    def as_default(self) -> Iterator[Graph]:
        """A context in which operations are recorded here."""
        if context.graph is not self:
            self._first = new_id()  # what is made from here on, is made inside
        with super().as_default():
            yield self

    @property
    def outer_graph(self) -> Graph:
        """The graph around this one; outside of all, one that records nothing."""
        return self.outer or _outside

    def get_operations(self) -> list[Operation]:
        """The operations recorded so far, in order, with placeholders and stand-ins of captures among them."""
        operations = {id(self._producers.get(t.slot, t)): self.operation(t.slot) for t in self.tensors}
        return list(operations.values())

    @property
    def captures(self) -> list[tuple[Any, SymbolicTensor]]:
        """The values taken from outside: tensors, and handles of variables, each with its stand-in here."""
        boxes = [(box, inner) for box, inner in self.boxes.values() if inner is not None]
        return [*(c for c in self.captured.values() if c[1].slot not in self.constants), *boxes]

    @property
    def external_captures(self) -> list[Any]:
        """The first ones of `captures`."""
        return [outside for outside, _ in self.captures]

    @property
    def internal_captures(self) -> list[SymbolicTensor]:
        """The second ones of `captures`."""
        return [inner for _, inner in self.captures]


@export("compat.v1.placeholder")
def placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> SymbolicTensor:
    """A symbolic tensor of the open graph, without a value; sizes may be None. Mirrors `tf.compat.v1.placeholder`.

    Raises:
      RuntimeError: outside of a graph.
    """
    graph = context.graph
    if graph is None:
        raise RuntimeError(
            "tf.placeholder() is not compatible with eager execution; use it within tf.Graph().as_default(), and feed it to a "
            "tf.compat.v1.Session, or after tf.compat.v1.disable_eager_execution()."
        )
    spec = Spec.open(as_dtype(dtype), as_shape(shape))
    return graph.new(spec, graph.unique_name(name or "Placeholder"))


@export("is_symbolic_tensor")
def is_symbolic_tensor(tensor: Any) -> bool:
    """Whether `tensor` belongs to a graph, and has a value only when that runs. Mirrors `tf.is_symbolic_tensor`."""
    return isinstance(tensor, SymbolicTensor)


@export("compat.v1.reset_default_graph")
def reset_default_graph() -> None:
    """Forget the names and collections of the graph outside of all. Mirrors `tf.compat.v1.reset_default_graph`.

    Raises:
      AssertionError: inside of a graph.
    """
    global _outside
    opened = context.graph
    if opened is not None and opened not in (Context.default_graph, _outside):
        raise AssertionError("Do not use tf.reset_default_graph() to clear nested graphs: leave the graph first.")
    _outside = SessionGraph()
    if Context.default_graph is not None:
        disable_eager_execution()
    elif opened is not None:  # where operations are recorded for a while, as private contexts have it
        context.graph, context.executor = _outside, _outside.recorder


@export("compat.v1.disable_eager_execution")
def disable_eager_execution() -> None:
    """Record operations from here on, for sessions to run. Mirrors `tf.compat.v1.disable_eager_execution`.

    Raises:
      ValueError: within a graph.
    """
    if context.graph is not None and context.graph is not Context.default_graph:
        raise ValueError(
            "tf.compat.v1.disable_eager_execution must be called before operations are recorded in a graph."
        )
    context.graph = Context.default_graph = _outside
    context.executor = _outside.recorder


@export("compat.v1.enable_eager_execution")
def enable_eager_execution(config: Any = None, device_policy: Any = None, execution_mode: Any = None) -> None:
    """Run operations at once from here on, as they do from the start. Mirrors `tf.compat.v1.enable_eager_execution`."""
    if Context.default_graph is not None and context.graph is Context.default_graph:
        context.graph = Context.default_graph = None
        context.executor = context.eager


def graph_outside() -> Graph:
    """The graph outside of all: without sessions it records nothing but names."""
    return _outside


def outermost_graph() -> Graph:
    """The open graph that no other one is recorded in; if that is a function's, the graph outside of all."""
    graph = context.graph
    while graph is not None and graph.outer is not None:
        graph = graph.outer
    return graph if graph is not None and graph.on_demand else _outside


@export("compat.v1.get_default_graph")
def get_default_graph() -> Graph:
    """The graph in which operations are recorded now; outside of all, the one that sessions use."""
    return context.graph or _outside
