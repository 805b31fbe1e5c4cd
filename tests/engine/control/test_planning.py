"""A graph that is not compiled runs as one flat program from its second call with the same types on."""

from __future__ import annotations

import tracemalloc

import jax
import numpy as np
import pytest

import tfgrad_jax as tf
from tfgrad_jax.engine.host.flat import LARGE
from tfgrad_jax.engine.run import checks


def test_a_training_step_is_planned_at_its_second_call(one_by_one):
    w = tf.Variable(np.linspace(-1, 1, 12, dtype=np.float32).reshape(4, 3))
    x, y = tf.constant(np.eye(4, dtype=np.float32)), tf.constant([0, 1, 2, 0])

    def step():
        with tf.GradientTape() as tape:
            logits = tf.matmul(x, w)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits))
        w.assign_sub(0.5 * tape.gradient(loss, w))
        return loss

    function = tf.function(step)
    losses = [float(function())]
    assert "MatMul" in one_by_one
    del one_by_one[:]
    losses += [float(function()) for _ in range(3)]
    assert one_by_one == []
    w.assign(np.linspace(-1, 1, 12, dtype=np.float32).reshape(4, 3))
    np.testing.assert_allclose(losses, [float(step()) for _ in range(4)], rtol=1e-6)


def test_each_type_has_its_own_plan(one_by_one):
    f = tf.function(
        lambda x: tf.reduce_sum(tf.reshape(x, [-1, 2]) ** 2, axis=0), input_signature=[tf.TensorSpec([None])]
    )
    for n in (4, 8, 4, 8, 6):
        x = np.arange(n, dtype=np.float32)
        np.testing.assert_allclose(f(tf.constant(x)), (x.reshape(-1, 2) ** 2).sum(0))
    met = len(one_by_one)
    for n in (4, 8, 6):
        f(tf.constant(np.ones(n, np.float32)))
    assert len(one_by_one) == met


def test_checks_of_values_hold_in_a_plan():
    table = tf.constant([1, 2, 3])
    f = tf.function(lambda i: tf.gather(table, tf.constant([5, 7]) // i))
    for i, expected in ((5, [2, 2]), (4, [2, 2]), (7, [1, 2])):
        assert f(tf.constant(i)).numpy().tolist() == expected
    for i, message in ((0, "division by zero"), (2, r"indices\[1\] = 3 is not in \[0, 3\)")):
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            f(tf.constant(i))
    assert f(tf.constant(7)).numpy().tolist() == [1, 2]


def test_checks_switched_off_have_a_plan_of_their_own(one_by_one):
    f = tf.function(lambda x: tf.constant(7) // x)
    assert [int(f(tf.constant(2))) for _ in range(3)] == [3] * 3
    tf.extras.runtime_checks(False)
    try:
        assert not checks.enabled()
        for _ in range(3):
            f(tf.constant(0))
    finally:
        tf.extras.runtime_checks(None)
    with pytest.raises(tf.errors.InvalidArgumentError, match="division by zero"):
        f(tf.constant(0))


def test_results_that_are_operands_stay_what_they_are():
    f = tf.function(lambda x, y: (x, tf.transpose(y), x, tf.constant([5.0])))
    x, y = tf.constant([1.0, 2.0]), tf.constant([[1.0, 2.0], [3.0, 4.0]])
    for _ in range(3):
        first, turned, again, known = f(x, y)
        assert first.numpy().tolist() == again.numpy().tolist() == [1.0, 2.0]
        assert turned.numpy().tolist() == [[1.0, 3.0], [2.0, 4.0]] and known.numpy().tolist() == [5.0]
        assert turned.numpy().base is None or turned.numpy().base is not y.numpy()


def test_large_values_are_let_go_when_nobody_needs_them():
    def chain(x):
        for _ in range(6):
            x = tf.exp(tf.sin(x))
        return tf.reduce_sum(x)

    f = tf.function(chain)
    f(tf.zeros([2]))
    x = tf.constant(np.linspace(0, 1, 16 * LARGE, dtype=np.float32))
    found, peaks = [], []
    for _ in range(3):  # operation by operation, then by a plan
        tracemalloc.start()
        try:
            found.append(float(f(x)))
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
    assert found[0] == found[1] == found[2]
    assert max(peaks) < 4 * x.numpy().nbytes  # of twelve


def test_random_numbers_go_on_in_a_plan():
    f = tf.function(lambda: tf.random.uniform([3]))
    tf.random.set_seed(3)
    first = [f().numpy() for _ in range(4)]
    tf.random.set_seed(3)
    g = tf.function(lambda: tf.random.uniform([3]))
    with tf.extras.execution("immediate", tiers="compiled"):
        np.testing.assert_allclose(first, [g().numpy() for _ in range(4)], rtol=1e-6)
    assert len({tuple(a) for a in first}) == 4


def test_open_tapes_see_the_operations():
    w = tf.Variable([1.0, 2.0])
    f = tf.function(lambda: tf.reduce_sum(w * w))
    for _ in range(3):
        f()
    with tf.GradientTape() as tape:
        y = f()
    assert tape.gradient(y, w).numpy().tolist() == [2.0, 4.0]


def test_shapes_that_depend_on_values_are_never_planned(one_by_one):
    f = tf.function(lambda x: tf.reduce_sum(tf.boolean_mask(x, x > 0)) + tf.cast(tf.size(tf.where(x > 0)), tf.float32))
    for values in ([1.0, -1.0, 2.0], [1.0, 1.0, 1.0], [-1.0, -1.0, -1.0]):
        positive = [v for v in values if v > 0]
        assert float(f(tf.constant(values))) == sum(positive) + len(positive)


def test_a_graph_that_meets_many_sizes_is_traced_once_for_all(one_by_one, monkeypatch):
    w = tf.Variable(np.linspace(-1, 1, 24, dtype=np.float32).reshape(6, 4))

    def step(x):
        with tf.GradientTape() as tape:
            h = tf.nn.softmax(tf.matmul(x, w)) * tf.cast(tf.shape(x)[0], tf.float32)
            loss = tf.reduce_mean(h**2)
        w.assign_sub(0.1 * tape.gradient(loss, w))
        return loss, tf.shape(x), x

    function = tf.function(step, input_signature=[tf.TensorSpec([None, 6])])
    start = w.numpy()
    found = [function(tf.ones([n, 6]) / n) for n in range(7, 30)]
    del one_by_one[:]
    made = []
    make_jaxpr = jax.make_jaxpr
    monkeypatch.setattr(jax, "make_jaxpr", lambda *args, **kwargs: made.append(1) or make_jaxpr(*args, **kwargs))
    inputs = [tf.constant(np.ones([n, 6], np.float32) / n) for n in range(30, 40)]
    del made[:]
    found += [function(x) for x in inputs]
    assert not one_by_one and not made
    after = w.numpy()
    w.assign(start)
    for n, (loss, shape, x) in zip(range(7, 40), found, strict=True):
        np.testing.assert_allclose(step(tf.ones([n, 6]) / n)[0], loss, rtol=1e-5)
        assert shape.numpy().tolist() == [n, 6] and x.shape == [n, 6]
    np.testing.assert_allclose(w, after, rtol=1e-5)
