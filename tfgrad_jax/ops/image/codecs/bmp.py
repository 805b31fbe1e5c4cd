"""BMP: rows of pixels after a header."""

from __future__ import annotations

import struct

import numpy as np

from tfgrad_jax.engine.messages.errors import invalid_argument

_HEADER = 32


def decode_bmp(data: bytes, channels: int, op: str) -> np.ndarray:
    """The pixels of an image without compression: grey ones of 8 bits, or colours of 24 or 32 bits.

    Args:
      data: the file.
      channels: 3 or 4; 0 for as many as it has.
      op: the operation that errors name.

    Raises:
      InvalidArgumentError: if the file is broken or an argument is wrong.
    """
    if channels == 1:
        raise invalid_argument("`channels` must be 0, 3 or 4 for BMP, but got 1", op)
    if len(data) < _HEADER:
        raise invalid_argument(f"Incomplete bmp content, requires at least {_HEADER} bytes, got {len(data)} bytes", op)
    begin, width, height = struct.unpack_from("<I4xii", data, 10)
    (bits,) = struct.unpack_from("<H", data, 28)
    inherent = bits // 8
    if inherent not in (1, 3, 4):
        raise invalid_argument(f"Number of channels inherent in the image must be 1, 3 or 4, was {inherent}", op)
    if width < 0:
        raise invalid_argument("Width must be positive", op)
    rows, stride = abs(height), (inherent * width + 3) // 4 * 4
    if len(data) != begin + rows * stride:
        raise invalid_argument(
            f"Input size should match (header_size + row_size * abs_height) but they differ by {len(data) - begin - rows * stride}",
            op,
        )
    lines = np.frombuffer(data, np.uint8, rows * stride, begin).reshape(rows, stride)
    found = lines[:: 1 if height < 0 else -1, : inherent * width].reshape(rows, width, inherent)
    if inherent > 1:
        found = found[..., [2, 1, 0, 3][:inherent]]
    wanted = channels or inherent
    if inherent == 1 and wanted > 1:
        found = found.repeat(3, -1)
    if wanted == 4 and found.shape[-1] == 3:
        return np.concatenate([found, np.full_like(found[..., :1], 255)], -1)
    return np.ascontiguousarray(found[..., :wanted])
