"""The order in which sessions read variables: what a program reads, and waits for nothing, is read before anything is assigned."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Sequence
from typing import Any

from tfgrad_jax.engine.graph.elements import variable_of
from tfgrad_jax.engine.graph.graph import Node


class Ordered:
    """A graph's reads of variables, and what a session gives that fetches one.

    Attributes:
      fetched_last: the boxes' `id` of variables as there were before resources: a session that fetches one gives what it holds
        in the end; of others, what they held before anything was assigned.
      last_by_default: whether variables of version 1 are such where the program does not say it.
    """

    last_by_default = False
    lacking: Any
    _before: dict[int, tuple[Node, ...]]
    _hidden: set[int]

    def __init__(self) -> None:
        self.fetched_last: set[int] = set()
        self._named: dict[str, Any] = {}
        self._read_by: dict[int, Any] = {}
        self._in_order: set[int] = set()

    def reads(self, node: Node, box: Any) -> None:
        """Note that an operation is a read of a box."""
        self._read_by[id(node)] = box

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
        return super().get_tensor_by_name(name) if variable is None else variable  # type: ignore[misc]

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
