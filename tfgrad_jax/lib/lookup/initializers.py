"""What tables are filled with when they are made: tensors, or the lines of a file."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from tfgrad_jax.engine.hooks import evaluated
from tfgrad_jax.engine.messages.errors import invalid_argument, out_of_range
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.effects import with_eager_context
from tfgrad_jax.engine.state.trackable import Trackable
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert_to_tensor
from tfgrad_jax.engine.values.dtypes import DType, as_dtype
from tfgrad_jax.engine.values.symbolic import SymbolicTensor
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.lookup.contents import Contents
from tfgrad_jax.ops.io.file_systems import read_bytes
from tfgrad_jax.ops.strings.numbers import parsed


class TableInitializer(Trackable):
    """Fills a table.

    Attributes:
      key_dtype, value_dtype: of the table.
    """

    key_dtype: Any
    value_dtype: Any

    def initialize(self, table: Any) -> None:
        """Fill a table, which calls it when it is made. Classes derived from initializers have one of their own.

        Raises:
          FailedPreconditionError: if there are two values for one key.
          InvalidArgumentError: if the rows make no sense.
        """
        self.fill(table.contents)
        table.contents.initializer = self

    def fill(self, contents: Contents) -> None:
        """Insert the rows.

        Raises:
          FailedPreconditionError: if there are two values for one key.
          InvalidArgumentError: if the rows make no sense.
        """
        raise NotImplementedError(f"{type(self).__name__} fills no table: give it a method initialize(table)")


@export("lookup.KeyValueTensorInitializer")
class KeyValueTensorInitializer(TableInitializer):
    """The keys and values of a table, as tensors. Mirrors `tf.lookup.KeyValueTensorInitializer`.

    Args:
      keys, values: tensors of one shape.
      key_dtype, value_dtype: what Python values become.
      name: accepted for compatibility.
    """

    def __init__(
        self, keys: Any, values: Any, key_dtype: Any = None, value_dtype: Any = None, name: Any = None
    ) -> None:
        self._keys, self._values = with_eager_context(
            lambda: (convert_to_tensor(keys, key_dtype), convert_to_tensor(values, value_dtype))
        )
        self.key_dtype, self.value_dtype = self._keys.dtype, self._values.dtype

    def fill(self, contents: Contents) -> None:
        contents.fill(array_now(self._keys), array_now(self._values), "LookupTableImportV2")


def array_now(tensor: Any) -> Any:
    """Rows, or a name of a file, which in a graph for sessions are computed now, since tables are filled when they are made."""
    if isinstance(tensor, SymbolicTensor) and tensor.graph.on_demand:
        tensor = evaluated(tensor.graph, tensor, {})
    return np.asarray(tensor.array)


@export("lookup.TextFileIndex")
class TextFileIndex:
    """What of a line is meant, where it is no column. Mirrors `tf.lookup.TextFileIndex`."""

    WHOLE_LINE = -2
    LINE_NUMBER = -1


_RAW = "InitializeTableFromTextFileV2"
_PARSED = {
    dtypes.int32: "int32",
    dtypes.int64: "int64",
    dtypes.float32: "float",
    dtypes.float64: "double",
}


@export("lookup.TextFileInitializer")
class TextFileInitializer(TableInitializer):
    """The keys and values of a table, from the lines of a file. Mirrors `tf.lookup.TextFileInitializer`.

    Args:
      filename: of the file.
      key_dtype, value_dtype: what the texts become.
      key_index, value_index: a column, the first being 0; or `TextFileIndex.WHOLE_LINE` or `TextFileIndex.LINE_NUMBER`.
      vocab_size: how many lines are read; all if None.
      delimiter: what separates columns.
      name: accepted for compatibility.
      value_index_offset: the number of the first line.

    Attributes:
      filename, vocab_size, delimiter: as given, the delimiter as bytes.
      indices: those of keys and of values.
      offset: the number of the first line.

    Raises:
      ValueError: if an index does not exist, or does not go with its dtype.
    """

    def __init__(
        self,
        filename: Any,
        key_dtype: Any,
        key_index: int,
        value_dtype: Any,
        value_index: int,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: Any = None,
        value_index_offset: int = 0,
    ) -> None:
        if not isinstance(filename, Tensor) and not filename:
            raise ValueError("tf.lookup.TextFileInitializer: the argument filename is missing")
        self.key_dtype, self.value_dtype = as_dtype(key_dtype), as_dtype(value_dtype)
        for what, index, dtype in (("key", key_index, self.key_dtype), ("value", value_index, self.value_dtype)):
            if index < TextFileIndex.WHOLE_LINE:
                raise ValueError(f"`{what}_index` should be >= {TextFileIndex.WHOLE_LINE}, received: {index}.")
            if index == TextFileIndex.LINE_NUMBER and dtype is not dtypes.int64:
                raise ValueError(f"`{what}_dtype` must be int64 for `{what}_index` {index}, received: {dtype!r}")
            if index == TextFileIndex.WHOLE_LINE and not dtype.is_integer and dtype is not dtypes.string:
                raise ValueError(
                    f"`{what}_dtype` should be either integer or string for `{what}_index` {index}, received: {dtype!r}"
                )
        if vocab_size is not None and vocab_size <= 0:
            raise ValueError(f"`vocab_size` should be > 0, received: {vocab_size}")
        path = np.asarray(array_now(filename)).item() if isinstance(filename, Tensor) else os.fspath(filename)
        self.filename = path.decode() if isinstance(path, bytes) else path
        self.indices = key_index, value_index
        self.vocab_size = vocab_size
        self.delimiter = delimiter.encode()
        self.offset = value_index_offset

    def fill(self, contents: Contents) -> None:
        if len(self.delimiter) != 1:
            raise invalid_argument(f"delimiter should be only 1 char, got {self.delimiter!r}", _RAW)
        lines = self._lines()
        arrays = []
        for index, dtype in zip(self.indices, (self.key_dtype, self.value_dtype), strict=True):
            column = np.empty(len(lines), dtype.np)
            column[...] = self._column(lines, index, dtype)
            arrays.append(column)
        contents.fill(arrays[0], arrays[1], _RAW)

    def _lines(self) -> list[bytes]:
        data = read_bytes(self.filename, _RAW)
        if not data:
            raise out_of_range(f"Read less bytes than requested: {self.filename} is empty", _RAW)
        lines = data.removesuffix(b"\n").split(b"\n")[: self.vocab_size]
        place = 0
        for line in lines:
            place += len(line) + 1
            if not line.removesuffix(b"\r"):
                raise invalid_argument(
                    f"Invalid content in {self.filename}: empty line found at position {place}.", _RAW
                )
        if self.vocab_size is not None and len(lines) < self.vocab_size:
            raise invalid_argument(
                f"Invalid vocab_size in {self.filename}: expected {self.vocab_size} but got {len(lines)}", _RAW
            )
        return [line.removesuffix(b"\r") for line in lines]

    def _column(self, lines: list[bytes], index: int, dtype: DType) -> Any:
        if index == TextFileIndex.LINE_NUMBER:
            return list(range(self.offset, self.offset + len(lines)))
        texts = lines
        if index != TextFileIndex.WHOLE_LINE:
            rows = [line.split(self.delimiter) for line in lines]
            wanted = max(self.indices) + 1
            for number, row in enumerate(rows):
                if len(row) < wanted:
                    line = lines[number].decode(errors="replace")
                    raise invalid_argument(
                        f"Invalid number of columns in {self.filename} line {number} ({line}) : expected at least {wanted} got "
                        f"{len(row)}",
                        _RAW,
                    )
            texts = [row[index] for row in rows]
        if dtype is dtypes.string:
            return texts
        if dtype not in _PARSED:
            raise invalid_argument(f"Data type {dtype.name} not supported.", _RAW)

        def wrong(line: int) -> Exception:
            shown = texts[line].decode(errors="replace")
            return invalid_argument(f"Field {shown} in line {line} is not a valid {_PARSED[dtype]}.", _RAW)

        return parsed(texts, dtype, wrong)
