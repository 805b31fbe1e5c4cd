"""`tf.compat.v1.losses`: losses with weights, one number each, that functions collect while they are recorded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.eager import executing_eagerly
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.v1.collections import GraphKeys, add_to_collection, get_collection
from tfgrad_jax.ops.array.creation import ones_like, stop_gradient, zeros_like
from tfgrad_jax.ops.array.gather import where
from tfgrad_jax.ops.array.shape import expand_dims, squeeze
from tfgrad_jax.ops.array.sizes import size
from tfgrad_jax.ops.common import sizes_of
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.compare import not_equal
from tfgrad_jax.ops.math.elementary import log
from tfgrad_jax.ops.math.math import add_n, divide_no_nan
from tfgrad_jax.ops.math.power import square
from tfgrad_jax.ops.math.reduce import reduce_sum
from tfgrad_jax.ops.math.rounding import abs as absolute
from tfgrad_jax.ops.math.rounding import maximum, minimum
from tfgrad_jax.ops.nn.losses import (
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits,
)
from tfgrad_jax.ops.nn.nn import relu

_BY_NONZERO = "weighted_sum_by_nonzero_weights"


@export("compat.v1.losses.Reduction")
class Reduction:
    """How a loss becomes one number. Mirrors `tf.compat.v1.losses.Reduction`."""

    NONE = "none"
    SUM = "weighted_sum"
    MEAN = "weighted_mean"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    SUM_OVER_NONZERO_WEIGHTS = _BY_NONZERO
    SUM_BY_NONZERO_WEIGHTS = _BY_NONZERO

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """All of them, one under two names."""
        return (cls.NONE, cls.SUM, cls.MEAN, cls.SUM_OVER_BATCH_SIZE, _BY_NONZERO, _BY_NONZERO)

    @classmethod
    def validate(cls, key: Any) -> None:
        """Make sure that `key` is one of them.

        Raises:
          ValueError: if not.
        """
        if key not in cls.all():
            raise ValueError(f"Invalid Reduction Key {key}. Key should be one of {cls.all()}.")


@export("compat.v1.losses.compute_weighted_loss")
def compute_weighted_loss(
    losses: Any, weights: Any = 1.0, scope: str | None = None, loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _BY_NONZERO,
) -> Tensor:  # fmt: skip
    """Losses times weights, reduced. Mirrors `tf.compat.v1.losses.compute_weighted_loss`.

    Args:
      losses: a loss for each element.
      weights: a scalar, or of the rank of `losses` with each size 1 or its size.
      scope: unused.
      loss_collection: where the result is kept while a function is recorded; None for nowhere.
      reduction: one of `Reduction`.

    Raises:
      ValueError: for another reduction, or if `weights` cannot be broadcast.
    """
    Reduction.validate(reduction)
    losses = convert(losses)
    kind, losses, weights = losses.dtype, cast(losses, dtypes.float32), cast(convert(weights), dtypes.float32)
    _check_weights(weights, losses)
    loss = losses * weights
    if reduction != Reduction.NONE:
        loss = reduce_sum(loss)
        if reduction == Reduction.MEAN:
            loss = divide_no_nan(loss, reduce_sum(ones_like(losses) * weights))
        elif reduction == _BY_NONZERO:
            loss = divide_no_nan(loss, _present(losses, weights))
        elif reduction == Reduction.SUM_OVER_BATCH_SIZE:
            loss = divide_no_nan(loss, cast(size(losses), dtypes.float32))
    loss = cast(loss, kind)
    add_loss(loss, loss_collection)
    return loss


def _check_weights(weights: Tensor, values: Tensor) -> None:
    mine, theirs = weights.shape, values.shape
    if mine.rank in (0, None) or theirs.rank is None:
        return
    if mine.rank != theirs.rank or any(a not in (1, None) and b is not None and a != b for a, b in zip(mine, theirs)):
        raise ValueError(
            f"weights can not be broadcast to values. values.rank={theirs.rank}. weights.rank={mine.rank}. values.shape={theirs}. "
            f"weights.shape={mine}. Received weights={weights}, values={values}"
        )


def _present(losses: Any, weights: Any, axis: Any = None) -> Any:
    """How many losses have a weight other than zero: of all, or for each row."""
    counted = ones_like(losses) * cast(not_equal(weights, 0.0), dtypes.float32)
    return reduce_sum(counted, axis, keepdims=axis is not None)


@export("compat.v1.losses.add_loss")
def add_loss(loss: Any, loss_collection: str | None = GraphKeys.LOSSES) -> None:
    """Keep a loss while a function is recorded; eagerly nothing is kept. Mirrors `tf.compat.v1.losses.add_loss`."""
    if loss_collection and not executing_eagerly():
        add_to_collection(loss_collection, loss)


@export("compat.v1.losses.get_losses")
def get_losses(scope: str | None = None, loss_collection: str = GraphKeys.LOSSES) -> list[Any]:
    """The losses that were kept. Mirrors `tf.compat.v1.losses.get_losses`."""
    return get_collection(loss_collection, scope)


@export("compat.v1.losses.get_regularization_losses")
def get_regularization_losses(scope: str | None = None) -> list[Any]:
    """What regularizers of variables gave. Mirrors `tf.compat.v1.losses.get_regularization_losses`."""
    return get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)


@export("compat.v1.losses.get_regularization_loss")
def get_regularization_loss(scope: str | None = None, name: str = "total_regularization_loss") -> Tensor:
    """The sum of what regularizers gave; zero if there are none. Mirrors `tf.compat.v1.losses.get_regularization_loss`."""
    found = [convert(loss) for loss in get_regularization_losses(scope)]
    return add_n(found) if found else convert(0.0)


@export("compat.v1.losses.get_total_loss")
def get_total_loss(
    add_regularization_losses: bool = True, name: str = "total_loss", scope: str | None = None
) -> Tensor:
    """The sum of all losses that were kept. Mirrors `tf.compat.v1.losses.get_total_loss`.

    Raises:
      ValueError: if there are none.
    """
    found = get_losses(scope) + (get_regularization_losses(scope) if add_regularization_losses else [])
    return add_n([convert(loss) for loss in found])


def _required(**arguments: Any) -> None:
    for name, value in arguments.items():
        if value is None:
            raise ValueError(f"Argument `{name}` must not be None.")


def _pair(labels: Any, predictions: Any, name: str = "predictions") -> tuple[Any, Any]:
    """Labels and predictions as floats of one shape."""
    _required(labels=labels, **{name: predictions})
    theirs, mine = cast(convert(predictions), dtypes.float32), cast(convert(labels), dtypes.float32)
    theirs.shape.assert_is_compatible_with(mine.shape)
    return mine, theirs


@export("compat.v1.losses.absolute_difference")
def absolute_difference(
    labels: Any, predictions: Any, weights: Any = 1.0, scope: str | None = None, loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _BY_NONZERO,
) -> Tensor:  # fmt: skip
    """`|predictions - labels|`. Mirrors `tf.compat.v1.losses.absolute_difference`.

    Args:
      labels, predictions: of one shape.
      weights, scope, loss_collection, reduction: see `compute_weighted_loss`.

    Raises:
      ValueError: if shapes do not fit, or something is None.
    """
    _required(weights=weights)
    labels, predictions = _pair(labels, predictions)
    return compute_weighted_loss(absolute(predictions - labels), weights, scope, loss_collection, reduction)


@export("compat.v1.losses.mean_squared_error")
def mean_squared_error(
    labels: Any, predictions: Any, weights: Any = 1.0, scope: str | None = None, loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _BY_NONZERO,
) -> Tensor:  # fmt: skip
    """`(predictions - labels)**2`; see `absolute_difference`. Mirrors `tf.compat.v1.losses.mean_squared_error`."""
    _required(weights=weights)
    labels, predictions = _pair(labels, predictions)
    return compute_weighted_loss(square(predictions - labels), weights, scope, loss_collection, reduction)


@export("compat.v1.losses.cosine_distance")
def cosine_distance(
    labels: Any, predictions: Any, axis: Any = None, weights: Any = 1.0, scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES, reduction: str = _BY_NONZERO, dim: Any = None,
) -> Tensor:  # fmt: skip
    """One minus the inner product along `axis`; see `absolute_difference`. Mirrors `tf.compat.v1.losses.cosine_distance`.

    Raises:
      ValueError: if there is no axis, or it has both names.
    """
    if axis is not None and dim is not None:
        raise ValueError("Cannot specify both 'axis' and 'dim'")
    axis = dim if axis is None else axis
    if axis is None:
        raise ValueError("You must specify argument `axis`.")
    labels, predictions = _pair(labels, predictions)
    losses = 1 - reduce_sum(predictions * labels, axis=axis, keepdims=True)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export("compat.v1.losses.hinge_loss")
def hinge_loss(
    labels: Any, logits: Any, weights: Any = 1.0, scope: str | None = None, loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _BY_NONZERO,
) -> Tensor:  # fmt: skip
    """`max(0, 1 - (2 * labels - 1) * logits)`; see `absolute_difference`. Mirrors `tf.compat.v1.losses.hinge_loss`."""
    labels, logits = _pair(labels, logits, "logits")
    return compute_weighted_loss(relu(1.0 - (2.0 * labels - 1.0) * logits), weights, scope, loss_collection, reduction)


@export("compat.v1.losses.huber_loss")
def huber_loss(
    labels: Any, predictions: Any, weights: Any = 1.0, delta: Any = 1.0, scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES, reduction: str = _BY_NONZERO,
) -> Tensor:  # fmt: skip
    """Half the square of differences up to `delta`, linear beyond. Mirrors `tf.compat.v1.losses.huber_loss`."""
    labels, predictions = _pair(labels, predictions)
    difference = absolute(predictions - labels)
    inner = minimum(difference, delta)
    return compute_weighted_loss(
        0.5 * inner * inner + delta * (difference - inner), weights, scope, loss_collection, reduction
    )


@export("compat.v1.losses.log_loss")
def log_loss(
    labels: Any, predictions: Any, weights: Any = 1.0, epsilon: Any = 1e-7, scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES, reduction: str = _BY_NONZERO,
) -> Tensor:  # fmt: skip
    """The cross entropy of probabilities, which `epsilon` keeps from zero. Mirrors `tf.compat.v1.losses.log_loss`."""
    labels, predictions = _pair(labels, predictions)
    losses = -labels * log(predictions + epsilon) - (1 - labels) * log(1 - predictions + epsilon)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export("compat.v1.losses.mean_pairwise_squared_error")
def mean_pairwise_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
) -> Tensor:
    """The mean over pairs within each row of the squared difference between errors.

    Mirrors `tf.compat.v1.losses.mean_pairwise_squared_error`; see `absolute_difference`.
    """
    _required(weights=weights)
    labels, predictions = _pair(labels, predictions)
    weights = cast(convert(weights), dtypes.float32)
    differences = predictions - labels
    _check_weights(weights, differences)
    axes = list(range(1, differences.shape.rank))
    counts: Any = _present(differences, weights, axes)
    if executing_eagerly() and weights.shape.rank == 0 and weights != 0.0:
        counts = cast(
            size(differences), dtypes.float32
        )  # of all rows: eagerly TensorFlow counts so, in functions it does not
    squares = reduce_sum(square(differences), axes, keepdims=True)
    sums = reduce_sum(differences, axes, keepdims=True)
    first: Any = divide_no_nan(squares, maximum(counts - 1, 0.0))
    second: Any = divide_no_nan(square(sums), maximum(counts * (counts - 1), 0.0))
    total = reduce_sum((2.0 * first - 2.0 * second) * weights)
    loss = where(reduce_sum(counts) > 0, total, zeros_like(total))
    add_loss(loss, loss_collection)
    return loss


@export("compat.v1.losses.sigmoid_cross_entropy")
def sigmoid_cross_entropy(
    multi_class_labels: Any, logits: Any, weights: Any = 1.0, label_smoothing: Any = 0, scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES, reduction: str = _BY_NONZERO,
) -> Tensor:  # fmt: skip
    """The cross entropy of each class by itself. Mirrors `tf.compat.v1.losses.sigmoid_cross_entropy`.

    Args:
      multi_class_labels: zeros and ones.
      logits: of the same shape.
      label_smoothing: how far labels move towards one half.
      weights, scope, loss_collection, reduction: see `compute_weighted_loss`.
    """
    return _entropy(
        multi_class_labels, logits, "multi_class_labels", label_smoothing, lambda logits: 0.5,
        lambda labels, logits: sigmoid_cross_entropy_with_logits(labels=labels, logits=logits), weights, scope, loss_collection,
        reduction,
    )  # fmt: skip


@export("compat.v1.losses.softmax_cross_entropy")
def softmax_cross_entropy(
    onehot_labels: Any, logits: Any, weights: Any = 1.0, label_smoothing: Any = 0, scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES, reduction: str = _BY_NONZERO,
) -> Tensor:  # fmt: skip
    """The cross entropy of one class out of many. Mirrors `tf.compat.v1.losses.softmax_cross_entropy`.

    Args:
      onehot_labels: probabilities; no gradient goes to them.
      logits: of the same shape.
      label_smoothing: how far labels move towards all classes being alike.
      weights, scope, loss_collection, reduction: see `compute_weighted_loss`.
    """
    return _entropy(
        onehot_labels, logits, "onehot_labels", label_smoothing, lambda logits: 1.0 / cast(sizes_of(logits)[1], logits.dtype),
        lambda labels, logits: softmax_cross_entropy_with_logits(stop_gradient(labels), logits), weights, scope, loss_collection,
        reduction,
    )  # fmt: skip


def _entropy(
    labels: Any, logits: Any, name: str, smoothing: Any, uniform: Callable[[Tensor], Any], loss: Callable[[Tensor, Tensor], Tensor],
    weights: Any, scope: str | None, loss_collection: str | None, reduction: str,
) -> Tensor:  # fmt: skip
    _required(**{name: labels, "logits": logits})
    logits = convert(logits)
    labels = cast(convert(labels), logits.dtype)
    logits.shape.assert_is_compatible_with(labels.shape)
    if smoothing > 0:
        labels = labels * (1 - smoothing) + smoothing * uniform(logits)
    return compute_weighted_loss(loss(labels, logits), weights, scope, loss_collection, reduction)


@export("compat.v1.losses.sparse_softmax_cross_entropy")
def sparse_softmax_cross_entropy(
    labels: Any, logits: Any, weights: Any = 1.0, scope: str | None = None, loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _BY_NONZERO,
) -> Tensor:  # fmt: skip
    """The cross entropy of classes given as numbers. Mirrors `tf.compat.v1.losses.sparse_softmax_cross_entropy`.

    Args:
      labels: numbers of classes; a last dimension of size 1 is dropped.
      logits: a dimension more than `labels`.
      weights, scope, loss_collection, reduction: see `compute_weighted_loss`.
    """
    _required(labels=labels, logits=logits)
    labels, logits, weights = convert(labels), convert(logits), convert(weights)
    if labels.shape.rank is not None and labels.shape.rank == logits.shape.rank:
        labels = squeeze(labels, [-1])
    rank = labels.shape.rank
    if rank is not None and weights.shape.rank:
        if weights.shape.rank == rank + 1:
            weights = squeeze(weights, [-1])
        elif weights.shape.rank == rank - 1:
            weights = expand_dims(weights, -1)
    losses = sparse_softmax_cross_entropy_with_logits(labels, logits)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)
