"""Replaying a graph on arrays or tracers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tfgrad_jax.engine.graph.sizes import known, runs_late
from tfgrad_jax.engine.kernels import products
from tfgrad_jax.engine.run.execute import explain
from tfgrad_jax.engine.values.symbolic import SymbolicTensor
from tfgrad_jax.engine.values.tensor import EagerTensor

if TYPE_CHECKING:
    from tfgrad_jax.engine.graph.graph import Graph, Node


def replay(nodes: Sequence[Node], values: dict[int, Any]) -> None:
    """Run nodes on arrays (or tracers); integers that are known stay NumPy arrays, so that shapes can depend on them."""
    with np.errstate(all="ignore"):  # constants are NumPy arrays; what NumPy would warn of, XLA does not
        _replay(nodes, values)


def _replay(nodes: Sequence[Node], values: dict[int, Any]) -> None:
    for node in nodes:
        args = [values[s] for s in node.ins]
        kernel = node.kernel
        try:
            if args and not runs_late(kernel) and all(type(a) is np.ndarray and a.dtype.kind in "iub" for a in args):
                out = known(kernel, args)
            else:
                out = products.run(kernel, args)
        except Exception as error:
            found = explain(error, kernel, tuple(EagerTensor(products.evaluated(a)) for a in args))
            if node.where is not None and not any("recorded at" in note for note in getattr(found, "__notes__", ())):
                found.add_note(f"{kernel.name} was recorded at {node.where[0]}:{node.where[1]}")
            raise found from error
        if isinstance(out, (tuple, list)):
            values.update(zip(node.outs, out, strict=True))
        else:
            values[node.outs[0]] = out


def evaluate(graph: Graph, tensor: SymbolicTensor, known: dict[int, Any]) -> Any:
    """The value of a tensor of an unfinished graph, from known slots and what was captured."""
    needed = {tensor.slot}
    nodes = []
    for node in reversed(graph.nodes):
        if any(o in needed for o in node.outs):
            nodes.append(node)
            needed.update(node.ins)
    values: dict[int, Any] = {**graph.constants, **known}
    for outside, inner in graph.captured.values():
        if inner.slot in needed and inner.slot not in values:
            values[inner.slot] = (
                evaluate(outside.graph, outside, {}) if isinstance(outside, SymbolicTensor) else outside.array
            )
    for box, inner_read in graph.boxes.values():
        if inner_read is not None and inner_read.slot in needed:
            values[inner_read.slot] = box.current.array
    missing = [graph.tensors[s] for s in needed if s not in values and s not in {o for n in nodes for o in n.outs}]
    if missing:
        raise ValueError(
            f"a tf.Variable made inside {graph.name!r} has an initial value that depends on the function's argument "
            f"{missing[0]!r}; compute it in tf.init_scope, or pass a callable"
        )
    replay(nodes[::-1], values)
    return products.evaluated(values[tensor.slot])
