"""`tf.compat.v1.metrics` of the `k` best predictions: recall, precision and average precision."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.composite.sparse.dense import to_dense
from tfgrad_jax.composite.sparse.sets import difference, intersection
from tfgrad_jax.composite.sparse.sets import size as set_size
from tfgrad_jax.composite.sparse_tensor import SparseTensor
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.names.scopes import name_scope
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.lib.v1.metric_parts import Metric, collected, metric_scope, spread, summed
from tfgrad_jax.ops.array.counting import top_k
from tfgrad_jax.ops.array.creation import ones_like
from tfgrad_jax.ops.array.shape import expand_dims
from tfgrad_jax.ops.common import sizes_of
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.compare import equal, logical_and, logical_not
from tfgrad_jax.ops.math.cumulative import cumsum
from tfgrad_jax.ops.math.math import divide, divide_no_nan
from tfgrad_jax.ops.math.reduce import reduce_any, reduce_sum
from tfgrad_jax.ops.math.rounding import minimum


def _named(what: str, k: int | None, class_id: Any = None) -> str:
    found = f"{what}_at_k" if k is None else f"{what}_at_{k}"
    return found if class_id is None else f"{found}_class{class_id}"


def _labels(labels: Any, predictions: Any) -> Any:
    """Labels of the rank of predictions, as integers of 64 bits."""
    if isinstance(labels, SparseTensor):
        return SparseTensor(labels.indices, cast(labels.values, dtypes.int64), labels.dense_shape)
    labels = cast(convert(labels), dtypes.int64)
    fewer = labels.shape.rank is not None and labels.shape.rank == predictions.shape.rank - 1
    return expand_dims(labels, -1) if fewer else labels


def _among(labels: Any) -> Any:
    """Labels in a dense tensor; -1, which no prediction is, fills rows up."""
    return to_dense(labels, -1) if isinstance(labels, SparseTensor) else labels


def _count(kind: str, labels: Any, predictions: Any, class_id: Any) -> Any:
    """For each row how many labels are predicted, are not, or how many predictions are no labels; of one class if one is named."""
    if class_id is None:
        found = {
            "true_positive": lambda: intersection(predictions, labels),
            "false_positive": lambda: difference(predictions, labels, aminusb=True),
            "false_negative": lambda: difference(predictions, labels, aminusb=False),
        }[kind]
        return cast(set_size(found()), dtypes.float64)
    said, is_so = (reduce_any(equal(one, class_id), -1) for one in (predictions, _among(labels)))
    said = said if kind != "false_negative" else logical_not(said)
    is_so = is_so if kind != "false_positive" else logical_not(is_so)
    return cast(logical_and(said, is_so), dtypes.float64)


def _counting(kind: str, k: int | None, labels: Any, predictions: Any, class_id: Any, weights: Any) -> tuple[Any, Any]:
    with name_scope(_named(kind, k, class_id)) as scope:
        found = _count(kind, labels, predictions, class_id)
        found = found if weights is None else found * spread(weights, found)
        count, more = summed(scope, found, dtype=dtypes.float64)
        return convert(count), convert(more)


def _share(what: str, other: str, labels: Any, best: Any, k: Any, class_id: Any, weights: Any, *rest: Any) -> Metric:
    metrics_collections, updates_collections, name = rest
    best = cast(convert(best), dtypes.int64)
    with metric_scope(f"{what}_at_top_k", name, _named(what, k, class_id), names_alone=True) as scope:
        labels = _labels(labels, best)
        right, more = _counting("true_positive", k, labels, best, class_id, weights)
        wrong, greater = _counting(other, k, labels, best, class_id, weights)
        value = divide(right, right + wrong, name=scope)
        return collected(value, divide(more, more + greater, name="update"), metrics_collections, updates_collections)


@export("compat.v1.metrics.recall_at_top_k")
def recall_at_top_k(
    labels: Any, predictions_idx: Any, k: int | None = None, class_id: Any = None, weights: Any = None,
    metrics_collections: Any = None, updates_collections: Any = None, name: str | None = None,
) -> Metric:  # fmt: skip
    """How many of the labels are among the best predictions. Mirrors `tf.compat.v1.metrics.recall_at_top_k`.

    Args:
      labels: integers, dense or sparse, several for each row.
      predictions_idx: the best classes of each row.
      k: how many these are, for names.
      class_id: the one class that counts; all where None.
      weights, metrics_collections, updates_collections, name: as `mean` takes them.
    """
    return _share(
        "recall", "false_negative", labels, predictions_idx, k, class_id, weights,
        metrics_collections, updates_collections, name,
    )  # fmt: skip


@export("compat.v1.metrics.precision_at_top_k")
def precision_at_top_k(
    labels: Any, predictions_idx: Any, k: int | None = None, class_id: Any = None, weights: Any = None,
    metrics_collections: Any = None, updates_collections: Any = None, name: str | None = None,
) -> Metric:  # fmt: skip
    """How many of the best predictions are labels. Mirrors `tf.compat.v1.metrics.precision_at_top_k`; see `recall_at_top_k`."""
    return _share(
        "precision", "false_positive", labels, predictions_idx, k, class_id, weights,
        metrics_collections, updates_collections, name,
    )  # fmt: skip


@export("compat.v1.metrics.recall_at_k")
def recall_at_k(
    labels: Any, predictions: Any, k: int, class_id: Any = None, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: str | None = None,
) -> Metric:  # fmt: skip
    """`recall_at_top_k` of the `k` greatest predictions. Mirrors `tf.compat.v1.metrics.recall_at_k`."""
    with metric_scope("recall_at_k", name, _named("recall", k, class_id), names_alone=True) as scope:
        best = top_k(convert(predictions), k)[1]
        return recall_at_top_k(labels, best, k, class_id, weights, metrics_collections, updates_collections, scope)


@export("compat.v1.metrics.precision_at_k")
def precision_at_k(
    labels: Any, predictions: Any, k: int, class_id: Any = None, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: str | None = None,
) -> Metric:  # fmt: skip
    """`precision_at_top_k` of the `k` greatest predictions. Mirrors `tf.compat.v1.metrics.precision_at_k`."""
    with metric_scope("precision_at_k", name, _named("precision", k, class_id), names_alone=True) as scope:
        best = top_k(convert(predictions), k)[1]
        return precision_at_top_k(labels, best, k, class_id, weights, metrics_collections, updates_collections, scope)


@export("compat.v1.metrics.sparse_precision_at_k")
def sparse_precision_at_k(
    labels: Any, predictions: Any, k: int, class_id: Any = None, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: str | None = None,
) -> Metric:  # fmt: skip
    """The older name of `precision_at_k`. Mirrors `tf.compat.v1.metrics.sparse_precision_at_k`."""
    return precision_at_k(labels, predictions, k, class_id, weights, metrics_collections, updates_collections, name)


@export("compat.v1.metrics.average_precision_at_k")
def average_precision_at_k(
    labels: Any, predictions: Any, k: int, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: str | None = None,
) -> Metric:  # fmt: skip
    """The precision of the first predictions up to each right one; the mean. Mirrors TensorFlow's function of that name.

    Raises:
      ValueError: if `k` is below 1.
    """
    if k < 1:
        raise ValueError(f"Invalid k={k}.")
    with metric_scope("average_precision_at_k", name, _named("average_precision", k), names_alone=True) as scope:
        best = cast(top_k(convert(predictions), k)[1], dtypes.int64)
        labels = _labels(labels, best)
        found = _average_precision(labels, best, k)
        counted = ones_like(found) if weights is None else spread(weights, found)
        with name_scope("max") as inner:
            count, greater = summed(inner, counted, dtype=dtypes.float64)
        with name_scope("total") as inner:
            total, more = summed(inner, found * counted, dtype=dtypes.float64)
        value, update = divide_no_nan(total, count, name="mean"), divide_no_nan(more, greater, name=scope)
        return collected(value, update, metrics_collections, updates_collections)


@export("compat.v1.metrics.sparse_average_precision_at_k")
def sparse_average_precision_at_k(
    labels: Any, predictions: Any, k: int, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: str | None = None,
) -> Metric:  # fmt: skip
    """The older name of `average_precision_at_k`. Mirrors `tf.compat.v1.metrics.sparse_average_precision_at_k`."""
    return average_precision_at_k(labels, predictions, k, weights, metrics_collections, updates_collections, name)


def _average_precision(labels: Any, best: Any, k: int) -> Any:
    """For each row the mean precision up to each right prediction."""
    dense = _among(labels)
    right: Any = cast(reduce_any(equal(expand_dims(best, -1), expand_dims(dense, -2)), -1), dtypes.float64)
    upto = divide(cumsum(right, -1), cumsum(ones_like(right), -1))
    there: Any = (
        cast(set_size(labels), dtypes.float64)
        if isinstance(labels, SparseTensor)
        else cast(sizes_of(dense)[-1], dtypes.float64)
    )
    return divide(reduce_sum(upto * right, -1), minimum(there, cast(k, dtypes.float64)))
