"""Windows, frames and their transforms, against values that TensorFlow gave."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

S = tf.signal
X = np.arange(10, dtype=np.float32)
WAVES = np.sin(np.arange(20) * 1.3).astype(np.float32).reshape(2, 10)
Z = (np.arange(30).reshape(2, 3, 5) + 1j).astype(np.complex64)


@pytest.mark.parametrize(
    "window, expected",
    [
        (lambda: S.hann_window(4), [0, 0.5, 1, 0.5]),
        (lambda: S.hann_window(5), [0, 0.5, 1, 0.5, 0]),
        (lambda: S.hamming_window(4, periodic=False), [0.08, 0.77, 0.77, 0.08]),
        (lambda: S.kaiser_window(5), [0.0001, 0.2157, 1, 0.2157, 0.0001]),
        (lambda: S.kaiser_bessel_derived_window(4), [0.0073, 1, 1, 0.0073]),
        (lambda: S.vorbis_window(4), [0.228, 0.9737, 0.9737, 0.228]),
        (lambda: S.hann_window(1), [1]),
        (lambda: S.inverse_stft_window_fn(1)(5, tf.float32), [0, 0.3333, 0.6667, 0.3333, 0]),
        (lambda: S.inverse_stft_window_fn(3)(5, tf.float32), [0, 2, 1, 2, 0]),
    ],
)
def test_windows(window, expected):
    np.testing.assert_allclose(window(), expected, atol=1e-4)
    np.testing.assert_allclose(tf.function(window)(), expected, atol=1e-4)


@pytest.mark.parametrize(
    "length, step, pad_end, expected",
    [
        (4, 4, False, [[0, 1, 2, 3], [4, 5, 6, 7]]),
        (4, 4, True, [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, -1, -1]]),
        (3, 5, True, [[0, 1, 2], [5, 6, 7]]),
        (11, 2, False, np.zeros((0, 11))),
    ],
)
def test_frames(length, step, pad_end, expected):
    def cut(x):
        return S.frame(x, length, step, pad_end, -1)

    for function in (cut, tf.function(cut, input_signature=[tf.TensorSpec([None])])):
        found = function(X)
        assert found.shape == np.shape(expected)
        np.testing.assert_array_equal(found, expected)
    assert S.frame(np.zeros((2, 6, 2)), 2, 1, axis=-2).shape == (2, 5, 2, 2)
    batch = tf.function(cut, input_signature=[tf.TensorSpec([None, 10])]).get_concrete_function()
    assert batch.output_shapes.as_list() == [None, len(expected), length]


def test_sum_of_frames():
    frames = np.arange(24, dtype=np.float32).reshape(2, 6, 2)
    expected = [[0, 3, 7, 11, 15, 19, 11], [12, 27, 31, 35, 39, 43, 23]]
    add = tf.function(lambda x: S.overlap_and_add(x, 1), input_signature=[tf.TensorSpec([None, None, 2])])
    for function in (add, lambda x: S.overlap_and_add(x, 1)):
        np.testing.assert_array_equal(function(frames), expected)


def _closed(function, given, expected, atol=1e-3):
    """The first numbers of a result, eagerly and in a function whose sizes but the last are open."""
    shape = [*[None] * (given.ndim - 1), given.shape[-1]]
    traced = tf.function(function, input_signature=[tf.TensorSpec(shape, given.dtype)])
    for call in (function, traced):
        np.testing.assert_allclose(np.ravel(call(tf.constant(given)))[: len(expected)], expected, atol=atol)


def test_transforms():
    _closed(lambda x: S.stft(x, 4, 2), WAVES, [0.6534, -0.5155 - 0.8257j, 0.3776, -1.1198, 0.8835 + 0.4514j])
    _closed(lambda z: S.inverse_stft(z, 8, 2), Z, [0, -0.2134, 0, -0.4268, 0, -0.4634, 0, -0.2866, 0, -0.0732])
    undo = S.inverse_stft_window_fn(2)
    _closed(lambda z: S.inverse_stft(z, 8, 2, window_fn=undo), Z, [0, -0.1423, 0, -0.2845, 0, -0.3089])
    _closed(lambda x: S.mdct(x, 4), WAVES, [-1.3557, 1.4694, 2.1013, -0.8337, -2.2454, -0.0406])
    _closed(S.inverse_mdct, WAVES.reshape(5, 4), [-0.0212, 0.0662, -0.1256, 0.3535, 0.0741, -0.1846])
    _closed(S.mfccs_from_log_mel_spectrograms, WAVES, [-0.0667, 0.6933, -0.0858, 1.3347])


@pytest.mark.parametrize(
    "type, expected",
    [
        (1, [0.4636, 2.3618, 0.6811, 6.8282]),
        (2, [-0.2984, 3.1004, -0.3839, 5.9692]),
        (3, [1.2467, 1.8513, 1.516, 7.1742]),
        (4, [1.371, 1.3747, 2.3226, 3.4477]),
    ],
)
def test_cosine_transforms(type, expected):
    _closed(lambda x: S.dct(x, type), WAVES, expected)
    factor = 18 if type == 1 else 20
    np.testing.assert_allclose(S.idct(S.dct(WAVES, type), type) / factor, WAVES, atol=1e-5)
    if type != 1:
        np.testing.assert_allclose(S.idct(S.dct(WAVES, type, norm="ortho"), type, norm="ortho"), WAVES, atol=1e-5)


def test_gradients():
    x = tf.constant(WAVES)
    for function, expected in (
        (lambda a: S.dct(a, 2), [490.876, -95.6063, -345.9383]),
        (lambda a: S.mdct(a, 4), [-2.0136, 8.5982, -16.1049]),
        (S.mfccs_from_log_mel_spectrograms, [8.3997, -1.7413, -3.1424]),
    ):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
            y = tf.reduce_sum(y**3 + y)
        np.testing.assert_allclose(np.ravel(tape.gradient(y, x))[:3], expected, rtol=1e-3)
    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = S.frame(x, 4, 3, True)
        y = tf.reduce_sum(y**3 + y)
    assert tape.gradient(y, x).numpy().tolist() == [1, 4, 13, 56, 49, 76, 218, 148, 193, 488]


def test_mel_frequencies():
    found = S.linear_to_mel_weight_matrix(3, 9)
    expected = [0, 0, 0, 0.8835, 0, 0, 0.2953, 0.7047, 0, 0, 0.6873, 0.3127, 0, 0.2045, 0.7955]
    assert found.shape == (9, 3)
    np.testing.assert_allclose(np.ravel(found)[:15], expected, atol=1e-4)


def test_shifts():
    rows = np.arange(15).reshape(3, 5)
    for axes in (None, 0, -1, [0, 1]):
        np.testing.assert_array_equal(S.fftshift(rows, axes), np.fft.fftshift(rows, axes))
        np.testing.assert_array_equal(S.ifftshift(rows, axes), np.fft.ifftshift(rows, axes))


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda: S.hann_window([5]), ValueError),
        (lambda: S.hann_window(5, dtype=tf.int32), ValueError),
        (lambda: S.hann_window(-2), tf.errors.InvalidArgumentError),
        (lambda: S.frame(1.0, 2, 1), ValueError),
        (lambda: S.frame(X, 2, 0), tf.errors.InvalidArgumentError),
        (lambda: S.frame(X, 2, 1, axis=1), IndexError),
        (lambda: S.overlap_and_add(X, 1), ValueError),
        (lambda: S.overlap_and_add(WAVES, 1.0), ValueError),
        (lambda: S.stft(np.arange(10), 4, 2), ValueError),
        (lambda: S.inverse_stft(WAVES, 4, 2), ValueError),
        (lambda: S.mdct(WAVES, 6), ValueError),
        (lambda: S.dct(WAVES, 5), ValueError),
        (lambda: S.dct(WAVES, norm="x"), ValueError),
        (lambda: S.dct(WAVES, axis=0), NotImplementedError),
        (lambda: S.linear_to_mel_weight_matrix(0, 9), ValueError),
        (lambda: S.fftshift(X, 5), tf.errors.InvalidArgumentError),
    ],
)
def test_wrong_input(call, error):
    with pytest.raises(error):
        call()
