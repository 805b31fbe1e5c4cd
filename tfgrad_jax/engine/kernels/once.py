"""Values of a kernel that a compiled program computes once, and keeps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from tfgrad_jax.engine.threads.accelerator import on_accelerator


def computed_once(make: Callable[..., Any], *operands: Any) -> Any:
    """The array that `make` gives for operands, in memory before anything reads it.

    On a CPU, XLA makes the loop that computes an array a part of each loop that reads it, however often its elements are read: what
    is spread over many others, or seen through windows, is computed again for each. (It drops `lax.optimization_barrier` before.)
    The result of a loop of two turns, of which the first does all, is kept.

    Args:
      make: takes the operands and gives one array; worth a loop of its own, which takes a few microseconds.
      operands: what it reads.
    """
    if on_accelerator():
        return make(*operands)
    like = jax.eval_shape(make, *operands)

    def turn(i: Any, kept: Any) -> Any:
        return lax.cond(i == 0, lambda: make(*operands), lambda: kept)

    return lax.fori_loop(0, 2, turn, jnp.zeros(like.shape, like.dtype))
