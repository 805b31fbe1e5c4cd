"""Serialized examples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.lib.saved_model.hosted.pen import Pen, Source, written
from tfgrad_jax.ops.io.example_parts import DENSE, PADDED, RAGGED, SPARSE


@written("ParseExampleV2")
def _parsed(pen: Pen, serialized: Source, names: Source, defaults: Sequence[Any], parts: Sequence[Any]) -> list[str]:
    for part in parts:
        if part[0] not in (SPARSE, DENSE, PADDED) and (part[0] != RAGGED or part[3]):
            raise ValueError(
                f"tf.io.parse_example: a {'RaggedFeature with partitions' if part[0] == RAGGED else 'SparseFeature'} cannot "
                "be saved; parse its parts as features of their own, and put them together in the function"
            )
    sparse, ragged = ([part for part in parts if part[0] == kind] for kind in (SPARSE, RAGGED))
    dense = [part for part in parts if part[0] in (DENSE, PADDED)]
    batched = serialized.spec.tensor_shape.rank != 0
    outputs = [(name, len(sparse)) for name in ("sparse_indices", "sparse_values", "sparse_shapes")]
    outputs += [("dense_values", len(dense)), ("ragged_values", len(ragged)), ("ragged_row_splits", len(ragged))]
    made = iter(
        pen(
            "ParseExampleV2",
            serialized,
            names,
            *[np.array([part[1].encode() for part in group], object) for group in (sparse, dense, ragged)],
            *[_default(part, defaults) for part in dense],
            outputs=" ".join(f"{name}*{count}" for name, count in outputs),
            num_sparse=len(sparse),
            sparse_types=_types(sparse),
            Tdense=_types(dense),
            dense_shapes=[TensorShape([None, *part[3]] if part[0] == PADDED else part[3]) for part in dense],
            ragged_value_types=_types(ragged),
            ragged_split_types=[part[4] for part in ragged],
        )
    )
    found = {name: [next(made) for _ in range(count)] for name, count in outputs}
    each: dict[str, Any] = {
        SPARSE: zip(found["sparse_indices"], found["sparse_values"], found["sparse_shapes"], strict=True),
        DENSE: ([value] for value in found["dense_values"]),
        RAGGED: zip(found["ragged_values"], *([found["ragged_row_splits"]] if batched else []), strict=True),
    }
    each[PADDED] = each[DENSE]
    return [source for part in parts for source in next(each[part[0]])]


def _types(parts: Sequence[Any]) -> list[DType]:
    return [part[2] for part in parts]


def _default(part: Any, defaults: Sequence[Any]) -> Any:
    """What stands for a feature that is missing: nothing where it must not be."""
    kind, _, dtype, _, place = part
    if place >= 0:
        return defaults[place]
    return np.zeros([] if kind == PADDED else [0], dtype.np) if dtype.np is not np.dtype(object) else _text(kind)


def _text(kind: str) -> np.ndarray:
    return np.array(b"" if kind == PADDED else [], object)
