"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
def accuracy(labels: _Any, predictions: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: _Any = None) -> _Any:
    """How often predictions are right. Mirrors `tf.compat.v1.metrics.accuracy`; see `mean`."""
def auc(labels: _Any, predictions: _Any, weights: _Any = None, num_thresholds: _Any = 200, metrics_collections: _Any = None, updates_collections: _Any = None, curve: _Any = 'ROC', name: _Any = None, summation_method: _Any = 'trapezoidal', thresholds: _Any = None) -> _Any:
    """The area below a curve, by sums over thresholds. Mirrors `tf.compat.v1.metrics.auc`."""
def average_precision_at_k(labels: _Any, predictions: _Any, k: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: _Any = None) -> _Any:
    """The precision of the first predictions up to each right one; the mean. Mirrors TensorFlow's function of that name."""
def false_negatives(labels: _Any, predictions: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: _Any = None) -> _Any:
    """The weighted number of false negatives. Mirrors `tf.compat.v1.metrics.false_negatives`; see `mean`."""
def false_negatives_at_thresholds(labels: _Any, predictions: _Any, thresholds: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: _Any = None) -> _Any:
    """The weighted number of false negatives for each threshold. Mirrors `tf.compat.v1.metrics.false_negatives_at_thresholds`; see `mean`."""
def false_positives(labels: _Any, predictions: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: _Any = None) -> _Any:
    """The weighted number of false positives. Mirrors `tf.compat.v1.metrics.false_positives`; see `mean`."""
def false_positives_at_thresholds(labels: _Any, predictions: _Any, thresholds: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: _Any = None) -> _Any:
    """The weighted number of false positives for each threshold. Mirrors `tf.compat.v1.metrics.false_positives_at_thresholds`; see `mean`."""
def mean(values: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: _Any = None) -> _Any:
    """The weighted mean of all values so far. Mirrors `tf.compat.v1.metrics.mean`."""
def mean_absolute_error(labels: _Any, predictions: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: _Any = None) -> _Any:
    """The mean of absolute differences. Mirrors `tf.compat.v1.metrics.mean_absolute_error`; see `mean`."""
def mean_cosine_distance(labels: _Any, predictions: _Any, dim: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: _Any = None) -> _Any:
    """One minus the mean of products along a dimension, of vectors of norm 1. Mirrors TensorFlow's function of that name."""
def mean_iou(labels: _Any, predictions: _Any, num_classes: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: _Any = None) -> _Any:
    """For each class what is rightly said by all that is it or is said to be; the mean. Mirrors TensorFlow's function of that name."""
def mean_per_class_accuracy(labels: _Any, predictions: _Any, num_classes: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: _Any = None) -> _Any:
    """How often predictions are right in each class; the mean. Mirrors `tf.compat.v1.metrics.mean_per_class_accuracy`."""
def mean_relative_error(labels: _Any, predictions: _Any, normalizer: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: _Any = None) -> _Any:
    """The mean of absolute differences by a normalizer, zero where that is. Mirrors TensorFlow's function of that name."""
def mean_squared_error(labels: _Any, predictions: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: _Any = None) -> _Any:
    """The mean of squared differences. Mirrors `tf.compat.v1.metrics.mean_squared_error`; see `mean`."""
def mean_tensor(values: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: _Any = None) -> _Any:
    """The mean of each element over batches. Mirrors `tf.compat.v1.metrics.mean_tensor`; see `mean`."""
def percentage_below(values: _Any, threshold: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: _Any = None) -> _Any:
    """Which part of the values is below a threshold. Mirrors `tf.compat.v1.metrics.percentage_below`; see `mean`."""
def precision(labels: _Any, predictions: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: _Any = None) -> _Any:
    """The share of true positives among these and false positives. Mirrors `tf.compat.v1.metrics.precision`; see `mean`."""
def precision_at_k(labels: _Any, predictions: _Any, k: _Any, class_id: _Any = None, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: _Any = None) -> _Any:
    """`precision_at_top_k` of the `k` greatest predictions. Mirrors `tf.compat.v1.metrics.precision_at_k`."""
def precision_at_thresholds(labels: _Any, predictions: _Any, thresholds: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: _Any = None) -> _Any:
    """Precision for each threshold. Mirrors TensorFlow's; see `mean`."""
def precision_at_top_k(labels: _Any, predictions_idx: _Any, k: _Any = None, class_id: _Any = None, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: _Any = None) -> _Any:
    """How many of the best predictions are labels. Mirrors `tf.compat.v1.metrics.precision_at_top_k`; see `recall_at_top_k`."""
def recall(labels: _Any, predictions: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: _Any = None) -> _Any:
    """The share of true positives among these and false negatives. Mirrors `tf.compat.v1.metrics.recall`; see `mean`."""
def recall_at_k(labels: _Any, predictions: _Any, k: _Any, class_id: _Any = None, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: _Any = None) -> _Any:
    """`recall_at_top_k` of the `k` greatest predictions. Mirrors `tf.compat.v1.metrics.recall_at_k`."""
def recall_at_thresholds(labels: _Any, predictions: _Any, thresholds: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: _Any = None) -> _Any:
    """Recall for each threshold. Mirrors TensorFlow's; see `mean`."""
def recall_at_top_k(labels: _Any, predictions_idx: _Any, k: _Any = None, class_id: _Any = None, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: _Any = None) -> _Any:
    """How many of the labels are among the best predictions. Mirrors `tf.compat.v1.metrics.recall_at_top_k`."""
def root_mean_squared_error(labels: _Any, predictions: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: _Any = None) -> _Any:
    """The root of the mean of squared differences. Mirrors `tf.compat.v1.metrics.root_mean_squared_error`; see `mean`."""
def sensitivity_at_specificity(labels: _Any, predictions: _Any, specificity: _Any, weights: _Any = None, num_thresholds: _Any = 200, metrics_collections: _Any = None, updates_collections: _Any = None, name: _Any = None) -> _Any:
    """How much of the positive is found where the specificity is nearest to a number. Mirrors TensorFlow's function of that name."""
def sparse_average_precision_at_k(labels: _Any, predictions: _Any, k: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: _Any = None) -> _Any:
    """The older name of `average_precision_at_k`. Mirrors `tf.compat.v1.metrics.sparse_average_precision_at_k`."""
def sparse_precision_at_k(labels: _Any, predictions: _Any, k: _Any, class_id: _Any = None, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: _Any = None) -> _Any:
    """The older name of `precision_at_k`. Mirrors `tf.compat.v1.metrics.sparse_precision_at_k`."""
def specificity_at_sensitivity(labels: _Any, predictions: _Any, sensitivity: _Any, weights: _Any = None, num_thresholds: _Any = 200, metrics_collections: _Any = None, updates_collections: _Any = None, name: _Any = None) -> _Any:
    """How much of the negative is left out where the sensitivity is nearest to a number. See `sensitivity_at_specificity`."""
def true_negatives(labels: _Any, predictions: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: _Any = None) -> _Any:
    """The weighted number of true negatives. Mirrors `tf.compat.v1.metrics.true_negatives`; see `mean`."""
def true_negatives_at_thresholds(labels: _Any, predictions: _Any, thresholds: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: _Any = None) -> _Any:
    """The weighted number of true negatives for each threshold. Mirrors `tf.compat.v1.metrics.true_negatives_at_thresholds`; see `mean`."""
def true_positives(labels: _Any, predictions: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: _Any = None) -> _Any:
    """The weighted number of true positives. Mirrors `tf.compat.v1.metrics.true_positives`; see `mean`."""
def true_positives_at_thresholds(labels: _Any, predictions: _Any, thresholds: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: _Any = None) -> _Any:
    """The weighted number of true positives for each threshold. Mirrors `tf.compat.v1.metrics.true_positives_at_thresholds`; see `mean`."""
