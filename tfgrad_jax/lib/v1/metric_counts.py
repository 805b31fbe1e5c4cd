"""`tf.compat.v1.metrics` that count what is rightly and wrongly said: precision, recall, and at thresholds."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

from tfgrad_jax.engine.names.export import export, export_value
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.lib.v1.metric_parts import Metric, collected, fitted, metric_scope, ratio, spread, summed
from tfgrad_jax.ops.array.creation import identity, ones_like
from tfgrad_jax.ops.array.gather import where
from tfgrad_jax.ops.array.shape import reshape
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.compare import equal, greater, logical_and, logical_not
from tfgrad_jax.ops.math.cumulative import cumsum
from tfgrad_jax.ops.math.elementary import log
from tfgrad_jax.ops.math.math import divide, divide_no_nan
from tfgrad_jax.ops.math.reduce import argmax, argmin, reduce_min, reduce_sum
from tfgrad_jax.ops.math.rounding import abs as absolute
from tfgrad_jax.ops.math.rounding import maximum, minimum

_KINDS = {"true_positives": (True, True), "false_negatives": (True, False),
          "true_negatives": (False, False), "false_positives": (False, True)}  # fmt: skip
"""What is counted: whether the label is positive, and whether the prediction is."""

_EPSILON = 1e-7


def _counted(kind: str, labels: Any, predictions: Any, weights: Any, rest: Sequence[Any]) -> Metric:
    """How many elements are of a kind; `rest` are collections and the name."""
    metrics_collections, updates_collections, name = rest
    with metric_scope(kind, name, kind):
        predictions, labels, weights = fitted(
            cast(convert(predictions), dtypes.bool_), cast(convert(labels), dtypes.bool_), weights
        )
        label, prediction = _KINDS[kind]
        found = cast(logical_and(equal(labels, label), equal(predictions, prediction)), dtypes.float32)
        found = found if weights is None else found * spread(weights, found)
        count, more = summed("count", found)
        return collected(identity(count), convert(more), metrics_collections, updates_collections)


def _count(kind: str) -> None:
    def metric(
        labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
        updates_collections: Any = None, name: str | None = None,
    ) -> Metric:  # fmt: skip
        return _counted(kind, labels, predictions, weights, (metrics_collections, updates_collections, name))

    metric.__name__ = metric.__qualname__ = kind
    metric.__doc__ = (
        f"The weighted number of {kind.replace('_', ' ')}. Mirrors `tf.compat.v1.metrics.{kind}`; see `mean`."
    )
    export_value(metric, f"compat.v1.metrics.{kind}")


def _by_kinds(function: str, share_of: str) -> None:
    def metric(
        labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
        updates_collections: Any = None, name: str | None = None,
    ) -> Metric:  # fmt: skip
        with metric_scope(function, name, function):
            predictions, labels, weights = fitted(
                cast(convert(predictions), dtypes.bool_), cast(convert(labels), dtypes.bool_), weights
            )
            right, righter = _counted("true_positives", labels, predictions, weights, (None, None, None))
            other, others = _counted(share_of, labels, predictions, weights, (None, None, None))
            value, update = ratio(right, right + other, "value"), ratio(righter, righter + others, "update_op")
            return collected(value, update, metrics_collections, updates_collections)

    metric.__name__ = metric.__qualname__ = function
    metric.__doc__ = (
        f"The share of true positives among these and {share_of.replace('_', ' ')}. Mirrors "
        f"`tf.compat.v1.metrics.{function}`; see `mean`."
    )
    export_value(metric, f"compat.v1.metrics.{function}")


for _kind in _KINDS:
    _count(_kind)
_by_kinds("precision", "false_positives")
_by_kinds("recall", "false_negatives")


def _at_thresholds(
    labels: Any, predictions: Any, thresholds: Sequence[float], weights: Any, kinds: Sequence[str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """How many elements are of each kind for each threshold above which predictions are positive: variables, and updates."""
    predictions, labels, weights = fitted(
        cast(convert(predictions), dtypes.float32), cast(convert(labels), dtypes.bool_), weights
    )
    positive = reshape(predictions, [1, -1]) > reshape(convert(list(thresholds), dtypes.float32), [-1, 1])
    actual = reshape(labels, [1, -1])
    counted = None if weights is None else reshape(spread(weights, predictions), [1, -1])
    values, updates = {}, {}
    for kind in kinds:
        label, prediction = _KINDS[kind]
        found: Any = cast(
            logical_and(actual if label else logical_not(actual), positive if prediction else logical_not(positive)),
            dtypes.float32,
        )
        found = found if counted is None else found * counted
        values[kind], updates[kind] = summed(kind, found, [len(thresholds)], axis=1)
    return values, updates


def _count_at_thresholds(kind: str) -> None:
    def metric(
        labels: Any, predictions: Any, thresholds: Any, weights: Any = None, metrics_collections: Any = None,
        updates_collections: Any = None, name: str | None = None,
    ) -> Metric:  # fmt: skip
        with metric_scope(f"{kind}_at_thresholds", name, kind):
            values, updates = _at_thresholds(labels, predictions, thresholds, weights, [kind])
            return collected(identity(values[kind]), convert(updates[kind]), metrics_collections, updates_collections)

    metric.__name__ = metric.__qualname__ = f"{kind}_at_thresholds"
    metric.__doc__ = (
        f"The weighted number of {kind.replace('_', ' ')} for each threshold. Mirrors "
        f"`tf.compat.v1.metrics.{kind}_at_thresholds`; see `mean`."
    )
    export_value(metric, f"compat.v1.metrics.{kind}_at_thresholds")


def _share_at_thresholds(function: str, share_of: str) -> None:
    def metric(
        labels: Any, predictions: Any, thresholds: Any, weights: Any = None, metrics_collections: Any = None,
        updates_collections: Any = None, name: str | None = None,
    ) -> Metric:  # fmt: skip
        def share(counts: dict[str, Any], what: str) -> Any:
            right: Any = convert(counts["true_positives"])
            return divide(right, _EPSILON + right + counts[share_of], name=f"{function}_{what}")

        with metric_scope(f"{function}_at_thresholds", name, f"{function}_at_thresholds"):
            values, updates = _at_thresholds(labels, predictions, thresholds, weights, ["true_positives", share_of])
            return collected(
                share(values, "value"), share(updates, "update_op"), metrics_collections, updates_collections
            )

    metric.__name__ = metric.__qualname__ = f"{function}_at_thresholds"
    metric.__doc__ = f"{function.capitalize()} for each threshold. Mirrors TensorFlow's; see `mean`."
    export_value(metric, f"compat.v1.metrics.{function}_at_thresholds")


for _kind in _KINDS:
    _count_at_thresholds(_kind)
_share_at_thresholds("precision", "false_positives")
_share_at_thresholds("recall", "false_negatives")


def _even_thresholds(count: int) -> list[float]:
    """So many thresholds at even distances, the first below zero and the last above one."""
    return [-_EPSILON, *((i + 1) / (count - 1) for i in range(count - 2)), 1.0 + _EPSILON]


def _all_of(counts: dict[str, Any]) -> Any:
    """The counts of the four kinds as tensors."""
    return [convert(counts[kind]) for kind in _ALL]


_ALL = ["true_positives", "false_negatives", "true_negatives", "false_positives"]


@export("compat.v1.metrics.auc")
def auc(
    labels: Any, predictions: Any, weights: Any = None, num_thresholds: int = 200, metrics_collections: Any = None,
    updates_collections: Any = None, curve: str = "ROC", name: str | None = None, summation_method: str = "trapezoidal",
    thresholds: Any = None,
) -> Metric:  # fmt: skip
    """The area below a curve, by sums over thresholds. Mirrors `tf.compat.v1.metrics.auc`.

    Args:
      labels: what is true or not.
      predictions: between 0 and 1.
      weights, metrics_collections, updates_collections, name: as `mean` takes them.
      num_thresholds: how many there are, at even distances.
      curve: "ROC" or "PR".
      summation_method: "trapezoidal", "minoring", "majoring", or "careful_interpolation", which is for "PR".
      thresholds: those between 0 and 1, in place of even ones.

    Raises:
      ValueError: for another curve or method.
    """
    with metric_scope("auc", name, "auc"):
        if curve not in ("ROC", "PR"):
            raise ValueError(f"curve must be either ROC or PR, {curve} unknown")
        if summation_method not in ("trapezoidal", "minoring", "majoring", "careful_interpolation"):
            raise ValueError(f"Invalid summation_method: {summation_method}")
        if curve == "PR" and summation_method != "careful_interpolation":
            warnings.warn(
                "tf.compat.v1.metrics.auc: trapezoids are known to be wrong for the curve PR; take careful_interpolation",
                stacklevel=2,
            )
        limits = (
            _even_thresholds(num_thresholds) if thresholds is None else [-_EPSILON, *sorted(thresholds), 1.0 + _EPSILON]
        )
        values, updates = _at_thresholds(labels, predictions, limits, weights, _ALL)
        method = "trapezoidal" if curve == "ROC" and summation_method == "careful_interpolation" else summation_method
        area = _interpolated if method == "careful_interpolation" else _summed_area(curve, method)
        return collected(area(values, "value"), area(updates, "update_op"), metrics_collections, updates_collections)


def _summed_area(curve: str, method: str) -> Callable[[dict[str, Any], str], Any]:
    heights: Any = {"trapezoidal": lambda a, b: (a + b) / 2.0, "minoring": minimum, "majoring": maximum}[method]
    little = 1e-6

    def area(counts: dict[str, Any], name: str) -> Any:
        tp, fn, tn, fp = _all_of(counts)
        recall = divide(tp + little, tp + fn + little)
        curves: Any = (
            (divide(fp, fp + tn + little), recall)
            if curve == "ROC"
            else (recall, divide(tp + little, tp + fp + little))
        )
        x, y = curves
        return reduce_sum((x[:-1] - x[1:]) * heights(y[:-1], y[1:]), name=name)

    return area


def _interpolated(counts: dict[str, Any], name: str) -> Any:
    """The area below the curve PR, where true positives and all positives are straight lines between thresholds."""
    tp, fn, _, fp = _all_of(counts)
    steps: Any = tp[:-1] - tp[1:]
    positives: Any = tp + fp
    slope: Any = ratio(steps, positives[:-1] - positives[1:])
    start = tp[1:] - slope * positives[1:]
    both = logical_and(greater(positives[:-1], 0.0), greater(positives[1:], 0.0))
    shares = where(both, ratio(positives[:-1], positives[1:]), ones_like(positives[1:]))
    return reduce_sum(
        divide_no_nan(slope * (steps + start * log(shares)), maximum(tp[1:] + fn[1:], 0.0)), name="interpolate_pr_auc"
    )


def _at_other(function: str, first: str, second: str, choose: Callable[[Any], Any], parameter: str) -> Any:
    """One share at the threshold where another one is nearest to a number."""

    def metric(
        labels: Any, predictions: Any, number: float, weights: Any, num_thresholds: int, metrics_collections: Any,
        updates_collections: Any, name: str | None,
    ) -> Metric:  # fmt: skip
        def found(counts: dict[str, Any], what: str) -> Any:
            tp, fn, tn, fp = _all_of(counts)
            shares = {"sensitivity": (tp, fn), "specificity": (tn, fp)}
            of, rest = shares[second]
            share: Any = divide(of, of + rest + _EPSILON)
            place = choose(absolute(share - number))
            of, rest = shares[first]
            return divide(of[place], of[place] + rest[place] + _EPSILON, name=what)

        if not 0 <= number <= 1:
            raise ValueError(f"`{parameter}` must be in the range [0, 1]. Currently, `{parameter}` is {number}.")
        with metric_scope(function, name, function):
            values, updates = _at_thresholds(labels, predictions, _even_thresholds(num_thresholds), weights, _ALL)
            return collected(
                found(values, "value"), found(updates, "update_op"), metrics_collections, updates_collections
            )

    return metric


def _last_least(distances: Any) -> Any:
    least = cast(equal(distances, reduce_min(distances)), dtypes.int64)
    return argmax(cumsum(least), 0)


_sensitivity = _at_other(
    "sensitivity_at_specificity", "sensitivity", "specificity", lambda distances: argmin(distances, 0), "specificity"
)
_specificity = _at_other("specificity_at_sensitivity", "specificity", "sensitivity", _last_least, "sensitivity")


@export("compat.v1.metrics.sensitivity_at_specificity")
def sensitivity_at_specificity(
    labels: Any, predictions: Any, specificity: float, weights: Any = None, num_thresholds: int = 200,
    metrics_collections: Any = None, updates_collections: Any = None, name: str | None = None,
) -> Metric:  # fmt: skip
    """How much of the positive is found where the specificity is nearest to a number. Mirrors TensorFlow's function of that name.

    Raises:
      ValueError: if that is not between 0 and 1.
    """
    return _sensitivity(
        labels, predictions, specificity, weights, num_thresholds, metrics_collections, updates_collections, name
    )


@export("compat.v1.metrics.specificity_at_sensitivity")
def specificity_at_sensitivity(
    labels: Any, predictions: Any, sensitivity: float, weights: Any = None, num_thresholds: int = 200,
    metrics_collections: Any = None, updates_collections: Any = None, name: str | None = None,
) -> Metric:  # fmt: skip
    """How much of the negative is left out where the sensitivity is nearest to a number. See `sensitivity_at_specificity`.

    Raises:
      ValueError: if that is not between 0 and 1.
    """
    return _specificity(
        labels, predictions, sensitivity, weights, num_thresholds, metrics_collections, updates_collections, name
    )
