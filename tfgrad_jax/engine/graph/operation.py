"""Recorded operations, and how `tensor.op` shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tfgrad_jax.engine.hooks import run_in_session
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.names.export import export

if TYPE_CHECKING:
    from tfgrad_jax.engine.graph.graph import Graph


class Node:
    """One recorded operation: a kernel from slots to slots; `where` is the user's file and line, `place` the replica's device."""

    __slots__ = ("ins", "kernel", "name", "outs", "place", "where")

    def __init__(
        self, kernel: Kernel, ins: tuple[int, ...], outs: tuple[int, ...], name: str, where: Any, place: Any = None
    ) -> None:
        self.kernel = kernel
        self.ins = ins
        self.outs = outs
        self.name = name
        self.where = where
        self.place = place


@export("Operation")
class Operation:
    """A node as `tensor.op` shows it. Mirrors `tf.Operation`."""

    def __init__(self, graph: Graph, node: Node | None, name: str) -> None:
        self.graph = graph
        self.node = node
        self.name = name
        self.type = node.kernel.name if node else "Placeholder"
        self.inputs = tuple(graph.tensors[s] for s in node.ins) if node else ()
        self.outputs = [graph.tensors[s] for s in node.outs] if node else []

    @property
    def control_inputs(self) -> list[Operation]:
        """The operations that it waits for, besides those whose results it takes."""
        return self.graph.controls(self.node) if self.graph.on_demand else []  # type: ignore[attr-defined]

    def values(self) -> tuple[Any, ...]:
        """Its results."""
        return tuple(self.outputs)

    def __repr__(self) -> str:
        return f"<tf.Operation {self.name!r} type={self.type}>"

    def run(self, feed_dict: Any = None, session: Any = None) -> None:
        """Run it in a session, the open one where none is given."""
        run_in_session(self, feed_dict, session)
