"""Fourier transforms are NumPy's, with derivatives."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

X = np.random.RandomState(0).randn(2, 4, 6, 5).astype(np.float32)
Z = (X + 2j * X).astype(np.complex64)


@pytest.mark.parametrize("dimensions", [1, 2, 3])
@pytest.mark.parametrize("kind", ["fft", "ifft", "rfft", "irfft"])
def test_transforms(kind, dimensions):
    suffix = "" if dimensions == 1 else f"{dimensions}d"
    given = X if kind == "rfft" else Z
    axes = tuple(range(-dimensions, 0))
    transform = getattr(tf.signal, kind + suffix)
    expected = getattr(np.fft, kind + "n")
    found = transform(given)
    np.testing.assert_allclose(found, expected(given, axes=axes), rtol=1e-3, atol=1e-3)
    assert found.dtype == (tf.float32 if kind == "irfft" else tf.complex64)
    np.testing.assert_allclose(tf.function(transform)(given), found, rtol=1e-4, atol=1e-4)
    if kind in ("rfft", "irfft"):
        for length in (4, 8):
            np.testing.assert_allclose(
                transform(given, fft_length=[length] * dimensions),
                expected(given, s=[length] * dimensions, axes=axes),
                rtol=1e-3,
                atol=1e-3,
            )


@pytest.mark.parametrize("kind", ["fft", "ifft2d", "rfft", "irfft2d"])
def test_gradients(kind):
    given = (X if kind == "rfft" else Z)[0, :1, :2, :3]
    (taped,), (numeric,) = tf.test.compute_gradient(getattr(tf.signal, kind), [given], delta=1e-2)
    np.testing.assert_allclose(taped, numeric, atol=1e-2)


def test_what_has_no_gradient():
    x = tf.constant(X[:1])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.signal.rfft3d(x)
    with pytest.raises(LookupError, match="RFFT3D"):
        tape.gradient(y, x)


@pytest.mark.parametrize("name", ["fft", "ifft2d", "rfft", "irfft3d"])
def test_arrays_and_numbers_become_single_precision(name):
    transform = getattr(tf.signal, name)
    single = "float32" if name == "irfft3d" else "complex64"
    for dtype in ("float64", "float32", "complex128", "complex64", "int32"):
        assert transform(np.ones((2, 4, 4), dtype)).dtype.name == single
    assert transform([[[1, 2], [3, 4]]]).dtype.name == single
    of_python = {"fft": "complex128", "ifft2d": "complex128", "irfft3d": "float32"}
    if name in of_python:
        assert transform([[[1j, 2], [3, 4]]]).dtype.name == of_python[name]
    double = tf.ones([2, 4, 4], tf.float64 if name == "rfft" else tf.complex128)
    assert transform(double).dtype.name == ("float64" if name == "irfft3d" else "complex128")


@pytest.mark.parametrize("suffix", ["", "2d", "3d"])
@pytest.mark.parametrize(
    ("kind", "wrong"),
    [("rfft", tf.int32), ("rfft", tf.float16), ("rfft", tf.complex64), ("irfft", tf.float32), ("irfft", tf.float64)],
)
def test_real_transforms_refuse_other_types(kind, wrong, suffix):
    transform = getattr(tf.signal, kind + suffix)
    given = tf.zeros([2, 3, 4], wrong)
    for call in (transform, tf.function(transform)):
        with pytest.raises(ValueError, match=rf"tf\.signal\.{kind}{suffix}: input_tensor .*{wrong.name}"):
            call(given)


@pytest.mark.parametrize("kind", ["fftnd", "ifftnd", "rfftnd", "irfftnd"])
def test_transforms_along_any_axes(kind):
    given = X if kind == "rfftnd" else Z
    found = getattr(tf.signal, kind)(given, [3, 6], [0, 2])
    expected = getattr(np.fft, kind[:-1])(given, [3, 6], [0, 2])
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-3)
    assert found.dtype == (tf.float32 if kind == "irfftnd" else tf.complex64)
    np.testing.assert_allclose(tf.function(getattr(tf, kind))(given, [3, 6], [0, 2]), found, rtol=1e-4, atol=1e-4)
    with pytest.raises(tf.errors.InvalidArgumentError, match="a size for each"):
        getattr(tf, kind)(given, [3], [0, 2])


def test_signals_without_samples():
    nothing = tf.zeros((2, 0), tf.float64)
    for transform in (tf.signal.dct, lambda x: tf.signal.dct(x, 4, norm="ortho"), lambda x: tf.signal.idct(x, 3)):
        assert (transform(nothing).shape, tf.function(transform)(nothing).dtype) == ((2, 0), tf.float64)
    for transform, wanted in (
        (tf.signal.rfft, (2, 0)),
        (lambda x: tf.signal.rfft2d(tf.transpose(x)[..., None]), (0, 2, 1)),
    ):
        assert (transform(nothing).shape, transform(nothing).dtype) == (wanted, tf.complex128)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.signal.dct(nothing, norm="ortho").numpy()


def test_gradients_for_another_number_of_frames():
    for frames in (8, 10):
        x = tf.constant(np.arange(frames * 8.0).reshape(2, frames, 4))
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.signal.dct(x, type=4)
        # The matrix of the transform is symmetric.
        np.testing.assert_allclose(tape.gradient(y, x), tf.signal.dct(tf.ones_like(x), type=4), rtol=1e-12)
