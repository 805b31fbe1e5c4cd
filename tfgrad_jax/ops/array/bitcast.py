"""The same bits as elements of another dtype."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfgrad_jax.engine.declare.op import MISSING, op
from tfgrad_jax.engine.declare.roles import DTypeArg, T
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.names.scopes import name_next
from tfgrad_jax.engine.values.dtypes import as_dtype, plain
from tfgrad_jax.engine.values.shapes import UNRANKED
from tfgrad_jax.engine.values.tensor import Spec, Tensor
from tfgrad_jax.ops.bits import same_bits
from tfgrad_jax.ops.common import operand


@op("Bitcast", gradient=MISSING)
def _bitcast(input: T, type: DTypeArg):
    ratio, rest = divmod(type.size, np.dtype(input.dtype).itemsize)
    if ratio > 1 and not rest and (not input.ndim or input.shape[-1] != ratio):
        raise invalid_argument(f"Cannot bitcast from {ratio} to {input.shape[-1] if input.ndim else 1}", "Bitcast")
    if not (jnp.iscomplexobj(input) or type.is_complex):
        return same_bits(input, type.np)
    if input.dtype == type.np:
        return input
    # XLA has no complex bits: they go through the bytes of their halves.
    halves = jnp.stack([input.real, input.imag], -1) if jnp.iscomplexobj(input) else input
    half = np.dtype(type.real_dtype.np)
    smaller = np.dtype(input.dtype).itemsize // type.size
    shape = input.shape[:-1] if ratio > 1 else (*input.shape, smaller) if smaller > 1 else input.shape
    parts = (*shape, 2) if type.is_complex else shape
    octets = same_bits(halves, jnp.uint8).reshape(*parts, half.itemsize)
    found = same_bits(octets if half.itemsize > 1 else octets.reshape(parts), half)
    return lax.complex(found[..., 0], found[..., 1]) if type.is_complex else found


@op("Bitcast/quantized", host=True, differentiable=False)
def _bitcast_quantized(input: T, type: DTypeArg):
    to = as_dtype(type.np[0]) if type.is_quantized else type
    return np.asarray(_bitcast.op.fn(plain(np.asarray(input)), to)).view(type.np)


@_bitcast_quantized.types
def _(input, type):
    shape = input.shape
    if shape is not UNRANKED and type.size != input.dtype.size:
        shape = shape[:-1] if type.size > input.dtype.size else (*shape, input.dtype.size // type.size)
    return Spec.of(type, shape)


@export("bitcast")
def bitcast(input: Any, type: Any, name: str | None = None) -> Tensor:
    """The same bytes as elements of another dtype; the last dimension takes up a difference in size. Mirrors `tf.bitcast`.

    Args:
      input: a tensor.
      type: the dtype of the result.
      name: accepted for compatibility.

    Raises:
      InvalidArgumentError: if the last dimension does not hold whole elements of a larger dtype.
    """
    tensor, wanted = operand(input), as_dtype(type)
    name_next(name)
    return (_bitcast_quantized if tensor.dtype.is_quantized or wanted.is_quantized else _bitcast)(tensor, wanted)
