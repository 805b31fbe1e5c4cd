"""Which trace serves composite arguments: their types decide, which leave sizes open that the components have."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.function.signature import Arguments
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.composite import component_specs, is_composite, spec_of
from tfgrad_jax.engine.values.specs import TensorSpec
from tfgrad_jax.engine.values.tensor import Spec


def typed_key(arguments: Arguments) -> tuple[Any, ...]:
    """The key of arguments, with sizes left open that types do not tell, such as how many values a ragged tensor has."""
    parts, at = list(arguments.parts), 0
    for value in nest.flatten((arguments.args, arguments.kwargs)):
        if isinstance(value, Variable) or not is_composite(value):
            at += 1
            continue
        count = len(nest.flatten(value, expand_composites=nest.VALUES))
        specs = nest.flatten(component_specs(spec_of(value)), expand_composites=True)
        for i, spec in enumerate(specs if len(specs) == count else (), at):
            if type(parts[i]) is Spec and isinstance(spec, TensorSpec):
                parts[i] = _as_open(parts[i], spec)
        at += count
    return tuple(parts)


def _as_open(part: Spec, spec: TensorSpec) -> Spec:
    """The type of a tensor with the sizes left open that a specification does not tell."""
    if part.dtype is not spec.dtype or spec.shape.rank != len(part.shape):
        return part
    told = zip(part.shape, spec.shape.as_list(), strict=True)
    return Spec.of(part.dtype, tuple([None if wanted is None else size for size, wanted in told]))  # type: ignore[misc]
