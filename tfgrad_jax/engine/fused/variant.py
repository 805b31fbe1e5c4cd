"""Compiled forms of a program of fused mode: for values that lie on devices in some way, some of which it may overwrite."""

from __future__ import annotations

from typing import Any

import jax
from jax.core import Tracer


class Variant:
    """A compiled form of a program.

    Attributes:
      layout: how the inputs lie for which it was compiled.
      donated: the slots of the inputs that it overwrites.
      compiled: the function of arrays.
    """

    __slots__ = ("compiled", "donated", "layout")

    compiled: Any

    def __init__(self, layout: tuple[Any, ...], donated: tuple[int, ...]) -> None:
        self.layout = layout
        self.donated = donated


def lying(value: Any) -> tuple[Any, bool]:
    """On which devices a value has been put, and whether it is weakly typed."""
    placed = isinstance(value, jax.Array) and not isinstance(value, Tracer) and value.committed
    sharding = value.sharding if placed else None
    return sharding, getattr(value, "weak_type", False)


def struct(value: Any, sharding: Any, weak_type: bool) -> jax.ShapeDtypeStruct:
    """What a program is compiled for in the place of a value."""
    return jax.ShapeDtypeStruct(value.shape, value.dtype, sharding=sharding, weak_type=weak_type)
