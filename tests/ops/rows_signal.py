"""Rows of operations on signals, and of raw operations that stand under no other name."""

from __future__ import annotations

from importlib import import_module

import numpy as np

from tests.ops.table import Rows

rows = Rows("signal")

random = np.random.default_rng(0)
CUBE = random.uniform(-1, 1, (2, 3, 4)).round(3).tolist()


def of_complex(name):
    """A transform of complex numbers made of real ones, squared so that gradients are no zeros."""

    def call(tf, x):
        out = getattr(tf.signal, name)(tf.complex(x, 0.5 * x))
        return out**2 if out.dtype.is_floating else [tf.math.real(out) ** 2, tf.math.imag(out) ** 2]

    return call


def of_real(name):
    """A transform of real numbers, the squares of the real and the imaginary parts of what it gives."""

    def call(tf, x):
        out = getattr(tf.signal, name)(x)
        return [tf.math.real(out) ** 2, tf.math.imag(out) ** 2]

    return call


for size in ("", "2d", "3d"):
    for name in ("fft", "ifft", "irfft"):
        rows(f"{name}{size}", of_complex(name + size), CUBE, rtol=1e-4)
    rows(f"rfft{size}", of_real(f"rfft{size}"), CUBE, rtol=1e-4)

for name in ("fftnd", "ifftnd", "rfftnd", "irfftnd"):

    def along_two_axes(tf, x, name=name):
        out = getattr(tf.signal, name)(x if name == "rfftnd" else tf.complex(x, 0.5 * x), [2, 4], [0, 2])
        return [tf.math.real(out) ** 2, tf.math.imag(out) ** 2]

    rows(name, along_two_axes, CUBE, rtol=1e-4, differs="TensorFlow has no kernel for CPUs")

rows(
    "IgammaGradA",
    lambda tf, a, x: tf.raw_ops.IgammaGradA(a=a, x=x),
    [0.5, 2.0, 3.5],
    [1.0, 0.5, 4.0],
    gradient=False,
    rtol=1e-4,
)
rows(
    "RandomGammaGrad",
    lambda tf, a, x: tf.raw_ops.RandomGammaGrad(alpha=a, sample=x),
    [0.5, 2.0, 3.5],
    [1.0, 0.5, 4.0],
    gradient=False,
    rtol=1e-4,
)
rows("Bucketize", lambda tf, x: tf.raw_ops.Bucketize(input=x, boundaries=[0.0, 0.5]), CUBE[0], gradient=False)


STATES = random.uniform(-1, 1, (1, 3)).round(3).astype(np.float32)
WEIGHTS = random.uniform(-1, 1, (5, 12)).round(3).astype(np.float32)


def lstm(tf, x):
    """The states of one layer over a sequence; its own gradient is compared elsewhere."""
    none = tf.zeros([3])
    states = {"cs_prev": STATES, "h_prev": STATES, "wci": none, "wcf": none, "wco": none}
    out = tf.raw_ops.BlockLSTMV2(seq_len_max=2, x=x, w=WEIGHTS, b=tf.zeros([12]), **states)
    return [out.h, out.cs]


rows("BlockLSTMV2", lstm, random.uniform(-1, 1, (2, 1, 2)).round(3).tolist(), gradient=False, rtol=1e-4)

WAVE = random.uniform(-1, 1, (2, 16)).round(3).tolist()

rows(
    "kaiser_window", lambda tf, beta: tf.signal.kaiser_window(6, tf.reshape(beta, [])), [3.0], gradient=False, rtol=1e-4
)
rows(
    "kaiser_bessel_derived_window",
    lambda tf, beta: tf.signal.kaiser_bessel_derived_window(6, tf.reshape(beta, [])),
    [3.0],
    gradient=False,
    rtol=1e-4,
)
rows("frame", lambda tf, x: tf.signal.frame(x, 5, 3, pad_end=True), WAVE)
rows("overlap_and_add", lambda tf, x: tf.signal.overlap_and_add(x, 2), CUBE)
rows("inverse_stft_window_fn", lambda tf, x: x * tf.signal.inverse_stft_window_fn(2)(4, x.dtype), CUBE, rtol=1e-4)
for kind in (1, 2, 3, 4):
    rows(f"dct {kind}", lambda tf, x, kind=kind: tf.signal.dct(x, kind), CUBE, rtol=1e-4)
rows("mdct", lambda tf, x: tf.signal.mdct(x, 8), WAVE, rtol=1e-4)
rows("inverse_mdct", lambda tf, x: tf.signal.inverse_mdct(x), CUBE, rtol=1e-4)
rows("fftshift", lambda tf, x: tf.signal.fftshift(x, [1]), CUBE)


rows(
    "XlaDynamicSlice",
    lambda tf, x: import_module(f"{tf.__name__}.compiler.tf2xla.python.xla").dynamic_slice(x, [1, 2], [1, 2]),
    CUBE[0],
    gradient=False,
)
rows(
    "XlaDynamicUpdateSlice",
    lambda tf, x, y: import_module(f"{tf.__name__}.compiler.tf2xla.python.xla").dynamic_update_slice(x, y, [1, 2]),
    CUBE[0],
    [[1.0, 2.0]],
    gradient=False,
)
rows(
    "ImageProjectiveTransformV3",
    lambda tf, x: tf.raw_ops.ImageProjectiveTransformV3(
        images=x[..., None],
        transforms=[[1.0, 0.0, 0.5, 0.0, 1.0, 0.0, 0.0, 0.0]],
        output_shape=[3, 4],
        fill_value=0.0,
        interpolation="BILINEAR",
        fill_mode="REFLECT",
    ),
    CUBE,
    smooth=False,
)
