"""`tf.sparse`: operations on `tf.SparseTensor`. Loaded as a whole when the first name is asked for."""

from tfgrad_jax.composite.sparse import arithmetic, crosses, dense, mapping, segments, shaping, structure  # noqa: F401
