"""A stream of random words for what draws numbers one by one, on the host."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.ops.random import philox


class Words:
    """A stream of random words, with what is drawn from them.

    Args:
      key: the state that it begins with.
      count: how many words may be taken.
    """

    def __init__(self, key: Any, count: int) -> None:
        self._words = iter(philox.bits32(key, (count,)).tolist())

    def word(self) -> int:
        """32 bits."""
        return next(self._words)

    def fraction(self) -> np.float32:
        """Uniform in [0, 1)."""
        return np.float32((next(self._words) & 0x7FFFFF) * 2.0**-23)

    def double(self) -> float:
        """Uniform in [0, 1), by two words."""
        high, low = next(self._words), next(self._words)
        return ((high & 0xFFFFF) << 32 | low) * 2.0**-52

    def below(self, limit: int) -> int:
        """Uniform in [0, limit)."""
        if not limit & (limit - 1):
            return next(self._words) & (limit - 1)
        least = 0xFFFFFFFF % limit + 1
        return next(word for word in self._words if word >= least) % limit
