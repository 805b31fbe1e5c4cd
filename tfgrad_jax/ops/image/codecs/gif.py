"""GIF: Pillow unpacks each frame, and they are laid over each other here, as TensorFlow does it.

What a file says of the disposal of a frame counts for nothing: each is drawn over the one before.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.messages.optional import optional

_EXTENSION, _FRAME, _END = 0x21, 0x2C, 0x3B
_CONTROL = 0xF9


class _Frame(NamedTuple):
    """A frame as it stands in the file."""

    left: int
    top: int
    width: int
    height: int
    palette: bytes
    transparent: int
    interlaced: int
    body: bytes


class _Broken(ValueError):
    """The bytes are no whole GIF image."""


def _palette_size(flags: int) -> int:
    return 3 << (flags & 7) + 1 if flags & 128 else 0


def _blocks_end(data: bytes, at: int) -> int:
    """The place after a chain of blocks."""
    while data[at]:
        at += data[at] + 1
    return at + 1


def _frames(data: bytes) -> Iterator[_Frame]:
    at = 13 + _palette_size(data[10])
    shared = data[13:at]
    transparent = -1
    while at < len(data) and data[at] != _END:  # the end mark may be missing
        if data[at] == _EXTENSION:
            if data[at + 1] == _CONTROL:
                transparent = data[at + 6] if data[at + 3] & 1 else -1
            at = _blocks_end(data, at + 2)
        elif data[at] == _FRAME:
            left, top, width, height, flags = struct.unpack_from("<HHHHB", data, at + 1)
            begin = at + 10 + _palette_size(flags)
            at = _blocks_end(data, begin + 1)
            palette = data[begin - _palette_size(flags) : begin] or shared
            yield _Frame(left, top, width, height, palette, transparent, flags & 64, data[begin:at])
            transparent = -1
        else:
            raise _Broken(f"there is no block {data[at]}")


def _indices(frame: _Frame, op: str) -> np.ndarray:
    """The places in its palette of the pixels of a frame, which is made a file of its own."""
    pillow = optional("PIL.Image", "images", f"the operation {op}")
    grey = bytes(np.repeat(np.arange(256, dtype=np.uint8), 3))
    head = b"GIF89a" + struct.pack("<HHBBB", frame.width, frame.height, 0xF7, 0, 0) + grey
    place = struct.pack("<BHHHHB", _FRAME, 0, 0, frame.width, frame.height, frame.interlaced)
    return np.array(pillow.open(io.BytesIO(head + place + frame.body + bytes([_END]))))


def decode_gif(data: bytes, channels: int, op: str) -> np.ndarray:
    """The pixels of all frames, in colours.

    Args:
      data: the file.
      channels: 0 or 3.
      op: the operation that errors name.

    Raises:
      InvalidArgumentError: if the file is broken or an argument is wrong.
    """
    if channels not in (0, 3):
        raise invalid_argument(f"channels must be 0 or 3 for GIF, but got {channels}", op)
    frames: list[tuple[_Frame, np.ndarray]] = []
    try:
        for frame in _frames(data):
            frames.append((frame, _indices(frame, op)))
    except (OSError, SyntaxError, ValueError, EOFError, IndexError, struct.error) as error:
        if not frames:  # of a file that is cut off, the frames before count
            raise invalid_argument(f"Invalid GIF data (size {len(data)}), {error}", op) from None
    if not frames:
        raise invalid_argument(f"Invalid GIF data (size {len(data)}), it has no frame", op)
    canvas = np.zeros((max(f.height for f, _ in frames), max(f.width for f, _ in frames), 3), np.uint8)
    try:
        return np.stack([_drawn(canvas, frame, indices) for frame, indices in frames])
    except _Broken as error:
        raise invalid_argument(f"Invalid GIF data (size {len(data)}), {error}", op) from None


def _drawn(canvas: np.ndarray, frame: _Frame, indices: np.ndarray) -> np.ndarray:
    """Draw a frame; returns what is seen then."""
    if not frame.palette:
        raise _Broken("missing color map for a frame")
    part = canvas[frame.top : frame.top + frame.height, frame.left : frame.left + frame.width]
    indices = indices[: part.shape[0], : part.shape[1]]
    seen = indices != frame.transparent
    colours = np.frombuffer(frame.palette, np.uint8).reshape(-1, 3)
    if (indices[seen] >= len(colours)).any():
        raise _Broken(f"a pixel has a colour outside of the {len(colours)} that there are")
    part[seen] = colours[indices[seen]]
    return canvas.copy()
