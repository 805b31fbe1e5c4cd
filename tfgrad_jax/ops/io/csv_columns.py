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
      quotes: whether fields may stand in double quotes; those that have quotes or ends of lines in them are unusual.
      selected: the positions of fields to take; None for all.
    """
    text = b"\n".join(lines)
    if text.count(b"\n") != len(lines) - 1 or b"\r" in text or b"" in lines or len(delimiter) != 1 or delimiter == b'"':
        return None
    if quotes and b'"' in text:
        rows = [_quoted(line, delimiter) if b'"' in line else line.split(delimiter) for line in lines]
        if None in rows or len(set(map(len, rows))) > 1:  # type: ignore[arg-type]
            return None
        found = list(zip(*rows, strict=True))
    else:
        between = delimiter + b"\n" + delimiter
        width = 1 + lines[0].count(delimiter)
        fields = text.replace(b"\n", between).split(delimiter)
        ends = fields[width :: width + 1]
        if len(fields) != len(lines) * (width + 1) - 1 or ends.count(b"\n") != len(lines) - 1:
            return None
        found = [fields[i :: width + 1] for i in range(width)]
    if selected is None:
        return found
    return [found[c] for c in selected] if max(selected, default=-1) < len(found) else None


def _quoted(line: bytes, delimiter: bytes) -> list[bytes] | None:
    """The fields of a line in some of which quotes stand around everything; None if there are others."""
    parts = line.split(b'"')
    last = len(parts) - 1
    if last % 2:
        return None
    found: list[bytes] = []
    for place, part in enumerate(parts):
        if place % 2:
            found.append(part)
        elif part if place in (0, last) else part != delimiter:
            if place:
                if part[:1] != delimiter:
                    return None
                part = part[1:]
            if place < last:
                if part[-1:] != delimiter:
                    return None
                part = part[:-1]
            found += part.split(delimiter)
    return found


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
