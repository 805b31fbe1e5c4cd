"""Targets and sources of gradients, in which a composite stands for its differentiable components."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tfgrad_jax.engine.state.resource import ResourceTensor
from tfgrad_jax.engine.state.variable import ResourceVariable, Variable
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.composite import gradient_components, is_composite, is_composite_type, with_gradients
from tfgrad_jax.engine.values.convert import is_tensor
from tfgrad_jax.engine.values.tensor import EagerTensor, Tensor

_ACTS_AS_VARIABLE = "_should_act_as_resource_variable"
_THEMSELVES = {EagerTensor, ResourceVariable}
"""Most values are of these classes, which stand for nothing else."""


def asked(values: list[Any], role: str) -> list[Any]:
    """Targets or sources, which must be tensors or variables.

    A handle, and an object of another library that acts as one variable (Keras'), gives its variable.
    """
    if _THEMSELVES.issuperset(map(type, values)):
        return values
    kinds = set(map(type, values))
    if any(map(_names_variable, kinds)):
        values = [_variable_of(value) if _names_variable(type(value)) else value for value in values]
    for value in values:
        if not isinstance(value, (Tensor, Variable)):
            # TensorFlow stumbles over what such values lack; the class of its error depends on how far it gets.
            kind = TypeError if value is None or isinstance(value, (str, bytes)) else AttributeError
            raise kind(
                f"GradientTape: a {role} must be a tf.Tensor or tf.Variable, got {value!r} of type {type(value).__name__}, which "
                f"the tape cannot know. tf.constant makes tensors; watch them before they are used."
            )
    return values


def differentiable(structure: Any) -> list[Any]:
    """The leaves of a nest, with the components that gradients flow through in place of a composite."""
    if type(structure) is EagerTensor:
        return [structure]
    if type(structure) is list and _THEMSELVES.issuperset(map(type, structure)):
        return list(structure)
    flat = nest.flatten(structure)
    if _holds_no_composite(flat):
        return flat
    return [
        part for leaf in flat for part in (differentiable(gradient_components(leaf)) if is_composite(leaf) else (leaf,))
    ]


def of_library(sources: Any) -> bool:
    """Whether some are variables of another library (Keras), whose optimizers tell that there is no gradient, and not why."""
    return any(getattr(kind, _ACTS_AS_VARIABLE, False) for kind in set(map(type, nest.flatten(sources))))


def _names_variable(kind: type) -> bool:
    return issubclass(kind, ResourceTensor) or getattr(kind, _ACTS_AS_VARIABLE, False)


def _variable_of(leaf: Any) -> Variable:
    return (leaf if isinstance(leaf, ResourceTensor) else leaf.handle).variable


def in_place_of(structure: Any, answers: list[Any]) -> Any:
    """A nest like `structure` with a gradient for each of its differentiable leaves."""
    if type(structure) is list and _THEMSELVES.issuperset(map(type, structure)):
        return answers  # which is such a list
    if _holds_no_composite(nest.flatten(structure)):
        return nest.pack_sequence_as(structure, answers)
    return _with_next(structure, iter(answers))


def _holds_no_composite(leaves: list[Any]) -> bool:
    # Most often all leaves are of one type, which is asked about once.
    return not any(map(is_composite_type, set(map(type, leaves))))


def _with_next(structure: Any, answers: Iterator[Any]) -> Any:
    # A function of the module: one that calls itself by a name of its own would keep the answers until they are collected.
    def of(leaf: Any) -> Any:
        if not is_composite(leaf):
            return next(answers)
        found = _with_next(gradient_components(leaf), answers)
        return None if all(one is None for one in nest.flatten(found)) else with_gradients(leaf, found)

    return nest.map_structure(of, structure)


def seeds(structure: Any) -> list[Any]:
    """The leaves of given cotangents; slices of a table stay whole, because they stand for a dense tensor."""
    return [part for leaf in nest.flatten(structure) for part in ([leaf] if is_tensor(leaf) else differentiable(leaf))]
