"""Size, sign, rounding; the larger and the smaller of two."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Floating, Inexact, Operand, Real
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import float32, float64
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.ops.math.math import Signed


@op("Abs", "abs", "math.abs")
def abs(x: Signed):
    """Absolute value."""
    return jnp.abs(x)


@abs.rule
def _(cts, inputs, outputs):
    return [cts[0] * _sign(inputs[0])]


@op("Sign", "sign", "math.sign")
def sign(x: Signed):
    """-1, 0 or 1; for a complex number, the number of that direction with absolute value 1."""
    return _sign(x)


def _sign(x: Any) -> Any:
    if not jnp.iscomplexobj(x):
        return jnp.sign(x)
    # In parts that JAX can differentiate, which it does not with its own `sign`.
    zero = x == 0
    return jnp.where(zero, 0, x / jnp.abs(jnp.where(zero, 1, x)))


@sign.rule
def _(cts, inputs, outputs):
    ct, x, y = cts[0], inputs[0], outputs[0]
    if not jnp.iscomplexobj(x):
        return [jnp.zeros_like(ct)]
    size = jnp.abs(x)
    return [jnp.where(size == 0, 0, 0.5 * (ct - jnp.conj(ct) * y * y) / jnp.where(size == 0, 1, size))]


@op("Round", differentiable=False)
def _round(x: Inexact):
    return jnp.round(x)


@export("round", "math.round")
def round(x: Any, name: str | None = None) -> Tensor:
    """The nearest whole number, halves to even. Mirrors `tf.round`; integers are returned as they are."""
    x = convert(x)
    return x if x.dtype.is_integer else _round(x)


@op("Rint", "math.rint", differentiable=False)
def rint(x: Floating):
    """The nearest whole number, halves to even."""
    return jnp.round(x)


@op("Floor", "floor", "math.floor", differentiable=False)
def floor(x: Floating):
    """The next whole number below."""
    return jnp.floor(x)


@op("Ceil", "math.ceil", differentiable=False)
def ceil(x: Floating):
    """The next whole number above."""
    return jnp.ceil(x)


@op("Maximum", "maximum", "math.maximum")
def maximum(x: Real, y: Real):
    """The larger of two, elementwise with broadcasting."""
    return jnp.maximum(x, y)


@maximum.rule
def _(cts, inputs, outputs):
    # Of equal ones the first takes the whole gradient; NaN sends it to the second.
    x, y = inputs
    first = x >= y
    return [jnp.where(first, cts[0], 0), jnp.where(first, 0, cts[0])]


@op("Minimum", "minimum", "math.minimum")
def minimum(x: Real, y: Real):
    """The smaller of two, elementwise with broadcasting."""
    return jnp.minimum(x, y)


@minimum.rule
def _(cts, inputs, outputs):
    x, y = inputs
    first = x <= y
    return [jnp.where(first, cts[0], 0), jnp.where(first, 0, cts[0])]


Native: Any = Operand(frozenset({float32, float64}))


@op("NextAfter", "math.nextafter")
def nextafter(x1: Native, x2: Native):
    """The next number after `x1` in the direction of `x2`."""
    return jnp.nextafter(x1, x2)


@nextafter.rule
def _(cts, inputs, outputs):
    return [cts[0], jnp.zeros_like(outputs[0])]
