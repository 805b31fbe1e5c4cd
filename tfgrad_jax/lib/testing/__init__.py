"""`tf.test`: test cases whose assertions know tensors, numerical gradients, benchmarks. Loaded with the first name."""

from tfgrad_jax.lib.testing import benchmark, case, gradients, platform  # noqa: F401
