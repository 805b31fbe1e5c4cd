"""What a step that fails leaves in its variables: eagerly what was assigned before, in a function what they held."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

FAILURES = {
    "an index": lambda x: tf.gather(x, tf.constant([5]) + tf.cast(x[:1] * 0.0, tf.int32)),
    "a division": lambda x: tf.constant([1]) // tf.cast(x * 0.0, tf.int32),
    "an assertion": lambda x: tf.debugging.assert_less(x, 0.5) and None,
    "a number": lambda x: tf.debugging.check_numerics(tf.math.log(x - 10.0), "not a number"),
    "a matrix": lambda x: tf.linalg.inv(tf.zeros([2, 2]) * x[0]),
}


def step(v, x, fail):
    v.assign_add(x)
    made = fail(x)
    v.assign_add(x * 10.0)
    return v * 1.0 if made is None else made  # what nobody uses a function does not compute


def run(call):
    with pytest.raises(tf.errors.InvalidArgumentError):
        np.asarray(call())


@pytest.mark.parametrize("failure", FAILURES)
def test_eagerly_what_was_assigned_before_stays(failure):
    v = tf.Variable([1.0])
    run(lambda: step(v, tf.constant([1.0]), FAILURES[failure]))
    assert v.numpy() == [2.0]


def in_a_branch(v, x, fail):
    return tf.cond(x[0] > 0.0, lambda: step(v, x, fail), lambda: x)


def in_a_loop(v, x, fail):
    def body(i, y):
        with tf.control_dependencies([step(v, x, fail)]):
            return i + 1, y + v

    return tf.while_loop(lambda i, y: i < 2, body, (tf.constant(0), x))[1]


def in_another_function(v, x, fail):
    return tf.function(lambda x: step(v, x, fail))(x)


@pytest.mark.parametrize("under_a_tape", [False, True])
@pytest.mark.parametrize("wrapped", [step, in_a_branch, in_a_loop, in_another_function])
@pytest.mark.parametrize("failure", ["an assertion", "a number"])
def test_a_function_leaves_them_as_they_were(failure, wrapped, under_a_tape):
    v, w = tf.Variable([1.0]), tf.Variable([3.0])
    f = tf.function(lambda x: (w.assign_add(x), wrapped(v, x, FAILURES[failure]))[1])
    for _ in range(2):  # and can be called again
        if under_a_tape:
            with tf.GradientTape():
                run(lambda: f(tf.constant([1.0])))
        else:
            run(lambda: f(tf.constant([1.0])))
        assert v.numpy() == [1.0] and w.numpy() == [3.0]


@pytest.mark.parametrize("failure", FAILURES)
def test_a_failure_of_any_kind_does(failure):
    v = tf.Variable([1.0])
    f = tf.function(lambda x: step(v, x, FAILURES[failure]))
    run(lambda: f(tf.constant([1.0])))
    assert v.numpy() == [1.0]


def test_after_a_failure_a_function_works():
    v = tf.Variable([1.0])
    f = tf.function(lambda x: step(v, x, FAILURES["an assertion"]))
    run(lambda: f(tf.constant([1.0])))
    assert np.asarray(f(tf.constant([0.25]))) == [3.75] and v.numpy() == [3.75]
