"""Arithmetic: sums, products, quotients."""

from __future__ import annotations

import functools
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfgrad_jax.engine.composite.indexed_slices import IndexedSlices
from tfgrad_jax.engine.declare.op import MISSING, op
from tfgrad_jax.engine.declare.roles import Inexact, Number, Numbers, Operand, Real, T
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.names.scopes import name_next
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import string
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.ops.array.creation import zeros_like
from tfgrad_jax.ops.checks import no_zero
from tfgrad_jax.ops.common import operand

Signed: Any = Operand(frozenset(d for d in Number.allowed if not d.is_unsigned))


# -- sums and products ------------------------------------------------------------------------------------------------


@op("AddV2", hinted=True)
def _add(x: Number, y: Number):
    return jnp.add(x, y)


@_add.rule
def _(cts, inputs, outputs):
    return [cts[0], cts[0]]


@op("Add", host=True, hinted=True)
def _join(x: T, y: T):
    return np.asarray(x + y, object)


@export("add", "math.add")
def add(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Sum, elementwise with broadcasting; strings are joined. Mirrors `tf.add`."""
    if not isinstance(x, (Tensor, Variable)):
        x = convert(x)
    name_next(name)
    return (_join if x.dtype is string else _add)(x, y)


@op("Sub", "subtract", "math.subtract")
def subtract(x: Number, y: Number):
    """Difference, elementwise with broadcasting."""
    return jnp.subtract(x, y)


@subtract.rule
def _(cts, inputs, outputs):
    return [cts[0], -cts[0]]


@op("Mul", "multiply", "math.multiply")
def multiply(x: Number, y: Number):
    """Product, elementwise with broadcasting."""
    return jnp.multiply(x, y)


@multiply.rule
def _(cts, inputs, outputs):
    x, y = inputs
    return [cts[0] * jnp.conj(y), cts[0] * jnp.conj(x)]


@op("Neg", "negative", "math.negative")
def negative(x: Signed):
    """The number of opposite sign."""
    return jnp.negative(x)


@op("SquaredDifference", "math.squared_difference")
def squared_difference(x: Number, y: Number):
    """The square of the difference; for complex numbers that of its absolute value."""
    difference = x - y
    return jnp.conj(difference) * difference


@squared_difference.rule
def _(cts, inputs, outputs):
    x, y = inputs
    slope = 2 * cts[0] * (x - y)
    return [slope, -slope]


@op("MulNoNan")
def _multiply_no_nan(x: Inexact, y: Inexact):
    return jnp.where(y == 0, 0, x * y).astype(x.dtype)


@_multiply_no_nan.rule
def _(cts, inputs, outputs):
    x, y = inputs
    ct = cts[0]
    # Products with 0 are 0 as they are, so that they have derivatives, but for what is not finite.
    return [_finite(y, ct), _finite(ct, x)]


def _finite(zero: Any, other: Any) -> Any:
    return jnp.where((zero == 0) & ~jnp.isfinite(other), 0, other * zero)


@export("math.multiply_no_nan")
def multiply_no_nan(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Product that is 0 wherever `y` is 0, also against infinity and NaN. Mirrors `tf.math.multiply_no_nan`.

    Raises:
      ValueError: if the operands are tensors of two dtypes.
    """
    x = operand(x)
    return _multiply_no_nan(x, operand(y) if isinstance(y, Variable) else convert(y, x.dtype))


@op("AddN")
def _add_n(inputs: Numbers):
    shapes = [v.shape for v in inputs]
    if len(set(shapes)) > 1:
        other = next(i for i, s in enumerate(shapes) if s != shapes[0])
        raise invalid_argument(
            f"Inputs to operation AddN of type AddN must have the same size and shape.  Input 0: {list(shapes[0])} != "
            f"input {other}: {list(shapes[other])}",
            "AddN",
        )
    total = inputs[0]
    for v in inputs[1:]:
        total = total + v
    return total


@_add_n.rule
def _(cts, inputs, outputs):
    return [cts[0]] * len(inputs)


@export("add_n", "math.add_n")
def add_n(inputs: Any, name: str | None = None) -> Tensor:
    """The sum of a list of tensors of one shape and dtype. Mirrors `tf.add_n`.

    Args:
      inputs: tensors, variables or `IndexedSlices`.
      name: accepted for compatibility.

    Raises:
      ValueError: if there are none.
      InvalidArgumentError: if shapes or dtypes differ.
    """
    if not isinstance(inputs, Tensor) and not hasattr(inputs, "__iter__"):
        raise TypeError(f"tf.add_n: inputs must be a list of tensors, got {inputs!r}")
    if not len(inputs := list(inputs)):
        raise ValueError(
            "Inputs must be an iterable of at least one Tensor/IndexedSlices with the same dtype and shape."
        )
    values = [convert(v) if isinstance(v, IndexedSlices) else v for v in inputs]
    if len(values) == 1:
        return convert(values[0])
    name_next(name)
    return _add_n(values)


@export("math.accumulate_n")
def accumulate_n(inputs: Any, shape: Any = None, tensor_dtype: Any = None, name: str | None = None) -> Tensor:
    """The sum of a list of tensors. Mirrors `tf.math.accumulate_n`; see `add_n`.

    Raises:
      ValueError: if there are none, or their shapes or dtypes differ.
    """
    if not isinstance(inputs, (list, tuple)) or not inputs:
        raise ValueError("inputs must be a list of at least one Tensor with the same dtype and shape")
    values = [convert(v) for v in inputs]
    if any(v.dtype is not values[0].dtype for v in values) or tensor_dtype not in (None, values[0].dtype):
        raise ValueError("inputs must be a list of at least one Tensor with the same dtype and shape")
    for v in values:
        v.shape.assert_is_compatible_with(values[0].shape if shape is None else shape)
    return add_n(values)


@export("math.scalar_mul", "scalar_mul")
def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Any:
    """A tensor or `IndexedSlices` times a number. Mirrors `tf.math.scalar_mul`.

    Raises:
      ValueError: if `scalar` is no scalar.
    """
    factor = convert(scalar, (x if isinstance(x, IndexedSlices) else convert(x)).dtype)
    if factor.spec.shape:
        raise ValueError(f"The input scalar must be a 0-D value. Received shape {factor.shape}.")
    if isinstance(x, IndexedSlices):
        return IndexedSlices(multiply(factor, x.values), x.indices, x.dense_shape)
    return multiply(factor, x)


@export("math.polyval")
def polyval(coeffs: Any, x: Any, name: str | None = None) -> Tensor:
    """The value at `x` of a polynomial given by its coefficients, highest power first. Mirrors `tf.math.polyval`.

    Raises:
      ValueError: if `coeffs` is no list.
    """
    if not isinstance(coeffs, list):
        raise ValueError(f"Argument coeffs must be list type. Received type {type(coeffs)}.")
    x = operand(x)
    value = zeros_like(x)
    for coefficient in coeffs:
        number = isinstance(coefficient, (bool, int, float, complex))
        value = _add(convert(coefficient, x.dtype if number else None), multiply(value, x))
    return value


# -- quotients --------------------------------------------------------------------------------------------------------


@op("RealDiv", "realdiv")
def real_div(x: Number, y: Number):
    """Quotient; that of integers is floating."""
    return jnp.true_divide(floating(x), floating(y))


def floating(x: Any) -> Any:
    """An array as it is divided: integers of up to 16 bits as float32, larger ones as float64."""
    if not jnp.issubdtype(x.dtype, jnp.integer):
        return x
    return x.astype(jnp.float32 if x.dtype.itemsize < 4 else jnp.float64)


@real_div.rule
def _(cts, inputs, outputs):
    x, y = map(jnp.conj, inputs)
    return [cts[0] / y, cts[0] * ((-x / y) / y)]


def _of_one_dtype(x: Any, y: Any) -> tuple[Tensor, Tensor]:
    x = operand(x)
    y = operand(y, x.dtype)
    if x.dtype is not y.dtype:
        raise TypeError(
            f"`x` and `y` must have the same dtype, got {x.dtype!r} != {y.dtype!r}. tf.cast brings them to one."
        )
    return x, y


@export("truediv", "math.truediv")
def truediv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Quotient in the sense of Python 3: integers give a floating result. Mirrors `tf.truediv`.

    Raises:
      TypeError: if the dtypes differ, or are no numbers.
    """
    x, y = _of_one_dtype(x, y)
    if x.dtype not in Number.allowed:
        raise TypeError(f"Invalid dtype {x.dtype!r} in __truediv__. Expected a number.")
    name_next(name)
    return real_div(x, y)


@export("divide", "math.divide")
def divide(x: Any, y: Any, name: str | None = None) -> Tensor:
    """`x / y` as in Python. Mirrors `tf.divide`."""
    if not isinstance(x, (Tensor, Variable)) and not isinstance(y, (Tensor, Variable)):
        x = convert(x)
    name_next(name)
    return x / y


@op("DivNoNan")
def _divide_no_nan(x: Number, y: Number):
    return _no_nan(floating(x), floating(y))


def _no_nan(x: Any, y: Any) -> Any:
    zero = y == 0
    return jnp.where(zero, 0, x / jnp.where(zero, 1, y)).astype(x.dtype)


@_divide_no_nan.rule
def _(cts, inputs, outputs):
    x, y = map(jnp.conj, inputs)
    return [_no_nan(cts[0], y), cts[0] * _no_nan(_no_nan(-x, y), y)]


@export("math.divide_no_nan")
def divide_no_nan(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Quotient that is 0 wherever `y` is 0; that of integers is floating. Mirrors `tf.math.divide_no_nan`.

    Raises:
      TypeError: if the dtypes differ, or are no numbers.
    """
    x, y = _of_one_dtype(x, y)
    if x.dtype not in Number.allowed:
        raise TypeError(f"Invalid dtype {x.dtype!r} in tf.math.divide_no_nan. Expected a number.")
    return _divide_no_nan(x, y, name=name)


@op("FloorDiv", "math.floordiv", differentiable=False)
def floordiv(x: Number, y: Number):
    """Quotient rounded down; it has no gradient."""
    return jnp.floor(x / y) if jnp.issubdtype(x.dtype, jnp.floating) else jnp.floor_divide(x, y)


@op("FloorMod", "math.floormod", "math.mod")
def floormod(x: Real, y: Real):
    """Remainder with the divisor's sign."""
    return jnp.mod(x, y)


@floormod.rule
def _(cts, inputs, outputs):
    x, y = inputs
    return [cts[0], -cts[0] * jnp.floor(x / y)]


@op("TruncateDiv", "truncatediv", differentiable=False)
def truncatediv(x: Number, y: Number):
    """Quotient rounded towards zero; it has no gradient."""
    if jnp.issubdtype(x.dtype, jnp.integer):
        x, y = jnp.broadcast_arrays(x, y)
        zero = (
            y == 0
        )  # XLA gives -1 there, but where both are constants its compiler divides by zero, which ends the process
        return jnp.where(zero, ~jnp.zeros_like(x), lax.div(x, jnp.where(zero, jnp.ones_like(y), y)))
    return jnp.trunc(x / y)


@op("TruncateMod", "truncatemod", gradient=MISSING)
def truncatemod(x: Real, y: Real):
    """Remainder with the dividend's sign."""
    return jnp.fmod(x, y)


for _division in (floordiv, floormod, truncatediv, truncatemod):
    _division.check(functools.partial(lambda raw, y: no_zero(y, raw), _division.op.name))


@op("Reciprocal", "math.reciprocal")
def reciprocal(x: Inexact):
    """One divided by `x`."""
    return jnp.reciprocal(x)


@reciprocal.rule
def _(cts, inputs, outputs):
    y = jnp.conj(outputs[0])
    return [jnp.where(cts[0] == 0, 0, -cts[0] * y * y)]


@op("math.reciprocal_no_nan", "math.reciprocal_no_nan")
def reciprocal_no_nan(x: Inexact):
    """One divided by `x`, and 0 where `x` is 0."""
    return _no_nan(jnp.ones_like(x), x)


@reciprocal_no_nan.rule
def _(cts, inputs, outputs):
    y = jnp.conj(outputs[0])
    return [-cts[0] * y * y]
