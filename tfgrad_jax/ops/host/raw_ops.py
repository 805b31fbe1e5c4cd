"""`tf.raw_ops`: the operations that libraries call by their raw names, whose arguments are keywords only."""

from __future__ import annotations

import itertools
from collections import namedtuple
from typing import Any

import jax.numpy as jnp
import numpy as np

from tfgrad_jax.engine.declare.op import MISSING, op
from tfgrad_jax.engine.declare.roles import Attr, Operand
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.ops.array.creation import identity
from tfgrad_jax.ops.nn.norm import _fused_batch_norm, moving_factor

FusedBatchNormV2 = namedtuple(
    "FusedBatchNormV2", ["y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2"]
)


@export("raw_ops.FusedBatchNormV2")
def fused_batch_norm_v2(
    *,
    x: Any,
    scale: Any,
    offset: Any,
    mean: Any,
    variance: Any,
    epsilon: float = 0.0001,
    exponential_avg_factor: float = 1.0,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
) -> Any:
    """Batch normalization of images. Mirrors `tf.raw_ops.FusedBatchNormV2`.

    Args:
      x: images.
      scale, offset: what the normalized channels are multiplied by and shifted to.
      mean, variance: what to normalize by, unless `is_training`.
      epsilon: added to the variance.
      exponential_avg_factor: the weight of this batch in the statistics that are returned.
      data_format: `"NHWC"` or `"NCHW"`.
      is_training: whether to normalize by the statistics of this batch.

    Returns:
      The result, the statistics, and twice what a gradient operation would reuse: the statistics again.
    """
    first = data_format == "NCHW"
    y, m, v = _fused_batch_norm(
        x, scale, offset, mean, variance, epsilon, moving_factor(exponential_avg_factor), first, is_training
    )
    return FusedBatchNormV2(y, m, v, m, v)


@export("raw_ops.Identity")
def raw_identity(*, input: Any, name: str | None = None) -> Any:
    """The same value as a tensor of its own. Mirrors `tf.raw_ops.Identity`."""
    return identity(input, name)


_Sorted: Any = Operand(frozenset({dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64}))


@op("Bucketize", gradient=MISSING)
def _bucketize(input: _Sorted, boundaries: Attr):
    # Compared as C++ compares a number with a float32.
    kind = jnp.float64 if input.dtype == jnp.float64 else jnp.float32
    edges = np.asarray(boundaries, np.float32).astype(kind)
    return jnp.searchsorted(jnp.asarray(edges), input.astype(kind), side="right").astype(jnp.int32)


@export("raw_ops.Bucketize")
def bucketize(*, input: Any, boundaries: Any, name: str | None = None) -> Any:
    """The number of the bucket that each value lies in. Mirrors `tf.raw_ops.Bucketize`.

    Args:
      input: numbers.
      boundaries: a list of numbers that ascend; each belongs to the bucket that it begins.
      name: accepted for compatibility.

    Returns:
      Integers from 0 to the number of boundaries, as int32.

    Raises:
      TypeError: if `boundaries` is no list of numbers.
      InvalidArgumentError: if they do not ascend.
    """
    if not isinstance(boundaries, (list, tuple)):
        raise TypeError(f"Bucketize: Expected list for 'boundaries', not {boundaries!r}.")
    try:
        edges = tuple(float(edge) for edge in boundaries)
    except (TypeError, ValueError):
        raise TypeError(f"Bucketize: Expected floats for argument 'boundaries', not {boundaries!r}.") from None
    if any(a > b for a, b in itertools.pairwise(edges)):
        raise invalid_argument(f"Expected sorted boundaries, got {list(edges)}", "Bucketize")
    return _bucketize(input, edges)
