"""`tf.feature_column`: importing this declares its public names."""

from __future__ import annotations

from tfgrad_jax.lib.feature_column import categorical, combined, dense, layer, sequences, serialization, shared

__all__ = ["categorical", "combined", "dense", "layer", "sequences", "serialization", "shared"]
