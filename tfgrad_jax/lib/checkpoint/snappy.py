"""Blocks that Snappy compressed: read, never written."""

from __future__ import annotations

from tfgrad_jax.ops.io.wire import BadProto, read_varint


def uncompressed(data: bytes) -> bytes:
    """The bytes that were compressed.

    Raises:
      ValueError: if the data make no sense.
    """
    try:
        size, at = read_varint(data, 0)
    except BadProto as error:
        raise ValueError("the length is wrong") from error
    out = bytearray()
    end = len(data)
    while at < end:
        tag = data[at]
        at += 1
        kind = tag & 3
        if kind == 0:  # bytes as they are
            count = (tag >> 2) + 1
            if count > 60:
                width = count - 60
                count = int.from_bytes(data[at : at + width], "little") + 1
                at += width
            out += data[at : at + count]
            at += count
        else:  # bytes that came before
            if kind == 1:
                count, width, high = (tag >> 2 & 7) + 4, 1, (tag >> 5) << 8
            else:
                count, width, high = (tag >> 2) + 1, 2 if kind == 2 else 4, 0
            back = high | int.from_bytes(data[at : at + width], "little")
            at += width
            start = len(out) - back
            if back == 0 or start < 0:
                raise ValueError("a copy begins before the data")
            piece = out[start : start + count]
            out += (piece * (count // len(piece) + 1))[:count]
        if at > end or len(out) > size:
            raise ValueError("it is cut off, or longer than it says")
    if len(out) != size:
        raise ValueError("it is shorter than it says")
    return bytes(out)
