"""Forward-mode accumulators: what they answer was seen in TensorFlow, where nothing else is said."""

from __future__ import annotations

import gc
import threading
import weakref

import numpy as np
import pytest

import tfgrad_jax as tf
from tfgrad_jax.extras import execution

Accumulator = tf.autodiff.ForwardAccumulator


def along(f, x, t=None):
    x = tf.constant(x)
    with Accumulator(x, tf.ones_like(x) if t is None else tf.constant(t)) as acc:
        y = f(x)
    return acc.jvp(y)


def value(x):
    return None if x is None else np.round(np.asarray(x), 5).tolist()


@pytest.mark.parametrize(
    ("f", "at", "expected"),
    [
        (lambda x: x * x * x, 2.0, 12.0),
        (tf.sqrt, [0.0], [np.inf]),
        (lambda x: tf.where(x > 0, tf.sqrt(x), 0.0), [0.0, 4.0], [0.0, 0.25]),
        (tf.abs, [0.0], [0.0]),
        (lambda x: tf.maximum(x, [1.0, 3.0]), [1.0, 2.0], [1.0, 0.0]),
        (lambda x: tf.gather(x, [1, 1, 0]), [1.0, 2.0], [1.0, 1.0, 1.0]),
        (lambda x: x % 3.0, [0.0, 4.0], [1.0, 1.0]),
        (tf.floor, [1.5], None),
        (tf.sign, [1.5], None),
        (tf.stop_gradient, [1.5], None),
        (tf.argmax, [1.5, 2.0], None),
        (lambda x: tf.cast(x, tf.int32), [1.5], None),
    ],
)
def test_operations_at_their_corners(f, at, expected):
    assert value(along(f, at)) == expected


def test_complex_numbers():
    x, t = tf.constant(1 + 2j, tf.complex64), tf.constant(1 + 1j, tf.complex64)
    with Accumulator(x, t) as acc:
        found = [acc.jvp(y) for y in (x * x, tf.abs(x), tf.math.conj(x))]
    np.testing.assert_allclose([complex(np.asarray(y)) for y in found], [-2 + 6j, 1.3416408, 1 - 1j], rtol=1e-6)


def test_nests_and_what_is_unconnected():
    x, y = tf.constant([2.0, 1.0]), tf.constant(3.0)
    with Accumulator({"a": x, "b": [y]}, {"a": tf.constant([1.0, 0.0]), "b": [tf.constant(1.0)]}) as acc:
        found = acc.jvp({"u": x * y, "v": (y, [x, tf.constant(1)])})
        zero = acc.jvp(tf.constant([1, 2]), unconnected_gradients="zero")
    assert value(found["u"]) == [5.0, 1.0] and value(found["v"][0]) == 1.0 and found["v"][1][1] is None
    assert value(zero) == [0, 0] and zero.dtype == tf.int32


def test_variables_keep_their_tangent_through_assignments():
    v = tf.Variable(3.0)
    with Accumulator(v, tf.constant(2.0)) as acc:
        y = v * v
        v.assign(5.0)
        z = v * v
    assert [value(acc.jvp(t)) for t in (v, y, z)] == [2.0, 12.0, 20.0]


def test_order_of_nesting():
    x, one = tf.constant(2.0), tf.constant(1.0)
    with Accumulator(x, one) as outer, Accumulator(x, one) as inner:
        y = x * x * x
        first, other = inner.jvp(y), outer.jvp(y)
    # The outer one sees what the inner one computes, and not the other way.
    assert value(outer.jvp(first)) == 12.0 and inner.jvp(other) is None
    with Accumulator(x, one) as acc:
        with tf.GradientTape() as tape:
            tape.watch(x)
            tangent = acc.jvp(tf.tanh(x))
        assert tape.gradient(tangent, x) is None


@pytest.mark.parametrize("mode", ["immediate", "fused"])
@pytest.mark.parametrize("in_function", [False, True])
def test_hessian_vector_products_both_ways(mode, in_function):
    def forward_over_backward(x, d):
        with Accumulator(x, d) as acc:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.reduce_sum(tf.tanh(x) ** 3)
            gradient = tape.gradient(y, x)
        return acc.jvp(gradient)

    def backward_over_forward(x, d):
        with tf.GradientTape() as tape:
            tape.watch(x)
            with Accumulator(x, d) as acc:
                y = tf.reduce_sum(tf.tanh(x) ** 3)
            tangent = acc.jvp(y)
        return tape.gradient(tangent, x)

    x, d = tf.constant([0.3, -1.2]), tf.constant([1.0, 0.5])
    t, s = np.tanh([0.3, -1.2]), 1 - np.tanh([0.3, -1.2]) ** 2
    expected = (6 * t * s**2 - 6 * t**3 * s) * [1.0, 0.5]
    with execution(mode):
        for f in (forward_over_backward, backward_over_forward):
            np.testing.assert_allclose((tf.function(f) if in_function else f)(x, d), expected, rtol=1e-5)


def test_through_functions_and_ties_inside_them():
    f = tf.function(lambda v, w: (tf.maximum(v, w), tf.abs(v - 1.0), tf.floor(v)))
    v, w = tf.constant([1.0, 2.0]), tf.constant([1.0, 3.0])
    with Accumulator([v, w], [tf.constant([1.0, 1.0]), tf.constant([10.0, 10.0])]) as acc:
        found = acc.jvp(f(v, w))
    assert list(map(value, found)) == [[1.0, 10.0], [0.0, 1.0], None]


def test_custom_gradients():
    @tf.custom_gradient
    def seen(x):
        return x * x, lambda dy: 10 * dy * x

    @tf.custom_gradient
    def unseen(x):
        return tf.round(x), lambda dy: 10 * dy * x

    assert value(along(seen, 3.0, 2.0)) == 12.0  # the operations inside tell
    assert value(along(unseen, 3.0, 2.0)) == 60.0  # they do not
    assert value(along(tf.function(seen), 3.0, 2.0)) == 60.0
    assert value(along(tf.grad_pass_through(tf.round), 3.0, 2.0)) == 2.0


def test_misuse():
    x = tf.constant(2.0)
    with pytest.raises(ValueError, match="already recording"), Accumulator(x, tf.constant(1.0)) as acc, acc:
        pass
    with pytest.raises(ValueError, match="multiple times"):
        Accumulator([x, x], [tf.constant(1.0), tf.constant(1.0)])
    with pytest.raises(ValueError, match="must be the same"):
        Accumulator(x, tf.constant([1.0, 2.0]))
    with pytest.raises(ValueError):
        Accumulator(x, tf.constant(1.0, tf.float64))
    with pytest.raises(ValueError), Accumulator(x, tf.constant(1.0)) as acc:
        acc.jvp(x, unconnected_gradients="foo")
    with pytest.raises(LookupError, match="Unique"), Accumulator(x, tf.constant(1.0)):
        tf.unique(x[None])


def test_exceptions_and_threads_leave_nothing_behind():
    x = tf.constant(2.0)
    acc = Accumulator(x, tf.constant(1.0))
    with pytest.raises(KeyError), acc:
        raise KeyError
    assert acc.jvp(x * x) is None
    found = []
    with acc:
        thread = threading.Thread(target=lambda: found.append(x * x))
        thread.start()
        thread.join()
    assert acc.jvp(found[0]) is None


def test_a_tangent_goes_with_its_tensor():
    with execution("immediate"):
        x = tf.constant(3.0)
        with Accumulator(x, tf.constant(1.0)) as acc:
            y = x * x
            held = weakref.ref(acc.jvp(y))
            assert held() is not None
            del y
            gc.collect()
            assert held() is None
