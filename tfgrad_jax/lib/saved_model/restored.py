"""Functions of a SavedModel as users call them."""

from __future__ import annotations

import functools
import inspect
import pprint
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from tfgrad_jax.engine.function.concrete import ConcreteFunction
from tfgrad_jax.engine.function.function import Function
from tfgrad_jax.engine.function.retracing import Retracing
from tfgrad_jax.engine.messages.errors import not_found
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.composite import component_specs, rebuild
from tfgrad_jax.engine.values.convert import convert_to_tensor
from tfgrad_jax.engine.values.specs import TensorSpec, TypeSpec
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.saved_model.replay import Frame, Library
from tfgrad_jax.lib.saved_model.structures import decoded


class _Silent(Retracing):
    """Says nothing of functions that are traced often: each was traced as often when it was saved."""

    def traced(self, function: Callable[..., Any]) -> None:
        self.called()


class _Quiet(Function):
    """A `tf.function` that may be traced often."""

    def __init__(self, python_function: Callable[..., Any], **options: Any) -> None:
        super().__init__(python_function, **options)
        self._retracing = _Silent()


class SavedConcrete:
    """One function of the library with the structure of its arguments and results.

    Args:
      library: the functions of the SavedModel.
      name: of this one.
    """

    def __init__(self, library: Library, name: str) -> None:
        self._library = library
        self.name = name
        saved = library.signatures[name]
        self._bound = list(saved.bound_inputs)
        self._results = decoded(saved.output_signature)
        self.args, self.kwargs = decoded(saved.canonicalized_input_signature)

    def replayed(self, *args: Any, **kwargs: Any) -> Any:
        """The results; recorded where that is what is done now."""
        given = nest.flatten((args, kwargs), expand_composites=True)
        return self.on_flat([x for x in given if isinstance(x, (Tensor, Variable))])

    def on_flat(self, inputs: Sequence[Any]) -> Any:
        """The results for flat inputs, without what the function captures.

        Raises:
          NotFoundError: if a node cannot be replayed; it names all of those.
        """
        unknown = self._library.unknown(self.name)
        if unknown:
            places = "; ".join(f"{op} in {', '.join(names)}" for op, names in sorted(unknown.items()))
            raise not_found(
                f"Op type not registered: {', '.join(sorted(unknown))}. The function {self.name!r} of the SavedModel consists of "
                f"operations, of which these are not known here ({places}). Its variables are restored all the same."
            )
        return self._packed(self.run(inputs))

    def run(self, inputs: Sequence[Any]) -> list[Any]:
        """The flat results for flat inputs, without what the function captures."""
        captured = [self._library.objects(i) for i in self._bound]
        function = self._library.function(self.name)
        return Frame(self._library, function).run([*inputs, *captured])

    def _packed(self, values: Sequence[Any]) -> Any:
        rest = iter(values)

        def value(spec: Any) -> Any:
            if isinstance(spec, TypeSpec) and not isinstance(spec, TensorSpec):
                return rebuild(spec, nest.map_structure(value, component_specs(spec)))
            return None if spec is None else next(rest)

        return nest.map_structure(value, self._results)

    @functools.cached_property
    def concrete(self) -> ConcreteFunction:
        """The function, recorded once."""
        return self.recorded(None)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function."""
        return self.concrete(*args, **kwargs)

    def recorded(self, signature: inspect.Signature | None) -> ConcreteFunction:
        """The function, recorded with its parameters named as in a signature; those of the tensors where it is None."""
        made = _Quiet(named(self.replayed, _plain_name(self.name), signature or self._parameters()), autograph=False)
        recorded = made.get_concrete_function(*self.args, **self.kwargs)
        recorded.show_outputs(self._results)
        return recorded

    def _parameters(self) -> inspect.Signature:
        kind = inspect.Parameter
        names = [getattr(a, "name", None) or f"arg{i}" for i, a in enumerate(self.args)]
        found = [kind(_identifier(n), kind.POSITIONAL_OR_KEYWORD) for n in names]
        return inspect.Signature([*found, *(kind(n, kind.KEYWORD_ONLY) for n in self.kwargs)])

    def takes(self, args: Sequence[Any], kwargs: Mapping[str, Any], converting: bool) -> list[Any] | None:
        """The flat tensors of a call that this function can serve; None if it cannot.

        Args:
          args, kwargs: of the call.
          converting: whether values that are no tensors become some.
        """
        expected = (tuple(self.args), self.kwargs)
        try:
            pairs = _pairs(expected, (tuple(args), dict(kwargs)))
        except (TypeError, ValueError):
            return None
        found: list[Any] = []
        for spec, value in pairs:
            taken = _fitting(spec, value, converting)
            if taken is None:
                return None
            found += taken
        return found


def _pairs(expected: Any, given: Any) -> list[tuple[Any, Any]]:
    """What stands in the place of each leaf of `expected`: a list of numbers may stand where a tensor is expected.

    Raises:
      TypeError, ValueError: if `given` is nested in another way above those.
    """
    if not nest.is_nested(expected):
        return [(expected, given)]
    inner, found = nest.children_of(expected), nest.children_of(given) if nest.is_nested(given) else None
    if found is None or len(inner) != len(found):
        raise ValueError(f"{len(inner)} values are expected, got {given!r}")
    nest.assert_same_structure(nest.like(expected, [0] * len(inner)), nest.like(given, [0] * len(found)))
    return [pair for one, value in zip(inner, found, strict=True) for pair in _pairs(one, value)]


def _fitting(spec: Any, value: Any, converting: bool) -> list[Any] | None:
    if isinstance(spec, TensorSpec):
        if isinstance(value, Variable):
            value = value.as_operand()
        if converting and not isinstance(value, Tensor):
            try:
                value = convert_to_tensor(value, dtype_hint=spec.dtype)
            except (TypeError, ValueError):
                return None
        fits = isinstance(value, Tensor) and value.dtype is spec.dtype and spec.shape.is_compatible_with(value.shape)
        return [value] if fits else None
    if isinstance(spec, TypeSpec):
        return nest.flatten(value, expand_composites=True) if spec.is_compatible_with(value) else None
    if isinstance(value, (Tensor, Variable)):
        return None
    return [] if (type(spec) is type(value) and spec == value) or (spec is None and value is None) else None


def named(function: Callable[..., Any], name: str, signature: inspect.Signature) -> Callable[..., Any]:
    """A function that shows a name and parameters."""

    def called(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    called.__name__ = called.__qualname__ = name
    called.__signature__ = signature  # type: ignore[attr-defined]
    return called


def _plain_name(name: str) -> str:
    """The name that a function had before it was traced."""
    found = re.fullmatch(r"__inference_(.*)_\d+", name)
    return found[1] if found else name


def _identifier(name: str) -> str:
    return re.sub(r"\W", "_", name) if not name.isidentifier() else name


class FunctionSpec(NamedTuple):
    """The parameters of a function.

    Attributes:
      arg_names: those that may be given by place.
    """

    arg_names: tuple[str, ...]


class RestoredFunction(_Quiet):
    """A `tf.function` of a SavedModel: a call goes to that of its traces which the arguments fit.

    Args:
      name: of the function.
      spec: the `FunctionSpec` of it.
      traces: its traces.
    """

    def __init__(self, name: str, spec: Any, traces: Sequence[SavedConcrete]) -> None:
        self._traces = list(traces)
        self._parameters = signature_of(spec)
        given = decoded(spec.input_signature)
        body = named(self._dispatched, name, self._parameters)
        super().__init__(body, autograph=False, input_signature=given)

    @property
    def function_spec(self) -> FunctionSpec:
        """What is known of its parameters."""
        kinds = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
        return FunctionSpec(tuple(n for n, p in self._parameters.parameters.items() if p.kind in kinds))

    @property
    def concrete_functions(self) -> list[ConcreteFunction]:
        """The traces."""
        return [self._recorded(trace) for trace in self._traces]

    @property
    def traces(self) -> list[ConcreteFunction]:
        """What is saved of the function: the traces that were restored."""
        return self.concrete_functions

    def _recorded(self, trace: SavedConcrete) -> ConcreteFunction:
        found = vars(trace).get("concrete")
        if found is None:
            found = vars(trace)["concrete"] = trace.recorded(self._parameters)
        return found

    def _dispatched(self, *args: Any, **kwargs: Any) -> Any:
        if not self._traces:
            raise ValueError("Found zero restored functions for caller function.")
        for converting in (False, True):
            for trace in self._traces:
                tensors = trace.takes(args, kwargs, converting)
                if tensors is not None:
                    return trace.on_flat(tensors)  # recorded here and now: the types of these arguments may say more
        options = "\n\n".join(
            f"Option {i}:\n  {_shown(trace.args)}\n  Keyword arguments: {trace.kwargs}"
            for i, trace in enumerate(self._traces, 1)
        )
        raise ValueError(
            f"Could not find matching concrete function to call loaded from the SavedModel. Got:\n  {_shown(args)}\n  Keyword "
            f"arguments: {kwargs}\n\n Expected these arguments to match one of the following {len(self._traces)} option(s):\n\n"
            f"{options}"
        )


def _shown(args: Sequence[Any]) -> str:
    return "\n    * ".join([f"Positional arguments ({len(args)} total):", *map(pprint.pformat, args)])


def signature_of(spec: Any) -> inspect.Signature:
    """The parameters of a function, without `self`, as its `FunctionSpec` describes them."""
    saved = decoded(spec.fullargspec)
    args = list(saved.args or [])
    defaults = list(saved.defaults or [])
    kind = inspect.Parameter
    empty = [kind.empty] * (len(args) - len(defaults))
    found = [
        kind(_identifier(n), kind.POSITIONAL_OR_KEYWORD, default=d)
        for n, d in zip(args, [*empty, *defaults], strict=True)
    ]
    if found and (spec.is_method or args[0] == "self"):
        found = found[1:]
    if saved.varargs:
        found.append(kind(saved.varargs, kind.VAR_POSITIONAL))
    given = saved.kwonlydefaults or {}
    found += [kind(n, kind.KEYWORD_ONLY, default=given.get(n, kind.empty)) for n in saved.kwonlyargs or []]
    if saved.varkw:
        found.append(kind(saved.varkw, kind.VAR_KEYWORD))
    return inspect.Signature(found)


class SignatureMap(Mapping[str, Any]):
    """The signatures of a SavedModel, by name: functions of keyword arguments that give dicts of tensors."""

    def __init__(self) -> None:
        self._signatures: dict[str, SavedConcrete] = {}

    def add(self, name: str, function: SavedConcrete) -> None:
        """Add a signature, which is not recorded before it is asked for."""
        self._signatures[name] = function

    def __getitem__(self, name: str) -> Any:
        return self._signatures[name].concrete

    def __iter__(self) -> Any:
        return iter(self._signatures)

    def __len__(self) -> int:
        return len(self._signatures)

    def __repr__(self) -> str:
        return f"_SignatureMap({dict(self)})"
