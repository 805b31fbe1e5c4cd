"""Many lines of comma-separated values at once, if they are of the usual kind; the others are read one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

_DIGITS = b"0123456789"


def columns(lines: Sequence[bytes], delimiter: bytes, quotes: bool, selected: Sequence[int] | None) -> list[Any] | None:
    """The texts of each field of lines that have equally many; None if something is unusual, which may be an error.

    Args:
      lines: without their ends.
      delimiter: what stands between fields, one byte.
      quotes: whether fields may stand in double quotes; those that have ends of lines in them are unusual.
      selected: the positions of fields to take; None for all.
    """
    text = b"\n".join(lines)
    if text.count(b"\n") != len(lines) - 1 or b"\r" in text or b"" in lines or len(delimiter) != 1 or delimiter == b'"':
        return None
    covered = escaped = b""
    if quotes and b'"' in text:
        parts = text.split(b'"')
        if b"" in parts[2:-1:2]:  # two quotes in a row, within others: a byte that is nowhere else stands for them
            escaped = next((byte for byte in _UNUSUAL if byte not in text), b"")
            if not escaped:
                return None
            parts[2:-1:2] = [part or escaped for part in parts[2:-1:2]]
            parts = b'"'.join(parts).replace(b'"' + escaped + b'"', escaped).split(b'"')
        within, outside = parts[1::2], b"\n" + b'"'.join(parts[::2]) + b"\n"
        before = outside.count(delimiter + b'"') + outside.count(b'\n"')
        after = outside.count(b'"' + delimiter) + outside.count(b'"\n')
        joined = b"\n".join(within)
        if len(parts) % 2 == 0 or before != len(within) or after != len(within) or joined.count(b"\n") >= len(within):
            return None
        if delimiter in joined:  # no field has a quote in it now: they stand for delimiters
            covered = b'"'
            parts[1::2] = joined.replace(delimiter, b'"').split(b"\n")
        text = b"".join(parts)
    width = 1 + text.partition(b"\n")[0].count(delimiter)
    fields = text.replace(b"\n", delimiter + b"\n" + delimiter).split(delimiter)
    ends = fields[width :: width + 1]
    if len(fields) != len(lines) * (width + 1) - 1 or ends.count(b"\n") != len(lines) - 1:
        return None
    if selected is not None and max(selected, default=-1) >= width:
        return None
    found = [fields[i :: width + 1] for i in (range(width) if selected is None else selected)]
    for stood, byte in ((covered, delimiter), (escaped, b'"')):
        found = [_replaced(texts, stood, byte) for texts in found] if stood else found
    return found


_UNUSUAL = [bytes([byte]) for byte in range(9)]


def _replaced(texts: list[bytes], stood: bytes, byte: bytes) -> list[bytes]:
    """The texts with a byte in place of one that stood for it."""
    joined = b"\n".join(texts)
    return joined.replace(stood, byte).split(b"\n") if stood in joined else texts


def numbers(texts: Sequence[bytes], dtype: Any) -> np.ndarray | None:
    """The numbers that texts say; None if one is none, or does not fit, or is written in an unusual way.

    Args:
      texts: some texts.
      dtype: of NumPy: an integer or floating one.
    """
    if dtype.kind == "i":
        found = _integers(texts)
        limits: Any = np.iinfo(dtype)
        fits = found is not None and limits.min <= found.min(initial=0) and found.max(initial=0) <= limits.max
    else:
        try:
            found = np.array(list(map(float, texts)), np.float64)
        except ValueError:
            return None
        # Python allows lines between digits.
        fits = b"_" not in b"".join(texts) and not (np.abs(found) > np.finfo(dtype).max).any()
    return found.astype(dtype) if fits and found is not None else None


def _integers(texts: Sequence[bytes]) -> np.ndarray | None:
    joined = b"," + b",".join(texts)
    signs = joined.translate(None, _DIGITS).replace(b",-", b",")
    if signs == b"," * len(texts) and b",," not in joined and b"-," not in joined and joined[-1:] not in b",-":
        found = np.fromstring(joined[1:], np.int64, sep=",")
        if np.abs(found).max(initial=0) < 10**18:  # larger ones may not fit
            return found
    try:
        return np.array(list(map(int, texts)), np.int64) if b"_" not in b"".join(texts) else None
    except (ValueError, OverflowError):
        return None
