"""The largest few, and counts of equal numbers."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfgrad_jax.engine.declare.op import MISSING, op
from tfgrad_jax.engine.declare.roles import (
    Attr,
    DTypeArg,
    Flag,
    Floating,
    Indices,
    Int,
    One,
    Operand,
    Own,
    Real,
    T,
    flag,
)
from tfgrad_jax.engine.graph.deferred import deferred
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.execute import misfit
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.ops.checks import first_wrong, rising
from tfgrad_jax.ops.common import listed, number_of, xp

TopKV2 = namedtuple("TopKV2", "values indices")
"""The result of `top_k`."""

ApproxTopK = namedtuple("ApproxTopK", "values indices")
"""The result of `approx_max_k`."""


@op("TopKV2")
def _top_k(input: Real, k: One = 1, index_type: DTypeArg = dtypes.int32):
    if not input.ndim:
        raise invalid_argument(f"input must be >= 1-D, got shape {listed(input.shape)}", "TopKV2")
    if k < 0:
        raise invalid_argument(f"Need k >= 0, got {k}", "TopKV2")
    if context.exporting is not None:
        context.exporting.conditions.append(f"{input.shape[-1]} >= {k}")
    if input.shape[-1] < k:
        raise invalid_argument(f"input must have at least k columns. Had {input.shape[-1]}, needed {k}", "TopKV2")
    if context.exporting is not None:  # TensorFlow's compiler does not know the operation
        indices = jnp.argsort(input, axis=-1, stable=True, descending=True)[..., :k]
        return jnp.take_along_axis(input, indices, -1), indices.astype(index_type.np)
    values, indices = lax.top_k(input, k)
    return values, indices.astype(index_type.np)


@_top_k.open_shape
def _(attributes: dict[str, Any], given: Any, *rest: Any) -> list[Any]:
    return [(*given[:-1], attributes["k"])] * 2


@export("math.top_k", "nn.top_k")
def top_k(
    input: Any, k: Any = 1, sorted: bool = True, index_type: Any = dtypes.int32, name: str | None = None
) -> TopKV2:
    """The `k` largest numbers along the last axis, and where they are. Mirrors `tf.math.top_k`.

    Args:
      input: the numbers; of equal ones the first counts as larger.
      k: how many.
      sorted: a flag, which changes nothing: they are always sorted.
      index_type: the dtype of the indices.
      name: accepted for compatibility.

    Returns:
      A named tuple (values, indices).

    Raises:
      InvalidArgumentError: if there are fewer than `k`.
      TypeError: if `sorted` is no flag.
    """
    if sorted is not None:
        flag(sorted)
    return TopKV2(*_top_k(input, k, as_dtype(index_type)))


@op("ApproxTopK")
def _approx_top_k(operand: Floating, k: Int, dimension: Int, recall: Attr, size: Int, aggregate: Flag, largest: Flag):
    find = lax.approx_max_k if largest else lax.approx_min_k
    return tuple(
        find(
            operand,
            k,
            reduction_dimension=dimension,
            recall_target=recall,
            reduction_input_size_override=size,
            aggregate_to_topk=aggregate,
        )
    )


@export("math.approx_max_k", "nn.approx_max_k")
def approx_max_k(
    operand: Any,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """The `k` largest numbers along an axis, most of them where that is quicker. Mirrors `tf.math.approx_max_k`."""
    rest = reduction_dimension, recall_target, reduction_input_size_override, aggregate_to_topk
    return ApproxTopK(*_approx_top_k(operand, k, *rest, True))


@export("math.approx_min_k", "nn.approx_min_k")
def approx_min_k(
    operand: Any,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """The `k` smallest numbers along an axis; see `approx_max_k`."""
    rest = reduction_dimension, recall_target, reduction_input_size_override, aggregate_to_topk
    return ApproxTopK(*_approx_top_k(operand, k, *rest, False))


Single: Any = Operand(shared=False, forced=dtypes.float32, differentiable=False)


@op("InTopKV2", "math.in_top_k", "nn.in_top_k", differentiable=False)
def in_top_k(targets: Indices, predictions: Single, k: One):
    """Whether fewer than `k` classes have a higher prediction than the target; False for a target that is no class."""
    if predictions.ndim != 2 or targets.ndim != 1:
        raise invalid_argument(
            f"predictions must be 2-dimensional and targets 1-dimensional, got shapes {listed(predictions.shape)} and "
            f"{listed(targets.shape)}",
            "InTopKV2",
        )
    rows, classes = predictions.shape
    if rows != targets.shape[0]:
        raise invalid_argument(
            f"First dimension of predictions {rows} must match length of targets {targets.shape[0]}", "InTopKV2"
        )
    there = (targets >= 0) & (targets < classes)
    of_target = jnp.take_along_axis(predictions, jnp.clip(targets, 0, classes - 1)[:, None], 1)
    larger = jnp.sum(predictions > of_target, 1)
    return there & (larger < k) & jnp.all(jnp.isfinite(predictions), 1)


# -- counts -----------------------------------------------------------------------------------------------------------


@op("DenseBincount", gradient=MISSING)
def _bincount(input: Indices, weights: Own = None, size: Int = 0, binary_output: Flag = False, dtype: DTypeArg = None):
    rows = input.reshape(-1, input.shape[-1]) if input.ndim == 2 else input.reshape(1, -1)
    each = jnp.ones_like(rows, dtype.np) if weights is None else weights.reshape(rows.shape)
    if binary_output:
        each = jnp.ones_like(each)
    bins = jnp.zeros((rows.shape[0], size), each.dtype).at[jnp.arange(rows.shape[0])[:, None], rows]
    counted = bins.max(each, mode="drop") if binary_output else bins.add(each, mode="drop")
    return counted if input.ndim == 2 else counted[0]


def bins(numbers: np.ndarray, minlength: Any, maxlength: Any) -> int:
    """How many bins `bincount` has for integers.

    Raises:
      InvalidArgumentError: if one is negative.
    """
    if numbers.size and numbers.min() < 0:
        raise invalid_argument("Input arr must be non-negative!", "DenseBincount")
    size = int(numbers.max()) + 1 if numbers.size else 0
    size = max(size, 0 if minlength is None else number_of(minlength, "minlength", "DenseBincount"))
    return size if maxlength is None else min(size, number_of(maxlength, "maxlength"))


@export("math.bincount")
@deferred("arr", "minlength", "maxlength")
def bincount(
    arr: Any,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: Any = dtypes.int32,
    name: str | None = None,
    axis: int | None = None,
    binary_output: bool = False,
) -> Tensor:
    """How often each integer occurs. Mirrors `tf.math.bincount`.

    Args:
      arr: integers that are not negative.
      weights: what each occurrence counts, of the shape of `arr`; 1 where None.
      minlength: the least number of bins.
      maxlength: the largest number of bins; larger integers are left out.
      dtype: the dtype of the result where there are no weights.
      name: accepted for compatibility.
      axis: -1 counts each row of a matrix by itself; None and 0 count all together.
      binary_output: whether to tell only whether an integer occurs.

    Raises:
      InvalidArgumentError: if an integer is negative, or the weights have another shape.
      ValueError: if `axis` is something else.
    """
    if axis not in (None, 0, -1):
        raise ValueError(f"Unsupported value for argument axis={axis}. Only 0 and -1 are currently supported.")
    numbers = convert(arr)
    host = np.asarray(numbers.array)
    if not numbers.dtype.is_integer:
        host = host.astype(np.int32)
    size = bins(host, minlength, maxlength)
    if weights is not None:
        weights = convert(weights)
        if weights.spec.shape != host.shape:
            raise invalid_argument(
                f"`weights` must be the same shape as `arr` or a length-0 `Tensor`, got {listed(weights.spec.shape)} "
                f"for {listed(host.shape)}",
                "DenseBincount",
            )
    rows = host if axis == -1 and host.ndim == 2 else host.reshape(-1)
    return _bincount(convert(rows), weights, size, binary_output, as_dtype(dtype))


@op("math.confusion_matrix")
def _confusion(pairs: Indices, weights: Own, size: Int, dtype: DTypeArg):
    each = weights.astype(dtype.np)
    return jnp.zeros((size, size), dtype.np).at[pairs[:, 0], pairs[:, 1]].add(each)


def _below(numbers: np.ndarray, limit: int, name: str) -> None:
    if numbers.size and numbers.min() < 0:
        raise invalid_argument(f"`{name}` contains negative values: {numbers.min()}")
    if numbers.size and numbers.max() >= limit:
        raise invalid_argument(f"`{name}` out of bound: {numbers.max()}, where there are {limit} classes")


@export("math.confusion_matrix")
@deferred("labels", "predictions", "num_classes")
def confusion_matrix(
    labels: Any,
    predictions: Any,
    num_classes: Any = None,
    weights: Any = None,
    dtype: Any = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """How often each class (a row) was predicted as each class (a column). Mirrors `tf.math.confusion_matrix`.

    Raises:
      InvalidArgumentError: if a class is negative or too large, or the shapes differ.
    """
    rows, columns = (np.asarray(convert(v).array).astype(np.int64) for v in (labels, predictions))
    if rows.ndim == columns.ndim + 1 and rows.shape[-1] == 1:
        rows = rows[..., 0]
    elif columns.ndim == rows.ndim + 1 and columns.shape[-1] == 1:
        columns = columns[..., 0]
    if rows.shape != columns.shape:
        raise misfit(
            f"Shapes of all inputs must match: labels have {listed(rows.shape)}, predictions {listed(columns.shape)}",
            "Pack",
        )
    largest = max((int(v.max()) for v in (rows, columns) if v.size), default=-1)
    size = largest + 1 if num_classes is None else number_of(num_classes, "num_classes", "SparseToDense")
    _below(rows, size, "labels")
    _below(columns, size, "predictions")
    each = convert(np.ones(rows.shape, np.int32)) if weights is None else convert(weights)
    pairs = np.stack([rows.reshape(-1), columns.reshape(-1)], 1)
    return _confusion(convert(pairs), each, size, as_dtype(dtype))


@confusion_matrix.open_shape
def _(num_classes: Any, **_: Any) -> list[Any]:
    count = num_classes if type(num_classes) is int else None
    return [(count, count)]


@op("histogram_fixed_width_bins", "histogram_fixed_width_bins", differentiable=False)
def histogram_fixed_width_bins(values: Real, value_range: T, nbins: One = 100, dtype: DTypeArg = dtypes.int32):
    """The bin of each value, of `nbins` of equal width in `value_range`; the outer ones take what lies beyond."""
    if nbins <= 0:
        raise invalid_argument(f"nbins should be a positive number, but got {nbins}", "HistogramFixedWidth")
    if value_range.shape != (2,):
        raise invalid_argument(
            f"value_range should be a vector of 2, got {listed(value_range.shape)}", "HistogramFixedWidth"
        )
    if jnp.issubdtype(values.dtype, jnp.integer):
        values, value_range = values.astype(jnp.float64), value_range.astype(jnp.float64)  # differences may overflow
    low, high = value_range[0], value_range[1]
    scaled = (values - low) / (high - low)
    bins = jnp.clip(jnp.floor(nbins * scaled), 0, nbins - 1)
    # What is no number is in no bin: TensorFlow answers with the smallest integer.
    return jnp.where(jnp.isnan(scaled), jnp.iinfo(dtype.np).min, bins.astype(dtype.np))


@op("HistogramFixedWidth", "histogram_fixed_width", differentiable=False)
def histogram_fixed_width(values: Real, value_range: T, nbins: One = 100, dtype: DTypeArg = dtypes.int32):
    """How many values fall into each bin; see `histogram_fixed_width_bins`."""
    bins = histogram_fixed_width_bins.op.fn(values, value_range, nbins, dtype).clip(0)
    return jnp.zeros(nbins, dtype.np).at[bins.reshape(-1)].add(1)


@histogram_fixed_width.check
def _(value_range, outputs):  # beside the results: before them, graphs look at integers alone
    return rising(value_range, "value_range", "HistogramFixedWidth")


@histogram_fixed_width.open_shape
def _(attributes: dict[str, Any], values: Any, value_range: Any) -> tuple[int | None, ...]:
    return (attributes["nbins"],)


@op("InvertPermutation", differentiable=False)
def _invert_permutation(x: T):
    return jnp.zeros_like(x).at[x].set(jnp.arange(x.shape[0], dtype=x.dtype))


@_invert_permutation.check
def _(x):
    def error(place: tuple[int, ...], value: list[int]) -> Exception:
        inside = 0 <= value[0] < x.shape[0]
        told = "is duplicated in the input." if inside else f"is not between 0 and {x.shape[0]}"
        return invalid_argument(f"{value[0]} {told}", "InvertPermutation")

    order = xp(x).argsort(x, stable=True)
    sorted_ = x[order]
    repeated = xp(x).concatenate([sorted_[:1] != sorted_[:1], sorted_[1:] == sorted_[:-1]])
    again = repeated[xp(x).argsort(order)]
    return first_wrong((x < 0) | (x >= x.shape[0]) | again, x, error)


@export("math.invert_permutation")
def invert_permutation(x: Any, name: str | None = None) -> Tensor:
    """The permutation that undoes `x`. Mirrors `tf.math.invert_permutation`.

    Raises:
      InvalidArgumentError: if `x` is no permutation.
    """
    tensor = convert(x)
    if tensor.shape.rank not in (None, 1):
        raise invalid_argument(
            f"invert_permutation expects a 1D vector, got shape {listed(tensor.spec.shape)}", "InvertPermutation"
        )
    return _invert_permutation(tensor)
