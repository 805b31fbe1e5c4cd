"""Axes, diagonals, lengths and fractions that a function is given as tensors, and ranks that it does not know."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

FLOAT, INTEGER = tf.float32, tf.int32
X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
IMAGE = np.arange(144, dtype=np.float32).reshape(2, 6, 6, 2)
SOUND = np.arange(16, dtype=np.float32)
SPECTRA = X[0, :, :3]
CASES = {
    "gather": (lambda a, n: tf.gather(a, [0, 1], axis=n), [None, 3, 4], (X, 1), [None] * 3, [2, 2, 4], 152),
    "gather of any rank": (lambda a, n: tf.gather(a, [0, 1], axis=n), None, (X, 2), None, [2, 3, 2], 126),
    "argmax": (lambda a, n: tf.argmax(a, axis=n), [None, 3, 4], (X, 1), [None, None], [2, 4], 16),
    "argmin": (lambda a, n: tf.argmin(a, axis=n), [2, 3, 4], (X, 2), [None, None], [2, 3], 0),
    "rows of diag": (lambda a, n: tf.linalg.diag(a, num_rows=n), [None], (X[0, 0, 1:], 5), [None, None], [5, 3], 6),
    "diag": (lambda a, n: tf.linalg.diag(a, k=n), [None], (X[0, 0, 1:], 1), [None, None], [4, 4], 6),
    "diag_part": (lambda a, n: tf.linalg.diag_part(a, k=n), [None, None], (X[0], 1), [None], [3], 18),
    "stft": (lambda a, n: abs(tf.signal.stft(a, n, 2)), [None], (SOUND, 4), [None, None], [7, 3], 168.631334),
    "inverse_stft": (
        lambda a, n: tf.signal.inverse_stft(tf.cast(a, tf.complex64), n, 2), [None, 3], (SPECTRA, 4), [None], [8], -1.5,
    ),
    "central_crop": (tf.image.central_crop, [6, 6, 2], (IMAGE[0], 0.5), [None, None, 2], [4, 4, 2], 1136),
    "central_crop of any size": (
        tf.image.central_crop, [None, None, None, 2], (IMAGE, 0.5), [None, None, None, 2], [2, 4, 4, 2], 4576,
    ),
    "a convolution of any rank": (
        lambda a, n: tf.nn.conv2d(a, tf.ones([3, 3, 2, 4]) * tf.cast(n, FLOAT), 1, "SAME"),
        None, (IMAGE, 1), [None, None, None, 4], [2, 6, 6, 4], 292864,
    ),
    "a convolution of sequences of any rank": (
        lambda a, n: tf.nn.conv1d(a, tf.ones([3, 4, 2]) * tf.cast(n, FLOAT), 1, "SAME"),
        None, (X, 1), [None, None, 2], [2, 3, 2], 1288,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_as_tensorflow(name):
    function, shape, given, traced, found, total = CASES[name]
    kind = FLOAT if isinstance(given[1], float) else INTEGER
    call = tf.function(
        function, input_signature=[tf.TensorSpec(shape, FLOAT), tf.TensorSpec([], kind)], autograph=False
    )
    known = call.get_concrete_function().structured_outputs.shape
    assert (known.as_list() if known.rank is not None else None) == traced
    made = call(*given)
    assert made.shape.as_list() == found
    np.testing.assert_allclose(np.sum(made.numpy().astype(np.float64)), total, rtol=1e-5, atol=1e-5)


def test_gradients_along_an_axis_that_comes_later():
    @tf.function(input_signature=[tf.TensorSpec([None, 3], FLOAT), tf.TensorSpec([], INTEGER)])
    def slope(x, n):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.gather(x, [1, 1], axis=n) ** 2)
        return tape.gradient(y, x)

    x = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], np.float32)
    assert slope(x, 1).numpy().tolist() == [[0, 8, 0], [0, 20, 0]]
    assert slope(x, 0).numpy().tolist() == [[0, 0, 0], [16, 20, 24]]
