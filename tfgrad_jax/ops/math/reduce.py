"""Reductions: along one axis, several, or all."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import (
    Axis,
    Bool,
    DTypeArg,
    Floating,
    Inexact,
    Number,
    Operand,
    Own,
    Real,
    T,
    Truth,
    static,
)
from tfgrad_jax.engine.graph.deferred import deferred
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.names.scopes import name_next
from tfgrad_jax.engine.run.execute import misfit
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.shapes import UNRANKED
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.ops.common import listed, operand
from tfgrad_jax.ops.math.cast import wrapped
from tfgrad_jax.ops.math.compare import not_equal


def axes_of(x: Any, axis: Any, op: str) -> tuple[int, ...]:
    """The axes to reduce, counted from the front; all of them for None.

    Raises:
      InvalidArgumentError: if there is no such axis, or one is named twice.
    """
    rank = x.ndim
    if axis is None:
        return tuple(range(rank))
    found = []
    for a in axis if isinstance(axis, tuple) else (axis,):
        if not -rank <= a < rank:
            raise invalid_argument(
                f"Invalid reduction dimension ({a} for input with {rank} dimension(s)): expected axis in "
                f"[{-rank}, {rank})",
                op,
            )
        found.append(a % rank)
        if found.count(a % rank) > 1:
            raise invalid_argument(f"Invalid reduction arguments: Axes contains duplicate dimension: {a % rank}", op)
    return tuple(found)


def _spread(reduced: Any, x: Any, axes: tuple[int, ...]) -> Any:
    """Something of the shape of a result, with the reduced axes put back."""
    return reduced.reshape([1 if i in axes else n for i, n in enumerate(x.shape)])


@op("Sum", "reduce_sum", "math.reduce_sum")
def reduce_sum(input_tensor: Number, axis: Axis = None, keepdims: Truth = False):
    """Sum of the elements."""
    return jnp.sum(input_tensor, axes_of(input_tensor, axis, "Sum"), input_tensor.dtype, keepdims=keepdims)


@op("Mean", "reduce_mean", "math.reduce_mean")
def reduce_mean(input_tensor: Number, axis: Axis = None, keepdims: Truth = False):
    """Mean of the elements; that of integers is rounded towards zero, and 0 where there are none."""
    axes = axes_of(input_tensor, axis, "Mean")
    if jnp.issubdtype(input_tensor.dtype, jnp.integer):
        wide = (
            jnp.uint64 if jnp.issubdtype(input_tensor.dtype, jnp.unsignedinteger) else jnp.int64
        )  # small ones would wrap
        total = jnp.sum(input_tensor, axes, wide, keepdims=keepdims)
        count = np.prod([input_tensor.shape[a] for a in axes], dtype=int)
        return lax.div(total, jnp.full_like(total, max(count, 1))).astype(input_tensor.dtype)
    return jnp.mean(input_tensor, axes, keepdims=keepdims)


@op("Prod", "reduce_prod", "math.reduce_prod")
def reduce_prod(input_tensor: Number, axis: Axis = None, keepdims: Truth = False):
    """Product of the elements; its gradient is exact where some are 0."""
    return jnp.prod(input_tensor, axes_of(input_tensor, axis, "Prod"), input_tensor.dtype, keepdims=keepdims)


def _bound(dtype: Any, largest: bool) -> Any:
    """The start of a minimum (`largest`) or a maximum."""
    if jnp.issubdtype(dtype, jnp.integer):
        info = jnp.iinfo(dtype)
        return np.asarray(info.max if largest else info.min, dtype)  # as a Python integer, uint64's would be too large
    return jnp.inf if largest else -jnp.inf


@op("Max", "reduce_max", "math.reduce_max")
def reduce_max(input_tensor: Real, axis: Axis = None, keepdims: Truth = False):
    """The largest element; of equal ones each takes its share of the gradient."""
    start = _bound(input_tensor.dtype, False)
    return jnp.max(input_tensor, axes_of(input_tensor, axis, "Max"), keepdims=keepdims, initial=start)


@op("Min", "reduce_min", "math.reduce_min")
def reduce_min(input_tensor: Real, axis: Axis = None, keepdims: Truth = False):
    """The smallest element; of equal ones each takes its share of the gradient."""
    start = _bound(input_tensor.dtype, True)
    return jnp.min(input_tensor, axes_of(input_tensor, axis, "Min"), keepdims=keepdims, initial=start)


@reduce_max.rule
@reduce_min.rule
def _(cts, inputs, outputs, axis):
    x = inputs[0]
    axes = axes_of(x, axis, "Max")
    chosen = x == _spread(outputs[0], x, axes)
    number = jnp.sum(chosen, axes, x.dtype, keepdims=True)
    # NaN is no element's equal: then there are none to share, and nothing is known.
    return [jnp.where(chosen, _spread(cts[0], x, axes) / number, jnp.where(number == 0, jnp.nan, 0))]


@op("All", "reduce_all", "math.reduce_all", differentiable=False)
def reduce_all(input_tensor: Bool, axis: Axis = None, keepdims: Truth = False):
    """Whether all elements are true."""
    return jnp.all(input_tensor, axes_of(input_tensor, axis, "All"), keepdims=keepdims)


@op("Any", "reduce_any", "math.reduce_any", differentiable=False)
def reduce_any(input_tensor: Bool, axis: Axis = None, keepdims: Truth = False):
    """Whether any element is true."""
    return jnp.any(input_tensor, axes_of(input_tensor, axis, "Any"), keepdims=keepdims)


@op("math.reduce_logsumexp", "reduce_logsumexp", "math.reduce_logsumexp")
def reduce_logsumexp(input_tensor: Floating, axis: Axis = None, keepdims: Truth = False):
    """`log(sum(exp(x)))` without overflow."""
    axes = axes_of(input_tensor, axis, "Max")
    largest = jnp.max(input_tensor, axes, keepdims=True, initial=-jnp.inf)
    shift = lax.stop_gradient(jnp.where(jnp.isfinite(largest), largest, 0))
    result = jnp.log(jnp.sum(jnp.exp(input_tensor - shift), axes, keepdims=True)) + shift
    return result if keepdims else jnp.squeeze(result, axes)


# -- spread -----------------------------------------------------------------------------------------------------------


@op("math.reduce_variance")
def _variance(input_tensor: Inexact, axis: Axis = None, keepdims: Truth = False):
    axes = axes_of(input_tensor, axis, "Mean")
    difference = input_tensor - jnp.mean(input_tensor, axes, keepdims=True)
    return jnp.mean(jnp.real(difference * jnp.conj(difference)), axes, keepdims=keepdims)


@op("math.reduce_std")
def _std(input_tensor: Inexact, axis: Axis = None, keepdims: Truth = False):
    return jnp.sqrt(_variance.op.fn(input_tensor, axis, keepdims))


def _not_integer(value: Any) -> Tensor:
    tensor = operand(value)
    if tensor.dtype.is_integer:
        raise TypeError(
            f"Input must be either real or complex. Received integer type {tensor.dtype}; tf.cast it first."
        )
    return tensor


@export("math.reduce_variance")
def reduce_variance(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """Variance (of the population) of the elements. Mirrors `tf.math.reduce_variance`.

    Raises:
      TypeError: if the elements are integers.
    """
    return _variance(_not_integer(input_tensor), axis, keepdims)


@export("math.reduce_std")
def reduce_std(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """Standard deviation (of the population) of the elements. Mirrors `tf.math.reduce_std`.

    Raises:
      TypeError: if the elements are integers.
    """
    return _std(_not_integer(input_tensor), axis, keepdims)


@op("EuclideanNorm", "math.reduce_euclidean_norm")
def reduce_euclidean_norm(input_tensor: Number, axis: Axis = None, keepdims: Truth = False):
    """Square root of the sum of the squares; those of integers wrap."""
    axes = axes_of(input_tensor, axis, "EuclideanNorm")
    x = input_tensor
    squares = jnp.square(jnp.real(x)) + jnp.square(jnp.imag(x)) if jnp.iscomplexobj(x) else x * x
    total = jnp.sum(squares, axes, squares.dtype, keepdims=keepdims)
    if jnp.issubdtype(x.dtype, jnp.integer):
        return wrapped(jnp.sqrt(total.astype(jnp.float64)), x.dtype)
    return jnp.sqrt(total).astype(x.dtype)


@reduce_euclidean_norm.rule
def _(cts, inputs, outputs, axis):
    x = inputs[0]
    axes = axes_of(x, axis, "EuclideanNorm")
    return [x / (_spread(outputs[0], x, axes) / _spread(cts[0], x, axes))]


# -- counting and finding ---------------------------------------------------------------------------------------------


@op("math.count_nonzero", differentiable=False)
def _count_nonzero(input: T, axis: Axis = None, keepdims: Truth = False, dtype: DTypeArg = dtypes.int64):
    return jnp.sum(input != 0, axes_of(input, axis, "Sum"), dtype.np, keepdims=keepdims)


@export("math.count_nonzero")
def count_nonzero(
    input: Any, axis: Any = None, keepdims: Any = None, dtype: Any = dtypes.int64, name: str | None = None
) -> Tensor:
    """The number of elements that are not zero, or not the empty string. Mirrors `tf.math.count_nonzero`."""
    value = convert(input)
    if value.dtype is dtypes.string:
        value = not_equal(value, b"")
    return _count_nonzero(value, axis, keepdims, dtype)


def _position(value: Any, op: str) -> int:
    axis = static(value)
    if isinstance(axis, tuple) and isinstance(value, Tensor):
        raise misfit(f"dim must be a scalar, but received tensor of shape: {list(value.shape)}", op)
    if type(axis) is not int and axis is not None:
        raise TypeError(f"axis must be int or Tensor with integer datatype, got {value!r}")
    return axis or 0


Orderable: Any = Operand(Real.allowed | {dtypes.bool_})


def _arg(find: Any, x: Any, axis: int, output_type: Any, worst: Any, op: str) -> Any:
    if not -x.ndim <= axis < x.ndim:
        message = f"Expected dimension in the range [{-x.ndim}, {x.ndim}), but got {axis}"
        raise invalid_argument(message, op, when_run=x.ndim < 2)
    if x.shape[axis] == 0:
        raise invalid_argument(f"Reduction axis {axis} is empty in shape {listed(x.shape)}", op, when_run=True)
    if jnp.issubdtype(x.dtype, jnp.inexact):
        x = jnp.where(jnp.isnan(x), worst, x)
    return find(x, axis).astype(output_type.np)


@op("ArgMax", differentiable=False)
def _argmax(input: Orderable, axis: Axis = 0, output_type: DTypeArg = dtypes.int64):
    return _arg(jnp.argmax, input, axis, output_type, -jnp.inf, "ArgMax")


@op("ArgMin", differentiable=False)
def _argmin(input: Orderable, axis: Axis = 0, output_type: DTypeArg = dtypes.int64):
    return _arg(jnp.argmin, input, axis, output_type, jnp.inf, "ArgMin")


def _index_type(output_type: Any, also: tuple[Any, ...], op: str) -> Any:
    dtype = dtypes.int64 if output_type is None else dtypes.as_dtype(output_type)
    allowed = (*also, dtypes.int32, dtypes.int64)
    if dtype not in allowed:
        names = ", ".join(d.name for d in allowed)
        raise invalid_argument(
            f"Value for attr 'output_type' of {dtype.name} is not in the list of allowed values: {names}", op
        )
    return dtype


@export("argmax", "math.argmax")
@deferred(differentiable=False, ranks=True, name="ArgMax")
def argmax(input: Any, axis: Any = None, output_type: Any = dtypes.int64, name: str | None = None) -> Tensor:
    """Where along an axis (the first, unless given) the largest element is. Mirrors `tf.argmax`.

    Args:
      input: numbers or booleans; NaN is passed over.
      axis: an integer.
      output_type: the dtype of the answer, an integer type.
      name: accepted for compatibility.

    Raises:
      TypeError: if `axis` is no integer.
      InvalidArgumentError: if there is no such axis, or it is empty.
    """
    kind = _index_type(output_type, (dtypes.int16, dtypes.uint16), "ArgMax")
    name_next(name)
    return _argmax(input, _position(axis, "ArgMax"), kind)


@export("argmin", "math.argmin")
@deferred(differentiable=False, ranks=True, name="ArgMin")
def argmin(input: Any, axis: Any = None, output_type: Any = dtypes.int64, name: str | None = None) -> Tensor:
    """Where along an axis (the first, unless given) the smallest element is. Mirrors `tf.argmin`; see `argmax`."""
    if isinstance(axis, (list, tuple)):
        raise invalid_argument(f"dim must be a scalar, but received tensor of shape: [{len(axis)}]", "ArgMin")
    name_next(name)
    return _argmin(input, _position(axis, "ArgMin"), _index_type(output_type, (), "ArgMin"))


@argmax.open_shape
@argmin.open_shape
def _(input: Any, **_: Any) -> list[Any]:
    return [UNRANKED if input.shape is UNRANKED else (None,) * (len(input.shape) - 1)]


_Counted: Any = Operand(Number.allowed | {dtypes.bool_}, differentiable=False)


@op("math.zero_fraction", "math.zero_fraction", "nn.zero_fraction", differentiable=False, recorded=False)
def zero_fraction(value: _Counted):
    """The fraction of the elements that are zero, as a float32."""
    return jnp.mean(value == 0, dtype=jnp.float32)


@op("math.l2_normalize")
def _l2_normalize(x: Inexact, epsilon: Own, axis: Axis = None):
    axes = axes_of(x, axis, "Sum")
    squares = jnp.sum(jnp.real(x * jnp.conj(x)), axes, keepdims=True)
    return x * lax.rsqrt(jnp.where(squares < epsilon, epsilon, squares)).astype(x.dtype)  # NaN stays NaN


@export("math.l2_normalize", "nn.l2_normalize", "linalg.l2_normalize")
def l2_normalize(x: Any, axis: Any = None, epsilon: Any = 1e-12, name: str | None = None, dim: Any = None) -> Tensor:
    """`x`, scaled to a Euclidean norm of 1 along the axes. Mirrors `tf.math.l2_normalize`.

    Args:
      x: the numbers.
      axis: along which axes to norm; all of them where None.
      epsilon: the least sum of squares to divide by.
      name: accepted for compatibility.
      dim: an old name of `axis`.

    Raises:
      ValueError: if both `axis` and `dim` are given.
    """
    if dim is not None:
        if axis is not None:
            raise ValueError("Cannot specify both 'dim' and 'axis'.")
        axis = dim
    x = operand(x)
    return _l2_normalize(x, convert(epsilon, x.dtype.real_dtype), axis)
