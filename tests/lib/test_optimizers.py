"""The plain optimizers: steps, slots, learning rates, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

GRADIENTS = ([1.0, -2.0], [0.5, 0.0], [-1.0, 4.0])

# The variable [1, 2] after each of the gradients above, as Keras 3 computes it.
STEPS = {
    "sgd": (lambda: tf.optimizers.SGD(0.1), [[0.9, 2.2], [0.85, 2.2], [0.95, 1.8]]),
    "momentum": (lambda: tf.optimizers.SGD(0.1, 0.9), [[0.9, 2.2], [0.76, 2.38], [0.734, 2.142]]),
    "nesterov": (
        lambda: tf.optimizers.SGD(0.1, 0.9, nesterov=True),
        [[0.81, 2.38], [0.634, 2.542], [0.7106, 1.9278]],
    ),
    "adam": (
        lambda: tf.optimizers.Adam(0.1),
        [[0.900001, 2.0999992], [0.8067842, 2.1670043], [0.795706, 2.133001]],
    ),
    "adam of other decays": (
        lambda: tf.optimizers.Adam(0.1, beta_1=0.5, beta_2=0.9, epsilon=0.1),
        [[0.9240253, 2.0863473], [0.8578485, 2.1278608], [0.884837, 2.0578477]],
    ),
}


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("in_function", [False, True])
def test_steps(name, in_function):
    make, expected = STEPS[name]
    v, optimizer = tf.Variable([1.0, 2.0]), make()
    optimizer.build([v])

    def step(g):
        optimizer.apply_gradients([(g, v)])

    run = tf.function(step) if in_function else step
    seen = []
    for g in GRADIENTS:
        run(tf.constant(g))
        seen.append(v.numpy())
    np.testing.assert_allclose(seen, expected, rtol=2e-6)
    assert int(optimizer.iterations) == 3


def test_each_variable_has_its_own_slots():
    a, b, optimizer = tf.Variable(1.0), tf.Variable([1.0, 2.0]), tf.optimizers.Adam()
    optimizer.apply_gradients([(tf.constant(1.0), a), (tf.constant([1.0, 1.0]), b)])
    assert [tuple(v.shape) for v in optimizer.variables] == [(), (), (), (), (2,), (2,)]
    assert not any(v.trainable for v in optimizer.variables)
    optimizer.apply_gradients([(tf.constant(1.0), a)])
    assert len(optimizer.variables) == 6 and len(tf.optimizers.SGD().variables) == 2


def test_gradients_may_be_slices_or_missing():
    v, w, optimizer = tf.Variable([[1.0], [2.0], [3.0]]), tf.Variable(5.0), tf.optimizers.SGD(1.0)
    with tf.GradientTape() as tape:
        y = tf.gather(v, [2, 0, 2])
    g = tape.gradient(y, [v, w])
    assert isinstance(g[0], tf.IndexedSlices) and g[1] is None
    optimizer.apply_gradients(zip(g, [v, w], strict=True))
    assert v.numpy().tolist() == [[0.0], [2.0], [1.0]] and w.numpy() == 5.0


def test_nothing_to_do_is_an_error():
    v = tf.Variable(1.0, name="lonely")
    with pytest.raises(ValueError, match=r"No gradients provided for any variable.*lonely"):
        tf.optimizers.SGD().apply_gradients([(None, v)])


def test_learning_rates():
    v = tf.Variable(1.0)
    optimizer = tf.optimizers.SGD(0.5)
    optimizer.apply([tf.constant(1.0)], [v])
    optimizer.learning_rate = 0.25
    optimizer.apply([tf.constant(1.0)], [v])
    optimizer.learning_rate.assign(1.0)
    optimizer.apply([tf.constant(1.0)], [v])
    optimizer.learning_rate = lambda: 2.0
    optimizer.apply([tf.constant(1.0)], [v])
    assert v.numpy() == 1.0 - 0.5 - 0.25 - 1.0 - 2.0 and optimizer.learning_rate == 2.0
    with pytest.raises(ValueError):
        optimizer.apply([], [v])


def test_schedules_are_asked_at_each_step():
    v, rates = tf.Variable(0.0), iter([1.0, 10.0])
    optimizer = tf.optimizers.SGD(lambda: next(rates))
    for _ in range(2):
        optimizer.apply_gradients([(tf.constant(1.0), v)])
    assert v.numpy() == -11.0 and len(optimizer.variables) == 1


def test_other_dtypes():
    v, optimizer = tf.Variable(1.0, dtype=tf.float64), tf.optimizers.Adam(0.1)
    optimizer.apply_gradients([(tf.constant(1.0, tf.float64), v)])
    assert v.dtype == tf.float64 and all(s.dtype == tf.float64 for s in optimizer.variables[2:])
    np.testing.assert_allclose(v, 0.9, rtol=1e-6)


def test_constraints_hold_after_each_step():
    v = tf.Variable([1.0, 2.0], constraint=lambda w: tf.clip_by_value(w, 0.0, 1.5))
    tf.optimizers.SGD(1.0).apply_gradients([(tf.constant([3.0, -3.0]), v)])
    assert v.numpy().tolist() == [0.0, 1.5]


def test_updates_are_not_differentiated():
    v, optimizer = tf.Variable(1.0), tf.optimizers.SGD(0.5)
    g = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(g)
        optimizer.apply_gradients([(g, v)])
        y = v * 3.0
    gradients = tape.gradient(y, [g, v])
    assert gradients[0] is None and float(gradients[1]) == 3.0
