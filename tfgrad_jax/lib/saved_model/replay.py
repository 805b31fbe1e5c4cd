"""Functions of a `FunctionDefLibrary`, replayed node by node through the operations of this package."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tfgrad_jax.engine.messages.errors import not_found
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.saved_model.attributes import FunctionName, attribute_of
from tfgrad_jax.lib.saved_model.nodes import rules
from tfgrad_jax.lib.saved_model.structures import decoded
from tfgrad_jax.ops.array.creation import zeros


class Library:
    """The functions of a SavedModel.

    Args:
      library: the `FunctionDefLibrary`.
      signatures: by name of a function what the `SavedObjectGraph` says of it.
      objects: gives the value of an object of that graph by its number: what functions capture.
    """

    def __init__(self, library: Any, signatures: Mapping[str, Any], objects: Callable[[int], Any]) -> None:
        self._definitions = {f.signature.name: f for f in library.function}
        self._functions: dict[str, GraphFunction] = {}
        self._growing: dict[str, bool] = {}
        self._gradients = {g.registered_op_type: g.gradient_func for g in library.registered_gradients}
        self.signatures = signatures
        self.objects = objects

    def function(self, name: str) -> GraphFunction:
        """The function of this name.

        Raises:
          NotFoundError: if there is none.
        """
        found = self._functions.get(name)
        if found is None:
            if name not in self._definitions:
                raise not_found(f"the SavedModel has no function {name!r}; its library has {sorted(self._definitions)}")
            found = self._functions[name] = GraphFunction(self._definitions[name])
        return found

    def names(self) -> Iterable[str]:
        """The names of the functions."""
        return self._definitions

    def has_lists_that_grow(self, function: GraphFunction) -> bool:
        """Whether a function, or one that it calls, writes to places that a list does not have yet."""
        name = function.name
        if name not in self._growing:
            self._growing[name] = False  # functions may call themselves
            self._growing[name] = any(
                node.attributes.get("resize_if_index_out_of_bounds")
                or any(self.has_lists_that_grow(self.function(f)) for f in node.functions if f in self._definitions)
                for node in function.nodes
            )
        return self._growing[name]

    def gradient(self, registered: str) -> str | None:
        """The name of the function that was registered as a custom gradient; None if it was not saved."""
        return self._gradients.get(registered)

    def unknown(self, name: str) -> dict[str, list[str]]:
        """The raw names of all nodes that a function may reach and that nothing here can do, each with the functions that
        have them.
        """
        found: dict[str, list[str]] = {}
        seen, waiting = {name}, [name]
        while waiting:
            function = self.function(waiting.pop())
            for definition in function.nodes:
                if definition.op in self._definitions:  # a function may be called by its own name
                    called = [definition.op]
                elif definition.op in rules:
                    called = list(definition.functions)
                else:
                    called = []
                    places = found.setdefault(definition.op, [])
                    if function.name not in places:
                        places.append(function.name)
                gradient = definition.attributes.get("_gradient_op_type")
                if isinstance(gradient, bytes) and gradient.decode() in self._gradients:
                    called.append(self._gradients[gradient.decode()])
                fresh = [c for c in called if c not in seen and c in self._definitions]
                seen.update(fresh)
                waiting += fresh
        return found


class NodeCall:
    """A node, read once.

    Attributes:
      name, op: of the node.
      inputs: for each operand the node that makes it (or the argument), the name of the result there or None, and its number.
      before: nodes that must run first.
      attributes: by name.
    """

    def __init__(self, definition: Any) -> None:
        self.name, self.op = definition.name, definition.op
        self.inputs = [_place(text) for text in definition.input if not text.startswith("^")]
        self.before = [text[1:] for text in definition.input if text.startswith("^")]
        self.attributes = {name: attribute_of(value) for name, value in definition.attr.items()}

    @property
    def functions(self) -> Iterable[str]:
        """The names of the functions that it calls."""
        for value in self.attributes.values():
            for one in value if isinstance(value, list) else [value]:
                if isinstance(one, FunctionName):
                    yield str(one)


def _place(text: str) -> tuple[str, str | None, int]:
    parts = text.split(":")
    if len(parts) == 3:
        return parts[0], parts[1], int(parts[2])
    return parts[0], None, int(parts[1]) if len(parts) == 2 else 0


class GraphFunction:
    """A function of the library, in the order in which its nodes run.

    Args:
      definition: the `FunctionDef`.

    Attributes:
      name: of the function.
      arguments: the names of its arguments, those that it captures last.
      nodes: those that are needed, in order.
      results: where each result comes from.
    """

    def __init__(self, definition: Any) -> None:
        self.name = definition.signature.name
        self.arguments = [a.name for a in definition.signature.input_arg]
        self.results = [_place(definition.ret[a.name]) for a in definition.signature.output_arg]
        wanted = [*(name for name, _, _ in self.results), *definition.control_ret.values()]
        self.nodes = ordered([NodeCall(n) for n in definition.node_def], wanted)


def ordered(nodes: Sequence[NodeCall], wanted: Iterable[str]) -> list[NodeCall]:
    """The nodes that are needed for those wanted, and those with effects, each after what it needs.

    Args:
      nodes: all of them.
      wanted: names of nodes, and of others that count for nothing here.
    """
    by_name = {n.name: n for n in nodes}
    needed: set[str] = set()
    waiting = [*wanted, *(n.name for n in nodes if n.op in rules and rules[n.op].stateful)]
    while waiting:
        name = waiting.pop()
        if name in needed or name not in by_name:
            continue
        needed.add(name)
        waiting += [source for source, _, _ in by_name[name].inputs] + by_name[name].before
    found: list[NodeCall] = []
    done: set[str] = set()
    for first in nodes:
        stack = [first.name] if first.name in needed else []
        while stack:
            name = stack[-1]
            if name in done or name not in by_name:
                stack.pop()
                continue
            node = by_name[name]
            missing = [
                s for s in [*node.before, *(source for source, _, _ in node.inputs)] if s in by_name and s not in done
            ]
            if missing:
                stack += [missing[0]]
                continue
            stack.pop()
            done.add(name)
            found.append(node)
    return found


class Frame:
    """One run of a function.

    Args:
      library: the functions.
      function: the one that runs.
      outer: the run from which it is called, whose values gradients may ask for.

    Attributes:
      raw: the raw name of the node that runs.
    """

    def __init__(self, library: Library, function: GraphFunction, outer: Frame | None = None) -> None:
        self._library = library
        self._function = function
        self._outer = outer
        self._values: dict[str, Any] = {}
        self.raw = ""

    def run(self, inputs: Sequence[Any]) -> list[Any]:
        """The results for these arguments."""
        function, values = self._function, self._values
        values.update((name, [value]) for name, value in zip(function.arguments, inputs, strict=True))
        for node in function.nodes:
            given = [self._value(place) for place in node.inputs]
            self.raw = node.op
            rule = rules.get(node.op)
            if rule is None:
                values[node.name] = self.call(node.op, given)
                continue
            made = rule(given, node.attributes, self)
            made = [] if made is None else made if isinstance(made, list) else [made]
            values[node.name] = dict(zip(rule.outputs, made, strict=False)) if rule.outputs else made
        return [self._value(place) for place in function.results]

    @property
    def has_lists_that_grow(self) -> bool:
        """Whether it, or a function that it calls, writes to places that a list does not have yet."""
        return self._library.has_lists_that_grow(self._function)

    def _value(self, place: tuple[str, str | None, int]) -> Any:
        node, output, number = place
        found = self._values[node]
        if isinstance(found, dict) and output is not None:
            made = found[output]
            return made[number] if type(made) is tuple else made
        if isinstance(found, dict):
            found = [x for made in found.values() for x in (made if type(made) is tuple else [made])]
        return found[number]

    def call(self, name: str, inputs: Sequence[Any]) -> list[Any]:
        """The results of another function of the library."""
        return Frame(self._library, self._library.function(name), self).run(inputs)

    def gradient(self, registered: str, cotangents: Sequence[Any], inputs: Sequence[Any]) -> list[Any]:
        """What a custom gradient gives for the inputs of a node.

        Args:
          registered: the name under which the gradient was registered.
          cotangents: of the node's results; None for those that have none.
          inputs: of the node.

        Raises:
          LookupError: if the gradient was not saved.
        """
        library, name = self._library, self._library.gradient(registered)
        if name is None:
            raise LookupError(
                f"No gradient defined for operation '{self.raw}' (op type: {registered}). The function was saved "
                "without its custom "
                f"gradient: save it with tf.saved_model.SaveOptions(experimental_custom_gradients=True)."
            )
        function, signature = library.function(name), library.signatures[name]
        captured = [self._captured(library.objects(i)) for i in signature.bound_inputs]
        taken = len(function.arguments) - len(captured)
        filled = [_zeros(x) if c is None else c for c, x in zip(cotangents, inputs, strict=True)]
        made = iter(self.call(name, [*filled[:taken], *captured]))
        structure = nest.flatten(decoded(signature.output_signature))
        return [None if spec is None else next(made) for spec in structure]

    def _captured(self, value: Any) -> Any:
        """A value that a gradient captured: an object, or what a node of a function made in this run."""
        if not isinstance(value, CapturedTensor):
            return value
        frame: Frame | None = self
        while frame is not None:
            if frame._function.name == value.function:
                return frame._value(_place(value.name))
            frame = frame._outer
        raise not_found(
            f"a custom gradient needs {value.name!r} of the function {value.function!r}, which is not running"
        )


class CapturedTensor:
    """What stands in an object graph for a tensor of a function.

    Args:
      name: of the tensor.
      function: that has it.
    """

    def __init__(self, name: str, function: str) -> None:
        self.name = name
        self.function = function


def _zeros(value: Any) -> Any:
    return (
        zeros(value.shape, value.dtype) if isinstance(value, Tensor) and value.shape.is_fully_defined() else value * 0
    )
