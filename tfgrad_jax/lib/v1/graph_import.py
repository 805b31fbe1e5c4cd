"""`tf.import_graph_def`: the nodes of a `GraphDef` as operations of the open graph, by the rules for nodes of SavedModels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.graph.func_graph import get_default_graph
from tfgrad_jax.engine.messages.errors import not_found
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.names.scopes import name_scope
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.symbolic import SymbolicTensor
from tfgrad_jax.engine.values.tensor import Spec, Tensor
from tfgrad_jax.lib.saved_model.nodes import rules
from tfgrad_jax.lib.saved_model.protos import message
from tfgrad_jax.lib.saved_model.replay import Frame, GraphFunction, Library, NodeCall
from tfgrad_jax.lib.v1.loop_nodes import functional
from tfgrad_jax.lib.v1.ref_nodes import REF_RULES, VARIABLES, variable_of_node


@export(
    "import_graph_def",
    "graph_util.import_graph_def",
    "compat.v1.import_graph_def",
    "compat.v1.graph_util.import_graph_def",
)
def import_graph_def(
    graph_def: Any,
    input_map: Mapping[str, Any] | None = None,
    return_elements: Sequence[str] | None = None,
    name: str | None = None,
    op_dict: Any = None,
    producer_op_list: Any = None,
) -> list[Any] | None:
    """Record the operations of a `GraphDef` in the open graph. Mirrors `tf.import_graph_def`.

    Args:
      graph_def: the message.
      input_map: what stands in the places of tensors of it, by the names of these.
      return_elements: names of operations and tensors of it.
      name: what all names begin with, "import" by default; nothing if "".
      op_dict, producer_op_list: accepted for compatibility.

    Returns:
      The operations and tensors of `return_elements`; None without these.

    Raises:
      TypeError: if `graph_def` is no `GraphDef`.
      ValueError: if names of `input_map` or `return_elements` are not there.
      NotFoundError: if nothing here does what an operation of it does; it names them all.
    """
    if type(graph_def) is not type(message("GraphDef")):
        raise TypeError("Argument `graph_def` must be a GraphDef proto.")
    graph: Any = get_default_graph()
    with graph.as_default():
        prefix = prefix_of(graph, name)
        return Importer(graph, graph_def, prefix, input_map or {}).run(return_elements)


def prefix_of(graph: Any, name: str | None) -> str:
    """What all names begin with."""
    if name == "":
        return ""
    with name_scope("import" if name is None else name) as scope:
        return scope


class Importer:
    """Records the nodes of a `GraphDef` in a graph.

    Args:
      graph: the graph, which is open.
      definition: the message.
      prefix: what all names begin with.
      given: what stands in the places of tensors.

    Attributes:
      made: the results of each node.
      variables: those that nodes made, by the names of these.
    """

    def __init__(self, graph: Any, definition: Any, prefix: str, given: Mapping[str, Any]) -> None:
        definition = functional(definition)
        self._graph = graph
        self._prefix = prefix
        self._definitions = {node.name: node for node in definition.node}
        self._nodes = {name: NodeCall(node) for name, node in self._definitions.items()}
        self._library = Library(definition.library, {}, lambda number: None)
        graph.library.update({function.signature.name: function for function in definition.library.function})
        self._given = {_key(key): value for key, value in given.items()}
        self._used: set[tuple[str, int]] = set()
        self.made: dict[str, Any] = {}
        self.variables: dict[str, Any] = {}
        self._operations: dict[str, Any] = {}
        self._names: dict[str, str] = {}
        self._refuse_unknown()

    def _refuse_unknown(self) -> None:
        known = {*rules, *REF_RULES, *VARIABLES, "Placeholder", "PlaceholderV2", "NoOp", *(self._library.names())}
        unknown = sorted({node.op for node in self._nodes.values()} - known)
        if unknown:
            raise not_found(f"tf.import_graph_def: nothing here does what these operations do: {', '.join(unknown)}")

    def run(self, wanted: Sequence[str] | None) -> list[Any] | None:
        """Record all nodes, and find some of them."""
        for name in self._in_order():
            self._record(self._nodes[name])
        missing = [f"{name}:{place}" for name, place in self._given if (name, place) not in self._used]
        if missing:
            raise ValueError(f"Attempted to map inputs that were not found in graph_def: [{', '.join(missing)}]")
        return None if wanted is None else [self.element(one) for one in wanted]

    def _in_order(self) -> list[str]:
        """The names of the nodes, each after what it needs."""
        order: list[str] = []
        state: dict[str, int] = {}
        for first in self._nodes:
            stack = [first]
            while stack:
                name = stack[-1]
                if state.get(name) == 2:
                    stack.pop()
                    continue
                state[name] = 1
                node = self._nodes[name]
                needed = [*node.before, *(source for source, _, _ in node.inputs)]
                for source in needed:
                    if source not in self._nodes:
                        raise ValueError(f"Node '{name}': Unknown input node '{source}'")
                open_ones = [source for source in needed if state.get(source) != 2]
                if not open_ones:
                    state[name] = 2
                    order.append(name)
                    stack.pop()
                elif state.get(open_ones[0]) == 1:
                    raise ValueError(f"Node '{name}' needs itself, by way of '{open_ones[0]}'")
                else:
                    stack.append(open_ones[0])
        return order

    def _record(self, node: NodeCall) -> None:
        graph = self._graph
        if node.op in VARIABLES and graph.on_demand:
            self._make_variable(node)
            return
        with name_scope(""):
            name = self._names[node.name] = graph.unique_name(self._prefix + node.name)
        inputs = [self._input(place) for place in node.inputs]
        if not graph.on_demand:  # in a function it runs where it stands, and needs no name
            self.made[node.name] = self._results(node, inputs)
            return
        controls = [self._operations[before] for before in node.before]
        since = len(graph.nodes)
        with graph.waiting([c for c in controls if c is not None]), name_scope(name + "/"):
            if node.op in ("Placeholder", "PlaceholderV2"):
                shape = TensorShape(node.attributes.get("shape"))
                tensor = graph.new(Spec.open(node.attributes["dtype"], shape), name)
                self.made[node.name], self._operations[node.name] = [tensor], tensor.op
                tensor.op.stand_for(self._renamed(node), (), [tensor])
                return
            made = self._results(node, inputs)
            flat, build = _flattened(made)
            given = [convert(v) if isinstance(v, (Tensor, np.ndarray)) else v for v in flat]
            tensors = all(isinstance(v, Tensor) for v in given)  # variables, lists and tables go on as they are
            operands = [v for v in inputs if isinstance(v, Tensor)]
            own = graph.present(self._renamed(node), operands, given if tensors else (), since)
            self.made[node.name] = build(own) if tensors else made
            self._operations[node.name] = own[0].op if own else graph.get_operation_by_name(name)

    def _make_variable(self, node: NodeCall) -> None:
        graph, since = self._graph, len(self._graph.nodes)
        with name_scope(""), graph.waiting(None):
            variable = self.variables[node.name] = variable_of_node(graph, node, self._prefix + node.name)
        self._names[node.name] = variable.name.rpartition(":")[0]
        self.made[node.name] = [variable]
        graph.present(self._renamed(node), (), (), since)
        self._operations[node.name] = graph.get_operation_by_name(self._names[node.name])

    def _results(self, node: NodeCall, inputs: list[Any]) -> Any:
        """What a node gives: a list, or a dict by the names of the results."""
        frame = _NodeFrame(self._library, node.op)
        rule = REF_RULES.get(node.op) or rules.get(node.op)
        if node.op == "NoOp":
            return []
        if node.op in ("Placeholder", "PlaceholderV2"):
            if (node.name, 0) in self._given:
                return [None]
            raise ValueError(
                f"tf.import_graph_def: nothing is given for the placeholder {node.name!r}: a function has none of its own, "
                "name it in `input_map`"
            )
        if rule is None:
            return frame.call(node.op, inputs)
        made = rule(inputs, node.attributes, frame)
        made = [] if made is None else made if isinstance(made, list) else [made]
        return dict(zip(rule.outputs, made, strict=False)) if rule.outputs else made

    def _renamed(self, node: NodeCall) -> Any:
        """The message of a node under its name here."""
        made = message("NodeDef")
        made.CopyFrom(self._definitions[node.name])
        made.name = self._names[node.name]
        for i, text in enumerate(made.input):
            source, colon, rest = text.removeprefix("^").partition(":")
            made.input[i] = "^"[: text.startswith("^")] + self._names[source] + colon + rest
        return made

    def _input(self, place: tuple[str, str | None, int]) -> Any:
        name, output, number = place
        if (name, number) in self._given and output is None:
            self._used.add((name, number))
            return convert(self._given[name, number])
        return _picked(self.made[name], output, number)

    def element(self, name: str) -> Any:
        """The tensor, variable or operation of a name in the message.

        Raises:
          ValueError: if there is none.
        """
        label, colon, number = name.partition(":")
        if label not in self._nodes or (colon and not number.isdigit()):
            raise ValueError(f"Requested return {'tensor' if colon else 'operation'} '{name}' not found in graph def")
        if not colon:
            operation = self._operations.get(label)
            return operation if operation is not None else _owner(self.made[label])
        if (label, int(number)) in self._given:
            return convert(self._given[label, int(number)])
        flat, _ = _flattened(self.made[label])
        if int(number) >= len(flat):
            raise ValueError(f"Invalid return output {number} of node '{label}', which has {len(flat)} output(s)")
        return flat[int(number)]


class _NodeFrame(Frame):
    """What a node's rule asks for: functions of the library."""

    def __init__(self, library: Library, raw: str) -> None:
        super().__init__(library, GraphFunction(message("FunctionDef")))
        self.raw = raw


def _owner(made: Any) -> Any:
    flat, _ = _flattened(made)
    return flat[0].op if flat and isinstance(flat[0], SymbolicTensor) else None


def _key(name: str) -> tuple[str, int]:
    label, colon, number = name.partition(":")
    return label, int(number) if colon else 0


def _picked(made: Any, output: str | None, number: int) -> Any:
    if isinstance(made, dict) and output is not None:
        found = made[output]
        return found[number] if type(found) is tuple else found
    return _flattened(made)[0][number]


def _flattened(made: Any) -> tuple[list[Any], Callable[[list[Any]], Any]]:
    """The results in one list, and what makes the same structure of others."""
    if not isinstance(made, dict):
        flat = [x for one in made for x in (one if type(one) is tuple else [one])]
        return flat, list
    counts = {key: len(value) if type(value) is tuple else None for key, value in made.items()}

    def build(values: list[Any]) -> Any:
        rest = iter(values)
        return {
            key: next(rest) if count is None else tuple([next(rest) for _ in range(count)])
            for key, count in counts.items()
        }

    return [x for one in made.values() for x in (one if type(one) is tuple else [one])], build
