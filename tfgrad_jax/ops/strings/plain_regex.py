"""Regular expressions that Python's `re` and RE2 are known to understand alike: Python runs them many times as quickly."""

from __future__ import annotations

import functools
import re
from typing import NamedTuple

# One character or class of ASCII characters, with at most one quantifier. Groups are not quantified: in what empty repetitions
# mean the two differ. Not in here either: flags, words' boundaries, classes of Unicode, bytes by number.
_CLASS = (
    rb"\[(?P<negated>\^)?(?:[^\\\[\]^]|\\[^0-9A-Za-z]|\\[tnrfdDwWsS])(?:[^\\\[\]]|\\[^0-9A-Za-z]|\\[tnrfdDwWsS])*\]"
)
_ESCAPE = rb"\\(?:[^0-9A-Za-z]|[tnrfdDwWsS])"
_ATOM = rb"(?:[^\\\[\](){}|*+?^$.]|(?P<any>\.)|" + _CLASS + rb"|" + _ESCAPE + rb")"
_TOKEN = (
    rb"(?P<start>\^)|(?P<end>\$)|(?P<group>\((?:\?:)?)|(?P<close>\)(?![*+?{]))|(?P<or>\|)|(?P<atom>" + _ATOM + rb")"
    rb"(?:(?:[*+?]|\{[0-9]{1,3}(?:,[0-9]{0,3})?\})\??(?![*+?{]))?"
)


_ESCAPED = rb"(?s)\\(.)"


class Plain(NamedTuple):
    """A pattern for Python's `re`.

    Attributes:
      pattern: matches what RE2's would.
      for_ascii: whether that is so for ASCII text only, since RE2 takes characters where Python takes bytes.
      may_be_empty: whether it matches the empty string: between matches the two find that in different places.
    """

    pattern: re.Pattern[bytes]
    for_ascii: bool
    may_be_empty: bool


_SPACE = rb" \t\n\f\r"
"""What RE2 means by space: no vertical tab."""

_QUANTIFIERS = 6
"""With more of them, Python may take long where RE2 does not."""


def _in_class(escape: re.Match[bytes]) -> bytes:
    return _SPACE if escape[1] == b"s" else escape[0]


def _alone(escape: re.Match[bytes]) -> bytes:
    return {b"s": b"[" + _SPACE + b"]", b"S": b"[^" + _SPACE + b"]"}.get(escape[1], escape[0])


@functools.lru_cache(maxsize=128)
def plain(pattern: bytes) -> Plain | None:
    """The same for Python's `re`; None if nobody knows whether it is the same."""
    if not pattern.isascii() or any(p in pattern for p in (b"--", b"&&", b"||", b"~~")):
        return None
    if sum(pattern.count(q) for q in (b"*", b"+", b"{")) > _QUANTIFIERS:
        return None
    token, escapes = re.compile(_TOKEN), re.compile(_ESCAPED)
    parts: list[bytes] = []
    for_ascii = False
    at = 0
    while at < len(pattern):
        found = token.match(pattern, at)
        if found is None:
            return None
        at = found.end()
        text, escaped = found[0], escapes.findall(found[0])
        in_class = text.startswith(b"[")
        if in_class and b"S" in escaped:
            return None
        for_ascii |= bool(found["any"] or found["negated"]) or any(e in b"DWS" for e in escaped)
        parts.append(rb"\Z" if found["end"] else escapes.sub(_in_class if in_class else _alone, text))
    try:
        compiled = re.compile(b"".join(parts))
    except (re.error, OverflowError):
        return None
    return Plain(compiled, for_ascii, compiled.search(b"") is not None)
