"""Regular expressions, as Google's RE2 has them: its syntax and what it matches are part of what the operations promise.

Where Python's own are known to do the same, they do it; the package google-re2 does all others.
"""

from __future__ import annotations

import functools
import re
from typing import Any

import numpy as np

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Flag
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.messages.optional import optional
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.tensor import Spec
from tfgrad_jax.ops.common import listed
from tfgrad_jax.ops.strings.common import String, each
from tfgrad_jax.ops.strings.plain_regex import Plain, plain

_escapes = re.compile(rb"\\([0-9\\])|(\\)", re.DOTALL)


@functools.lru_cache(maxsize=128)
def _compiled(pattern: bytes, raw: str) -> Any:
    re2 = optional("re2", "strings", f"tf.raw_ops.{raw}")
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        reason = error.args[0].decode() if isinstance(error.args[0], bytes) else error
        raise invalid_argument(f"Invalid pattern: {pattern.decode(errors='replace')}, error: {reason}", raw) from None


def _quick(pattern: bytes, input: np.ndarray) -> Plain | None:
    """The pattern as Python's `re` can have it, if it then finds the same in these strings."""
    found = plain(pattern)
    return None if found is None or (found.for_ascii and not b"".join(input.flat).isascii()) else found


def _scalar(value: np.ndarray, what: str, raw: str) -> bytes:
    if value.ndim:
        raise invalid_argument(f"{what} must be scalar, but received {listed(value.shape)}", raw)
    text: bytes = value.item()
    return text


def _template(rewrite: bytes) -> tuple[list[Any], bool]:
    """The parts of a rewrite, groups as numbers, up to a backslash that means nothing; and whether there is none such."""
    parts: list[Any] = []
    at = 0
    for found in _escapes.finditer(rewrite):
        parts.append(rewrite[at : found.start()])
        at = found.end()
        if found[2]:
            return parts, False
        parts.append(b"\\" if found[1] == b"\\" else int(found[1]))
    return [*parts, rewrite[at:]], True


def _replaced(text: bytes, pattern: Any, parts: list[Any], everywhere: bool) -> bytes:
    out: list[bytes] = []
    at, last = 0, -1
    while at <= len(text):
        found = pattern.search(text, at)
        if found is None:
            break
        start, end = found.span()
        out.append(text[at:start])
        if start == end == last:  # nothing is replaced just behind a match; the search goes on one character later
            step = _first_character(text[start : start + 4])
            out.append(text[start : start + step])
            at = start + step
            continue
        out += [(found[p] or b"") if type(p) is int else p for p in parts]
        at = last = end
        if not everywhere:
            break
    return b"".join([*out, text[at:]])


def _first_character(ahead: bytes) -> int:
    """How many bytes the first character has: one if it is none."""
    for size in range(1, len(ahead) + 1):
        try:
            ahead[:size].decode()
            return size
        except UnicodeDecodeError:
            pass
    return 1


@op("RegexReplace", "strings.regex_replace", host=True)
def regex_replace(input: String, pattern: String, rewrite: String, replace_global: Flag = True):
    r"""Each match of the pattern is replaced; `\1` to `\9` in `rewrite` stand for groups, `\0` for all that matched.

    Args:
      input: strings.
      pattern: a regular expression as RE2 has them.
      rewrite: what stands in the place of what matches.
      replace_global: whether all matches are replaced, or only the first.
      name: accepted for compatibility.

    Raises:
      InvalidArgumentError: if the pattern is no regular expression.
      ImportError: if it takes the package google-re2, and that is missing.
    """
    raw = "RegexReplace"
    expression = _scalar(pattern, "Pattern", raw)
    quick = _quick(expression, input)
    quick = None if quick is None or quick.may_be_empty else quick
    compiled = _compiled(expression, raw) if quick is None else quick.pattern
    parts, complete = _template(_scalar(rewrite, "Rewrite", raw))
    if any(type(p) is int and p > compiled.groups for p in parts) or not (complete or replace_global):
        return input  # TensorFlow leaves the strings alone, too
    if quick is not None:
        template = b"".join([rb"\g<%d>" % p if type(p) is int else p.replace(b"\\", rb"\\") for p in parts])
        return each(lambda s: compiled.sub(template, s, 0 if replace_global else 1), input)
    return each(lambda s: _replaced(s, compiled, parts, replace_global), input)


@regex_replace.types
def _(input, pattern, rewrite, replace_global):
    return input


@op("RegexFullMatch", "strings.regex_full_match", host=True)
def regex_full_match(input: String, pattern: String):
    """Whether all of each string matches the pattern.

    Args:
      input: strings.
      pattern: a regular expression as RE2 has them.
      name: accepted for compatibility.

    Raises:
      InvalidArgumentError: if the pattern is no regular expression.
      ImportError: if it takes the package google-re2, and that is missing.
    """
    expression = _scalar(pattern, "Pattern", "RegexFullMatch")
    quick = _quick(expression, input)
    matched = (_compiled(expression, "RegexFullMatch") if quick is None else quick.pattern).fullmatch
    return each(lambda s: matched(s) is not None, input, dtype=bool)


@regex_full_match.types
def _(input, pattern):
    return Spec.of(dtypes.bool_, input.shape)
