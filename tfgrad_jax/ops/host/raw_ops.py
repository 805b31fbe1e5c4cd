"""`tf.raw_ops`: the operations that libraries call by their raw names, whose arguments are keywords only."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from tfgrad_jax.engine.names.export import export
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
