"""Memory of images as programs for images of many sizes take it: pixels line after line, with room behind them.

Images that are decoded for such a program alone have a word a pixel, of which it reads three bytes at once.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

_ALIGNED = 64
"""XLA reads memory where it is that begins at a multiple of so many bytes, and a copy of any other."""

_WORD = np.dtype(np.uint32)


class _Words(threading.local):
    """Whether images of three bytes a pixel are to have a fourth, in this thread."""

    wanted = False


words = _Words()


def with_words(run: Callable[..., Any]) -> Callable[..., Any]:
    """`run`, which makes images: of three bytes a pixel, views of such as have a fourth, if what makes them can do so."""

    def wide(*arrays: Any) -> Any:
        words.wanted = True
        try:
            return run(*arrays)
        finally:
            words.wanted = False

    return wide


def room_of_words(count: int) -> np.ndarray:
    """Memory for an image of so many pixels: four bytes each, nothing of which has a value yet."""
    return _room(_words_in_room(count), 4, np.dtype(np.uint8))


def within_room(image: np.ndarray) -> np.ndarray:
    """The pixels of an image, line after line, and room behind them; where they have a word each, these, and no copy of them."""
    channels = image.shape[-1]
    count = image.size // channels
    found = words_of(image)
    if found is None:
        found = _room(1 << (count - 1).bit_length(), channels, image.dtype)
        found[:count] = image.reshape(count, channels)
    return found


def words_of(image: np.ndarray) -> np.ndarray | None:
    """The memory of an image as words, if it has one a pixel and room enough."""
    *_, width, channels = image.shape
    if channels != 3 or image.dtype != np.uint8 or image.strides[-3:] != (4 * width, 4, 1):
        return None
    memory = image
    while type(memory.base) is np.ndarray:
        memory = memory.base
    first = _address(image) - _address(memory)
    last = first + _WORD.itemsize * _words_in_room(image.size // channels)
    if memory.dtype != np.uint8 or memory.ndim != 1 or last > memory.size or _address(image) % _ALIGNED:
        return None
    return memory[first:last].view(_WORD)


def _words_in_room(count: int) -> int:
    """Nobody writes or reads what is behind them: a power of four, so that fewer programs serve more sizes."""
    return 1 << max(16, -(-(count - 1).bit_length() // 2) * 2)


def _room(pixels: int, channels: int, dtype: np.dtype) -> np.ndarray:
    size = pixels * channels * dtype.itemsize
    memory = np.empty(size + _ALIGNED, np.uint8)
    first = -_address(memory) % _ALIGNED
    return memory[first : first + size].view(dtype).reshape(pixels, channels)


def _address(array: np.ndarray) -> int:
    return int(array.__array_interface__["data"][0])
