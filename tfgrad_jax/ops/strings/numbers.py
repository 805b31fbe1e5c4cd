"""Numbers as strings, and back."""

from __future__ import annotations

import contextlib
import decimal
import math
import re
from collections.abc import Callable, Sequence
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
from tfgrad_jax.ops.strings.common import Anything, Characters, String, each, placed


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
    if input.dtype.names is not None:
        raise invalid_argument(
            f"Value for attr 'T' of {as_dtype(input.dtype).name} is not in the list of allowed values", raw
        )
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
    # What is infinite or no number is not filled with zeros.
    finite, other = ("%" + flag + rest).encode(), ("%" + flag.replace("0", "") + rest).encode()
    if kind == "c":
        return each(lambda v: b"(%s,%s)" % tuple([_written(p, finite, other) for p in (v.real, v.imag)]), input)
    flat = (input if exact else input.astype(np.float64)).reshape(-1)
    if finite == other or exact or np.isfinite(flat).all():
        return placed(map(finite.__mod__, flat.tolist()), input.shape)
    return placed([_written(v, finite, other) for v in flat.tolist()], input.shape)


def _written(value: float, finite: bytes, other: bytes) -> bytes:
    return (finite if math.isfinite(value) else other) % value


_NUMBERS = frozenset({dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.uint32, dtypes.uint64})

_DIGITS = b"0123456789"
_USUAL = _DIGITS + b"+-.eE"
_SPACE = rb"[ \t\n\v\f\r]*"
_FLOAT = (
    _SPACE + rb"([+-]?(?:(0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)(?:[pP][+-]?[0-9]+)?)"
    rb"|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
    rb"|[iI][nN][fF](?:[iI][nN][iI][tT][yY])?|[nN][aA][nN]))(?:(?<=[nN])\([0-9a-zA-Z_]*\))?" + _SPACE
)
_SIGNED = _SPACE + rb"[+-]?[0-9]+" + _SPACE
_UNSIGNED = _SPACE + rb"\+?[0-9]+" + _SPACE


def float_of(text: bytes) -> float | None:
    """The number that a text is, as C reads it, hexadecimal ones too; None if it is none."""
    found = re.fullmatch(_FLOAT, text)
    if found is None:
        return None
    try:
        return float.fromhex(found[1].decode()) if found[2] else float(found[1])
    except OverflowError:
        return -np.inf if found[1].startswith(b"-") else np.inf


def _rounded_once(values: np.ndarray, texts: Sequence[bytes]) -> np.ndarray:
    """Numbers of 53 bits, so that rounding them to 24 bits gives what rounding the texts at once would give."""
    with np.errstate(over="ignore"):
        between = (values.astype(np.float32) != values) & (values.view(np.int64) << 36 == 0) & np.isfinite(values)
    for i in np.flatnonzero(between).tolist():
        text = texts[i]
        if b"x" not in text.lower():
            exact = decimal.Decimal(text.decode())
            if exact != decimal.Decimal(values[i]):
                values[i] = np.nextafter(values[i], np.inf if exact > decimal.Decimal(values[i]) else -np.inf)
    return values


def _integer(dtype: dtypes.DType) -> Callable[[bytes], int | None]:
    limits = np.iinfo(dtype.np)
    pattern = re.compile(_SIGNED if limits.min else _UNSIGNED)

    def integer(text: bytes) -> int | None:
        value = int(text) if pattern.fullmatch(text) else None
        return value if value is not None and limits.min <= value <= limits.max else None

    return integer


def parsed(texts: Sequence[bytes], dtype: dtypes.DType, wrong: Callable[[int], Exception]) -> np.ndarray:
    """The numbers that texts stand for; `wrong` makes the error for one that stands for none."""
    kind = np.dtype(np.int64 if dtype.is_integer and dtype is not dtypes.uint64 else dtype.np)
    kind = np.dtype(np.float64) if dtype.is_floating else kind
    usual = _USUAL if dtype.is_floating else _DIGITS if dtype.is_unsigned else _DIGITS + b"-"
    values = None
    if texts and not b"".join(texts).translate(None, usual):  # NumPy reads these as C does
        with contextlib.suppress(ValueError, OverflowError):
            values = np.array(texts, "S").astype(kind)
    if values is None or (dtype.is_integer and not _fits(values, dtype)):
        parse: Callable[[bytes], Any] = _integer(dtype) if dtype.is_integer else float_of
        found = [parse(text) for text in texts]
        for i, value in enumerate(found):
            if value is None:
                raise wrong(i)
        values = np.array(found, kind)
    if dtype is dtypes.float32:
        values = _rounded_once(values, texts)
    with np.errstate(over="ignore"):  # beyond float32 there is infinity
        return values.astype(dtype.np)


def _fits(values: np.ndarray, dtype: dtypes.DType) -> bool:
    limits = np.iinfo(dtype.np)
    return bool(((values >= limits.min) & (values <= limits.max)).all())


@op("StringToNumber", host=True)
def _to_number(input: String, out_type: DTypeArg):
    texts = input.reshape(-1).tolist()

    def wrong(i: int) -> Exception:
        shown = texts[i].decode(errors="replace")
        return invalid_argument(f"StringToNumberOp could not correctly convert string: {shown}", "StringToNumber")

    return parsed(texts, out_type, wrong).reshape(input.shape)


@export("strings.to_number")
def to_number(input: Any, out_type: Any = dtypes.float32, name: str | None = None) -> Tensor:
    """The numbers that the strings stand for. Mirrors `tf.strings.to_number`.

    Raises:
      InvalidArgumentError: if a string is no number of that type.
    """
    dtype = dtypes.float32 if out_type is None else as_dtype(out_type)
    one_of(dtype, _NUMBERS, "StringToNumber")
    return _to_number(input, dtype)
