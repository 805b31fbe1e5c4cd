"""Ragged tensors from and to dense and sparse ones."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfgrad_jax.composite.checks import require
from tfgrad_jax.composite.ragged.partition import size_of, sizes_in, spans, splits_of_rowids, vector
from tfgrad_jax.composite.ragged.rows import count_rows, rank_of
from tfgrad_jax.composite.ragged.tensor import RaggedTensor
from tfgrad_jax.composite.sparse_tensor import SparseTensor
from tfgrad_jax.engine.declare.attributes import is_symbolic
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.run.execute import host_value
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert, convert_to_tensor
from tfgrad_jax.engine.values.dtypes import DType, as_dtype
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.ops.array.array import concat, stack, unstack
from tfgrad_jax.ops.array.creation import zeros
from tfgrad_jax.ops.array.gather import gather, where
from tfgrad_jax.ops.array.sequences import range as range_
from tfgrad_jax.ops.array.shape import broadcast_to, reshape
from tfgrad_jax.ops.common import operand, sizes_of
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.compare import equal, logical_not
from tfgrad_jax.ops.math.reduce import reduce_all, reduce_max
from tfgrad_jax.ops.math.rounding import maximum, minimum
from tfgrad_jax.ops.strings.splitting import filled_up


def bounding_shape(self: RaggedTensor, axis: Any = None, name: str | None = None, out_type: Any = None) -> Any:
    """The shape of the smallest dense tensor that has room for all rows. Mirrors `tf.RaggedTensor.bounding_shape`.

    Args:
      axis: the dimension, or dimensions, to tell the size of; all if not given.
      name: accepted for compatibility.
      out_type: int32 or int64; the dtype of the row splits if not given.
    """
    dtype = self.row_splits.dtype if out_type is None else as_dtype(out_type)
    sizes = [self.nrows(), *[longest(lengths) for lengths in self.nested_row_lengths()]]
    inner = sizes_in(self.flat_values, self.row_splits.dtype)[1:]
    whole = cast(concat([stack(sizes), inner], 0), dtype)
    return whole if axis is None else gather(whole, axis)


def longest(lengths: Any) -> Any:
    """The greatest of some lengths; 0 if there are none."""
    return reduce_max(concat([zeros([1], lengths.dtype), lengths], 0))


# -- dense ------------------------------------------------------------------------------------------------------------


def to_tensor(self: RaggedTensor, default_value: Any = None, name: str | None = None, shape: Any = None) -> Any:
    """The rows in a dense tensor, filled up at their ends. Mirrors `tf.RaggedTensor.to_tensor`.

    Args:
      default_value: what fills up, of a shape that broadcasts to that of one value; 0, or an empty string, if not given.
      name: accepted for compatibility.
      shape: of the result, with None (or -1) for sizes that follow from the rows; longer rows are cut off.

    Raises:
      InvalidArgumentError: if `shape` has another rank.
      TypeError: if `default_value` does not fit the dtype.
    """
    rank = self.ragged_rank + 1 if shape is None and self.shape.rank is None else rank_of(self)
    filler = zeros([], self.dtype) if default_value is None else _filler(default_value, self.dtype)
    sizes = _wanted_sizes(shape, rank)
    result = _filled_up(self, filler, sizes)
    if is_symbolic(result) and self.shape.rank is not None:
        static = [None if is_symbolic(n) or n is None else int(n) for n in sizes]
        outer = [a if b is None else b for a, b in zip(self.shape, static, strict=True)]
        result.set_shape(outer)
    return result


def _filler(value: Any, dtype: DType) -> Any:
    tensor = value if isinstance(value, Tensor) else convert(value, dtype)
    if tensor.dtype is not dtype:
        raise ValueError(f"to_tensor: default_value has dtype {tensor.dtype.name}, the values have {dtype.name}")
    return tensor


def _wanted_sizes(shape: Any, rank: int) -> list[Any]:
    if shape is None or (isinstance(shape, TensorShape) and shape.rank is None):
        return [None] * rank
    sizes: list[Any]
    if isinstance(shape, TensorShape):
        sizes = shape.as_list()
    elif isinstance(shape, Tensor):
        sizes = unstack(shape) if is_symbolic(shape) else host_value(shape).tolist()
    else:
        sizes = [n if n is None or isinstance(n, Tensor) else int(n) for n in shape]
    if len(sizes) != rank:
        raise invalid_argument(
            f"rt_input.shape and shape={shape} are incompatible: rt_input.rank = {rank} but shape.rank = {len(sizes)}",
            "RaggedTensorToTensor",
        )
    return [None if isinstance(n, int) and n == -1 else n for n in sizes]


def _filled_up(value: Any, filler: Any, sizes: list[Any]) -> Any:
    if not isinstance(value, RaggedTensor):
        for axis in range(1, len(sizes)):
            if sizes[axis] is not None:
                value = _fitted(value, filler, axis, sizes[axis])
        return value
    inner = _filled_up(value.values, filler, [None, *sizes[2:]])
    element = sizes_in(inner)[1:]
    if value.uniform_row_length is not None and sizes[:2] == [None, None]:
        outer = stack([cast(value.nrows(), dtypes.int32), cast(value.uniform_row_length, dtypes.int32)])
        return reshape(inner, concat([outer, element], 0))
    if inner.dtype is dtypes.string and inner.shape.rank is not None:
        if filler.shape.rank:
            filler = broadcast_to(filler, element)
        return filled_up(inner, value.row_splits, filler, [-1 if n is None else n for n in sizes[:2]])
    starts, lengths = value.row_starts(), value.row_lengths()
    dtype = lengths.dtype
    width = longest(lengths) if sizes[1] is None else cast(convert(sizes[1]), dtype)
    if sizes[0] is not None:
        count = sizes[0]
        missing: Any = maximum(count - value.nrows(dtypes.int32), 0)
        extra = zeros(missing[None], dtype)
        longer: list[Any] = [concat([t, extra], 0) for t in (starts, lengths)]
        starts, lengths = (t[:count] for t in longer)
    # What fills up stands behind the last value, and every free place takes it.
    table = concat([inner, broadcast_to(filler, element)[None]], 0)
    columns = range_(width)
    free = size_of(inner, dtype)
    places = where(columns < lengths[:, None], starts[:, None] + columns, free)
    return gather(table, places)


def _fitted(value: Any, filler: Any, axis: int, size: Any) -> Any:
    """The tensor with another size along an axis: cut off, or filled up."""
    sizes = sizes_in(value)
    before, after = sizes[:axis], sizes[axis + 1 :]
    missing: Any = maximum(size - sizes[axis], 0)
    # The filler has the shape of one element: its dimensions are the last ones.
    if filler.shape.rank:
        element: Any = broadcast_to(filler, sizes[1:])
        filler = element[(slice(None),) * (axis - 1) + (slice(0, 1),)]
    extra = broadcast_to(filler, concat([before, missing[None], after], 0))
    longer: Any = concat([value, extra], axis)
    return longer[(slice(None),) * axis + (slice(0, size),)]


def from_tensor(
    cls: type[RaggedTensor],
    tensor: Any,
    lengths: Any = None,
    padding: Any = None,
    ragged_rank: int = 1,
    name: str | None = None,
    row_splits_dtype: Any = dtypes.int64,
) -> RaggedTensor:
    """The rows of a dense tensor. Mirrors `tf.RaggedTensor.from_tensor`.

    Args:
      tensor: of rank 2 at least.
      lengths: of each row, what is behind is left out; or a tuple of such, for several dimensions.
      padding: what is left out at the ends of rows: a value.
      ragged_rank: how many dimensions become divisions into rows; all but the last one uniform.
      name: accepted for compatibility.
      row_splits_dtype: int32 or int64.

    Raises:
      ValueError: if both `lengths` and `padding` are given, or the rank is too small.
    """
    dtype = as_dtype(row_splits_dtype)
    if lengths is not None and padding is not None:
        raise ValueError("Specify argument `lengths` or `padding`, but not both.")
    if not isinstance(ragged_rank, int):
        raise TypeError(f"Argument `ragged_rank` must be an int. Received {ragged_rank}.")
    if ragged_rank <= 0:
        raise ValueError(f"Argument `ragged_rank` must be greater than 0. Received {ragged_rank}.")
    dense = operand(tensor)
    rank = rank_of(dense)
    if rank < 2:
        raise ValueError(
            f"The rank of a RaggedTensor must be greater than 1, i.e., a list of scalars won't have ragged dimensions. "
            f"Received argument `tensor` with rank {rank}."
        )
    if ragged_rank >= rank:
        raise ValueError(f"Argument `ragged_rank`={ragged_rank} must be less than the rank of the tensor, {rank}")
    if isinstance(lengths, (list, tuple)) and lengths and _is_vector(lengths[0]):
        first, *rest = lengths
        result = from_tensor(cls, dense, first, row_splits_dtype=dtype)
        return result.with_values(from_tensor(cls, result.values, rest, row_splits_dtype=dtype)) if rest else result
    sizes = sizes_in(dense, dtype)
    width = sizes[1] if dense.shape[1] is None else convert(np.array(dense.shape[1], dtype.np))
    rows = reshape(dense, concat([[-1], sizes_in(dense)[2:]], 0)) if 0 not in dense.shape else _merged(dense)
    if ragged_rank > 1:
        rows = from_tensor(cls, rows, lengths, padding, ragged_rank - 1, row_splits_dtype=dtype)
        return cls.from_uniform_row_length(rows, width, nrows=sizes[0], validate=False)
    if padding is not None:
        lengths = _lengths_without(dense, padding, dtype)
    if lengths is None:
        return cls.from_uniform_row_length(rows, width, nrows=sizes[0], validate=False)
    limits = minimum(maximum(cast(vector(lengths, "lengths", dtype), dtype), 0), width)
    splits, places = spans(range_(sizes[0]) * width, limits)
    return cls(gather(rows, places), splits, internal=True)


def _is_vector(value: Any) -> bool:
    return bool(value.shape.rank if isinstance(value, Tensor) else np.ndim(value))


def _merged(dense: Any) -> Any:
    """The first two dimensions as one, also where a size of 0 leaves it open."""
    sizes = sizes_in(dense)
    return reshape(dense, concat([(sizes[0] * sizes[1])[None], sizes[2:]], 0))


def _lengths_without(dense: Any, padding: Any, dtype: DType) -> Any:
    """How much of each row is left without the padding at its end."""
    padding = convert_to_tensor(padding, dtype=dense.dtype, name="padding")
    padding.shape.assert_is_compatible_with(dense.shape[2:])
    padded = equal(dense, padding)
    kept = logical_not(reduce_all(padded, axis=list(range(2, rank_of(dense)))) if rank_of(dense) > 2 else padded)
    ends = range_(1, sizes_in(dense, dtype)[1] + 1)
    lengths = where(kept, ends, zeros([], dtype))
    return reduce_max(concat([zeros(sizes_in(dense)[:1], dtype)[:, None], lengths], 1), axis=1)


# -- sparse -----------------------------------------------------------------------------------------------------------


def to_sparse(self: RaggedTensor, name: str | None = None) -> SparseTensor:
    """The values and their places. Mirrors `tf.RaggedTensor.to_sparse`."""
    levels: list[RaggedTensor] = []
    value: Any = self
    while isinstance(value, RaggedTensor):
        levels.append(value)
        value = value.values
    inner = [n if isinstance(n, int) else cast(n, dtypes.int64) for n in sizes_of(value)[1:]]
    size: Any = math.prod(inner)
    numbers: Any = range_(cast(count_rows(value), dtypes.int64) * size)
    rows = numbers // _one_or(size)
    strides = [math.prod(inner[i + 1 :]) for i in range(len(inner))]
    columns = [numbers // _one_or(stride) % _one_or(n) for stride, n in zip(strides, inner, strict=True)]
    for level in reversed(levels):
        outer = gather(cast(level.value_rowids(), dtypes.int64), rows)
        columns.insert(0, rows - gather(cast(level.row_starts(), dtypes.int64), outer))
        rows = outer
    indices = stack([rows, *columns], 1)
    return SparseTensor(indices, reshape(value, [-1]), bounding_shape(self, out_type=dtypes.int64))


def _one_or(size: Any) -> Any:
    """A size to divide by: where it is 0 there is nothing to divide."""
    return max(size, 1) if isinstance(size, int) else maximum(size, 1)


def from_sparse(
    cls: type[RaggedTensor], st_input: Any, name: str | None = None, row_splits_dtype: Any = dtypes.int64
) -> RaggedTensor:
    """The rows of a sparse matrix whose values stand at the beginning of each row. Mirrors `tf.RaggedTensor.from_sparse`.

    Raises:
      TypeError: if it is no sparse tensor.
      ValueError: if its rank is not 2.
      InvalidArgumentError: if a row has a gap.
    """
    dtype = as_dtype(row_splits_dtype)
    if not isinstance(st_input, SparseTensor):
        raise TypeError(f"Argument `st_input` must be of type SparseTensor, but is of type {type(st_input).__name__}.")
    if rank_of(st_input) != 2:
        raise ValueError(f"rank(st_input) must be 2. Found rank: {rank_of(st_input)}.")
    rows, columns = st_input.indices[:, 0], st_input.indices[:, 1]
    splits = splits_of_rowids(rows, st_input.dense_shape[0])
    require("SparseTensor is not right-ragged: its indices must be in order", lambda r: r[1:] >= r[:-1], rows)
    require(
        "SparseTensor is not right-ragged: the values must stand at the beginning of each row",
        lambda columns, wanted: columns == wanted,
        columns,
        range_(size_of(columns, dtypes.int64)) - gather(splits, rows),
    )
    return cls(st_input.values, cast(splits, dtype), internal=True)
