"""Values and derivatives, first and second, where formulas have no value of their own; recorded from TensorFlow."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

INF, NAN = np.inf, np.nan


def derivatives(function, *values):
    values = [tf.constant(v) for v in values]
    with tf.GradientTape() as second:
        second.watch(values)
        with tf.GradientTape() as first:
            first.watch(values)
            found = function(*values)
        slopes = [s for s in first.gradient(found, values) if s is not None]
    return found, slopes, second.gradient(slopes, values)


@pytest.mark.parametrize(
    ("name", "slopes", "bends"),
    [
        ("bessel_i0", [0.0, 0.565159, -1.590637, NAN], [1.0, 0.700907, 1.484267, NAN]),
        ("bessel_i0e", [0.0, -0.257849, 0.093239, NAN], None),
        ("bessel_i1", [1.0, 0.700907, 1.484267, NAN], None),
        ("bessel_i1e", [0.5, 0.049939, -0.0143956, NAN], None),
    ],
)
def test_bessel(name, slopes, bends):
    _, (found,), (second,) = derivatives(getattr(tf.math, name), [0.0, 1.0, -2.0, NAN])
    np.testing.assert_allclose(found, slopes, rtol=2e-4)
    if bends is not None:
        np.testing.assert_allclose(second, bends, rtol=2e-4)


def test_products_with_nothing():
    x, y = [INF, NAN, 2.0, 3.0], [0.0, 0.0, 0.0, 4.0]
    found, slopes, seconds = derivatives(tf.math.multiply_no_nan, x, y)
    np.testing.assert_array_equal(found, [0, 0, 0, 12])
    np.testing.assert_array_equal(slopes, [y, x])
    np.testing.assert_array_equal(seconds, [[1.0] * 4] * 2)


def test_orders_and_poles_of_zeta():
    x = tf.constant([0.0, 1.0, INF, INF, INF, 2.0, 2.5, -2.0, 2.5, 2.0])
    q = tf.constant([0.0, 3.0, 0.0, 1.0, 3.0, -1.0, -1.0, 1.0, INF, 1.0])
    np.testing.assert_allclose(tf.math.zeta(x, q), [NAN, INF, INF, 1, 0, INF, NAN, NAN, 0, np.pi**2 / 6], rtol=1e-5)


def test_equal_eigenvalues():
    _, slopes, seconds = derivatives(lambda x: tf.linalg.eigh(x)[1], np.eye(2, dtype=np.float32))
    for values in (*slopes, *seconds):
        np.testing.assert_array_equal(values, np.zeros((2, 2)))
