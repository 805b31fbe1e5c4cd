"""Reductions of ragged tensors, and sums by segments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from tfgrad_jax.composite.answers import answers
from tfgrad_jax.composite.checks import require
from tfgrad_jax.composite.ragged.dense import longest
from tfgrad_jax.composite.ragged.elementwise import elementwise
from tfgrad_jax.composite.ragged.partition import sizes_in, spans, splits_of_lengths
from tfgrad_jax.composite.ragged.rows import ragged_or_tensor, rank_of
from tfgrad_jax.composite.ragged.shaping import axis_of, expand_dims
from tfgrad_jax.composite.ragged.tensor import RaggedTensor
from tfgrad_jax.engine.declare.roles import static
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.ops.array.creation import ones_like, stop_gradient, zeros_like
from tfgrad_jax.ops.array.gather import gather, gather_nd, where
from tfgrad_jax.ops.array.shape import reshape, squeeze
from tfgrad_jax.ops.common import operand
from tfgrad_jax.ops.math import math, reduce
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.compare import is_finite, not_equal
from tfgrad_jax.ops.math.cumulative import cumsum
from tfgrad_jax.ops.math.elementary import exp, log
from tfgrad_jax.ops.math.power import sqrt, square
from tfgrad_jax.ops.math.rounding import maximum
from tfgrad_jax.ops.segments import segment


class _Kind(NamedTuple):
    """A way to reduce.

    Attributes:
      whole: of the dimensions of a tensor: takes the tensor and an axis.
      segments: of the values of segments: takes values, the segment of each, and the number of segments.
    """

    whole: Callable[..., Any]
    segments: Callable[..., Any]


_SUM = _Kind(reduce.reduce_sum, segment.unsorted_segment_sum)
_PROD = _Kind(reduce.reduce_prod, segment.unsorted_segment_prod)
_MAX = _Kind(reduce.reduce_max, segment.unsorted_segment_max)
_MIN = _Kind(reduce.reduce_min, segment.unsorted_segment_min)


def reduced(kind: _Kind, value: Any, axis: Any, keepdims: bool) -> Any:
    """A ragged tensor, or a tensor, reduced along an axis, several axes, or all (None).

    Raises:
      ValueError: if there is no such axis.
    """
    if not isinstance(value, RaggedTensor):
        return kind.whole(value, axis, keepdims) if keepdims else kind.whole(value, axis)
    axis = static(axis)
    if axis is None:
        result = kind.whole(value.flat_values, None)
        for _ in range(rank_of(value) if keepdims else 0):
            result = expand_dims(result, 0)
        return result
    if isinstance(axis, tuple):
        if not axis:
            return value
        *outer, last = sorted({axis_of(a, rank_of(value)) for a in axis})
        inner = reduced(kind, value, last, keepdims)
        return reduced(kind, inner, tuple(outer), keepdims) if outer else inner
    if value.shape.rank is not None or not isinstance(axis, int) or axis < 0:
        axis = axis_of(axis, rank_of(value))
    result = _along(kind, value, axis)
    return expand_dims(result, axis) if keepdims else result


def _along(kind: _Kind, value: Any, axis: int) -> Any:
    if not isinstance(value, RaggedTensor):
        return kind.whole(value, axis)
    if axis == 0:
        lengths = value.row_lengths()
        _, places = spans(lengths * 0, lengths)
        return in_segments(kind.segments, value.values, places, longest(lengths))
    if axis == 1:
        return in_segments(kind.segments, value.values, value.value_rowids(), value.nrows())
    return value.with_values(_along(kind, value.values, axis - 1))


def in_segments(function: Callable[..., Any], data: Any, ids: Any, count: Any) -> Any:
    """Values that belong to the same segment, reduced: rows element by element, each as long as the longest of its segment.

    Args:
      function: reduces values of tensors by segments.
      data: the values: a tensor or a ragged tensor.
      ids: the segment of each row, or of each value if this is ragged too.
      count: the number of segments.
    """
    if isinstance(ids, RaggedTensor):
        if not isinstance(data, RaggedTensor):
            raise ValueError("segment_ids is a RaggedTensor, but data is not")
        says = "segment_ids must have the same rows as data"
        require(says, lambda x, y: x == y if x.shape == y.shape else False, data.row_splits, ids.row_splits)
        return in_segments(function, data.values, ids.values, count)
    if not isinstance(data, RaggedTensor):
        return function(data, ids, count)
    ids = cast(ids, data.row_splits.dtype)
    lengths = segment.unsorted_segment_max(data.row_lengths(), ids, count)
    none: Any = lengths * 0
    splits = splits_of_lengths(maximum(lengths, none))
    lengths = data.row_lengths()
    _, places = spans(gather(splits[:-1], ids), lengths)
    return RaggedTensor(in_segments(function, data.values, places, splits[-1]), splits, internal=True)


@answers(RaggedTensor, "reduce_sum")
def _sum(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None) -> Any:
    return reduced(_SUM, input_tensor, axis, keepdims)


@answers(RaggedTensor, "reduce_prod")
def _prod(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None) -> Any:
    return reduced(_PROD, input_tensor, axis, keepdims)


@answers(RaggedTensor, "reduce_max")
def _max(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None) -> Any:
    return reduced(_MAX, input_tensor, axis, keepdims)


@answers(RaggedTensor, "reduce_min")
def _min(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None) -> Any:
    return reduced(_MIN, input_tensor, axis, keepdims)


@answers(RaggedTensor, "reduce_any")
def _any(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None) -> Any:
    return not_equal(reduced(_SUM, cast(input_tensor, dtypes.int32), axis, keepdims), 0)


@answers(RaggedTensor, "reduce_all")
def _all(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None) -> Any:
    return not_equal(reduced(_PROD, cast(input_tensor, dtypes.int32), axis, keepdims), 0)


@answers(RaggedTensor, "reduce_mean")
def _mean(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None) -> Any:
    total = reduced(_SUM, input_tensor, axis, keepdims)
    count = reduced(_SUM, input_tensor.with_flat_values(ones_like(input_tensor.flat_values)), axis, keepdims)
    return math.truediv(total, count)


@answers(RaggedTensor, "math.reduce_variance")
def _variance(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None) -> Any:
    value = input_tensor
    squares = _mean(elementwise(square, value), axis, keepdims)
    mean = _mean(value, axis, keepdims)
    return math.subtract(squares, square(mean))


@answers(RaggedTensor, "math.reduce_logsumexp", "reduce_logsumexp")
def _logsumexp(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None) -> Any:
    top = reduced(_MAX, input_tensor, axis, True)
    if isinstance(top, RaggedTensor):
        raise ValueError(
            f"tf.reduce_logsumexp: along axis {axis} the result would be ragged; tf.map_fn takes rows one by one"
        )
    top = stop_gradient(where(is_finite(top), top, zeros_like(top)))
    powers = elementwise(exp, elementwise(math.subtract, input_tensor, top))
    total = math.add(log(reduced(_SUM, powers, axis, True)), top)
    return total if keepdims else squeeze(total, list(range(rank_of(input_tensor))) if axis is None else axis)


@answers(RaggedTensor, "math.reduce_std")
def _std(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None) -> Any:
    return sqrt(_variance(input_tensor, axis, keepdims))


def _by_segment(name: str) -> None:
    function = getattr(segment, f"unsorted_segment_{name}")

    @answers(RaggedTensor, f"math.unsorted_segment_{name}")
    def _(data: Any, segment_ids: Any, num_segments: Any, name: Any = None) -> Any:
        return in_segments(function, ragged_or_tensor(data), ragged_or_tensor(segment_ids), operand(num_segments))


for _name in ("sum", "prod", "max", "min", "mean", "sqrt_n"):
    _by_segment(_name)


@answers(RaggedTensor, "nn.softmax")
def _softmax(logits: Any, axis: Any = None, name: Any = None) -> Any:
    axis = -1 if axis is None else axis
    shifted = elementwise(math.subtract, logits, reduced(_MAX, logits, axis, True))
    powers = elementwise(exp, shifted)
    return elementwise(math.truediv, powers, reduced(_SUM, powers, axis, True))


@answers(RaggedTensor, "math.cumsum", "cumsum")
def _cumsum(x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: Any = None) -> Any:
    axis = axis_of(static(axis), rank_of(x))
    # What fills up the rows is 0, and changes no sum.
    total = cumsum(x.to_tensor(), axis, exclusive, reverse)
    values = gather_nd(total, x.to_sparse().indices)
    return x.with_flat_values(reshape(values, sizes_in(x.flat_values)))
