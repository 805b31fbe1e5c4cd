"""Rules for the nodes of graphs that TensorFlow wrote: importing this package loads them all."""

from tfgrad_jax.lib.saved_model.nodes import (
    arrays,
    control,
    counting,
    images,
    linear,
    lists,
    math,
    neural,
    programs,
    raggeds,
    randoms,
    state,
    tables,
    texts,
    training,
)
from tfgrad_jax.lib.saved_model.nodes.registry import rules

__all__ = [
    "arrays",
    "control",
    "counting",
    "images",
    "linear",
    "lists",
    "math",
    "neural",
    "programs",
    "raggeds",
    "randoms",
    "rules",
    "state",
    "tables",
    "texts",
    "training",
]
