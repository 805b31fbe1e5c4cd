"""Sums, means, products and extremes of the rows that belong to one segment."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tfgrad_jax.engine import hooks
from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Flag, Floating, Indices, Int, Number, Real
from tfgrad_jax.engine.graph.deferred import deferred
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.execute import misfit
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.ops.checks import first_wrong
from tfgrad_jax.ops.common import listed, number_of, operand, shape_of
from tfgrad_jax.ops.math.math import floating


def _scatter(data: Any, ids: Any, count: int, start: Any, method: str) -> Any:
    """Combine the rows of each segment; rows with a negative identity are left out."""
    flat = data.reshape(-1, *data.shape[ids.ndim :])
    at = jnp.where(ids < 0, count, ids).reshape(-1)
    empty = jnp.full((count, *flat.shape[1:]), start, data.dtype)
    return getattr(empty.at[at], method)(flat, mode="drop")


def _gather(rows: Any, ids: Any, data: Any) -> Any:
    """For each element of `data` the value of its segment; 0 where it has none."""
    if not rows.shape[0]:
        return jnp.zeros_like(data)
    taken = jnp.asarray(rows)[jnp.maximum(ids, 0)]  # a constant is a NumPy array, which takes no index that JAX traces
    return jnp.where(_rows(ids >= 0, data), taken, 0)


def _rows(per_row: Any, data: Any) -> Any:
    return per_row.reshape(per_row.shape + (1,) * (data.ndim - per_row.ndim))


def _counts(ids: Any, count: int, data: Any) -> Any:
    ones = _scatter(jnp.ones(ids.shape, data.dtype), ids, count, 0, "add")
    return jnp.maximum(ones, 1).reshape(count, *(1,) * (data.ndim - ids.ndim))


def _lowest(dtype: Any) -> Any:
    return jnp.finfo(dtype).min if jnp.issubdtype(dtype, jnp.inexact) else jnp.iinfo(dtype).min


def _highest(dtype: Any) -> Any:
    return jnp.finfo(dtype).max if jnp.issubdtype(dtype, jnp.inexact) else jnp.iinfo(dtype).max


# -- kernels ----------------------------------------------------------------------------------------------------------


@op("UnsortedSegmentSum")
def _sum(data: Number, segment_ids: Indices, num_segments: Int):
    return _scatter(data, segment_ids, num_segments, 0, "add")


@_sum.rule
def _(cts, inputs, outputs):
    data, ids = inputs
    return [_gather(cts[0], ids, data), None]


@op("math.unsorted_segment_mean")
def _mean(data: Number, segment_ids: Indices, num_segments: Int, same_dtype: Flag = False):
    total = _scatter(data, segment_ids, num_segments, 0, "add")
    counts = _counts(segment_ids, num_segments, data)
    if jnp.issubdtype(data.dtype, jnp.integer):
        return lax.div(*jnp.broadcast_arrays(total, counts)) if same_dtype else floating(total) / counts
    return total / counts


@op("math.unsorted_segment_sqrt_n")
def _sqrt_n(data: Floating, segment_ids: Indices, num_segments: Int):
    return _scatter(data, segment_ids, num_segments, 0, "add") / jnp.sqrt(_counts(segment_ids, num_segments, data))


@functools.partial(jax.custom_jvp, nondiff_argnums=(1, 2))
def _product(data: Any, ids: Any, count: int) -> Any:
    return _scatter(data, ids, count, 1, "multiply")


@_product.defjvp
def _(ids, count, primals, tangents):
    # Exact with zeros: an only zero gets the product of the others, several zeros make all slopes 0.
    (data,), (change,) = primals, tangents
    zero = data == 0
    zeros = _gather(_scatter(zero.astype(data.dtype), ids, count, 0, "add"), ids, data)
    others = _gather(_product(jnp.where(zero, 1, data), ids, count), ids, data)
    slope = jnp.where(zero, jnp.where(zeros > 1, 0, others), jnp.where(zeros > 0, 0, others / jnp.where(zero, 1, data)))
    return _product(data, ids, count), _scatter(slope * change, ids, count, 0, "add")


@op("UnsortedSegmentProd")
def _prod(data: Number, segment_ids: Indices, num_segments: Int):
    return _product(data, segment_ids, num_segments)


@op("UnsortedSegmentMax")
def _max(data: Real, segment_ids: Indices, num_segments: Int):
    return _scatter(data, segment_ids, num_segments, _lowest(data.dtype), "max")


@op("UnsortedSegmentMin")
def _min(data: Real, segment_ids: Indices, num_segments: Int):
    return _scatter(data, segment_ids, num_segments, _highest(data.dtype), "min")


@_max.rule
@_min.rule
def _(cts, inputs, outputs, num_segments):
    # Of equal ones each takes its share.
    data, ids = inputs
    chosen = (_gather(outputs[0], ids, data) == data) & _rows(ids >= 0, data)
    number = _scatter(chosen.astype(data.dtype), ids, num_segments, 0, "add")
    return [jnp.where(chosen, _gather(cts[0] / jnp.maximum(number, 1), ids, data), 0), None]


def _below(segment_ids: Any, num_segments: int, raw: str) -> Any:
    def error(place: tuple[int, ...], value: list[int]) -> Exception:
        return invalid_argument(
            f"segment_ids{list(place)} = {value[0]} is out of range [0, {num_segments}): see num_segments", raw
        )

    return first_wrong(segment_ids >= num_segments, segment_ids, error)


for _kernel in (_sum, _mean, _sqrt_n, _prod, _max, _min):
    _kernel.check(
        functools.partial(
            lambda raw, segment_ids, num_segments: _below(segment_ids, num_segments, raw), _kernel.op.name
        )
    )


# -- segments in any order --------------------------------------------------------------------------------------------


def _unsorted(kernel: Any, data: Any, segment_ids: Any, num_segments: Any) -> Tensor:
    tensor, ids = operand(data), operand(segment_ids)
    name = kernel.op.name
    shape, prefix = tensor.spec.shape, ids.spec.shape
    if shape[: len(prefix)] != prefix:
        raise misfit(f"data.shape = {listed(shape)} does not start with segment_ids.shape = {listed(prefix)}", name)
    count = number_of(num_segments, "num_segments", name)
    if count < 0:
        raise invalid_argument(f"Input num_segments == {count} must not be negative.", name)
    return kernel(tensor, ids, count)


@export("math.unsorted_segment_sum")
@deferred("num_segments")
def unsorted_segment_sum(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """The sum of each segment; 0 for an empty one. Mirrors `tf.math.unsorted_segment_sum`.

    Args:
      data: what to sum.
      segment_ids: the segment of each row, of a shape that `data.shape` starts with; negative ones are left out.
      num_segments: the number of segments.
      name: accepted for compatibility.

    Raises:
      InvalidArgumentError: if the shapes do not fit, or an identity is `num_segments` or larger.
    """
    return _unsorted(_sum, data, segment_ids, num_segments)


@hooks.rows_summed.fill
def _rows_summed(values: Tensor, indices: Tensor, shape: Tensor) -> Tensor:
    return unsorted_segment_sum(values, indices, shape[0])


@export("math.unsorted_segment_mean")
@deferred("num_segments")
def unsorted_segment_mean(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """The mean of each segment; 0 for an empty one. See `unsorted_segment_sum`."""
    return _unsorted(_mean, data, segment_ids, num_segments)


@export("math.unsorted_segment_sqrt_n")
@deferred("num_segments")
def unsorted_segment_sqrt_n(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """The sum of each segment, divided by the square root of its size. See `unsorted_segment_sum`."""
    return _unsorted(_sqrt_n, data, segment_ids, num_segments)


@export("math.unsorted_segment_prod")
@deferred("num_segments")
def unsorted_segment_prod(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """The product of each segment; 1 for an empty one. See `unsorted_segment_sum`."""
    return _unsorted(_prod, data, segment_ids, num_segments)


@export("math.unsorted_segment_max")
@deferred("num_segments")
def unsorted_segment_max(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """The largest of each segment; the lowest number for an empty one. See `unsorted_segment_sum`."""
    return _unsorted(_max, data, segment_ids, num_segments)


@export("math.unsorted_segment_min")
@deferred("num_segments")
def unsorted_segment_min(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """The smallest of each segment; the highest number for an empty one. See `unsorted_segment_sum`."""
    return _unsorted(_min, data, segment_ids, num_segments)


# -- segments in order ------------------------------------------------------------------------------------------------


def _sorted(kernel: Any, data: Any, segment_ids: Any, name: str) -> Tensor:
    tensor, ids = operand(data), operand(segment_ids)
    shape, given = tensor.spec.shape, ids.spec.shape
    if len(given) != 1:
        raise misfit(f"segment_ids should be a vector. It has shape {listed(given)}", name)
    if not shape or shape[0] != given[0]:
        raise invalid_argument(
            f"segment_ids should be the same size as dimension 0 of input: {given[0]} identities for data of shape "
            f"{listed(shape)}",
            name,
        )
    known = np.asarray(ids.array)
    if known.size and known[0] < 0:
        raise invalid_argument(f"segment ids must be >= 0, got {known[0]}", name)
    if (np.diff(known) < 0).any():
        raise invalid_argument(
            "segment ids are not increasing; tf.math.unsorted_segment_* takes them in any order", name
        )
    return kernel(tensor, ids, int(known[-1]) + 1 if known.size else 0)


@export("math.segment_sum")
@deferred("segment_ids")
def segment_sum(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """The sum of each segment; 0 for an empty one. Mirrors `tf.math.segment_sum`.

    Args:
      data: what to sum.
      segment_ids: the segment of each row: a vector that does not decrease.
      name: accepted for compatibility.

    Raises:
      InvalidArgumentError: if `segment_ids` is no such vector, or of another length than `data`.
    """
    return _sorted(_sum, data, segment_ids, "SegmentSum")


@export("math.segment_mean")
@deferred("segment_ids")
def segment_mean(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """The mean of each segment; 0 for an empty one. See `segment_sum`."""
    return _sorted(functools.partial(_mean, same_dtype=True), data, segment_ids, "SegmentMean")


@export("math.segment_prod")
@deferred("segment_ids")
def segment_prod(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """The product of each segment; 1 for an empty one. See `segment_sum`."""
    return _sorted(_prod, data, segment_ids, "SegmentProd")


@export("math.segment_max")
@deferred("segment_ids")
def segment_max(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """The largest of each segment; 0 for an empty one. See `segment_sum`."""
    return _sorted(_sorted_max, data, segment_ids, "SegmentMax")


@export("math.segment_min")
@deferred("segment_ids")
def segment_min(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """The smallest of each segment; 0 for an empty one. See `segment_sum`."""
    return _sorted(_sorted_min, data, segment_ids, "SegmentMin")


def _filled(extreme: Any, data: Any, ids: Any, count: int) -> Any:
    present = _scatter(jnp.ones(ids.shape, bool), ids, count, False, "max")
    return jnp.where(_rows(present, data), extreme(data, ids, count), 0)


@op("SegmentMax")
def _sorted_max(data: Real, segment_ids: Indices, num_segments: Int):
    return _filled(_max.op.fn, data, segment_ids, num_segments)


@op("SegmentMin")
def _sorted_min(data: Real, segment_ids: Indices, num_segments: Int):
    return _filled(_min.op.fn, data, segment_ids, num_segments)


_sorted_max.rule(_max.op.rule)
_sorted_min.rule(_min.op.rule)


@unsorted_segment_sum.open_shape
@unsorted_segment_mean.open_shape
@unsorted_segment_sqrt_n.open_shape
@unsorted_segment_prod.open_shape
@unsorted_segment_max.open_shape
@unsorted_segment_min.open_shape
def _(data: Any, segment_ids: Any, num_segments: Any, **_: Any) -> list[Any]:
    return [(num_segments, *shape_of(data)[len(shape_of(segment_ids)) :])]


@segment_sum.open_shape
@segment_mean.open_shape
@segment_prod.open_shape
@segment_max.open_shape
@segment_min.open_shape
def _(data: Any, **_: Any) -> list[Any]:
    return [(None, *shape_of(data)[1:])]
