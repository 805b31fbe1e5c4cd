"""`tf.RaggedTensor` and `tf.ragged`: tensors whose rows differ in length. Loaded as a whole when the first name is asked for."""

from tfgrad_jax.composite.ragged import constants, elementwise, methods, strings, strings_v1, tensor  # noqa: F401
