"""Functions and loops that are not compiled, under a tape: from the second call on, forwards and backwards as one program each."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

X = np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4)


def test_a_model_in_a_function_has_its_gradient_planned(one_by_one):
    w, b = tf.Variable(X.T @ X), tf.Variable(np.zeros(4, np.float32))

    def model(x):
        return tf.nn.softmax(tf.tanh(tf.matmul(x, w) + b)) * 2.0

    f = tf.function(model)

    def gradients(model, x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(model(x) ** 2)
        return tape.gradient(loss, [w, b])

    x = tf.constant(X)
    expected = gradients(model, x)
    for _ in range(4):
        del one_by_one[:]
        for found, wanted in zip(gradients(f, x), expected, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)
    assert one_by_one == []


def test_results_without_a_cotangent_make_no_nan():
    """The derivative of a result that nobody asks for may be infinite."""
    f = tf.function(lambda x: (tf.sqrt(x), x * 3.0, tf.cast(x, tf.int32)))
    x = tf.constant(0.0)
    for used in (1, 1, 1, 0, 1):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)[used]
        assert float(tape.gradient(y, x)) == (3.0 if used else np.inf)


def test_gradients_of_gradients():
    f = tf.function(lambda x: tf.reduce_sum(tf.sin(x) * x**2))
    x = tf.constant(X)
    expected = 2 * np.sin(X) + 4 * X * np.cos(X) - X**2 * np.sin(X)
    for _ in range(3):
        with tf.GradientTape() as tape:  # warm up the plans with one tape
            tape.watch(x)
            y = f(x)
        tape.gradient(y, x)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        slope = inner.gradient(y, x)
    np.testing.assert_allclose(outer.gradient(slope, x), expected, rtol=1e-4, atol=1e-5)
    with tf.GradientTape(persistent=True) as tape:  # which sees its own gradient
        tape.watch(x)
        y = f(x)
        slope = tape.gradient(y, x)
    np.testing.assert_allclose(tape.gradient(slope, x), expected, rtol=1e-4, atol=1e-5)


def test_a_tape_opened_for_the_gradient_alone_sees_the_operands_in_it():
    f = tf.function(lambda x, y: x * x * y)
    x, y = tf.constant(3.0), tf.constant(2.0)
    for _ in range(3):
        with tf.GradientTape() as first:
            first.watch(x)
            z = f(x, y)
        with tf.GradientTape() as second:
            second.watch(y)
            slope = first.gradient(z, x)
        assert float(slope) == 12.0
        assert float(second.gradient(slope, y)) == 6.0


def test_an_operand_that_is_given_twice_and_a_result_that_is_one():
    f = tf.function(lambda a, b: (a, a * b))
    x = tf.constant(3.0)
    for _ in range(3):
        with tf.GradientTape() as tape:
            tape.watch(x)
            same, product = f(x, x)
            y = same + product
        assert float(tape.gradient(y, x)) == 7.0


def test_forward_accumulators_see_the_operations():
    f = tf.function(lambda x: tf.sin(x) * x)
    x = tf.constant(0.5)
    for _ in range(3):
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc, tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        slope = np.cos(0.5) * 0.5 + np.sin(0.5)
        assert float(acc.jvp(y)) == pytest.approx(slope, rel=1e-6)
        assert float(tape.gradient(y, x)) == pytest.approx(slope, rel=1e-6)


def test_loops_in_functions():
    w = tf.Variable(np.eye(4, dtype=np.float32) * 0.9)

    @tf.function
    def train(x, n):
        with tf.GradientTape() as tape:
            states = tf.TensorArray(tf.float32, size=n)
            for i in tf.range(n):
                x = tf.tanh(tf.matmul(x, w)) + 0.1
                states = states.write(i, x)
            loss = tf.reduce_mean(states.stack() ** 2)
        return tape.gradient(loss, w)

    x = tf.constant(X)
    for n in (3, 5, 3, 5):
        found = train(x, tf.constant(n))
        with tf.GradientTape() as tape:
            states, h = [], x
            for _ in range(n):
                h = tf.tanh(tf.matmul(h, w)) + 0.1
                states.append(h)
            loss = tf.reduce_mean(tf.stack(states) ** 2)
        np.testing.assert_allclose(found, tape.gradient(loss, w), rtol=1e-4, atol=1e-6)


def test_what_fails_names_the_operation():
    w = tf.Variable(2)
    v = tf.Variable(1.0)
    f = tf.function(lambda i: v * tf.cast(tf.constant(6) // (w - i), tf.float32))
    for i in (0, 0, 0, 1):
        with tf.GradientTape():
            f(tf.constant(i))
    with tf.GradientTape(), pytest.raises(tf.errors.InvalidArgumentError, match="division by zero"):
        f(tf.constant(2))
    with tf.GradientTape() as tape:
        y = f(tf.constant(0))
    assert float(tape.gradient(y, v)) == 3.0


def test_lookups_in_tables_stay_sparse():
    table = tf.Variable(np.ones([10, 2], np.float32))
    f = tf.function(lambda i: tf.reduce_sum(tf.gather(table, i) ** 2))
    for _ in range(3):
        with tf.GradientTape() as tape:
            y = f(tf.constant([1, 1, 4]))
        rows = tape.gradient(y, table)
        dense = np.zeros([10, 2], np.float32)
        dense[[1, 4]] = [[4.0], [2.0]]
        np.testing.assert_allclose(tf.convert_to_tensor(rows), dense)


@pytest.fixture
def noted():
    with tf.extras.execution("fused", tiers="interpreted"):
        yield


def test_tapes_see_what_is_noted_before_and_after_a_function_that_is_interpreted(noted):
    w, v = tf.Variable([[2.0]]), tf.Variable([[3.0]])
    given = tf.constant([[5.0]])
    for _ in range(3):
        product = tf.function(lambda x: x @ w)
        with tf.GradientTape() as tape:
            twice = v * 2.0
            loss = tf.reduce_sum(product(given)) * tf.reduce_sum(twice)
        assert [g.numpy().tolist() for g in tape.gradient(loss, [w, v])] == [[[30.0]], [[20.0]]]
    product = tf.function(lambda x: x @ w)
    with tf.GradientTape(persistent=True) as tape:
        twice = v * 2.0
        first = product(given)
        square = twice * twice
        second = product(given + 1.0)
        loss = tf.reduce_sum(first) * tf.reduce_sum(twice) + tf.reduce_sum(square) * tf.reduce_sum(second)
    assert [g.numpy().tolist() for g in tape.gradient(loss, [w, v])] == [[[246.0]], [[308.0]]]
    assert tape.gradient(square, v).numpy().tolist() == [[24.0]]


def test_tapes_see_a_function_of_random_numbers_that_are_drawn_in_them(noted):
    w = tf.Variable(tf.ones([3, 3]))
    for _ in range(3):
        product = tf.function(lambda x: x @ w)
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(product(tf.random.stateless_normal([2, 3], [9, 9])))
        assert tape.gradient(loss, w) is not None
