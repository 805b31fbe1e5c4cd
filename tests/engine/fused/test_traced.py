"""Programs of fused mode whose values JAX traces: they run operation by operation, and what was compiled stays."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tfgrad_jax as tf
from tests.engine.fused.fusing import hot


def test_a_compiled_step_is_traced():
    w = tf.Variable(np.ones((8, 8), np.float32))

    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.tanh(tf.sin(x @ w) * 1.1) * 2.0)
        w.assign_sub(0.0 * tape.gradient(loss, w))
        return loss

    def pure(state, x):
        w.assign(tf.convert_to_tensor(state))
        return step(tf.convert_to_tensor(x)).array

    with tf.extras.execution("fused"), hot():
        for _ in range(6):
            expected = float(step(tf.ones([4, 8])))
            tf.extras.wait_compiled()
        before = w.numpy()
        traced = jax.jit(pure)(jnp.asarray(before), jnp.ones((4, 8), jnp.float32))
        w.assign(before)
        np.testing.assert_allclose(traced, expected, rtol=1e-6)
        assert float(step(tf.ones([4, 8]))) == expected


@pytest.mark.parametrize("mode", ["fused", "compiled"])
@pytest.mark.parametrize("wrap", [lambda step: step, tf.function, tf.function(jit_compile=True)])
def test_what_is_compiled_runs_on_values_where_jax_traces_around_it(mode, wrap):
    """It was compiled with options, which JAX refuses within what it traces; its operands are constants there."""
    x = tf.constant(np.linspace(0.0, 1.0, 32, dtype=np.float32).reshape(4, 8))
    step = wrap(lambda: tf.reduce_sum(tf.tanh(tf.sin(x) * 1.1) * tf.ones([8])))
    options = {"tiers": "compiled"} if mode == "compiled" else {}
    with tf.extras.execution("immediate" if options else "fused", **options), hot():
        for _ in range(6):
            expected = float(step())
            tf.extras.wait_compiled()
        for transformed in (jax.jit, jax.vmap, lambda f: lambda y: jax.make_jaxpr(f)(y) and f(y)):
            got = transformed(lambda y: y * jnp.asarray(np.asarray(step())))(jnp.full([1], 2.0, jnp.float32))
            np.testing.assert_allclose(got, [2 * expected], rtol=1e-6)
        assert float(step()) == expected


def test_an_operation_that_has_met_many_types_is_traced():
    with tf.extras.execution("immediate", tiers="compiled"):
        for n in range(1, 13):
            assert tf.multiply(tf.ones([n]), 3.0).numpy().tolist() == [3.0] * n
        for n in (2, 5, 12, 14):
            tripled = jax.jit(lambda y: tf.multiply(tf.convert_to_tensor(y), 3.0).array)
            assert tripled(jnp.ones([n], jnp.float32)).tolist() == [3.0] * n
