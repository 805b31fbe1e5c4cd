"""Metrics of version 1: a value and its update, in local variables. The numbers are those that TensorFlow 2.21 gives."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

v1 = tf.compat.v1
metrics = v1.metrics

LABELS, PREDICTIONS, SCORES, WEIGHTS = [1, 0, 1, 1], [1, 1, 0, 1], [0.9, 0.6, 0.2, 0.7], [1.0, 0.0, 2.0, 1.0]
ROWS = {
    "labels": [[1], [0], [1], [1]],
    "predictions": [[0.9, 1.0, 0.1], [0.6, 0.0, 0.4], [1.0, 0.9, 0.8], [0.7, 0.1, 0.3]],
}


def made():
    """Metrics by name, with what they give for the batch above."""
    labels, said = tf.constant(LABELS, tf.int64), tf.constant(PREDICTIONS, tf.int64)
    scores, numbers, weights = tf.constant(SCORES), tf.constant(LABELS, tf.float32), tf.constant(WEIGHTS)
    rows = {"labels": tf.constant(ROWS["labels"], tf.int64), "predictions": tf.constant(ROWS["predictions"])}
    return {
        "accuracy": (metrics.accuracy(labels, said), 0.5),
        "accw": (metrics.accuracy(labels, said, weights, name="accw"), 0.5),
        "precision": (metrics.precision(labels, said), 0.6667),
        "recall": (metrics.recall(labels, said), 0.6667),
        "auc": (metrics.auc(labels, scores, num_thresholds=20), 0.6667),
        "auc_1": (metrics.auc(labels, scores, curve="PR", summation_method="careful_interpolation"), 0.9041),
        "mean": (metrics.mean(scores), 0.6),
        "true_positives": (metrics.true_positives(labels, said), 2.0),
        "false_negatives": (metrics.false_negatives(labels, said), 1.0),
        "false_positives": (metrics.false_positives_at_thresholds(labels, scores, [0.3, 0.6]), [1.0, 0.0]),
        "precision_at_thresholds": (metrics.precision_at_thresholds(labels, scores, [0.3, 0.6]), [0.6667, 1.0]),
        "recall_at_thresholds": (metrics.recall_at_thresholds(labels, scores, [0.3, 0.6]), [0.6667, 0.6667]),
        "mean_iou": (metrics.mean_iou(labels, said, 2), 0.25),
        "mean_accuracy": (metrics.mean_per_class_accuracy(labels, said, 2), 0.3333),
        "percentage_below_threshold": (metrics.percentage_below(scores, 0.5), 0.25),
        "mean_relative_error": (metrics.mean_relative_error(numbers + 1.0, scores, numbers + 1.0), 0.625),
        "sensitivity_at_specificity": (metrics.sensitivity_at_specificity(labels, scores, 0.5), 0.6667),
        "specificity_at_sensitivity": (metrics.specificity_at_sensitivity(labels, scores, 0.5), 1.0),
        "recall_at_2": (metrics.recall_at_k(k=2, **rows), 0.75),
        "precision_at_2": (metrics.precision_at_k(k=2, **rows), 0.375),
        "average_precision_at_2": (metrics.average_precision_at_k(k=2, **rows), 0.625),
        "recall_at_k": (metrics.recall_at_top_k(rows["labels"], tf.stack([labels, said], 1)), 1.0),
    }


def test_values_and_updates():
    with tf.Graph().as_default() as graph, v1.Session() as session:
        found = made()
        assert not v1.global_variables() and len(v1.local_variables()) == len(graph.get_collection("metric_variables"))
        assert {variable.name.partition("/")[0] for variable in v1.local_variables()} == {*found}
        session.run(v1.local_variables_initializer())
        session.run([update for (_, update), _ in found.values()])
        values = session.run({name: value for name, ((value, _), _) in found.items()})
        for name, ((value, _), expected) in found.items():
            np.testing.assert_allclose(values[name], expected, atol=1e-4, err_msg=name)
            assert value.name.startswith(name)
        assert found["mean"][0][0].name == "mean/value:0" and found["mean"][0][1].name == "mean/update_op:0"


def test_what_is_refused():
    with pytest.raises(RuntimeError, match=r"tf\.metrics.accuracy is not supported when eager execution is enabled"):
        metrics.accuracy([1], [1])
    with tf.Graph().as_default() as graph:
        with pytest.raises(ValueError, match="broadcast"):
            metrics.mean(tf.zeros([2, 3]), tf.zeros([3, 3]))
        with pytest.raises(ValueError, match="curve must be either ROC or PR, X unknown"):
            metrics.auc([True], [0.5], curve="X")
        with pytest.raises(ValueError, match="partially known TensorShape"):
            metrics.mean_tensor(v1.placeholder(tf.float32, [None]))
        value, update = metrics.mean([1.0], metrics_collections=["m"], updates_collections=["u"])
        assert graph.get_collection("m") == [value] and graph.get_collection("u") == [update]
