"""Numbers as strings, and back."""

from __future__ import annotations

import fractions
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import DTypeArg, Flag, Int
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.ops.common import one_of
from tfgrad_jax.ops.strings.common import Anything, Characters, String, each


@op("AsString", "strings.as_string", "as_string", host=True)
def as_string(
    input: Anything,
    precision: Int = -1,
    scientific: Flag = False,
    shortest: Flag = False,
    width: Int = -1,
    fill: Characters = "",
):
    """Numbers written out, as C's `printf` does.

    Raises:
      InvalidArgumentError: if the format does not go with the dtype.
    """
    raw = "AsString"
    flag = fill.decode(errors="replace")
    if scientific and shortest:
        raise invalid_argument("Cannot select both scientific and shortest notation", raw)
    if len(fill) > 1 or flag not in "+ -0#":
        raise invalid_argument(f"Fill string must be one of '+', ' ', '-', '0', '#', got {flag!r}", raw)
    kind = input.dtype.kind
    exact = kind in "iub" or input.dtype.name in ("int4", "uint4", "int2", "uint2")
    if exact and (scientific or shortest or precision >= 0):
        raise invalid_argument(f"scientific, shortest and precision do not apply to {input.dtype}", raw)
    if kind == "b":
        return each(lambda v: b"true" if v else b"false", input)
    if kind == "u" or input.dtype.name.startswith("uint"):
        flag = flag.strip("+ ")  # which are about signs
    size = str(width) if width > 0 else ""
    if kind == "O":
        aligned = b"%%%s%ss" % (b"-" if flag == "-" else b"", size.encode())
        return each(lambda v: aligned % v, input) if size else input
    letter = "d" if exact else "e" if scientific else "g" if shortest else "f"
    rest = size + (f".{precision}" if precision >= 0 else "") + letter
    written = _written("%" + flag + rest, "%" + flag.replace("0", "") + rest)
    if kind == "c":
        return each(lambda v: b"(%s,%s)" % (written(v.real), written(v.imag)), input)
    return each(written, input if exact else input.astype(np.float64))


def _written(finite: str, other: str) -> Callable[[Any], bytes]:
    """A number by one pattern; by the other, which fills with no zeros, if it is infinite or none."""
    return lambda v: ((finite if np.isfinite(v) else other) % v).encode()


_NUMBERS = frozenset({dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.uint32, dtypes.uint64})

_SPACE = rb"[ \t\n\v\f\r]*"
_FLOAT = re.compile(
    _SPACE + rb"([+-]?(?:(0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)(?:[pP][+-]?[0-9]+)?)"
    rb"|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
    rb"|[iI][nN][fF](?:[iI][nN][iI][tT][yY])?|[nN][aA][nN]))(?:(?<=[nN])\([0-9a-zA-Z_]*\))?" + _SPACE
)
_SIGNED = re.compile(_SPACE + rb"[+-]?[0-9]+" + _SPACE)
_UNSIGNED = re.compile(_SPACE + rb"\+?[0-9]+" + _SPACE)


def _float(text: bytes) -> float | None:
    found = _FLOAT.fullmatch(text)
    if found is None:
        return None
    try:
        return float.fromhex(found[1].decode()) if found[2] else float(found[1])
    except OverflowError:
        return -np.inf if found[1].startswith(b"-") else np.inf


def _single(text: bytes) -> float | None:
    """The number to be rounded to 24 bits: rounding it to 53 must not have put it between two of those."""
    value = _float(text)
    if (
        value
        and np.isfinite(value)
        and float(np.float32(value)) != value
        and not np.float64(value).view(np.int64) << 36
    ):
        exact = fractions.Fraction(text.decode()) if b"x" not in text.lower() else value
        return value if exact == value else float(np.nextafter(value, np.inf if exact > value else -np.inf))
    return value


def _integer(dtype: dtypes.DType) -> Callable[[bytes], int | None]:
    limits = np.iinfo(dtype.np)
    pattern = _SIGNED if limits.min else _UNSIGNED

    def integer(text: bytes) -> int | None:
        value = int(text) if pattern.fullmatch(text) else None
        return value if value is not None and limits.min <= value <= limits.max else None

    return integer


def parser(dtype: dtypes.DType) -> Callable[[bytes], Any]:
    """What makes a number of that type of a text; None of a text that is none."""
    if dtype.is_integer:
        return _integer(dtype)
    return _float if dtype is dtypes.float64 else _single


@op("StringToNumber", host=True)
def _to_number(input: String, out_type: DTypeArg):
    parse = parser(out_type)

    def number(text: bytes) -> Any:
        value = parse(text)
        if value is None:
            shown = text.decode(errors="replace")
            raise invalid_argument(f"StringToNumberOp could not correctly convert string: {shown}", "StringToNumber")
        return value

    with np.errstate(over="ignore"):  # beyond float32 there is infinity
        return each(number, input, dtype=out_type.np)


@export("strings.to_number")
def to_number(input: Any, out_type: Any = dtypes.float32, name: str | None = None) -> Tensor:
    """The numbers that the strings stand for. Mirrors `tf.strings.to_number`.

    Raises:
      InvalidArgumentError: if a string is no number of that type.
    """
    dtype = as_dtype(out_type)
    one_of(dtype, _NUMBERS, "StringToNumber")
    return _to_number(input, dtype)
