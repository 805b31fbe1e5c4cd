"""Strings: operations that run on the host, on NumPy arrays of `bytes`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Axis, DTypeArg, Flag, Int, Operand, Text
from tfgrad_jax.engine.messages.errors import OutOfRangeError, invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.ops.common import listed, one_of

_String: Any = Operand(shared=False, forced=dtypes.string, differentiable=False)
_Strings: Any = Operand(shared=False, forced=dtypes.string, many=True, differentiable=False)
_Indices: Any = Operand(frozenset({dtypes.int32, dtypes.int64}), dtype=dtypes.int32, differentiable=False)
_Printable: Any = Operand(shared=False, differentiable=False)


def _each(function: Callable[..., Any], *arrays: Any, dtype: Any = object) -> np.ndarray:
    """The function of each element (or of corresponding ones, with broadcasting)."""
    return np.asarray(np.frompyfunc(function, len(arrays), 1)(*arrays), dtype)


def _unit(unit: str, raw: str) -> bool:
    """Whether lengths are counted in characters."""
    if unit not in ("BYTE", "UTF8_CHAR"):
        raise invalid_argument(
            f'Value for attr \'unit\' of "{unit}" is not in the list of allowed values: "BYTE", "UTF8_CHAR"', raw
        )
    return unit == "UTF8_CHAR"


@op("StringLength", "strings.length", host=True)
def length(input: _String, unit: Text = "BYTE"):
    """The number of bytes, or of characters with `unit="UTF8_CHAR"`."""
    characters = _unit(unit, "StringLength")
    return _each(lambda s: len(s.decode(errors="replace") if characters else s), input, dtype=np.int32)


@op("StringJoin", "strings.join", host=True)
def join(inputs: _Strings, separator: Text = ""):
    """The strings at each place, one after the other; scalars go with every place.

    Raises:
      InvalidArgumentError: if two inputs that are no scalars have different shapes.
    """
    shapes = {a.shape for a in inputs if a.shape}
    if len(shapes) > 1:
        shown = " vs. ".join(map(listed, sorted(shapes)))
        raise invalid_argument(f"Input shapes do not match: {shown}", "StringJoin")
    if not inputs:
        return np.array(b"", object)
    return _each(lambda *parts: separator.encode().join(parts), *inputs)


@op("ReduceJoin", host=True)
def _reduce_join(inputs: _String, axis: Axis, keepdims: Flag, separator: Text):
    rank = inputs.ndim
    axes = tuple(range(rank))[::-1] if axis is None else (axis,) if type(axis) is int else axis
    for a in axes:
        if not -rank <= a < rank:
            message = f"Invalid reduction dimension {a} for input with {rank} dimension(s) [Op:ReduceJoin]"
            raise OutOfRangeError(None, None, message)
    axes = tuple(a % rank for a in axes)[::-1]  # the first one given is joined first
    kept = tuple(d for d in range(rank) if d not in axes)
    shape = tuple(inputs.shape[d] for d in kept)
    rows = inputs.transpose(kept + axes).reshape((*shape, -1))
    out = np.empty(shape, object)
    for place in np.ndindex(shape):
        out[place] = separator.encode().join(rows[place])
    return np.expand_dims(out, axes) if keepdims else out


@export("strings.reduce_join")
def reduce_join(
    inputs: Any, axis: Any = None, keepdims: bool = False, separator: str = "", name: str | None = None
) -> Tensor:
    """The strings joined along some axes, one after the other; along all if None. Mirrors `tf.strings.reduce_join`.

    Raises:
      OutOfRangeError: if there is no such axis.
    """
    return _reduce_join(inputs, axis, keepdims, separator)


def _is_unicode(encoding: str, raw: str) -> bool:
    if encoding.lower() not in ("", "utf-8"):
        raise invalid_argument(f"only utf-8 or '' (no encoding) is supported, received {encoding}", raw)
    return bool(encoding)


@op("StringUpper", "strings.upper", host=True)
def upper(input: _String, encoding: Text = ""):
    """In upper case: ASCII letters, or all with `encoding="utf-8"`."""
    return _each(
        (lambda s: s.decode().upper().encode()) if _is_unicode(encoding, "StringUpper") else bytes.upper, input
    )


@op("StringLower", "strings.lower", host=True)
def lower(input: _String, encoding: Text = ""):
    """In lower case: ASCII letters, or all with `encoding="utf-8"`."""
    return _each(
        (lambda s: s.decode().lower().encode()) if _is_unicode(encoding, "StringLower") else bytes.lower, input
    )


@op("StringStrip", "strings.strip", host=True)
def strip(input: _String):
    """Without white space at both ends."""
    return _each(bytes.strip, input)


@op("Substr", "strings.substr", host=True)
def substr(input: _String, pos: _Indices, len: _Indices, unit: Text = "BYTE"):
    """`len` bytes (or characters) from `pos` on; a negative `pos` counts from the end.

    Raises:
      InvalidArgumentError: if `pos` lies outside of a string.
    """
    characters = _unit(unit, "Substr")
    if pos.shape != len.shape:
        raise invalid_argument(
            f"pos and len should have the same shape, got: {listed(pos.shape)} vs. {listed(len.shape)}", "Substr"
        )

    def part(text: bytes, start: int, count: int) -> bytes:
        whole = text.decode(errors="replace") if characters else text
        size = whole.__len__()
        if not -size <= start <= size:
            raise invalid_argument(f"pos {start} out of range for string {text!r}", "Substr")
        start += size if start < 0 else 0
        found = whole[start : start + max(count, 0)]
        return found.encode() if characters else found  # type: ignore[union-attr, return-value]

    return _each(part, input, pos, len)


# -- regular expressions ----------------------------------------------------------------------------------------------


def _compiled(pattern: str, raw: str) -> re.Pattern[bytes]:
    try:
        return re.compile(pattern.encode())
    except re.error as error:
        raise invalid_argument(f"Invalid pattern: {pattern}, error: {error}", raw) from None


@op("RegexReplace", "strings.regex_replace", host=True)
def regex_replace(input: _String, pattern: Text, rewrite: Text, replace_global: Flag = True):
    r"""Each match of the pattern is replaced; `\1` to `\9` in `rewrite` stand for groups, `\0` for all that matched.

    Raises:
      InvalidArgumentError: if the pattern is no regular expression.
    """
    compiled = _compiled(pattern, "RegexReplace")
    groups = [int(n) for n in re.findall(r"\\(\d)", rewrite)]
    if any(n > compiled.groups for n in groups):
        return input  # TensorFlow leaves the strings alone, too
    template = re.sub(r"\\(\d)", r"\\g<\1>", rewrite).encode()
    return _each(lambda s: compiled.sub(template, s, count=0 if replace_global else 1), input)


@op("RegexFullMatch", "strings.regex_full_match", host=True)
def regex_full_match(input: _String, pattern: Text):
    """Whether all of each string matches the pattern.

    Raises:
      InvalidArgumentError: if the pattern is no regular expression.
    """
    compiled = _compiled(pattern, "RegexFullMatch")
    return _each(lambda s: compiled.fullmatch(s) is not None, input, dtype=bool)


# -- numbers ----------------------------------------------------------------------------------------------------------


@op("AsString", "strings.as_string", "as_string", host=True)
def as_string(
    input: _Printable,
    precision: Int = -1,
    scientific: Flag = False,
    shortest: Flag = False,
    width: Int = -1,
    fill: Text = "",
):
    """Numbers written out, as C's `printf` does.

    Raises:
      InvalidArgumentError: if the format does not go with the dtype.
    """
    kind = input.dtype.kind
    raw = "AsString"
    if kind == "O":
        return input
    if scientific and shortest:
        raise invalid_argument("Cannot select both scientific and shortest notation", raw)
    if len(fill) > 1 or (fill and fill not in "+ -0#"):
        raise invalid_argument(f"Fill string must be one of '+', ' ', '-', '0', '#', got {fill!r}", raw)
    exact = kind in "iub"
    if exact and (scientific or shortest or precision >= 0):
        raise invalid_argument(f"scientific, shortest and precision do not apply to {input.dtype}", raw)
    if kind == "b":
        return _each(lambda v: b"true" if v else b"false", input)
    letter = "d" if exact else "e" if scientific else "g" if shortest else "f"
    pattern = "%" + fill + (str(width) if width >= 0 else "") + (f".{precision}" if precision >= 0 else "") + letter
    if kind == "c":
        return _each(lambda v: f"({pattern % v.real},{pattern % v.imag})".encode(), input)
    return _each(lambda v: (pattern % v).encode(), input if exact else input.astype(np.float64))


_NUMBERS = frozenset({dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64})


@op("StringToNumber", host=True)
def _to_number(input: _String, out_type: DTypeArg):
    limits = np.iinfo(out_type.np) if out_type.is_integer else None

    def number(text: bytes) -> Any:
        try:
            if limits is None:
                return float(text)
            value = int(text)
            if limits.min <= value <= limits.max:
                return value
        except ValueError:
            pass
        raise invalid_argument(
            f"StringToNumberOp could not correctly convert string: {text.decode(errors='replace')}", "StringToNumber"
        )

    return _each(number, input, dtype=out_type.np)


@export("strings.to_number")
def to_number(input: Any, out_type: Any = dtypes.float32, name: str | None = None) -> Tensor:
    """The numbers that the strings stand for. Mirrors `tf.strings.to_number`.

    Raises:
      InvalidArgumentError: if a string is no number of that type.
    """
    dtype = as_dtype(out_type)
    one_of(dtype, _NUMBERS, "StringToNumber")
    return _to_number(input, dtype)
