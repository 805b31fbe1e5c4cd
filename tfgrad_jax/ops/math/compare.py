"""Comparisons, logic, and questions about floating-point numbers. None of them has a gradient."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Bool, Floating, Real, T
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.names.scopes import name_next
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.engine.values.tensor import EagerTensor, Tensor


@op("Less", "less", "math.less", differentiable=False)
def less(x: Real, y: Real):
    """Whether `x < y`, elementwise with broadcasting."""
    return jnp.less(x, y)


@op("LessEqual", "less_equal", "math.less_equal", differentiable=False)
def less_equal(x: Real, y: Real):
    """Whether `x <= y`, elementwise with broadcasting."""
    return jnp.less_equal(x, y)


@op("Greater", "greater", "math.greater", differentiable=False)
def greater(x: Real, y: Real):
    """Whether `x > y`, elementwise with broadcasting."""
    return jnp.greater(x, y)


@op("GreaterEqual", "greater_equal", "math.greater_equal", differentiable=False)
def greater_equal(x: Real, y: Real):
    """Whether `x >= y`, elementwise with broadcasting."""
    return jnp.greater_equal(x, y)


@op("Equal", differentiable=False)
def _equal(x: T, y: T):
    return jnp.equal(x, y)


@op("NotEqual", differentiable=False)
def _not_equal(x: T, y: T):
    return jnp.not_equal(x, y)


@op("Equal/string", host=True)
def _equal_strings(x: T, y: T):
    return np.asarray(x == y, np.bool_)


@op("NotEqual/string", host=True)
def _not_equal_strings(x: T, y: T):
    return np.asarray(x != y, np.bool_)


def _on_host(value: Any) -> bool:
    dtype = getattr(value, "dtype", None)
    if isinstance(dtype, np.dtype):
        return dtype.kind in "OSU" or dtype.names is not None
    dtype = convert(value).dtype if dtype is None else dtype
    return isinstance(dtype, DType) and dtype.on_host


@export("equal", "math.equal")
def equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Whether `x == y`, elementwise with broadcasting. Mirrors `tf.equal`.

    Raises:
      InvalidArgumentError: if dtypes or shapes do not fit; the operator `==` answers False for shapes that do not.
    """
    name_next(name)
    return (_equal_strings if _on_host(x) else _equal)(x, y)


@export("not_equal", "math.not_equal")
def not_equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Whether `x != y`, elementwise with broadcasting. Mirrors `tf.not_equal`; see `equal`."""
    name_next(name)
    return (_not_equal_strings if _on_host(x) else _not_equal)(x, y)


# -- logic ------------------------------------------------------------------------------------------------------------


@op("LogicalAnd", "logical_and", "math.logical_and", differentiable=False)
def logical_and(x: Bool, y: Bool):
    """Whether both are true, elementwise with broadcasting."""
    return jnp.logical_and(x, y)


@op("LogicalOr", "logical_or", "math.logical_or", differentiable=False)
def logical_or(x: Bool, y: Bool):
    """Whether any of the two is true, elementwise with broadcasting."""
    return jnp.logical_or(x, y)


@op("LogicalNot", "logical_not", "math.logical_not", differentiable=False)
def logical_not(x: Bool):
    """Whether it is false, elementwise."""
    return jnp.logical_not(x)


@op("math.logical_xor", "math.logical_xor", differentiable=False)
def logical_xor(x: Bool, y: Bool, name="LogicalXor"):
    """Whether exactly one of the two is true, elementwise with broadcasting."""
    return jnp.logical_xor(x, y)


# -- floating-point numbers -------------------------------------------------------------------------------------------


@op("IsNan", "math.is_nan", differentiable=False)
def is_nan(x: Floating):
    """Whether it is not a number, elementwise."""
    return jnp.isnan(x)


@op("IsInf", "math.is_inf", differentiable=False)
def is_inf(x: Floating):
    """Whether it is an infinity of either sign, elementwise."""
    return jnp.isinf(x)


@op("IsFinite", "math.is_finite", differentiable=False)
def is_finite(x: Floating):
    """Whether it is neither infinite nor NaN, elementwise."""
    return jnp.isfinite(x)


@op("math.is_non_decreasing", "math.is_non_decreasing", differentiable=False)
def is_non_decreasing(x: Real):
    """Whether each element, in row-major order, is at least as large as the one before."""
    flat = x.reshape(-1)
    return jnp.all(flat[:-1] <= flat[1:])


@op("math.is_strictly_increasing", "math.is_strictly_increasing", differentiable=False)
def is_strictly_increasing(x: Real):
    """Whether each element, in row-major order, is larger than the one before."""
    flat = x.reshape(-1)
    return jnp.all(flat[:-1] < flat[1:])


def constant_answer(value: bool) -> Tensor:
    """The answer of `==` for shapes that do not match: one boolean for all."""
    return EagerTensor(np.asarray(value))
