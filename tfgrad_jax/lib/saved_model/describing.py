"""What a SavedModel says of variables and functions beside their values and programs."""

from __future__ import annotations

import inspect
from collections import namedtuple
from typing import Any

from tfgrad_jax.engine.function.concrete import ConcreteFunction
from tfgrad_jax.engine.function.function import Function
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.composite import is_composite, spec_of
from tfgrad_jax.engine.values.specs import TensorSpec
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.saved_model.attributes import shape_message
from tfgrad_jax.lib.saved_model.structures import encoded

FullArgSpec = namedtuple(
    "FullArgSpec", ["args", "varargs", "varkw", "defaults", "kwonlyargs", "kwonlydefaults", "annotations"]
)


def input_specs(concrete: ConcreteFunction) -> list[Any]:
    """The types of the arguments of a trace, without what it captures."""
    lifted = concrete.lifted
    return [t.spec for t in lifted.graph.inputs[: lifted.arguments]]


def specs_of(outputs: Any) -> Any:
    """The structure of results with a spec for each."""

    def spec(value: Any) -> Any:
        if isinstance(value, Tensor):
            return TensorSpec(value.shape, value.dtype)
        return spec_of(value) if is_composite(value) else value

    return nest.map_structure(spec, outputs)


def describe_variable(proto: Any, variable: Any) -> None:
    """Fill in the message of a variable."""
    proto.dtype = variable.dtype.as_datatype_enum
    proto.shape.CopyFrom(shape_message(variable.shape))
    proto.trainable = variable.trainable
    proto.synchronization = variable.synchronization.value
    proto.aggregation = variable.aggregation.value
    proto.name = plain_name(variable)


def plain_name(variable: Any) -> str:
    """The name of a variable without its number; another one for state that is no variable's."""
    return "random_state" if variable is None else variable.name.split(":", 1)[0]


def describe_parameters(proto: Any, function: Function) -> None:
    """Fill in the message of a function's parameters."""
    kinds = inspect.Parameter
    try:
        parameters = list(inspect.signature(function.python_function).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    positional = [p for p in parameters if p.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD)]
    only = [p for p in parameters if p.kind is kinds.KEYWORD_ONLY]
    defaults = [p.default for p in positional if p.default is not kinds.empty]
    described = FullArgSpec(
        [p.name for p in positional],
        next((p.name for p in parameters if p.kind is kinds.VAR_POSITIONAL), None),
        next((p.name for p in parameters if p.kind is kinds.VAR_KEYWORD), None),
        tuple(defaults) or None,
        [p.name for p in only],
        {p.name: p.default for p in only if p.default is not kinds.empty} or None,
        {},
    )
    proto.fullargspec.CopyFrom(encoded(described))
    given = function.input_signature
    proto.input_signature.CopyFrom(encoded(None if given is None else tuple(given)))
