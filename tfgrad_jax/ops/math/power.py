"""Powers and roots."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Inexact, Number
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.names.scopes import name_next
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.ops.checks import no_negative
from tfgrad_jax.ops.common import operand
from tfgrad_jax.ops.math.math import Signed


def _integer_power(x: Any, y: Any) -> Any:
    """By squaring, for exponents of any size: JAX looks at their last six bits alone."""

    def step(state: Any) -> Any:
        found, square, left = state
        return jnp.where(left & 1 == 1, found * square, found), square * square, left >> 1

    x, y = jnp.broadcast_arrays(x, y)
    start = (jnp.ones_like(x), x, jnp.maximum(y, 0))
    return lax.while_loop(lambda state: jnp.any(state[2] > 0), step, start)[0]


@jax.custom_jvp
def _power(x: Any, y: Any) -> Any:
    return jnp.power(x, y)


def _log(x: Any) -> Any:
    """The logarithm, which of a base that is zero or negative counts as 0, in derivatives of every order."""
    safe = x != 0 if jnp.iscomplexobj(x) else x > 0
    return jnp.where(safe, jnp.log(jnp.where(safe, x, 1)), 0)


_power.defjvps(
    lambda dx, found, x, y: dx * y * _power(x, y - 1),
    lambda dy, found, x, y: dy * _power(x, y) * _log(x),
)


@op("Pow")
def _pow(x: Signed, y: Signed):
    return _integer_power(x, y) if jnp.issubdtype(x.dtype, jnp.integer) else _power(x, y)


@_pow.rule
def _(cts, inputs, outputs):
    x, y = map(jnp.conj, inputs)
    return [cts[0] * y * _power(x, y - 1), cts[0] * jnp.conj(outputs[0]) * _log(x)]


@_pow.check
def _(y):
    return no_negative(y, "Pow")


@op("PowSquare")
def pow_square(x: Signed):
    """`x ** 2` for a Python 2: many times quicker than the general power."""
    return x * x


@pow_square.rule
def _(cts, inputs, outputs):
    return [2 * cts[0] * jnp.conj(inputs[0])]


@export("pow", "math.pow")
def pow(x: Any, y: Any, name: str | None = None) -> Tensor:
    """`x` to the power `y`. Mirrors `tf.pow`.

    Raises:
      InvalidArgumentError: if an integer is raised to a negative power.
    """
    if type(y) is int or type(y) is float:
        x = operand(x)
        if y == 2 and x.dtype in (Signed if type(y) is int else Inexact).allowed:
            return pow_square(x)
    name_next(name)
    return _pow(x, y)


@op("Square", "square", "math.square")
def square(x: Number):
    """`x` times `x`."""
    return x * x


@square.rule
def _(cts, inputs, outputs):
    return [cts[0] * (2 * jnp.conj(inputs[0]))]


@op("Sqrt", "sqrt", "math.sqrt")
def sqrt(x: Inexact):
    """Square root."""
    return jnp.sqrt(x)


@sqrt.rule
def _(cts, inputs, outputs):
    # No upstream gradient wins over an infinite slope: where(x > 0, sqrt(x), 0) has gradient 0 at 0.
    nothing = cts[0] == 0
    return [jnp.where(nothing, 0, 0.5 * cts[0] / jnp.where(nothing, 1, jnp.conj(outputs[0])))]


@op("Rsqrt", "math.rsqrt")
def rsqrt(x: Inexact):
    """One divided by the square root."""
    return lax.rsqrt(x)


@rsqrt.rule
def _(cts, inputs, outputs):
    y = jnp.conj(outputs[0])
    nothing = cts[0] == 0
    return [jnp.where(nothing, 0, -0.5 * cts[0] * jnp.where(nothing, 1, y) ** 3)]
