"""`tf.signal`: cosine transforms, what is made of them, and transforms' zero frequency in the middle."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Attr, Int, Operand, T, static
from tfgrad_jax.engine.graph.deferred import deferred
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.ops.common import number_of, operand, partly_known, shape_of, xp
from tfgrad_jax.ops.signal.spectral import Window, frame, overlap_and_add, signal_of, vorbis_window

_Real: Any = Operand(frozenset({dtypes.float32, dtypes.float64}))


def _norm(norm: Any) -> None:
    if norm not in (None, "ortho"):
        raise ValueError(f"Unknown normalization. Expected None or 'ortho', got: {norm}")


@op("signal.dct")
def _dct(input: _Real, type: Int, n: Int, norm: Attr):
    size = input.shape[-1] if n is None else n
    x = input[..., :size]
    x = jnp.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, size - x.shape[-1])])
    if not size and (norm is None or type == 4):  # TensorFlow refuses the other ones
        return x
    turn = np.complex64 if x.dtype == jnp.float32 else np.complex128
    at = np.arange(size)
    if type == 1:
        return jnp.fft.rfft(jnp.concatenate([x, x[..., -2:0:-1]], -1)).real
    first = np.where(at == 0, np.sqrt(0.5), 1)
    scale = np.sqrt(0.5 / size) if norm == "ortho" else 1
    if type == 3:
        weights = (scale / first if norm == "ortho" else 1) * np.exp(0.5j * np.pi * at / size) * 2 * size
        return jnp.fft.irfft(x * weights.astype(turn), 2 * size)[..., :size]
    if type == 2:
        weights = 2 * scale * (first if norm == "ortho" else 1) * np.exp(-0.5j * np.pi * at / size)
        return (jnp.fft.rfft(x, 2 * size)[..., :size] * weights.astype(turn)).real
    weights = 2 * scale * np.exp(-0.25j * np.pi * (2 * at + 1) / size)
    turned = x * np.exp(-0.5j * np.pi * at / size).astype(turn)
    return (jnp.fft.fft(turned, 2 * size)[..., :size] * weights.astype(turn)).real


def _cosine(input: Any, type: Any, n: Any, axis: Any, norm: Any, inverse: bool) -> Any:
    if axis != -1:
        raise NotImplementedError(f"axis must be -1. Got: {axis}")
    if type not in (1, 2, 3, 4):
        raise ValueError(f"Types I, II, III and IV (I)DCT are supported, got type={type!r}.")
    _norm(norm)
    if type == 1 and norm == "ortho":
        raise ValueError("Normalization is not supported for the Type-I DCT.")
    x = operand(input)
    if x.dtype not in (dtypes.float32, dtypes.float64):
        raise TypeError(f"tf.signal.dct: input must be float32 or float64, got {x.dtype.name}; tf.cast converts")
    size = None if n is None else number_of(n, "n")
    if size is not None and size < 1:
        raise ValueError(f"n should be a positive integer or None, got {size}")
    if type == 1 and x.spec.shape[-1] < 2:
        raise ValueError("Type-I DCT requires the dimension to be greater than one.")
    return _dct(x, {2: 3, 3: 2}.get(type, type) if inverse else type, size, norm)


@export("signal.dct")
@deferred("n")
def dct(
    input: Any, type: int = 2, n: Any = None, axis: int = -1, norm: str | None = None, name: str | None = None
) -> Any:
    """A discrete cosine transform of the last dimension. Mirrors `tf.signal.dct`.

    Args:
      input: float32 or float64.
      type: 1, 2, 3 or 4.
      n: the size to which the dimension is cut or filled up with zeros.
      axis: -1.
      norm: None, or `"ortho"`, with which types 2 and 3 undo each other.
      name: accepted for compatibility.

    Raises:
      NotImplementedError: for another axis.
      ValueError: for another type, size or norm.
      TypeError: for another dtype.
    """
    return _cosine(input, type, n, axis, norm, False)


@export("signal.idct")
@deferred("n")
def idct(
    input: Any, type: int = 2, n: Any = None, axis: int = -1, norm: str | None = None, name: str | None = None
) -> Any:
    """The inverse of `dct`, without its factor unless `norm="ortho"`. Mirrors `tf.signal.idct`."""
    return _cosine(input, type, n, axis, norm, True)


def _last(input: Any, n: Any, **_: Any) -> list[Any]:
    shape = shape_of(input)
    return [(*shape[:-1], shape[-1] if n is None else (partly_known(n) or [None])[0])]


dct.open_shape(_last)
idct.open_shape(_last)


@op("signal.fold")
def _folded(frames: _Real):
    a, b, c, d = jnp.split(frames, 4, -1)
    return jnp.concatenate([-c[..., ::-1] - d, a - b[..., ::-1]], -1)


@op("signal.unfold")
def _unfolded(halves: _Real):
    a, b = jnp.split(halves, 2, -1)
    return jnp.concatenate([b, -b[..., ::-1], -a[..., ::-1], -a], -1)


def _windowed(frames: Any, window_fn: Window | None, length: int) -> Any:
    return frames * (0.5**0.5 if window_fn is None else window_fn(length, dtype=frames.dtype))


@export("signal.mdct")
def mdct(
    signals: Any,
    frame_length: Any,
    window_fn: Window | None = vorbis_window,
    pad_end: bool = False,
    norm: str | None = None,
    name: str | None = None,
) -> Any:
    """The modified cosine transform, of frames that overlap by half. Mirrors `tf.signal.mdct`.

    Args:
      signals: float32 or float64, [..., samples].
      frame_length: a multiple of 4.
      window_fn: called with the length and `dtype`, gives what frames are multiplied by.
      pad_end: whether frames that reach beyond the end are kept.
      norm: None or `"ortho"`.
      name: accepted for compatibility.

    Returns:
      [..., frames, frame_length // 2] numbers.

    Raises:
      ValueError: for another length or norm.
    """
    signals = signal_of(signals, 1, floating=True)
    length = number_of(frame_length, "frame_length")
    if length % 4:
        raise ValueError(f"The frame length must be a multiple of 4, got {length}.")
    _norm(norm)
    frames = frame(signals, length, length // 2, pad_end)
    return dct(_folded(_windowed(frames, window_fn, length)), 4, norm=norm)


@export("signal.inverse_mdct")
def inverse_mdct(
    mdcts: Any, window_fn: Window | None = vorbis_window, norm: str | None = None, name: str | None = None
) -> Any:
    """The signal of which these are the transforms. Mirrors `tf.signal.inverse_mdct`; `mdct`'s arguments.

    Raises:
      ValueError: for a rank below 2, another norm, or if the last size is not known.
    """
    mdcts = signal_of(mdcts, 2, floating=True)
    _norm(norm)
    half = mdcts.spec.shape[-1]
    if half is None:
        raise ValueError(
            "tf.signal.inverse_mdct: the last dimension of mdcts must be known: None values not supported."
        )
    halves = dct(mdcts, 4, norm=norm)
    frames = _unfolded(halves if norm else halves * (0.5 / half))
    return overlap_and_add(_windowed(frames, window_fn, 2 * half), half)


# -- Mel frequencies --------------------------------------------------------------------------------------------------


def _mel(hertz: Any) -> Any:
    return 1127 * np.log1p(np.asarray(hertz, np.float64) / 700)


@export("signal.linear_to_mel_weight_matrix")
@deferred("num_mel_bins", "num_spectrogram_bins", "sample_rate", differentiable=False)
def linear_to_mel_weight_matrix(
    num_mel_bins: Any = 20,
    num_spectrogram_bins: Any = 129,
    sample_rate: Any = 8000,
    lower_edge_hertz: Any = 125.0,
    upper_edge_hertz: Any = 3800.0,
    dtype: Any = dtypes.float32,
    name: str | None = None,
) -> Any:
    """What spectra are multiplied by to have them by Mel frequency. Mirrors `tf.signal.linear_to_mel_weight_matrix`.

    Args:
      num_mel_bins: how many triangular bands.
      num_spectrogram_bins: how many frequencies the spectra have, from 0 to half of `sample_rate`.
      sample_rate: samples a second.
      lower_edge_hertz, upper_edge_hertz: where the bands begin and end.
      dtype: of the result.
      name: accepted for compatibility.

    Returns:
      [num_spectrogram_bins, num_mel_bins] weights.

    Raises:
      ValueError: if a number is out of range.
    """
    bands, bins = number_of(num_mel_bins, "num_mel_bins"), number_of(num_spectrogram_bins, "num_spectrogram_bins")
    rate, low, high, kind = static(sample_rate), static(lower_edge_hertz), static(upper_edge_hertz), as_dtype(dtype)
    for wrong, message in (
        (bands <= 0, f"num_mel_bins must be positive. Got: {bands}"),
        (low < 0, f"lower_edge_hertz must be non-negative. Got: {low}"),
        (low >= high, f"lower_edge_hertz {low} >= upper_edge_hertz {high}"),
        (rate <= 0, f"sample_rate must be positive. Got: {rate}"),
        (
            high > rate / 2,
            "upper_edge_hertz must not be larger than the Nyquist frequency (sample_rate / 2). "
            f"Got {high} for sample_rate: {rate}",
        ),
        (not kind.is_floating, f"dtype must be a floating point type. Got: {kind!r}"),
    ):
        if wrong:
            raise ValueError(message)
    at = _mel(np.linspace(0, rate / 2, bins)[1:])[:, None]  # the constant part has no band
    edges = np.linspace(_mel(low), _mel(high), bands + 2)
    rising = (at - edges[:-2]) / (edges[1:-1] - edges[:-2])
    falling = (edges[2:] - at) / (edges[2:] - edges[1:-1])
    weights = np.maximum(0, np.minimum(rising, falling))
    return convert(np.pad(weights, ((1, 0), (0, 0))).astype(kind.np))


@linear_to_mel_weight_matrix.open_shape
def _(num_mel_bins: Any, num_spectrogram_bins: Any, **_: Any) -> list[Any]:
    return [[(partly_known(n) or [None])[0] for n in (num_spectrogram_bins, num_mel_bins)]]


@export("signal.mfccs_from_log_mel_spectrograms")
@deferred()
def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: Any, name: str | None = None) -> Any:
    """Cepstral coefficients of logarithms by Mel frequency. Mirrors `tf.signal.mfccs_from_log_mel_spectrograms`.

    Raises:
      InvalidArgumentError: for a scalar.
      ValueError: if there are no frequencies.
    """
    spectra = operand(log_mel_spectrograms)
    if not spectra.spec.shape:
        raise invalid_argument(
            "log_mel_spectrograms must have a dimension of frequencies, got a scalar", "StridedSlice"
        )
    if not (bins := spectra.spec.shape[-1]):
        raise ValueError(f"num_mel_bins must be positive. Got: {bins} in the shape {spectra.spec.shape}")
    return dct(spectra, 2) * (0.5 / bins) ** 0.5


@mfccs_from_log_mel_spectrograms.open_shape
def _(log_mel_spectrograms: Any, **_: Any) -> list[Any]:
    return [shape_of(log_mel_spectrograms)]


# -- the zero frequency in the middle ---------------------------------------------------------------------------------


@op("signal.shift")
def _shifted(x: T, axes: Attr, sign: Int):
    for axis in axes:
        x = xp(x).roll(x, sign * (x.shape[axis] // 2), axis)
    return x


def _shift(x: Any, axes: Any, sign: int) -> Any:
    x = operand(x)
    rank, given = len(x.spec.shape), static(axes)
    if not rank:
        raise invalid_argument("input must be 1-D or higher", "Roll")
    places = tuple(range(rank)) if given is None else given if isinstance(given, tuple) else (given,)
    for axis in places:
        if not -rank <= axis < rank:
            raise invalid_argument(f"axes: {axis} is out of bounds for a tensor of rank {rank}", "StridedSlice")
    return _shifted(x, places, sign)


@export("signal.fftshift")
@deferred("axes")
def fftshift(x: Any, axes: Any = None, name: str | None = None) -> Any:
    """Both halves of dimensions exchanged, so that the zero frequency is in the middle. Mirrors `tf.signal.fftshift`.

    Raises:
      InvalidArgumentError: for a scalar, or if there is no such axis.
    """
    return _shift(x, axes, 1)


@export("signal.ifftshift")
@deferred("axes")
def ifftshift(x: Any, axes: Any = None, name: str | None = None) -> Any:
    """The inverse of `fftshift`. Mirrors `tf.signal.ifftshift`."""
    return _shift(x, axes, -1)


def _same(x: Any, **_: Any) -> list[Any]:
    return [shape_of(x)]


fftshift.open_shape(_same)
ifftshift.open_shape(_same)
