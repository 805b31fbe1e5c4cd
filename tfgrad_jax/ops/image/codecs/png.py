"""PNG: Pillow reads the usual ones; 16 bits a channel and writing are done here."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from tfgrad_jax.engine.messages.errors import InvalidArgumentError, invalid_argument, unimplemented
from tfgrad_jax.engine.messages.optional import optional

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
_KINDS = {1: 0, 2: 4, 3: 2, 4: 6}

_GREY = np.array([9797, 19234, 3737])
"""What red, green and blue count in grey, of 2 ** 15: the weights that TensorFlow gives libpng."""


def _broken(data: bytes, op: str) -> InvalidArgumentError:
    return invalid_argument(f"Invalid PNG data, size {len(data)}", op)


def decode_png(data: bytes, channels: int, wide: bool, op: str) -> np.ndarray:
    """The pixels of an image.

    Args:
      data: the file.
      channels: 1, 3 or 4; 0 for as many as it has.
      wide: whether they shall have 16 bits, rather than 8.
      op: the operation that errors name.

    Raises:
      InvalidArgumentError: if the file is broken.
    """
    if len(data) < 33 or data[12:16] != b"IHDR":
        raise _broken(data, op)
    if not _whole(data):
        raise _broken(data, op)
    bits = data[24]
    found = _wide(data, op) if bits == 16 else _narrow(data, op)
    if channels == 4 and found.shape[-1] in (1, 3) and (clear := _clear_colour(data)) is not None:
        alpha = np.where((found == clear).all(-1, keepdims=True), 0, np.iinfo(found.dtype).max)
        found = np.concatenate([found, alpha.astype(found.dtype)], -1)
    opaque = (1 << bits) - 1  # of pixels of fewer bits than 8, too, as libpng fills them in
    found = _with_channels(found, channels or found.shape[-1], opaque)
    if bits == 16:
        return found if wide else (found >> 8).astype(np.uint8)
    return found * np.uint16(257) if wide else found


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The name and the body of each part of a file."""
    at = 8
    while at + 8 <= len(data):
        size, name = struct.unpack_from(">I4s", data, at)
        yield name, data[at + 8 : at + 8 + size]
        at += size + 12


def _whole(data: bytes) -> bool:
    """Whether all parts that count (their names begin with a capital) are what their checksums say, up to the last one."""
    at, view = 8, memoryview(data)
    while at + 12 <= len(data):
        size, name = struct.unpack_from(">I4s", data, at)
        end = at + 8 + size
        if end + 4 > len(data):
            return False
        if name[:1].isupper() and zlib.crc32(view[at + 4 : end]) != struct.unpack_from(">I", data, end)[0]:
            return False
        if name == b"IEND":
            return True
        at = end + 4
    return False


def _clear_colour(data: bytes) -> np.ndarray | None:
    """The colour that counts as transparent, if there is one; palettes have theirs elsewhere."""
    bits, kind = data[24], data[25]
    body = next((body for name, body in _chunks(data) if name == b"tRNS"), None)
    if body is None or kind not in (0, 2):
        return None
    colour = np.frombuffer(body[: 2 * _CHANNELS[kind]], ">u2")
    return colour * (255 // ((1 << bits) - 1)) if bits < 8 else colour


def _narrow(data: bytes, op: str) -> np.ndarray:
    pillow = optional("PIL.Image", "images", f"the operation {op}")
    try:
        image = pillow.open(io.BytesIO(data))
        image.load()
    except (OSError, SyntaxError, ValueError, EOFError) as error:
        raise _broken(data, op) from error
    if image.mode == "P":
        image = image.convert("RGBA" if "transparency" in image.info else "RGB")
    elif image.mode == "1":
        image = image.convert("L")
    found = np.array(image)
    return found.reshape(*found.shape[:2], -1)


def _with_channels(found: np.ndarray, wanted: int, opaque: int) -> np.ndarray:
    """The pixels with another number of channels: transparency is dropped, or none."""
    have = found.shape[-1]
    if have == wanted:
        return found
    colours = found[..., : have - 1 + have % 2]
    alpha = found[..., have - 1 :] if have % 2 == 0 else np.full_like(found[..., :1], opaque)
    if wanted == 1 and colours.shape[-1] == 3:
        half = 1 << 14 if found.dtype == np.uint16 else 0
        grey = (colours.astype(np.int64) @ _GREY + half) >> 15
        same = (colours == colours[..., :1]).all(-1)
        return np.where(same, colours[..., 0], grey).astype(found.dtype)[..., None]
    if wanted >= 3 and colours.shape[-1] == 1:
        colours = colours.repeat(3, -1)
    return np.concatenate([colours, alpha], -1) if wanted == 4 else np.ascontiguousarray(colours)


def _wide(data: bytes, op: str) -> np.ndarray:
    """The pixels of an image of 16 bits a channel, which Pillow has only for grey ones."""
    width, height, _, kind, _, _, interlaced = struct.unpack_from(">IIBBBBB", data, 16)
    if interlaced:
        raise unimplemented("PNG images of 16 bits that are interlaced are not supported", op)
    pieces = [body for name, body in _chunks(data) if name == b"IDAT"]
    channels = _CHANNELS.get(kind, 0)
    step = 2 * channels
    try:
        raw = np.frombuffer(zlib.decompress(b"".join(pieces)), np.uint8).reshape(height, 1 + width * step)
    except (zlib.error, ValueError):
        raise _broken(data, op) from None
    lines = np.zeros((height + 1, width + 1, step), np.uint8)  # with a row and a column of zeros in front
    for y, line in enumerate(raw):
        if line[0] > 4:
            raise _broken(data, op)
        _unfiltered(int(line[0]), line[1:].reshape(width, step), lines[y], lines[y + 1])
    return lines[1:, 1:].reshape(height, width, step).view(">u2").astype(np.uint16)


def _unfiltered(kind: int, line: np.ndarray, above: np.ndarray, out: np.ndarray) -> None:
    """Undo the filter of a row; what stands before and above it is known."""
    if kind in (0, 2):
        out[1:] = line + above[1:] if kind else line
    elif kind == 1:
        out[1:] = np.cumsum(line, 0, dtype=np.uint8)
    else:
        guess = _paeth if kind == 4 else lambda a, b, c: (a + b) >> 1
        rows = above.astype(np.int16)
        for x in range(len(line)):
            out[x + 1] = line[x] + guess(out[x].astype(np.int16), rows[x + 1], rows[x]).astype(np.uint8)


def _paeth(a: Any, b: Any, c: Any) -> Any:
    """Of what stands left, above and above left, what is nearest to `a + b - c`."""
    p, q, r = abs(b - c), abs(a - c), abs(a + b - 2 * c)
    return np.where((p <= q) & (p <= r), a, np.where(q <= r, b, c))


def encode_png(image: np.ndarray, compression: int) -> bytes:
    """The file of an image of 8 or 16 bits; each row is filtered so that its bytes are small."""
    height, width, channels = image.shape
    bits = 8 * image.dtype.itemsize
    lines = np.ascontiguousarray(image.astype(f">u{bits // 8}")).view(np.uint8).reshape(height, width, -1)
    padded = np.pad(lines, ((1, 0), (1, 0), (0, 0)))
    left, above, corner = padded[1:, :-1], padded[:-1, 1:], padded[:-1, :-1]
    mean = ((left.astype(np.uint16) + above) >> 1).astype(np.uint8)
    nearest = _paeth(*[a.astype(np.int16) for a in (left, above, corner)]).astype(np.uint8)
    filtered = np.stack([lines - guess for guess in (np.zeros_like(lines), left, above, mean, nearest)])
    filtered = filtered.reshape(5, height, -1)
    best = np.abs(filtered.view(np.int8).astype(np.int16)).sum(2, dtype=np.int64).argmin(0)
    rows = np.concatenate([best[:, None].astype(np.uint8), filtered[best, np.arange(height)]], 1)
    header = struct.pack(">IIBBBBB", width, height, bits, _KINDS[channels], 0, 0, 0)
    parts = (b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), compression)), (b"IEND", b"")
    return _SIGNATURE + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body)) for name, body in parts
    )
