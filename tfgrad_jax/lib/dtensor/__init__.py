"""`tf.experimental.dtensor` on JAX's meshes and shardings (docs/distribution.md). Loaded as a whole when first asked for."""

from tfgrad_jax.lib.dtensor import clients, input, saving, tensors  # noqa: F401
