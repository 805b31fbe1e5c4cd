"""Sounds. Loaded when the first name is asked for."""

from tfgrad_jax.ops.audio import wav  # noqa: F401
