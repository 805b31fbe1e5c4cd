"""One trace of a function: a graph that runs as one compiled program, and the structure of arguments and results."""

from __future__ import annotations

import inspect
import itertools
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tfgrad_jax.engine.function.implementations import take_over
from tfgrad_jax.engine.function.objects import HandleSpec, Same, VariableSpec
from tfgrad_jax.engine.function.running import Runner
from tfgrad_jax.engine.function.shown import FunctionType, leaving
from tfgrad_jax.engine.function.signature import Arguments, Signature, described, flatten_up_to
from tfgrad_jax.engine.fused.step import trie
from tfgrad_jax.engine.graph.elements import variable_of
from tfgrad_jax.engine.graph.graph import Graph, SymbolicTensor
from tfgrad_jax.engine.graph.lifted import Lifted
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.state.box import locks_of, while_locked
from tfgrad_jax.engine.state.resource import ResourceTensor
from tfgrad_jax.engine.state.trackable import Trackable
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values import dtypes, nest
from tfgrad_jax.engine.values.composite import component_specs, rebuild
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.specs import TensorSpec, TypeSpec
from tfgrad_jax.engine.values.tensor import Spec, Tensor

_number = itertools.count().__next__


@export("types.experimental.ConcreteFunction")
class ConcreteFunction(Trackable):
    """One trace of a function: a graph, and the structure of its arguments and results.

    Mirrors what `tf.function(...).get_concrete_function(...)` returns.

    Args:
      signature: the parameters of the Python function.
      python_function: what is traced.
      arguments: those of the call that causes the trace; later calls may bring other tensors and variables.
      leaves: their leaves, with specs in place of tensors.
      names: of the placeholders for these.
      examples: the tensors among them, for initial values of variables; None if there are none.
      earlier: how many traces the function has already.
      jit_compile: whether its calls wait for the compiler; then values are not checked while it runs.
    """

    def __init__(
        self,
        signature: Signature,
        python_function: Callable[..., Any],
        arguments: Arguments,
        leaves: Sequence[Any],
        names: Sequence[str],
        examples: Any = None,
        earlier: int = 0,
        jit_compile: bool = True,
    ) -> None:
        self._signature = signature
        self._label = signature.name
        self._name = f"__inference_{signature.name}_{_number()}".encode()
        self.graph = graph = Graph(signature.name, context.graph)
        self._parameters = tuple(v.box.id for v in arguments.variables)
        self._described = described(arguments, leaves)
        # Beside the names that the leaves were given here, there are those that the caller gave them.
        self._typed = described(arguments, [_as_given(a, b) for a, b in zip(leaves, arguments.leaves, strict=True)])
        graph.examples = examples  # type: ignore[attr-defined]
        with graph.as_default():
            placeholders = [self._placeholder(leaf, name) for leaf, name in zip(leaves, names, strict=True)]
            args, kwargs = arguments.pack(placeholders)
            result = python_function(*args, **kwargs)
            signature.check_unchanged(arguments.pack(placeholders), (args, kwargs))
            self.results = nest.map_structure(self._output, result, expand_composites=True)
        self._shown_outputs: Any = None
        graph.examples = None  # type: ignore[attr-defined]
        flat = nest.flatten(self.results, expand_composites=True)
        self._form = _simple_form(self.results)
        graph.outputs = [t for t in flat if isinstance(t, Tensor)]
        self.lifted = Lifted(graph, graph.outputs)
        self._locks = locks_of(self.lifted.boxes)
        weakref.finalize(self, self.lifted.release).atexit = False
        self._runner = Runner(self._label, self.lifted, jit_compile, earlier)
        weakref.finalize(self, trie.forget, self._runner.owner).atexit = False

    def _placeholder(self, leaf: Any, name: str) -> Any:
        if isinstance(leaf, TensorSpec):
            return self.graph.placeholder(Spec.open(leaf.dtype, leaf.shape), name)
        if isinstance(leaf, TypeSpec):
            return rebuild(leaf, nest.map_structure(lambda part: self._placeholder(part, name), component_specs(leaf)))
        return leaf

    def _output(self, leaf: Any) -> Any:
        if leaf is None or isinstance(leaf, (TensorSpec,)):
            return leaf
        if isinstance(leaf, Variable):
            leaf = leaf.read_value()
        try:
            tensor = convert(leaf)
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"To be compatible with tf.function, Python functions must return zero or more Tensors or ExtensionTypes "
                f"or None values; in compilation of {self._label!r}, found return value of type {type(leaf).__name__}, "
                f"which is not a Tensor or ExtensionType. ({error})"
            ) from None
        inside = isinstance(tensor, SymbolicTensor) and tensor.graph is self.graph
        return tensor if inside else self.graph.capture(tensor)

    # -- introspection ------------------------------------------------------------------------------------------------

    def add_to_graph(self, g: Any = None, overwrite: bool = False) -> None:
        """Take over the calls of functions that implement the same API, if this one is preferred on the device that there is.

        What a function implements, and where it is preferred, is said by "api_implements" and "api_preferred_device" among the
        `experimental_attributes` of `tf.function`. Nothing else is needed: a function is part of every graph that calls it.

        Args:
          g: the graph whose calls are meant; None for the open one.
          overwrite: accepted for compatibility.
        """
        graph = g or context.graph
        if graph is not None:
            take_over(graph, self.graph, self.call_flat)

    def add_gradient_functions_to_graph(self, g: Any = None) -> None:
        """Accepted: gradients of functions are made when they are asked for."""

    @property
    def name(self) -> bytes:
        """The name of the trace."""
        return self._name

    @property
    def structured_input_signature(self) -> Any:
        """(args, kwargs) with a spec for each tensor."""
        return _without_references(self._described)

    @property
    def structured_outputs(self) -> Any:
        """The structure of the results: symbolic tensors, or what `show_outputs` was given."""
        return leaving(self.graph, self.results) if self._shown_outputs is None else self._shown_outputs

    def show_outputs(self, structure: Any) -> None:
        """Say what `structured_outputs` is to be, such as specs with names."""
        self._shown_outputs = structure

    @property
    def function_type(self) -> FunctionType:
        """The parameters with the type of each, the type of the results, and what is captured."""
        # A variable is captured by its handle; one that is an argument is no capture, nor is what printing or drawing keeps.
        boxes = [box for box in self.lifted.read if box.id not in self._parameters and variable_of(box) is not None]
        captures: list[tuple[int, Any]] = [(id(box), TensorSpec((), dtypes.resource)) for box in boxes]
        captures += [(id(t), t) for t in self.lifted.captured]
        return FunctionType(self._typed_parameters(), self.structured_outputs, captures)

    def _typed_parameters(self) -> list[tuple[str, Any, Any]]:
        """Name, kind and type of each; beside `*args` there is no passing the others before it by name."""
        args, kwargs = _without_references(self._typed)
        by_place = self._signature.takes_more
        kind = inspect.Parameter.POSITIONAL_ONLY if by_place else inspect.Parameter.POSITIONAL_OR_KEYWORD
        positional = [(self._signature.parameter(i), kind, a) for i, a in enumerate(args)]
        return positional + [(name, inspect.Parameter.KEYWORD_ONLY, value) for name, value in kwargs.items()]

    @property
    def inputs(self) -> list[Tensor]:
        """The symbolic tensors that the graph takes, captures included."""
        return [self.graph.tensors[s] for s in self.lifted.entering]

    @property
    def outputs(self) -> list[Tensor]:
        """The symbolic results, flat."""
        return leaving(self.graph, list(self.lifted.outputs))

    @property
    def captured_inputs(self) -> list[Tensor]:
        """The tensors that the graph takes from outside at each call."""
        return self.lifted.outside()

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables that are read or written."""
        return self.graph.variables

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """The trainable ones among `variables`."""
        return self.graph.trainable_variables

    @property
    def output_shapes(self) -> Any:
        """The static shapes of the results."""
        return nest.map_structure(lambda t: t.shape if isinstance(t, Tensor) else t, self.results)

    @property
    def output_dtypes(self) -> Any:
        """The dtypes of the results."""
        return nest.map_structure(lambda t: t.dtype if isinstance(t, Tensor) else t, self.results)

    def pretty_printed_signature(self, verbose: bool = True) -> str:
        """The types of arguments, results and captures, one a line; without captures in one line if not `verbose`."""
        return repr(self.function_type) if verbose else str(self.function_type)

    def __repr__(self) -> str:
        return f"<ConcreteFunction {self.function_type} at 0x{id(self):X}>"

    def __str__(self) -> str:
        return f"ConcreteFunction {self.pretty_printed_signature()}"

    # -- running ------------------------------------------------------------------------------------------------------

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the graph on tensors for its tensor arguments, in order or by name.

        Raises:
          TypeError: if the arguments are others than the function was traced for.
          InvalidArgumentError: if a tensor has another dtype.
        """
        tensors, variables = self._bound(args, kwargs)
        return self.call_flat(tensors, variables)

    def _bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[list[Tensor], list[Variable]]:
        """Arguments in the structure of the Python function's, or else all tensors of it, flat, without what is no tensor."""
        try:
            return self._bound_as_declared(args, kwargs)
        except TypeError:
            specs = [s for s in nest.flatten(self._described) if isinstance(s, TypeSpec)]
            named = [s.name or "" for s in specs[len(args) :] if isinstance(s, TensorSpec)]  # also those in nests
            if kwargs and {*kwargs} == {*named} and len(named) == len(specs) - len(args):
                args, kwargs = (*args, *[kwargs[name] for name in named]), {}
            if kwargs or len(args) != len(specs) or not all(isinstance(a, Tensor) for a in args):
                raise
            tensors = [s for s in specs if isinstance(s, TensorSpec)]
            if len(tensors) < len(specs):
                raise
            try:
                return [_checked(a, s, self._label) for a, s in zip(args, tensors, strict=True)], []
            except TypeError as error:
                raise self._misfit(str(error), args, kwargs) from None

    def _bound_as_declared(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[list[Tensor], list[Variable]]:
        expected, expected_by_name = self._described
        names = [self._signature.parameter(i) for i in range(len(expected))]
        # Nests are taken apart in the order of their keys, however they were passed.
        wanted = dict(zip(names, expected, strict=True)) | dict(sorted(expected_by_name.items()))
        given = dict(zip(names, args, strict=False)) | kwargs
        unknown = given.keys() - wanted.keys()
        if len(args) > len(names) or unknown:
            raise self._misfit(f"unexpected arguments {sorted(unknown) or args[len(names) :]}", args, kwargs)
        tensors: list[Tensor] = []
        variables: dict[int, Variable] = {}
        for name, described_value in wanted.items():
            flat = nest.flatten(described_value)
            if name not in given:
                if any(isinstance(x, (TypeSpec,)) for x in flat):
                    raise self._misfit(f"missing a required argument: {name!r}", args, kwargs)
                continue
            try:
                for spec, value in zip(flat, flatten_up_to(described_value, given[name]), strict=True):
                    if isinstance(spec, HandleSpec) and isinstance(value, ResourceTensor) and value.found is not None:
                        variables.setdefault(spec.alias_id or 0, value.found)
                    elif isinstance(spec, VariableSpec) and isinstance(value, Variable):
                        variables.setdefault(spec.alias_id or 0, value)
                    elif isinstance(spec, TensorSpec):
                        tensors.append(_checked(value, spec, self._label))
                    elif isinstance(spec, TypeSpec):
                        if not spec.is_compatible_with(value):
                            raise TypeError(f"Can not cast {value!r} to {spec}")
                        tensors += nest.flatten(value, expand_composites=True)
                    elif (
                        isinstance(value, (Tensor, Variable))
                        or (spec.value if isinstance(spec, Same) else spec) != value
                    ):
                        raise TypeError(f"Can not cast {value!r} to Literal[{spec!r}]")
            except (TypeError, ValueError) as error:
                raise self._misfit(str(error).split("\n", 1)[0], args, kwargs) from None
        return tensors, [variables[i] for i in sorted(variables)]

    def _misfit(self, reason: str, args: Any, kwargs: Any) -> TypeError:
        return TypeError(
            f"Binding inputs to tf.function failed due to `{reason}`. Received args: {args} and kwargs: {kwargs} for signature: "
            f"{self.function_type}."
        )

    def serves(self, variables: Sequence[Variable]) -> bool:
        """Whether a call may bring these variables: none of them is one that the function knows by another way too."""
        if not variables:
            return True
        taken = set(self._parameters)
        boxes = self.graph.boxes
        return all(v.box.id in taken or v.box.id not in boxes for v in variables)

    def call_flat(
        self,
        args: Sequence[Tensor],
        variables: Sequence[Variable] = (),
        captured: Sequence[Tensor] | None = None,
        states: Mapping[int, Any] | None = None,
    ) -> Any:
        """Run the graph on flat tensors, and on others in the place of those that it was traced with.

        Args:
          args: the tensors.
          variables: the variables that it takes.
          captured: in the place of the tensors that it took from outside.
          states: boxes in the place of others, by the identity of those.
        """
        instead = {i: v.box for i, v in zip(self._parameters, variables, strict=False) if v.box.id != i}
        if states:
            instead.update(states)
        lifted = self.lifted
        boxes = [instead.get(box.id, box) for box in lifted.boxes] if instead else lifted.boxes
        if not boxes or context.graph is not None:
            return self._call(args, instead, boxes, captured)
        # Boxes that it writes it has read before, perhaps: no other thread writes them meanwhile.
        return while_locked(locks_of(boxes) if instead else self._locks, self._call, args, instead, boxes, captured)

    def _call(
        self,
        args: Sequence[Tensor],
        instead: dict[int, Any],
        boxes: list[Any],
        captured: Sequence[Tensor] | None,
    ) -> Any:
        outside = self.lifted.outside(instead)
        if captured is not None:
            outside[: len(captured)] = captured
        if context.recorders:
            self.lifted.tell_reads(instead)
        results = self._runner.outermost.call((*args, *outside), outside, boxes)
        return self._structured(results)

    @property
    def can_be_noted(self) -> bool:
        """Whether `noted` can run it: it is one program, whose values decide no shapes, with no effects but its assignments."""
        return self._runner.is_plain

    def noted(self, args: Sequence[Tensor]) -> Any:
        """Run the graph on flat tensors as one operation among those around it, its assignments too.

        In fused mode it is noted then, where a call would run at once, and all that is pending before it.
        """
        return while_locked(self._locks, self._noted, args)

    def _noted(self, args: Sequence[Tensor]) -> Any:
        return self._structured(self._runner.noted((*args, *self.lifted.outside()), self.lifted.boxes))

    def _structured(self, results: list[Tensor]) -> Any:
        if self._form is not None:
            return results[0] if self._form is Tensor else self._form(results)
        values = iter(results)
        return nest.map_structure(
            lambda t: next(values) if isinstance(t, Tensor) else t, self.results, expand_composites=True
        )


def _simple_form(results: Any) -> type | None:
    """Tensor for a tensor, tuple or list for one of nothing but tensors; None for all other nests."""
    if isinstance(results, Tensor):
        return Tensor
    kind = type(results)
    return kind if kind in (tuple, list) and all(isinstance(t, Tensor) for t in results) else None


def _as_given(leaf: Any, given: Any) -> Any:
    """A spec under the name that the caller gave it, if any."""
    if not isinstance(leaf, TensorSpec):
        return leaf
    return TensorSpec(leaf.shape, leaf.dtype, given.name if isinstance(given, TensorSpec) else None)


def _without_references(structure: Any) -> Any:
    return nest.map_structure(lambda x: x.value if isinstance(x, Same) else x, structure)


def _checked(value: Any, spec: TensorSpec, name: str) -> Tensor:
    """An argument as the tensor that a spec describes.

    Raises:
      InvalidArgumentError: if it is a tensor of another dtype.
      TypeError, ValueError: if it cannot be made one, or has another shape: the graph was recorded for the sizes that the spec has.
    """
    tensor = as_operand(value) if isinstance(value, (Tensor, Variable)) else convert(value, spec.dtype)
    if tensor.dtype is not spec.dtype:
        raise invalid_argument(
            f"cannot compute {name} as input {spec.name!r} was expected to be a {spec.dtype.name} tensor but is a "
            f"{tensor.dtype.name} tensor"
        )
    if not spec.shape.is_compatible_with(tensor.shape):
        raise TypeError(
            f"Can not cast {TensorSpec(tensor.shape, tensor.dtype)} to {TensorSpec(spec.shape, spec.dtype)}"
        )
    return tensor


def as_operand(value: Any) -> Tensor:
    """A value as a tensor operand."""
    if isinstance(value, Variable):
        return value.as_operand()
    return value if isinstance(value, Tensor) else convert(value)
