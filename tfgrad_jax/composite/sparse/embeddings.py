"""Embeddings of lists of ids: rows of a table, combined by the rows of a sparse or ragged tensor."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.composite.ragged.tensor import RaggedTensor
from tfgrad_jax.composite.sparse.shaping import fill_empty_rows, reshape, retain
from tfgrad_jax.composite.sparse_tensor import SparseTensor
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.ops.array.array import concat
from tfgrad_jax.ops.array.creation import ones, zeros_like
from tfgrad_jax.ops.array.gather import where
from tfgrad_jax.ops.array.shape import reshape as reshape_dense
from tfgrad_jax.ops.array.sizes import shape as shape_of
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.math import divide_no_nan
from tfgrad_jax.ops.math.power import sqrt
from tfgrad_jax.ops.math.reduce import reduce_prod
from tfgrad_jax.ops.nn.nn import embedding_lookup
from tfgrad_jax.ops.segments.segment import segment_sum

_COMBINERS = ("mean", "sqrtn", "sum")


def _combiner(combiner: Any) -> str:
    if combiner is None:
        return "mean"
    if combiner not in _COMBINERS:
        raise ValueError(f"combiner must be one of 'mean', 'sqrtn' or 'sum', got {combiner}")
    return combiner


def _lists(value: Any, what: str) -> SparseTensor:
    if isinstance(value, RaggedTensor):
        return value.to_sparse()
    if not isinstance(value, SparseTensor):
        raise TypeError(f"{what} must be SparseTensor, got {type(value)}")
    return value


@export("nn.embedding_lookup_sparse")
def embedding_lookup_sparse(
    params: Any,
    sp_ids: Any,
    sp_weights: Any,
    combiner: str | None = None,
    max_norm: float | None = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Any:
    """Rows of a table, combined to one for each row of ids. Mirrors `tf.nn.embedding_lookup_sparse`.

    Args:
      params: the table; or a list of tensors that hold consecutive rows of it.
      sp_ids: a sparse or ragged tensor of shape `[n, m]` with the numbers of rows; no row of it may be empty.
      sp_weights: a tensor like `sp_ids` with the weight of each; None for ones.
      combiner: `"sum"`, `"mean"` (by the sum of weights; the default), or `"sqrtn"` (by the root of the sum of their squares).
      max_norm: if given, rows of a larger norm are scaled down to it first.
      name, allow_fast_lookup: accepted for compatibility.

    Returns:
      A tensor `[last row that has ids + 1, ...]`; zeros for rows without ids.

    Raises:
      TypeError: if `sp_ids` or `sp_weights` is neither sparse nor ragged.
      ValueError: if `combiner` is something else.
      InvalidArgumentError: if an id is out of range.
    """
    combiner = _combiner(combiner)
    ids = _lists(sp_ids, "sp_ids")
    weights = None if sp_weights is None else _lists(sp_weights, "sp_weights")
    rows: Any = embedding_lookup(params, ids.values, max_norm)
    segments = ids.indices[:, 0]
    if weights is None and combiner == "sum":
        return segment_sum(rows, segments)
    factors = ones(shape_of(ids.values), rows.dtype) if weights is None else cast(weights.values, rows.dtype)
    # One factor a row, whatever a row consists of.
    factors = reshape_dense(factors, concat([shape_of(factors), ones([rows.shape.rank - 1], dtypes.int32)], 0))
    total = segment_sum(rows if weights is None else rows * factors, segments)
    if combiner == "sum":
        return total
    if combiner == "mean":
        return divide_no_nan(total, segment_sum(factors, segments))
    return divide_no_nan(total, sqrt(segment_sum(factors * factors, segments)))


@export("nn.safe_embedding_lookup_sparse")
def safe_embedding_lookup_sparse(
    embedding_weights: Any,
    sparse_ids: Any,
    sparse_weights: Any = None,
    combiner: str = "mean",
    default_id: int | None = None,
    max_norm: float | None = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Any:
    """`embedding_lookup_sparse` for ids of which some are invalid, and rows of which some are empty.

    Mirrors `tf.nn.safe_embedding_lookup_sparse`. Negative ids, and ids without positive weight unless the combiner is
    `"sum"`, are dropped.

    Args:
      embedding_weights: the table, or a list of tensors that hold consecutive rows of it.
      sparse_ids: a sparse or ragged tensor of shape `[d_0, ..., d_n]`.
      sparse_weights, combiner, max_norm: as in `embedding_lookup_sparse`.
      default_id: whose row stands for no ids at all; zeros if not given.
      name, allow_fast_lookup: accepted for compatibility.

    Returns:
      A tensor `[d_0, ..., d_n-1, ...]`.

    Raises:
      ValueError: if there is no table, or `combiner` is something else.
      TypeError: if `sparse_ids` or `sparse_weights` is neither sparse nor ragged.
    """
    if embedding_weights is None or (isinstance(embedding_weights, (list, tuple)) and not len(embedding_weights)):
        raise ValueError(f"Missing embedding_weights {embedding_weights}.")
    ids = _lists(sparse_ids, "sparse_ids")
    weights = None if sparse_weights is None else _lists(sparse_weights, "sparse_weights")
    leading: Any = ids.dense_shape[:-1]
    matrix = concat([reduce_prod(leading, keepdims=True), ids.dense_shape[-1:]], 0)
    ids = reshape(ids, matrix)
    kept = ids.values >= 0
    if weights is not None:
        weights = SparseTensor(ids.indices, weights.values, ids.dense_shape)
        if _combiner(combiner) != "sum":
            kept = kept & (weights.values > 0)
        weights = retain(weights, kept)
    ids, empty = fill_empty_rows(retain(ids, kept), default_id or 0)
    if weights is not None:
        weights, _ = fill_empty_rows(weights, 1.0)
    rows: Any = embedding_lookup_sparse(embedding_weights, ids, weights, combiner, max_norm)
    if default_id is None:
        # A row of zeros, also in place of what is not finite.
        found = reshape_dense(empty, concat([shape_of(empty), ones([rows.shape.rank - 1], dtypes.int32)], 0))
        rows = where(found, zeros_like(rows), rows)
    sizes: Any = shape_of(rows)
    return reshape_dense(rows, concat([cast(leading, dtypes.int32), sizes[1:]], 0))
