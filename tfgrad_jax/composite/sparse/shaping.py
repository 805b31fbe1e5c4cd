"""Sparse tensors in another form: in order, of another shape, cut out, put together."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from tfgrad_jax.composite.checks import require
from tfgrad_jax.composite.sparse.dense import sparse_operand
from tfgrad_jax.composite.sparse.places import flat_places, places_of
from tfgrad_jax.composite.sparse.structure import filled_rows, order
from tfgrad_jax.composite.sparse_tensor import SparseTensor
from tfgrad_jax.engine.composite.indexed_slices import IndexedSlices
from tfgrad_jax.engine.declare.attributes import is_symbolic
from tfgrad_jax.engine.declare.roles import static
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.execute import misfit
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.ops.array.array import concat as join
from tfgrad_jax.ops.array.array import stack
from tfgrad_jax.ops.array.creation import ones, zeros_like
from tfgrad_jax.ops.array.gather import gather, gather_rows, where
from tfgrad_jax.ops.array.sequences import range as range_
from tfgrad_jax.ops.array.sizes import shape as shape_of
from tfgrad_jax.ops.common import integer_operand, number_of, operand
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.compare import equal, logical_and, not_equal
from tfgrad_jax.ops.math.reduce import reduce_all, reduce_max, reduce_prod
from tfgrad_jax.ops.math.rounding import maximum, minimum


def picked(sparse: SparseTensor, numbers: Any) -> SparseTensor:
    """Some of the values, by their numbers."""
    return SparseTensor(gather(sparse.indices, numbers), gather_rows(sparse.values, numbers), sparse.dense_shape)


def axis_of(axis: Any, rank: Any, op: str) -> Any:
    """An axis, counted from the front: a tensor where the rank is one.

    Raises:
      InvalidArgumentError: if there is no such axis.
    """
    axis = number_of(axis, "axis")
    if not isinstance(rank, int):
        require(f"axis {axis} is out of range [Op:{op}]", lambda n: (-n <= axis) & (axis < n), rank)
        return convert(axis, dtypes.int64) if axis >= 0 else rank + axis
    if not -rank <= axis < rank:
        raise invalid_argument(f"axis {axis} is out of range: expected it in [{-rank}, {rank})", op)
    return int(axis % rank)


def rank_of(sparse: SparseTensor) -> Any:
    """The number of dimensions: a tensor where it is not known."""
    rank = sparse.shape.rank
    if rank is not None:
        return int(rank)
    sizes: Any = shape_of(sparse.dense_shape, out_type=dtypes.int64)
    return sizes[0]


def _along(axis: Any, rank: Any) -> Any:
    """Which of the dimensions is an axis, as a vector of truth values."""
    return convert(np.arange(rank) == axis) if isinstance(rank, int) else equal(range_(rank), axis)


def _int64(value: Any) -> Any:
    return cast(integer_operand(value, dtypes.int64), dtypes.int64)


@export("sparse.reorder")
def reorder(sp_input: Any, name: str | None = None) -> SparseTensor:
    """The values in the order of their places. Mirrors `tf.sparse.reorder`."""
    sparse = sparse_operand(sp_input)
    ordered = picked(sparse, order(sparse.indices))
    ordered.set_shape(sparse.shape)
    return ordered


@export("sparse.reset_shape")
def reset_shape(sp_input: Any, new_shape: Any = None) -> SparseTensor:
    """The same values in another shape of the same rank: just large enough for them, if none is given.

    Mirrors `tf.sparse.reset_shape`.

    Raises:
      ValueError: if the new shape has another rank, or is smaller; an `InvalidArgumentError` where that shows when a graph runs.
    """
    sparse = sparse_operand(sp_input)
    if new_shape is None:
        ends: Any = sparse.indices + 1
        none: Any = sparse.dense_shape * 0
        return SparseTensor(sparse.indices, sparse.values, reduce_max(join([none[None], ends], 0), axis=0))
    shape = _int64(new_shape)
    if not shape.shape.is_compatible_with(sparse.dense_shape.shape):
        raise ValueError(f"reset_shape: new_shape {new_shape} has another rank than shape {sparse.shape}")
    if not is_symbolic(shape) and sparse.shape.is_fully_defined():
        smaller = [n for n, old in zip(static(shape), sparse.shape.as_list(), strict=True) if n < old]
        if smaller:
            raise ValueError(f"reset_shape: new_shape {new_shape} is smaller than shape {sparse.shape}")
    require("reset_shape: new_shape is smaller than the shape", lambda new, old: new >= old, shape, sparse.dense_shape)
    return SparseTensor(sparse.indices, sparse.values, shape)


@export("sparse.reshape")
def reshape(sp_input: Any, shape: Any, name: str | None = None) -> SparseTensor:
    """The values in a shape of as many elements; one size may be -1. Mirrors `tf.sparse.reshape`.

    Raises:
      InvalidArgumentError: if the shape has another number of elements, or more than one -1.
    """
    sparse = sparse_operand(sp_input)
    wanted: Any = _int64(shape)
    require("only one output dimension may be -1", lambda sizes: (sizes < 0).sum() <= 1, wanted)
    total: Any = reduce_prod(sparse.dense_shape)
    given: Any = reduce_prod(where(wanted < 0, wanted * 0 + 1, wanted))
    sizes = where(wanted < 0, total // maximum(given, 1), wanted)
    says = "Cannot reshape: the new shape has another number of elements"
    require(says, lambda sizes, total: sizes.prod() == total, sizes, total)
    places = places_of(flat_places(sparse.indices, sparse.dense_shape), sizes)
    return SparseTensor(places, sparse.values, sizes)


@export("sparse.slice")
def slice(sp_input: Any, start: Any, size: Any, name: str | None = None) -> SparseTensor:
    """A block of a sparse tensor, as far as there is one. Mirrors `tf.sparse.slice`."""
    sparse = sparse_operand(sp_input)
    first: Any = _int64(start)
    wanted: Any = _int64(size)
    for given, what in ((first, "start"), (wanted, "size")):
        if not given.shape.is_compatible_with([sparse.shape.rank]):
            raise misfit(
                f"{what} must have a number for each of {sparse.shape.rank} dimensions, got {given.shape}",
                "SparseSlice",
            )
    require("size must not be negative", lambda n: n >= 0, wanted)
    sizes: Any = maximum(minimum(wanted, sparse.dense_shape - first), 0)
    inside = reduce_all(logical_and(sparse.indices >= first, sparse.indices < first + sizes), axis=1)
    numbers: Any = where(inside)
    kept = picked(sparse, numbers[:, 0])
    return SparseTensor(kept.indices - first, kept.values, sizes)


@export("sparse.concat")
def concat(axis: Any, sp_inputs: Any, expand_nonconcat_dims: bool = False, name: str | None = None) -> SparseTensor:
    """Sparse tensors, one after the other along an axis. Mirrors `tf.sparse.concat`.

    Args:
      axis: along which they are joined.
      sp_inputs: of one rank, each with its places in order.
      expand_nonconcat_dims: whether other sizes may differ; the largest ones count.
      name: accepted for compatibility.

    Raises:
      InvalidArgumentError: if there is no such axis, or other sizes differ.
      TypeError: if one is not sparse.
    """
    sparse = [
        sparse_operand(s, "sp_inputs") for s in (sp_inputs if isinstance(sp_inputs, (list, tuple)) else [sp_inputs])
    ]
    if len(sparse) == 1:
        return sparse[0]
    rank = rank_of(next((s for s in sparse if s.shape.rank is not None), sparse[0]))
    along = axis_of(axis, rank, "SparseConcat")
    unit = _along(along, rank)
    shapes = stack([s.dense_shape for s in sparse])
    if not expand_nonconcat_dims:
        says = "SparseConcat: Input shapes must match but along the axis"
        require(says, lambda sizes, unit: (sizes == sizes[:1]) | unit, shapes, unit)
    offset: Any = sparse[0].dense_shape * 0
    indices = []
    for s in sparse:
        indices.append(s.indices + offset)
        offset = offset + where(unit, s.dense_shape, s.dense_shape * 0)
    shape = where(unit, offset, reduce_max(shapes, axis=0))
    joined = SparseTensor(join(indices, 0), join([s.values for s in sparse], 0), shape)
    if isinstance(rank, int):
        known = zip(*[s.shape.with_rank(rank).as_list() for s in sparse], strict=True)
        joined.set_shape([_joined_size(sizes, i == along, expand_nonconcat_dims) for i, sizes in enumerate(known)])
    return reorder(joined)


def _joined_size(sizes: tuple[int | None, ...], along: bool, largest: bool) -> int | None:
    """A static size of sparse tensors that are joined, from theirs."""
    known = [n for n in sizes if n is not None]
    if along or largest:
        return None if len(known) < len(sizes) else sum(known) if along else max(known)
    return known[0] if known else None


@export("sparse.expand_dims")
def expand_dims(sp_input: Any, axis: Any = None, name: str | None = None) -> SparseTensor:
    """A dimension of size 1 more, the last if no axis is given. Mirrors `tf.sparse.expand_dims`.

    Raises:
      InvalidArgumentError: if there is no such axis.
    """
    sparse = sparse_operand(sp_input)
    at = axis_of(-1 if axis is None else axis, rank_of(sparse) + 1, "ExpandDims")
    zero: Any = zeros_like(sparse.values, dtypes.int64)[:, None]
    indices = join([sparse.indices[:, :at], zero, sparse.indices[:, at:]], 1)
    shape = join([sparse.dense_shape[:at], ones([1], dtypes.int64), sparse.dense_shape[at:]], 0)
    return SparseTensor(indices, sparse.values, shape)


@export("sparse.transpose")
def transpose(sp_input: Any, perm: Any = None, name: str | None = None) -> SparseTensor:
    """The dimensions in another order, reversed if none is given. Mirrors `tf.sparse.transpose`."""
    sparse = sparse_operand(sp_input)
    axes = range_(rank_of(sparse))[::-1] if perm is None else perm
    if not operand(axes).shape.is_compatible_with([sparse.shape.rank]):
        raise ValueError(
            f"tf.sparse.transpose: perm must name each of {sparse.shape.rank} dimensions once, got {perm!r}"
        )
    places = gather(sparse.indices, axes, axis=1)
    return reorder(SparseTensor(places, sparse.values, gather(sparse.dense_shape, axes)))


@export("sparse.retain")
def retain(sp_input: Any, to_retain: Any) -> SparseTensor:
    """The values where `to_retain`, a boolean vector, is true. Mirrors `tf.sparse.retain`.

    Raises:
      ValueError: if there are more or fewer truth values than values.
    """
    sparse, kept = sparse_operand(sp_input), operand(to_retain)
    kept.shape.assert_is_compatible_with(sparse.values.shape)
    numbers: Any = where(kept)
    rows = numbers[:, 0]
    return SparseTensor(gather(sparse.indices, rows), gather(sparse.values, rows), sparse.dense_shape)


@export("sparse.fill_empty_rows")
def fill_empty_rows(sp_input: Any, default_value: Any, name: str | None = None) -> tuple[SparseTensor, Any]:
    """A value in the first column of each row that has none. Mirrors `tf.sparse.fill_empty_rows`.

    Returns:
      The sparse tensor, and which rows had none.
    """
    sparse = sparse_operand(sp_input)
    default = operand(default_value, sparse.dtype)
    indices, source, empty = filled_rows(sparse.indices, sparse.dense_shape)
    values = gather(join([sparse.values, default[None]], 0), source)
    return SparseTensor(indices, values, sparse.dense_shape), empty


@export("sparse.split")
def split(sp_input: Any = None, num_split: Any = None, axis: Any = None, name: str | None = None) -> list[SparseTensor]:
    """Parts along an axis, the first ones larger by one where it does not divide. Mirrors `tf.sparse.split`.

    Raises:
      InvalidArgumentError: if there is no such axis, or there are more parts than its size.
      ValueError: if an argument is missing.
    """
    for value, what in ((sp_input, "sp_input"), (num_split, "num_split"), (axis, "axis")):
        if value is None:
            raise ValueError(f"tf.sparse.split: {what} is required")
    sparse, count = sparse_operand(sp_input), number_of(num_split, "num_split")
    at = axis_of(axis, rank_of(sparse), "SparseSplit")
    size: Any = sparse.shape[at] if isinstance(at, int) else None
    if count < 1:
        raise misfit(f"Input num_split should be between 1 and the size of the axis, got {count}", "SparseSplit")
    if size is not None and count > size:
        raise invalid_argument(f"Input num_split should be between 1 and the size ({size}), got {count}", "SparseSplit")
    if size is None:
        size = sparse.dense_shape[at]
        told = f"Input num_split should be between 1 and the size of the axis, got {count}"
        require(told, lambda n: n >= count, size)
    here, even, over = _along(at, rank_of(sparse)), size // count, size % count
    smaller = min if isinstance(size, int) else minimum
    ends = [i * even + smaller(over, i) for i in range(count + 1)]
    return [
        slice(
            sparse,
            where(here, convert(first, dtypes.int64), convert(0, dtypes.int64)),
            where(here, convert(last - first, dtypes.int64), sparse.dense_shape),
        )
        for first, last in pairwise(ends)
    ]


@export("sparse.eye")
def eye(num_rows: Any, num_columns: Any = None, dtype: Any = dtypes.float32, name: str | None = None) -> SparseTensor:
    """Ones on the diagonal. Mirrors `tf.sparse.eye`."""
    rows = _int64(num_rows)
    columns = rows if num_columns is None else _int64(num_columns)
    count: Any = minimum(rows, columns)
    places = range_(count)
    return SparseTensor(stack([places, places], 1), ones(count[None], as_dtype(dtype)), stack([rows, columns]))


@export("sparse.mask")
def mask(a: Any, mask_indices: Any, name: str | None = None) -> IndexedSlices:
    """The rows of `tf.IndexedSlices` whose indices are not in `mask_indices`. Mirrors `tf.sparse.mask`."""
    indices: Any = operand(a.indices)
    masked: Any = operand(mask_indices, indices.dtype)
    kept: Any = where(reduce_all(not_equal(indices[:, None], masked[None]), axis=1))
    numbers = kept[:, 0]
    return IndexedSlices(gather(a.values, numbers), gather(indices, numbers), a.dense_shape)
