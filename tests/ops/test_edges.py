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


@pytest.mark.parametrize("wrapped", [lambda f: f, tf.function])
def test_an_empty_range_of_quantized_numbers_is_refused(wrapped):
    rounded = wrapped(lambda low: tf.quantization.quantize_and_dequantize_v2([1.0], low, 0.5, range_given=True))
    np.testing.assert_allclose(rounded(-0.5), [0.5])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid range"):
        rounded(tf.constant(0.7))


def test_places_of_any_number_and_updates_of_any_rank():
    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.int32), tf.TensorSpec(None, tf.float32)])
    def scattered(places, updates):
        made = tf.scatter_nd(places, updates, [3, 2])
        assert made.shape == [3, 2]
        return made

    assert scattered([[0], [2]], [[1.0, 2.0], [3.0, 4.0]]).numpy().tolist() == [[1, 2], [0, 0], [3, 4]]
    assert scattered([[0, 1], [2, 0]], [1.0, 2.0]).numpy().tolist() == [[0, 1], [0, 0], [2, 0]]
    with pytest.raises(tf.errors.InvalidArgumentError):
        scattered([[0], [2]], [1.0, 2.0])


def test_crops_larger_than_an_image_of_open_size():
    def cropped(image):
        return tf.image.stateless_random_crop(image, [4, 5, 3], [1, 2]) + 1.0

    function = tf.function(cropped, input_signature=[tf.TensorSpec([None, None, 3])])
    assert function(tf.zeros([9, 5, 3])).shape == [4, 5, 3]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Need value.shape >= size, got \[9, 4, 3\]"):
        function(tf.zeros([9, 4, 3]))
    compiled = tf.function(cropped, input_signature=[tf.TensorSpec([None, None, 3])], jit_compile=True)
    assert compiled(tf.zeros([9, 4, 3])).shape == [4, 5, 3]  # which checks nothing; XLA's compiler ended the process


@pytest.mark.parametrize("dtype", ["int8", "int32"])
def test_bits_of_integers_that_were_narrowed(dtype):
    """XLA's compiler ended the process at these on a CPU."""
    x, y = np.array([1, -5, 300, 7]), np.array([3, -9, 301, 2]).astype(dtype)

    @tf.function(jit_compile=True)
    def bits(x):
        narrow = tf.cast(x, dtype)
        return tf.bitwise.bitwise_and(narrow, y), tf.bitwise.bitwise_or(narrow, y)

    both, either = bits(tf.constant(x))
    np.testing.assert_array_equal(both, x.astype(dtype) & y)
    np.testing.assert_array_equal(either, x.astype(dtype) | y)


def test_the_gradient_of_a_complex_sign_at_zero():
    z = tf.constant([0j, 3 + 4j])
    with tf.GradientTape() as tape:
        tape.watch(z)
        y = tf.sign(z)
    found = tape.gradient(y, z).numpy()
    assert found[0] == 0 and np.allclose(found[1], 0.128 - 0.096j)
