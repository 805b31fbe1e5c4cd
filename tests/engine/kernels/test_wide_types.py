"""JAX's 64-bit types, without which every int64 and float64 would be cut."""

from __future__ import annotations

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


def test_nothing_is_cut_where_they_are_turned_off(run_python):
    done = run_python("-c", PROGRAM)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:3] == ["True", "True", "<dtype: 'float32'>"]
