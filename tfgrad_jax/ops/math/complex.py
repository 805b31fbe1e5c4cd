"""Complex numbers and their parts."""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Complex, T
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.ops.array.creation import zeros_like
from tfgrad_jax.ops.common import operand

# The rules take and give cotangents in TensorFlow's convention: those of complex numbers are the conjugates of JAX's.


@op("Complex")
def _complex(real: T, imag: T):
    dtype = jnp.complex64 if real.dtype == jnp.float32 else jnp.complex128
    return real.astype(dtype) + 1j * imag.astype(dtype)


@_complex.rule
def _(cts, inputs, outputs):
    return [jnp.real(cts[0]), jnp.imag(cts[0])]


@export("complex", "dtypes.complex")
def complex(real: Any, imag: Any, name: str | None = None) -> Tensor:
    """A complex number from its parts. Mirrors `tf.complex`.

    Raises:
      TypeError: unless both parts are float32 or both float64.
    """
    x, y = operand(real), operand(imag)
    if x.dtype is not y.dtype or x.dtype not in (dtypes.float32, dtypes.float64):
        raise TypeError(
            f"The `real` and `imag` components have incorrect types: {x.dtype.name} {y.dtype.name}. They must be "
            f"consistent, and one of {[dtypes.float32, dtypes.float64]}"
        )
    return _complex(x, y)


@op("Real")
def _real(input: Complex):
    return jnp.real(input)


@_real.rule
def _(cts, inputs, outputs):
    return [cts[0]]


@op("Imag")
def _imag(input: Complex):
    return jnp.imag(input)


@_imag.rule
def _(cts, inputs, outputs):
    return [1j * cts[0]]


@op("Angle")
def _angle(input: Complex):
    return jnp.angle(input)


@_angle.rule
def _(cts, inputs, outputs):
    # TensorFlow's answer has the opposite sign of the direction of steepest ascent.
    z = inputs[0]
    rotated = jnp.imag(z) + 1j * jnp.real(z)
    return [-cts[0] / rotated]


@op("Conj")
def _conj(x: Complex):
    return jnp.conj(x)


@_conj.rule
def _(cts, inputs, outputs):
    return [jnp.conj(cts[0])]


def _numeric(value: Any) -> Tensor:
    tensor = operand(value)
    if not tensor.dtype.is_numeric:
        raise TypeError(f"Expected numeric or variant tensor, got dtype {tensor.dtype!r}.")
    return tensor


@export("math.real")
def real(input: Any, name: str | None = None) -> Tensor:
    """The real part; real numbers are returned as they are. Mirrors `tf.math.real`."""
    tensor = _numeric(input)
    return _real(tensor) if tensor.dtype.is_complex else tensor


@export("math.imag")
def imag(input: Any, name: str | None = None) -> Tensor:
    """The imaginary part: zeros for real numbers. Mirrors `tf.math.imag`."""
    tensor = _numeric(input)
    return _imag(tensor) if tensor.dtype.is_complex else zeros_like(tensor)


@export("math.conj")
def conj(x: Any, name: str | None = None) -> Tensor:
    """The complex conjugate; real numbers are returned as they are. Mirrors `tf.math.conj`."""
    tensor = _numeric(x)
    return _conj(tensor) if tensor.dtype.is_complex else tensor


@op("math.angle", differentiable=False)
def _real_angle(input: T):
    return jnp.where(input < 0, math.pi, 0).astype(input.dtype)


@export("math.angle")
def angle(input: Any, name: str | None = None) -> Tensor:
    """The argument; pi for negative real numbers. Mirrors `tf.math.angle`.

    Raises:
      TypeError: for integers.
    """
    tensor = _numeric(input)
    if tensor.dtype.is_integer:
        raise TypeError(f"Cannot convert {math.pi} to EagerTensor of dtype {tensor.dtype.name}")
    return _angle(tensor) if tensor.dtype.is_complex else _real_angle(tensor)
