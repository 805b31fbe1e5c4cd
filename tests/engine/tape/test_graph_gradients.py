"""`tf.gradients` and `tf.hessians` inside functions."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf


def inside(body):
    """What `body` returns when it runs as a part of a graph, as nested Python values."""
    return tf.nest.map_structure(lambda t: np.asarray(t).tolist(), tf.function(body)())


@pytest.mark.parametrize("ask", [tf.gradients, tf.hessians])
def test_only_in_functions(ask):
    x = tf.constant(1.0)
    with pytest.raises(RuntimeError, match="not supported when eager execution is enabled"):
        ask(x * x, x)


def test_a_list_for_any_sources():
    def body():
        x, y = tf.constant(2.0), tf.constant([3.0, 4.0])
        z = x * y
        return tf.gradients(z, x), tf.gradients(z, [x, y]), tf.gradients([z, x * x], [x])

    assert inside(body) == ([7.0], [7.0, [2.0, 2.0]], [11.0])


def test_intermediate_results_and_variables():
    v = tf.Variable(3.0)

    def body():
        y = v * v
        return tf.gradients(y * y, [y, v])

    assert inside(body) == [18.0, 108.0]


@pytest.mark.parametrize("trainable", [True, False])
def test_what_comes_from_outside(trainable):
    c, v = tf.constant(2.0), tf.Variable(3.0, trainable=trainable)
    fn = tf.function(lambda x: tf.gradients(x * c * v, [x, c, v]))
    assert [float(g) for g in fn(tf.constant(5.0))] == [6.0, 15.0, 10.0]


def test_seeds():
    def body():
        x = tf.constant([1.0, 2.0])
        y, z = x * x, x * 3.0
        return tf.gradients(y, x, grad_ys=tf.constant([1.0, 10.0])), tf.gradients([y, z], x, grad_ys=[x, x * 0.0])

    assert inside(body) == ([[2.0, 40.0]], [[2.0, 8.0]])


def test_what_is_not_connected():
    seen = []

    def body():
        x, u = tf.constant([1.0, 2.0]), tf.constant([[3.0]])
        seen.append(tf.gradients(x * x, u))
        return tf.gradients(x * x, [x, u], unconnected_gradients="zero")

    assert inside(body) == [[2.0, 4.0], [[0.0]]]
    assert seen[0] == [None]


def test_stopping():
    def body():
        x = tf.constant(2.0)
        y = x * 3.0
        z = x * y
        return tf.gradients(z, [x, y], stop_gradients=[y]), tf.gradients(z, x)

    assert inside(body) == ([6.0, 2.0], [12.0])


def test_partial_derivatives():
    def body():
        a = tf.constant(0.0)
        b = 2.0 * a
        both = tf.stack([a, b])
        first, second = tf.unstack(both * 5.0)
        of_parts = tf.gradients(first * 10.0 + second, [first, a], stop_gradients=[first])
        assert of_parts.pop() is None  # `second` comes from the operation that `first` comes from
        return tf.gradients(a + b, [a, b], stop_gradients=[a, b]), of_parts, tf.gradients(a + b, [a, b])

    assert inside(body) == ([1.0, 1.0], [10.0], [3.0, 1.0])


def test_higher_orders():
    def body():
        x = tf.constant(2.0)
        (first,) = tf.gradients(x**4, x)
        (second,) = tf.gradients(first, x)
        return first, second, tf.gradients(second, x)[0]

    np.testing.assert_allclose(inside(body), [32.0, 48.0, 48.0], rtol=1e-6)


def test_through_gradients_that_programs_write():
    @tf.custom_gradient
    def triple(x):
        return x * 1.0, lambda dy: dy * 3.0

    def body():
        x = tf.constant(2.0)
        return tf.gradients(triple(x * 2.0) * 5.0, x)

    assert inside(body) == [30.0]


def test_hessians():
    def body():
        x = tf.constant([1.0, 2.0])
        y = tf.constant(3.0)
        return tf.hessians(tf.reduce_prod(x) * x[0] * y * y, [x, y]), tf.hessians(tf.reduce_sum(x**3), x)

    of_both, of_one = inside(body)
    assert of_both == [[[36.0, 18.0], [18.0, 0.0]], 4.0] and of_one == [[[6.0, 0.0], [0.0, 12.0]]]
