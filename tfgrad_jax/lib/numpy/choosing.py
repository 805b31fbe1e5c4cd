"""Comparisons of whole arrays, choices between elements, and what an array is."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.lib.numpy.types import arithmetic, asarray, joined, numpy_dtype, promoted, public, tf, truth


@public
def clip(a: Any, a_min: Any, a_max: Any) -> Any:
    """Elements moved into a range; `a_min` prevails, unlike in NumPy. Mirrors `tf.experimental.numpy.clip`."""
    if a_min is None and a_max is None:
        raise ValueError("Not more than one of `a_min` and `a_max` may be `None`.")
    if a_min is None or a_max is None:
        x, limit = joined(a, a_max if a_min is None else a_min)
        return tf("math.minimum" if a_min is None else "math.maximum")(x, limit)
    x, low, high = joined(a, a_min, a_max)
    return tf("math.maximum")(tf("math.minimum")(x, high), low)


@public
def isclose(a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Any:
    """Whether elements are nearly equal. Mirrors `tf.experimental.numpy.isclose`."""
    x, y = arithmetic(a, b)
    if not (x.dtype.is_floating or x.dtype.is_complex):
        return tf("math.equal")(x, y)
    near = tf("math.abs")(x - y) <= atol + rtol * tf("math.abs")(y)
    if equal_nan:
        near = tf("math.logical_or")(near, tf("math.logical_and")(tf("math.is_nan")(x), tf("math.is_nan")(y)))
    return near


@public
def allclose(a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Any:
    """Whether all elements are nearly equal. Mirrors `tf.experimental.numpy.allclose`."""
    return tf("math.reduce_all")(isclose(a, b, rtol, atol, equal_nan))


@public
def array_equal(a1: Any, a2: Any) -> Any:
    """Whether shapes and elements are equal. Mirrors `tf.experimental.numpy.array_equal`."""
    x, y = promoted(a1, a2)
    if x.shape != y.shape:
        return asarray(False)
    return tf("math.reduce_all")(tf("math.equal")(x, y))


@public
def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """Elements of `x` or of `y`; or where the condition holds. Mirrors `tf.experimental.numpy.where`.

    Raises:
      ValueError: if one of `x` and `y` is missing.
    """
    if (x is None) != (y is None):
        raise ValueError("Both x and y must be specified when either is specified.")
    mask = truth(condition)
    if x is None:
        return tuple(tf("unstack")(tf("where")(mask), axis=1, num=len(mask.shape)))
    return tf("where")(mask, *joined(x, y))


@public
def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """For each place, the first choice whose condition holds. Mirrors `tf.experimental.numpy.select`.

    Raises:
      ValueError: if there are not as many choices as conditions, or none.
    """
    if len(condlist) != len(choicelist):
        raise ValueError(f"len(condlist) must equal len(choicelist). Received: {len(condlist)} and {len(choicelist)}")
    if not condlist:
        raise ValueError("condlist must be non-empty")
    *choices, found = joined(*choicelist, default)
    for condition, choice in zip(condlist[::-1], choices[::-1], strict=True):
        found = tf("where")(truth(condition), choice, found)
    return found


@public
def nonzero(a: Any) -> Any:
    """The places of elements that are not zero, a tensor for each dimension. Mirrors `tf.experimental.numpy.nonzero`."""
    return where(tf("expand_dims")(asarray(a), 0) if not len(asarray(a).shape) else a)


@public
def polyval(p: Any, x: Any) -> Any:
    """The value of a polynomial, whose first coefficient belongs to the highest power. Mirrors `tf.experimental.numpy.polyval`."""
    coefficients, at = arithmetic(p, x)
    coefficients = coefficients if len(coefficients.shape) else coefficients[None]
    found = tf("zeros_like")(at)
    for coefficient in tf("unstack")(coefficients):
        found = found * at + coefficient
    return found


def isscalar(num: Any) -> bool:
    """Whether it is a number or has no dimensions. Mirrors `tf.experimental.numpy.isscalar`."""
    return bool(np.isscalar(num)) or (hasattr(num, "shape") and len(num.shape) == 0)


def iscomplexobj(x: Any) -> bool:
    """Whether the dtype is complex. Mirrors `tf.experimental.numpy.iscomplexobj`."""
    return np.issubdtype(numpy_dtype(asarray(x).dtype), np.complexfloating)


def isrealobj(x: Any) -> bool:
    """Whether the dtype is not complex. Mirrors `tf.experimental.numpy.isrealobj`."""
    return not iscomplexobj(x)


for _function in (isscalar, iscomplexobj, isrealobj):
    public(_function)
