"""Places in a random order of very many things, each of which is found without the others."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Int, Operand
from tfgrad_jax.engine.messages.errors import invalid_argument, unimplemented
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.checks import Finding
from tfgrad_jax.engine.run.execute import misfit
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.ops.array.array import concat
from tfgrad_jax.ops.checks import first_wrong

_Places: Any = Operand(frozenset((dtypes.int32, dtypes.uint32, dtypes.int64, dtypes.uint64)), differentiable=False)
_Seeds: Any = Operand(
    frozenset((dtypes.int32, dtypes.uint32, dtypes.int64, dtypes.uint64)), shared=False, differentiable=False
)
_SEQUENCE = (1, 0, 1, 0, 1, 1, 1, 1, 0)
"""Bits that the keys of rounds are mixed with, from the fourth round on: those of the cipher Simon, as far as they are compared."""

_ROUNDS = 4

_FEW = 1 << 10
"""Of so few indices among numbers of 16 bits, the next one is many rounds away."""

_FIRST = 0x1DB2A80C
"""Stands before the two integers of a public seed."""


def _keys(seed: Any, rounds: int, width: Any, turn: Any) -> list[Any]:
    mask = (np.uint64(1) << width) - np.uint64(1)
    keys = [seed[i].astype(np.uint64) & mask for i in range(3)]
    for i in range(3, rounds):
        mixed = turn(keys[i - 1], width - np.uint64(3))
        mixed = mixed ^ turn(mixed, width - np.uint64(1))
        keys.append(keys[i - 3] ^ mixed ^ (np.uint64(0xFFFFFFFC) & mask) ^ np.uint64(_SEQUENCE[i - 3]))
    return keys


@op("RandomIndexShuffle", differentiable=False)
def _shuffled(index: _Places, seed: _Seeds, max_index: _Places, rounds: Int = _ROUNDS):
    """By a block cipher of as many bits as the largest index has, applied until what comes out is an index."""
    largest = max_index.astype(np.uint64)
    powers = np.uint64(1) << np.arange(63, dtype=np.uint64)
    bits = jnp.sum(powers < largest).astype(np.uint64)  # of the largest index but one
    width = jnp.maximum(bits + bits % np.uint64(2), np.uint64(16)) >> np.uint64(1)
    mask = (np.uint64(1) << width) - np.uint64(1)

    def turn(word: Any, by: Any) -> Any:
        return ((word << by) | (word >> (width - by))) & mask

    keys = _keys(seed, rounds, width, turn)

    def encrypted(value: Any) -> Any:
        left, right = value & mask, value >> width
        for key in keys[:rounds]:
            mixed = (turn(left, np.uint64(1)) & turn(left, np.uint64(8))) ^ turn(left, np.uint64(2))
            left, right = right ^ mixed ^ key, left
        return (right << width) | left

    def walked(start: Any) -> Any:
        return lax.while_loop(
            lambda value: jnp.any(value > largest),
            lambda value: jnp.where(value > largest, encrypted(value), value),
            start,
        )

    def looked_up(start: Any) -> Any:
        """The same for numbers of 16 bits, of which few are indices: steps to go from each of them, again and again doubled."""
        every = jnp.arange(1 << 16, dtype=np.uint64)
        after = jnp.where(every > largest, encrypted(every), every)
        for _ in range(16):
            after = after[after]
        return after[start]

    # From an index one comes back to an index after some rounds. From another number one may not: the check says what it is.
    start = encrypted(jnp.minimum(index.astype(np.uint64), largest))
    found = lax.cond(largest < _FEW, looked_up, walked, start)
    return found.astype(index.dtype)


@_shuffled.check
def _(index, max_index) -> Finding | None:
    def error(place: tuple[int, ...], value: list[int]) -> Exception:
        return invalid_argument(f"index must lie in [0, max_index], got {value[0]}", "RandomIndexShuffle")

    return first_wrong((index < 0) | (index > max_index), index, error)


@export("random_index_shuffle")
def random_index_shuffle(
    index: Any, seed: Any, max_index: Any, rounds: int = _ROUNDS, name: str | None = None
) -> Tensor:
    """`tf.random.experimental.index_shuffle` by a seed of three integers. Mirrors `tf.random_index_shuffle`.

    Args:
      index: integers, a scalar or a vector.
      seed: three integers.
      max_index: the largest index, a scalar.
      rounds: how often bits are mixed; from 4 to 12.
      name: accepted for compatibility.

    Raises:
      InvalidArgumentError: if an index is not in [0, max_index], or shapes do not fit.
      UnimplementedError: for more than 12 rounds.
    """
    raw = "RandomIndexShuffle"
    index = convert(index)
    seed, max_index = convert(seed), convert(max_index, index.dtype)
    if index.shape.rank not in (0, 1, None):
        raise misfit(f"Index must be a scalar or vector, got the shape {index.shape}", raw)
    if seed.shape.as_list() != [3]:
        raise misfit(f"Seed must be a vector of size [3], got the shape {seed.shape}", raw)
    if max_index.shape.rank != 0:
        raise misfit(f"max_index must be a scalar, got the shape {max_index.shape}", raw)
    if not _ROUNDS <= rounds:
        raise invalid_argument(f"rounds: at least {_ROUNDS}, got {rounds}", raw)
    if rounds > 3 + len(_SEQUENCE):
        raise unimplemented(f"tf.raw_ops.{raw}: rounds: at most {3 + len(_SEQUENCE)} are supported, got {rounds}")
    return _shuffled(index, seed, max_index, int(rounds))


@export("random.experimental.index_shuffle")
def index_shuffle(index: Any, seed: Any, max_index: Any) -> Tensor:
    """Where `index` lies in a random order of the integers up to `max_index`. Mirrors `tf.random.experimental.index_shuffle`.

    Args:
      index: int32, uint32, int64 or uint64, a scalar or a vector.
      seed: two integers, which decide the order.
      max_index: the largest index, which is in the order, too.

    Returns:
      A tensor as `index`; different indices have different results.

    Raises:
      InvalidArgumentError: if an index is not in [0, max_index], or shapes do not fit.
    """
    seed = convert(seed)
    first = convert([_FIRST], seed.dtype)
    return random_index_shuffle(index, concat([first, seed], 0) if seed.shape.rank == 1 else seed, max_index)
