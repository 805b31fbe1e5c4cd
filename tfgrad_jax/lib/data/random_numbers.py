"""Random numbers of datasets: TensorFlow's, for the same seeds."""

from __future__ import annotations

import operator
import secrets
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np

from tfgrad_jax.engine.state.random_state import get_seed
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.ops.math.elementary import log
from tfgrad_jax.ops.random.philox import blocks, skip

_BLOCKS = 256
_MAX_INT32 = 2**31 - 1


def uint32s(pair: tuple[int, int]) -> Iterator[int]:
    """The generator of two seeds: a Philox4x32-10 stream, key and upper half of the counter."""
    mask = 0xFFFFFFFFFFFFFFFF
    words = np.array([0, pair[1] & mask, pair[0] & mask], np.uint64)
    while True:
        yield from blocks(words, _BLOCKS).reshape(-1).tolist()
        words = skip(words, _BLOCKS)


def seeds_for(seed: Any) -> tuple[int, int]:
    """The two seeds of a dataset whose own seed is `seed`.

    Raises:
      TypeError: if that is no integer.
    """
    first, second = get_seed(None if seed is None else operator.index(seed))
    if first is None or second is None:
        return 0, 0
    return first, second


class SeedSource:
    """The seeds of a dataset, and the stream of those of its further iterations.

    Args:
      pair: two seeds; (0, 0) for random ones.

    Attributes:
      given: these seeds.
    """

    def __init__(self, pair: tuple[int, int]) -> None:
        self.given = pair
        self.continue_from((*(pair if pair != (0, 0) else (secrets.randbits(64), secrets.randbits(64))), 0))

    @property
    def state(self) -> tuple[int, int, int]:
        """The seeds, and how many pairs were drawn."""
        return *self.pair, self._drawn

    def continue_from(self, state: tuple[int, int, int]) -> None:
        """Be as a source was that had this state."""
        *pair, self._drawn = state
        self.pair = (pair[0], pair[1])
        self._stream = islice(uint32s(self.pair), 2 * self._drawn, None)

    def draw(self) -> tuple[int, int]:
        """A pair of seeds that no iteration had yet."""
        self._drawn += 1
        return next(self._stream), next(self._stream)


def logarithms(*weights: Any) -> Any:
    """Those of an element of a dataset of weights."""
    if len(weights) > 1 or not isinstance(weights[0], Tensor) or weights[0].shape.rank not in (1, None):
        raise ValueError(
            f"sample_from_datasets: Shape must be rank 1: an element of `weights` must be a vector, got {weights}"
        )
    return log(weights[0])
