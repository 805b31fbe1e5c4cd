"""What the TensorFlow backend of Keras imports."""

from __future__ import annotations

import jax

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Own, T


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
