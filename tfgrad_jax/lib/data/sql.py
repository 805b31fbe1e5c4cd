"""Datasets of what a query of a database gives."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any

import numpy as np

from tfgrad_jax.engine.messages.errors import UnknownError, invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import DType, as_dtype
from tfgrad_jax.engine.values.specs import TensorSpec
from tfgrad_jax.lib.data.creation import Creation
from tfgrad_jax.lib.data.dataset import DatasetV2
from tfgrad_jax.lib.data.structure import Structure

_KINDS = {
    dtypes.string, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64, dtypes.uint8, dtypes.uint16, dtypes.bool_,
    dtypes.float64,
}  # fmt: skip


def _text(value: Any) -> str:
    found: Any = np.asarray(convert(value, dtypes.string).array)[()]
    return str(found.decode())


def _value(value: Any, dtype: DType) -> Any:
    """What a column's value is in a dtype: as SQLite itself converts, so text that is no number is 0."""
    if dtype is dtypes.string:
        return b"" if value is None else value if isinstance(value, bytes) else str(value).encode()
    if not isinstance(value, (int, float)):
        try:
            value = float(value)
        except (TypeError, ValueError):
            value = 0
    if dtype is dtypes.bool_:
        return bool(int(value))
    return np.asarray(value).astype(np.int64 if dtype.is_integer else np.float64).astype(dtype.as_numpy_dtype)


@export("data.experimental.SqlDataset")
class SqlDatasetV2(DatasetV2):
    """The rows of a query. Mirrors `tf.data.experimental.SqlDataset`.

    Args:
      driver_name: `"sqlite"`.
      data_source_name: the name of the database's file.
      query: what to ask.
      output_types: a tuple with a dtype for each column: strings, integers, `tf.bool` or `tf.float64`.

    Raises:
      TypeError: if a dtype is another.
      InvalidArgumentError: while iterating: there is no such driver, or the query gives other columns.
      UnknownError: while iterating: the database refuses the query.
    """

    def __init__(self, driver_name: Any, data_source_name: Any, query: Any, output_types: Any) -> None:
        kinds = [as_dtype(kind) for kind in output_types]
        for kind in kinds:
            if kind not in _KINDS:
                raise TypeError(f"tf.data.experimental.SqlDataset: columns cannot be of dtype {kind.name}")

        def rows() -> Iterator[Any]:
            driver = _text(driver_name)
            if driver != "sqlite":
                raise invalid_argument(f"The database type, {driver}, is not supported by SqlDataset", "SqlDataset")
            try:
                connection = sqlite3.connect(f"file:{_text(data_source_name)}?mode=ro", uri=True)
            except sqlite3.Error as error:
                raise invalid_argument(f"the database cannot be opened: {error}", "SqlDataset") from None
            try:
                found = connection.execute(_text(query))
                columns = len(found.description or ())
                if columns != len(kinds):
                    raise invalid_argument(
                        f"The number of columns in query ({columns}) must match the number of elements in output_types "
                        f"({len(kinds)})",
                        "SqlDataset",
                    )
                for row in found:
                    yield tuple([_value(value, kind) for value, kind in zip(row, kinds, strict=True)])
            except sqlite3.Error as error:
                raise UnknownError(None, None, f"the query failed: {error}") from None
            finally:
                connection.close()

        spec = tuple([TensorSpec([], kind) for kind in kinds])
        self._adopt(Structure(spec), Creation.from_generator(rows, output_signature=spec)._variant_tensor)
