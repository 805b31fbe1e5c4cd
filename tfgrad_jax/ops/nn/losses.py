"""Losses: one value an example. Their gradients are written out, from logits and labels alone."""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp

from tfgrad_jax.engine.declare.check import Typed
from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Attr, Axis, Flag, Floating, Operand
from tfgrad_jax.engine.graph.deferred import deferred
from tfgrad_jax.engine.hooks import replicas_in_sync
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert, convert_to_tensor
from tfgrad_jax.ops.checks import all_below, first_wrong
from tfgrad_jax.ops.common import listed, number_of
from tfgrad_jax.ops.math.cast import cast

_Labels: Any = Operand(frozenset({dtypes.int32, dtypes.int64}), shared=False, dtype=dtypes.int32, differentiable=False)


@op("L2Loss", "nn.l2_loss")
def l2_loss(t: Floating):
    """Half the sum of the squares."""
    return jnp.sum(t * t) / 2


# -- softmax ----------------------------------------------------------------------------------------------------------


@op("SparseSoftmaxCrossEntropyWithLogits")
def _sparse_cross_entropy(features: Floating, labels: _Labels):
    shifted, total = _shifted(features, -1)
    picked = jnp.take_along_axis(shifted, labels[..., None], -1, mode="fill", fill_value=jnp.nan)[..., 0]
    # A negative index counts from the end in JAX.
    return jnp.where(labels < 0, jnp.nan, jnp.log(total[..., 0]) - picked).astype(features.dtype)


def _shifted(features: Any, axis: int) -> tuple[Any, Any]:
    """Logits less the largest of them, and the sum of their exponentials.

    Written as `jax.nn.softmax` has them, so that the gradients' are the same to XLA: a step of training computes them once. As in
    TensorFlow, an infinite logit gives NaN.
    """
    shifted = features - jnp.max(features, axis, keepdims=True, initial=-jnp.inf)
    return shifted, jnp.sum(jnp.exp(shifted), axis, keepdims=True)


@_sparse_cross_entropy.check
def _(features: Typed, labels):
    classes = features.shape[-1]
    if all_below(labels, classes):
        return None

    def error(place: tuple[int, ...], value: list[int]) -> Exception:
        return _no_such_class(value[0], classes, f"at {list(place)}")

    return first_wrong((labels < 0) | (labels >= classes), labels, error)


def _no_such_class(label: Any, classes: int, where: str) -> Exception:
    return invalid_argument(
        f"Received a label value of {label} which is outside the valid range of [0, {classes}): {where}",
        "SparseSoftmaxCrossEntropyWithLogits",
    )


@_sparse_cross_entropy.rule
def _(cts, inputs, outputs):
    features, labels = inputs
    hit = labels[..., None] == jnp.arange(features.shape[-1])
    slope = jax.nn.softmax(features, -1) - hit
    valid = (labels >= 0) & (labels < features.shape[-1])
    return [jnp.where(valid, cts[0], jnp.nan)[..., None].astype(features.dtype) * slope, None]


@export("nn.sparse_softmax_cross_entropy_with_logits")
@deferred(ranks=True)
def sparse_softmax_cross_entropy_with_logits(labels: Any, logits: Any, name: str | None = None) -> Any:
    """Cross entropy of the softmax of `logits` for the classes `labels`.

    Mirrors `tf.nn.sparse_softmax_cross_entropy_with_logits`. A label out of range is refused where the labels lie in
    host memory, and gives NaN otherwise, as TensorFlow does on an accelerator.

    Args:
      labels: int32 or int64, of the shape of `logits` without its last dimension.
      logits: unnormalised log-probabilities.
      name: accepted for compatibility.

    Raises:
      ValueError: if the shapes do not belong together.
      InvalidArgumentError: if a label is out of range.
    """
    labels, logits = convert(labels), convert(logits)
    given = logits.dtype
    if given is dtypes.float16:  # and not bfloat16, in TensorFlow
        logits = cast(logits, dtypes.float32)
    shape, classes = labels.spec.shape, logits.spec.shape
    if not classes:
        raise ValueError(f"`logits` cannot be a scalar. Received logits={logits}")
    if len(shape) != len(classes) - 1:
        raise ValueError(
            f"`labels.shape.rank` must equal `logits.shape.rank - 1`. Received: labels.shape={labels.shape} of rank "
            f"{len(shape)} and logits.shape={logits.shape} of rank {len(classes)}. Labels are numbers of classes; "
            f"tf.nn.softmax_cross_entropy_with_logits takes one-hot ones."
        )
    if shape != classes[:-1] and not labels.shape.is_compatible_with(classes[:-1]):
        raise ValueError(
            "`labels.shape` must equal `logits.shape` except for the last dimension. Received: "
            f"labels.shape={labels.shape} "
            f"and logits.shape={logits.shape}"
        )
    loss = _sparse_cross_entropy(logits, labels)
    return loss if loss.dtype is given else cast(loss, given)


@op("SoftmaxCrossEntropyWithLogits")
def _cross_entropy(features: Floating, labels: Floating, axis: Axis = -1):
    rank = max(features.ndim, labels.ndim)
    if not -rank <= axis < rank:
        raise invalid_argument(
            f"axis {axis} is out of range for logits of rank {rank}", "SoftmaxCrossEntropyWithLogits"
        )
    try:
        features, labels = jnp.broadcast_arrays(features, labels)
    except ValueError:
        raise invalid_argument(
            f"logits and labels must be broadcastable: logits_size={listed(features.shape)} "
            f"labels_size={listed(labels.shape)}",
            "SoftmaxCrossEntropyWithLogits",
        ) from None
    shifted, total = _shifted(features, axis)
    return jnp.sum(labels * (jnp.log(total) - shifted), axis)


@_cross_entropy.rule
def _(cts, inputs, outputs, axis):
    features, labels = inputs
    ct = jnp.expand_dims(cts[0], axis)
    # TensorFlow counts on labels that sum to one here, and to its second derivatives they are constants.
    labels = jax.lax.stop_gradient(labels)
    return [ct * (jax.nn.softmax(features, axis) - labels), -ct * jax.nn.log_softmax(features, axis)]


@export("nn.softmax_cross_entropy_with_logits")
def softmax_cross_entropy_with_logits(labels: Any, logits: Any, axis: int = -1, name: str | None = None) -> Any:
    """Cross entropy of the softmax of `logits` for the probabilities `labels`.

    Mirrors `tf.nn.softmax_cross_entropy_with_logits`; gradients flow to both. Labels take the dtype of the logits, and
    a loss of 16-bit logits is computed in float32.

    Raises:
      InvalidArgumentError: if the shapes do not fit.
    """
    logits = convert(logits)
    given = logits.dtype
    if given in (dtypes.float16, dtypes.bfloat16):
        logits = cast(logits, dtypes.float32)
    loss = _cross_entropy(logits, cast(convert(labels), logits.dtype), axis)
    return loss if loss.dtype is given else cast(loss, given)


# -- sigmoid ----------------------------------------------------------------------------------------------------------


@op("nn.sigmoid_cross_entropy_with_logits")
def _sigmoid_cross_entropy(labels: Floating, logits: Floating):
    return jnp.maximum(logits, 0) - logits * labels + jnp.log1p(jnp.exp(-jnp.abs(logits)))


@_sigmoid_cross_entropy.rule
def _(cts, inputs, outputs):
    labels, logits = inputs
    return [-cts[0] * logits, cts[0] * (jax.nn.sigmoid(logits) - labels)]


def _both(labels: Any, logits: Any, name: str) -> tuple[Any, Any]:
    """The two arguments as tensors of one shape."""
    if labels is None or logits is None:
        raise ValueError(
            f"Both `labels` and `logits` must be provided for {name}Received: labels={labels} and logits={logits}"
        )
    logits = convert(logits)
    labels = convert_to_tensor(labels, dtype_hint=logits.dtype)
    if not labels.shape.is_compatible_with(logits.shape):
        raise ValueError(
            f"`logits` and `labels` must have the same shape, received ({logits.shape} vs {labels.shape})."
        )
    return labels, logits


@export("nn.sigmoid_cross_entropy_with_logits")
def sigmoid_cross_entropy_with_logits(labels: Any = None, logits: Any = None, name: str | None = None) -> Any:
    """Cross entropy of independent classes, elementwise. Mirrors `tf.nn.sigmoid_cross_entropy_with_logits`.

    Raises:
      ValueError: if the shapes differ, or an argument is missing.
    """
    return _sigmoid_cross_entropy(*_both(labels, logits, "sigmoid_cross_entropy_with_logits"))


@op("nn.weighted_cross_entropy_with_logits")
def _weighted_cross_entropy(labels: Floating, logits: Floating, pos_weight: Floating):
    weight = 1 + (pos_weight - 1) * labels
    size = logits * jnp.sign(logits)  # its derivative at 0 is 0, that of JAX's abs is 1
    return (1 - labels) * logits + weight * (jnp.log1p(jnp.exp(-size)) + jax.nn.relu(-logits))


@export("nn.weighted_cross_entropy_with_logits")
def weighted_cross_entropy_with_logits(labels: Any, logits: Any, pos_weight: Any, name: str | None = None) -> Any:
    """`sigmoid_cross_entropy_with_logits` with positive examples weighted. Mirrors its namesake in `tf.nn`.

    Raises:
      ValueError: if the shapes differ.
    """
    return _weighted_cross_entropy(*_both(labels, logits, "weighted_cross_entropy_with_logits"), pos_weight)


# -- others -----------------------------------------------------------------------------------------------------------


@op("nn.log_poisson_loss")
def _log_poisson_loss(targets: Floating, log_input: Floating, compute_full_loss: Flag = False):
    loss = jnp.exp(log_input) - log_input * targets
    if compute_full_loss:
        # Stirling's approximation of log(targets!), which counts for targets above 1.
        rest = targets * jnp.log(targets) - targets + 0.5 * jnp.log(2 * math.pi * targets)
        loss = loss + jnp.where((targets >= 0) & (targets <= 1), 0, rest)
    return loss


@export("nn.log_poisson_loss")
def log_poisson_loss(targets: Any, log_input: Any, compute_full_loss: bool = False, name: str | None = None) -> Any:
    """The negative log-likelihood of counts, without a constant by default. Mirrors `tf.nn.log_poisson_loss`.

    Raises:
      ValueError: if the shapes differ.
    """
    log_input = convert(log_input)
    targets = convert_to_tensor(targets, dtype_hint=log_input.dtype)
    if not targets.shape.is_compatible_with(log_input.shape):
        raise ValueError(
            f"`log_input` and `targets` must have the same shape, received ({log_input.shape} vs {targets.shape})."
        )
    return _log_poisson_loss(targets, log_input, compute_full_loss)


@op("nn.scale_regularization_loss")
def _scaled_loss(regularization_loss: Floating, replicas: Attr = 1):
    return jnp.sum(regularization_loss) / replicas


@export("nn.scale_regularization_loss")
def scale_regularization_loss(regularization_loss: Any) -> Any:
    """The sum of the losses, divided among replicas. Mirrors `tf.nn.scale_regularization_loss`.

    Raises:
      RuntimeError: where replicas are looked at together.
    """
    return _scaled_loss(regularization_loss, _replicas("scale_regularization_loss"))


def _replicas(asking: str) -> int:
    return replicas_in_sync(asking) if replicas_in_sync.filled else 1


@op("nn.compute_average_loss")
def _average_loss(per_example_loss: Floating, sample_weight: Floating = None, batch: Attr = None, replicas: Attr = 1):
    if sample_weight is not None:
        shape = sample_weight.shape + (1,) * (per_example_loss.ndim - sample_weight.ndim)
        per_example_loss = per_example_loss * sample_weight.reshape(shape)
    return jnp.sum(per_example_loss) / (per_example_loss.shape[0] * replicas if batch is None else batch)


@export("nn.compute_average_loss")
def compute_average_loss(per_example_loss: Any, sample_weight: Any = None, global_batch_size: Any = None) -> Any:
    """The sum of weighted losses over the size of the batch of all replicas. Mirrors `tf.nn.compute_average_loss`.

    Raises:
      ValueError: if there is no batch dimension, or `global_batch_size` is negative.
      RuntimeError: where replicas are looked at together, if there is no `global_batch_size`.
    """
    loss = convert(per_example_loss)
    if loss.shape.rank == 0 and global_batch_size is None:
        raise ValueError("tf.nn.compute_average_loss: per_example_loss is a scalar; pass global_batch_size")
    if global_batch_size is not None:
        global_batch_size = number_of(global_batch_size, "global_batch_size")
        if global_batch_size < 0:
            raise ValueError(f"global_batch_size must be non-negative, got {global_batch_size}")
    if sample_weight is not None:
        sample_weight = cast(convert(sample_weight), loss.dtype)
    replicas = _replicas("compute_average_loss") if global_batch_size is None else 1
    return _average_loss(loss, sample_weight, global_batch_size, replicas)
