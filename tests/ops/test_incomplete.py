"""Incomplete gamma and beta functions where they have no values. The answers are TensorFlow 2.21's."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

NAN, INF = np.nan, np.inf


@pytest.mark.parametrize("wrapped", [lambda f: f, tf.function])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_edges(dtype, wrapped):
    a = np.array([0, 0.5, -1, INF, NAN, -0.5], dtype)

    def row(function, x):
        return wrapped(function)(a, np.full_like(a, x)).numpy()

    np.testing.assert_allclose(row(tf.math.igamma, 0), [0, 0, 0, 0, 0, 0])
    np.testing.assert_allclose(row(tf.math.igamma, 0.5), [NAN, 0.6826895, NAN, 0, NAN, NAN], rtol=1e-5)
    np.testing.assert_allclose(row(tf.math.igamma, INF), [NAN, 1, NAN, 0, NAN, NAN])
    np.testing.assert_allclose(row(tf.math.igammac, 0), [NAN, 1, NAN, 1, NAN, NAN])
    np.testing.assert_allclose(row(tf.math.igammac, 0.5), [NAN, 0.3173105, NAN, 1, NAN, NAN], rtol=1e-5)
    np.testing.assert_allclose(row(tf.math.igammac, INF), [NAN, 0, NAN, 0, NAN, NAN])
    np.testing.assert_allclose(row(tf.math.igammac, -1), np.full(6, NAN))
    one, half, b = np.ones(4, dtype), np.full(4, 0.5, dtype), np.array([0, 1, 2, -1], dtype)
    np.testing.assert_allclose(wrapped(tf.math.betainc)(one, b, half), [NAN, 0.5, 0.75, NAN], rtol=1e-5)
    np.testing.assert_allclose(wrapped(tf.math.betainc)(b, one, half), [NAN, 0.5, 0.25, NAN], rtol=1e-5)


def test_what_is_no_number_is_in_no_bin():
    found = tf.histogram_fixed_width_bins([NAN, 1.0, INF], [0.0, 5.0], 5)
    assert found.numpy().tolist() == [np.iinfo(np.int32).min, 1, 4]
