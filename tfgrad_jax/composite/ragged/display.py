"""Ragged tensors as Python lists, NumPy arrays and text."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from tfgrad_jax.composite.ragged.tensor import RaggedTensor
from tfgrad_jax.engine.declare.attributes import is_symbolic
from tfgrad_jax.engine.run.execute import host_value


def to_list(self: RaggedTensor) -> list[Any]:
    """The rows as nested Python lists.

    Raises:
      ValueError: in a graph, where there are no values yet.
    """
    _need_values(self, "to_list")
    values = self.values
    rows = to_list(values) if isinstance(values, RaggedTensor) else host_value(values).tolist()
    splits = host_value(self.row_splits).tolist()
    return [rows[start:limit] for start, limit in pairwise(splits)]


def numpy(self: RaggedTensor) -> np.ndarray:
    """The rows as a NumPy array: of arrays where they differ in length.

    Raises:
      ValueError: in a graph, where there are no values yet.
    """
    _need_values(self, "numpy")
    values = self.values
    inner = numpy(values) if isinstance(values, RaggedTensor) else values.numpy()
    splits = host_value(self.row_splits).tolist()
    rows = [inner[start:limit] for start, limit in pairwise(splits)]
    if not rows:
        return np.array([], dtype=self.dtype.np)
    if len({len(row) for row in rows}) == 1:
        return np.array(rows)
    out = np.empty(len(rows), object)
    out[:] = rows
    return out


def representation(self: RaggedTensor) -> str:
    """The rows, as NumPy writes them; without values yet, the parts."""
    if _known(self):
        return f"<tf.RaggedTensor {_text(numpy(self))}>"
    return f"tf.RaggedTensor(values={self.values!s}, row_splits={self.row_splits!s})"


def _text(value: Any) -> str:
    # NumPy passes the separator on to no array within an array: each has to be written on its own.
    if not isinstance(value, np.ndarray):
        return str(value)
    if not value.size:
        return str(value.tolist())
    return np.array2string(value, separator=", ", formatter={"all": _text})


def _known(value: RaggedTensor) -> bool:
    return not any(is_symbolic(t) for t in (value.flat_values, *value.nested_row_splits))


def _need_values(value: RaggedTensor, method: str) -> None:
    if not _known(value):
        raise ValueError(f"RaggedTensor.{method} is only supported in eager mode; in a graph there are no values yet")
