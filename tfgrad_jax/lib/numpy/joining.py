"""Arrays put together, taken apart, looked up and put in order."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.lib.numpy.shapes import atleast_1d, atleast_2d, atleast_3d, ravel
from tfgrad_jax.lib.numpy.types import asarray, joined, met, preference, public, tf
from tfgrad_jax.ops.common import axis_in
from tfgrad_jax.ops.math.cast import cast


@public
def concatenate(arys: Any, axis: Any = 0) -> Any:
    """One after the other along a dimension. Mirrors `tf.experimental.numpy.concatenate`."""
    values = list(arys) if isinstance(arys, (list, tuple)) else tf("unstack")(asarray(arys))
    if not values:
        raise ValueError("Need at least one array to concatenate.")
    return tf("concat")(joined(*values), axis)


@public
def stack(arrays: Any, axis: int = 0) -> Any:
    """Together along a new dimension. Mirrors `tf.experimental.numpy.stack`."""
    if not isinstance(arrays, (list, tuple)):
        found = asarray(arrays)
        return found if axis == 0 else tf("stack")(tf("unstack")(found), axis)
    return tf("stack")(joined(*arrays), axis)


def _joined(tup: Any, at_least: Any, axis: int) -> Any:
    values = at_least(*tup)
    return tf("concat")(joined(*(values if isinstance(values, list) else [values])), axis)


@public
def hstack(tup: Any) -> Any:
    """Side by side. Mirrors `tf.experimental.numpy.hstack`."""
    values = atleast_1d(*tup)
    values = values if isinstance(values, list) else [values]
    return tf("concat")(joined(*values), 0 if len(values[0].shape) == 1 else 1)


@public
def vstack(tup: Any) -> Any:
    """Below each other. Mirrors `tf.experimental.numpy.vstack`."""
    return _joined(tup, atleast_2d, 0)


@public
def dstack(tup: Any) -> Any:
    """Behind each other. Mirrors `tf.experimental.numpy.dstack`."""
    return _joined(tup, atleast_3d, 2)


@public
def append(arr: Any, values: Any, axis: Any = None) -> Any:
    """One after the other; as vectors without an axis. Mirrors `tf.experimental.numpy.append`."""
    both = met(arr, values) if preference.narrow else joined(asarray(arr), asarray(values))
    return tf("concat")([ravel(v) for v in both] if axis is None else both, 0 if axis is None else axis)


@public
def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """Parts along a dimension. Mirrors `tf.experimental.numpy.split`.

    Args:
      ary: an array.
      indices_or_sections: the number of equal parts, or where parts begin.
      axis: the dimension.
    """
    found = asarray(ary)
    if isinstance(indices_or_sections, (int, np.integer)):
        return tf("split")(found, int(indices_or_sections), axis)
    count = found.shape[axis]
    ends = [0, *np.clip(np.asarray(indices_or_sections), 0, count).tolist(), count]
    return tf("split")(found, [max(b - a, 0) for a, b in itertools.pairwise(ends)], axis)


@public
def hsplit(ary: Any, indices_or_sections: Any) -> Any:
    """Parts side by side. Mirrors `tf.experimental.numpy.hsplit`."""
    found = asarray(ary)
    return split(found, indices_or_sections, 0 if len(found.shape) == 1 else 1)


@public
def vsplit(ary: Any, indices_or_sections: Any) -> Any:
    """Parts below each other. Mirrors `tf.experimental.numpy.vsplit`."""
    return split(ary, indices_or_sections, 0)


@public
def dsplit(ary: Any, indices_or_sections: Any) -> Any:
    """Parts behind each other. Mirrors `tf.experimental.numpy.dsplit`."""
    return split(ary, indices_or_sections, 2)


@public
def tile(a: Any, reps: Any) -> Any:
    """Repeated as a whole. Mirrors `tf.experimental.numpy.tile`."""
    found = asarray(a)
    counts = np.atleast_1d(np.asarray(reps)).tolist()
    rank = len(found.shape)
    counts = [1] * (rank - len(counts)) + counts
    if rank < len(counts):
        found = tf("reshape")(found, [1] * (len(counts) - rank) + [-1 if n is None else n for n in found.shape])
    return tf("tile")(found, counts)


@public
def repeat(a: Any, repeats: Any, axis: Any = None) -> Any:
    """Each element repeated. Mirrors `tf.experimental.numpy.repeat`."""
    return tf("repeat")(asarray(a), repeats, axis)


@public
def pad(array: Any, pad_width: Any, mode: str, **kwargs: Any) -> Any:
    """With elements around it. Mirrors `tf.experimental.numpy.pad`.

    Args:
      array: an array.
      pad_width: a number, a pair, or a pair for each dimension.
      mode: `"constant"`, `"reflect"` or `"symmetric"`.
      **kwargs: `constant_values`.

    Raises:
      ValueError: if there is no such mode.
    """
    if mode not in ("constant", "reflect", "symmetric"):
        raise ValueError(f"Unsupported padding mode: {mode}")
    found = asarray(array)
    widths = np.broadcast_to(np.asarray(pad_width), (len(found.shape), 2))
    return tf("pad")(found, widths.tolist(), mode.upper(), kwargs.get("constant_values", 0))


@public
def take(a: Any, indices: Any, axis: Any = None, out: Any = None, mode: str = "clip") -> Any:
    """Elements by their places. Mirrors `tf.experimental.numpy.take`.

    Args:
      a: an array.
      indices: the places.
      axis: the dimension; of the elements as a vector if None.
      out: must be None.
      mode: what becomes of places outside: `"clip"`, or `"wrap"` for counting round the end.

    Raises:
      ValueError: for another mode, or with `out`.
    """
    if out is not None:
        raise ValueError("out argument is not supported in take.")
    if mode not in ("clip", "wrap", "raise"):
        raise ValueError(f"Invalid mode '{mode}' for take")
    if mode == "raise":
        raise ValueError("raise mode is not supported in take; clip and wrap are")
    found = ravel(a) if axis is None else asarray(a)
    at = asarray(indices)
    count = cast(tf("shape")(found)[axis or 0], at.dtype)
    at = tf("clip_by_value")(at, 0, count - 1) if mode == "clip" else tf("math.floormod")(at, count)
    return tf("gather")(found, at, axis=axis or 0)


@public
def take_along_axis(arr: Any, indices: Any, axis: Any) -> Any:
    """Elements by their places along a dimension, for each row of its own. Mirrors `tf.experimental.numpy.take_along_axis`."""
    found, at = asarray(arr), asarray(indices)
    if axis is None:
        return take_along_axis(ravel(found), at, 0)
    rank = len(found.shape)
    axis = axis_in(axis, rank, "Transpose")
    order = [i for i in range(rank) if i != axis] + [axis]
    lead = [max(a, b) for i, (a, b) in enumerate(zip(found.shape, at.shape, strict=True)) if i != axis]
    values, places = tf("transpose")(found, order), tf("transpose")(at, order)
    values = tf("broadcast_to")(values, [*lead, found.shape[axis]])
    places = tf("broadcast_to")(places, [*lead, at.shape[axis]])
    places = tf("where")(places < 0, places + found.shape[axis], places)
    return tf("transpose")(tf("gather")(values, places, batch_dims=rank - 1), np.argsort(order).tolist())


@public
def compress(condition: Any, a: Any, axis: Any = None) -> Any:
    """Elements where the condition holds. Mirrors `tf.experimental.numpy.compress`."""
    mask = cast(asarray(condition), dtypes.bool_)
    found = ravel(a) if axis is None else asarray(a)
    return tf("gather")(found, tf("where")(mask)[:, 0], axis=axis or 0)


@public
def sort(a: Any, axis: Any = -1, kind: str = "quicksort", order: Any = None) -> Any:
    """In ascending order. Mirrors `tf.experimental.numpy.sort`.

    Raises:
      ValueError: with another `kind`, or an `order`.
    """
    _plain_order(kind, order)
    return tf("sort")(ravel(a) if axis is None else asarray(a), axis=0 if axis is None else axis)


@public
def argsort(a: Any, axis: Any = -1, kind: str = "quicksort", order: Any = None) -> Any:
    """The places of the elements in ascending order. Mirrors `tf.experimental.numpy.argsort`.

    Raises:
      ValueError: with another `kind`, or an `order`.
    """
    _plain_order(kind, order)
    found = tf("argsort")(
        ravel(a) if axis is None else asarray(a), axis=0 if axis is None else axis, stable=kind == "stable"
    )
    return cast(found, dtypes.int64)


def _plain_order(kind: str, order: Any) -> None:
    if kind not in ("quicksort", "stable"):
        raise ValueError(
            f"Invalid value for argument `kind`. Received kind='{kind}'; expected 'quicksort' or 'stable'."
        )
    if order is not None:
        raise ValueError("The `order` argument is not supported.")
