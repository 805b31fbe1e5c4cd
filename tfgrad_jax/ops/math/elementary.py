"""Exponentials, logarithms, trigonometric and hyperbolic functions."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Floating, Inexact

# Rules that name `outputs` keep the result instead of the operand, which most programs hold anyway.


@op("Exp", "exp", "math.exp")
def exp(x: Inexact):
    """e to the power `x`."""
    return jnp.exp(x)


@exp.rule
def _(cts, inputs, outputs):
    return [cts[0] * jnp.conj(outputs[0])]


@op("Expm1", "math.expm1")
def expm1(x: Inexact):
    """e to the power `x`, less 1; precise near 0."""
    return jnp.expm1(x)


@expm1.rule
def _(cts, inputs, outputs):
    return [cts[0] * jnp.exp(jnp.conj(inputs[0]))]


@op("Log", "math.log")
def log(x: Inexact):
    """Natural logarithm."""
    return jnp.log(x)


@log.rule
def _(cts, inputs, outputs):
    return [cts[0] * jnp.reciprocal(jnp.conj(inputs[0]))]


@op("Log1p", "math.log1p")
def log1p(x: Inexact):
    """Natural logarithm of `1 + x`; precise near 0."""
    return jnp.log1p(x)


@log1p.rule
def _(cts, inputs, outputs):
    return [cts[0] * jnp.reciprocal(1 + jnp.conj(inputs[0]))]


@op("Sigmoid", "sigmoid", "math.sigmoid", "nn.sigmoid")
def sigmoid(x: Inexact):
    """`1 / (1 + exp(-x))`."""
    return 1 / (1 + jnp.exp(-x)) if jnp.iscomplexobj(x) else lax.logistic(x)


@sigmoid.rule
def _(cts, inputs, outputs):
    y = jnp.conj(outputs[0])
    return [cts[0] * y * (1 - y)]


# -- trigonometric ----------------------------------------------------------------------------------------------------


@op("Sin", "sin", "math.sin")
def sin(x: Inexact):
    """Sine of an angle in radians."""
    return jnp.sin(x)


@op("Cos", "cos", "math.cos")
def cos(x: Inexact):
    """Cosine of an angle in radians."""
    return jnp.cos(x)


@op("Tan", "tan", "math.tan")
def tan(x: Inexact):
    """Tangent of an angle in radians."""
    return jnp.tan(x)


@op("Asin", "asin", "math.asin")
def asin(x: Inexact):
    """The angle whose sine is `x`."""
    return jnp.arcsin(x)


@op("Acos", "acos", "math.acos")
def acos(x: Inexact):
    """The angle whose cosine is `x`."""
    return jnp.arccos(x)


@op("Atan", "atan", "math.atan")
def atan(x: Inexact):
    """The angle whose tangent is `x`."""
    return jnp.arctan(x)


@op("Atan2", "atan2", "math.atan2")
def atan2(y: Floating, x: Floating):
    """The angle of the point (x, y)."""
    return jnp.arctan2(y, x)


@atan2.rule
def _(cts, inputs, outputs):
    y, x = inputs
    scaled = cts[0] / (x * x + y * y)
    return [x * scaled, -y * scaled]


# -- hyperbolic -------------------------------------------------------------------------------------------------------


@op("Sinh", "sinh", "math.sinh")
def sinh(x: Inexact):
    """Hyperbolic sine."""
    return jnp.sinh(x)


@op("Cosh", "cosh", "math.cosh")
def cosh(x: Inexact):
    """Hyperbolic cosine."""
    return jnp.cosh(x)


@op("Tanh", "tanh", "math.tanh", "nn.tanh")
def tanh(x: Inexact):
    """Hyperbolic tangent."""
    return jnp.tanh(x)


@tanh.rule
def _(cts, inputs, outputs):
    y = jnp.conj(outputs[0])
    return [cts[0] * (1 - y * y)]


@op("Asinh", "asinh", "math.asinh")
def asinh(x: Inexact):
    """The number whose hyperbolic sine is `x`."""
    return jnp.arcsinh(x)


@asinh.rule
def _(cts, inputs, outputs):
    return [cts[0] / jnp.cosh(jnp.conj(outputs[0]))]


@op("Acosh", "acosh", "math.acosh")
def acosh(x: Inexact):
    """The number whose hyperbolic cosine is `x`."""
    return jnp.arccosh(x)


@acosh.rule
def _(cts, inputs, outputs):
    return [cts[0] / jnp.sinh(jnp.conj(outputs[0]))]


@op("Atanh", "atanh", "math.atanh")
def atanh(x: Inexact):
    """The number whose hyperbolic tangent is `x`."""
    return jnp.arctanh(x)


@atanh.rule
def _(cts, inputs, outputs):
    x = jnp.conj(inputs[0])
    return [cts[0] * jnp.reciprocal(1 - x * x)]


# -- products with a logarithm ----------------------------------------------------------------------------------------


# TensorFlow does not conjugate in their gradients, as it does elsewhere for complex numbers.


# Derivatives of every order are 0 where `x` is: JAX's own of a `where` are not numbers there.


def _where_zero(x, value):
    """`value`, but 0 where `x` is 0, whatever it would be there."""
    return jnp.where(x == 0, 0, value).astype(x.dtype)


def _ones_but_zeros(x):
    """1, but 0 where `x` is 0."""
    return (x != 0).astype(x.dtype)


@jax.custom_jvp
def xdivy_values(x, y):
    return _where_zero(x, x / y)


@jax.custom_jvp
def xlogy_values(x, y):
    return _where_zero(x, x * jnp.log(y))


@jax.custom_jvp
def xlog1py_values(x, y):
    return _where_zero(x, x * jnp.log1p(y))


xdivy_values.defjvps(
    lambda dx, found, x, y: dx * xdivy_values(_ones_but_zeros(x), y),
    lambda dy, found, x, y: dy * xdivy_values(-x, y * y),
)
xlogy_values.defjvps(
    lambda dx, found, x, y: dx * xlogy_values(_ones_but_zeros(x), y),
    lambda dy, found, x, y: dy * xdivy_values(x, y),
)
xlog1py_values.defjvps(
    lambda dx, found, x, y: dx * xlog1py_values(_ones_but_zeros(x), y),
    lambda dy, found, x, y: dy * xdivy_values(x, y + 1),
)


@op("Xlogy", "math.xlogy")
def xlogy(x: Inexact, y: Inexact):
    """`x * log(y)`, and 0 where `x` is 0."""
    return xlogy_values(x, y)


@xlogy.rule
def _(cts, inputs, outputs):
    x, y = inputs
    return [cts[0] * xlogy_values(_ones_but_zeros(x), y), cts[0] * xdivy_values(x, y)]


@op("Xlog1py", "math.xlog1py")
def xlog1py(x: Inexact, y: Inexact):
    """`x * log1p(y)`, and 0 where `x` is 0."""
    return xlog1py_values(x, y)


@xlog1py.rule
def _(cts, inputs, outputs):
    x, y = inputs
    return [cts[0] * xlog1py_values(_ones_but_zeros(x), y), cts[0] * xdivy_values(x, y + 1)]


@op("Xdivy", "math.xdivy")
def xdivy(x: Inexact, y: Inexact):
    """`x / y`, and 0 where `x` is 0."""
    return xdivy_values(x, y)


@xdivy.rule
def _(cts, inputs, outputs):
    x, y = inputs
    return [cts[0] * xdivy_values(_ones_but_zeros(x), y), cts[0] * xdivy_values(-x, y * y)]
