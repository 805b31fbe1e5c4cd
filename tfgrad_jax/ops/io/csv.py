"""Lines of comma-separated values: `tf.io.decode_csv`."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Attr, Flag, Operand, Text
from tfgrad_jax.engine.messages.errors import InvalidArgumentError, invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.ops.common import operand
from tfgrad_jax.ops.io import csv_columns as usual
from tfgrad_jax.ops.io.roles import Bytes, strings, widened
from tfgrad_jax.ops.strings.numbers import float_of

_Defaults: Any = Operand(shared=False, many=True, differentiable=False)

_DTYPES = {dtypes.float32: "float", dtypes.float64: "double", dtypes.int32: "int32", dtypes.int64: "int64"}


def _wrong(message: str) -> InvalidArgumentError:
    return invalid_argument(message, "DecodeCSV")


def _fields(line: bytes, delimiter: bytes, quotes: bool, wanted: float) -> list[bytes]:
    """The fields of a line, the first `wanted` of which are looked at.

    Raises:
      InvalidArgumentError: if a quote or the end of a line stands where it may not.
    """
    if not (b"\n" in line or b"\r" in line or (quotes and b'"' in line)):
        return line.split(delimiter) if line else []
    found: list[bytes] = []
    at, end = 0, len(line)
    while at < end and len(found) < wanted:
        if line[at] in b"\r\n":  # ends of lines count for nothing in front of a field
            at += 1
            continue
        if quotes and line[at : at + 1] == b'"':
            pieces, at = [], at + 1
            while True:
                stop = line.find(b'"', at)
                if stop < 0:
                    raise _wrong("Quoted field has to end with quote followed by delim or end")
                pieces.append(line[at:stop])
                at = stop + 1
                if line[at : at + 1] != b'"':
                    break
                pieces.append(b'"')
                at += 1
            if at < end and line[at : at + 1] != delimiter:
                raise _wrong("Quote inside a string has to be escaped by another quote")
            found.append(b"".join(pieces))
        else:
            stop = line.find(delimiter, at)
            stop = end if stop < 0 else stop
            text = line[at:stop]
            if b"\n" in text or b"\r" in text or (quotes and b'"' in text):
                raise _wrong("Unquoted fields cannot have quotes/CRLFs inside")
            found.append(text)
            at = stop
        at += 1
    if line.endswith(delimiter) and at == end:
        found.append(b"")
    return found


@op("DecodeCSV", host=True)
def _decode_csv(
    records: Bytes,
    record_defaults: _Defaults,
    field_delim: Text = ",",
    use_quote_delim: Flag = True,
    na_value: Text = "",
    select_cols: Attr = (),
):
    if len(field_delim) != 1:
        raise _wrong(f"field_delim should be only 1 char, got {field_delim!r}")
    delimiter, nothing = field_delim.encode(), na_value.encode()
    lines = records.reshape(-1).tolist()
    count = len(record_defaults)
    rows = []
    for i, default in enumerate(record_defaults):
        if default.ndim > 1:
            raise _wrong("Each record default should be at most rank 1")
        if default.size > 1:
            raise _wrong(f"There should only be 1 default per field but field {i} has {default.size}")
    columns = usual.columns(lines, delimiter, use_quote_delim, select_cols) if len(lines) > 1 else None
    if columns is not None and len(columns) == count:
        return [
            _column(f, c, d, nothing, records.shape)
            for f, (c, d) in enumerate(zip(columns, record_defaults, strict=True))
        ]
    wanted = math.inf if select_cols is None else max(select_cols, default=-1) + 1
    for i, line in enumerate(lines):
        row = _fields(line, delimiter, use_quote_delim, wanted)
        if select_cols is not None:
            row = [row[c] for c in select_cols if c < len(row)]
        if len(row) != count:
            raise _wrong(f"Expect {count} fields but have {len(row)} in record {i}")
        rows.append(row)
    columns = list(zip(*rows, strict=True)) if rows else [()] * count
    return [
        _column(f, c, d, nothing, records.shape) for f, (c, d) in enumerate(zip(columns, record_defaults, strict=True))
    ]


def _column(f: int, column: Sequence[bytes], default: np.ndarray, nothing: bytes, shape: tuple[int, ...]) -> np.ndarray:
    """The values of a field, in the dtype of its default."""
    if b"" not in column and nothing not in column:
        if default.dtype == object:
            return strings(list(column), shape)
        found = usual.numbers(column, default.dtype)
        if found is not None:
            return found.reshape(shape)
    texts = [None if not t or t == nothing else t for t in column]
    if not default.size and None in texts:
        raise _wrong(f"Field {f} is required but missing in record {texts.index(None)}!")
    filler: Any = default.reshape(-1)[0] if default.size else None
    if default.dtype == object:
        return strings([filler if t is None else t for t in texts], shape)
    limits = np.iinfo(default.dtype) if default.dtype.kind == "i" else None
    number: Any = floating if limits is None else int
    try:
        values = [filler if t is None else number(t) for t in texts]
        fits = limits is None or not values or (limits.min <= min(values) and max(values) <= limits.max)
        if fits and b"_" not in b"".join(filter(None, texts)):  # which Python allows between digits
            with np.errstate(over="ignore"):
                return np.array(values, default.dtype).reshape(shape)
    except ValueError:
        pass
    i, text = next((i, t) for i, t in enumerate(texts) if t is not None and not _is_valid(t, number, limits))
    kind = _DTYPES[dtypes.as_dtype(default.dtype)]
    raise _wrong(f"Field {f} in record {i} is not a valid {kind}: {text.decode(errors='replace')}")


def floating(text: bytes) -> float:
    """The number that a text says, in hexadecimal digits too.

    Raises:
      ValueError: if it is none.
    """
    value = float_of(text)
    if value is None:
        raise ValueError("no number")
    return value


def _is_valid(text: bytes, number: Any, limits: Any) -> bool:
    try:
        value = number(text)
    except ValueError:
        return False
    return b"_" not in text and (limits is None or limits.min <= value <= limits.max)


@_decode_csv.types
def _(records, record_defaults, field_delim, use_quote_delim, na_value, select_cols):
    return [widened(records, default.dtype) for default in record_defaults]


@export("io.decode_csv")
def decode_csv(
    records: Any,
    record_defaults: Any,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    select_cols: Any = None,
    name: str | None = None,
) -> list[Tensor]:
    r"""Lines of comma-separated values as a tensor for each column. Mirrors `tf.io.decode_csv`.

    Args:
      records: strings, each of which is a line, without its end.
      record_defaults: for each column what stands for an empty field: a scalar, or a vector of one element or of none, where
        there must be no empty field. The column gets its dtype: float32, float64, int32, int64 or string.
      field_delim: the character between two fields.
      use_quote_delim: whether a field may stand in double quotes; two of them in it stand for one.
      na_value: a further text that means an empty field.
      select_cols: the positions of the columns to take, in ascending order; all by default.
      name: accepted for compatibility.

    Returns:
      A list of tensors of the shape of `records`.

    Raises:
      InvalidArgumentError: if a line has another number of fields, or a field is no such number.
      ValueError: if `select_cols` does not ascend, or there are not as many defaults.
      IndexError: if it is empty.
    """
    if select_cols is not None:
        if not len(select_cols):
            raise IndexError("tf.io.decode_csv: select_cols must have one column at least, got none")
        if any(b <= a for a, b in itertools.pairwise(select_cols)):
            raise ValueError(f"select_cols is not strictly increasing: {list(select_cols)}")
        if any(c < 0 for c in select_cols):
            raise ValueError(f"select_cols contains negative values: {list(select_cols)}")
        if len(select_cols) != len(record_defaults):
            raise ValueError(
                f"Length of select_cols and record_defaults do not match: {len(select_cols)} and {len(record_defaults)}"
            )
    defaults = [operand(default) for default in record_defaults]
    if not defaults:
        raise _wrong("Length for attr 'OUT_TYPE' of 0 must be at least minimum 1: record_defaults is empty")
    for default in defaults:
        if default.dtype not in _DTYPES and default.dtype is not dtypes.string:
            raise _wrong(
                f"Value for attr 'OUT_TYPE' of {default.dtype.name} is not in the list of allowed values: "
                "float, double, int32, int64, string"
            )
    return _decode_csv(records, defaults, field_delim, use_quote_delim, na_value, select_cols)
