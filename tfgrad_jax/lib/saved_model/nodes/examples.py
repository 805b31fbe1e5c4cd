"""Nodes that take serialized examples apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.values.convert import convert, get_static_value
from tfgrad_jax.engine.values.dtypes import DType, string
from tfgrad_jax.lib.saved_model.nodes.registry import node
from tfgrad_jax.ops.io.example_parts import DENSE, PADDED, RAGGED, SPARSE
from tfgrad_jax.ops.io.parse_example import parse_example_arrays


@node(
    "ParseExampleV2",
    outputs="sparse_indices sparse_values sparse_shapes dense_values ragged_values ragged_row_splits",
)
def _parsed(
    serialized: Any,
    names: Any,
    sparse_keys: Any,
    dense_keys: Any,
    ragged_keys: Any,
    *defaults: Any,
    sparse_types: Sequence[DType] = (),
    Tdense: Sequence[DType] = (),
    dense_shapes: Sequence[Any] = (),
    ragged_value_types: Sequence[DType] = (),
    ragged_split_types: Sequence[DType] = (),
) -> list[Any]:
    sparse: list[Any] = [(SPARSE, *one) for one in zip(texts_of(sparse_keys), sparse_types, strict=True)]
    dense: list[Any] = [
        dense_part(key, dtype, shape.as_list(), i, defaults[i])
        for i, (key, dtype, shape) in enumerate(zip(texts_of(dense_keys), Tdense, dense_shapes, strict=True))
    ]
    types = zip(ragged_value_types, ragged_split_types, strict=True)
    ragged: list[Any] = [
        (RAGGED, key, dtype, (), splits, False)
        for key, (dtype, splits) in zip(texts_of(ragged_keys), types, strict=True)
    ]
    batched = serialized.shape.rank != 0
    found = iter(parse_example_arrays(serialized, names, list(defaults), (*sparse, *dense, *ragged)))
    indices, values, shapes = columns_of(found, len(sparse), 3)
    (arrays,) = columns_of(found, len(dense), 1)
    flat, splits = columns_of(found, len(ragged), 2) if batched else (*columns_of(found, len(ragged), 1), ())
    none = tuple([convert([], dtype) for dtype in ragged_split_types])  # of a single example
    return [indices, values, shapes, arrays, flat, splits if batched else none]


def texts_of(keys: Any) -> list[str]:
    """The keys, which must be known before the graph runs."""
    known = get_static_value(keys)
    if known is None:
        raise invalid_argument("the keys of features must be constants", "ParseExampleV2")
    return [key.decode() for key in np.asarray(known, object).reshape(-1).tolist()]


def dense_part(key: str, dtype: DType, shape: list[Any], i: int, default: Any) -> tuple[Any, ...]:
    place = -1 if default.shape.num_elements() == 0 else i
    if shape and shape[0] is None:
        return PADDED, key, dtype, tuple(shape[1:]), place
    return DENSE, key, dtype, tuple(shape), place


def columns_of(found: Iterator[Any], rows: int, width: int) -> list[tuple[Any, ...]]:
    """The next results, of which each declaration has so many: the first ones of all, the second ones, and so on."""
    each = [[next(found) for _ in range(width)] for _ in range(rows)]
    return [tuple([row[i] for row in each]) for i in range(width)]


# -- the same with keys and types in other places ---------------------------------------------------------------------

_SPARSE_AND_DENSE = "sparse_indices sparse_values sparse_shapes dense_values"


def _of_keys(
    serialized: Any, names: Any, sparse_keys: Sequence[str], dense_keys: Sequence[str], defaults: Sequence[Any],
    sparse_types: Sequence[DType], dense_types: Sequence[DType], dense_shapes: Sequence[Any],
) -> list[Any]:  # fmt: skip
    parts: list[Any] = [(SPARSE, *one) for one in zip(sparse_keys, sparse_types, strict=True)]
    parts += [
        dense_part(key, dtype, shape.as_list(), i, defaults[i])
        for i, (key, dtype, shape) in enumerate(zip(dense_keys, dense_types, dense_shapes, strict=True))
    ]
    found = iter(parse_example_arrays(serialized, names, list(defaults), tuple(parts)))
    indices, values, shapes = columns_of(found, len(sparse_keys), 3)
    return [indices, values, shapes, columns_of(found, len(dense_keys), 1)[0]]


@node("ParseExample", outputs=_SPARSE_AND_DENSE)
def _parsed_first(
    serialized: Any, names: Any, *given: Any, Nsparse: int, Ndense: int, sparse_types: Sequence[DType] = (),
    Tdense: Sequence[DType] = (), dense_shapes: Sequence[Any] = (),
) -> list[Any]:  # fmt: skip
    keys = [texts_of(key)[0] for key in given[: Nsparse + Ndense]]
    defaults = given[Nsparse + Ndense :]
    return _of_keys(serialized, names, keys[:Nsparse], keys[Nsparse:], defaults, sparse_types, Tdense, dense_shapes)


@node("ParseSingleExample", outputs=_SPARSE_AND_DENSE)
def _parsed_one(
    serialized: Any, *defaults: Any, sparse_keys: Sequence[bytes] = (), dense_keys: Sequence[bytes] = (),
    sparse_types: Sequence[DType] = (), Tdense: Sequence[DType] = (), dense_shapes: Sequence[Any] = (),
) -> list[Any]:  # fmt: skip
    sparse, dense = ([key.decode() for key in some] for some in (sparse_keys, dense_keys))
    return _of_keys(serialized, convert([], string), sparse, dense, defaults, sparse_types, Tdense, dense_shapes)
