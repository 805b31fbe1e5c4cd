"""The bridge to JAX, in both directions, under JAX's transformations and ours."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tfgrad_jax as tf
from tfgrad_jax.extras import functionalize, jax_op


def ones(*shape):
    return jnp.ones(shape, jnp.float32)


def cube(tree, power=3):
    return {"y": tree["x"] ** power, "n": (jnp.sum(tree["x"]),)}


def test_pytrees_in_and_out():
    found = jax_op(cube)({"x": tf.constant([1.0, 2.0])})
    assert isinstance(found["y"], tf.Tensor) and isinstance(found["n"], tuple)
    np.testing.assert_allclose(found["y"], [1.0, 8.0])
    np.testing.assert_allclose(jax_op(cube)({"x": tf.constant([1.0, 2.0])}, power=2)["y"], [1.0, 4.0])


def test_tapes_to_the_second_order_and_variables():
    op, x = jax_op(cube), tf.Variable([1.0, 2.0])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = op({"x": x})["y"]
        first = inner.gradient(y, x)
    np.testing.assert_allclose(first, [3.0, 12.0])
    np.testing.assert_allclose(outer.gradient(first, x), [6.0, 12.0])


def test_forward_mode_and_jacobian():
    op, x = jax_op(lambda x: jnp.sin(x) * x), tf.constant([0.5, 1.0])
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        y = op(x)
    expected = np.sin([0.5, 1.0]) + np.array([0.5, 1.0]) * np.cos([0.5, 1.0])
    np.testing.assert_allclose(accumulator.jvp(y), expected, rtol=1e-6)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = op(x)
    np.testing.assert_allclose(tape.jacobian(y, x), np.diag(expected), rtol=1e-6)


def test_inside_a_function_and_through_it():
    op = jax_op(lambda x, w: x @ w)

    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def f(x):
        return op(x, tf.constant([[1.0], [2.0]]))

    for n in (1, 3):
        x = tf.ones([n, 2])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        np.testing.assert_allclose(y, np.full((n, 1), 3.0))
        np.testing.assert_allclose(tape.gradient(y, x), np.tile([1.0, 2.0], (n, 1)))
    assert f.experimental_get_tracing_count() == 1


def test_jax_custom_vjp_counts():
    @jax.custom_vjp
    def f(x):
        return x * x

    f.defvjp(lambda x: (x * x, x), lambda x, g: (10.0 * g,))
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = jax_op(f)(x)
    assert tape.gradient(y, x).numpy() == 10.0


class Dense(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable([[1.0], [2.0]], name="w")
        self.calls = tf.Variable(0, name="calls", trainable=False)

    def __call__(self, x):
        self.calls.assign_add(1)
        return tf.maximum(x @ self.w, 3.0)


def test_a_module_as_a_pure_function():
    module = Dense()
    pure = functionalize(module)
    params = pure.init()
    assert set(params) == {"w", "calls"}
    y, new = jax.jit(pure)(params, ones(1, 2))
    np.testing.assert_allclose(y, [[3.0]])
    assert new["calls"] == 1 and module.calls.numpy() == 0
    y, _ = pure({**params, "w": 5 * ones(2, 1)}, ones(1, 2))
    np.testing.assert_allclose(y, [[10.0]])


def test_jax_differentiates_by_tensorflows_conventions():
    pure = functionalize(Dense())
    gradient = jax.grad(lambda p, x: jnp.sum(pure(p, x)[0]), allow_int=True)(pure.init(), ones(1, 2))
    # A tie of `maximum` gives the whole gradient to the first argument; JAX alone would give half of it.
    np.testing.assert_allclose(gradient["w"], [[1.0], [1.0]])


def test_vmap_over_parameters():
    pure = functionalize(Dense())
    params = {**pure.init(), "w": jnp.stack([2 * ones(2, 1), 4 * ones(2, 1)])}
    out = jax.vmap(lambda p, x: pure(p, x)[0], in_axes=({"w": 0, "calls": None}, None))(params, ones(3, 2))
    np.testing.assert_allclose(out[:, 0, 0], [4.0, 8.0])


def test_a_plain_function_finds_its_variables_when_traced():
    v = tf.Variable(2.0, name="v")
    pure = functionalize(lambda x: {"y": x * v})
    params = pure.init(ones())
    outputs, new = pure(params, 3 * ones())
    assert outputs["y"] == 6.0 and new == params
    with pytest.raises(KeyError, match="lack the variable 'v'"):
        pure({}, 3 * ones())
