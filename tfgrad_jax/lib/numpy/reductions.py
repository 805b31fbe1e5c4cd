"""Sums, extremes, products: functions of many elements."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.lib.numpy.arrays import diagonal
from tfgrad_jax.lib.numpy.shapes import moveaxis, ravel
from tfgrad_jax.lib.numpy.types import arithmetic, asarray, cast_to, floating, met, of_numbers, promoted, public, tf
from tfgrad_jax.ops.math.cast import cast


def _summable(a: Any, dtype: Any) -> Any:
    """Elements in the dtype of their sum: small integers are counted in 64 bits, or in the 32 that Python numbers have."""
    found = cast_to(a, dtype)
    if dtype is None and (found.dtype.is_integer or found.dtype is dtypes.bool_):
        wide = as_dtype(of_numbers(np.dtype(np.int64)))
        if found.dtype.is_unsigned:
            wide = dtypes.uint64 if wide is dtypes.int64 else dtypes.uint32
        return cast(found, wide) if found.dtype.size < wide.size or found.dtype is dtypes.bool_ else found
    return found


def _axis(axis: Any) -> Any:
    return axis if axis is None or isinstance(axis, (int, np.integer)) else list(np.asarray(axis).reshape(-1))


@public
def sum(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = None) -> Any:
    """The sum. Mirrors `tf.experimental.numpy.sum`."""
    return tf("math.reduce_sum")(_summable(a, dtype), _axis(axis), bool(keepdims))


@public
def prod(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = None) -> Any:
    """The product. Mirrors `tf.experimental.numpy.prod`."""
    return tf("math.reduce_prod")(_summable(a, dtype), _axis(axis), bool(keepdims))


@public
def mean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = None) -> Any:
    """The mean. Mirrors `tf.experimental.numpy.mean`."""
    _without(out)
    return tf("math.reduce_mean")(floating(a) if dtype is None else cast_to(a, dtype), _axis(axis), bool(keepdims))


def _without(out: Any) -> None:
    if out is not None:
        raise ValueError("Setting out is not supported.")


@public
def max(a: Any, axis: Any = None, keepdims: Any = None) -> Any:
    """The largest element. Mirrors `tf.experimental.numpy.max`."""
    return _extreme("max", "any", a, axis, keepdims)


@public
def min(a: Any, axis: Any = None, keepdims: Any = None) -> Any:
    """The smallest element. Mirrors `tf.experimental.numpy.min`."""
    return _extreme("min", "all", a, axis, keepdims)


def _extreme(name: str, logical: str, a: Any, axis: Any, keepdims: Any) -> Any:
    found = asarray(a)
    name = logical if found.dtype is dtypes.bool_ else name
    return tf(f"math.reduce_{name}")(found, _axis(axis), bool(keepdims))


@public
def amax(a: Any, axis: Any = None, out: Any = None, keepdims: Any = None) -> Any:
    """The largest element. Mirrors `tf.experimental.numpy.amax`."""
    _without(out)
    return max(a, axis, keepdims)


@public
def amin(a: Any, axis: Any = None, out: Any = None, keepdims: Any = None) -> Any:
    """The smallest element. Mirrors `tf.experimental.numpy.amin`."""
    _without(out)
    return min(a, axis, keepdims)


@public
def ptp(a: Any, axis: Any = None, keepdims: Any = None) -> Any:
    """The largest element less the smallest. Mirrors `tf.experimental.numpy.ptp`."""
    return max(a, axis, keepdims) - min(a, axis, keepdims)


@public
def all(a: Any, axis: Any = None, keepdims: Any = None) -> Any:
    """Whether all are true. Mirrors `tf.experimental.numpy.all`."""
    return tf("math.reduce_all")(cast(asarray(a), dtypes.bool_), _axis(axis), bool(keepdims))


@public
def any(a: Any, axis: Any = None, keepdims: Any = None) -> Any:
    """Whether one is true. Mirrors `tf.experimental.numpy.any`."""
    return tf("math.reduce_any")(cast(asarray(a), dtypes.bool_), _axis(axis), bool(keepdims))


@public
def count_nonzero(a: Any, axis: Any = None) -> Any:
    """How many are not zero. Mirrors `tf.experimental.numpy.count_nonzero`."""
    return tf("math.count_nonzero")(asarray(a), _axis(axis))


def _argument(name: str, a: Any, axis: Any) -> Any:
    found = asarray(a)
    if axis is None or not len(found.shape):
        found, axis = ravel(found), 0
    if found.dtype is dtypes.bool_:
        found = cast(found, dtypes.int8)
    return tf(f"math.{name}")(found, axis)


@public
def argmax(a: Any, axis: Any = None) -> Any:
    """The place of the largest element. Mirrors `tf.experimental.numpy.argmax`."""
    return _argument("argmax", a, axis)


@public
def argmin(a: Any, axis: Any = None) -> Any:
    """The place of the smallest element. Mirrors `tf.experimental.numpy.argmin`."""
    return _argument("argmin", a, axis)


@public
def var(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: int = 0, keepdims: Any = None) -> Any:
    """The variance. Mirrors `tf.experimental.numpy.var`."""
    _without(out)
    found = asarray(a)
    work = floating(found) if dtype is None else cast_to(found, dtype)
    axes = _axis(axis)
    apart = work - tf("math.reduce_mean")(work, axes, True)
    squares = tf("math.real")(apart * tf("math.conj")(apart)) if work.dtype.is_complex else apart * apart
    count = tf("size")(found) / tf("size")(tf("math.reduce_mean")(work, axes, True))
    return tf("math.reduce_sum")(squares, axes, bool(keepdims)) / cast(count - ddof, squares.dtype)


@public
def std(a: Any, axis: Any = None, keepdims: Any = None) -> Any:
    """The standard deviation. Mirrors `tf.experimental.numpy.std`."""
    return tf("math.sqrt")(var(a, axis, keepdims=keepdims))


@public
def average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False) -> Any:
    """The mean by weights. Mirrors `tf.experimental.numpy.average`.

    Raises:
      ValueError: if the axis is no integer, or the weights fit neither the array nor the axis.
    """
    if axis is not None and not isinstance(axis, (int, np.integer)):
        raise ValueError(f"Argument `axis` must be an integer. Received axis={axis}")
    found = floating(a)
    if weights is None:
        result = tf("math.reduce_mean")(found, axis)
        total = tf("ones_like")(result) * cast(tf("size")(found) / tf("size")(result), result.dtype)
        return (result, total) if returned else result
    found, by = promoted(found, weights)
    if by.shape != found.shape:
        if axis is None or len(by.shape) != 1:
            raise ValueError("weights must be a vector for the axis, or have the shape of the array")
        by = tf("reshape")(by, [-1 if i == axis % len(found.shape) else 1 for i in range(len(found.shape))])
    total = tf("math.reduce_sum")(tf("broadcast_to")(by, tf("shape")(found)), axis)
    result = tf("math.reduce_sum")(found * by, axis) / total
    return (result, total) if returned else result


def _without_nan(a: Any, value: float) -> Any:
    found = asarray(a)
    return (
        tf("where")(tf("math.is_nan")(found), tf("ones_like")(found) * value, found)
        if found.dtype.is_floating
        else found
    )


@public
def nansum(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
    """The sum of what is no NaN. Mirrors `tf.experimental.numpy.nansum`."""
    return sum(_without_nan(a, 0), axis, dtype, keepdims)


@public
def nanprod(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
    """The product of what is no NaN. Mirrors `tf.experimental.numpy.nanprod`."""
    return prod(_without_nan(a, 1), axis, dtype, keepdims)


@public
def nanmean(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = None) -> Any:
    """The mean of what is no NaN. Mirrors `tf.experimental.numpy.nanmean`."""
    found = asarray(a)
    if not found.dtype.is_floating:
        return mean(found, axis, dtype, keepdims=keepdims)
    total = nansum(found, axis, dtype, bool(keepdims))
    counted = cast(tf("math.logical_not")(tf("math.is_nan")(found)), total.dtype)
    return total / tf("math.reduce_sum")(counted, _axis(axis), bool(keepdims))


def _cumulative(name: str, a: Any, axis: Any, dtype: Any) -> Any:
    found = cast_to(a, dtype)
    if dtype is None and found.dtype.is_integer and found.dtype.size < 8:
        found = cast(found, dtypes.int64)
    if axis is None:
        found, axis = ravel(found), 0
    return tf(f"math.{name}")(found, axis)


@public
def cumsum(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    """Sums up to each element. Mirrors `tf.experimental.numpy.cumsum`."""
    return _cumulative("cumsum", a, axis, dtype)


@public
def cumprod(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    """Products up to each element. Mirrors `tf.experimental.numpy.cumprod`."""
    return _cumulative("cumprod", a, axis, dtype)


@public
def diff(a: Any, n: int = 1, axis: int = -1) -> Any:
    """Differences of neighbours. Mirrors `tf.experimental.numpy.diff`.

    Raises:
      ValueError: if `n` is negative, or there are no dimensions.
    """
    found = asarray(a)
    if n < 0:
        raise ValueError(f"Argument `order` must be a non-negative integer. Received: {n}")
    if not len(found.shape):
        raise ValueError("diff requires input that is at least one dimensional")
    for _ in range(n):
        moved = moveaxis(found, axis, 0)
        step = tf("math.not_equal") if found.dtype is dtypes.bool_ else tf("math.subtract")
        found = moveaxis(step(moved[1:], moved[:-1]), 0, axis)
    return found


@public
def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Any:
    """The sum of a diagonal. Mirrors `tf.experimental.numpy.trace`."""
    found = diagonal(a, offset, axis1, axis2)
    if offset == 0 and (axis1, axis2) == (0, 1) and dtype is None:
        return tf("math.reduce_sum")(found, -1)
    return sum(found, -1, dtype)


# -- products ---------------------------------------------------------------------------------------------------------


@public
def matmul(x1: Any, x2: Any) -> Any:
    """The product of matrices. Mirrors `tf.experimental.numpy.matmul`."""
    a, b = promoted(x1, x2)
    if not len(a.shape) or not len(b.shape):
        raise ValueError("matmul: arguments must have one dimension at least")
    if len(a.shape) == 1:
        return tf("tensordot")(a, b, [[0], [len(b.shape) - 2 if len(b.shape) > 1 else 0]])
    if len(b.shape) == 1:
        return tf("tensordot")(a, b, [[len(a.shape) - 1], [0]])
    return tf("linalg.matmul")(a, b)


@public
def dot(a: Any, b: Any) -> Any:
    """Sums of products along the last dimension and the last but one. Mirrors `tf.experimental.numpy.dot`."""
    x, y = arithmetic(a, b)
    if not len(x.shape) or not len(y.shape):
        return x * y
    return tf("tensordot")(x, y, [[len(x.shape) - 1], [builtins.max(len(y.shape) - 2, 0)]])


@public
def inner(a: Any, b: Any) -> Any:
    """Sums of products along the last dimensions. Mirrors `tf.experimental.numpy.inner`."""
    x, y = arithmetic(a, b)
    if not len(x.shape) or not len(y.shape):
        return x * y
    return tf("tensordot")(x, y, [[len(x.shape) - 1], [len(y.shape) - 1]])


@public
def outer(a: Any, b: Any) -> Any:
    """Products of all pairs. Mirrors `tf.experimental.numpy.outer`."""
    x, y = arithmetic(a, b)
    return ravel(x)[:, None] * ravel(y)[None]


@public
def vdot(a: Any, b: Any) -> Any:
    """The sum of products of vectors, the first of which is conjugated. Mirrors `tf.experimental.numpy.vdot`."""
    x, y = met(a, b)
    return tf("math.reduce_sum")(ravel(tf("math.conj")(x)) * ravel(y))


@public
def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """Sums of products along some dimensions. Mirrors `tf.experimental.numpy.tensordot`."""
    return tf("tensordot")(*arithmetic(a, b), axes=axes)


@public
def einsum(subscripts: str, *operands: Any, **kwargs: Any) -> Any:
    """Sums of products, as letters say. Mirrors `tf.experimental.numpy.einsum`."""
    kwargs.pop("casting", "safe")
    kwargs.pop("optimize", True)
    kwargs.pop("order", "C")
    if kwargs:
        raise ValueError(f"einsum: {sorted(kwargs)} are not supported")
    return tf("einsum")(subscripts, *promoted(*operands))


@public
def kron(a: Any, b: Any) -> Any:
    """Kronecker's product. Mirrors `tf.experimental.numpy.kron`."""
    x, y = met(a, b)
    rank = builtins.max(len(x.shape), len(y.shape))
    first, second = ([1] * (rank - len(v.shape)) + list(v.shape) for v in (x, y))
    wide = tf("reshape")(x, [n for size in first for n in (size, 1)])
    high = tf("reshape")(y, [n for size in second for n in (1, size)])
    return tf("reshape")(wide * high, [n * m for n, m in zip(first, second, strict=True)])


@public
def cross(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Any = None) -> Any:
    """The vector product, of vectors of two or three numbers. Mirrors `tf.experimental.numpy.cross`."""
    x, y = arithmetic(a, b)
    if axis is not None:
        axisa = axisb = axisc = axis
    x, y = moveaxis(x, axisa, -1), moveaxis(y, axisb, -1)
    if x.shape[-1] not in (2, 3) or y.shape[-1] not in (2, 3):
        raise ValueError(f"The vectors must have 2 or 3 numbers, got {x.shape[-1]} and {y.shape[-1]}")
    flat = x.shape[-1] == y.shape[-1] == 2
    parts = []
    for v in (x, y):
        own = tf("unstack")(v, axis=-1)
        parts.append([*own, tf("zeros_like")(own[0])] if len(own) == 2 else own)
    (a0, a1, a2), (b0, b1, b2) = parts
    if flat:
        return a0 * b1 - a1 * b0
    return moveaxis(tf("stack")([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0], -1), -1, axisc)
