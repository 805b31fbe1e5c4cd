"""`tf.linalg.LinearOperator`s: matrices known by what they do. Loaded as a whole when the first name is asked for."""

from tfgrad_jax.lib.linear_operators import (  # noqa: F401
    algebra,
    blocks,
    circulant,
    conjugate_gradient,
    diagonal,
    full,
    low_rank,
    products,
    public,
    structured,
)
