"""`tf.summary`: files of events that TensorBoard shows. Loaded as a whole when the first name is asked for."""

from tfgrad_jax.lib.summary import kinds, messages, reading, recording, tracing, writers  # noqa: F401
