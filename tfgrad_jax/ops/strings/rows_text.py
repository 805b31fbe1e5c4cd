"""Rows that differ in length, as text."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Int, Operand
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.tensor import Spec
from tfgrad_jax.ops.strings.common import Anything, each
from tfgrad_jax.ops.strings.numbers import as_string

_Splits: Any = Operand(shared=False, many=True, differentiable=False)


def _quoted(text: bytes) -> bytes:
    return b"'" + text.replace(b"\\", rb"\\").replace(b"'", rb"\'") + b"'"


@op("RaggedTensorToString", host=True)
def rows_text(flat_values: Anything, nested_row_splits: _Splits, summarize: Int):
    """Values in nested lists, of which `summarize` at each end are shown; all if -1."""
    written = each(_quoted, flat_values) if flat_values.dtype == object else as_string.op.fn(flat_values, fill=b"")
    rows: list[Any] = written.tolist()
    for splits in reversed(nested_row_splits):
        rows = [rows[start:limit] for start, limit in itertools.pairwise(splits.tolist())]

    def text(part: Any) -> bytes:
        if isinstance(part, bytes):
            return part
        if 0 <= summarize and len(part) > 2 * summarize:
            shown = [*map(text, part[:summarize]), b"...", *map(text, part[len(part) - summarize :])]
        else:
            shown = [*map(text, part)]
        return b"[" + b", ".join(shown) + b"]"

    return np.array(text(rows), object)


@rows_text.types
def _(flat_values, nested_row_splits, summarize):
    return Spec.of(dtypes.string, ())
