"""Rows and elements of ragged tensors by index, and by indices that are ragged themselves."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.composite.answers import answers
from tfgrad_jax.composite.checks import require
from tfgrad_jax.composite.ragged.rows import ragged_or_tensor, rank_of, same_splits_dtype, take_rows
from tfgrad_jax.composite.ragged.shaping import axis_of
from tfgrad_jax.composite.ragged.tensor import RaggedTensor
from tfgrad_jax.engine.declare.roles import static
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.ops.array import gather as lookups
from tfgrad_jax.ops.array.array import concat
from tfgrad_jax.ops.array.gather import convert_indices
from tfgrad_jax.ops.array.rearrange import repeat, tile
from tfgrad_jax.ops.array.sequences import range as range_
from tfgrad_jax.ops.array.shape import reshape
from tfgrad_jax.ops.array.sizes import shape
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.nn.nn import dropout, embedding_lookup


@answers(RaggedTensor, "gather")
def gather(
    params: Any, indices: Any, validate_indices: Any = None, axis: Any = None, batch_dims: Any = 0, name: Any = None
) -> Any:
    """Rows of `params`, in the structure of `indices`."""
    params = ragged_or_tensor(params)
    indices = indices if isinstance(indices, RaggedTensor) else convert_indices(indices)
    batch = static(batch_dims)
    rank = rank_of(indices)
    if batch != rank:
        batch = axis_of(batch, rank, "batch_dims")
    axis = batch if axis is None else axis_of(axis, rank_of(params))
    if axis < batch:
        raise ValueError(f"axis ({axis}) must be greater than or equal to batch_dims ({batch})")
    params, indices = same_splits_dtype([params, indices])
    if batch == rank and batch:  # one element of each part
        return _gather(params, indices[..., None], axis, batch)[(*[slice(None)] * batch, 0)]
    return _gather(params, indices, axis, batch)


def _gather(params: Any, indices: Any, axis: int, batch: int) -> Any:
    if not isinstance(params, RaggedTensor) and not isinstance(indices, RaggedTensor):
        return lookups.gather(params, indices, axis=axis, batch_dims=batch)
    if batch:
        return _in_batches(params, indices, axis, batch)
    if axis:
        return _along(params, indices, axis)
    if isinstance(indices, RaggedTensor):
        return _with_values(indices, _gather(params, indices.values, 0, 0))
    rank = rank_of(indices)
    if rank == 0:
        return take_rows(params, indices[None]).values if isinstance(params, RaggedTensor) else params[indices]
    if rank == 1:
        return _open(take_rows(params, indices))
    rows = RaggedTensor.from_tensor(indices, ragged_rank=rank - 1, row_splits_dtype=params.row_splits.dtype)
    # That all rows are equally long is not told on: TensorFlow leaves the sizes open.
    picked = _gather(params, rows.values, 0, 0)
    return RaggedTensor(picked, rows.row_splits, internal=True)


def _open(rows: Any) -> Any:
    """The same rows, of which nobody is told that they are equally long, as TensorFlow does not tell it of gathered ones."""
    if not isinstance(rows, RaggedTensor):
        return rows
    return RaggedTensor(_open(rows.values), rows.row_splits, internal=True)


def _with_values(rows: RaggedTensor, values: Any) -> RaggedTensor:
    return RaggedTensor(values, rows.row_splits, rows.uniform_row_length, internal=True)


def _along(params: Any, indices: Any, axis: int) -> Any:
    """Elements of the rows at an inner axis, the same in each row."""
    params = _as_rows(params)
    if axis > 1:
        return _with_values(params, _gather(params.values, indices, axis - 1, 0))
    starts = params.row_starts()
    if isinstance(indices, RaggedTensor):  # all of them once for each row
        count, many = indices.nrows(), params.nrows()
        each = take_rows(indices, tile(range_(count), many[None]))
        moved = _shifted(each.values, lookups.gather(repeat(starts, count), each.value_rowids()))
        found = _gather(params.values, _with_values(each, moved), 0, 0)
        return RaggedTensor.from_uniform_row_length(found, count, many)
    for _ in range(rank_of(indices)):
        starts = starts[..., None]
    return _gather(params.values, starts + cast(indices, starts.dtype), 0, 0)


def _as_rows(value: Any, dtype: Any = dtypes.int64) -> Any:
    return value if isinstance(value, RaggedTensor) else RaggedTensor.from_tensor(value, row_splits_dtype=dtype)


def _in_batches(params: Any, indices: Any, axis: int, batch: int) -> Any:
    """Each part of `indices` looks into the part of `params` at its place."""
    dtype = next(v.row_splits.dtype for v in (params, indices) if isinstance(v, RaggedTensor))
    given, params, indices = indices, _as_rows(params, dtype), _as_rows(indices, dtype)
    if batch > 1:
        says = "params and indices must have the same rows in their batch dimensions"
        require(says, lambda x, y: x == y if x.shape == y.shape else False, params.row_splits, indices.row_splits)
        return _as_given(given, indices, _in_batches(params.values, indices.values, axis - 1, batch - 1))
    require("params and indices must have the same number of rows", _equal, params.nrows(), indices.nrows())
    if axis > 1:
        raise NotImplementedError(f"tf.gather: a RaggedTensor with batch_dims={batch} and axis={axis} is not supported")
    moved = _shifted(indices.values, lookups.gather(params.row_starts(), indices.value_rowids()))
    return _as_given(given, indices, _gather(params.values, moved, 0, 0))


def _as_given(given: Any, rows: RaggedTensor, values: Any) -> Any:
    """Values as the rows of indices, in a tensor where those were given as one and each row has as many elements."""
    if isinstance(given, RaggedTensor) or isinstance(values, RaggedTensor):
        return _with_values(rows, values)
    return reshape(values, concat([shape(given)[:2], shape(values)[1:]], 0))


def _equal(x: Any, y: Any) -> Any:
    return x == y


def _shifted(indices: Any, offsets: Any) -> Any:
    """Indices, with an offset for each row added."""
    if isinstance(indices, RaggedTensor):
        return _with_values(indices, _shifted(indices.values, lookups.gather(offsets, indices.value_rowids())))
    for _ in range(rank_of(indices) - 1):
        offsets = offsets[..., None]
    return cast(indices, offsets.dtype) + offsets


@answers(RaggedTensor, "gather_nd")
def _gather_nd(params: Any, indices: Any, batch_dims: Any = 0, name: Any = None, bad_indices_policy: str = "") -> Any:
    if static(batch_dims) != 0:
        raise ValueError("batch_dims != 0 is not supported for ragged gather yet.")
    params = ragged_or_tensor(params)
    indices = indices if isinstance(indices, RaggedTensor) else convert_indices(indices)
    if isinstance(indices, RaggedTensor):
        return _with_values(indices, _gather_nd(params, indices.values))
    if not isinstance(params, RaggedTensor):
        return lookups.gather_nd(params, indices)
    size = indices.shape[-1]
    if size is None:
        raise ValueError("tf.gather_nd: indices.shape[-1] must be known statically")
    rank = rank_of(indices)
    if rank == 1:
        found = _gather_nd(params, indices[None])
        return found[0]
    if rank > 2:
        rows = RaggedTensor.from_tensor(indices, ragged_rank=rank - 2, row_splits_dtype=params.row_splits.dtype)
        return _gather_nd(params, rows)
    if size == 0:
        raise NotImplementedError("tf.gather_nd: a RaggedTensor needs indices of one number at least")
    numbers = cast(indices, params.row_splits.dtype)
    places, level = numbers[:, 0], params
    for at in range(1, size):
        if not isinstance(level, RaggedTensor):
            return lookups.gather_nd(level, concat([places[:, None], numbers[:, at:]], 1))
        places = lookups.gather(level.row_starts(), places) + numbers[:, at]
        level = level.values
    return take_rows(level, places)


@answers(RaggedTensor, "nn.dropout")
def _dropout(x: Any, rate: Any, noise_shape: Any = None, seed: Any = None, name: Any = None) -> Any:
    if noise_shape is not None:
        raise ValueError("noise_shape is not supported yet for RaggedTensor x")
    return x.with_flat_values(dropout(x.flat_values, rate, seed=seed))


@answers(RaggedTensor, "nn.embedding_lookup")
def _embedding_lookup(params: Any, ids: Any, max_norm: Any = None, name: Any = None) -> Any:
    return ids.with_flat_values(embedding_lookup(params, ids.flat_values, max_norm))
