"""How traces are shown: the types of parameters and results, as TensorFlow writes them."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from tfgrad_jax.engine.graph.graph import SymbolicTensor
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.composite import is_composite, spec_of
from tfgrad_jax.engine.values.specs import TensorSpec, TypeSpec
from tfgrad_jax.engine.values.tensor import Tensor


class FunctionType(inspect.Signature):
    """The parameters of a trace with the type of each, and the types of its results and of what it takes from outside.

    Args:
      parameters: name, kind and type of each.
      results: the structure of the results.
      captures: an id and a type of each.
    """

    def __init__(
        self, parameters: Sequence[tuple[str, Any, Any]], results: Any, captures: Sequence[tuple[int, Any]]
    ) -> None:
        found = [inspect.Parameter(name, kind, annotation=_Shown(value)) for name, kind, value in parameters]
        super().__init__(found, return_annotation=_Shown(results), __validate_parameters__=False)
        self._captures = [f"  {number}: {type_shown(value)}" for number, value in captures]

    def __repr__(self) -> str:
        lines = [f"  {p.name} ({p.kind.name}): {p.annotation!r}" for p in self.parameters.values()]
        lines = ["Input Parameters:", *lines, "Output Type:", f"  {self.return_annotation!r}"]
        return "\n".join([*lines, "Captures:", *(self._captures or ["  None"])])


class _Shown:
    """A type as an annotation that reads as TensorFlow's."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        return type_shown(self.value)


def parameters_shown(signature: inspect.Signature | None, positional: Sequence[str], specs: Any) -> str:
    """The parameters of a function with what they were declared to be.

    Args:
      signature: the parameters.
      positional: the names of those that may be given by place.
      specs: the `input_signature`; None if there is none.
    """
    if signature is None or specs is None:
        return str(signature)
    empty = inspect.Parameter.empty
    known = dict(zip(positional[positional[:1] == ("self",) :], specs, strict=False))
    parameters = signature.parameters.items()
    typed = [p.replace(annotation=_Shown(known[n]) if n in known else empty) for n, p in parameters]
    return str(signature.replace(parameters=typed, return_annotation=empty))


def type_shown(value: Any) -> str:
    """The type of a value or spec, or nest of them."""
    if isinstance(value, Tensor):
        return repr(TensorSpec(value.shape, value.dtype))
    if isinstance(value, dict):
        return "Dict[" + ", ".join(f"[{k!r}, {type_shown(v)}]" for k, v in value.items()) + "]"
    if isinstance(value, (list, tuple)):
        return ("List" if isinstance(value, list) else "Tuple") + "[" + ", ".join(map(type_shown, value)) + "]"
    if is_composite(value):
        return repr(spec_of(value))
    return repr(value) if isinstance(value, TypeSpec) else f"Literal[{value!r}]"


class _Leaving(SymbolicTensor):
    """A result as it leaves its function, by an operation of its own in TensorFlow."""

    __slots__ = ()

    @property
    def name(self) -> str:
        return f"{self._name}:0"


def leaving(graph: Any, results: Any) -> Any:
    """The results of a finished graph under the names that they leave by; other leaves are as they were."""
    names = iter(graph.result_names(len(graph.outputs)))

    def named(value: Any) -> Any:
        if not isinstance(value, Tensor):
            return value
        return _Leaving(graph, graph.slot(value), value.spec, next(names))

    return nest.map_structure(named, results, expand_composites=True)
