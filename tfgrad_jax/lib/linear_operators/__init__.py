"""`tf.linalg.LinearOperator`s: matrices known by what they do. Loaded as a whole when the first name is asked for."""

from tfgrad_jax.lib.linear_operators import algebra, blocks, diagonal, full, low_rank, products, structured  # noqa: F401
