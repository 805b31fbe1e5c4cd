"""Gradients in Python that a graph records when it is finished: nobody knows before whether a cotangent can come there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfgrad_jax.engine.graph.graph import Graph, Node
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.messages.errors import left_to_subclass
from tfgrad_jax.engine.threads.context import placed
from tfgrad_jax.engine.values.tensor import Tensor


class Postponed(Kernel):
    """A kernel whose gradient is recorded in its graph when that is finished, and only where a cotangent can come.

    Attributes:
      connects: bits of the inputs that the gradient connects with the results.
      state: what boxes held in the graph when the kernel was recorded there, which is what the gradient sees of them; None once
        the gradient is recorded.
    """

    __slots__ = ("connects", "state")

    connects: int
    state: Any

    def record(self) -> Sequence[Tensor]:
        """Record the gradient, in the open graph; returns what it takes besides the inputs so far."""
        raise left_to_subclass(self, "record")


def connected(node: Node) -> list[int]:
    """The slots to which a gradient may flow from the results of an operation."""
    kernel = node.kernel
    mask = kernel.connects if isinstance(kernel, Postponed) else kernel.differentiable
    return [s for i, s in enumerate(node.ins) if mask >> i & 1]


def record_gradients(graph: Graph, results: Sequence[Tensor]) -> None:
    """Record the postponed gradients that cotangents of `results` can reach, from the last operation to the first."""
    if not any(isinstance(node.kernel, Postponed) for node in graph.nodes):
        return
    tensors = graph.tensors
    reached = {t.slot for t in results if t.dtype.trainable}
    position = len(graph.nodes)
    while position:
        position -= 1
        node = graph.nodes[position]
        if any(o in reached for o in node.outs):
            if isinstance(node.kernel, Postponed) and node.kernel.state is not None:
                with graph.as_default(), placed(node.place), graph.at(node.kernel.state, position) as added:
                    node.ins += tuple([graph.slot(t) for t in node.kernel.record()])
                node.kernel.state = None
                position += added()
            reached.update(s for s in connected(node) if tensors[s].dtype.trainable)
