"""Bytes as pixels, whatever the format: each operation reads what it knows by its first bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.ops.image.codecs.bmp import decode_bmp
from tfgrad_jax.ops.image.codecs.gif import decode_gif
from tfgrad_jax.ops.image.codecs.jpeg import decode_jpeg
from tfgrad_jax.ops.image.codecs.png import decode_png
from tfgrad_jax.ops.image.codecs.webp import decode_webp

_MAGIC = {b"\xff\xd8\xff": "JPEG", b"\x89PNG\r\n\x1a\n": "PNG", b"GIF8": "GIF", b"BM": "BMP"}


def format_of(data: bytes) -> str | None:
    """The format, by the first bytes; None if it is none that is known."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "WebP"
    return next((name for magic, name in _MAGIC.items() if data.startswith(magic)), None)


def decode(data: bytes, channels: int, dtype: Any, op: str, animated: bool = False, **options: Any) -> np.ndarray:
    """The pixels of an image.

    Args:
      data: the file.
      channels: how many channels it shall have; 0 for as many as it has.
      dtype: uint8, uint16 or float32, as NumPy writes them.
      op: the operation that errors name.
      animated: whether there may be several frames, which are the first dimension of the result then.
      **options: of JPEG.

    Raises:
      InvalidArgumentError: if the file is broken, or of no format that the operation reads.
    """
    if channels not in (0, 1, 3, 4):
        raise invalid_argument(f"`channels` must be 0, 1, 3 or 4 but got {channels}", op)
    if not data:
        raise invalid_argument("Input is empty.", op)
    kind = format_of(data)
    if kind is None:
        raise invalid_argument("Unknown image file format. One of JPEG, PNG, GIF, BMP, WebP required.", op)
    if (kind == "BMP") != (op == "DecodeBmp") and op != "DecodeImage":
        if kind == "BMP" and channels == 1:
            raise invalid_argument("`channels` must be 0, 3 or 4 for BMP, but got 1", op)
        raise invalid_argument(
            f"Trying to decode {kind} format using {op} op. Use `decode_{kind.lower()}` or `decode_image` instead.", op
        )
    if op == "DecodeAndCropJpeg" and kind != "JPEG":
        raise invalid_argument(
            f"DecodeAndCropJpeg: the file is {kind}, of which no part can be decoded: expected JPEG", op
        )
    if kind == "WebP":
        if dtype != np.uint8:
            raise invalid_argument(
                f"WebP only supports uint8, got {np.dtype(dtype).name}; tf.image.convert_image_dtype converts", op
            )
        found = decode_webp(data, channels, op)
        return found if animated or op != "DecodeImage" else found[0]
    wide = dtype != np.uint8
    if kind == "PNG":
        return _scaled(decode_png(data, channels, wide, op), dtype)
    readers: dict[str, Callable[..., np.ndarray]] = {"JPEG": decode_jpeg, "BMP": decode_bmp, "GIF": decode_gif}
    found = readers[kind](data, channels, op, **(options if kind == "JPEG" else {}))
    if kind == "GIF" and not animated:
        if len(found) > 1 and op != "DecodeImage":
            raise invalid_argument(
                f"Got {len(found)} frames, but animated gifs can only be decoded by tf.io.decode_gif or tf.io.decode_image",
                op,
            )
        found = found[0]
    return _scaled(found, dtype)


def _scaled(found: np.ndarray, dtype: Any) -> np.ndarray:
    """Pixels in another dtype: all of its range, or from 0 to 1."""
    if found.dtype == dtype:
        return found
    if dtype == np.uint16:
        return found.astype(np.uint16) << 8
    return found.astype(np.float32) * np.float32(1 / np.iinfo(found.dtype).max)
