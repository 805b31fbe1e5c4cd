"""JAX's 64-bit types, without which every int64 and float64 would be cut."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest

import tfgrad_jax as tf

PROGRAM = """
import jax, tfgrad_jax as tf
x = tf.constant(1.5, tf.float64)
jax.config.update("jax_enable_x64", False)
for compute in (lambda: tf.cast(x, tf.float32), lambda: tf.function(tf.sin)(x)):
    try:
        print(compute().dtype)
    except tf.errors.FailedPreconditionError as error:
        print("jax_enable_x64" in str(error))
jax.config.update("jax_enable_x64", True)
print(tf.cast(x, tf.float32).dtype)
"""


def test_nothing_is_cut_where_they_are_turned_off(run_imported):
    done = run_imported("-c", PROGRAM)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:3] == ["True", "True", "<dtype: 'float32'>"]


@pytest.mark.usefixtures("by_measured_cost")  # JAX leaves its own arrays as wide as they are
def test_what_was_noted_before_they_were_off_is_computed_within():
    wide = tf.constant([1.5, 2.0], tf.float64) * 3.0
    seed = tf.cast(tf.Variable(tf.constant([1, 2], tf.uint32)) + 1, tf.int32)
    drawn = tf.random.stateless_uniform([2], seed)
    with jax.enable_x64(False):
        narrow, values, draws = jnp.array(wide), wide.numpy(), drawn.numpy()
    assert narrow.dtype == "float32"
    assert values.dtype == "float64"
    assert values.tolist() == [4.5, 6.0]
    assert draws.tolist() == tf.random.stateless_uniform([2], [2, 3]).numpy().tolist()
