"""`tf.signal`: windows, frames of signals and their transforms."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax.export import is_symbolic_dim
from jax.scipy import special

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Attr, Floating, Int, Number, T, static
from tfgrad_jax.engine.graph.deferred import deferred
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.execute import misfit
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import DType, as_dtype
from tfgrad_jax.engine.values.shapes import UNRANKED
from tfgrad_jax.ops.array.rearrange import pad
from tfgrad_jax.ops.common import number_of, operand, partly_known, shape_of, tensor_like, xp
from tfgrad_jax.ops.signal.fourier import irfft, rfft

Window = Callable[..., Any]


def _length(value: Any, dtype: Any, least: int = 0) -> tuple[int, DType]:
    kind = as_dtype(dtype)
    if not kind.is_floating:
        raise ValueError(f"dtype must be a floating point type. Found {kind!r}")
    length = number_of(value, "window_length")
    if length < least:
        raise misfit(f"window_length must be >= {least}, got {length}", "Range")
    return length, kind


def signal_of(value: Any, rank: int, floating: bool = False) -> Any:
    """A tensor of at least this rank."""
    signal = operand(value)
    if len(signal.spec.shape) < rank:
        raise ValueError(f"Shape {tuple(signal.spec.shape)} must have rank at least {rank}")
    if floating and not signal.dtype.is_floating:
        raise ValueError(f"dtype must be a floating point type. Found {signal.dtype!r}")
    return signal


# -- windows ----------------------------------------------------------------------------------------------------------


def _cosine(window_length: Any, periodic: Any, dtype: Any, a: float) -> Any:
    length, kind = _length(window_length, dtype)
    if length == 1:
        return convert(np.ones(1), kind)
    over = max(
        length if static(periodic) and length % 2 == 0 else length - 1, 1
    )  # odd ones are symmetric in TensorFlow
    return convert((a - (1 - a) * np.cos(2 * np.pi * np.arange(length) / over)).astype(kind.np))


@export("signal.hann_window")
@deferred("window_length", "periodic", differentiable=False)
def hann_window(window_length: Any, periodic: Any = True, dtype: Any = dtypes.float32, name: str | None = None) -> Any:
    """A raised cosine. Mirrors `tf.signal.hann_window`; even `periodic` ones lack the last value."""
    return _cosine(window_length, periodic, dtype, 0.5)


@export("signal.hamming_window")
@deferred("window_length", "periodic", differentiable=False)
def hamming_window(
    window_length: Any, periodic: Any = True, dtype: Any = dtypes.float32, name: str | None = None
) -> Any:
    """A cosine raised so that the side lobe is low. Mirrors `tf.signal.hamming_window`."""
    return _cosine(window_length, periodic, dtype, 0.54)


@op("signal.kaiser")
def _kaiser(beta: Floating, length: Int):
    at = 2 * jnp.arange(length, dtype=beta.dtype) / max(length - 1, 1) - 1
    argument = beta * jnp.sqrt(jnp.maximum(1 - at * at, 0))
    return jnp.exp(argument - beta) * special.i0e(argument) / special.i0e(beta)


@export("signal.kaiser_window")
@deferred("window_length")
def kaiser_window(window_length: Any, beta: Any = 12.0, dtype: Any = dtypes.float32, name: str | None = None) -> Any:
    """A ratio of Bessel functions, narrower for larger `beta`. Mirrors `tf.signal.kaiser_window`."""
    length, kind = _length(window_length, dtype, least=1)
    return convert(np.ones(1), kind) if length == 1 else _kaiser(convert(beta, kind), length)


@op("signal.kaiser_bessel_derived")
def _derived(window: Floating):
    sums = jnp.cumsum(window)
    half = jnp.sqrt(sums[:-1] / sums[-1])
    return jnp.concatenate([half, half[::-1]])


@export("signal.kaiser_bessel_derived_window")
@deferred("window_length")
def kaiser_bessel_derived_window(
    window_length: Any, beta: Any = 12.0, dtype: Any = dtypes.float32, name: str | None = None
) -> Any:
    """The window of sums of Kaiser's, for `mdct`. Mirrors `tf.signal.kaiser_bessel_derived_window`."""
    length, kind = _length(window_length, dtype)
    return _derived(kaiser_window(length // 2 + 1, beta, kind))


@export("signal.vorbis_window")
@deferred("window_length", differentiable=False)
def vorbis_window(window_length: Any, dtype: Any = dtypes.float32, name: str | None = None) -> Any:
    """The window of Vorbis, for `mdct`. Mirrors `tf.signal.vorbis_window`."""
    length, kind = _length(window_length, dtype)
    sine = np.sin(np.pi * (np.arange(length) + 0.5) / max(length, 1))
    return convert(np.sin(np.pi / 2 * sine**2).astype(kind.np))


def _flat(window_length: Any, **_: Any) -> list[Any]:
    return [partly_known(window_length) or (None,)]


for _window in (hann_window, hamming_window, kaiser_window, vorbis_window):
    _window.open_shape(_flat)


# -- frames -----------------------------------------------------------------------------------------------------------


@op("signal.frame")
def _framed(signal: T, length: Int, step: Int, count: Attr, axis: Int):
    if count is None:  # in a program that is exported for all sizes
        places = jnp.arange(_frames(signal.shape[axis], length, step, False))[:, None] * step + np.arange(length)
        return jnp.take(signal, places, axis=axis)
    if not count:
        return xp(signal).zeros((*signal.shape[:axis], 0, length, *signal.shape[axis + 1 :]), signal.dtype)
    places = np.arange(count)[:, None] * step + np.arange(length)
    return xp(signal).take(signal, places, axis=axis)


def _frames(size: Any, length: Any, step: Any, pad_end: Any) -> Any:
    return max(0, -(-size // step) if pad_end else 1 + (size - length) // step)


@export("signal.frame")
@deferred("frame_length", "frame_step", "axis")
def frame(
    signal: Any,
    frame_length: Any,
    frame_step: Any,
    pad_end: bool = False,
    pad_value: Any = 0,
    axis: Any = -1,
    name: str | None = None,
) -> Any:
    """Stretches of a signal that may overlap, as a new dimension. Mirrors `tf.signal.frame`.

    Args:
      signal: a tensor of rank 1 at least.
      frame_length: the size of a frame.
      frame_step: from the beginning of one frame to that of the next.
      pad_end: whether frames that reach beyond the end are kept, filled by `pad_value`.
      pad_value: what fills them.
      axis: the dimension that is cut.
      name: accepted for compatibility.

    Returns:
      The frames: in place of the dimension stand their number and `frame_length`.

    Raises:
      ValueError: for a scalar, or sizes that are none.
      IndexError: if there is no such axis.
      InvalidArgumentError: if a size is negative or the step 0.
    """
    signal = signal_of(signal, 1)
    length, step = number_of(frame_length, "frame_length"), number_of(frame_step, "frame_step")
    rank, axis = len(signal.spec.shape), number_of(axis, "axis")
    if not -rank <= axis < rank:
        raise IndexError(f"tf.signal.frame: axis {axis} is out of range for a signal of rank {rank}")
    if not step:
        raise invalid_argument("frame_step must not be 0: Integer division by zero", "FloorDiv")
    if length < 0:
        raise invalid_argument(f"frame_length must be >= 0, got {length}", "Range")
    axis %= rank
    size = signal.spec.shape[axis]
    if context.exporting is not None and is_symbolic_dim(size) and not pad_end:
        context.exporting.conditions.append(f"{size} >= {length}")  # that there is a frame
    count = _frames(size, length, step, pad_end)
    if np.shape(static(pad_value)):
        raise ValueError(f"pad_value: Shape {np.shape(static(pad_value))} must have rank 0")
    more = max(0, (count - 1) * step + length - size)
    if pad_end and more:
        widths = [[0, more if i == axis else 0] for i in range(rank)]
        signal = pad(signal, widths, constant_values=convert(pad_value, signal.dtype))
    return _framed(signal, length, step, None if is_symbolic_dim(count) else count, axis)


@frame.open_shape
def _(signal: Any, frame_length: Any, frame_step: Any, pad_end: bool, axis: Any, **_: Any) -> list[Any]:
    shape = shape_of(signal)
    length, step, place = ((partly_known(v) or [None])[0] for v in (frame_length, frame_step, axis))
    if place is None:
        return [[None] * (len(shape) + 1)]
    place %= len(shape)
    size = shape[place]
    count = None if None in (size, length, step) else _frames(size, length, step, pad_end)
    return [(*shape[:place], count, length, *shape[place + 1 :])]


@op("signal.overlap_and_add")
def _added(signal: Number, step: Int):
    count, length = signal.shape[-2:]
    places = np.arange(count)[:, None] * step + np.arange(length)
    out = jnp.zeros((*signal.shape[:-2], max(0, (count - 1) * step + length)), signal.dtype)
    return out.at[..., places].add(signal)


@export("signal.overlap_and_add")
@deferred("frame_step")
def overlap_and_add(signal: Any, frame_step: Any, name: str | None = None) -> Any:
    """The signal that frames were cut from; where they overlap, they are added. Mirrors `tf.signal.overlap_and_add`.

    Args:
      signal: frames, [..., their number, their length].
      frame_step: from the beginning of one to that of the next.
      name: accepted for compatibility.

    Raises:
      ValueError: for a rank below 2, or a step that is no integer.
      InvalidArgumentError: if the step is not positive.
    """
    signal = signal_of(signal, 2)
    if not tensor_like(frame_step).dtype.is_integer:
        raise ValueError(f"frame_step must be an integer. Got {tensor_like(frame_step).dtype!r}")
    step = number_of(frame_step, "frame_step")
    if step <= 0:
        raise invalid_argument(f"frame_step must be > 0, got {step}", "Pad")
    return _added(signal, step)


@overlap_and_add.open_shape
def _(signal: Any, frame_step: Any, **_: Any) -> list[Any]:
    *batch, count, length = shape_of(signal)
    step = (partly_known(frame_step) or [None])[0]
    if count is None or length is None or step is None:
        return [(*batch, None)]
    return [(*batch, max(0, (count - 1) * step + length))]


# -- transforms of short stretches ------------------------------------------------------------------------------------


def _power_of_two(size: int) -> int:
    return 1 << max(0, math.ceil(math.log2(size))) if size > 0 else 1


@export("signal.stft")
@deferred("frame_length", "frame_step", "fft_length", ranks=True)
def stft(
    signals: Any,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: Window | None = hann_window,
    pad_end: bool = False,
    name: str | None = None,
) -> Any:
    """Fourier transforms of frames of real signals. Mirrors `tf.signal.stft`.

    Args:
      signals: float32 or float64, [..., samples].
      frame_length, frame_step, pad_end: as `frame` takes them.
      fft_length: what frames are padded to; by default the power of two that is not below `frame_length`.
      window_fn: called with the length and `dtype`, gives what frames are multiplied by.
      name: accepted for compatibility.

    Returns:
      [..., frames, fft_length // 2 + 1] complex numbers.

    Raises:
      ValueError: for signals that are not real numbers.
    """
    signals = signal_of(signals, 1, floating=True)
    if signals.dtype not in (dtypes.float32, dtypes.float64):
        raise ValueError(f"RFFT requires tf.float32 or tf.float64 inputs, got: {signals.dtype!r}")
    length = number_of(frame_length, "frame_length")
    frames = frame(signals, length, frame_step, pad_end)
    if window_fn is not None:
        frames = frames * window_fn(length, dtype=frames.dtype)
    return rfft(frames, [_power_of_two(length) if fft_length is None else number_of(fft_length, "fft_length")])


@stft.open_shape
def _(signals: Any, frame_length: Any, fft_length: Any, **_: Any) -> list[Any]:
    if signals.shape is UNRANKED:
        return [UNRANKED]
    length = _power_of_two(frame_length) if fft_length is None and isinstance(frame_length, int) else fft_length
    return [(*signals.shape[:-1], None, length // 2 + 1 if isinstance(length, int) else None)]


@export("signal.inverse_stft")
@deferred("frame_length", "frame_step", "fft_length", ranks=True)
def inverse_stft(
    stfts: Any,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: Window | None = hann_window,
    name: str | None = None,
) -> Any:
    """The signal of which these are the transforms. Mirrors `tf.signal.inverse_stft`; `stft`'s arguments.

    Raises:
      ValueError: for a rank below 2, or numbers that are not complex.
    """
    stfts = signal_of(stfts, 2)
    if not stfts.dtype.is_complex:
        raise ValueError(f"IRFFT requires tf.complex64 or tf.complex128 inputs, got: {stfts.dtype!r}")
    length = number_of(frame_length, "frame_length")
    size = _power_of_two(length) if fft_length is None else number_of(fft_length, "fft_length")
    frames = irfft(stfts, [size])[..., :length]
    if size < length:
        frames = pad(frames, [[0, 0]] * (len(frames.spec.shape) - 1) + [[0, length - size]])
    if window_fn is not None:
        frames = frames * window_fn(length, dtype=frames.dtype)
    return overlap_and_add(frames, frame_step)


@op("signal.inverse_window")
def _inverse_window(window: Floating, step: Int):
    size = window.shape[0]
    overlaps = -(-size // step)
    squares = jnp.pad(window * window, (0, overlaps * step - size)).reshape(overlaps, step).sum(0)
    sums = jnp.tile(squares, overlaps)[:size]
    return jnp.where(sums == 0, 0, window / jnp.where(sums == 0, 1, sums))


@inverse_stft.open_shape
def _(stfts: Any, **_: Any) -> list[Any]:
    return [UNRANKED if stfts.shape is UNRANKED else (*stfts.shape[:-2], None)]


@export("signal.inverse_stft_window_fn")
def inverse_stft_window_fn(
    frame_step: Any, forward_window_fn: Window = hann_window, name: str | None = None
) -> Callable[[Any, Any], Any]:
    """The window with which `inverse_stft` undoes `stft`. Mirrors `tf.signal.inverse_stft_window_fn`.

    Args:
      frame_step: as `stft` got it.
      forward_window_fn: as `stft` got it.
      name: accepted for compatibility.
    """

    def inverse_window(frame_length: Any, dtype: Any) -> Any:
        step = number_of(frame_step, "frame_step")
        if not step:
            raise invalid_argument("frame_step must not be 0: Integer division by zero", "FloorDiv")
        return _inverse_window(forward_window_fn(number_of(frame_length, "frame_length"), dtype=dtype), step)

    return inverse_window
