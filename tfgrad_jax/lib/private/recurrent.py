"""`tensorflow.python.ops.rnn_cell_impl`: what DeepCTR's recurrent networks ask of it."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert, get_static_value
from tfgrad_jax.engine.values.shapes import TensorShape, as_shape
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.ops.array.array import concat
from tfgrad_jax.ops.array.shape import reshape


@export("python.ops.rnn_cell_impl._concat")
def joined_shape(prefix: Any, suffix: Any, static: bool = False) -> Any:
    """The shape of which one part comes before the other, as that of a state of a batch.

    Args:
      prefix, suffix: a size, several, or a shape; a tensor where they are not known before a function runs.
      static: whether a list of sizes is wanted instead of a tensor.

    Returns:
      A vector of dtype int32; or a list with None for sizes that are open, and None if not even their number is known.

    Raises:
      ValueError: if a tensor is wanted and sizes are open, or a tensor has a higher rank than 1.
    """
    parts = {"prefix": prefix, "suffix": suffix}
    for side, part in parts.items():
        if isinstance(part, Tensor) and part.shape.rank not in (None, 0, 1):
            raise ValueError(f"{side} tensor must be either a scalar or vector, but saw tensor: {part}")
    if static:
        known = [_known(part) for part in parts.values()]
        return None if None in [shape.rank for shape in known] else [n for shape in known for n in shape.as_list()]
    vectors = []
    for part in parts.values():
        if not isinstance(part, Tensor):
            shape = _known(part)
            if not shape.is_fully_defined():
                raise ValueError(f"Provided a prefix or suffix of None: {prefix} and {suffix}")
            part = convert(shape.as_list(), dtypes.int32)
        vectors.append(reshape(part, [-1]))
    return concat(vectors, 0)


def _known(part: Any) -> TensorShape:
    """What is known of a part before a function runs."""
    if isinstance(part, Tensor):
        part = get_static_value(part)
        part = None if part is None else part.tolist()
    return as_shape([part] if isinstance(part, int) else part)
