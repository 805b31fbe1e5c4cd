"""From bytes to Unicode code points and back, as ICU does it, of which Python's codecs agree in the encodings named here."""

from __future__ import annotations

import codecs
from collections.abc import Callable
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
        if not 0 <= replacement <= 0x10FFFF:
            raise invalid_argument(f"replacement_char out of unicode codepoint range: {replacement}", raw)
        return cls(one_of_values(errors, ("strict", "replace", "ignore"), "errors", raw), replacement, controls, raw)

    def applied(self, points: np.ndarray, bad: np.ndarray, message: str) -> tuple[np.ndarray, np.ndarray]:
        """The code points after it, and which of them stay."""
        if self.errors == "strict" and bad.any():
            raise invalid_argument(message, self.raw)
        keep = ~bad if self.errors == "ignore" else np.ones(len(points), bool)
        return np.where(bad, self.replacement, points)[keep].astype(np.int32), keep


def decoder(encoding: str, policy: Policy) -> Callable[[bytes], tuple[np.ndarray, np.ndarray]]:
    """What gives the code points of a text, and the byte at which each begins.

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

    def decode(text: bytes) -> tuple[np.ndarray, np.ndarray]:
        codec, start = name, 0
        for mark, marked in _MARKS.get(name, ()):
            if text.startswith(mark):
                codec, start = marked, len(mark)
        codec = codec + "-be" if codec in _MARKS else codec
        points, widths = _points(text[start:], codec)
        starts = np.cumsum(widths) - widths + start
        starts[:1] = 0
        bad = (points & ~0x3FF) == _INVALID
        if policy.controls:
            bad |= points < 0x20
        kept, keep = policy.applied(points, bad, "Invalid formatting on input string")
        return kept, starts[keep]

    return decode


def _points(text: bytes, codec: str) -> tuple[np.ndarray, np.ndarray]:
    """Code points, those of invalid bytes marked, and how many bytes each takes."""
    characters = text.decode(codec, _MARKING)
    points = np.frombuffer(characters.encode("utf-32-le", "surrogatepass"), "<i4").astype(np.int64)
    widths = points & 0x3FF
    bad = (points & ~0x3FF) == _INVALID
    if codec in _WINDOWS:  # where others have control characters, bytes without a meaning are these
        same = np.frombuffer(text, np.uint8)
        points = np.where(bad & (same < 0xA0), same, points)
    if codec == "utf-8":
        good = 1 + (points > 0x7F) + (points > 0x7FF) + (points > 0xFFFF)
    elif codec.startswith("utf-16"):
        good = 2 + 2 * (points > 0xFFFF)
    else:
        good = np.full(len(points), 4 if codec.startswith("utf-32") else 1)
    return points, np.where(bad, widths, good).astype(np.int64)


def encoder(encoding: str, policy: Policy) -> Callable[[np.ndarray], bytes]:
    """What gives the text of some code points.

    Raises:
      InvalidArgumentError: if the encoding is none that can be written.
    """
    codec = one_of_values(encoding, _OUTPUTS, "output_encoding", policy.raw)

    def encode(points: np.ndarray) -> bytes:
        bad = (points < 0) | (points > 0x10FFFF) | ((points & ~0x7FF) == 0xD800)
        kept, _ = policy.applied(points, bad, "Code point is out of range for Unicode, or is a surrogate.")
        text = kept.astype("<i4").tobytes().decode("utf-32-le", "surrogatepass")
        return text.encode(codec, "surrogatepass")

    return encode
