"""Functions under `jax.jit` that the host computes in a form of its own."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

import tfgrad_jax as tf
from tfgrad_jax.engine.host.template import Template
from tfgrad_jax.ops.random import philox


def test_a_named_function_is_one_call():
    targets = np.array([3, 1, 4, 3], np.int64)
    closed = jax.make_jaxpr(lambda t: philox.swapped(t) * 2)(targets)
    flat = Template(closed).flat({})
    assert flat.cost == 2
    np.testing.assert_array_equal(flat(targets)[0], np.asarray(philox.swapped(jnp.asarray(targets))) * 2)


def test_a_shuffle_is_interpreted(monkeypatch):
    """As a loop of swaps it would be compiled before a dataset gives its first element."""
    monkeypatch.setattr(jax, "jit", None)
    n = 3000
    with tf.extras.execution("immediate", tiers="interpreted"):
        shuffle = tf.function(lambda: tf.random.shuffle(tf.range(n)))
        tf.random.set_seed(1)
        found = shuffle().numpy()
    monkeypatch.undo()
    assert sorted(found) == list(range(n))
    with tf.extras.execution("immediate", tiers="compiled"):
        tf.random.set_seed(1)
        assert (tf.function(lambda: tf.random.shuffle(tf.range(n)))().numpy() == found).all()
