"""`tf.compat.v1.losses`: TensorFlow's numbers for each reduction, what functions collect, wrong arguments."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

L = tf.compat.v1.losses
Y = [[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]
P = [[0.3, 0.2, 0.8], [0.4, 0.9, 0.1]]
EACH = {
    "absolute_difference": [[0.7, 0.2, 0.2], [0.4, 0.1, 0.9]],
    "hinge_loss": [[0.7, 1.2, 0.2], [1.4, 0.1, 0.9]],
    "huber_loss": [[0.245, 0.02, 0.02], [0.08, 0.005, 0.405]],
    "log_loss": [[1.2039725, 0.2231434, 0.2231434], [0.5108254, 0.1053604, 2.3025842]],
    "mean_squared_error": [[0.49, 0.04, 0.04], [0.16, 0.01, 0.81]],
    "sigmoid_cross_entropy": [[0.5543553, 0.7981389, 0.3711007], [0.9130152, 0.3411539, 0.6443967]],
}


@pytest.mark.parametrize("name", EACH)
def test_reductions(name):
    loss, each = getattr(L, name), np.array(EACH[name])
    wanted = {
        L.Reduction.NONE: each * [[1.0], [0.0]],
        L.Reduction.SUM: each[0].sum(),
        L.Reduction.MEAN: each[0].mean(),
        L.Reduction.SUM_OVER_BATCH_SIZE: each[0].sum() / 6,
        L.Reduction.SUM_BY_NONZERO_WEIGHTS: each[0].mean(),
    }
    for reduction, expected in wanted.items():
        np.testing.assert_allclose(loss(Y, P, [[1.0], [0.0]], reduction=reduction), expected, rtol=2e-6)
    np.testing.assert_allclose(loss(Y, P), each.mean(), rtol=2e-6)
    assert float(loss(Y, P, 0.0)) == 0.0


def test_entropies_over_classes():
    np.testing.assert_allclose(
        L.softmax_cross_entropy(Y, P, label_smoothing=0.1, reduction="none"), [1.9457707, 2.132652], rtol=1e-6
    )
    np.testing.assert_allclose(
        L.sparse_softmax_cross_entropy([[1], [2]], P, reduction="none"), [1.3679496, 1.520694], rtol=1e-6
    )
    np.testing.assert_allclose(L.sparse_softmax_cross_entropy([1, 2], P, [[1.0], [2.0]]), 2.2046688, rtol=1e-6)
    np.testing.assert_allclose(L.sigmoid_cross_entropy([1, 0], [0.3, 0.4], label_smoothing=0.2), 0.72868526, rtol=1e-6)


def test_distances():
    np.testing.assert_allclose(L.cosine_distance(Y, P, axis=1, reduction="none"), [[-0.1], [0.0]], atol=1e-7)
    np.testing.assert_allclose(L.cosine_distance(Y, P, dim=0), 0.3, rtol=1e-6)
    np.testing.assert_allclose(L.huber_loss(Y, np.float32(P) * 5, delta=0.5), 0.75, rtol=1e-6)
    np.testing.assert_allclose(L.log_loss(Y, P, epsilon=0.1), 0.51552075, rtol=1e-6)
    # Eagerly a single weight makes TensorFlow count the elements of all rows; in functions it does not.
    np.testing.assert_allclose(L.mean_pairwise_squared_error(Y, P), 0.56333333, rtol=1e-6)
    np.testing.assert_allclose(tf.function(lambda: L.mean_pairwise_squared_error(Y, P))(), 1.2666667, rtol=1e-6)
    np.testing.assert_allclose(L.mean_pairwise_squared_error(Y, P, [[1.0], [3.0]]), 2.9866667, rtol=1e-6)


def test_dtypes_of_results():
    assert L.compute_weighted_loss(tf.constant([1.0, 2.0], tf.float64), [1.0, 2.0]).dtype == tf.float64
    assert int(L.compute_weighted_loss([1, 2])) == 1
    assert L.mean_squared_error(tf.constant([1.0], tf.float64), tf.constant([3.0], tf.float64)).dtype == tf.float32


def test_functions_collect():
    @tf.function
    def total():
        L.mean_squared_error(Y, P)
        L.add_loss(tf.constant(2.0))
        return len(L.get_losses()), L.get_total_loss()

    for _ in range(2):
        count, value = total()
        assert int(count) == 2
        np.testing.assert_allclose(value, 2.2583332, rtol=1e-6)
    L.mean_squared_error(Y, P)
    assert L.get_losses() == []


def test_regularizers():
    before = len(L.get_regularization_losses())
    w = tf.compat.v1.get_variable("w", [3], initializer=tf.compat.v1.ones_initializer(), regularizer=tf.reduce_sum)
    kept = tf.compat.v1.get_collection_ref(tf.compat.v1.GraphKeys.REGULARIZATION_LOSSES)
    assert len(kept) == before + 1
    w.assign([1.0, 2.0, 3.0])  # the value is that of the moment when it is asked for
    assert float(L.get_regularization_loss()) == 6.0
    kept.clear()
    assert float(L.get_regularization_loss()) == 0.0


def test_gradients_flow_to_predictions():
    p = tf.Variable(P)
    with tf.GradientTape() as tape:
        loss = L.mean_squared_error(Y, p)
    np.testing.assert_allclose(tape.gradient(loss, p), 2 * (np.array(P) - Y) / 6, rtol=1e-5)


def test_wrong_arguments():
    with pytest.raises(ValueError, match="incompatible"):
        L.mean_squared_error(Y, [[1.0, 2.0], [3.0, 4.0]])
    with pytest.raises(ValueError, match="broadcast"):
        L.mean_squared_error(Y, P, weights=[1.0, 2.0])
    with pytest.raises(ValueError, match="Invalid Reduction Key"):
        L.mean_squared_error(Y, P, reduction="mean")
    with pytest.raises(ValueError, match="`labels` must not be None"):
        L.mean_squared_error(None, P)
    with pytest.raises(ValueError, match="axis"):
        L.cosine_distance(Y, P)
    with pytest.raises(ValueError):
        L.get_total_loss()


def test_weights_of_zero_do_not_count_in_a_session():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        weights = tf.constant([[1.2], [0.0]])
        loss = tf.compat.v1.losses.absolute_difference(
            tf.zeros([2, 3]), tf.constant([[3.0, 1.0, 10.0], [1.0, 1.0, 1.0]]), weights
        )
        assert session.run(loss) == pytest.approx(5.6)


def test_pools_of_unknown_rank():
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32)
        assert tf.compat.v1.nn.max_pool(x, [1, 2, 2, 1], [1, 1, 1, 1], "SAME").shape.as_list() == [None] * 4
        assert tf.nn.avg_pool(x, [1, 2, 2, 2, 1], 1, "SAME").shape.as_list() == [None] * 5
