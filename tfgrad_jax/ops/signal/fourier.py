"""`tf.signal`: Fourier transforms along the last one, two or three dimensions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp

from tfgrad_jax.engine.declare.op import MISSING, op
from tfgrad_jax.engine.declare.roles import Attribute, DTypeArg, Operand, shape_tuple
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.names.wrapping import wraps
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert_to_tensor

_Complex: Any = Operand(frozenset({dtypes.complex64, dtypes.complex128}))
_Sizes: Any = Attribute(lambda value: None if value is None else shape_tuple(value))
_Real: Any = Operand(frozenset({dtypes.float32, dtypes.float64}))


_COMPLEX128 = frozenset({dtypes.complex128})


def _axes(dimensions: int) -> tuple[int, ...]:
    return tuple(range(-dimensions, 0))


def _public(
    name: str, hint: dtypes.DType, of_python: frozenset[dtypes.DType] = frozenset(), only: tuple[dtypes.DType, ...] = ()
) -> Callable[[Any], Any]:
    """Make a transform public, whose operand may be an array or numbers: those become tensors of one type, as in TensorFlow.

    Args:
      name: the public name.
      hint: that type.
      of_python: types that lists of Python's numbers may have instead.
      only: the types that are taken, if others are refused with a `ValueError`, as TensorFlow does here and there.
    """

    def tensor(value: Any) -> Any:
        if of_python and isinstance(value, (list, tuple, complex)) and convert_to_tensor(value).dtype in of_python:
            return convert_to_tensor(value)
        made = convert_to_tensor(value, dtype_hint=hint)
        if only and made.dtype not in only:
            allowed = " or ".join(f"tf.{dtype.name}" for dtype in only)
            raise ValueError(f"tf.{name}: input_tensor must be of {allowed}, got a tensor of tf.{made.dtype.name}")
        return made

    def declare(transform: Any) -> Any:
        @wraps(transform)
        def public(*args: Any, **kwargs: Any) -> Any:
            if args:
                return transform(tensor(args[0]), *args[1:], **kwargs)
            return transform(**{n: tensor(v) if n.startswith("input") else v for n, v in kwargs.items()})

        export(name)(public)
        return transform

    return declare


def _not_negative(sizes: Any, raw: str) -> Any:
    for i, n in enumerate(sizes):
        if n < 0:
            raise invalid_argument(f"fft_length[{i}] must >= 0, but got: {n}", raw, when_run=True)
    return sizes


def _declare(dimensions: int) -> tuple[Any, Any]:
    suffix, raw = ("", "") if dimensions == 1 else (f"{dimensions}d", f"{dimensions}D")
    missing = MISSING if dimensions == 3 else None  # as TensorFlow has it

    @_public(f"signal.fft{suffix}", dtypes.complex64, _COMPLEX128)
    @op(f"FFT{raw}")
    def fft(input: _Complex):
        """The Fourier transform of complex numbers along the last dimensions."""
        return jnp.fft.fftn(input, axes=_axes(dimensions)).astype(input.dtype)

    @_public(f"signal.ifft{suffix}", dtypes.complex64, _COMPLEX128)
    @op(f"IFFT{raw}")
    def ifft(input: _Complex):
        """The inverse Fourier transform of complex numbers along the last dimensions."""
        return jnp.fft.ifftn(input, axes=_axes(dimensions)).astype(input.dtype)

    @_public(f"signal.rfft{suffix}", dtypes.float32, only=(dtypes.float32, dtypes.float64))
    @op(f"RFFT{raw}", gradient=missing)
    def rfft(input_tensor: _Real, fft_length: _Sizes = None):
        """The Fourier transform of real numbers along the last dimensions, without the half that the other half implies."""
        sizes = input_tensor.shape[-dimensions:] if fft_length is None else _not_negative(fft_length, f"RFFT{raw}")
        kind = jnp.complex128 if input_tensor.dtype == jnp.float64 else jnp.complex64
        if 0 in sizes and fft_length is None:  # JAX transforms no dimension of size 0
            return jnp.zeros((*input_tensor.shape[:-1], sizes[-1] // 2 + 1 if sizes[-1] else 0), kind)
        return jnp.fft.rfftn(input_tensor, s=sizes, axes=_axes(dimensions)).astype(kind)

    @_public(f"signal.irfft{suffix}", dtypes.complex64, only=(dtypes.complex64, dtypes.complex128))
    @op(f"IRFFT{raw}", gradient=missing)
    def irfft(input_tensor: _Complex, fft_length: _Sizes = None):
        """The inverse of the Fourier transform of real numbers."""
        inner = input_tensor.shape[-dimensions:]
        whole = (*inner[:-1], max(0, 2 * (inner[-1] - 1)))
        sizes = whole if fft_length is None else _not_negative(fft_length, f"IRFFT{raw}")
        kind = jnp.float64 if input_tensor.dtype == jnp.complex128 else jnp.float32
        return jnp.fft.irfftn(input_tensor, s=sizes, axes=_axes(dimensions)).astype(kind)

    return rfft, irfft


rfft, irfft = _declare(1)
_declare(2)
_declare(3)


def _several(name: str) -> Callable[[Any], Any]:
    return export(f"signal.{name}", name)


def _length(raw: str, sizes: Any, axes: Any) -> None:
    if sizes is not None and len(sizes) != len(axes):
        raise invalid_argument(f"fft_length must have a size for each of the axes {list(axes)}, got {list(sizes)}", raw)


@_several("fftnd")
@op("FFTND")
def fftnd(input: _Complex, fft_length: _Sizes, axes: _Sizes):
    """The Fourier transform of complex numbers along some axes. Mirrors `tf.signal.fftnd`.

    Args:
      input: complex numbers.
      fft_length: a size for each of the axes; the input is cut or padded with zeros to it.
      axes: along which axes.

    Raises:
      InvalidArgumentError: if there are not as many sizes as axes.
    """
    _length("FFTND", fft_length, axes)
    return jnp.fft.fftn(input, s=fft_length, axes=axes).astype(input.dtype)


@_several("ifftnd")
@op("IFFTND")
def ifftnd(input: _Complex, fft_length: _Sizes, axes: _Sizes):
    """The inverse Fourier transform of complex numbers along some axes; see `fftnd`. Mirrors `tf.signal.ifftnd`."""
    _length("IFFTND", fft_length, axes)
    return jnp.fft.ifftn(input, s=fft_length, axes=axes).astype(input.dtype)


@_several("rfftnd")
@op("RFFTND")
def rfftnd(input: _Real, fft_length: _Sizes, axes: _Sizes, Tcomplex: DTypeArg = dtypes.complex64):
    """The Fourier transform of real numbers along some axes, of which the last is halved; see `fftnd`. `tf.signal.rfftnd`."""
    _length("RFFTND", fft_length, axes)
    return jnp.fft.rfftn(input, s=fft_length, axes=axes).astype(Tcomplex.as_numpy_dtype)


@_several("irfftnd")
@op("IRFFTND")
def irfftnd(input: _Complex, fft_length: _Sizes, axes: _Sizes, Treal: DTypeArg = dtypes.float32):
    """The inverse of the Fourier transform of real numbers along some axes; see `fftnd`. Mirrors `tf.signal.irfftnd`."""
    _length("IRFFTND", fft_length, axes)
    return jnp.fft.irfftn(input, s=fft_length, axes=axes).astype(Treal.as_numpy_dtype)
