"""Objects and their parts, as a checkpoint has them: a node for each, found from a root on, the nearest first."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tfgrad_jax.engine.messages.errors import DataLossError
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.lib.checkpoint.values import Saved, escaped, full_name, saved_of
from tfgrad_jax.ops.io import wire

GRAPH_KEY = "_CHECKPOINTABLE_OBJECT_GRAPH"
"""The key of the message that describes all nodes."""


@dataclass
class Attribute:
    """A value of a node: its name, the name of the variable, its key."""

    name: str
    full_name: str = ""
    key: str = ""


@dataclass
class Node:
    """An object in a checkpoint.

    Attributes:
      children: names of its parts and their numbers.
      attributes: its values.
      slots: for each variable that an optimizer kept for another one: that one's number, a name, its own number.
      has_values: whether it or what it leads to has values.
    """

    children: list[tuple[str, int]] = field(default_factory=list)
    attributes: list[Attribute] = field(default_factory=list)
    slots: list[tuple[int, str, int]] = field(default_factory=list)
    has_values: bool = False

    def __str__(self) -> str:
        lines = [f'children {{\n  node_id: {child}\n  local_name: "{name}"\n}}\n' for name, child in self.children]
        for a in self.attributes:
            whole = f'  full_name: "{a.full_name}"\n' if a.full_name else ""
            lines.append(f'attributes {{\n  name: "{a.name}"\n{whole}  checkpoint_key: "{a.key}"\n}}\n')
        return "".join(lines)


class _AsItIs(str):
    """A part of a key that is no name of the program's, so nothing in it is escaped."""

    __slots__ = ()


_SLOT = _AsItIs(".OPTIMIZER_SLOT")
"""In keys of what an optimizer keeps for a variable, between the way to the variable and that to the optimizer."""


def parts_of(
    trackable: Any, attached: dict[str, Any] | None = None, save_type: str = "checkpoint", **how: Any
) -> dict[str, Any]:
    """The parts of an object by name, and those that a checkpoint adds to its root.

    Args:
      trackable: the object.
      attached: the latter.
      save_type: what the parts are asked for.
      **how: what else the object is told; for SavedModels its `cache`.
    """
    parts = dict(trackable._trackable_children(save_type, **how))
    for name, part in (attached or {}).items():
        parts[name] = part
    return parts


@dataclass
class ObjectGraph:
    """The objects that can be reached from a root.

    Attributes:
      objects: the objects, in the order of their numbers.
      children: of each, names and numbers of its parts.
      paths: of each, the names that lead to it.
      slots: by the number of an optimizer, of each variable that it keeps for another one: that one's number, a name, its number.
    """

    objects: list[Any]
    children: list[list[tuple[str, int]]]
    paths: list[tuple[str, ...]]
    slots: dict[int, list[tuple[int, str, int]]] = field(default_factory=dict)

    @classmethod
    def of(cls, root: Any, attached: dict[str, Any] | None = None) -> ObjectGraph:
        """The graph below an object.

        Args:
          root: the object.
          attached: parts that it has besides its own.
        """
        numbers = {id(root): 0}
        graph = cls([root], [], [()])
        waiting = deque([root])
        while waiting:
            trackable = waiting.popleft()
            path = graph.paths[len(graph.children)]
            children = []
            for name, part in parts_of(trackable, attached if trackable is root else None).items():
                number = numbers.get(id(part))
                if number is None:
                    number = numbers[id(part)] = len(graph.objects)
                    graph.objects.append(part)
                    graph.paths.append((*path, name))
                    waiting.append(part)
                children.append((name, number))
            graph.children.append(children)
        return graph

    def with_slots(self) -> ObjectGraph:
        """This graph, to which the variables are added that optimizers keep for others in it."""
        known = list(enumerate(self.objects))
        variables = [(number, found) for number, found in known if isinstance(found, Variable)]
        for optimizer, keeps in [(n, found) for n, found in known if hasattr(found, "get_slot_names")]:
            for name in keeps.get_slot_names():
                for number, variable in variables:
                    try:
                        slot = keeps.get_slot(variable, name)
                    except KeyError:  # Keras 2's, of variables that it never updated
                        continue
                    if slot is None:
                        continue
                    self.slots.setdefault(optimizer, []).append((number, name, len(self.objects)))
                    self.objects.append(slot)
                    self.children.append([])
                    self.paths.append((*self.paths[number], _SLOT, *self.paths[optimizer], name))
        return self

    def nodes(self, tensors: dict[str, Any]) -> list[Node]:
        """The nodes of a checkpoint.

        Args:
          tensors: is given the function of no arguments that gives each array, by key, in the order of nodes.
        """
        nodes, last = [], dict[str, Any]()
        for number, (trackable, children, path) in enumerate(zip(self.objects, self.children, self.paths)):
            node, saved = Node(children, slots=self.slots.get(number, [])), saved_of(trackable)
            for key, value in keyed(saved, path):
                (last if saved is not None and saved.last else tensors)[key] = value.get
                group = key[: len(key) - len(value.suffix)]
                if all(attribute.key != group for attribute in node.attributes):
                    node.attributes.append(Attribute(value.attribute, full_name(trackable), group))
            nodes.append(node)
        tensors.update(last)
        _mark(nodes)
        return nodes


def keyed(saved: Saved | None, path: Iterable[str]) -> Iterator[tuple[str, Any]]:
    """The values of an object with their keys."""
    start = "/".join(part if isinstance(part, _AsItIs) else escaped(part) for part in path) + "/.ATTRIBUTES/"
    for value in saved.values if saved else ():
        yield start + escaped(value.attribute) + value.suffix, value


def _mark(nodes: list[Node]) -> None:
    """Note which nodes have values or lead to some."""
    above: list[list[int]] = [[] for _ in nodes]
    for number, node in enumerate(nodes):
        for _, child in node.children:
            above[child].append(number)
    waiting = [number for number, node in enumerate(nodes) if node.attributes or node.slots]
    while waiting:
        number = waiting.pop()
        if not nodes[number].has_values:
            nodes[number].has_values = True
            waiting.extend(above[number])


def encoded(nodes: list[Node]) -> bytes:
    """The message that describes nodes."""
    out = []
    for node in nodes:
        parts = []
        for name, child in node.children:
            parts.append(wire.field(1, (wire.field(1, child) if child else b"") + wire.field(2, name.encode())))
        for a in node.attributes:
            texts = ((1, a.name), (2, a.full_name), (3, a.key))
            parts.append(wire.field(2, b"".join(wire.field(n, text.encode()) for n, text in texts if text)))
        for original, name, number in node.slots:
            parts.append(
                wire.field(
                    3, b"".join(wire.field(n, v) for n, v in ((1, original), (2, name.encode()), (3, number)) if v)
                )
            )
        parts.append(wire.field(5, wire.field(1, 1) if node.has_values else b""))
        out.append(wire.field(1, b"".join(parts)))
    return b"".join(out)


def decoded(data: bytes, where: str) -> list[Node]:
    """The nodes that a message describes.

    Raises:
      DataLossError: if it makes no sense.
    """
    try:
        nodes = [_node(value) for number, _, value in wire.fields(data) if number == 1]
    except (ValueError, TypeError) as error:
        raise DataLossError(None, None, f"The object graph of the checkpoint {where} is corrupt: {error}") from error
    if not nodes or any(not 0 <= child < len(nodes) for node in nodes for _, child in node.children):
        raise DataLossError(None, None, f"The object graph of the checkpoint {where} is corrupt: a part is missing")
    return nodes


def _node(data: bytes) -> Node:
    node = Node()
    for number, _, value in wire.fields(data):
        if number == 4:
            node.has_values = True
            continue
        found = {n: v for n, _, v in wire.fields(value)}
        if number == 1:
            node.children.append((found.get(2, b"").decode(), found.get(1, 0)))
        elif number == 2:
            node.attributes.append(Attribute(*(found.get(n, b"").decode() for n in (1, 2, 3))))
        elif number == 3:
            node.slots.append((found.get(1, 0), found.get(2, b"").decode(), found.get(3, 0)))
        elif number == 5:
            node.has_values = bool(found.get(1))
    return node


def names_of(nodes: list[Node]) -> dict[int, str]:
    """How the nodes are shown in messages: the names that lead to them."""
    names = {0: "(root)"}
    waiting = deque([0])
    while waiting:
        number = waiting.popleft()
        for name, child in nodes[number].children:
            if child not in names:
                names[child] = f"{names[number]}.{name}"
                waiting.append(child)
    for node in nodes:
        for original, slot, number in node.slots:
            names.setdefault(number, f"(slot {slot} of {names.get(original)})")
    return names
