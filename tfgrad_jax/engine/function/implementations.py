"""Functions that do the same for a device each, of which a graph calls the one that its device prefers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import jax

from tfgrad_jax.engine.graph.graph import Graph, Node
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.tensor import Tensor

_API, _DEVICE = "api_implements", "api_preferred_device"


class Implements(NamedTuple):
    """What a function does under a name that others have too, and the kind of device that it is made for, if it is."""

    api: str
    device: str | None


def implements(attributes: Mapping[str, Any]) -> Implements | None:
    """What the `experimental_attributes` of a function say about it; None if nothing."""
    return Implements(attributes[_API], attributes.get(_DEVICE)) if _API in attributes else None


def take_over(graph: Graph, preferred: Graph, call: Callable[[Sequence[Tensor]], Any]) -> None:
    """Exchange the calls, in a graph, of functions with the API of one that is preferred where the graph will run.

    Args:
      graph: where they are recorded. The tensors that they gave become those of the new calls, to tapes too.
      preferred: the graph of the function.
      call: records a call of it.
    """
    wanted = preferred.implements
    if wanted is None or wanted.device != jax.default_backend().upper():
        return
    if any(
        g.jit_compile for g in (graph, *graph.enclosing())
    ):  # as in TensorFlow, whose programs of XLA nobody rewrites
        return
    for node in list(graph.nodes):
        called = node.kernel.called.graph if node.kernel.called is not None else preferred
        if called is not preferred and _gives_way(called, preferred):
            _exchange(graph, node, call([graph.tensors[s] for s in node.ins[: len(called.inputs)]]))


def _gives_way(called: Graph, preferred: Graph) -> bool:
    """Whether a function that is called has the same API as the one that is preferred, and the same signature."""
    found, wanted = called.implements, preferred.implements
    alike = found is not None and found.api == wanted.api and found.device != wanted.device
    return alike and _signature(called) == _signature(preferred)


def _signature(graph: Graph) -> Any:
    """What must be equal where a function stands in for another one: the dtypes, and what they take from outside."""
    outside = [t for t, inner in graph.captured.values() if inner.slot not in graph.constants]
    return (
        [[t.dtype for t in ts] for ts in (graph.inputs, graph.outputs, outside)],
        list(graph.boxes),
        list(graph.written),
    )


def _exchange(graph: Graph, node: Node, results: Any) -> None:
    """Let those who hold what an operation gave hold `results`, which another gave; the operation is gone."""
    graph.nodes.remove(node)
    new = [t for t in nest.flatten(results, expand_composites=True) if isinstance(t, Tensor)]
    for old, other in zip([graph.tensors[s] for s in node.outs], new, strict=False):
        for name in ("slot", "identity", "known_spec", "trials", "samples", "sure"):
            setattr(old, name, getattr(other, name))
