"""Calls of functions under a tape keep what their gradient needs: the answers are those of eager code, to any order."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tfgrad_jax as tf
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.kernels.residuals import with_residuals

# -- kernels -----------------------------------------------------------------------------------------------------------


def test_results_come_first_and_residuals_after_them():
    kernel = Kernel("Test", lambda a, b: (jnp.sin(a) * b, a + b))
    kept = with_residuals(kernel, 2, (0, 1))
    a, b = jnp.float32(0.5), jnp.float32(2.0)
    out = kept.fn(a, b)
    assert len(out) > 2 and kept.rule_outputs == 0b11
    for one, other in zip(out[:2], kernel.fn(a, b), strict=True):
        assert float(one) == float(other)
    cotangents = [jnp.float32(3.0), jnp.float32(5.0), *map(jnp.zeros_like, out[2:])]
    found = kept.rule(cotangents, (a, b), out)
    np.testing.assert_allclose(found, [3 * np.cos(0.5) * 2 + 5, 3 * np.sin(0.5) + 5], rtol=1e-6)


def test_inputs_are_not_returned_as_residuals():
    kept = with_residuals(Kernel("Test", lambda a, b: (a * b,)), 1, (0, 1))
    a, b = jnp.float32(3.0), jnp.float32(2.0)
    out = kept.fn(a, b)
    assert not any(o is a or o is b for o in out)
    assert [float(c) for c in kept.rule([jnp.float32(1.0)], (a, b), out)] == [2.0, 3.0]


def test_only_what_is_asked_for():
    kept = with_residuals(Kernel("Test", lambda a, b: (a * b,)), 1, (1,))
    inputs = jnp.float32(3.0), jnp.float32(2.0)
    found = kept.rule([jnp.float32(1.0)], inputs, kept.fn(*inputs))
    assert found[0] is None and float(found[1]) == 3.0


def test_integer_results_have_no_cotangent():
    kept = with_residuals(Kernel("Test", lambda a: (a * a, jnp.argmax(a))), 2, (0,))
    a = jnp.float32([1.0, 2.0])
    out = kept.fn(a)
    (found,) = kept.rule([jnp.ones(2, jnp.float32), jnp.zeros((), out[1].dtype)], (a,), out)
    assert found.tolist() == [2.0, 4.0]


def test_complex_cotangents_follow_tensorflows_convention():
    kept = with_residuals(Kernel("Test", lambda z: (z * z,)), 1, (0,))
    z = jnp.complex64(1 + 2j)
    (found,) = kept.rule([jnp.complex64(1)], (z,), kept.fn(z))
    assert complex(found) == 2 - 4j


def test_gradients_are_not_computed_forward_again():
    kernel = Kernel("Test", lambda a: (jnp.sin(jnp.cos(a)),))
    kept = with_residuals(kernel, 1, (0,))
    a = jnp.float32(0.5)
    out = kept.fn(a)
    text = str(jax.make_jaxpr(lambda ct, a, *out: kept.rule([ct], (a,), out)[0])(jnp.float32(1), a, *out))
    assert " sin" not in text and " cos" not in text


# -- functions ---------------------------------------------------------------------------------------------------------


def tanh_sum(x, v):
    return tf.reduce_sum(tf.tanh(x * v) * v)


def assigned(x, v):
    v.assign(v * 2.0)
    return tf.reduce_sum(x * v * v)


def assigned_between(x, v):
    y = tf.reduce_sum(x * v**3)
    v.assign_add([1.0, -1.0])
    return y * tf.reduce_sum(v * v)


def branches(x, v):
    if tf.reduce_sum(x) > 0.0:
        return tf.reduce_sum(tf.exp(v) * x)
    return tf.reduce_sum(v * x)


def nested(x, v):
    return tf.function(tanh_sum)(x * x, v) * tf.function(tanh_sum)(x, v)


def lookup(x, v):
    return tf.reduce_sum(tf.gather(v, [1, 0, 1]) ** 3) * tf.reduce_sum(x)


BODIES = [tanh_sum, assigned, assigned_between, branches, nested, lookup]


KEPT: list[tf.Variable] = []  # in TensorFlow, a traced function does not outlive the variables that it used


def derivatives(fn, start):
    """Value, gradients, the gradients of a sum of those, and what is left in the variable."""
    x, v = tf.constant([0.3, 0.7]), tf.Variable(start)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = fn(x, v)
        first = [tf.convert_to_tensor(g) for g in inner.gradient(y, [x, v])]
        total = tf.add_n([tf.reduce_sum(g * [1.0, 3.0]) for g in first])
    second = outer.gradient(total, [x, v], unconnected_gradients="zero")
    KEPT.append(v)
    return [np.asarray(tf.convert_to_tensor(t)) for t in (y, *first, *second, v)]


@pytest.mark.parametrize("body", BODIES)
def test_the_gradients_of_a_function_are_the_eager_ones(body):
    start = [1.5, -0.5]
    eager, fn = derivatives(body, start), tf.function(body)
    for _ in range(2):  # traced, and then called
        for one, other in zip(derivatives(fn, start), eager, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("body", BODIES)
def test_gradients_asked_inside_are_the_same(body):
    start = [1.5, -0.5]

    def ask(x, v):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = body(x, v)
        return [tf.convert_to_tensor(g) for g in tape.gradient(y, [x, v])]

    x = tf.constant([0.3, 0.7])
    eager = ask(x, tf.Variable(start))
    for one, other in zip(tf.function(ask)(x, tf.Variable(start)), eager, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def test_a_persistent_tape_may_be_asked_again():
    v = tf.Variable([1.0, 2.0])
    fn = tf.function(lambda: (tf.reduce_sum(v * v), tf.reduce_sum(v)))
    with tf.GradientTape(persistent=True) as tape:
        squares, total = fn()
    for _ in range(2):
        assert tape.gradient(squares, v).numpy().tolist() == [2.0, 4.0]
        assert tape.gradient(total, v).numpy().tolist() == [1.0, 1.0]
        assert tape.gradient([squares, total], v).numpy().tolist() == [3.0, 5.0]
