"""All of `tf.data`: importing this declares its public names."""

from __future__ import annotations

from tfgrad_jax.lib.data import dataset, iterators, options, structure

__all__ = ["dataset", "iterators", "options", "structure"]
