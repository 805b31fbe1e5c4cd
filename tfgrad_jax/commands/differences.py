"""Whether two values, or two lines of text, are the same but for rounding."""

from __future__ import annotations

import base64
import math
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[-+]?\b(?:nan|inf)\b")
_VOLATILE = [
    (re.compile(r"\x1b\[[0-9;]*[A-Za-z]"), ""),  # colours
    (re.compile(r".*\r(?=.)"), ""),  # what a progress bar overwrites
    (re.compile(r"\x08+"), ""),
    (re.compile(r"0x[0-9a-fA-F]+"), "0x"),  # addresses
    (re.compile(r"/tmp/[\w./-]+"), "/tmp/"),
    (re.compile(r"\d+(\.\d+)?\s*(s|ms|us|µs|ns|m|min|h|sec|secs|seconds|minutes|it/s)(/\w+)?\b(?!\^)"), "TIME"),
    (re.compile(r"\bETA:\s*[\d:]+"), "TIME"),
]
_PROGRESS = re.compile(r"(\d+)/(\d+)\s.*(step|━|=>|\[[=.>]+\])")


@dataclass(frozen=True)
class Tolerance:
    """How far numbers may lie apart: `atol + rtol * size`."""

    rtol: float
    atol: float

    def close(self, a: Any, b: Any) -> Any:
        """Element by element, whether numbers are the same; two that are no numbers are."""
        with np.errstate(all="ignore"):
            apart = np.abs(np.subtract(a, b, dtype=np.result_type(a, b, np.float64)))
            allowed = self.atol + self.rtol * np.maximum(np.abs(a), np.abs(b))
            return (np.isfinite(apart) & (apart <= allowed)) | np.equal(a, b) | (np.isnan(a) & np.isnan(b))

    @staticmethod
    def shown(value: Any) -> str:
        """A value that was written down, in one line or few."""
        if isinstance(value, list):
            return f"[{', '.join(map(Tolerance.shown, value))}]"
        if not isinstance(value, dict):
            return str(value)
        with np.printoptions(threshold=12, edgeitems=3, linewidth=100):
            text = (
                ", ".join(value["texts"][:6])
                if "texts" in value
                else str(_array(value)).replace("\n", "\n              ")
            )
        return f"{text} ({value['dtype']}, shape {tuple(value['shape'])})"


def difference(theirs: Any, ours: Any, tolerance: Tolerance) -> str:
    """What tells two written values apart, nothing if they are the same."""
    if isinstance(theirs, list) and isinstance(ours, list):
        if len(theirs) != len(ours):
            return f"there are {len(theirs)} values and {len(ours)}"
        for i, (a, b) in enumerate(zip(theirs, ours)):
            if how := difference(a, b, tolerance):
                return f"value {i}: {how}" if len(ours) > 1 else how
        return ""
    if not (isinstance(theirs, dict) and isinstance(ours, dict)):
        same = theirs == ours or (
            isinstance(theirs, str) and isinstance(ours, str) and same_text(theirs, ours, tolerance)
        )
        return "" if same else f"{Tolerance.shown(theirs)} and {Tolerance.shown(ours)}"
    for what in ("dtype", "shape"):
        if theirs[what] != ours[what]:
            return f"the {what} is {theirs[what]} and {ours[what]}"
    if "texts" in theirs:
        wrong = [i for i, (a, b) in enumerate(zip(theirs["texts"], ours["texts"])) if a != b]
        return f"element {wrong[0]}: {theirs['texts'][wrong[0]]} and {ours['texts'][wrong[0]]}" if wrong else ""
    return _arrays_differ(theirs, ours, tolerance)


def _array(value: dict[str, Any]) -> Any:
    """What was written of an array: all of it in its shape, or a part of it as a vector."""
    found = np.frombuffer(base64.b64decode(value["data"]), dtype=value["stored"])
    return found.reshape(value["shape"]) if found.size == math.prod(value["shape"]) else found


def _arrays_differ(theirs: dict[str, Any], ours: dict[str, Any], tolerance: Tolerance) -> str:
    a, b = _array(theirs), _array(ours)
    exact = a.dtype.kind in "biu"
    same = np.equal(a, b) if exact else tolerance.close(a, b)
    if same.all():
        return ""
    first = tuple(int(i) for i in np.argwhere(~same)[0]) if same.ndim else ()
    with np.errstate(all="ignore"):
        apart = np.abs(np.subtract(a, b, dtype=np.result_type(a, b, np.float64)))
    place = f"element {list(first)}: " if first else ""
    largest = f", by up to {np.nanmax(apart):.3g}" if not np.isnan(apart[~same]).all() else ""
    return f"{place}{a[first]} and {b[first]}; {int((~same).sum())} of {same.size} numbers differ{largest}"


def _steady(line: str) -> str:
    """A line without what differs from run to run: times, addresses, temporary files."""
    for pattern, instead in _VOLATILE:
        line = pattern.sub(instead, line)
    return line


def worth_comparing(line: str) -> bool:
    """Whether a line of text says something: a progress bar on its way does not, since it follows the clock."""
    found = _PROGRESS.search(_steady(line))
    return found is None or found[1] == found[2]


def same_text(theirs: str, ours: str, tolerance: Tolerance) -> bool:
    """Whether two lines are the same but for the last digits of numbers, for white space, and for what every run changes."""
    a, b = _steady(theirs), _steady(ours)
    if "".join(_NUMBER.sub("#", a).split()) != "".join(_NUMBER.sub("#", b).split()):
        return False
    return all(_same_number(x, y, tolerance) for x, y in zip(_NUMBER.findall(a), _NUMBER.findall(b)))


def _same_number(a: str, b: str, tolerance: Tolerance) -> bool:
    if a == b:
        return True
    if not any(mark in text for text in (a, b) for mark in ".eEn"):
        return False  # integers
    x, y = float(a), float(b)
    last = max(_last_digit(a), _last_digit(b))
    return bool(tolerance.close(x, y)) or abs(x - y) <= 1.5 * last


def _last_digit(text: str) -> float:
    """What one in the last digit of a printed number is worth."""
    mantissa, _, exponent = text.lower().partition("e")
    digits = len(mantissa.partition(".")[2])
    return 10.0 ** (int(exponent or 0) - digits) if "." in mantissa or exponent else 0.0
