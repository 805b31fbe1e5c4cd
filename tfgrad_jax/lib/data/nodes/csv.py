"""Files of comma-separated values, a record at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, pairwise
from typing import Any

import numpy as np

from tfgrad_jax.engine.messages.errors import InvalidArgumentError, invalid_argument
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.lib.data.nodes.files import opened, text
from tfgrad_jax.lib.data.nodes.node import Element, Step
from tfgrad_jax.ops.io.csv import floating
from tfgrad_jax.ops.io.csv_columns import columns, numbers

Convert = Callable[[bytes], np.ndarray]


class CsvRecords(Step):
    """The records of a file as elements; after one that is wrong the next can be asked for.

    Args:
      path: the file.
      compression: as of `opened`.
      header: whether the first record is left out.
      delimiter: what stands between fields, one byte.
      quotes: whether fields may stand in double quotes, and have ends of lines and delimiters in them then.
      columns: the positions of fields to take, in ascending order; none for all that are not excluded.
      excluded: the positions of fields to leave out.
      defaults: by column, an array with the value of an empty field, or without one where none may be empty.
      nothing: a text that also means an empty field.

    Raises:
      InvalidArgumentError: if there is no header.
    """

    def __init__(
        self,
        path: str,
        compression: str,
        header: bool,
        delimiter: bytes,
        quotes: bool,
        columns: Sequence[int],
        excluded: Sequence[int],
        defaults: Sequence[np.ndarray],
        nothing: bytes,
    ) -> None:
        self._file = _lines(path, compression)
        self._again: deque[bytes] = deque()
        self._failure: Exception | None = None
        self._lines = self._rest()
        self._delimiter, self._quotes = delimiter, quotes
        self._columns, self._excluded = columns, excluded
        self._nothing = nothing
        self._defaults = [default.reshape(-1)[:1].astype(default.dtype) for default in defaults]
        self._converts = [_converter(place, default.dtype) for place, default in enumerate(defaults)]
        self._header = header
        self._dtypes = [default.dtype for default in defaults]
        self._ready: Iterator[Element] = iter(())
        self._singly = 0  # so many lines are to be read one by one

    def __next__(self) -> Element:
        if self._header:
            self._header = False
            if not any(True for _ in zip(range(1), self._records())):
                raise _wrong("Can't read header of file")
        if self._singly <= 0:
            for element in self._ready:
                return element
            self._ready = iter(self._many())
            for element in self._ready:
                return element
        for fields in self._records():
            return self._element(fields)
        raise StopIteration

    def _rest(self) -> Iterator[bytes]:
        while True:
            while self._again:
                yield self._again.popleft()
            if self._failure is not None:
                raise self._failure
            line = next(self._file, None)
            if line is None:
                return
            yield line

    def _many(self) -> list[Element]:
        """The elements of the next lines if each is a record and none is wrong; otherwise none: they are to be read one by one."""
        lines = self._again
        try:
            lines.extend(islice(self._file, _AT_ONCE))
        except Exception as error:
            self._failure = error  # of the line after these
        self._singly = len(lines)
        found = self._kept(columns(_without_ends(lines), self._delimiter, self._quotes, self._columns or None) or [])
        if len(found) != len(self._defaults):
            return []
        values = []
        for texts, default, dtype in zip(found, self._defaults, self._dtypes, strict=True):
            column = _column(texts, default, dtype, self._nothing)
            if column is None:
                return []
            values.append(column)
        lines.clear()
        self._singly = 0
        return list(zip(*values, strict=True))

    def _records(self) -> Iterator[list[bytes]]:
        """The fields of the next record, in whose quotes there may be ends of lines."""
        for line in self._lines:
            self._singly -= 1
            while True:
                fields = _split(_without_end(line), self._delimiter, self._quotes)
                if fields is not None:
                    yield fields
                    break
                try:
                    line += next(self._lines)
                    self._singly -= 1
                except StopIteration:
                    raise _wrong("Reached end of file without closing quoted field in record") from None

    def _kept(self, fields: list[Any]) -> list[Any]:
        """Those that are not excluded."""
        return [field for c, field in enumerate(fields) if c not in self._excluded] if self._excluded else fields

    def _element(self, fields: list[bytes]) -> Element:
        wanted = len(self._defaults)
        fields = [fields[c] for c in self._columns if c < len(fields)] if self._columns else self._kept(fields)
        if len(fields) != wanted:
            have = str(len(fields)) if len(fields) < wanted else "more"
            raise _wrong(f"Expect {wanted} fields but have {have} in record")
        return tuple(
            [
                convert(field) if field and field != self._nothing else _given(default, place)
                for place, (convert, field, default) in enumerate(zip(self._converts, fields, self._defaults))
            ]
        )


_AT_ONCE = 256
"""Lines to read at once, where nothing is wrong with them."""


def _column(texts: Sequence[bytes], default: np.ndarray, dtype: Any, nothing: bytes) -> list[np.ndarray] | None:
    """The values of a field in several records; None if one may be wrong, or is not of the usual kind."""
    if b"" in texts or nothing in texts:
        if not default.size:
            return None
        given = b"%r" % default.item() if dtype.kind != "O" else default.item()
        texts = [given if not t or t == nothing else t for t in texts]
    if dtype.kind == "O":
        return [text(t)[0] for t in texts]
    found = numbers(texts, dtype)
    return None if found is None else list(map(np.asarray, found))


def _given(default: np.ndarray, place: int) -> np.ndarray:
    if not default.size:
        raise _wrong(f"Field {place} is required but missing in record!")
    return default.reshape(())


def _lines(path: str, compression: str) -> Iterator[bytes]:
    """The lines of a file with their ends, of whatever system."""
    with opened(path, compression, "IteratorGetNext") as file:
        for line in file:
            if b"\r" in line:
                yield from line.splitlines(keepends=True)
            else:
                yield line


def _without_end(line: bytes) -> bytes:
    end = 2 if line.endswith(b"\r\n") else 1 if line.endswith((b"\n", b"\r")) else 0
    return line[: len(line) - end]


def _without_ends(lines: Sequence[bytes]) -> Sequence[bytes]:
    text = b"".join(lines)
    if b"\r" in text:
        return [_without_end(line) for line in lines]
    return _without_end(text).split(b"\n")  # which takes a fifth of the time


def _split(record: bytes, delimiter: bytes, quotes: bool) -> list[bytes] | None:
    """The fields of a record; None if it goes on in the next line.

    Raises:
      InvalidArgumentError: if a quote stands where it may not.
    """
    if not quotes or b'"' not in record:
        return record.split(delimiter)
    found, at, length, escaped = [], 0, len(record), True
    while at <= length:
        if record[at : at + 1] == b'"':
            at += 1
            end = record.find(b'"', at)
            while end >= 0 and record[end + 1 : end + 2] not in (delimiter, b""):
                pair = record[end + 1 : end + 2] == b'"'
                escaped = escaped and pair
                end = record.find(b'"', end + 1 + pair)
            if end < 0:
                return None
            found.append(record[at:end].replace(b'""', b'"'))
            end += 1
        else:
            end = record.find(delimiter, at)
            end = length if end < 0 else end
            found.append(record[at:end])
            if b'"' in found[-1]:
                raise _wrong("Unquoted fields cannot have quotes inside")
        at = end + 1
    if not escaped:
        raise _wrong("Quote inside a string has to be escaped by another quote")
    return found


def _converter(place: int, dtype: Any) -> Convert:
    """A function that makes a scalar of a field's text."""
    if dtype.kind == "O":
        return lambda field: text(field)[0]
    whole, kind = dtype.kind == "i", {"f4": "float", "f8": "double"}.get(dtype.str[1:], dtype.name)
    limits: Any = np.iinfo(dtype) if whole else np.finfo(dtype)
    low, high = (int if whole else float)(limits.min), (int if whole else float)(limits.max)

    def convert(field: bytes) -> np.ndarray:
        try:
            value: Any = int(field) if whole else floating(field)
            if b"_" in field or (whole and not low <= value <= high):
                raise ValueError
        except ValueError:
            shown = field.decode(errors="replace")
            raise _wrong(f"Field {place} in record is not a valid {kind}: {shown}") from None
        if not whole and (value < low or value > high):
            value *= np.inf
        return np.array(value, dtype)

    return convert


def check(defaults: Sequence[np.ndarray], delimiter: str, columns: Sequence[int], excluded: Sequence[int]) -> None:
    """That arguments of a dataset of such files make sense.

    Raises:
      InvalidArgumentError: if they do not.
    """
    if columns and excluded:
        raise invalid_argument("Either select_cols or exclude_cols should be empty", _OP)
    if len(delimiter) != 1:
        raise invalid_argument(f"field_delim should be only 1 char, got {delimiter!r}", _OP)
    if not defaults:
        raise invalid_argument("Length for attr 'output_types' of 0 must be at least minimum 1", _OP)
    for place, default in enumerate(defaults):
        if default.ndim > 1:
            raise invalid_argument("Each record default should be at most rank 1", _OP)
        if default.size > 1:
            raise invalid_argument(
                f"There should only be 1 default per field but field {place} has {default.size}", _OP
            )
        if default.dtype != object and default.dtype.str[1:] not in ("f4", "f8", "i4", "i8"):
            raise invalid_argument(
                f"Value for attr 'output_types' of {as_dtype(default.dtype).name} is not in the list of allowed values: float, "
                "double, int32, int64, string",
                _OP,
            )
    if columns and len(columns) != len(defaults):
        raise invalid_argument("select_cols should match output size", _OP)
    _increasing("select_cols", columns)
    _increasing("exclude_cols", excluded)


def _increasing(name: str, columns: Sequence[int]) -> None:
    """That positions of columns ascend.

    Raises:
      InvalidArgumentError: if they do not.
    """
    if any(column < 0 for column in columns):
        raise invalid_argument(f"{name} should be non-negative indices", _OP)
    if any(b <= a for a, b in pairwise(columns)):
        raise invalid_argument(f"{name} should be strictly increasing indices", _OP)


_OP = "CSVDatasetV2"


def _wrong(message: str) -> InvalidArgumentError:
    return invalid_argument(message, "IteratorGetNext")
