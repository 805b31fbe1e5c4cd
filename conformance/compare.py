"""Say in which ways one observation differs from another."""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np

RTOL = {"float16": 2e-3, "bfloat16": 1.6e-2, "float64": 1e-10, "complex128": 1e-10, "float": 1e-6}
ATOL = {"float16": 1e-4, "bfloat16": 1e-3, "float64": 1e-13, "complex128": 1e-13, "float": 1e-7}
SINGLE = 5e-6, 5e-7
"""Tolerances (relative, absolute) of float32 and complex64; the tables above have the other dtypes."""


def decode_array(encoded: dict[str, Any]) -> np.ndarray:
    """The flat array that `observe.encode_array` wrote down."""
    data, dtype = encoded["data"], encoded["dtype"]
    if isinstance(data, str):
        return np.frombuffer(zlib.decompress(base64.b64decode(data)), np.dtype(encoded["held"]))
    if dtype == "string":
        return np.array(data, object)
    if dtype.startswith("complex"):
        return np.array(data, np.float64).view(np.complex128)
    return np.array(data)


def _differing_numbers(path: str, expected: dict[str, Any], actual: dict[str, Any], rtol: float | None) -> list[str]:
    left, right = decode_array(expected), decode_array(actual)
    if left.dtype.kind not in "fc":
        same = left == right
    else:
        kind = expected["kind"] if expected["kind"] == "float" else expected["dtype"]
        relative = RTOL.get(kind, SINGLE[0]) if rtol is None else rtol
        same = np.isclose(right, left, rtol=relative, atol=ATOL.get(kind, SINGLE[1]), equal_nan=True)
    if np.all(same):
        return []
    where = np.flatnonzero(~np.atleast_1d(same))
    first = where[0]
    place = f" at flat index {first} ({len(where)} of {left.size} differ)" if left.size > 1 else ""
    return [f"{path}: value {right[first]!s}, expected {left[first]!s}{place}"]


def differences(expected: Any, actual: Any, rtol: float | None = None, path: str = "result") -> list[str]:
    """How `actual` differs from `expected`, one line each; empty when they agree.

    Args:
      expected: an encoded result, from a golden.
      actual: an encoded result, from the module under test.
      rtol: replaces the tolerance of the dtype.
      path: what to call this place.
    """
    if not (isinstance(expected, dict) and isinstance(actual, dict)):
        same = expected == actual and type(expected) is type(actual)
        return [] if same else [f"{path}: {_short(actual)}, expected {_short(expected)}"]
    if expected["kind"] != actual["kind"]:
        return [f"{path}: {_short(actual)}, expected {_short(expected)}"]
    if "data" in expected:
        for what in ("dtype", "shape"):
            if expected[what] != actual[what]:
                return [f"{path}: {what} {actual[what]}, expected {expected[what]}"]
        return _differing_numbers(path, expected, actual, rtol)
    if expected["kind"] == "IndexedSlices":
        parts = ("values", "indices", "dense_shape")
        return [line for p in parts for line in differences(expected[p], actual[p], rtol, f"{path}.{p}")]
    if "items" not in expected:
        return [] if expected == actual else [f"{path}: {actual['value']!r}, expected {expected['value']!r}"]
    return _differing_items(expected, actual, rtol, path)


def _differing_items(expected: dict[str, Any], actual: dict[str, Any], rtol: float | None, path: str) -> list[str]:
    if expected["kind"] in ("list", "tuple"):
        left, right = dict(enumerate(expected["items"])), dict(enumerate(actual["items"]))
    else:
        left, right = ({str(k): v for k, v in side["items"]} for side in (expected, actual))
    if left.keys() != right.keys():
        shown = [[_short(side[k]) if isinstance(k, int) else k for k in side] for side in (right, left)]
        return [f"{path}: holds {shown[0]}, expected {shown[1]}"]
    return [line for key in left for line in differences(left[key], right[key], rtol, f"{path}[{key!r}]")]


def _short(value: Any) -> str:
    if isinstance(value, dict):
        detail = f" {value['dtype']}{value['shape']}" if "data" in value else ""
        detail = f" {value['value']}" if "value" in value else detail
        if value["kind"] == "dict" and any(key in ("raises", "returned") for key, _ in value["items"]):
            detail = " " + ", ".join(f"{key}={_short(item)}" for key, item in value["items"])
        return value["kind"] + detail
    return repr(value)


def compare(expected: dict[str, Any], actual: dict[str, Any], rtol: float | None = None) -> list[str]:
    """How an observation differs from the golden: the result, the printed text, the warnings; empty when nowhere."""
    if "raised" in actual:
        return ["raised " + actual["raised"].strip().rsplit("\n", 1)[-1]]
    lines = differences(expected["result"], actual["result"], rtol)
    for what, nothing in (("printed", ""), ("warned", [])):
        left, right = expected.get(what, nothing), actual.get(what, nothing)
        if left != right:
            lines.append(f"{what}: {right!r}, expected {left!r}")
    return lines
