"""`jax.experimental.jax2tf` in programs written for TensorFlow."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tfgrad_jax as tf
from tfgrad_jax.extras import jax2tf

X = np.array([[1.0, 2.0, -1.0], [0.5, 0.0, 3.0]], np.float32)


def test_it_is_what_the_program_imports():
    tf.install()
    from jax.experimental import jax2tf as imported

    assert imported is jax2tf


def dense(params, x):
    return {"y": jnp.tanh(x @ params["w"]) + params["b"]}


def test_a_function_of_jax_learns():
    params = {"w": tf.Variable(np.full((3, 2), 0.1, np.float32)), "b": tf.Variable(np.zeros(2, np.float32))}
    converted = jax2tf.convert(dense, polymorphic_shapes=[None, "(b, 3)"])

    @tf.function(input_signature=[tf.TensorSpec([None, 3])])
    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(converted(params, x)["y"])
        return tape.gradient(loss, params)

    expected = jax.grad(lambda p: dense(p, X)["y"].sum())({k: v.numpy() for k, v in params.items()})
    for found in (step(X), step(X)):
        np.testing.assert_allclose(found["w"], expected["w"], rtol=1e-5)
        np.testing.assert_allclose(found["b"], expected["b"])
    assert step.get_concrete_function().structured_outputs["w"].shape == [3, 2]
    assert tf.function(lambda x: converted(params, x)["y"]).get_concrete_function(
        tf.TensorSpec([None, 3])
    ).output_shapes == [
        None,
        2,
    ]


def test_no_gradient_where_none_was_wanted():
    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = jax2tf.convert(jnp.sin, with_gradient=False)(x)
    np.testing.assert_allclose(y, np.sin(X), rtol=1e-6)
    with pytest.raises(LookupError, match="with_gradient=False"):
        tape.gradient(y, x)


def test_a_function_of_tensorflow_in_one_of_jax():
    v = tf.Variable(2.0)
    called = jax2tf.call_tf(lambda x: tf.sin(x) * v)
    x = X[0]
    for form in (called, jax.jit(called)):
        np.testing.assert_allclose(form(x), np.sin(x) * 2, rtol=1e-6)
    np.testing.assert_allclose(jax.grad(lambda x: called(x).sum())(x), np.cos(x) * 2, rtol=1e-6)
    v.assign(3.0)
    np.testing.assert_allclose(called(x), np.sin(x) * 3, rtol=1e-6)
    with pytest.raises(ValueError, match="assigns the variables"):
        jax2tf.call_tf(lambda x: v.assign_add(x))(jnp.float32(1))
