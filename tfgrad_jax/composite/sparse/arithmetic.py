"""Sums, extremes and products of sparse tensors, functions of their values, and counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfgrad_jax.composite.answers import answers, elementwise_answers
from tfgrad_jax.composite.checks import require
from tfgrad_jax.composite.sparse.dense import sparse_operand, to_dense
from tfgrad_jax.composite.sparse.places import check_places, flat_places
from tfgrad_jax.composite.sparse.shaping import axis_of, picked, rank_of
from tfgrad_jax.composite.sparse.structure import counts, groups
from tfgrad_jax.composite.sparse_tensor import SparseTensor
from tfgrad_jax.engine.declare.roles import static
from tfgrad_jax.engine.hooks import sparse_operations
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes, nest
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.ops.array import counting
from tfgrad_jax.ops.array import shape as shapes
from tfgrad_jax.ops.array.array import concat as join
from tfgrad_jax.ops.array.array import stack
from tfgrad_jax.ops.array.creation import ones_like, zeros
from tfgrad_jax.ops.array.gather import gather, gather_rows, where
from tfgrad_jax.ops.array.scatter import scatter_nd, tensor_scatter_nd_add
from tfgrad_jax.ops.array.sequences import range as range_
from tfgrad_jax.ops.array.sizes import shape as shape_of
from tfgrad_jax.ops.common import operand
from tfgrad_jax.ops.math import complex as complexes
from tfgrad_jax.ops.math import rounding
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.compare import equal, logical_not, logical_or
from tfgrad_jax.ops.math.elementary import exp
from tfgrad_jax.ops.math.reduce import reduce_any, reduce_prod
from tfgrad_jax.ops.segments.segment import unsorted_segment_max, unsorted_segment_sum

# -- two sparse tensors -----------------------------------------------------------------------------------------------


def _union(a: SparseTensor, b: SparseTensor, op: str) -> tuple[Any, Any, Any, Any]:
    """All places of two, which of them each place of either one is, and how many there are."""
    says = f"{op}: Operands' shapes do not match"
    require(says, lambda x, y: x == y if x.shape == y.shape else False, a.dense_shape, b.dense_shape)
    places, which = groups(join([a.indices, b.indices], 0))
    first = shape_of(a.values, out_type=dtypes.int64)
    return places, which[: first[0]], which[first[0] :], _count(places)


def _count(rows: Any) -> Any:
    size: Any = shape_of(rows, out_type=dtypes.int64)
    return size[0]


@export("sparse.add")
def add(a: Any, b: Any, threshold: Any = 0) -> Any:
    """The sum of two tensors, one of them sparse at least. Mirrors `tf.sparse.add`.

    Args:
      a, b: sparse tensors or tensors of one shape.
      threshold: what sums of two values must reach to be kept, if both operands are sparse.

    Returns:
      A sparse tensor if both are, otherwise a tensor.

    Raises:
      TypeError: if neither is sparse.
      InvalidArgumentError: if the shapes differ.
    """
    if not isinstance(a, SparseTensor) and not isinstance(b, SparseTensor):
        raise TypeError("At least one input should be SparseTensor; do you mean to use tf.add()?")
    if not isinstance(a, SparseTensor):
        a, b = b, a
    if not isinstance(b, SparseTensor):
        dense = operand(b, a.dtype)
        says = "tf.sparse.add: Operands' shapes do not match"
        sizes = shape_of(dense, out_type=dtypes.int64)
        require(says, lambda x, y: x == y if x.shape == y.shape else False, a.dense_shape, sizes)
        return tensor_scatter_nd_add(dense, a.indices, a.values)
    places, first, second, count = _union(a, b, "SparseAdd")
    which = join([first, second], 0)
    values: Any = unsorted_segment_sum(join([a.values, b.values], 0), which, count)
    result = SparseTensor(places, values, a.dense_shape)
    alone: Any = unsorted_segment_sum(ones_like(which), which, count)
    size: Any = rounding.abs(values)
    kept: Any = where(logical_or(alone == 1, size >= cast(operand(threshold), size.dtype)))
    return picked(result, kept[:, 0])


def _pairwise(function: Callable[..., Any], op: str, a: Any, b: Any) -> SparseTensor:
    one, other = sparse_operand(a, "sp_a"), sparse_operand(b, "sp_b")
    places, first, second, count = _union(one, other, op)
    x = unsorted_segment_sum(one.values, first, count)
    y = unsorted_segment_sum(other.values, second, count)
    return SparseTensor(places, function(x, y), one.dense_shape)


@export("sparse.maximum")
def maximum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """The larger elements of two sparse tensors, where either has a value. Mirrors `tf.sparse.maximum`."""
    return _pairwise(rounding.maximum, "SparseSparseMaximum", sp_a, sp_b)


@export("sparse.minimum")
def minimum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """The smaller elements of two sparse tensors, where either has a value. Mirrors `tf.sparse.minimum`."""
    return _pairwise(rounding.minimum, "SparseSparseMinimum", sp_a, sp_b)


# -- reductions -------------------------------------------------------------------------------------------------------


def _reduced(reduce: Callable[..., Any], op: str, sp_input: Any, axis: Any, keepdims: Any, sparse: bool) -> Any:
    value = sparse_operand(sp_input)
    rank = rank_of(value)
    given = static(axis)
    if not isinstance(rank, int):
        return _reduced_unranked(reduce, op, value, rank, given, keepdims, sparse)
    given = tuple(range(rank)) if given is None else given if isinstance(given, tuple) else (given,)
    axes = {axis_of(a, rank, op) for a in given}
    kept = [i for i in range(rank) if i not in axes]
    places = gather(value.indices, convert(kept, dtypes.int64), axis=1)
    sizes = gather(value.dense_shape, convert(kept, dtypes.int64))
    whole = [i for i in range(rank) if keepdims or i in kept]
    unit = convert([i in kept for i in whole], dtypes.bool_)
    every = gather(value.dense_shape, convert(whole, dtypes.int64))
    shape = where(unit, every, ones_like(every))
    if sparse:
        found, which = groups(places)
        values = reduce(value.values, which, _count(found))
        first = zeros(_count(found)[None], dtypes.int64)  # the place along an axis that is gone
        padded = [found[:, kept.index(i)] if i in kept else first for i in whole]
        indices = shapes.transpose(convert(padded, dtypes.int64)) if padded else found
        return SparseTensor(indices, values, shape)
    total = reduce_prod(sizes)
    return shapes.reshape(reduce(value.values, flat_places(places, sizes), total), shape)


def _reduced_unranked(
    reduce: Callable[..., Any], op: str, value: SparseTensor, rank: Any, axis: Any, keepdims: Any, sparse: bool
) -> Any:
    """The same where the number of dimensions is a tensor."""
    every = range_(rank)
    gone = ones_like(every, dtypes.bool_)
    if axis is not None:
        axes = [axis_of(a, rank, op) for a in (axis if isinstance(axis, tuple) else (axis,))]
        gone = reduce_any(equal(every[:, None], convert(axes, dtypes.int64)), axis=1)
    kept = where(logical_not(gone))
    places = gather(value.indices, kept[:, 0], axis=1)
    sizes = gather(value.dense_shape, kept[:, 0])
    shape = where(gone, ones_like(every), value.dense_shape) if keepdims else sizes
    if sparse:
        found, which = groups(places)
        values = reduce(value.values, which, _count(found))
        if keepdims:
            columns = scatter_nd(kept, shapes.transpose(found), stack([rank, _count(found)]))
            found = shapes.transpose(columns)
        return SparseTensor(found, values, shape)
    return shapes.reshape(reduce(value.values, flat_places(places, sizes), reduce_prod(sizes)), shape)


@export("sparse.reduce_sum")
def reduce_sum(
    sp_input: Any, axis: Any = None, keepdims: Any = None, output_is_sparse: bool = False, name: str | None = None
) -> Any:
    """Sums along axes, dense or sparse. Mirrors `tf.sparse.reduce_sum`.

    Raises:
      InvalidArgumentError: if there is no such axis.
    """
    return _reduced(unsorted_segment_sum, "SparseReduceSum", sp_input, axis, keepdims, output_is_sparse)


def _largest(values: Any, which: Any, count: Any) -> Any:
    """The largest value of each group; 0 where there is none."""
    there: Any = unsorted_segment_sum(ones_like(which), which, count)
    most = unsorted_segment_max(values, which, count)
    return where(there > 0, most, zeros([], values.dtype))


@export("sparse.reduce_max")
def reduce_max(
    sp_input: Any, axis: Any = None, keepdims: Any = None, output_is_sparse: bool = False, name: str | None = None
) -> Any:
    """The largest values along axes, 0 where there are none, dense or sparse. Mirrors `tf.sparse.reduce_max`.

    Raises:
      InvalidArgumentError: if there is no such axis.
    """
    return _reduced(_largest, "SparseReduceMax", sp_input, axis, keepdims, output_is_sparse)


@export("sparse.softmax")
def softmax(sp_input: Any, name: str | None = None) -> SparseTensor:
    """The softmax along the last dimension, of the values that are there. Mirrors `tf.sparse.softmax`."""
    sparse = sparse_operand(sp_input)
    rank = rank_of(sparse)
    if not isinstance(rank, int):
        require("SparseSoftmax: Input should have rank >= 2", lambda rank: rank >= 2, rank)
    elif rank < 2:
        raise invalid_argument(f"Input should have rank >= 2, but received shape: {sparse.shape}", "SparseSoftmax")
    rows, which = groups(sparse.indices[:, :-1])
    count = _count(rows)
    most = unsorted_segment_max(sparse.values, which, count)
    powers: Any = exp(sparse.values - gather(most, which))
    return sparse.with_values(powers / gather(unsorted_segment_sum(powers, which, count), which))


# -- products ---------------------------------------------------------------------------------------------------------


@export("sparse.sparse_dense_matmul")
def sparse_dense_matmul(
    sp_a: Any, b: Any, adjoint_a: bool = False, adjoint_b: bool = False, name: str | None = None
) -> Any:
    """The product of a sparse and a dense matrix, in either order. Mirrors `tf.sparse.sparse_dense_matmul`.

    Raises:
      InvalidArgumentError: if the sizes do not fit, or the dtypes differ.
    """
    if isinstance(b, SparseTensor) and not isinstance(sp_a, SparseTensor):
        # Of the transposed product both factors are transposed, and stand the other way round.
        turned = sparse_dense_matmul(b, sp_a, not adjoint_b, not adjoint_a)
        return complexes.conj(shapes.transpose(turned)) if b.dtype.is_complex else shapes.transpose(turned)
    sparse, dense = sparse_operand(sp_a, "sp_a"), operand(b)
    if dense.dtype is not sparse.dtype:
        raise invalid_argument(
            f"the matrices must have one dtype: got {sparse.dtype.name} and {dense.dtype.name}",
            "SparseTensorDenseMatMul",
        )
    check_places(sparse, "SparseTensorDenseMatMul", ordered=False)
    values = sparse.values
    if adjoint_b:
        dense = shapes.transpose(dense, conjugate=True) if dense.dtype.is_complex else shapes.transpose(dense)
    if adjoint_a and values.dtype.is_complex:
        values = complexes.conj(values)
    row, column = (1, 0) if adjoint_a else (0, 1)
    sizes: Any = shape_of(dense, out_type=dtypes.int64)
    says = "Cannot multiply A and B because inner dimensions do not match"
    require(says, lambda x, y: x == y, sparse.dense_shape[column], sizes[0])
    products: Any = values[:, None] * gather_rows(dense, sparse.indices[:, column])
    return unsorted_segment_sum(products, sparse.indices[:, row], sparse.dense_shape[row])


# -- functions of the values ------------------------------------------------------------------------------------------


@elementwise_answers(
    SparseTensor,
    ("math.abs", "math.negative", "math.sign", "math.square", "math.sqrt", "math.erf", "math.tanh", "cast"),
    (),
)
def _of_values(function: Callable[..., Any], sparse: SparseTensor) -> SparseTensor:
    return sparse.with_values(function(sparse.values))


@export("sparse.map_values")
def map_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> SparseTensor:
    """A function of the values, at the places they came from. Mirrors `tf.sparse.map_values`.

    Args:
      op: takes the arguments with the values in place of every sparse tensor.
      *args: for it; lists in them are searched for sparse tensors too.
      **kwargs: for it.

    Raises:
      ValueError: if no argument is sparse, or `op` returns more or fewer values.
      InvalidArgumentError: if the places of sparse arguments differ.
    """
    found = [v for v in nest.flatten((args, kwargs)) if isinstance(v, SparseTensor)]
    if not found:
        raise ValueError("No SparseTensor in argument list of map_values")
    first = found[0]
    for other in found[1:]:
        if other.indices is not first.indices:
            says = "the sparse arguments of map_values must have the same places"
            require(says, lambda x, y: x == y if x.shape == y.shape else False, first.indices, other.indices)
    plain = nest.map_structure(lambda v: v.values if isinstance(v, SparseTensor) else v, (args, kwargs))
    values = operand(op(*plain[0], **plain[1]))
    first.values.shape[:1].assert_is_compatible_with(values.shape[:1])
    return first.with_values(values)


@sparse_operations.fill
def _ready() -> None:
    """They are: this module is loaded."""


@answers(SparseTensor, "shape")
def _shape(input: Any, out_type: Any = None, name: Any = None) -> Any:
    return cast(input.dense_shape, dtypes.int32 if out_type is None else as_dtype(out_type))


@answers(SparseTensor, "size")
def _size(input: Any, out_type: Any = None, name: Any = None) -> Any:
    return cast(reduce_prod(input.dense_shape), dtypes.int32 if out_type is None else as_dtype(out_type))


@answers(SparseTensor, "rank")
def _rank(input: Any, name: Any = None) -> Any:
    size: Any = shape_of(input.dense_shape)
    return size[0]


@export("sparse.to_indicator")
def to_indicator(sp_input: Any, vocab_size: Any, name: str | None = None) -> Any:
    """Truth values: whether a number is among the values of a row. Mirrors `tf.sparse.to_indicator`.

    Args:
      sp_input: integers.
      vocab_size: the size of the last dimension, above all numbers.
      name: accepted for compatibility.

    Raises:
      InvalidArgumentError: if a number is negative, or not below `vocab_size`.
    """
    sparse = sparse_operand(sp_input)
    if not sparse.dtype.is_integer:
        raise TypeError(f"tf.sparse.to_indicator: the values must be integers, got {sparse.dtype.name}")
    numbers = cast(sparse.values, dtypes.int64)
    size = cast(operand(vocab_size), dtypes.int64)
    indices = join([sparse.indices[:, :-1], numbers[:, None]], 1)
    shape = join([sparse.dense_shape[:-1], size[None]], 0)
    return to_dense(SparseTensor(indices, ones_like(numbers, dtypes.bool_), shape), validate_indices=False)


# -- counts -----------------------------------------------------------------------------------------------------------


@export("sparse.bincount")
def bincount(
    values: Any,
    weights: Any = None,
    axis: Any = 0,
    minlength: Any = None,
    maxlength: Any = None,
    binary_output: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """How often each integer occurs, as a sparse tensor. Mirrors `tf.sparse.bincount`.

    Args:
      values: integers that are not negative: a tensor, ragged or sparse tensor.
      weights: what each occurrence counts, of the form of `values`; 1 where None.
      axis: 0 and None count all together, -1 each row of a matrix by itself.
      minlength: the least number of columns.
      maxlength: the largest number of columns; larger integers are left out.
      binary_output: whether to tell only whether an integer occurs.
      name: accepted for compatibility.

    Raises:
      InvalidArgumentError: if an integer is negative.
      ValueError: if `axis` is something else.
    """
    given = 0 if axis is None else static(axis)
    if given not in (0, -1):
        raise ValueError(f"Unsupported value for argument axis={axis}. Only 0 and -1 are currently supported.")
    numbers, rows, count = _numbers_and_rows(values)
    if TensorShape(getattr(values, "shape", None) or operand(values).shape).rank == 1:
        given = 0  # all of it is one row
    if given == 0:
        rows = rows * 0
    require("Inputs for tf.sparse.bincount must be non-negative", lambda n: n >= 0, numbers)
    if weights is None:
        weight: Any = zeros([0], dtypes.int32)
    else:
        weight = shapes.reshape(getattr(weights, "flat_values", getattr(weights, "values", weights)), [-1])
    limits = [-1 if n is None else n for n in (minlength, maxlength)]
    places, total, columns = counts(rows, numbers, weight, convert([*limits, -1], dtypes.int64), binary_output)
    if weights is None:
        total = cast(total, numbers.dtype)
    if given == 0:
        return SparseTensor(places[:, 1:], total, columns[None])
    return SparseTensor(places, total, join([count[None], columns[None]], 0))


@answers(SparseTensor, "math.bincount")
def _bincount(
    arr: Any,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: Any = dtypes.int32,
    **others: Any,
) -> Any:
    if others.get("axis") not in (None, 0):
        binary = others.get("binary_output", False)
        counted = bincount(arr, weights, others["axis"], minlength, maxlength, binary)
        return to_dense(counted if weights is not None else counted.with_values(cast(counted.values, as_dtype(dtype))))
    weight = weights.values if isinstance(weights, SparseTensor) else weights
    return counting.bincount(arr.values, weight, minlength, maxlength, dtype)


def _numbers_and_rows(values: Any) -> tuple[Any, Any, Any]:
    """The integers, the row of each, and the number of rows."""
    if isinstance(values, SparseTensor):
        return values.values, values.indices[:, 0], values.dense_shape[0]
    if hasattr(values, "value_rowids"):
        return values.flat_values, cast(values.value_rowids(), dtypes.int64), cast(values.nrows(), dtypes.int64)
    dense = operand(values)
    numbers = shapes.reshape(dense, [-1])
    sizes: Any = shape_of(dense, out_type=dtypes.int64)
    places: Any = convert(np.arange(numbers.shape[0] or 0))
    if dense.shape.rank == 2:
        return numbers, places // rounding.maximum(sizes[1], 1), sizes[0]
    return numbers, places * 0, convert(1, dtypes.int64)
