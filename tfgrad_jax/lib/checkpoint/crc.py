"""The checksum of checkpoints: CRC-32C, by the package `crc32c` where that is installed, by NumPy otherwise.

Checkpoints need no package beyond what everything needs, so that `tf.train.Checkpoint` works for whoever installed this package
alone; the NumPy way takes about 150 MB a second, where the package takes nine thousand.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

_POLYNOMIAL = 0x82F63B78  # reversed, as the bits of a byte come lowest first
_LANE = 256
"""Bytes of one lane: lanes advance together, two bytes of each at a time."""

_CHUNK = _LANE << 12
"""So many bytes are taken at a time: what a processor keeps near."""


@cache
def _table() -> np.ndarray:
    """What a byte does to the checksum."""
    return _through_zeros(np.arange(256, dtype=np.uint32), 8)


@cache
def _wide_table() -> np.ndarray:
    """What two bytes do."""
    return _through_zeros(np.arange(1 << 16, dtype=np.uint32), 16)


def _through_zeros(states: np.ndarray, bits: int) -> np.ndarray:
    for _ in range(bits):
        states = (states >> 1) ^ np.where(states & 1, np.uint32(_POLYNOMIAL), np.uint32(0))
    return states


@cache
def _after_a_lane() -> list[list[int]]:
    """What as many zero bytes as a lane has do to each byte of a checksum; the results are to be combined by xor."""
    bytes_of_it = np.arange(256, dtype=np.uint32)[None] << (8 * np.arange(4, dtype=np.uint32))[:, None]
    return _through_zeros(bytes_of_it, 8 * _LANE).tolist()


def _by_numpy(data: Any, value: int = 0) -> int:
    found = np.frombuffer(data, np.uint8)
    crc = value ^ 0xFFFFFFFF
    first, second, third, fourth = _after_a_lane()
    while found.size >= 2 * _LANE:
        lanes = min(found.size, _CHUNK) // _LANE
        chunk, found = found[: lanes * _LANE], found[lanes * _LANE :]
        states = np.zeros(lanes, np.uint32)
        wide = _wide_table()
        for column in np.ascontiguousarray(chunk.reshape(lanes, _LANE).view("<u2").T):
            states = (states >> 16) ^ wide.take((states ^ column).astype(np.uint16))
        for state in states.tolist():
            crc = first[crc & 255] ^ second[crc >> 8 & 255] ^ third[crc >> 16 & 255] ^ fourth[crc >> 24] ^ state
    few = _few()
    for byte in found.tolist():
        crc = (crc >> 8) ^ few[(crc ^ byte) & 255]
    return crc ^ 0xFFFFFFFF


@cache
def _few() -> list[int]:
    return _table().tolist()


@cache
def crc32c() -> Callable[..., int]:
    """The function of bytes, and of the checksum of those before, that gives the checksum."""
    try:
        return importlib.import_module("crc32c").crc32c
    except ImportError:
        return _by_numpy


def masked(crc: int) -> int:
    """A checksum as files have it, so that a checksum of checksums says something."""
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF
