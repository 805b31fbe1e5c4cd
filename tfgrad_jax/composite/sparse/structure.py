"""Where the values of results stand: operations on places alone, on the host, since sizes depend on them.

Each tells from which values the results are made, so that values, and gradients with respect to them, go their usual way.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfgrad_jax.composite.sparse.places import require_places
from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Flag, Own
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.tensor import Spec


def _spec(dtype: Any, *sizes: Any) -> Spec:
    return Spec.of(dtype, sizes)


@op("SparseReorder", host=True)
def order(indices: Own):
    """The numbers of the places in their order; places that are equal stay as they come."""
    return np.lexsort(indices.T[::-1]) if indices.shape[1] else np.arange(len(indices))


@order.types
def _(indices):
    return _spec(dtypes.int64, indices.shape[0])


@op("SparseGroups", host=True)
def groups(indices: Own):
    """All different places, in order, and which of them each given one is."""
    different, inverse = np.unique(indices, axis=0, return_inverse=True)
    if not indices.shape[1]:
        different, inverse = indices[:1], np.zeros(len(indices), np.int64)
    return [different, inverse.reshape(-1).astype(np.int64)]


@groups.types
def _(indices):
    return [_spec(dtypes.int64, None, indices.shape[1]), _spec(dtypes.int64, indices.shape[0])]


@op("SparseFillEmptyRowsPlaces", host=True)
def filled_rows(indices: Own, dense_shape: Own):
    """Places with one more in each row that has none.

    Returns:
      The places; from which value each comes, or the number of values; which rows had none.
    """
    rows = int(dense_shape[0])
    empty = np.ones(rows, np.bool_)
    empty[indices[:, 0]] = False
    more = np.zeros((int(empty.sum()), indices.shape[1]), np.int64)
    more[:, 0] = np.flatnonzero(empty)
    every = np.concatenate([indices, more])
    source = np.minimum(np.arange(len(every)), len(indices))
    wanted = np.argsort(every[:, 0], kind="stable")
    return [every[wanted], source[wanted], empty]


@filled_rows.types
def _(indices, dense_shape):
    return [_spec(dtypes.int64, None, indices.shape[1]), _spec(dtypes.int64, None), _spec(dtypes.bool_, None)]


@op("SparseDensePlaces", host=True)
def dense_places(indices: Own, dense_shape: Own, ordered: Flag):
    """By element of a dense tensor, which value it is, or the number of values where there is none.

    Raises:
      InvalidArgumentError: if a place is outside of the shape; or, if they are to be in order, they are not or one comes twice.
    """
    require_places(indices, dense_shape, "SparseToDense", ordered)
    if ordered and len(indices) == math.prod(dense_shape.tolist()):  # one after the other, each place has its value
        return np.arange(len(indices)).reshape(dense_shape)
    found = np.full(dense_shape, len(indices), np.int64)
    found[tuple(indices.T)] = np.arange(len(indices))
    return found


@dense_places.types
def _(indices, dense_shape, ordered):
    rank = indices.shape[1]
    return Spec.open(dtypes.int64, TensorShape(None if rank is None else [None] * rank))


@op("SparseCounts", host=True)
def counts(rows: Own, numbers: Own, weights: Own, limits: Own, binary: Flag):
    """How often each number stands in each row.

    Args:
      rows: the row of each number.
      weights: what each counts; empty if that is 1.
      limits: the least number of columns, the most, and the number of rows; -1 for none.

    Returns:
      The places (row and number), the counts, and the number of columns.
    """
    least, most, _ = (int(n) for n in limits)
    columns = max(int(numbers.max()) + 1 if numbers.size else 0, least)
    if most >= 0:
        columns = min(columns, most) if most else columns
    kept = numbers < columns
    pairs = np.stack([rows[kept], numbers[kept]], 1).astype(np.int64)
    different, inverse = np.unique(pairs, axis=0, return_inverse=True)
    each = weights[kept] if weights.size else np.ones(int(kept.sum()), weights.dtype)
    total = np.zeros(len(different), weights.dtype)
    np.add.at(total, inverse.reshape(-1), each)
    return [different, np.ones_like(total) if binary else total, np.array(columns, np.int64)]


@counts.types
def _(rows, numbers, weights, limits, binary):
    return [_spec(dtypes.int64, None, 2), _spec(weights.dtype, None), _spec(dtypes.int64)]


@op("SparseProductPlaces", host=True)
def product_places(a: Own, b: Own):
    """Which values of two matrices meet in their product: those where a column of the first is a row of the second.

    Args:
      a, b: places of shape `[n, 2]`, or `[n, 3]` where matrices are batched.

    Returns:
      The places of the product, in order; for each pair that meets the number of the value of `a`, that of the value of `b`,
      and the place that it adds to.
    """
    batch = a.shape[1] - 2
    _, met = np.unique(np.concatenate([np.delete(a, batch, axis=1), b[:, : batch + 1]]), axis=0, return_inverse=True)
    of_a, of_b = met.reshape(-1)[: len(a)], met.reshape(-1)[len(a) :]
    by_row = np.argsort(of_b, kind="stable")
    first = np.searchsorted(of_b[by_row], of_a, "left")
    count = np.searchsorted(of_b[by_row], of_a, "right") - first
    left = np.repeat(np.arange(len(a)), count)
    within = np.arange(len(left)) - np.repeat(np.cumsum(count) - count, count)
    right = by_row[np.repeat(first, count) + within]
    every = np.concatenate([a[left, : batch + 1], b[right, batch + 1 :]], axis=1)
    places, number = np.unique(every, axis=0, return_inverse=True)
    return [places, left, right, number.reshape(-1).astype(np.int64)]


@product_places.types
def _(a, b):
    return [_spec(dtypes.int64, None, a.shape[1]), *[_spec(dtypes.int64, None)] * 3]
