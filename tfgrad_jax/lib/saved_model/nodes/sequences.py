"""Nodes that take serialized sequence examples apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfgrad_jax.engine.values.convert import get_static_value
from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.lib.saved_model.nodes.examples import columns_of, dense_part, texts_of
from tfgrad_jax.lib.saved_model.nodes.registry import node
from tfgrad_jax.ops.io.example_parts import DENSE, RAGGED, SPARSE
from tfgrad_jax.ops.io.parse_sequence import parse_sequence_arrays

_FIRST = (
    "context_sparse_indices context_sparse_values context_sparse_shapes context_dense_values feature_list_sparse_indices "
    "feature_list_sparse_values feature_list_sparse_shapes feature_list_dense_values"
)
_SECOND = (
    "context_sparse_indices context_sparse_values context_sparse_shapes context_dense_values context_ragged_values "
    "context_ragged_row_splits feature_list_sparse_indices feature_list_sparse_values feature_list_sparse_shapes "
    "feature_list_dense_values feature_list_dense_lengths feature_list_ragged_values feature_list_ragged_outer_splits "
    "feature_list_ragged_inner_splits"
)


@node("ParseSequenceExampleV2", outputs=_SECOND)
def _parsed(
    serialized: Any, names: Any, sparse_keys: Any, dense_keys: Any, ragged_keys: Any, list_sparse_keys: Any,
    list_dense_keys: Any, list_ragged_keys: Any, may_be_missing: Any, *defaults: Any,
    context_sparse_types: Sequence[DType] = (), Tcontext_dense: Sequence[DType] = (),
    context_dense_shapes: Sequence[Any] = (), context_ragged_value_types: Sequence[DType] = (),
    context_ragged_split_types: Sequence[DType] = (), feature_list_sparse_types: Sequence[DType] = (),
    feature_list_dense_types: Sequence[DType] = (), feature_list_dense_shapes: Sequence[Any] = (),
    feature_list_ragged_value_types: Sequence[DType] = (), feature_list_ragged_split_types: Sequence[DType] = (),
) -> list[Any]:  # fmt: skip
    around: list[Any] = [(SPARSE, *one) for one in zip(texts_of(sparse_keys), context_sparse_types, strict=True)]
    dense = zip(texts_of(dense_keys), Tcontext_dense, context_dense_shapes, strict=True)
    around += [dense_part(key, dtype, shape.as_list(), i, defaults[i]) for i, (key, dtype, shape) in enumerate(dense)]
    ragged = zip(texts_of(ragged_keys), context_ragged_value_types, context_ragged_split_types, strict=True)
    around += [(RAGGED, key, dtype, (), splits, False) for key, dtype, splits in ragged]
    sizes = [sum(part[0] == kind for part in around) for kind in (SPARSE, RAGGED)]
    steps: list[Any] = [
        (SPARSE, *one) for one in zip(texts_of(list_sparse_keys), feature_list_sparse_types, strict=True)
    ]
    missing = get_static_value(may_be_missing).tolist()
    listed = zip(texts_of(list_dense_keys), feature_list_dense_types, feature_list_dense_shapes, missing, strict=True)
    steps += [(DENSE, key, dtype, tuple(shape.as_list()), allowed) for key, dtype, shape, allowed in listed]
    ragged = zip(
        texts_of(list_ragged_keys), feature_list_ragged_value_types, feature_list_ragged_split_types, strict=True
    )
    steps += [(RAGGED, key, dtype, (), splits, False) for key, dtype, splits in ragged]
    found = iter(parse_sequence_arrays(serialized, names, list(defaults), tuple(around), tuple(steps)))
    batched = serialized.shape.rank != 0

    def partly(count: int, width: int) -> tuple[Any, ...]:
        """Ragged values with splits; those of one example lack the first splits."""
        if batched:
            return tuple(columns_of(found, count, width))
        values, *inner = columns_of(found, count, width - 1)
        return (values, (), *inner)

    made = [*columns_of(found, sizes[0], 3), *columns_of(found, len(Tcontext_dense), 1), *partly(sizes[1], 2)]
    made += columns_of(found, len(feature_list_sparse_types), 3)
    made += columns_of(found, len(feature_list_dense_types), 2)
    return [*made, *partly(len(feature_list_ragged_value_types), 3)]


@node("ParseSequenceExample", outputs=f"{_FIRST} feature_list_dense_lengths")
def _parsed_first(
    serialized: Any, names: Any, *defaults: Any, feature_list_dense_missing_assumed_empty: Sequence[bytes] = (),
    context_sparse_keys: Sequence[bytes] = (), context_dense_keys: Sequence[bytes] = (),
    feature_list_sparse_keys: Sequence[bytes] = (), feature_list_dense_keys: Sequence[bytes] = (),
    context_sparse_types: Sequence[DType] = (), Tcontext_dense: Sequence[DType] = (),
    context_dense_shapes: Sequence[Any] = (), feature_list_sparse_types: Sequence[DType] = (),
    feature_list_dense_types: Sequence[DType] = (), feature_list_dense_shapes: Sequence[Any] = (),
) -> list[Any]:  # fmt: skip
    around: list[Any] = [
        (SPARSE, k.decode(), d) for k, d in zip(context_sparse_keys, context_sparse_types, strict=True)
    ]
    around += [
        dense_part(key.decode(), dtype, shape.as_list(), i, defaults[i])
        for i, (key, dtype, shape) in enumerate(
            zip(context_dense_keys, Tcontext_dense, context_dense_shapes, strict=True)
        )
    ]
    steps: list[Any] = [
        (SPARSE, k.decode(), d) for k, d in zip(feature_list_sparse_keys, feature_list_sparse_types, strict=True)
    ]
    listed = zip(feature_list_dense_keys, feature_list_dense_types, feature_list_dense_shapes, strict=True)
    steps += [
        (DENSE, key.decode(), dtype, tuple(shape.as_list()), key in feature_list_dense_missing_assumed_empty)
        for key, dtype, shape in listed
    ]
    found = iter(parse_sequence_arrays(serialized, names, list(defaults), tuple(around), tuple(steps)))
    made = [*columns_of(found, len(context_sparse_keys), 3), *columns_of(found, len(context_dense_keys), 1)]
    made += columns_of(found, len(feature_list_sparse_keys), 3)
    return made + list(columns_of(found, len(feature_list_dense_keys), 2))


@node("ParseSingleSequenceExample", outputs=_FIRST)
def _parsed_one(
    serialized: Any, missing: Any, *given: Any, Ncontext_sparse: int, Ncontext_dense: int, Nfeature_list_sparse: int,
    Nfeature_list_dense: int, context_sparse_types: Sequence[DType] = (), Tcontext_dense: Sequence[DType] = (),
    context_dense_shapes: Sequence[Any] = (), feature_list_sparse_types: Sequence[DType] = (),
    feature_list_dense_types: Sequence[DType] = (), feature_list_dense_shapes: Sequence[Any] = (),
) -> list[Any]:  # fmt: skip
    counts = (Ncontext_sparse, Ncontext_dense, Nfeature_list_sparse, Nfeature_list_dense)
    keys, at = [], 0
    for count in counts:
        keys.append([texts_of(key)[0].encode() for key in given[at : at + count]])
        at += count
    made = _parsed_first(
        serialized, given[-1], *given[at:-1], feature_list_dense_missing_assumed_empty=[t.encode() for t in texts_of(missing)],
        context_sparse_keys=keys[0], context_dense_keys=keys[1], feature_list_sparse_keys=keys[2],
        feature_list_dense_keys=keys[3], context_sparse_types=context_sparse_types, Tcontext_dense=Tcontext_dense,
        context_dense_shapes=context_dense_shapes, feature_list_sparse_types=feature_list_sparse_types,
        feature_list_dense_types=feature_list_dense_types, feature_list_dense_shapes=feature_list_dense_shapes,
    )  # fmt: skip
    return made[:-1]
