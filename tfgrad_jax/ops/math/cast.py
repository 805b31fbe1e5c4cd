"""From one dtype to another."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfgrad_jax.engine.composite.indexed_slices import IndexedSlices
from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import DTypeArg, Own, T
from tfgrad_jax.engine.messages import logging
from tfgrad_jax.engine.messages.errors import unimplemented
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.names.scopes import name_next
from tfgrad_jax.engine.run.eager import executing_eagerly
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.dtypes import DType, as_dtype
from tfgrad_jax.engine.values.numbers import quantized
from tfgrad_jax.engine.values.tensor import Spec, Tensor
from tfgrad_jax.ops.common import operand


def wrapped(x: Any, to: Any) -> Any:
    """Floats as integers: out of range they wrap, where XLA would clip them."""
    if to == jnp.uint64:
        large = x >= 2.0**63
        return jnp.where(large, jnp.where(x < 2.0**64, x, 2.0**63).astype(to), wrapped(x, jnp.int64).astype(to))
    wide = jnp.dtype(jnp.int64 if to in (jnp.int64, jnp.uint32) else jnp.int32)
    limit = 2.0 ** (wide.itemsize * 8 - 1)
    fits = (x >= -limit) & (x < limit)
    return jnp.where(fits, jnp.where(fits, x, 0).astype(wide), jnp.iinfo(wide).min).astype(to)


@op("Cast")
def _cast(x: T, dtype: DTypeArg):
    to = dtype.np
    if jnp.iscomplexobj(x) and not dtype.is_complex:
        x = (x != 0) if dtype.is_bool else jnp.real(x)
    if jnp.issubdtype(x.dtype, jnp.floating) and dtype.is_integer:
        return wrapped(x.astype(jnp.promote_types(x.dtype, jnp.float32)), jnp.dtype(to))
    return x.astype(to)


@_cast.rule
def _(cts, inputs, outputs):
    return [jnp.real(cts[0]) if not jnp.iscomplexobj(inputs[0]) else cts[0]]


def _no_cast(given: DType, wanted: DType) -> Exception:
    return unimplemented(
        f"Cast {given.name} to {wanted.name} is not supported: tf.strings.to_number and tf.strings.as_string convert strings",
        "Cast",
    )


@op("Cast/string", host=True)
def _cast_when_run(x: Own, dtype: DTypeArg):
    """From or to strings, which graphs may hold as long as they do not run."""
    raise _no_cast(as_dtype(x.dtype) if x.dtype.kind != "O" else dtypes.string, dtype)


@_cast_when_run.types
def _(x, dtype):
    return Spec.open(dtype, x.tensor_shape)


@op("Cast/quantized", host=True)
def _cast_quantized(x: Own, dtype: DTypeArg):
    """From or to quantized numbers, by their integers."""
    x = dtypes.plain(np.asarray(x))
    if not dtype.is_quantized:
        return np.asarray(_cast.op.fn(x, dtype))
    return quantized(np.asarray(_cast.op.fn(x, as_dtype(dtype.np[0]))), dtype)


@_cast_quantized.types
def _(x, dtype):
    return Spec.open(dtype, x.tensor_shape)


@export("cast", "dtypes.cast")
def cast(x: Any, dtype: Any, name: str | None = None) -> Any:
    """`x` as another dtype. Mirrors `tf.cast`.

    Args:
      x: a tensor, or something that can become one, or `IndexedSlices`.
      dtype: the dtype of the result; where `x` has it already, `x` itself is returned.
      name: accepted for compatibility.

    Raises:
      TypeError: if `dtype` names no dtype.
      UnimplementedError: from or to strings; in a function, when that runs.
    """
    wanted = as_dtype(dtype)
    if isinstance(x, (Tensor, Variable)) and x.dtype is wanted:
        return x
    if isinstance(x, IndexedSlices):
        return IndexedSlices(cast(x.values, wanted), x.indices, x.dense_shape)
    tensor = operand(x)
    if tensor.dtype is wanted:
        return tensor
    if dtypes.string in (tensor.dtype, wanted):
        if executing_eagerly():
            raise _no_cast(tensor.dtype, wanted)
        return _cast_when_run(tensor, wanted)
    if tensor.dtype.is_quantized or wanted.is_quantized:
        name_next(name)
        return _cast_quantized(tensor, wanted)
    if tensor.dtype.is_complex and wanted.is_floating:
        logging.warn(
            "You are casting an input of type %s to an incompatible dtype %s.  This will discard the imaginary "
            "part and may not be what you intended.",
            tensor.dtype.name,
            wanted.name,
        )
    name_next(name)
    return _cast(tensor, wanted)


@op("dtypes.saturate_cast")
def _saturate(value: T, dtype: DTypeArg):
    return saturated(value, dtype)


def saturated(value: Any, dtype: DType) -> Any:
    """An array as another dtype; what lies outside of its limits, infinities too, becomes the limit."""
    if jnp.iscomplexobj(value):
        if dtype.is_complex:
            return lax.complex(*(saturated(part, dtype.real_dtype) for part in (jnp.real(value), jnp.imag(value))))
        value = jnp.real(value)
    source = dtypes.BY_NUMPY[value.dtype]
    low, high = (_limit(source, dtype.real_dtype, which) for which in ("min", "max"))
    value = jnp.where(value < low, low, jnp.where(value > high, high, value))
    return _cast.op.fn(value, dtype)


def _limit(source: DType, target: DType, which: str) -> Any:
    """The last number of `source` that `target` can hold too."""
    number = int if source.is_integer and target.is_integer else float
    limit = (min if which == "max" else max)(number(getattr(d, which)) for d in (source, target))
    with np.errstate(over="ignore"):  # beyond the largest there is infinity, whose neighbour is the largest
        rounded = np.asarray(limit).astype(source.np)
    exact = int if target.is_integer else float
    if source.is_floating and not exact(target.min) <= exact(rounded) <= exact(target.max):
        rounded = np.nextafter(rounded, np.zeros_like(rounded))
    return rounded


@export("saturate_cast", "dtypes.saturate_cast")
def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> Tensor:
    """`cast` that keeps to the limits of the dtype instead of wrapping. Mirrors `tf.saturate_cast`.

    Raises:
      TypeError: if a dtype has no limits.
    """
    tensor, wanted = operand(value), as_dtype(dtype)
    if tensor.dtype is wanted and wanted.is_integer:
        return tensor
    if tensor.dtype.is_complex and not wanted.is_complex:
        logging.warn("Casting complex to real discards imaginary part.")
    for d in (tensor.dtype, wanted):
        d.real_dtype.min  # noqa: B018 -- a TypeError for what has none
    return _saturate(tensor, wanted)
