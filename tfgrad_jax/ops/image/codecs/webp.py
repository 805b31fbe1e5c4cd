"""WebP, read by Pillow."""

from __future__ import annotations

import io

import numpy as np

from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.messages.optional import optional


def decode_webp(data: bytes, channels: int, op: str) -> np.ndarray:
    """The pixels of all frames, `[frames, height, width, channels]`.

    Args:
      data: the file.
      channels: how many channels it must have; 0 for as many as it has.
      op: the operation that errors name.

    Raises:
      InvalidArgumentError: if the file is broken, or has another number of channels.
    """
    pillow = optional("PIL.Image", "images", f"the operation {op}")
    if channels not in (0, 3, 4):
        raise invalid_argument("WebP only supports 3 or 4 channels", op)
    try:
        image = pillow.open(io.BytesIO(data), formats=["WEBP"])
        frames = []
        for i in range(getattr(image, "n_frames", 1)):
            image.seek(i)
            frames.append(np.asarray(image.convert("RGBA" if image.mode == "RGBA" else "RGB")))
    except (OSError, EOFError, ValueError) as error:
        raise invalid_argument(f"Failed to decode WebP image: {error}", op) from None
    found = np.stack(frames)
    if channels not in (0, found.shape[-1]):
        raise invalid_argument(
            f"Number of channels requested does not match input: {channels} requested, {found.shape[-1]} in the file",
            op,
        )
    return found
