"""How sessions read variables: what a program reads, and waits for nothing, and is not fed, is read before anything is assigned."""

from __future__ import annotations

import weakref
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from tfgrad_jax.engine.graph.elements import variable_of
from tfgrad_jax.engine.graph.graph import Node
from tfgrad_jax.engine.messages.errors import InvalidArgumentError
from tfgrad_jax.engine.state.variable import Variable, assigned_by
from tfgrad_jax.engine.threads.context import context


class Ordered:
    """A graph's reads of variables, and what a session gives that fetches one.

    Attributes:
      fetched_last: the boxes' `id` of variables as there were before resources: a session that fetches one gives what it holds
        in the end; of others, what they held before anything was assigned.
      last_by_default: whether variables of version 1 are such where the program does not say it.
    """

    last_by_default = False
    lacking: Any
    demanded: Any
    _before: dict[int, tuple[Node, ...]]
    _hidden: set[int]
    _producers: dict[int, Node]
    _waiting: tuple[Node, ...]

    def __init__(self) -> None:
        self.fetched_last: set[int] = set()
        self._named: dict[str, Any] = {}
        self._read_by: dict[int, Any] = {}
        self._slots: dict[int, list[int]] = {}
        self._written_by: dict[int, Any] = {}
        self._snapshots: dict[int, Any] = {}
        self._boxes_of_snapshots: dict[int, Any] = {}
        self._in_order: set[int] = set()

    def reads(self, node: Node, box: Any, to_replace: bool) -> None:
        """Note that an operation is a read of a box, or a step of one that replaces what is in it."""
        self._read_by[id(node)] = box
        if to_replace:
            self.keep_order([node])
        self._slots.setdefault(box.id, []).append(node.outs[0])

    def writes(self, node: Node, box: Any, made_by: Node | None) -> None:
        """Note that an operation is an assignment of a box; where a call leaves the value, what it reads there is a step of it."""
        self._written_by[id(node)] = box
        operands = [] if made_by is None else [self._producers.get(slot) for slot in made_by.ins]
        self.keep_order([one for one in operands if one is not None and self._read_by.get(id(one)) is box])

    def keep_order(self, nodes: Iterable[Node]) -> None:
        """Let operations run where they were recorded: the steps of one that a program sees."""
        self._in_order.update(id(node) for node in nodes)

    def keep_kind(self, variable: Any, use_resource: bool | None) -> None:
        """Let a variable be fetched last where it is to be no resource, or the default is that."""
        if self.last_by_default if use_resource is None else not use_resource:
            self.fetched_last.add(variable.box.id)
            self._named[variable.name] = weakref.ref(variable)

    def get_tensor_by_name(self, name: str) -> Any:
        """The tensor of a name; a variable itself where it is no resource, since its name is then that of its value."""
        variable = self._named.get(name, lambda: None)()
        if variable is not None:
            return variable
        read = self._read_called(name.rpartition(":")[0]) if isinstance(name, str) else None
        return super().get_tensor_by_name(name) if read is None else read  # type: ignore[misc]

    def get_operation_by_name(self, name: str) -> Any:
        """The operation of a name; the read of a variable that is no resource."""
        read = self._read_called(name) if isinstance(name, str) else None
        return super().get_operation_by_name(name) if read is None else read.op  # type: ignore[misc]

    def _read_called(self, name: str) -> Any:
        variable = (
            self._named.get(name.removesuffix("/read") + ":0", lambda: None)() if name.endswith("/read") else None
        )
        return None if variable is None else self.value_of(variable)

    def value_of(self, variable: Any) -> Any:
        """What `Variable.value` gives: of one that is no resource the same tensor always, in whose place all reads are fed."""
        last = variable.box.id in self.fetched_last and assigned_by(variable) is None
        if not last or self._waiting or context.recorders:
            return Variable.read_value(variable)
        found: Any = self._snapshots.get(variable.box.id)
        if found is None:
            found = self._snapshots[variable.box.id] = Variable.read_value(variable)
            found.rename(variable.name.partition(":")[0] + "/read")
            self._boxes_of_snapshots[found.slot] = variable.box
        return found

    def fed_with(self, element: Any) -> tuple[list[int], Any]:
        """What a value takes the place of that is fed for a tensor or a variable.

        Returns:
          Slots, of a variable that is no resource those of all its reads; and that variable's box, or None.
        """
        slot = getattr(element, "slot", None)
        box = element.box if slot is None else self._boxes_of_snapshots.get(slot)
        box = box if box is not None and box.id in self.fetched_last else None
        reads = [] if box is None else self._slots.get(box.id, [])
        return [*reads, *([] if slot is None else [slot])], box

    def refuse_assigning(
        self, boxes: Collection[Any], nodes: Sequence[Node], tensors: Sequence[Any], fed: Collection[int]
    ) -> None:
        """Refuse to run what assigns variables in whose place values are fed.

        Args:
          boxes: those variables'.
          nodes, tensors, fed: what is to run, what is asked for, and the slots that are fed.

        Raises:
          InvalidArgumentError: if one would be assigned.
        """
        needed, _ = self.demanded(nodes, [tensor.slot for tensor in tensors], fed)
        for node in needed:
            box = self._written_by.get(id(node))
            if box is not None and any(box is one for one in boxes):
                name = getattr(variable_of(box), "name", "a variable")
                message = f"{name} is fed, and {node.name or node.kernel.name} would assign it in the same run"
                raise InvalidArgumentError(None, None, message)

    def reads_first(self, nodes: Sequence[Node]) -> list[Node]:
        """Operations as a session runs them: a program's reads of variables that wait for nothing come first.

        What is a step of some other operation stays where it was recorded, and so does a read of what has no value yet.
        """

        def later(node: Node) -> bool:
            box = self._read_by.get(id(node))
            if box is None or variable_of(box) is None or id(node) in self._in_order or id(node) in self._hidden:
                return True
            return bool(self._before[id(node)]) or self.lacking(box)

        return sorted(nodes, key=later)
