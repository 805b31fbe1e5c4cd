"""Operations of a session's graph as messages describe them, whatever they were recorded as."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import Any

from tfgrad_jax.engine.graph.graph import Graph, Operation
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.run.execute import identity
from tfgrad_jax.engine.values.symbolic import SymbolicTensor
from tfgrad_jax.engine.values.tensor import Tensor


def no_array(*arrays: Any) -> Any:
    """Stands for the function of operations that are interpreted alone."""
    raise NotImplementedError("operations of a session's graph run one by one")


NOTHING = Kernel("NoOp", no_array, differentiable=0, stateful=True, interpret=lambda operands: [])


class Presented(Graph):
    """What a graph shows of its operations: some stand for several that were recorded."""

    insert: Any
    waiting: Any

    def __init__(self) -> None:
        self._hidden: set[int] = set()
        self._shown_as: dict[int, tuple[Operation, int]] = {}

    def get_operations(self) -> list[Operation]:
        """The operations recorded so far, in order, placeholders among them."""
        captured = {inner.slot for _, inner in self.captured.values()}
        found: dict[int, tuple[tuple[int, int], Operation]] = {}
        for tensor in self.tensors:
            node = self._producers.get(tensor.slot)
            if tensor.slot in self._shown_as or (tensor.slot not in captured and id(node) not in self._hidden):
                operation = self.operation(tensor.slot)
                found.setdefault(id(operation), ((tensor.slot, 0), operation))
        slot = -1
        for i, node in enumerate(self.nodes, 1):  # those without results stand behind what was recorded before them
            if node.outs:
                slot = node.outs[-1]
            elif id(node) not in self._hidden:
                found[id(self._shown(node))] = (slot, i), self._shown(node)
        return [operation for _, operation in sorted(found.values(), key=itemgetter(0))]

    def is_hidden(self, slot: int) -> bool:
        """Whether a slot is a step on the way to the results of an operation that programs see."""
        return slot not in self._shown_as and id(self._producers.get(slot)) in self._hidden

    def operation(self, slot: int) -> Operation:
        """The operation that a slot is a result of."""
        return self._shown_as[slot][0] if slot in self._shown_as else super().operation(slot)

    def place_of_output(self, slot: int) -> int:
        """Which of the results of its operation a slot is."""
        return self._shown_as[slot][1] if slot in self._shown_as else super().place_of_output(slot)

    def present(self, definition: Any, operands: Sequence[Any], results: Sequence[Any], since: int) -> list[Tensor]:
        """Show what was recorded as one operation, which a message `NodeDef` describes.

        Args:
          definition: the message; nothing else has its name.
          operands: what it takes there.
          results: what was recorded for it gives.
          since: how many operations there were before.

        Returns:
          The results, each of which is the operation's own.
        """
        fresh = {slot for node in self.nodes[since:] for slot in node.outs} - self._shown_as.keys()
        own = []
        for result in results:
            if not (isinstance(result, SymbolicTensor) and result.graph is self and result.slot in fresh):
                known = not isinstance(result, SymbolicTensor)
                result = self.constant(result, definition.name + "/") if known else identity(result)
            fresh.discard(result.slot)
            own.append(result)
        made = self.nodes[since:]
        node = made[0] if len(made) == 1 else None
        if node is None:
            with self.waiting([self._shown(one) for one in made]):
                node = self.insert(NOTHING, (), (), definition.name + "/")
        self._hidden.update(id(one) for one in self.nodes[since:] if own or one is not node)
        self._names.setdefault(definition.name.lower(), 0)
        found = self._operations[id(node)] = Operation(self, node, definition.name)
        found.stand_for(definition, operands, own)
        for place, result in enumerate(own):
            result.rename(definition.name)
            self._shown_as[result.slot] = found, place
        return own
