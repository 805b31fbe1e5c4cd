"""The operators of tensors and variables."""

from __future__ import annotations

import operator

import numpy as np
import pytest

import tfgrad_jax as tf
from tfgrad_jax.engine.values.tensor import is_host

FLOATS, INTS, BOOLS = [1.0, 2.0], [1, 2], [True, False]
RIGHT = [3.0, 3, [3.0, 0.5], np.array([3.0, 0.5]), np.float64(3.0), np.array([3, 4]), "tensor", "variable"]
ARITHMETIC = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow"]
COMPARISONS = ["lt", "le", "gt", "ge", "eq", "ne"]


@pytest.mark.parametrize("name", ARITHMETIC + COMPARISONS)
@pytest.mark.parametrize("right", RIGHT)
def test_the_other_operand_takes_the_dtype_of_the_tensor(name, right):
    apply, x = getattr(operator, name), tf.constant(FLOATS)
    if isinstance(right, str):
        right = tf.constant([3.0, 0.5]) if right == "tensor" else tf.Variable([3.0, 0.5])
    value = np.asarray(right, np.float32)
    for result, expected in (
        (apply(x, right), apply(np.float32(FLOATS), value)),
        (apply(right, x), apply(value, np.float32(FLOATS))),
        (apply(tf.Variable(FLOATS), right), apply(np.float32(FLOATS), value)),
    ):
        assert isinstance(result, tf.Tensor)
        assert result.dtype == (tf.bool if name in COMPARISONS else tf.float32)
        np.testing.assert_allclose(result, expected, rtol=1e-6)


@pytest.mark.parametrize("name", [*ARITHMETIC, *COMPARISONS, "and_", "or_", "xor"])
@pytest.mark.parametrize("place", ["host", "device"])
def test_integers(name, place):
    apply = getattr(operator, name)
    x, y = tf.constant([7, -7, 5]), tf.constant([2, 2, 3])
    if place == "device":
        x, y = tf.reshape(tf.tile(x, [1]), [3]) + 0, tf.identity(y)
    result = apply(x, y)
    expected = apply(np.array([7, -7, 5]), np.array([2, 2, 3]))
    np.testing.assert_array_equal(result, expected)
    np.testing.assert_array_equal(apply(x, 2), apply(np.array([7, -7, 5]), 2))
    assert result.dtype == (tf.bool if name in COMPARISONS else tf.float64 if name == "truediv" else tf.int32)


def test_integers_on_the_host_stay_there():
    size = tf.shape(tf.zeros([3, 4]))
    for result in (size + 1, 2 * size, size // 2, size - size, size % 3, size < 2):
        assert is_host(result)
    assert (size * size).numpy().tolist() == [9, 16]


@pytest.mark.parametrize(
    ("run", "error"),
    [
        (lambda f, i: i + 1.5, tf.errors.InvalidArgumentError),
        (lambda f, i: 1.5 + i, TypeError),
        (lambda f, i: i * 1.5, TypeError),
        (lambda f, i: i - 1.5, TypeError),
        (lambda f, i: 1.5 - i, TypeError),
        (lambda f, i: i < 1.5, TypeError),
        (lambda f, i: i == 1.5, TypeError),
        (lambda f, i: i / 1.5, TypeError),
        (lambda f, i: i**2.0, TypeError),
        (lambda f, i: f / i, TypeError),
        (lambda f, i: f + i, tf.errors.InvalidArgumentError),
        (lambda f, i: f * i, tf.errors.InvalidArgumentError),
        (lambda f, i: f == i, tf.errors.InvalidArgumentError),
        (lambda f, i: f * tf.Variable(1), tf.errors.InvalidArgumentError),
        (lambda f, i: f + tf.constant([1.0, 2.0, 3.0]), tf.errors.InvalidArgumentError),
        (lambda f, i: i + tf.constant([1, 2, 3]), tf.errors.InvalidArgumentError),
        (lambda f, i: f < tf.constant([1.0, 2.0, 3.0]), tf.errors.InvalidArgumentError),
        (lambda f, i: i // 0, tf.errors.InvalidArgumentError),
        (lambda f, i: i % 0, tf.errors.InvalidArgumentError),
        (lambda f, i: i // tf.constant([0, 1]), tf.errors.InvalidArgumentError),
        (lambda f, i: i**-1, tf.errors.InvalidArgumentError),
        (lambda f, i: f & f, tf.errors.InvalidArgumentError),
        (lambda f, i: ~f, tf.errors.InvalidArgumentError),
        (lambda f, i: -tf.constant(True), tf.errors.InvalidArgumentError),
        (lambda f, i: tf.constant(True) + True, tf.errors.InvalidArgumentError),
        (lambda f, i: tf.constant(True) < True, tf.errors.InvalidArgumentError),
        (lambda f, i: tf.constant(True) / True, TypeError),
        (lambda f, i: tf.constant(True) | 1, TypeError),
        (lambda f, i: f + None, ValueError),
        (lambda f, i: None + f, ValueError),
        (lambda f, i: f < None, ValueError),
        (lambda f, i: f + object(), ValueError),
        (lambda f, i: f == object(), ValueError),
        (lambda f, i: f == "a", TypeError),
        (lambda f, i: "a" + f, TypeError),
        (lambda f, i: tf.Variable(1.0) == None, ValueError),  # noqa: E711
        (lambda f, i: i << 1, TypeError),
        (lambda f, i: +f, TypeError),
        (lambda f, i: divmod(i, 2), TypeError),
        (lambda f, i: hash(f), TypeError),
    ],
)
def test_what_is_refused(run, error):
    with pytest.raises(error):
        run(tf.constant(FLOATS), tf.constant(INTS))


def test_quotients_of_integers_float():
    for dtype, wide in (
        (tf.int8, tf.float32),
        (tf.uint16, tf.float32),
        (tf.int32, tf.float64),
        (tf.uint64, tf.float64),
    ):
        assert (tf.constant(1, dtype) / tf.constant(2, dtype)).dtype == wide
    assert (1 / tf.constant(INTS)).numpy().tolist() == [1.0, 0.5]


def test_booleans():
    b = tf.constant(BOOLS)
    assert (b & True).numpy().tolist() == [True, False]
    assert (True ^ b).numpy().tolist() == [False, True]
    assert (b | tf.Variable(True)).numpy().tolist() == [True, True]
    assert (~b).numpy().tolist() == [False, True]
    assert (b * b).numpy().tolist() == BOOLS
    assert (tf.constant(FLOATS) + True).numpy().tolist() == [2.0, 3.0]


def test_equality_answers_where_shapes_do_not_match():
    f = tf.constant(FLOATS)
    three = tf.constant([1.0, 2.0, 3.0])
    for equal in (f == three, f == [1.0, 2.0, 3.0], tf.Variable(FLOATS) == tf.Variable([1.0, 2.0, 3.0])):
        assert equal.shape == () and equal.dtype == tf.bool and not equal
    assert f != three
    assert (f == None) is False  # noqa: E711
    assert (f != None) is True  # noqa: E711
    assert (f == tf.constant([[1.0], [2.0]])).shape == (2, 2)


def test_strings():
    s = tf.constant(["a", "b"])
    assert (s + "c").numpy().tolist() == [b"ac", b"bc"]
    assert ("c" + s).numpy().tolist() == [b"ca", b"cb"]
    assert (s == "a").numpy().tolist() == [True, False]
    assert (s != s).numpy().tolist() == [False, False]
    with pytest.raises(tf.errors.InvalidArgumentError):
        s < "b"


def test_numpy_functions_return_numpy():
    f = tf.constant(FLOATS)
    for result in (np.add(f, f), np.add(np.float32(FLOATS), f), np.sin(f), np.maximum(f, 1.5), np.sqrt(f)):
        assert type(result) is np.ndarray
    assert type(np.float32(FLOATS) * tf.Variable(FLOATS)) is type(f)


def test_membership():
    f = tf.constant(FLOATS)
    assert 2.0 in f and tf.constant(1.0) in f and 3.0 not in f
    assert f in [f]
    with pytest.raises(ValueError, match="ambiguous"):
        1.0 in tf.constant([FLOATS, FLOATS])


class Aware:
    def __radd__(self, other):
        return "radd"

    def __rmul__(self, other):
        return NotImplemented


def test_objects_that_know_tensors_answer_themselves():
    assert tf.constant(FLOATS) + Aware() == "radd"
    with pytest.raises(ValueError, match="unsupported type"):
        tf.constant(FLOATS) * Aware()


@pytest.mark.parametrize("power", [2, 2.0, 3, 0.5, -1])
def test_powers_and_their_gradients(power):
    x = tf.constant([0.5, 2.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x**power
        slope = tape.gradient(y, x)
    n = np.float32([0.5, 2.0])
    np.testing.assert_allclose(y, n**power, rtol=1e-6)
    np.testing.assert_allclose(slope, power * n ** (power - 1), rtol=1e-6)
    np.testing.assert_allclose(outer.gradient(slope, x), power * (power - 1) * n ** (power - 2), rtol=1e-5)


def test_integer_powers_stay_integers():
    assert (tf.constant(INTS) ** 2).dtype == tf.int32
    assert (2 ** tf.constant(INTS)).numpy().tolist() == [2, 4]
    assert (tf.Variable(3) ** 2).numpy() == 9


def test_variables_are_watched_by_every_operator():
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = (2.0 * v + v / 2.0 - (-v)) * abs(v) + v**2 + tf.constant(2.0) * v
    np.testing.assert_allclose(tape.gradient(y, v), 2 * 3.5 * 3.0 + 6.0 + 2.0)


def test_the_list_of_operators():
    assert {"__add__", "__rmatmul__", "__invert__", "__getitem__"} <= tf.Tensor.OVERLOADABLE_OPERATORS
    assert all(hasattr(tf.Tensor, name) for name in tf.Tensor.OVERLOADABLE_OPERATORS)


def test_matrix_products():
    a, b = np.float32([[1.0, 2.0], [3.0, 4.0]]), np.float32([[0.5], [1.0]])
    for product in (
        tf.constant(a) @ b,
        a @ tf.constant(b),
        a.tolist() @ tf.Variable(b),
        tf.Variable(a) @ tf.constant(b),
    ):
        assert isinstance(product, tf.Tensor)
        np.testing.assert_allclose(product, a @ b)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.constant(FLOATS) @ tf.constant(FLOATS)
