"""`tf.signal`: Fourier transforms along the last one, two or three dimensions."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from tfgrad_jax.engine.declare.op import MISSING, op
from tfgrad_jax.engine.declare.roles import Attribute, Operand, shape_tuple
from tfgrad_jax.engine.values import dtypes

_Complex: Any = Operand(frozenset({dtypes.complex64, dtypes.complex128}))
_Sizes: Any = Attribute(lambda value: None if value is None else shape_tuple(value))
_Real: Any = Operand(frozenset({dtypes.float32, dtypes.float64}))


def _axes(dimensions: int) -> tuple[int, ...]:
    return tuple(range(-dimensions, 0))


def _declare(dimensions: int) -> tuple[Any, Any]:
    suffix, raw = ("", "") if dimensions == 1 else (f"{dimensions}d", f"{dimensions}D")
    missing = MISSING if dimensions == 3 else None  # as TensorFlow has it

    @op(f"FFT{raw}", f"signal.fft{suffix}")
    def fft(input: _Complex):
        """The Fourier transform of complex numbers along the last dimensions."""
        return jnp.fft.fftn(input, axes=_axes(dimensions)).astype(input.dtype)

    @op(f"IFFT{raw}", f"signal.ifft{suffix}")
    def ifft(input: _Complex):
        """The inverse Fourier transform of complex numbers along the last dimensions."""
        return jnp.fft.ifftn(input, axes=_axes(dimensions)).astype(input.dtype)

    @op(f"RFFT{raw}", f"signal.rfft{suffix}", gradient=missing)
    def rfft(input_tensor: _Real, fft_length: _Sizes = None):
        """The Fourier transform of real numbers along the last dimensions, without the half that the other half implies."""
        sizes = input_tensor.shape[-dimensions:] if fft_length is None else fft_length
        kind = jnp.complex128 if input_tensor.dtype == jnp.float64 else jnp.complex64
        return jnp.fft.rfftn(input_tensor, s=sizes, axes=_axes(dimensions)).astype(kind)

    @op(f"IRFFT{raw}", f"signal.irfft{suffix}", gradient=missing)
    def irfft(input_tensor: _Complex, fft_length: _Sizes = None):
        """The inverse of the Fourier transform of real numbers."""
        inner = input_tensor.shape[-dimensions:]
        sizes = (*inner[:-1], max(0, 2 * (inner[-1] - 1))) if fft_length is None else fft_length
        kind = jnp.float64 if input_tensor.dtype == jnp.complex128 else jnp.float32
        return jnp.fft.irfftn(input_tensor, s=sizes, axes=_axes(dimensions)).astype(kind)

    return rfft, irfft


rfft, irfft = _declare(1)
_declare(2)
_declare(3)
