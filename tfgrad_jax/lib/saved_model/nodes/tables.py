"""Nodes of lookup tables: their handles are the tables themselves here."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.engine.messages.errors import failed_precondition
from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.lib.lookup.buckets import COUNT, DenseContents
from tfgrad_jax.lib.lookup.tables import LookupTable
from tfgrad_jax.lib.saved_model.nodes.registry import node
from tfgrad_jax.lib.saved_model.restored_table import RestoredTable

_SCALAR = TensorShape([])


@node("HashTableV2", "HashTable", "AnonymousHashTable")
def _table(*, key_dtype: DType, value_dtype: DType) -> RestoredTable:
    return RestoredTable(key_dtype, value_dtype)


@node("MutableHashTableV2", "MutableHashTable", "AnonymousMutableHashTable")
def _mutable(*, key_dtype: DType, value_dtype: DType) -> RestoredTable:
    return RestoredTable(key_dtype, value_dtype, changes=True)


@node("MutableHashTableOfTensorsV2", "MutableHashTableOfTensors", "AnonymousMutableHashTableOfTensors")
def _rows(*, key_dtype: DType, value_dtype: DType, value_shape: TensorShape) -> RestoredTable:
    return RestoredTable(key_dtype, value_dtype, True, tuple(n or 0 for n in value_shape.as_list()))


@node("MutableDenseHashTableV2", "MutableDenseHashTable", "AnonymousMutableDenseHashTable")
def _dense(
    empty_key: Any,
    deleted_key: Any,
    *,
    key_dtype: DType,
    value_dtype: DType,
    value_shape: TensorShape = _SCALAR,
    initial_num_buckets: int = COUNT,
) -> RestoredTable:
    reserved = {"empty_key": np.asarray(empty_key.array)[()], "deleted_key": np.asarray(deleted_key.array)[()]}
    shape = tuple(n or 0 for n in value_shape.as_list())
    return RestoredTable.around(DenseContents(key_dtype, value_dtype, shape, reserved, initial_num_buckets))


def _checked(table: Any, raw: str) -> RestoredTable:
    if isinstance(table, LookupTable):  # which is its own handle
        return RestoredTable.around(table.contents)
    if not isinstance(table, RestoredTable):
        raise failed_precondition(f"{raw}: the resource is {table!r}, and no table", raw)
    return table


@node("LookupTableFindV2", "LookupTableFind", stateful=True)
def _find(table: Any, keys: Any, default: Any) -> Any:
    return _checked(table, "LookupTableFindV2").find(keys, default)


@node("LookupTableSizeV2", "LookupTableSize")
def _size(table: Any) -> Any:
    return _checked(table, "LookupTableSizeV2").size()


@node("LookupTableExportV2", outputs="keys values")
def _export(table: Any) -> list[Any]:
    return list(_checked(table, "LookupTableExportV2").export())


@node("LookupTableImportV2", "InitializeTableV2", stateful=True)
def _import(table: Any, keys: Any, values: Any) -> None:
    _checked(table, "LookupTableImportV2").fill(keys, values)


@node("LookupTableInsertV2", stateful=True)
def _insert(table: Any, keys: Any, values: Any) -> None:
    _checked(table, "LookupTableInsertV2").insert(keys, values)


@node("LookupTableRemoveV2", stateful=True)
def _remove(table: Any, keys: Any) -> None:
    _checked(table, "LookupTableRemoveV2").remove(keys)


@node("InitializeTableFromTextFileV2", stateful=True)
def _from_file(
    table: Any,
    filename: Any,
    *,
    key_index: int,
    value_index: int,
    vocab_size: int = -1,
    delimiter: bytes = b"\t",
    offset: int = 0,
) -> None:
    _checked(table, "InitializeTableFromTextFileV2").fill_from_file(
        filename, key_index, value_index, None if vocab_size < 0 else vocab_size, delimiter.decode(), offset
    )
