"""Targets and sources of gradients, in which a composite stands for its differentiable components."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.composite import gradient_components, is_composite, with_gradients
from tfgrad_jax.engine.values.convert import is_tensor
from tfgrad_jax.engine.values.tensor import Tensor


def asked(value: Any, role: str) -> Any:
    """A target or source, which must be a tensor or variable."""
    if isinstance(value, (Tensor, Variable)):
        return value
    # TensorFlow stumbles over what such values lack; the class of its error depends on how far it gets.
    kind = TypeError if value is None or isinstance(value, (str, bytes)) else AttributeError
    raise kind(
        f"GradientTape: a {role} must be a tf.Tensor or tf.Variable, got {value!r} of type {type(value).__name__}, which the tape "
        f"cannot know. tf.constant makes tensors; watch them before they are used."
    )


def differentiable(structure: Any) -> list[Any]:
    """The leaves of a nest, with the components that gradients flow through in place of a composite."""
    flat = nest.flatten(structure)
    if not any([is_composite(leaf) for leaf in flat]):
        return flat
    return [
        part for leaf in flat for part in (differentiable(gradient_components(leaf)) if is_composite(leaf) else (leaf,))
    ]


def in_place_of(structure: Any, answers: list[Any]) -> Any:
    """A nest like `structure` with a gradient for each of its differentiable leaves."""
    if not any([is_composite(leaf) for leaf in nest.flatten(structure)]):
        return nest.pack_sequence_as(structure, answers)
    return _with_next(structure, iter(answers))


def _with_next(structure: Any, answers: Iterator[Any]) -> Any:
    # A function of the module: one that calls itself by a name of its own would keep the answers until they are collected.
    def of(leaf: Any) -> Any:
        if not is_composite(leaf):
            return next(answers)
        return with_gradients(leaf, _with_next(gradient_components(leaf), answers))

    return nest.map_structure(of, structure)


def seeds(structure: Any) -> list[Any]:
    """The leaves of given cotangents; slices of a table stay whole, because they stand for a dense tensor."""
    return [part for leaf in nest.flatten(structure) for part in ([leaf] if is_tensor(leaf) else differentiable(leaf))]
