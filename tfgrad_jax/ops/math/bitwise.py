"""Operations on the bits of integers."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import lax

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Integer


def _of_bits(operation: Any, x: Any, y: Any) -> Any:
    """Of the bits as integers without a sign: XLA's compiler ends the process at `x.astype(int8) & y` on a CPU."""
    if not jnp.issubdtype(x.dtype, jnp.signedinteger):
        return operation(x, y)
    bits = jnp.dtype(f"u{x.dtype}")
    found = operation(*[lax.bitcast_convert_type(value, bits) for value in (x, y)])
    return lax.bitcast_convert_type(found, x.dtype)


@op("BitwiseAnd", "bitwise.bitwise_and", differentiable=False)
def bitwise_and(x: Integer, y: Integer):
    """The bits set in both."""
    return _of_bits(jnp.bitwise_and, x, y)


@op("BitwiseOr", "bitwise.bitwise_or", differentiable=False)
def bitwise_or(x: Integer, y: Integer):
    """The bits set in either."""
    return _of_bits(jnp.bitwise_or, x, y)


@op("BitwiseXor", "bitwise.bitwise_xor", differentiable=False)
def bitwise_xor(x: Integer, y: Integer):
    """The bits set in exactly one."""
    return jnp.bitwise_xor(x, y)


@op("Invert", "bitwise.invert", differentiable=False)
def invert(x: Integer):
    """The bits that are not set."""
    return jnp.invert(x)


def _within(x, y):
    """A shift is at most by all bits, and never negative, as TensorFlow's kernels clip it."""
    return jnp.clip(y, 0, x.dtype.itemsize * 8 - 1)


@op("LeftShift", "bitwise.left_shift", differentiable=False)
def left_shift(x: Integer, y: Integer):
    """`x` with its bits moved up `y` places."""
    return jnp.left_shift(x, _within(x, y))


@op("RightShift", "bitwise.right_shift", differentiable=False)
def right_shift(x: Integer, y: Integer):
    """`x` with its bits moved down `y` places; the sign is kept."""
    return jnp.right_shift(x, _within(x, y))


@op("PopulationCount", differentiable=False)
def population_count(x: Integer):
    """The number of bits set."""
    return lax.population_count(x).astype(jnp.uint8)
