"""Initializers of `init_ops_v2`, bit for bit those of TensorFlow 2.21, and other parts of public functions."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

I = tf.python.ops.init_ops_v2  # noqa: E741


@pytest.mark.parametrize(
    ("initializer", "expected"),
    [
        (
            lambda: I.TruncatedNormal(seed=3),
            [[-0.03357924, 0.08380252, -0.04721227], [0.03039695, -0.02095366, -0.02478872]],
        ),
        (lambda: I.GlorotUniform(3), [[-0.66622162, 0.96255732, 0.07071137], [0.74718416, -0.69492495, -0.83491707]]),
        (lambda: I.GlorotNormal(3), [[-0.48287305, 1.20508921, -0.67891753], [0.43711135, -0.30131587, -0.35646439]]),
        (
            lambda: I.VarianceScaling(2.0, "fan_avg", "untruncated_normal", 4),
            [[-0.52042127, 0.77400064, -1.40084076], [0.17695251, 0.59476590, -0.77938104]],
        ),
        (lambda: I.lecun_normal(3), [[-0.5398685, 1.3473307, -0.7590529], [0.48870534, -0.3368814, -0.3985393]]),
        (lambda: I.Identity(2.0), [[2, 0, 0], [0, 2, 0]]),
    ],
)
def test_initial_values(initializer, expected):
    made = initializer()
    np.testing.assert_allclose(made([2, 3]), expected, rtol=1e-6)
    np.testing.assert_allclose(
        tf.function(lambda: type(made).from_config(made.get_config())([2, 3]))(), expected, rtol=1e-6
    )
    assert isinstance(made, I.Initializer)


def test_parts_and_matrices():
    np.testing.assert_allclose(
        I.VarianceScaling(seed=3)([4], partition_shape=[2]), [-0.38174465, 0.95270663], rtol=1e-6
    )
    assert float(I.VarianceScaling(seed=3)([])) == pytest.approx(-0.7634893)
    wide, flat = I.Orthogonal(2.0, seed=2)([2, 3]), I.Orthogonal(seed=3)([3, 2, 2])
    np.testing.assert_allclose(wide @ tf.transpose(wide), 4 * np.eye(2), atol=1e-5)
    np.testing.assert_allclose(np.reshape(flat, [6, 2]).T @ np.reshape(flat, [6, 2]), np.eye(2), atol=1e-5)
    assert abs(float(flat[0, 0, 0])) == pytest.approx(0.3210168, abs=1e-5)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: I.VarianceScaling(0.0),
        lambda: I.VarianceScaling(mode="x"),
        lambda: I.VarianceScaling(distribution="x"),
        lambda: I.Identity()([2]),
        lambda: I.Orthogonal()([2]),
        lambda: I.TruncatedNormal()([2], "int32"),
        lambda: I.Identity()([2, 2], partition_shape=[1]),
    ],
)
def test_what_is_refused(wrong):
    with pytest.raises(ValueError):
        wrong()


@pytest.mark.parametrize("subtract", [True, False])
def test_logits_of_classes_drawn_by_lot(subtract):
    logits, labels = tf.python.ops.nn_impl._compute_sampled_logits(
        weights=tf.reshape(tf.range(12.0), [4, 3]),
        biases=tf.zeros([4]),
        labels=tf.constant([[1], [2]], tf.int64),
        inputs=tf.ones([2, 3]),
        num_sampled=2,
        num_classes=4,
        sampled_values=(tf.constant([0, 3], tf.int64), tf.constant([[0.5], [0.5]]), tf.constant([0.5, 0.25])),
        subtract_log_q=subtract,
    )
    expected = np.array([[12.0, 3, 30], [21, 3, 30]]) - subtract * np.log([0.5, 0.5, 0.25])
    np.testing.assert_allclose(logits, expected, rtol=1e-6)
    assert labels.numpy().tolist() == [[1, 0, 0], [1, 0, 0]]


def test_labels_as_sparse_tensors():
    found = tf.python.ops.ctc_ops.dense_labels_to_sparse(tf.constant([[1, 2, 0], [3, 0, 0]]), tf.constant([2, 1]))
    assert found.indices.numpy().tolist() == [[0, 0], [0, 1], [1, 0]]
    assert found.values.numpy().tolist() == [1, 2, 3] and found.dense_shape.numpy().tolist() == [2, 2]
    assert tf.python.ops.nn_impl._sum_rows([[1.0, 2.0], [3.0, 4.0]]).numpy().tolist() == [3, 7]
    lookup = tf.python.ops.lookup_ops
    table = lookup.HashTable(lookup.KeyValueTensorInitializer(["a"], [1]), -1)
    assert table.lookup(tf.constant(["a", "b"])).numpy().tolist() == [1, -1]


def test_variables_of_graphs():
    trained, fixed = tf.Variable(2.0), tf.Variable(3.0, trainable=False)
    concrete = tf.function(lambda x: x * trained + fixed).get_concrete_function(1.0)
    graph = concrete.graph
    assert [v is w for v, w in zip(graph.variables, (trained, fixed), strict=True)] == [True, True]
    assert len(graph.trainable_variables) == 1 and graph.trainable_variables[0] is trained
