"""`tf.lookup`: tables from keys to values. Loaded as a whole when the first name is asked for."""

from tfgrad_jax.lib.lookup import initializers, mutable, tables  # noqa: F401
