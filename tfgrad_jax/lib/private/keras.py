"""Operations of XLA that the TensorFlow backend of Keras, and T5 in Transformers, import."""

from __future__ import annotations

import jax

from tfgrad_jax.engine.declare.op import MISSING, op
from tfgrad_jax.engine.declare.roles import Own, T
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.ops.common import Sizes


@op("XlaDynamicUpdateSlice", "compiler.tf2xla.python.xla.dynamic_update_slice")
def dynamic_update_slice(input: T, update: T, indices: Own, name=None):
    """`input` with a block replaced by `update`, as XLA does it: a block that would reach over an edge is moved inside.

    Args:
      input: a tensor of rank n.
      update: a tensor of rank n and of the input's dtype, no larger than it in any dimension.
      indices: where the block begins, integers of shape [n].

    Returns:
      A tensor like `input`.
    """
    return jax.lax.dynamic_update_slice(input, update, list(indices))


@op("XlaDynamicSlice", "compiler.tf2xla.python.xla.dynamic_slice", gradient=MISSING)
def dynamic_slice(input: T, start_indices: Own, size_indices: Sizes, name=None):
    """A block of `input`, as XLA takes it: one that would reach over an edge is moved inside.

    Args:
      input: a tensor of rank n.
      start_indices: where the block begins, integers of shape [n].
      size_indices: its sizes, n integers.

    Raises:
      InvalidArgumentError: if a size is negative, or larger than the input's.
    """
    for i, (n, most) in enumerate(zip(size_indices, input.shape, strict=True)):
        if not 0 <= n <= most:
            raise invalid_argument(f"size_indices[{i}] must be from 0 to {most}, not {n}", "XlaDynamicSlice")
    return jax.lax.dynamic_slice(input, list(start_indices), size_indices)
