"""Lookup tables as objects of a SavedModel: functions that make, fill and release each."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.specs import TensorSpec
from tfgrad_jax.lib.lookup.contents import Contents
from tfgrad_jax.lib.lookup.initializers import TextFileInitializer
from tfgrad_jax.lib.saved_model.function_writer import FunctionWriter
from tfgrad_jax.lib.saved_model.hosted.tables import key_dtype


@dataclasses.dataclass
class TableFunction:
    """Stands for a function of a table among the objects.

    Attributes:
      name: of the function.
      role: what loaders look for it under.
      definition: the `FunctionDef`.
      bound: the numbers of the objects that it captures.
      result: the type of its result.
    """

    name: str
    role: str
    definition: Any
    bound: list[int]
    result: TensorSpec


def table_node(contents: Contents) -> tuple[str, dict[str, Any]]:
    """The raw name of what makes a table that is shared by name, and its attributes. It takes the keys that are reserved."""
    attributes = {"key_dtype": key_dtype(contents), "value_dtype": contents.value_dtype}
    if contents.reserved:
        return "MutableDenseHashTableV2", attributes | {"value_shape": TensorShape(contents.value_shape)}
    if contents.value_shape:
        return "MutableHashTableOfTensorsV2", attributes | {"value_shape": TensorShape(contents.value_shape)}
    return ("HashTableV2" if contents.constant else "MutableHashTableV2"), attributes


def table_functions(
    contents: Contents, initializer: Any, name: str, number: int, file: int | None
) -> Sequence[TableFunction]:
    """The functions of a table.

    Args:
      contents: its rows, of which those that it has now are written, unless a file has them.
      initializer: what it was filled with, if that is known.
      name: how the names of the functions begin.
      number: that of the table among the objects.
      file: that of the file with its rows; None if there is none.
    """
    raw, attributes = table_node(contents)
    create = FunctionWriter(f"{name}_create")
    reserved = [create.constant(key, attributes["key_dtype"]) for key in contents.reserved_arrays.values()]
    made = create.add("table", f"Anonymous{raw.removesuffix('V2')}", reserved, **attributes)
    create.effect(made)
    fill = FunctionWriter(f"{name}_fill")
    bound = [number]
    handle = fill.argument("table", dtypes.resource)
    types = {"Tin": attributes["key_dtype"], "Tout": attributes["value_dtype"]}
    if file is not None:
        assert isinstance(initializer, TextFileInitializer)
        bound.append(file)
        path = fill.argument("file", dtypes.string)
        key, value = initializer.indices
        filled = fill.add(
            "fill", "InitializeTableFromTextFileV2", [handle, path], key_index=key, value_index=value,
            vocab_size=initializer.vocab_size or -1, delimiter=initializer.delimiter, offset=initializer.offset,
        )  # fmt: skip
        fill.effect(filled)
    else:
        keys, values = contents.rows()
        if len(keys):
            rows = [
                fill.constant(keys.astype(attributes["key_dtype"].np), attributes["key_dtype"]),
                fill.constant(values, attributes["value_dtype"]),
            ]
            # A table with reserved keys would take what it imports for its buckets.
            fills = "LookupTableInsertV2" if contents.reserved else "LookupTableImportV2"
            fill.effect(fill.add("fill", fills, [handle, *rows], **types))
    release = FunctionWriter(f"{name}_release")
    found = [TableFunction(create.name, "_create_resource", None, [], TensorSpec([], dtypes.resource))]
    found[0].definition = create.finish([("identity", f"{made}:table_handle:0", dtypes.resource)])
    for role, writer, captured in (("_initialize", fill, bound), ("_destroy_resource", release, [])):
        done = writer.constant(np.array(1, np.int32), dtypes.int32)
        definition = writer.finish([("identity", done, dtypes.int32)])
        found.append(TableFunction(writer.name, role, definition, captured, TensorSpec([], dtypes.int32)))
    return found
