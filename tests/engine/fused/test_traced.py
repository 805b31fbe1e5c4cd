"""Programs of fused mode whose values JAX traces: they run operation by operation, and what was compiled stays."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

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
