"""Memory for what is read: so that restoring values over others costs no more than the values need.

What replaces a value is read before the old one is let go, and the C library's heap keeps what is let go: its own part for each
thread, where others cannot use it. So while the process grows, the heap is asked to hand memory back.
"""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Callable
from functools import cache

import numpy as np

_OFTEN = 1 << 24
"""After so many bytes it is asked how large the process is."""

_GROWTH = 1 << 25
"""By so many bytes it may grow."""


def aligned(size: int) -> np.ndarray:
    """Bytes that a device on this machine can use as they are, without a copy."""
    found = np.empty(size + 64, np.uint8)
    start = -found.ctypes.data % 64
    return found[start : start + size]


@cache
def _trim() -> Callable[[int], int] | None:
    try:
        return ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError, TypeError):  # another C library
        return None


def _resident() -> int:
    """How much memory the process has; 0 where the system does not say."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * mmap.PAGESIZE
    except (OSError, IndexError, ValueError):
        return 0


class Heap:
    """Hands memory back to the system while values are replaced.

    Args:
      size: how many bytes will be.
    """

    def __init__(self, size: int) -> None:
        trim = _trim()
        if size >= _GROWTH and trim is not None:
            trim(0)
        self._before = _resident()
        self._replaced = 0

    def replaced(self, size: int) -> None:
        """So many bytes are not needed any more."""
        self._replaced += size
        trim = _trim()
        if self._replaced >= _OFTEN and trim is not None:
            self._replaced = 0
            if _resident() > self._before + _GROWTH:
                trim(0)
