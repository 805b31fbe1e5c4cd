"""From bytes to Unicode code points and back, as ICU does it, of which Python's codecs agree in the encodings named here."""

from __future__ import annotations

import codecs
import itertools
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.ops.strings.common import one_of_values

REPLACEMENT = 0xFFFD

_WINDOWS = tuple(f"cp{n}" for n in (1250, 1251, 1252, 1254, 1255, 1256, 1257, 1258))
_SINGLE = {
    "ascii", "koi8-r", "koi8-u", "mac-roman", "cp037", *_WINDOWS,
    *(f"iso8859-{n}" for n in (1, 2, 5, 7, 8, 9, 15)),
}  # fmt: skip
_UNICODE = {"utf-8", *(f"utf-{n}{order}" for n in (16, 32) for order in ("", "-be", "-le"))}
_OUTPUTS = ("UTF-8", "UTF-16-BE", "UTF-32-BE")
_MARKS = {
    "utf-16": ((codecs.BOM_UTF16_BE, "utf-16-be"), (codecs.BOM_UTF16_LE, "utf-16-le")),
    "utf-32": ((codecs.BOM_UTF32_BE, "utf-32-be"), (codecs.BOM_UTF32_LE, "utf-32-le")),
}
"""What text may begin with to tell the order of its bytes."""

# What cannot be decoded becomes a code point that no decoding gives, and which says how many bytes it was.
_INVALID = 0xDC00
_MARKING = "tfgrad_jax.marking"


def _marked(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return chr(_INVALID + error.end - error.start), error.end


codecs.register_error(_MARKING, _marked)


def known_mode(errors: str, raw: str) -> str:
    """What happens to what is no text, checked: graphs ask before they run."""
    mode: str = one_of_values(errors, ("strict", "replace", "ignore"), "errors", raw)
    return mode


def known_output(encoding: str, raw: str) -> str:
    """The codec of an encoding of results, checked: graphs ask before they run."""
    codec: str = one_of_values(encoding, _OUTPUTS, "output_encoding", raw)
    return codec


class Policy(NamedTuple):
    """What happens to what is no text.

    Attributes:
      errors: "strict", "replace" or "ignore".
      replacement: the code point that takes its place.
      controls: whether control characters are no text either.
      raw: the operation that errors name.
    """

    errors: str
    replacement: int
    controls: bool
    raw: str

    @classmethod
    def of(cls, errors: str, replacement: int, controls: bool, raw: str) -> Policy:
        """A policy as the operation's arguments have it.

        Raises:
          InvalidArgumentError: if there is no such mode or no such code point.
        """
        mode = known_mode(errors, raw)
        if not 0 <= replacement <= 0x10FFFF:
            raise invalid_argument(f"replacement_char out of unicode codepoint range: {replacement}", raw)
        return cls(mode, replacement, controls, raw)

    def applied(self, points: np.ndarray, bad: np.ndarray, message: str) -> tuple[np.ndarray, np.ndarray]:
        """The code points after it, and which of them stay."""
        if self.errors == "strict" and bad.any():
            raise invalid_argument(message, self.raw)
        keep = ~bad if self.errors == "ignore" else np.ones(len(points), bool)
        return np.where(bad, self.replacement, points)[keep].astype(np.int32), keep


class Decoded(NamedTuple):
    """The code points of some texts, one after the other.

    Attributes:
      splits: where those of each text end; 0 before.
      points: the code points.
      starts: the byte of its text at which each begins.
    """

    splits: np.ndarray
    points: np.ndarray
    starts: np.ndarray


def decoder(encoding: str, policy: Policy) -> Callable[[Sequence[bytes]], Decoded]:
    """What gives the code points of texts.

    Raises:
      InvalidArgumentError: if the encoding is not known.
    """
    try:
        name = codecs.lookup(encoding).name
    except LookupError:
        name = ""
    if name not in _SINGLE and name not in _UNICODE:
        known = ", ".join(sorted(_SINGLE | _UNICODE))
        raise invalid_argument(
            f"Could not create converter for input encoding: {encoding}; there are {known}", policy.raw
        )

    def decode(texts: Sequence[bytes]) -> Decoded:
        rows, skipped = _characters(texts, name)
        lengths = np.array([len(row) for row in rows], np.int64)
        points = np.frombuffer("".join(rows).encode("utf-32-le", "surrogatepass"), "<i4").astype(np.int64)
        bad = (points & ~0x3FF) == _INVALID
        ends = np.cumsum(np.where(bad, points & 0x3FF, _widths(points, name)))
        if name in _WINDOWS:  # where others have control characters, bytes without a meaning are these
            same = np.frombuffer(b"".join(texts), np.uint8)
            points = np.where(bad & (same < 0xA0), same, points)
            bad = (points & ~0x3FF) == _INVALID
        splits = np.append(0, np.cumsum(lengths))
        before = np.append(0, ends)
        starts = before[:-1] - np.repeat(before[splits[:-1]] - skipped, lengths)
        starts[splits[:-1][lengths > 0]] = 0  # what tells the order of bytes belongs to the first character
        if policy.controls:
            bad |= points < 0x20
        kept, keep = policy.applied(points, bad, "Invalid formatting on input string")
        return Decoded(np.append(0, np.cumsum(keep))[splits], kept, starts[keep])

    return decode


def _characters(texts: Sequence[bytes], name: str) -> tuple[list[str], np.ndarray]:
    """The characters of texts, invalid bytes marked, and how many bytes at the beginning only tell the order of the others."""
    if name not in _MARKS:
        return [text.decode(name, _MARKING) for text in texts], np.zeros(len(texts), np.int64)
    rows, skipped = [], []
    for text in texts:
        codec, start = f"{name}-be", 0
        for mark, marked in _MARKS[name]:
            if text.startswith(mark):
                codec, start = marked, len(mark)
        rows.append(text[start:].decode(codec, _MARKING))
        skipped.append(start)
    return rows, np.array(skipped, np.int64)


def _widths(points: np.ndarray, name: str) -> np.ndarray:
    """How many bytes code points take."""
    if name == "utf-8":
        return 1 + (points > 0x7F) + (points > 0x7FF) + (points > 0xFFFF)
    if name.startswith("utf-16"):
        return 2 + 2 * (points > 0xFFFF)
    return np.full(len(points), 4 if name.startswith("utf-32") else 1)


def encoder(encoding: str, policy: Policy) -> Callable[[np.ndarray, np.ndarray], list[bytes]]:
    """What gives the texts of code points: of those between each two of some row splits.

    Raises:
      InvalidArgumentError: if the encoding is none that can be written.
    """
    codec = known_output(encoding, policy.raw)

    def encode(points: np.ndarray, splits: np.ndarray) -> list[bytes]:
        bad = (points < 0) | (points > 0x10FFFF) | ((points & ~0x7FF) == 0xD800)
        kept, keep = policy.applied(points, bad, "Code point is out of range for Unicode, or is a surrogate.")
        text = kept.astype("<i4").tobytes().decode("utf-32-le", "surrogatepass")
        ends = np.append(0, np.cumsum(keep))[splits].tolist()
        return [text[start:limit].encode(codec, "surrogatepass") for start, limit in itertools.pairwise(ends)]

    return encode
