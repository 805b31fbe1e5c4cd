"""A function is compiled for the values of those inputs only on which a shape depends."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf
from tfgrad_jax.engine.function import by_values
from tfgrad_jax.engine.threads import background


@pytest.mark.usefixtures("compiled_at_once")
def test_a_step_counter_beside_a_shape_from_a_value_compiles_nothing(compiled):
    count = tf.Variable(0, dtype=tf.int64)

    @tf.function
    def f(n):
        count.assign_add(1)
        return tf.reduce_sum(tf.ones([n])) * 2.0

    five, seven = tf.constant(5), tf.constant(7)
    assert float(f(five)) == 10.0
    compiled()
    assert [float(f(five)) for _ in range(5)] == [10.0] * 5 and int(count) == 6
    assert compiled() == 0
    assert float(f(seven)) == 14.0
    compiled()  # operation by operation: it may never come again
    assert float(f(seven)) == 14.0
    assert compiled() == 1
    assert float(f(five)) == 10.0 and float(f(seven)) == 14.0 and compiled() == 0


@pytest.mark.usefixtures("compiled_at_once")
def test_effects_of_a_program_for_values_happen_before_its_call_returns(capfd):
    @tf.function
    def f(x, n):
        tf.debugging.assert_less(tf.reduce_max(x), 10.0, message="too large")
        tf.print("rows:", n)
        return tf.reshape(x, [n, -1]) * tf.ones([tf.size(x) // n])

    x, n = tf.constant([1.0, 2.0, 3.0, 4.0]), tf.constant(2)
    for _ in range(3):
        assert f(x, n).shape == [2, 2]
        assert capfd.readouterr().err == "rows: 2\n"
        with pytest.raises(tf.errors.InvalidArgumentError, match="too large"):
            f(10 * x, n)
        capfd.readouterr()


@pytest.mark.usefixtures("compiled_at_once")
def test_a_seed_beside_an_array_of_a_tensors_size_compiles_nothing(compiled):
    @tf.function
    def sample(n, seed):
        rows = tf.TensorArray(tf.float32, size=n)
        for i in tf.range(n):
            rows = rows.write(i, tf.random.stateless_uniform([2], tf.stack([seed[0] + i, seed[1]])))
        return rows.stack()

    n, seeds = tf.constant(3), [tf.constant([42, k]) for k in range(4)]
    expected = [[tf.random.stateless_uniform([2], [42 + i, k]).numpy() for i in range(3)] for k in range(4)]
    found = [sample(n, seeds[0]).numpy()]
    compiled()
    found += [sample(n, seed).numpy() for seed in seeds[1:]]
    assert compiled() == 0
    assert np.array_equal(found, expected)


@pytest.mark.usefixtures("compiled_at_once")
def test_integers_that_reach_a_shape_by_way_of_others_are_known(compiled):
    @tf.function
    def f(x, n, m, k):
        rows = tf.shape(x)[0] * n + tf.maximum(m, 1)
        return tf.fill([rows], tf.cast(k, tf.float32))

    x = tf.zeros([2, 3])
    assert f(x, tf.constant(3), tf.constant(0), tf.constant(5)).numpy().tolist() == [5.0] * 7
    compiled()
    assert f(x, tf.constant(3), tf.constant(0), tf.constant(6)).numpy().tolist() == [6.0] * 7
    assert compiled() == 0
    assert f(x, tf.constant(3), tf.constant(2), tf.constant(6)).numpy().tolist() == [6.0] * 8


@pytest.mark.usefixtures("compiled_at_once")
def test_the_size_of_integers_is_no_value_of_theirs(compiled):
    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32), tf.TensorSpec([], tf.int32)])
    def f(ids, n):
        return tf.reduce_sum(ids) + tf.reduce_sum(tf.ones([tf.size(ids) * n], tf.int32))

    assert int(f([1, 2], 2)) == 7
    compiled()
    assert int(f([5, 6], 2)) == 15 and compiled() == 0


def test_a_shape_decided_inside_a_branch_finds_its_value():
    @tf.function
    def f(flag, n):
        return tf.reduce_sum(tf.cond(flag, lambda: tf.ones([n]), lambda: tf.zeros([n]))) + 1.0

    for _ in range(2):
        for n in (2, 5):
            assert (
                float(f(tf.constant(True), tf.constant(n))) == n + 1
                and float(f(tf.constant(False), tf.constant(n))) == 1
            )


@pytest.mark.usefixtures("compiled_at_once")
def test_gradients_through_a_shape_from_a_value(compiled):
    v = tf.Variable(3.0)

    @tf.function
    def f(n, k):
        return tf.reduce_sum(tf.fill([n], v)) * tf.cast(k, tf.float32)

    for k in (2, 3, 4):
        with tf.GradientTape() as tape:
            y = f(tf.constant(5), tf.constant(k))
        assert float(tape.gradient(y, v)) == 5.0 * k
        if k == 3:
            compiled()
    assert compiled() == 0


def test_a_shape_from_a_value_may_be_met_first_by_the_compilers_thread():
    total = tf.Variable(0.0)

    @tf.function
    def f(n):
        total.assign_add(tf.reduce_sum(tf.ones([n])))
        return total * 1.0

    for expected in (3.0, 6.0, 9.0):
        assert float(f(tf.constant(3))) == expected
        background.wait()
    assert float(f(tf.constant(2))) == 11.0


class _Clock:
    """A watch that tells what it is told to tell."""

    seconds = 0.0


@pytest.fixture
def programs(compiled_at_once, monkeypatch):
    """The programs made for values, and the clock by which they are."""
    made, specialised = [], by_values.Case.specialised

    def counted(*args):
        made.append(specialised(*args))
        return made[-1]

    monkeypatch.setattr(by_values.Case, "specialised", counted)
    monkeypatch.setattr(by_values, "Watch", _Clock)
    return made


def _weighed():
    @tf.function
    def f(x, n):
        return tf.reduce_sum(x * tf.reduce_sum(tf.ones([n])))

    return f


def test_values_that_differ_with_every_call_make_no_program_each(programs):
    f, x, n = _weighed(), tf.range(4.0), [tf.constant(i) for i in range(60)]
    assert [float(f(x, k)) for k in n] == [6.0 * i for i in range(60)]
    assert len(programs) == 1
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x, n[5])
    assert tape.gradient(y, x).numpy().tolist() == [5.0] * 4


@pytest.mark.parametrize("mode", ["mixed", "compiled"])
def test_a_value_that_comes_again_earns_a_program(programs, monkeypatch, mode):
    monkeypatch.setattr(by_values.policy, "choice", mode)
    monkeypatch.setattr(_Clock, "seconds", 3.0)
    f, x = _weighed(), tf.range(4.0)
    assert float(f(x, tf.constant(1))) == 6.0
    monkeypatch.setattr(_Clock, "seconds", 1.0)
    counts = []
    for _ in range(6):
        assert float(f(x, tf.constant(2))) == 12.0
        counts.append(len(programs))
    # A program takes three seconds, a call without one takes one: the first such call may have been the only one.
    assert counts == ([1, 1, 1, 1, 2, 2] if mode == "mixed" else [1, 2, 2, 2, 2, 2])
