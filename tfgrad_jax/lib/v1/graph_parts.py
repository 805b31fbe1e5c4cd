"""Parts of graphs for sessions as traced functions, which files can hold: from tensors that are fed to tensors that are fetched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tfgrad_jax.engine.function.concrete import ConcreteFunction
from tfgrad_jax.engine.function.function import Function
from tfgrad_jax.engine.graph.session_graph import SessionGraph
from tfgrad_jax.engine.run.effects import eager_context
from tfgrad_jax.engine.values.specs import TensorSpec
from tfgrad_jax.engine.values.symbolic import SymbolicTensor
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.v1.wrapped import WrappedFunction


def placeholders_of(graph: SessionGraph, tensors: Sequence[Tensor], fed: Sequence[Tensor] = ()) -> list[Any]:
    """The placeholders that must be fed for some tensors beside those that are fed, in the order in which they were made."""
    _, open_slots = graph.demanded([], [t.slot for t in tensors], {t.slot for t in fed})
    outside = {inner.slot for _, inner in graph.captured.values()}
    return [graph.tensors[slot] for slot in sorted(open_slots - outside)]


def traced_part(graph: SessionGraph, feeds: Mapping[str, SymbolicTensor], fetches: Any) -> ConcreteFunction:
    """What computes tensors of a graph from others, as a traced function of the variables that it reads.

    Args:
      graph: the graph.
      feeds: what the function takes, in this order, by the names of its arguments.
      fetches: what it gives: a dict or a list of tensors.
    """
    part = WrappedFunction(graph, list(feeds.values()), fetches)
    specs = [TensorSpec(tensor.shape, tensor.dtype, name) for name, tensor in feeds.items()]

    def run(*given: Any) -> Any:
        return part(*given)

    function = Function(run, graph.name, input_signature=specs, autograph=False)
    with eager_context():
        return function.get_concrete_function()
