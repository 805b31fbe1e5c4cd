"""Arrays put into other shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfgrad_jax.lib.numpy.types import asarray, public, tf
from tfgrad_jax.ops.common import axis_in


@public
def shape(a: Any) -> Any:
    """The sizes. Mirrors `tf.experimental.numpy.shape`."""
    found = asarray(a)
    return found.shape if found.shape.is_fully_defined() else tf("shape")(found)


@public
def ndim(a: Any) -> Any:
    """The number of dimensions. Mirrors `tf.experimental.numpy.ndim`."""
    return len(asarray(a).shape)


@public
def size(x: Any, axis: Any = None) -> Any:
    """The number of elements. Mirrors `tf.experimental.numpy.size`.

    Raises:
      NotImplementedError: if an axis is given.
    """
    if axis is not None:
        raise NotImplementedError("axis argument is not supported in the current `np.size` implementation")
    found = asarray(x)
    count = found.shape.num_elements()
    return tf("size")(found) if count is None else np.int64(count)


@public
def reshape(a: Any, newshape: Any, order: str = "C") -> Any:
    """The elements in another shape. Mirrors `tf.experimental.numpy.reshape`.

    Args:
      a: an array.
      newshape: the sizes, one of which may be -1.
      order: `"C"`, or `"F"` for the first dimension varying fastest.
    """
    if order not in ("C", "F"):
        raise ValueError(f"Unsupported order argument {order}")
    sizes = [newshape] if np.isscalar(newshape) else newshape
    if order == "F":
        return transpose(tf("reshape")(transpose(a), list(sizes)[::-1]))
    return tf("reshape")(asarray(a), sizes)


@public
def ravel(a: Any) -> Any:
    """The elements as a vector. Mirrors `tf.experimental.numpy.ravel`."""
    return tf("reshape")(asarray(a), [-1])


@public
def flatten(a: Any, order: str = "C") -> Any:
    """The elements as a vector. Mirrors `tf.experimental.numpy.flatten`."""
    return reshape(a, -1, order)


@public
def transpose(a: Any, axes: Any = None) -> Any:
    """The dimensions in another order. Mirrors `tf.experimental.numpy.transpose`."""
    return tf("transpose")(asarray(a), None if axes is None else list(np.asarray(axes)))


@public
def swapaxes(a: Any, axis1: int, axis2: int) -> Any:
    """Two dimensions exchanged. Mirrors `tf.experimental.numpy.swapaxes`."""
    found = asarray(a)
    order = list(range(len(found.shape)))
    first, second = (axis_in(axis, len(order), "Transpose") for axis in (axis1, axis2))
    order[first], order[second] = second, first
    return tf("transpose")(found, order)


@public
def moveaxis(a: Any, source: Any, destination: Any) -> Any:
    """Dimensions moved elsewhere. Mirrors `tf.experimental.numpy.moveaxis`."""
    found = asarray(a)
    rank = len(found.shape)
    froms = [axis_in(n, rank, "Transpose") for n in np.atleast_1d(source)]
    tos = [axis_in(n, rank, "Transpose") for n in np.atleast_1d(destination)]
    left = [n for n in range(rank) if n not in froms]
    for to, start in sorted(zip(tos, froms, strict=True)):
        left.insert(to, start)
    return tf("transpose")(found, left)


@public
def rot90(m: Any, k: int = 1, axes: Any = (0, 1)) -> Any:
    """Turned by quarters. Mirrors `tf.experimental.numpy.rot90`."""
    found, (first, second) = asarray(m), axes
    quarter = int(k) % 4
    if quarter == 0:
        return found
    if quarter == 2:
        return flip(flip(found, first), second)
    return (
        swapaxes(flip(found, second), first, second) if quarter == 1 else flip(swapaxes(found, first, second), second)
    )


@public
def flip(m: Any, axis: Any = None) -> Any:
    """In reverse order along a dimension; along all if None. Mirrors `tf.experimental.numpy.flip`."""
    found = asarray(m)
    return tf("reverse")(found, list(range(len(found.shape))) if axis is None else [axis])


@public
def flipud(m: Any) -> Any:
    """In reverse order along the first dimension. Mirrors `tf.experimental.numpy.flipud`."""
    return flip(m, 0)


@public
def fliplr(m: Any) -> Any:
    """In reverse order along the second dimension. Mirrors `tf.experimental.numpy.fliplr`."""
    return flip(m, 1)


@public
def roll(a: Any, shift: Any, axis: Any = None) -> Any:
    """Elements moved along a dimension, round its end. Mirrors `tf.experimental.numpy.roll`."""
    found = asarray(a)
    if axis is not None:
        return tf("roll")(found, shift, axis)
    return tf("reshape")(tf("roll")(tf("reshape")(found, [-1]), shift, 0), tf("shape")(found))


@public
def squeeze(a: Any, axis: Any = None) -> Any:
    """Without dimensions of size 1. Mirrors `tf.experimental.numpy.squeeze`."""
    return tf("squeeze")(asarray(a), axis)


@public
def expand_dims(a: Any, axis: int) -> Any:
    """With one more dimension, of size 1. Mirrors `tf.experimental.numpy.expand_dims`."""
    return tf("expand_dims")(asarray(a), axis)


@public
def broadcast_to(array: Any, shape: Any) -> Any:
    """Repeated up to a shape. Mirrors `tf.experimental.numpy.broadcast_to`."""
    return tf("broadcast_to")(asarray(array), [shape] if np.isscalar(shape) else shape)


@public
def broadcast_arrays(*args: Any, **kwargs: Any) -> Any:
    """Repeated up to one shape. Mirrors `tf.experimental.numpy.broadcast_arrays`."""
    if kwargs.pop("subok", False) or kwargs:
        raise ValueError(f"broadcast_arrays: subok=True and {sorted(kwargs)} are not supported")
    values = [asarray(a) for a in args]
    common = tf("shape")(values[0])
    for value in values[1:]:
        common = tf("broadcast_dynamic_shape")(common, tf("shape")(value))
    return [tf("broadcast_to")(value, common) for value in values]


def _at_least(count: int, arys: Sequence[Any]) -> Any:
    found = []
    for value in map(asarray, arys):
        while len(value.shape) < count:
            value = tf("expand_dims")(value, -1 if len(value.shape) == 2 else 0)
        found.append(value)
    return found[0] if len(found) == 1 else found


@public
def atleast_1d(*arys: Any) -> Any:
    """With one dimension at least. Mirrors `tf.experimental.numpy.atleast_1d`."""
    return _at_least(1, arys)


@public
def atleast_2d(*arys: Any) -> Any:
    """With two dimensions at least. Mirrors `tf.experimental.numpy.atleast_2d`."""
    return _at_least(2, arys)


@public
def atleast_3d(*arys: Any) -> Any:
    """With three dimensions at least. Mirrors `tf.experimental.numpy.atleast_3d`."""
    return _at_least(3, arys)
