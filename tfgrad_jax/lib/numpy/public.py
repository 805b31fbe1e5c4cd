"""All of `tf.experimental.numpy`, loaded with the first of its names."""

from __future__ import annotations

from tfgrad_jax.engine.names.export import export_value
from tfgrad_jax.lib.numpy import arrays, behavior, choosing, elementwise, joining, random, reductions, shapes, types
from tfgrad_jax.lib.numpy.types import PREFIX

__all__ = ["arrays", "behavior", "choosing", "elementwise", "joining", "random", "reductions", "shapes", "types"]

export_value(None, PREFIX + "newaxis")
