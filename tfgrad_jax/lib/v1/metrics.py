"""`tf.compat.v1.metrics`: means of what batches give, in variables that a session keeps.

Each gives a pair: the value so far, and an operation that takes a batch into account. Its variables are local ones.
"""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.lib.v1.metric_parts import (
    Metric,
    collected,
    fitted,
    metric_scope,
    metric_variable,
    ratio,
    require_graph,
    spread,
    summed,
)
from tfgrad_jax.ops.array.counting import confusion_matrix
from tfgrad_jax.ops.array.creation import one_hot, ones_like, zeros_like
from tfgrad_jax.ops.array.gather import where
from tfgrad_jax.ops.array.shape import reshape
from tfgrad_jax.ops.array.sizes import size
from tfgrad_jax.ops.linalg.linalg import tensor_diag_part
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.compare import equal, greater, less, not_equal
from tfgrad_jax.ops.math.math import divide, divide_no_nan, subtract
from tfgrad_jax.ops.math.power import sqrt, square
from tfgrad_jax.ops.math.reduce import reduce_mean, reduce_sum
from tfgrad_jax.ops.math.rounding import abs as absolute


@export("compat.v1.metrics.mean")
def mean(
    values: Any, weights: Any = None, metrics_collections: Any = None, updates_collections: Any = None,
    name: str | None = None,
) -> Metric:  # fmt: skip
    """The weighted mean of all values so far. Mirrors `tf.compat.v1.metrics.mean`.

    Args:
      values: numbers.
      weights: what each counts; of the rank of `values` with each size 1 or its size, or one number.
      metrics_collections, updates_collections: keys of collections for the value and the update.
      name: of the scope.

    Raises:
      RuntimeError: where operations run at once.
      ValueError: if `weights` cannot be broadcast.
    """
    return _mean("mean", values, weights, metrics_collections, updates_collections, name)


def _mean(
    function: str, values: Any, weights: Any, metrics_collections: Any, updates_collections: Any, name: str | None
) -> Metric:
    with metric_scope(function, name, "mean"):
        values = cast(convert(values), dtypes.float32)
        if weights is None:
            counted: Any = cast(size(values), dtypes.float32)
        else:
            values, _, weights = fitted(values, None, weights)
            counted = spread(weights, values)
            values = values * counted
        total, more = summed("total", values)
        count, greater_count = summed("count", counted)
        return collected(
            ratio(total, count, "value"), ratio(more, greater_count, "update_op"),
            metrics_collections, updates_collections,
        )  # fmt: skip


@export("compat.v1.metrics.accuracy")
def accuracy(
    labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None, updates_collections: Any = None,
    name: str | None = None,
) -> Metric:  # fmt: skip
    """How often predictions are right. Mirrors `tf.compat.v1.metrics.accuracy`; see `mean`."""
    require_graph("accuracy")
    predictions, labels, weights = fitted(predictions, labels, weights)
    right = equal(cast(predictions, labels.dtype), labels)
    return _mean("accuracy", right, weights, metrics_collections, updates_collections, name or "accuracy")


@export("compat.v1.metrics.mean_absolute_error")
def mean_absolute_error(
    labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None, updates_collections: Any = None,
    name: str | None = None,
) -> Metric:  # fmt: skip
    """The mean of absolute differences. Mirrors `tf.compat.v1.metrics.mean_absolute_error`; see `mean`."""
    require_graph("mean_absolute_error")
    predictions, labels, weights = fitted(predictions, labels, weights)
    found = absolute(predictions - labels)
    return _mean(
        "mean_absolute_error", found, weights, metrics_collections, updates_collections, name or "mean_absolute_error"
    )


@export("compat.v1.metrics.mean_squared_error")
def mean_squared_error(
    labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None, updates_collections: Any = None,
    name: str | None = None,
) -> Metric:  # fmt: skip
    """The mean of squared differences. Mirrors `tf.compat.v1.metrics.mean_squared_error`; see `mean`."""
    require_graph("mean_squared_error")
    predictions, labels, weights = fitted(predictions, labels, weights)
    found = square(labels - predictions)
    return _mean(
        "mean_squared_error", found, weights, metrics_collections, updates_collections, name or "mean_squared_error"
    )


@export("compat.v1.metrics.root_mean_squared_error")
def root_mean_squared_error(
    labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None, updates_collections: Any = None,
    name: str | None = None,
) -> Metric:  # fmt: skip
    """The root of the mean of squared differences. Mirrors `tf.compat.v1.metrics.root_mean_squared_error`; see `mean`."""
    require_graph("root_mean_squared_error")
    value, update = mean_squared_error(labels, predictions, weights, None, None, name or "root_mean_squared_error")
    return collected(sqrt(value), sqrt(update), metrics_collections, updates_collections)


@export("compat.v1.metrics.mean_relative_error")
def mean_relative_error(
    labels: Any, predictions: Any, normalizer: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: str | None = None,
) -> Metric:  # fmt: skip
    """The mean of absolute differences by a normalizer, zero where that is. Mirrors TensorFlow's function of that name."""
    require_graph("mean_relative_error")
    predictions, labels, weights = fitted(predictions, labels, weights)
    predictions, normalizer, _ = fitted(predictions, normalizer)
    found = divide(absolute(labels - predictions), normalizer)
    found = where(equal(normalizer, 0.0), zeros_like(labels), found)
    return _mean(
        "mean_relative_error", found, weights, metrics_collections, updates_collections, name or "mean_relative_error"
    )


@export("compat.v1.metrics.mean_cosine_distance")
def mean_cosine_distance(
    labels: Any, predictions: Any, dim: int, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: str | None = None,
) -> Metric:  # fmt: skip
    """One minus the mean of products along a dimension, of vectors of norm 1. Mirrors TensorFlow's function of that name."""
    require_graph("mean_cosine_distance")
    predictions, labels, weights = fitted(predictions, labels, weights)
    products = reduce_sum(predictions * labels, [dim], keepdims=True)
    value, update = _mean("mean_cosine_distance", products, weights, None, None, name or "mean_cosine_distance")
    return collected(subtract(1.0, value), subtract(1.0, update), metrics_collections, updates_collections)


@export("compat.v1.metrics.percentage_below")
def percentage_below(
    values: Any, threshold: Any, weights: Any = None, metrics_collections: Any = None, updates_collections: Any = None,
    name: str | None = None,
) -> Metric:  # fmt: skip
    """Which part of the values is below a threshold. Mirrors `tf.compat.v1.metrics.percentage_below`; see `mean`."""
    require_graph("percentage_below")
    found = cast(less(values, threshold), dtypes.float32)
    name = name or "percentage_below_threshold"
    return _mean("percentage_below", found, weights, metrics_collections, updates_collections, name)


@export("compat.v1.metrics.mean_tensor")
def mean_tensor(
    values: Any, weights: Any = None, metrics_collections: Any = None, updates_collections: Any = None,
    name: str | None = None,
) -> Metric:  # fmt: skip
    """The mean of each element over batches. Mirrors `tf.compat.v1.metrics.mean_tensor`; see `mean`."""
    with metric_scope("mean_tensor", name, "mean"):
        values = cast(convert(values), dtypes.float32)
        total = metric_variable(values.shape, dtypes.float32, "total_tensor")
        count = metric_variable(values.shape, dtypes.float32, "count_tensor")
        counted = ones_like(values)
        if weights is not None:
            values, _, weights = fitted(values, None, weights)
            counted = spread(weights, values)
            values = values * counted
        more, greater_count = total.assign_add(values), count.assign_add(counted)
        return collected(
            ratio(total, count, "value"), ratio(more, greater_count, "update_op"),
            metrics_collections, updates_collections,
        )  # fmt: skip


@export("compat.v1.metrics.mean_iou")
def mean_iou(
    labels: Any, predictions: Any, num_classes: int, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: str | None = None,
) -> Metric:  # fmt: skip
    """For each class what is rightly said by all that is it or is said to be; the mean. Mirrors TensorFlow's function of that name.

    Args:
      labels, predictions: classes.
      num_classes: how many there are.
      weights, metrics_collections, updates_collections, name: as `mean` takes them; the update gives the confusion matrix.
    """
    with metric_scope("mean_iou", name, "mean_iou"):
        given = convert(predictions)
        given.shape.assert_is_compatible_with(convert(labels).shape)
        flat = [reshape(cast(convert(one), dtypes.int64), [-1]) for one in (labels, predictions)]
        weights = None if weights is None else reshape(convert(weights), [-1])
        matrix = metric_variable([num_classes, num_classes], dtypes.float64, "total_confusion_matrix")
        found = confusion_matrix(*flat, num_classes, weights=weights, dtype=dtypes.float64)
        update = matrix.assign_add(found)
        right = cast(tensor_diag_part(matrix), dtypes.float32)
        rows, columns = (cast(reduce_sum(matrix, axis), dtypes.float32) for axis in (0, 1))
        either = rows + columns - right
        present = reduce_sum(cast(not_equal(either, 0.0), dtypes.float32))
        shares = divide(right, where(greater(either, 0.0), either, ones_like(either)))
        value = where(greater(present, 0.0), divide_no_nan(reduce_sum(shares, name="mean_iou"), present), 0.0)
        return collected(value, convert(update), metrics_collections, updates_collections)


@export("compat.v1.metrics.mean_per_class_accuracy")
def mean_per_class_accuracy(
    labels: Any, predictions: Any, num_classes: int, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: str | None = None,
) -> Metric:  # fmt: skip
    """How often predictions are right in each class; the mean. Mirrors `tf.compat.v1.metrics.mean_per_class_accuracy`.

    The update gives a number for each class. See `mean_iou`.
    """
    with metric_scope("mean_per_class_accuracy", name, "mean_accuracy"):
        predictions, labels, weights = fitted(predictions, cast(convert(labels), dtypes.int64), weights)
        labels, predictions = reshape(labels, [-1]), reshape(cast(predictions, dtypes.int64), [-1])
        right = cast(equal(predictions, labels), dtypes.float32)
        counted: Any = ones_like(right)
        if weights is not None:
            counted = reshape(cast(weights, dtypes.float32), [-1]) * counted
            right = right * counted
        total = metric_variable([num_classes], dtypes.float32, "total")
        count = metric_variable([num_classes], dtypes.float32, "count")
        rows = one_hot(labels, num_classes)
        more = total.assign_add(reduce_sum(rows * counted[:, None], 0))
        greater_count = count.assign_add(reduce_sum(rows * right[:, None], 0))
        value = reduce_mean(ratio(count, total), name="mean_accuracy")
        return collected(value, ratio(greater_count, more, "update_op"), metrics_collections, updates_collections)
