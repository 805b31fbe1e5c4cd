"""Lookup tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.engine.values.tensor import Spec
from tfgrad_jax.lib.lookup.contents import Contents
from tfgrad_jax.lib.saved_model.hosted.pen import Pen, Source, written


def key_dtype(contents: Contents) -> DType:
    """What the keys of a table are in TensorFlow, which has none from int32 to int64."""
    narrow = contents.key_dtype is dtypes.int32 and contents.value_dtype is dtypes.int64
    return dtypes.int64 if narrow else contents.key_dtype


def _types(contents: Contents) -> dict[str, Any]:
    return {"Tin": key_dtype(contents), "Tout": contents.value_dtype}


@written("LookupTableFindV2")
def _find(pen: Pen, table: Contents, keys: Source, other: Any = None, buckets: int = 0) -> str:
    wanted = pen.cast(keys, key_dtype(table))
    default = np.int64(-1) if buckets else other
    given = pen.handle(table), wanted, default
    found: str = pen("LookupTableFindV2", *given, outputs="values", effect=True, **_types(table))
    if not buckets:
        return found
    texts = wanted
    if wanted.spec.dtype is not dtypes.string:
        texts = Source(pen("AsString", wanted, T=wanted.spec.dtype), Spec.open(dtypes.string, wanted.spec.tensor_shape))
    bucket = pen("StringToHashBucketFast", texts, num_buckets=buckets)
    number = pen("AddV2", bucket, _size(pen, table), outputs="z", T=dtypes.int64)
    known = pen("NotEqual", found, default, outputs="z", T=dtypes.int64)
    return pen("SelectV2", known, found, number, T=dtypes.int64)


@written("LookupTableSizeV2")
def _size(pen: Pen, table: Contents) -> str:
    return pen("LookupTableSizeV2", pen.handle(table), outputs="size", effect=True)


@written("LookupTableExportV2")
def _export(pen: Pen, table: Contents) -> list[str]:
    types: dict[str, Any] = {"Tkeys": key_dtype(table), "Tvalues": table.value_dtype}
    keys, values = pen("LookupTableExportV2", pen.handle(table), outputs="keys values", effect=True, **types)
    exported = Source(keys, Spec.open(key_dtype(table), pen.results[0].tensor_shape))
    return [pen.cast(exported, table.key_dtype).text, values]


@written("LookupTableInsertV2")
def _insert(pen: Pen, table: Contents, keys: Source, other: Source) -> list[str]:
    given = pen.handle(table), pen.cast(keys, key_dtype(table)), other
    return pen("LookupTableInsertV2", *given, outputs="", effect=True, **_types(table))


@written("LookupTableRemoveV2")
def _remove(pen: Pen, table: Contents, keys: Source) -> list[str]:
    dtype = key_dtype(table)
    flat = pen("Reshape", pen.cast(keys, dtype), np.array([-1]), T=dtype, Tshape=dtypes.int64)  # no scalars
    return pen("LookupTableRemoveV2", pen.handle(table), flat, outputs="", effect=True, Tin=dtype)
