"""`tf.nn.fractional_max_pool` and its kin: pools whose windows differ in size, drawn by lot."""

from __future__ import annotations

import math
from collections import namedtuple
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Flag, Key, Operand
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.state.random_state import get_seed, key_of, next_key
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert, get_static_value
from tfgrad_jax.engine.values.tensor import Spec
from tfgrad_jax.ops.common import Sizes
from tfgrad_jax.ops.random.words import Words

_Images: Any = Operand(frozenset({dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64}))
_Edges: Any = Operand(shared=False, forced=dtypes.int64, differentiable=False)


def _edges(key: Any, size: int, count: int, pseudo: bool) -> tuple[np.ndarray, int]:
    """Where `count` windows begin and the last one ends, among `size` pixels; and how many blocks of random bits that took."""
    least = size // count
    if size % count == 0:
        return np.arange(count + 1) * least, 0
    if pseudo:
        ratio = size / count
        most = min((least + 2) / ratio - 1, (size + 1 - least) / ratio - (count - 1))
        shift = Words(key, 2).double() * most
        inner = [math.ceil(ratio * (i + shift)) - 1 for i in range(1, count)]
        return np.array([0, *inner, size]), 1
    widths = [least + 1] * (size % count) + [least] * (count - size % count)
    words = Words(key, count)
    for i in range(count - 1):
        other = i + words.word() % (count - i)
        widths[i], widths[other] = widths[other], widths[i]
    return np.cumsum([0, *widths]), -(-count // 4)


@op("FractionalPoolingSequence", differentiable=False, host=True)
def _sequences(key: Key, sizes: Sizes, counts: Sizes, pseudo: Flag):
    rows, taken = _edges(key, sizes[0], counts[0], pseudo)
    columns, _ = _edges(key + np.array([taken, 0, 0], np.uint64), sizes[1], counts[1], pseudo)
    return rows.astype(np.int64), columns.astype(np.int64)


@_sequences.types
def _(key, sizes, counts, pseudo):
    return tuple(Spec.of(dtypes.int64, (count + 1,)) for count in counts)


def _windows(value: Any, edges: tuple[Any, Any], width: tuple[int, int], overlapping: bool) -> tuple[Any, Any]:
    """The pixels of each window, `[batch, rows, columns, pixels, channels]`, and which of them lie in it."""
    at, inside = [], []
    for axis in (0, 1):
        size = value.shape[1 + axis]
        places = edges[axis][:-1, None] + jnp.arange(width[axis])
        inside.append(places < jnp.minimum(edges[axis][1:, None] + overlapping, size))
        at.append(jnp.minimum(places, size - 1))
    rows, columns = at
    found = jnp.asarray(value)[:, rows[:, None, :, None], columns[None, :, None, :]]
    mask = inside[0][:, None, :, None] & inside[1][None, :, None, :]
    shape = (*mask.shape[:2], width[0] * width[1])
    return found.reshape(value.shape[0], *shape, value.shape[3]), mask.reshape(1, *shape, 1)


@op("FractionalMaxPool")
def _largest(value: _Images, rows: _Edges, columns: _Edges, width: Sizes, overlapping: Flag):
    pixels, inside = _windows(value, (rows, columns), width, overlapping)
    least = -jnp.inf if jnp.issubdtype(value.dtype, jnp.floating) else jnp.iinfo(value.dtype).min
    best = jnp.argmax(jnp.where(inside, pixels, jnp.asarray(least, value.dtype)), axis=3, keepdims=True)
    return jnp.take_along_axis(pixels, best, axis=3)[:, :, :, 0]


@op("FractionalAvgPool")
def _mean(value: _Images, rows: _Edges, columns: _Edges, width: Sizes, overlapping: Flag):
    pixels, inside = _windows(value, (rows, columns), width, overlapping)
    total = jnp.sum(jnp.where(inside, pixels, 0), axis=3).astype(value.dtype)
    return lax.div(total, jnp.broadcast_to(jnp.sum(inside, axis=3), total.shape).astype(value.dtype))


_KINDS: dict[str, tuple[Any, Any]] = {
    raw: (function, namedtuple(raw, ["output", "row_pooling_sequence", "col_pooling_sequence"]))
    for raw, function in (("FractionalMaxPool", _largest), ("FractionalAvgPool", _mean))
}


def fractional_pool(raw: str, value: Any, ratios: Any, pseudo_random: bool, overlapping: bool, key: Any) -> Any:
    """Pool by windows drawn by lot.

    Args:
      raw: `"FractionalMaxPool"` or `"FractionalAvgPool"`.
      value: `[batch, height, width, channels]`.
      ratios: four numbers, of which the first and the last are 1.
      pseudo_random, overlapping: as for `tf.nn.fractional_max_pool`.
      key: the state of the draw.
    """
    value = convert(value)
    if value.shape.rank != 4:
        raise invalid_argument(f"tensor_in must be 4-dimensional, got the shape {value.shape}", raw)
    sizes = value.shape.as_list()[1:3]
    if None in sizes:
        raise ValueError(f"tf.nn.{raw}: height and width must be known, got the shape {value.shape}")
    counts = [math.floor(size / ratio) for size, ratio in zip(sizes, ratios[1:3], strict=True)]
    for axis, (size, count) in enumerate(zip(sizes, counts, strict=True)):
        if count < 1:
            raise invalid_argument(
                f"Pooling ratio is higher than input dimension size for dimension {axis + 1}. Input dim size: {size} "
                f"pooling ratio: {ratios[axis + 1]}",
                raw,
            )
    width = [-(-size // count) + overlapping for size, count in zip(sizes, counts, strict=True)]
    rows, columns = _sequences(key, sizes, counts, bool(pseudo_random))
    function, named = _KINDS[raw]
    return named(function(value, rows, columns, width, bool(overlapping)), rows, columns)


def _pooled(raw: str, value: Any, ratio: Any, pseudo_random: bool, overlapping: bool, seeds: tuple[Any, Any]) -> Any:
    ratios = [1.0, ratio, ratio, 1.0] if isinstance(ratio, (int, float)) else list(ratio)
    if any(number < 1 for number in ratios):
        raise ValueError(f"`pooling_ratio` elements should be >= 1.0. Received: pooling_ratio={ratio}")
    if len(ratios) != 4 or ratios[0] != 1 or ratios[-1] != 1:
        raise ValueError(
            f"`pooling_ratio` should have first and last elements with value 1.0. Received: pooling_ratio={ratio}"
        )
    first, second = seeds
    # Seeds give the same windows each time; without them, they differ.
    key = next_key(raw, None, 64) if first is None or second is None else key_of(0, second, first)
    return fractional_pool(raw, value, ratios, pseudo_random, overlapping, key)


@export("nn.fractional_max_pool")
def fractional_max_pool(
    value: Any,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> Any:
    """The largest pixels of windows whose sizes are drawn by lot. Mirrors `tf.nn.fractional_max_pool`.

    Args:
      value: `[batch, height, width, channels]`, of which height and width are known.
      pooling_ratio: how much smaller the result is: a number, or four with 1 at both ends.
      pseudo_random: whether sizes of windows follow from one number that is drawn, not one each.
      overlapping: whether the first pixels of a window belong to the one before, too.
      seed: gives the same windows each time, unless it is 0.
      name: accepted for compatibility.

    Returns:
      A named tuple: the result, and where windows begin, vertically and horizontally, int64.

    Raises:
      ValueError: if ratios are smaller than 1, or no such numbers.
      InvalidArgumentError: if images are smaller than a ratio.
    """
    seeds = get_seed(seed) if seed else (None, None)
    return _pooled("FractionalMaxPool", value, pooling_ratio, pseudo_random, overlapping, seeds)


@export("nn.fractional_avg_pool")
def fractional_avg_pool(
    value: Any,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> Any:
    """The means of windows whose sizes are drawn by lot; see `fractional_max_pool`. Mirrors `tf.nn.fractional_avg_pool`."""
    seeds = get_seed(seed) if seed else (None, None)
    return _pooled("FractionalAvgPool", value, pooling_ratio, pseudo_random, overlapping, seeds)


def _of_version_1(raw: str, name: str) -> None:
    def pool(
        value: Any,
        pooling_ratio: Any,
        pseudo_random: bool = False,
        overlapping: bool = False,
        deterministic: bool = False,
        seed: int = 0,
        seed2: int = 0,
        name: str | None = None,
    ) -> Any:
        if not deterministic and (seed or seed2):
            raise invalid_argument("Both seed and seed2 should be 0 if deterministic is false.", raw)
        seeds = (seed, seed2) if seed or seed2 else (None, None)
        return _pooled(raw, value, pooling_ratio, pseudo_random, overlapping, seeds)

    pool.__name__ = pool.__qualname__ = name
    pool.__doc__ = f"`tf.nn.{name}` with both seeds. Mirrors `tf.compat.v1.nn.{name}`."
    export(f"compat.v1.nn.{name}")(pool)


_of_version_1("FractionalMaxPool", "fractional_max_pool")
_of_version_1("FractionalAvgPool", "fractional_avg_pool")


def pool_between(raw: str, value: Any, rows: Any, columns: Any, overlapping: bool) -> Any:
    """Pool by windows that are given.

    Args:
      raw: `"FractionalMaxPool"` or `"FractionalAvgPool"`.
      value: `[batch, height, width, channels]`.
      rows, columns: where the windows begin, and where the last one ends.
      overlapping: whether a window also has the first row and column of the next.
    """
    edges = [convert(e, dtypes.int64) for e in (rows, columns)]
    known = [get_static_value(e) for e in edges]
    sizes = value.shape.as_list()[1:3]
    width = [n if k is None else int(np.diff(k).max()) + bool(overlapping) for n, k in zip(sizes, known, strict=True)]
    return _KINDS[raw][0](value, *edges, width, bool(overlapping))
