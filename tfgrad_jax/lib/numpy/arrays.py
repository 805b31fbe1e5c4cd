"""Arrays made."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.engine.names.export import export, export_value
from tfgrad_jax.engine.run.execute import misfit
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.numpy.shapes import broadcast_arrays, broadcast_to, moveaxis, ravel
from tfgrad_jax.lib.numpy.types import (
    PREFIX,
    asarray,
    cast_to,
    default_float,
    numpy_dtype,
    preferred,
    promoted,
    public,
    result_type,
    tf,
)
from tfgrad_jax.ops.common import number_of
from tfgrad_jax.ops.math.cast import cast

# -- made -------------------------------------------------------------------------------------------------------------


@public
def zeros(shape: Any, dtype: Any = float) -> Any:
    """Zeros. Mirrors `tf.experimental.numpy.zeros`."""
    return tf("zeros")(shape, as_dtype(numpy_dtype(dtype or float)))


@public
def ones(shape: Any, dtype: Any = float) -> Any:
    """Ones. Mirrors `tf.experimental.numpy.ones`."""
    return tf("ones")(shape, as_dtype(numpy_dtype(dtype or float)))


export_value(zeros, PREFIX + "empty")


@public
def zeros_like(a: Any, dtype: Any = None) -> Any:
    """Zeros in the shape of another array. Mirrors `tf.experimental.numpy.zeros_like`."""
    return tf("zeros_like")(cast_to(a, dtype))


@public
def ones_like(a: Any, dtype: Any = None) -> Any:
    """Ones in the shape of another array. Mirrors `tf.experimental.numpy.ones_like`."""
    return tf("ones_like")(cast_to(a, dtype))


export_value(zeros_like, PREFIX + "empty_like")


@public
def full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    """One value at each place. Mirrors `tf.experimental.numpy.full`."""
    return broadcast_to(cast_to(fill_value, dtype), shape)


@public
def full_like(
    a: Any, fill_value: Any, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None
) -> Any:
    """One value in the shape and the dtype of another array. Mirrors `tf.experimental.numpy.full_like`.

    Raises:
      ValueError: if `order` or `subok` are others than their defaults, or a shape is given.
    """
    if order != "K" or not subok or shape is not None:
        raise ValueError("Non-standard orders, subok=False and shape are not supported.")
    found = asarray(a)
    return tf("broadcast_to")(cast_to(fill_value, dtype or found.dtype), tf("shape")(found))


@public
def eye(N: Any, M: Any = None, k: int = 0, dtype: Any = float) -> Any:
    """Ones on a diagonal. Mirrors `tf.experimental.numpy.eye`."""
    return asarray(np.eye(int(N), None if M is None else int(M), int(k), numpy_dtype(dtype or float)))


@public
def identity(n: Any, dtype: Any = float) -> Any:
    """The identity matrix. Mirrors `tf.experimental.numpy.identity`."""
    return eye(n, dtype=dtype)


@public
def tri(N: Any, M: Any = None, k: int = 0, dtype: Any = None) -> Any:
    """Ones on and below a diagonal. Mirrors `tf.experimental.numpy.tri`.

    Raises:
      InvalidArgumentError: if a size is negative.
    """
    rows = number_of(N, "N")
    columns = rows if M is None else number_of(M, "M")
    if rows < 0 or columns < 0:
        raise misfit(f"tf.experimental.numpy.tri: sizes must not be negative, got N = {rows}, M = {columns}", "Fill")
    return asarray(np.tri(rows, columns, number_of(k, "k"), numpy_dtype(dtype or float)))


@public
def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Any:
    """Numbers from `start` to before `stop`. Mirrors `tf.experimental.numpy.arange`.

    Raises:
      ValueError: if `step` is 0.
    """
    if not isinstance(step, Tensor) and step == 0:
        raise ValueError("step must be non-zero")
    if stop is None:
        start, stop = 0, start
    kind = as_dtype(numpy_dtype(dtype)) if dtype is not None else result_type(start, stop, step)
    if all(isinstance(v, (int, float)) for v in (start, stop, step)) and (stop - start) * step < 0:
        return zeros([0], kind)
    values = [cast(v, kind) if isinstance(v, Tensor) else convert(v, kind) for v in (start, stop, step)]
    return tf("range")(*values)


def _spread(start: Any, stop: Any, num: Any, endpoint: bool, axis: int) -> tuple[Any, Any]:
    count = number_of(num, "num")
    if count < 0:
        raise ValueError(f"Argument `num` (number of samples) must be a non-negative integer. Received: num={num}")
    low, high = promoted(start, stop)
    if isinstance(start, (int, float)) and isinstance(stop, (int, float)):
        low, high = (cast_to(v, preferred(float)) for v in (low, high))
    elif not low.dtype.is_floating and not low.dtype.is_complex:
        low, high = (cast(v, as_dtype(default_float())) for v in (low, high))
    low, high = tf("broadcast_to")(low, tf("shape")(low + high)), tf("broadcast_to")(high, tf("shape")(low + high))
    parts = count - 1 if endpoint else count
    step = (high - low) / max(parts, 1)
    at = cast(tf("range")(count), low.dtype)
    rank = len(low.shape)
    place = axis + rank + 1 if axis < 0 else axis
    at = tf("reshape")(at, [count if i == place else 1 for i in range(rank + 1)])
    found = tf("expand_dims")(low, place) + at * tf("expand_dims")(step, place)
    found = tf("where")(tf("equal")(at, 0), tf("expand_dims")(low, place), found)  # also where the step is infinite
    if endpoint and count > 1:
        found = tf("where")(tf("equal")(at, count - 1), tf("expand_dims")(high, place), found)
    return found, step


@public
def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = float,
    axis: int = 0,
) -> Any:
    """Numbers at equal distances, whatever `dtype` is. Mirrors `tf.experimental.numpy.linspace`."""
    found, step = _spread(start, stop, num, endpoint, axis)
    return (found, step) if retstep else found


@public
def logspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, base: float = 10.0, dtype: Any = None, axis: int = 0
) -> Any:
    """Powers of `base` with exponents at equal distances, whatever `dtype` is. Mirrors `tf.experimental.numpy.logspace`."""
    found, _ = _spread(start, stop, num, endpoint, axis)
    return tf("pow")(convert(base, found.dtype), found)


@public
def geomspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0) -> Any:
    """Numbers at equal ratios. Mirrors `tf.experimental.numpy.geomspace`."""
    low, high = promoted(start, stop)
    if not low.dtype.is_floating and not low.dtype.is_complex:
        low, high = (cast(v, as_dtype(default_float())) for v in (low, high))
    both_negative = tf("logical_and")(low < 0, high < 0)
    sign = cast(tf("where")(both_negative, -1, 1), low.dtype)
    found, _ = _spread(tf("math.log")(low * sign), tf("math.log")(high * sign), num, endpoint, axis)
    return cast_to(tf("math.exp")(found) * sign, dtype)


@public
def diag(v: Any, k: int = 0) -> Any:
    """A diagonal of a matrix, or a matrix with this one. Mirrors `tf.experimental.numpy.diag`.

    Raises:
      ValueError: if `v` has neither one dimension nor two.
    """
    found = asarray(v)
    rank = len(found.shape)
    if rank not in (1, 2):
        raise ValueError(f"v must be 1-D or 2-D, got the shape {found.shape}")
    if rank == 2:
        return diagonal(found, k)
    return tf("linalg.diag")(found, k=k, padding_value=False if found.dtype is dtypes.bool_ else 0)


@public
def diagflat(v: Any, k: int = 0) -> Any:
    """A matrix with this diagonal. Mirrors `tf.experimental.numpy.diagflat`."""
    return diag(ravel(v), k)


@public
def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """A diagonal of the matrices along two dimensions. Mirrors `tf.experimental.numpy.diagonal`."""
    found = moveaxis(a, (axis1, axis2), (-2, -1))
    rows, columns = found.shape[-2:]
    count = max(min(rows + min(offset, 0), columns - max(offset, 0)), 0)
    if not count:
        return tf("zeros")([*found.shape[:-2], 0], found.dtype)
    padding = False if found.dtype is dtypes.bool_ else 0
    return tf("linalg.diag_part")(found, k=offset, padding_value=padding)


@public
def diag_indices(n: Any, ndim: int = 2) -> Any:
    """The places of the diagonal. Mirrors `tf.experimental.numpy.diag_indices`."""
    if n < 0 or ndim < 0:
        raise ValueError(f"n and ndim must be non-negative, got {n} and {ndim}")
    return (tf("range")(n),) * ndim


def _kept(m: Any, k: int, below: bool) -> Any:
    found = asarray(m)
    rows, columns = found.shape[-2:]
    mask = np.tri(rows, columns, k if below else k - 1, bool)
    return tf("where")(mask if below else ~mask, found, tf("zeros_like")(found))


@public
def tril(m: Any, k: int = 0) -> Any:
    """What is on and below a diagonal. Mirrors `tf.experimental.numpy.tril`."""
    return _kept(m, k, True)


@public
def triu(m: Any, k: int = 0) -> Any:
    """What is on and above a diagonal. Mirrors `tf.experimental.numpy.triu`."""
    return _kept(m, k, False)


@public
def vander(x: Any, N: Any = None, increasing: bool = False) -> Any:
    """Powers of the elements, in columns. Mirrors `tf.experimental.numpy.vander`."""
    found = asarray(x)
    count = found.shape[0] if N is None else int(N)
    if found.shape.rank != 1 or count < 0:
        raise ValueError(
            f"tf.experimental.numpy.vander: x must be a vector, N not negative: got {found.shape}, {count}"
        )
    powers = np.arange(count)
    return tf("pow")(found[:, None], cast(asarray(powers if increasing else powers[::-1].copy()), found.dtype))


@public
def meshgrid(*xi: Any, **kwargs: Any) -> Any:
    """Coordinates of a grid. Mirrors `tf.experimental.numpy.meshgrid`.

    Raises:
      ValueError: for an option that is not supported.
    """
    sparse, copied = kwargs.pop("sparse", False), kwargs.pop("copy", True)
    indexing = kwargs.pop("indexing", "xy")
    if sparse or not copied or kwargs:
        raise ValueError("meshgrid: sparse=True, copy=False and other options are not supported")
    vectors = [tf("reshape")(asarray(x), [-1]) for x in xi]
    order = list(range(len(vectors)))
    if indexing == "xy" and len(vectors) > 1:
        order[:2] = [1, 0]
    placed = [
        tf("reshape")(v, [-1 if order[j] == i else 1 for j in range(len(vectors))]) for i, v in enumerate(vectors)
    ]
    return broadcast_arrays(*placed)


@export(PREFIX + "ix_")
def ix_(*args: Any) -> Any:
    """Indices of a grid of rows and columns. Mirrors `tf.experimental.numpy.ix_`."""
    found = []
    for i, value in enumerate(args):
        vector = asarray(value)
        if len(vector.shape) != 1:
            raise ValueError(f"Arguments must be 1-d, got a tensor with shape {vector.shape}")
        if vector.dtype is dtypes.bool_:
            vector = tf("where")(vector)[:, 0]
        found.append(tf("reshape")(vector, [-1 if j == i else 1 for j in range(len(args))]))
    return found
