"""Products of batches of matrices whose sizes differ, and counts in rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.composite.answers import answers
from tfgrad_jax.composite.checks import require
from tfgrad_jax.composite.ragged.rows import count_rows, ragged_or_tensor, rank_of
from tfgrad_jax.composite.ragged.tensor import RaggedTensor
from tfgrad_jax.engine.declare.roles import static
from tfgrad_jax.engine.graph.deferred import deferred
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import DType, as_dtype
from tfgrad_jax.ops.array import counting
from tfgrad_jax.ops.array.gather import gather
from tfgrad_jax.ops.array.rearrange import repeat
from tfgrad_jax.ops.array.shape import reshape
from tfgrad_jax.ops.linalg import matmul as products
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.rounding import maximum
from tfgrad_jax.ops.segments.segment import unsorted_segment_max


@answers(RaggedTensor, "matmul")
def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    **others: Any,
) -> Any:
    """The products; their matrices have as many rows as those of `a`, and columns as those of `b`."""
    a, b = ragged_or_tensor(a), ragged_or_tensor(b)
    if rank_of(a) != rank_of(b):
        raise ValueError("`a` and `b` must have the same rank.")
    if rank_of(a) != 3:
        if rank_of(a) == 2:
            raise invalid_argument(
                "tf.matmul: a matrix whose rows differ in length has no product; to_tensor() pads it"
            )
        raise NotImplementedError("tf.matmul: RaggedTensors of rank 3 only: batches of matrices")
    one, other = _Matrices(a, transpose_a or adjoint_a), _Matrices(b, transpose_b or adjoint_b)
    require("a and b must have the same number of matrices", _equal, count_rows(a), count_rows(b))
    # What fills up is 0, and adds nothing to the sums.
    require("Matrix size-incompatible: the inner sizes differ", _equal, one.inner(), other.inner(rows=True))
    x, y = (v.to_tensor() if isinstance(v, RaggedTensor) else v for v in (a, b))
    product = products.matmul(x, y, transpose_a, transpose_b, adjoint_a, adjoint_b)
    return _cut(product, one.rows, other.columns)


def _equal(x: Any, y: Any) -> Any:
    return x == y


class _Matrices:
    """A batch of matrices.

    Attributes:
      rows, columns: how many each of them has; None where they agree, and the shape tells.
    """

    def __init__(self, value: Any, turned: bool) -> None:
        self._value = value
        self._turned = turned
        rows = columns = None
        if isinstance(value, RaggedTensor):
            rows = value.row_lengths() if value.uniform_row_length is None else None
            inner = value.values
            if isinstance(inner, RaggedTensor) and inner.uniform_row_length is None:
                widest: Any = unsorted_segment_max(inner.row_lengths(), value.value_rowids(), value.nrows())
                columns = maximum(widest, 0)
                says = "The matrices in `a` and `b` may not be ragged in their innermost dimension"
                require(says, _equal, inner.row_lengths(), repeat(columns, value.row_lengths()))
        self.rows, self.columns = (columns, rows) if turned else (rows, columns)

    def inner(self, rows: bool = False) -> Any:
        """The sizes along which products are summed up, for each matrix or for all."""
        found = self.rows if rows else self.columns
        if found is not None:
            return cast(found, dtypes.int64)
        return convert(self._value.shape[1 if rows != self._turned else 2] or 0, dtypes.int64)


def _cut(product: Any, rows: Any, columns: Any) -> Any:
    """The products without what filled up."""
    if columns is None:
        return product if rows is None else RaggedTensor.from_tensor(product, lengths=rows)
    if rows is not None:
        return RaggedTensor.from_tensor(product, lengths=(rows, repeat(columns, rows)))
    count = product.shape[1]
    flat = RaggedTensor.from_tensor(reshape(product, [-1, product.shape[2]]), lengths=repeat(columns, count))
    return RaggedTensor.from_uniform_row_length(flat, count, validate=False)


@answers(RaggedTensor, "math.bincount")
def _bincount(
    arr: Any,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: Any = dtypes.int32,
    name: Any = None,
    axis: Any = None,
    binary_output: bool = False,
) -> Any:
    if static(axis) != -1:
        flat, weight = (v.flat_values if isinstance(v, RaggedTensor) else v for v in (arr, weights))
        return counting.bincount(flat, weight, minlength, maxlength, dtype, binary_output=binary_output)
    if rank_of(arr) != 2:
        raise ValueError("tf.math.bincount: with axis=-1 a RaggedTensor must have rank 2")
    weight = weights.flat_values if isinstance(weights, RaggedTensor) else weights
    places = arr.value_rowids(), arr.nrows()
    return _counted(arr.flat_values, *places, weight, minlength, maxlength, as_dtype(dtype), binary_output)


@deferred("numbers", "rows", "count", "minlength", "maxlength")
def _counted(
    numbers: Any, rows: Any, count: Any, weights: Any, minlength: Any, maxlength: Any, dtype: DType, binary: bool
) -> Any:
    """How often each number occurs in each row."""
    given = np.asarray(convert(numbers).array)
    size = counting.bins(given, minlength, maxlength)
    kept = np.flatnonzero(given < size)
    total = int(np.asarray(convert(count).array))
    places = np.asarray(convert(rows).array)[kept].astype(np.int64) * size + given[kept]
    if weights is None:
        found = np.bincount(places, minlength=total * size)
        return convert((found > 0 if binary else found).astype(dtype.np).reshape(total, size))
    weights = gather(weights, convert(kept))
    counts = counting.bincount(convert(places), weights, total * size, total * size, dtype, binary_output=binary)
    return reshape(counts, [total, size])
