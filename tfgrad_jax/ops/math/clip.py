"""Clipping by value and by norm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp

from tfgrad_jax.engine.composite.indexed_slices import IndexedSlices
from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Axis, Floating, Operand, Real
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import float32
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.ops.common import operand
from tfgrad_jax.ops.math.reduce import axes_of

Floats: Any = Operand(Floating.allowed, many=True)


@op("ClipByValue")
def _clip_by_value(t: Real, clip_value_min: Real, clip_value_max: Real):
    return jnp.maximum(jnp.minimum(t, clip_value_max), clip_value_min)


@_clip_by_value.rule
def _(cts, inputs, outputs):
    # At both edges the gradient goes to what was clipped.
    t, low, high = inputs
    # Negated comparisons, since NaN belongs to neither side.
    above, below = ~(t <= high), ~(jnp.minimum(t, high) >= low)
    ct = cts[0]
    return [jnp.where(above | below, 0, ct), jnp.where(below, ct, 0), jnp.where(above & ~below, ct, 0)]


def _like(t: Any, values: Tensor) -> Any:
    """The result in the form of the argument."""
    return IndexedSlices(values, t.indices, t.dense_shape) if isinstance(t, IndexedSlices) else values


def _values(t: Any) -> Tensor:
    return operand(t.values if isinstance(t, IndexedSlices) else t)


@export("clip_by_value")
def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None) -> Any:
    """`t` with smaller and larger elements replaced by the limits. Mirrors `tf.clip_by_value`.

    Args:
      t: a tensor or `IndexedSlices`.
      clip_value_min, clip_value_max: the limits, which may be broadcast to the shape of `t`.
      name: accepted for compatibility.

    Raises:
      ValueError: if the limits have more elements than `t`.
    """
    values = _values(t)
    clipped = _clip_by_value(values, clip_value_min, clip_value_max)
    values.shape.assert_is_compatible_with(clipped.shape)
    return _like(t, clipped)


def _square_norm(t: Any, axes: tuple[int, ...]) -> Any:
    return jnp.sum(t * t, axes, keepdims=True)


@op("clip_by_norm")
def _clip_by_norm(t: Floating, clip_norm: Floating, axes: Axis = None):
    squares = _square_norm(t, axes_of(t, axes, "Sum"))
    norm = jnp.where(squares > 0, jnp.sqrt(jnp.where(squares > 0, squares, 1)), squares)
    # What is no number stays none: it is not smaller than anything.
    return t * clip_norm / jnp.where(norm < clip_norm, clip_norm, norm)


@export("clip_by_norm")
def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None, name: str | None = None) -> Any:
    """`t`, scaled down where its Euclidean norm exceeds `clip_norm`. Mirrors `tf.clip_by_norm`.

    Args:
      t: a tensor or `IndexedSlices`.
      clip_norm: the largest norm.
      axes: along which axes to norm; all of them where None.
      name: accepted for compatibility.
    """
    return _like(t, _clip_by_norm(_values(t), clip_norm, axes))


@op("linalg.global_norm")
def _global_norm(t_list: Floats):
    return jnp.sqrt(sum(jnp.sum(t * t) / 2 for t in t_list) * 2)


def _tensors(t_list: Any) -> list[Any]:
    if not isinstance(t_list, Sequence) or isinstance(t_list, str):
        raise TypeError(f"`t_list` should be a sequence of tensors. Received {type(t_list)}.")
    return list(t_list)


@export("linalg.global_norm")
def global_norm(t_list: Any, name: str | None = None) -> Tensor:
    """The Euclidean norm of several tensors together. Mirrors `tf.linalg.global_norm`.

    Args:
      t_list: tensors, `IndexedSlices`, or None, which is passed over.
      name: accepted for compatibility.

    Raises:
      TypeError: if `t_list` is no sequence.
    """
    values = [_values(t) for t in _tensors(t_list) if t is not None]
    return _global_norm(values) if values else convert(0.0, float32)


@op("clip_by_global_norm")
def _scale(t_list: Floats, use_norm: Floating, clip_norm: Floating):
    # An infinite or undefined norm makes everything NaN, which is easier to notice than zeros.
    scale = clip_norm * jnp.minimum(1 / use_norm, 1 / clip_norm) + (use_norm - use_norm)
    return [t * scale for t in t_list]


@export("clip_by_global_norm")
def clip_by_global_norm(
    t_list: Any, clip_norm: Any, use_norm: Any = None, name: str | None = None
) -> tuple[list, Tensor]:
    """Tensors, scaled down together where their common norm exceeds `clip_norm`. Mirrors `tf.clip_by_global_norm`.

    Args:
      t_list: tensors, `IndexedSlices`, or None, which stays.
      clip_norm: the largest norm.
      use_norm: the common norm, where it is known already.
      name: accepted for compatibility.

    Returns:
      The list of scaled tensors, and the norm before.

    Raises:
      TypeError: if `t_list` is no sequence.
    """
    t_list = _tensors(t_list)
    norm = global_norm(t_list) if use_norm is None else convert(use_norm)
    given = [t for t in t_list if t is not None]
    scaled = iter(_scale([_values(t) for t in given], norm, clip_norm) if given else ())
    return [None if t is None else _like(t, next(scaled)) for t in t_list], norm
