"""Dilation and erosion of images, and regression to what never falls."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import jax.numpy as jnp
import numpy as np

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Attr, Operand, Real, static
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.tensor import Spec
from tfgrad_jax.ops.array import sequences
from tfgrad_jax.ops.array.gather import gather
from tfgrad_jax.ops.array.rearrange import reverse
from tfgrad_jax.ops.array.shape import reshape, transpose
from tfgrad_jax.ops.common import listed, sizes_of
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.math import negative
from tfgrad_jax.ops.segments.segment import unsorted_segment_mean
from tfgrad_jax.ops.signal.windows import output_sizes, padding_of, pads_for, places, view

IsotonicRegression = namedtuple("IsotonicRegression", ["output", "segments"])
_Vectors: Any = Operand(shared=False, differentiable=False)


@op("Dilation2D")
def _dilated(input: Real, filters: Real, strides: Attr, padding: Attr, dilations: Attr):
    raw = "Dilation2D"
    if input.ndim != 4 or filters.ndim != 3 or input.shape[3] != filters.shape[2]:
        shown = f"{listed(input.shape)} and {listed(filters.shape)}"
        raise invalid_argument(f"input and filter must be [n, h, w, depth] and [h, w, depth], got {shown}", raw)
    window = filters.shape[:2]
    pads = pads_for(padding, input.shape[1:3], window, strides, dilations, raw)
    low = -jnp.inf if jnp.issubdtype(input.dtype, jnp.floating) else jnp.iinfo(input.dtype).min
    inside = jnp.pad(jnp.ones_like(input, bool), ((0, 0), *pads, (0, 0)))
    padded = jnp.pad(input, ((0, 0), *pads, (0, 0)))
    out = output_sizes(padded.shape[1:3], window, strides, dilations)
    sums = []
    for place in places(window):
        value = view(padded, place, out, strides, dilations) + filters[place]
        sums.append(jnp.where(view(inside, place, out, strides, dilations), value, low))
    stacked = jnp.stack(sums)
    # The gradient goes to the first of the largest alone.
    best = jnp.argmax(stacked, axis=0)[None]
    return jnp.take_along_axis(stacked, best, axis=0)[0]


@export("nn.dilation2d")
def dilation2d(
    input: Any, filters: Any, strides: Any, padding: str, data_format: str, dilations: Any, name: str | None = None
) -> Any:
    """The largest sum of pixels and a structuring function in each window. Mirrors `tf.nn.dilation2d`.

    Args:
      input: `[batch, height, width, depth]`.
      filters: `[height, width, depth]`.
      strides, dilations: four numbers each, 1 at both ends.
      padding: `"SAME"` or `"VALID"`.
      data_format: `"NHWC"`.
      name: accepted for compatibility.

    Raises:
      ValueError: for another data format.
      InvalidArgumentError: if sizes or numbers make no sense.
    """
    if data_format != "NHWC":
        raise ValueError(
            f"`data_format` values other  than 'NHWC' are not supported. Received: data_format={data_format}"
        )
    both = []
    for argument, numbers in (("strides", static(strides)), ("rates", static(dilations))):
        if len(numbers) != 4 or numbers[0] != 1 or numbers[3] != 1 or min(numbers) < 1:
            raise invalid_argument(
                f"{argument} must be four positive numbers, 1 at both ends, got {numbers}", "Dilation2D"
            )
        both.append(numbers[1:3])
    return _dilated(convert(input), filters, both[0], padding_of(padding, 2, False, "Dilation2D"), both[1])


@export("nn.erosion2d")
def erosion2d(
    value: Any, filters: Any, strides: Any, padding: str, data_format: str, dilations: Any, name: str | None = None
) -> Any:
    """The smallest difference of pixels and a structuring function in each window. Mirrors `tf.nn.erosion2d`.

    Args:
      value, filters, strides, padding, data_format, dilations: as for `tf.nn.dilation2d`.
      name: accepted for compatibility.
    """
    turned = reverse(convert(filters), [0, 1])
    return negative(dilation2d(negative(convert(value)), turned, strides, padding, data_format, dilations))


@op("IsotonicRegressionSegments", differentiable=False, host=True)
def _pools(rows: _Vectors):
    """To which pool of neighbours each number belongs, by the algorithm that merges those that violate the order."""
    found = np.empty(rows.shape, np.int32)
    for row, out in zip(rows, found, strict=True):
        means: list[float] = []
        counts: list[int] = []
        for value in row.tolist():
            means.append(value)
            counts.append(1)
            while len(means) > 1 and means[-2] < means[-1]:
                total = counts[-2] + counts[-1]
                merged = (means[-2] * counts[-2] + means[-1] * counts[-1]) / total
                means[-2:], counts[-2:] = [merged], [total]
        out[:] = np.repeat(np.arange(len(counts)), counts)
    return found


@_pools.types
def _(rows):
    return Spec.of(dtypes.int32, rows.shape)


@export("nn.isotonic_regression")
def isotonic_regression(inputs: Any, decreasing: bool = True, axis: int = -1) -> Any:
    """The closest numbers that never rise (or never fall). Mirrors `tf.nn.isotonic_regression`.

    Args:
      inputs: numbers.
      decreasing: whether they never rise; they never fall otherwise.
      axis: along which dimension.

    Returns:
      A pair: the numbers, each the mean of its pool; and the number of each one's pool, int32.
    """
    x = convert(inputs)
    if x.dtype.is_integer:
        x = cast(x, dtypes.float64 if x.dtype.size > 2 else dtypes.float32)
    rank = len(x.shape)
    order = [i for i in range(rank) if i != axis % rank] + [axis % rank]
    moved = transpose(x, order)
    shape = sizes_of(moved)
    rows = reshape(moved, [-1, shape[-1]])
    pools = _pools(rows if decreasing else negative(rows))
    count, width = sizes_of(rows)
    numbers = pools + reshape(sequences.range(count) * width, [-1, 1])
    means = unsorted_segment_mean(reshape(rows, [-1]), reshape(numbers, [-1]), count * width)
    found = gather(means, numbers)
    back = np.argsort(order).tolist()
    both = transpose(reshape(found, shape), back), transpose(reshape(pools, shape), back)
    # TensorFlow names the parts only where it does nothing around its operation.
    return IsotonicRegression(*both) if decreasing and axis % rank == rank - 1 else both
