"""Recorded operations, and how `tensor.op` shows them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tfgrad_jax.engine.hooks import node_attribute, node_definition, run_in_session
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
    """A node as `tensor.op` shows it. Mirrors `tf.Operation`.

    Attributes:
      definition: the message `NodeDef` of which it was made; None of what a program recorded.
    """

    def __init__(self, graph: Graph, node: Node | None, name: str, outputs: Sequence[Any] = ()) -> None:
        self.graph = graph
        self.node = node
        self.name = name
        self.type = node.kernel.name if node else "Placeholder"
        self.inputs = tuple(graph.tensors[s] for s in node.ins) if node else ()
        self.outputs = [graph.tensors[s] for s in node.outs] if node else list(outputs)
        self.definition: Any = None

    def stand_for(self, definition: Any, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
        """Show what a message `NodeDef` says, of which it was made, with the operands and results that are meant there."""
        self.definition, self.type = definition, definition.op
        self.inputs, self.outputs = tuple(inputs), list(outputs)

    @property
    def node_def(self) -> Any:
        """The operation as a message `NodeDef`."""
        return node_definition(self)

    def get_attr(self, name: str) -> Any:
        """The value of an attribute.

        Raises:
          ValueError: if it has none of this name.
        """
        return node_attribute(self, name)

    @property
    def control_inputs(self) -> list[Operation]:
        """The operations that it waits for, besides those whose results it takes."""
        return self.graph.controls(self.node) if self.graph.on_demand else []  # type: ignore[attr-defined]

    @property
    def _control_outputs(self) -> list[Operation]:
        """The operations that wait for it, besides those that take its results. Keras 2 asks for them."""
        return self.graph.waiting_for(self) if self.graph.on_demand else []  # type: ignore[attr-defined]

    def values(self) -> tuple[Any, ...]:
        """Its results."""
        return tuple(self.outputs)

    def __repr__(self) -> str:
        return f"<tf.Operation {self.name!r} type={self.type}>"

    def run(self, feed_dict: Any = None, session: Any = None) -> None:
        """Run it in a session, the open one where none is given."""
        run_in_session(self, feed_dict, session)
