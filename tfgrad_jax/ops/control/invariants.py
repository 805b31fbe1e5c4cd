"""The shapes that variables of loops keep."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.control.body import leaves
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.composite import component_specs, components, is_composite, loop_spec
from tfgrad_jax.engine.values.convert import type_spec_from_value
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.specs import TypeSpec


def invariants_of(loop_vars: Any, shapes: Any) -> list[Any] | None:
    """The shape that each tensor of the loop variables keeps; None where none are given.

    Raises:
      ValueError: if there are not as many shapes as variables, or one does not fit.
    """
    if shapes is None:
        return None
    variables, given = nest.flatten(list(loop_vars)), nest.flatten(list(shapes))
    if len(given) != len(variables):
        raise ValueError(
            f"tf.while_loop: {len(given)} shape_invariants for {len(variables)} loop variables; pass one each"
        )
    return [shape for variable, s in zip(variables, given, strict=True) for shape in _invariant_shapes(variable, s)]


def open_parts(loop_vars: Any) -> set[int]:
    """The numbers of the tensors whose sizes the types of composites leave open: how many values a sparse tensor has may change."""
    found: set[int] = set()
    count = 0
    for variable in nest.flatten(list(loop_vars)):
        size = len(leaves(variable))
        if is_composite(variable):
            shapes = _invariant_shapes(variable, type_spec_from_value(variable))
            found.update(count + i for i, shape in enumerate(shapes) if not shape.is_fully_defined())
        count += size
    return found


def _invariant_shapes(variable: Any, given: Any) -> list[TensorShape]:
    """The shapes that a loop variable keeps: one for each tensor that it consists of."""
    if not is_composite(variable):
        return [TensorShape(given.shape if hasattr(given, "shape") else given)]
    spec = given if isinstance(given, TypeSpec) else loop_spec(variable, TensorShape(given))
    specs, parts = nest.flatten(component_specs(spec)), nest.flatten(components(variable))
    if not spec.is_compatible_with(variable) or len(specs) != len(parts):
        raise ValueError(f"tf.while_loop: the shape invariant {spec} does not fit the loop variable {variable!r}")
    return [shape for part, s in zip(parts, specs, strict=True) for shape in _invariant_shapes(part, s)]
