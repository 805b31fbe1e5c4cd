"""Nodes of ragged tensors, which graphs have as values and row partitions."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.composite.ragged.tensor import RaggedTensor
from tfgrad_jax.engine.messages.errors import unimplemented
from tfgrad_jax.engine.values.convert import get_static_value
from tfgrad_jax.lib.saved_model.nodes.registry import node, tf


@node("RaggedTensorToTensor")
def _dense(shape: Any, values: Any, default: Any, *partitions: Any, row_partition_types: list[bytes]) -> Any:
    rows = values
    for i in reversed(range(len(partitions))):
        kind = row_partition_types[i]
        if kind == b"ROW_SPLITS":
            rows = RaggedTensor.from_row_splits(rows, partitions[i], validate=False)
        elif kind == b"VALUE_ROWIDS":
            count = partitions[0] if i == 1 else tf("size")(partitions[i - 1])
            rows = RaggedTensor.from_value_rowids(rows, partitions[i], count, validate=False)
        elif kind != b"FIRST_DIM_SIZE":
            raise unimplemented(f"row partitions of the type {kind.decode()} are not known", "RaggedTensorToTensor")
    known = get_static_value(shape)
    if known is None:
        raise unimplemented("shapes that are computed are not known, only constants", "RaggedTensorToTensor")
    sizes = None if not known.shape else [None if n < 0 else int(n) for n in known]
    return rows.to_tensor(default, shape=sizes)
