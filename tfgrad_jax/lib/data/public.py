"""All of `tf.data`: importing this declares its public names."""

from __future__ import annotations

from tfgrad_jax.lib.data import (
    builtin_functions,
    dataset,
    experimental,
    iterators,
    keyed,
    options,
    parsed,
    readers,
    structure,
)

__all__ = [
    "builtin_functions",
    "dataset",
    "experimental",
    "iterators",
    "keyed",
    "options",
    "parsed",
    "readers",
    "structure",
]
