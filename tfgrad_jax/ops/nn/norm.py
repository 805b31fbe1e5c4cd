"""Statistics over dimensions, and normalisation by them."""

from __future__ import annotations

from numbers import Real
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Attr, Axis, Flag, Floating, Int, Key, Number, Own, Scalar, Truth, static
from tfgrad_jax.engine.graph.deferred import deferred
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.ops.common import wide
from tfgrad_jax.ops.math.reduce import reduce_mean

# -- moments ----------------------------------------------------------------------------------------------------------


def _axes(axes: Any, rank: int) -> tuple[int, ...]:
    if axes is None:
        return tuple(range(rank))
    found = axes if isinstance(axes, tuple) else (axes,)
    for axis in found:
        if not -rank <= axis < rank:
            raise invalid_argument(f"Invalid reduction dimension ({axis} for input with {rank} dimension(s))", "Mean")
    return tuple(a % rank for a in found)


@op("nn.moments")
def _moments(x: Number, axes: Axis, keepdims: Truth = False):
    axes = _axes(axes, x.ndim)
    y, average = wide(x), reduce_mean.op.fn
    mean = average(y, axes, keepdims=True)
    # The derivative of the variance through the mean is 0. TensorFlow stops it, which shows in second derivatives.
    off = y - lax.stop_gradient(mean)
    variance = average(jnp.conj(off) * off, axes, keepdims=True)
    if not keepdims:
        mean, variance = jnp.squeeze(mean, axes), jnp.squeeze(variance, axes)
    return mean.astype(x.dtype), variance.astype(x.dtype)


@export("nn.moments")
def moments(x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None) -> Any:
    """Mean and variance over the dimensions `axes`. Mirrors `tf.nn.moments`; `shift` is not used there either."""
    return _moments(x, axes, keepdims)


@op("nn.weighted_moments")
def _weighted_moments(x: Floating, frequency_weights: Floating, axes: Axis, keepdims: Truth = False):
    axes = _axes(axes, max(x.ndim, frequency_weights.ndim))
    y, w = wide(x), wide(frequency_weights)
    total = jnp.sum(jnp.broadcast_to(w, jnp.broadcast_shapes(y.shape, w.shape)), axes, keepdims=True)
    mean = jnp.sum(w * y, axes, keepdims=True) / total
    variance = jnp.sum(w * jnp.square(y - mean), axes, keepdims=True) / total
    if not keepdims:
        mean, variance = jnp.squeeze(mean, axes), jnp.squeeze(variance, axes)
    return mean.astype(x.dtype), variance.astype(x.dtype)


@export("nn.weighted_moments")
def weighted_moments(x: Any, axes: Any, frequency_weights: Any, keepdims: bool = False, name: str | None = None) -> Any:
    """Mean and variance over `axes`, each element counted with a weight. Mirrors `tf.nn.weighted_moments`."""
    x = convert(x)
    return _weighted_moments(x, convert(frequency_weights, x.dtype), axes, keepdims)


@op("nn.sufficient_statistics")
def _sufficient_statistics(x: Floating, shift: Floating = None, axes: Axis = None, keepdims: Truth = False):
    axes = _axes(axes, x.ndim)
    off = x if shift is None else x - shift
    return jnp.sum(off, axes, keepdims=keepdims), jnp.sum(off * off, axes, keepdims=keepdims)


@export("nn.sufficient_statistics")
@deferred()
def sufficient_statistics(x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None) -> Any:
    """The count, the sum and the sum of squares over `axes`, and the shift. Mirrors `tf.nn.sufficient_statistics`."""
    x = convert(x)
    wanted = _axes(static(axes), x.ndim)
    count = 1.0
    for axis in wanted:
        count *= x.spec.shape[axis]
    shift = None if shift is None else convert(shift, x.dtype)
    total, squares = _sufficient_statistics(x, shift, axes, keepdims)
    return convert(count, x.dtype), total, squares, shift


@op("nn.normalize_moments")
def _normalize_moments(counts: Floating, mean_ss: Floating, variance_ss: Floating, shift: Floating = None):
    off = mean_ss / counts
    mean = off if shift is None else off + shift
    return mean, variance_ss / counts - off * off


@export("nn.normalize_moments")
def normalize_moments(counts: Any, mean_ss: Any, variance_ss: Any, shift: Any, name: str | None = None) -> Any:
    """Mean and variance from sufficient statistics. Mirrors `tf.nn.normalize_moments`."""
    return _normalize_moments(counts, mean_ss, variance_ss, shift)


# -- batch normalisation ----------------------------------------------------------------------------------------------


@op("nn.batch_normalization")
def _batch_normalization(
    x: Floating,
    mean: Own,
    variance: Own,
    offset: Own = None,
    scale: Own = None,
    epsilon: Scalar = None,
    given: Own = None,
):
    factor = lax.rsqrt(variance + (epsilon if given is None else given).astype(variance.dtype))
    if scale is not None:
        factor = factor * scale
    shift = -mean * factor if offset is None else offset - mean * factor
    return x * factor.astype(x.dtype) + shift.astype(x.dtype)


@export("nn.batch_normalization")
def batch_normalization(
    x: Any, mean: Any, variance: Any, offset: Any, scale: Any, variance_epsilon: Any, name: str | None = None
) -> Any:
    """scale * (x - mean) / sqrt(variance + epsilon) + offset. Mirrors `tf.nn.batch_normalization`.

    Args:
      x: what to normalise.
      mean, variance: its statistics, of a shape that broadcasts.
      offset, scale: added and multiplied afterwards; either may be None.
      variance_epsilon: a small number that keeps the division from overflowing.
      name: accepted for compatibility.
    """
    if isinstance(variance_epsilon, (int, float)):
        return _batch_normalization(x, mean, variance, offset, scale, float(variance_epsilon))
    return _batch_normalization(x, mean, variance, offset, scale, given=variance_epsilon)


@export("nn.batch_norm_with_global_normalization")
def batch_norm_with_global_normalization(
    input: Any,
    mean: Any,
    variance: Any,
    beta: Any,
    gamma: Any,
    variance_epsilon: Any,
    scale_after_normalization: bool,
    name: str | None = None,
) -> Any:
    """`batch_normalization` under older names. Mirrors `tf.nn.batch_norm_with_global_normalization`."""
    return batch_normalization(
        input, mean, variance, beta, gamma if scale_after_normalization else None, variance_epsilon
    )


@op("FusedBatchNormV3")
def _fused_batch_norm(
    x: Floating,
    scale: Own,
    offset: Own,
    mean: Key = None,
    variance: Key = None,
    epsilon: Scalar = 0.001,
    factor: Scalar = None,
    channels_first: Flag = False,
    training: Flag = True,
):
    axes = tuple(i for i in range(x.ndim) if i != (1 if channels_first else x.ndim - 1))
    shape = [n if i not in axes else 1 for i, n in enumerate(x.shape)]
    y = x.astype(scale.dtype)
    if training:
        count = x.size // max(1, x.shape[1 if channels_first else -1])
        used_mean = jnp.mean(y, axes)
        used_variance = jnp.mean(jnp.square(y - used_mean.reshape(shape)), axes)
        # The returned statistics are estimates for all data, and no gradient flows to them.
        out_mean = lax.stop_gradient(used_mean)
        out_variance = lax.stop_gradient(used_variance) * (count / max(count - 1, 1))
        if factor is not None and mean is not None and variance is not None:
            old, new = (1 - factor).astype(mean.dtype), factor.astype(mean.dtype)
            out_mean = mean * old + out_mean * new
            out_variance = variance * old + out_variance * new
    else:
        used_mean, used_variance = mean, variance
        out_mean, out_variance = lax.stop_gradient(mean), lax.stop_gradient(variance)
    normal = (y - used_mean.reshape(shape)) * lax.rsqrt(
        used_variance.reshape(shape) + epsilon.astype(used_variance.dtype)
    )
    out = normal * scale.reshape(shape) + offset.reshape(shape)
    return out.astype(x.dtype), out_mean, out_variance


def moving_factor(value: Any) -> Any:
    """How much of a batch's statistics goes into the moving ones; None for all of it."""
    return None if isinstance(value, (int, float)) and value == 1 else value


@export("compat.v1.nn.fused_batch_norm")
def fused_batch_norm(
    x: Any,
    scale: Any,
    offset: Any,
    mean: Any = None,
    variance: Any = None,
    epsilon: float = 0.001,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
    exponential_avg_factor: float = 1.0,
) -> Any:
    """Batch normalisation of images together with its statistics. Mirrors `tf.compat.v1.nn.fused_batch_norm`.

    Raises:
      ValueError: if statistics are needed and not given.
    """
    if (not is_training or exponential_avg_factor != 1.0) and (mean is None or variance is None):
        raise ValueError(
            f"Both `mean` and `variance` must be given if `is_training` is {is_training}; got {mean}, {variance}"
        )
    first = data_format in ("NCHW", "NCDHW")
    if isinstance(epsilon, Real):
        epsilon = max(float(epsilon), 1.001e-5)
    return _fused_batch_norm(
        x, scale, offset, mean, variance, epsilon, moving_factor(exponential_avg_factor), first, is_training
    )


# -- across channels --------------------------------------------------------------------------------------------------


@op("LRN", "nn.local_response_normalization", "nn.lrn")
def local_response_normalization(
    input: Floating, depth_radius: Int = 5, bias: Scalar = 1, alpha: Scalar = 1, beta: Attr = 0.5
):
    """Each element, divided by a power of the squares around it along the channels."""
    if input.ndim != 4:
        raise invalid_argument("in must be 4-dimensional", "LRN")
    if not 0 <= depth_radius < 2**31:
        raise invalid_argument(f"depth_radius must be in [0, 2**31), got {depth_radius}", "LRN")
    channels = input.shape[-1]
    near = jnp.abs(jnp.arange(channels)[:, None] - jnp.arange(channels)) <= depth_radius
    around = jnp.dot(input * input, near.astype(input.dtype), precision=jax.lax.Precision.HIGHEST)
    return input * (bias.astype(input.dtype) + alpha.astype(input.dtype) * around) ** (-beta)
