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


def test_gradients_by_both_and_the_second_by_x():
    a, x = tf.Variable([[0.5], [2.0]]), tf.Variable([1.0, 3.0])
    with tf.GradientTape(persistent=True) as outer:
        with tf.GradientTape() as inner:
            y = tf.reduce_sum(tf.math.igamma(a, x))
        by_a, by_x = inner.gradient(y, [a, x])
    np.testing.assert_allclose(by_a, [[-0.437078], [-0.473621]], rtol=1e-4)
    np.testing.assert_allclose(by_x, [0.575433, 0.165578], rtol=1e-4)
    np.testing.assert_allclose(outer.gradient(by_x, x), [-0.311331, -0.118494], rtol=1e-4)
    with pytest.raises(LookupError, match="IgammaGradA"):
        outer.gradient(by_a, x)
