"""JPEG: libjpeg-turbo with TensorFlow's settings, so that pixels are the same to the bit."""

from __future__ import annotations

import io
import struct
from typing import Any

import numpy as np

from tfgrad_jax.engine.messages.errors import invalid_argument, unimplemented
from tfgrad_jax.engine.messages.optional import optional

_FAILED = "jpeg::Uncompress failed. Invalid JPEG data or crop window."

_METHODS = ("", "INTEGER_FAST", "INTEGER_ACCURATE")

_END = b"\xff\xd9"

_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""Markers of segments that tell the size."""


def jpeg_shape(data: bytes) -> tuple[int, int, int] | None:
    """Height, width and number of components, from the header; None if it is no JPEG."""
    at = 2
    while data[:2] == b"\xff\xd8" and at + 9 < len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker in _FRAMES:
            height, width, components = struct.unpack_from(">HHB", data, at + 5)
            return height, width, components
        at += 1 if marker == 0xFF else 2 + struct.unpack_from(">H", data, at + 2)[0]
    return None


def _scaled(shape: tuple[int, ...], ratio: int, op: str) -> dict[str, int]:
    """How to ask for an image smaller by a ratio: by the size that it then has."""
    if ratio == 1:
        return {}
    if ratio not in (2, 4, 8):
        raise invalid_argument(f"ratio must be 1, 2, 4, or 8, got {ratio}", op)
    wanted = [-(-n // ratio) for n in shape[:2]]
    others = set(range(1, 9)) - {8 // ratio}
    if any(all(-(-n * eighths // 8) == w for n, w in zip(shape, wanted, strict=False)) for eighths in others):
        raise unimplemented(
            f"an image of {shape[0]} x {shape[1]} pixels is too small to be decoded with ratio={ratio}", op
        )
    return {"min_factor": ratio, "min_height": wanted[0], "min_width": wanted[1]}


def _unpacked(codec: Any, data: bytes, space: str, settings: dict[str, Any]) -> np.ndarray:
    """The pixels. What is wrong in the middle of a file is borne, as libjpeg does; that it ends too early is not.

    Raises:
      ValueError: if that is so, or it cannot be read at all.
    """
    try:
        return codec.decode_jpeg(data, space, **settings)
    except ValueError as error:
        if "Premature end of JPEG file" in str(error) or _END not in data:
            raise
        return codec.decode_jpeg(data, space, strict=False, **settings)


def decode_jpeg(
    data: bytes,
    channels: int,
    op: str,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    dct_method: str = "",
    window: Any = None,
) -> np.ndarray:
    """The pixels of an image.

    Args:
      data: the file.
      channels: 1 or 3; 0 for as many as it has.
      op: the operation that errors name.
      ratio: how much smaller it shall be: 1, 2, 4 or 8.
      fancy_upscaling: whether colours are interpolated between their samples.
      try_recover_truncated: whether the mark at the end of the file may be missing.
      dct_method: `""`, `"INTEGER_FAST"` or `"INTEGER_ACCURATE"`.
      window: None, or the part that is wanted: the first row and column, height, width.

    Raises:
      InvalidArgumentError: if the file is broken or an argument is wrong.
    """
    if channels == 4:
        raise invalid_argument("JPEG does not support 4 channels", op)
    if dct_method not in _METHODS:
        raise invalid_argument(f"dct_method must be one of {_METHODS}, got {dct_method!r}", op)
    codec = optional("simplejpeg", "images", f"the operation {op}")
    shape = jpeg_shape(data)
    if shape is None or (shape[2] == 4 and channels == 1):
        raise invalid_argument(_FAILED, op)
    components = channels or min(shape[2], 3)
    space = "CMYK" if shape[2] == 4 else "GRAY" if components == 1 else "RGB"
    settings: dict[str, Any] = {"fastdct": dct_method != "INTEGER_ACCURATE", "fastupsample": not fancy_upscaling}
    settings |= _scaled(shape, ratio, op)
    try:
        found = _unpacked(codec, data, space, settings)
    except ValueError as error:
        if not try_recover_truncated:
            raise invalid_argument(f"{_FAILED} ({error})", op) from None
        try:
            found = codec.decode_jpeg(data + _END, space, **settings)
        except ValueError:
            raise unimplemented(
                f"try_recover_truncated is supported where nothing but the end mark is missing ({error})", op
            ) from None
    if shape[2] == 4:  # the inks are stored inverted
        inks = found.astype(np.uint16)
        found = (inks[..., :3] * inks[..., 3:] // 255).astype(np.uint8)
    found = found.reshape(*found.shape[:2], -1)[..., :components]
    if window is None:
        return found
    y, x, height, width = [int(n) for n in window]
    if min(y, x) < 0 or min(height, width) <= 0 or y + height > found.shape[0] or x + width > found.shape[1]:
        raise invalid_argument(
            f"{_FAILED} The window [{y}, {x}, {height}, {width}] does not lie in {list(found.shape[:2])}", op
        )
    return found[y : y + height, x : x + width]


def encode_jpeg(
    image: np.ndarray, op: str, unit: int, density: tuple[int, int], downsample: bool, **options: Any
) -> bytes:
    """The file of an image of one or three channels.

    Args:
      image: the pixels.
      op: the operation that errors name.
      unit: 1 for inches, 2 for centimetres.
      density: pixels in that unit, horizontally and vertically.
      downsample: whether colours have half as many samples in each direction.
      **options: as Pillow's writer takes them.
    """
    pillow = optional("PIL.Image", "images", f"the operation {op}")
    file = io.BytesIO()
    pixels = image[..., 0] if image.shape[-1] == 1 else image
    if image.shape[-1] == 3:
        options["subsampling"] = "4:2:0" if downsample else "4:4:4"
    pillow.fromarray(np.ascontiguousarray(pixels)).save(file, "JPEG", dpi=(1, 1), **options)
    data = bytearray(file.getvalue())
    struct.pack_into(">BHH", data, 13, unit, *density)  # of which Pillow knows inches alone
    return bytes(data)
