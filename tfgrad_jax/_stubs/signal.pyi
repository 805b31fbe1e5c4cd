"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
def dct(input: _Any, type: _Any = 2, n: _Any = None, axis: _Any = -1, norm: _Any = None, name: _Any = None) -> _Any:
    """A discrete cosine transform of the last dimension. Mirrors `tf.signal.dct`."""
def fft(input: _Any, name: _Any = None) -> _Any:
    """The Fourier transform of complex numbers along the last dimensions."""
def fft2d(input: _Any, name: _Any = None) -> _Any:
    """The Fourier transform of complex numbers along the last dimensions."""
def fft3d(input: _Any, name: _Any = None) -> _Any:
    """The Fourier transform of complex numbers along the last dimensions."""
def fftnd(input: _Any, fft_length: _Any, axes: _Any, name: _Any = None) -> _Any:
    """The Fourier transform of complex numbers along some axes. Mirrors `tf.signal.fftnd`."""
def fftshift(x: _Any, axes: _Any = None, name: _Any = None) -> _Any:
    """Both halves of dimensions exchanged, so that the zero frequency is in the middle. Mirrors `tf.signal.fftshift`."""
def frame(signal: _Any, frame_length: _Any, frame_step: _Any, pad_end: _Any = False, pad_value: _Any = 0, axis: _Any = -1, name: _Any = None) -> _Any:
    """Stretches of a signal that may overlap, as a new dimension. Mirrors `tf.signal.frame`."""
def hamming_window(window_length: _Any, periodic: _Any = True, dtype: _Any = ..., name: _Any = None) -> _Any:
    """A cosine raised so that the side lobe is low. Mirrors `tf.signal.hamming_window`."""
def hann_window(window_length: _Any, periodic: _Any = True, dtype: _Any = ..., name: _Any = None) -> _Any:
    """A raised cosine. Mirrors `tf.signal.hann_window`; even `periodic` ones lack the last value."""
def idct(input: _Any, type: _Any = 2, n: _Any = None, axis: _Any = -1, norm: _Any = None, name: _Any = None) -> _Any:
    """The inverse of `dct`, without its factor unless `norm="ortho"`. Mirrors `tf.signal.idct`."""
def ifft(input: _Any, name: _Any = None) -> _Any:
    """The inverse Fourier transform of complex numbers along the last dimensions."""
def ifft2d(input: _Any, name: _Any = None) -> _Any:
    """The inverse Fourier transform of complex numbers along the last dimensions."""
def ifft3d(input: _Any, name: _Any = None) -> _Any:
    """The inverse Fourier transform of complex numbers along the last dimensions."""
def ifftnd(input: _Any, fft_length: _Any, axes: _Any, name: _Any = None) -> _Any:
    """The inverse Fourier transform of complex numbers along some axes; see `fftnd`. Mirrors `tf.signal.ifftnd`."""
def ifftshift(x: _Any, axes: _Any = None, name: _Any = None) -> _Any:
    """The inverse of `fftshift`. Mirrors `tf.signal.ifftshift`."""
def inverse_mdct(mdcts: _Any, window_fn: _Any = ..., norm: _Any = None, name: _Any = None) -> _Any:
    """The signal of which these are the transforms. Mirrors `tf.signal.inverse_mdct`; `mdct`'s arguments."""
def inverse_stft(stfts: _Any, frame_length: _Any, frame_step: _Any, fft_length: _Any = None, window_fn: _Any = ..., name: _Any = None) -> _Any:
    """The signal of which these are the transforms. Mirrors `tf.signal.inverse_stft`; `stft`'s arguments."""
def inverse_stft_window_fn(frame_step: _Any, forward_window_fn: _Any = ..., name: _Any = None) -> _Any:
    """The window with which `inverse_stft` undoes `stft`. Mirrors `tf.signal.inverse_stft_window_fn`."""
def irfft(input_tensor: _Any, fft_length: _Any = None, name: _Any = None) -> _Any:
    """The inverse of the Fourier transform of real numbers."""
def irfft2d(input_tensor: _Any, fft_length: _Any = None, name: _Any = None) -> _Any:
    """The inverse of the Fourier transform of real numbers."""
def irfft3d(input_tensor: _Any, fft_length: _Any = None, name: _Any = None) -> _Any:
    """The inverse of the Fourier transform of real numbers."""
def irfftnd(input: _Any, fft_length: _Any, axes: _Any, Treal: _Any = ..., name: _Any = None) -> _Any:
    """The inverse of the Fourier transform of real numbers along some axes; see `fftnd`. Mirrors `tf.signal.irfftnd`."""
def kaiser_bessel_derived_window(window_length: _Any, beta: _Any = ..., dtype: _Any = ..., name: _Any = None) -> _Any:
    """The window of sums of Kaiser's, for `mdct`. Mirrors `tf.signal.kaiser_bessel_derived_window`."""
def kaiser_window(window_length: _Any, beta: _Any = ..., dtype: _Any = ..., name: _Any = None) -> _Any:
    """A ratio of Bessel functions, narrower for larger `beta`. Mirrors `tf.signal.kaiser_window`."""
def linear_to_mel_weight_matrix(num_mel_bins: _Any = 20, num_spectrogram_bins: _Any = 129, sample_rate: _Any = 8000, lower_edge_hertz: _Any = ..., upper_edge_hertz: _Any = ..., dtype: _Any = ..., name: _Any = None) -> _Any:
    """What spectra are multiplied by to have them by Mel frequency. Mirrors `tf.signal.linear_to_mel_weight_matrix`."""
def mdct(signals: _Any, frame_length: _Any, window_fn: _Any = ..., pad_end: _Any = False, norm: _Any = None, name: _Any = None) -> _Any:
    """The modified cosine transform, of frames that overlap by half. Mirrors `tf.signal.mdct`."""
def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: _Any, name: _Any = None) -> _Any:
    """Cepstral coefficients of logarithms by Mel frequency. Mirrors `tf.signal.mfccs_from_log_mel_spectrograms`."""
def overlap_and_add(signal: _Any, frame_step: _Any, name: _Any = None) -> _Any:
    """The signal that frames were cut from; where they overlap, they are added. Mirrors `tf.signal.overlap_and_add`."""
def rfft(input_tensor: _Any, fft_length: _Any = None, name: _Any = None) -> _Any:
    """The Fourier transform of real numbers along the last dimensions, without the half that the other half implies."""
def rfft2d(input_tensor: _Any, fft_length: _Any = None, name: _Any = None) -> _Any:
    """The Fourier transform of real numbers along the last dimensions, without the half that the other half implies."""
def rfft3d(input_tensor: _Any, fft_length: _Any = None, name: _Any = None) -> _Any:
    """The Fourier transform of real numbers along the last dimensions, without the half that the other half implies."""
def rfftnd(input: _Any, fft_length: _Any, axes: _Any, Tcomplex: _Any = ..., name: _Any = None) -> _Any:
    """The Fourier transform of real numbers along some axes, of which the last is halved; see `fftnd`. `tf.signal.rfftnd`."""
def stft(signals: _Any, frame_length: _Any, frame_step: _Any, fft_length: _Any = None, window_fn: _Any = ..., pad_end: _Any = False, name: _Any = None) -> _Any:
    """Fourier transforms of frames of real signals. Mirrors `tf.signal.stft`."""
def vorbis_window(window_length: _Any, dtype: _Any = ..., name: _Any = None) -> _Any:
    """The window of Vorbis, for `mdct`. Mirrors `tf.signal.vorbis_window`."""
