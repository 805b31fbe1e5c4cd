"""What a function assigns although its iterator has ended, as TensorFlow 2.21 does it: what needs no element."""

import numpy as np
import pytest

import tfgrad_jax as tf


def elements() -> tf.data.Dataset:
    """Two, of a dataset that does not know how many it has."""
    return tf.data.Dataset.from_tensor_slices(np.ones((8, 4), np.float32)).batch(4).filter(lambda x: True)


def steps(step, *arguments):
    """Calls until the end, three in all."""
    step(*arguments)
    step(*arguments)
    with pytest.raises(tf.errors.OutOfRangeError):
        step(*arguments)


def test_what_needs_no_element_is_assigned():
    before, summed, after = tf.Variable(0.0), tf.Variable(0.0), tf.Variable(0.0)
    iterator = iter(elements())

    @tf.function
    def step():
        before.assign_add(1.0)
        summed.assign_add(tf.reduce_sum(next(iterator)))
        after.assign_add(before)
        before.assign_add(1.0)

    steps(step)
    assert (before.numpy(), summed.numpy(), after.numpy()) == (6.0, 32.0, 9.0)


def test_functions_inside_are_looked_into():
    count, summed = tf.Variable(0.0), tf.Variable(0.0)

    def work(x, by):
        count.assign_add(2.0 * by)
        summed.assign_add(tf.reduce_sum(x))
        return by + 1.0, summed + 0.0

    for compiled, expected in ((False, 6.0), (True, 4.0)):  # a function that must be compiled is one operation
        count.assign(0.0)
        inner = tf.function(work, jit_compile=compiled)

        @tf.function
        def step(iterator):
            by, _ = inner(next(iterator), 1.0)  # noqa: B023
            return by

        steps(step, iter(elements()))
        assert count.numpy() == expected


@pytest.mark.parametrize("assigns", [True, False])
def test_values_of_functions_inside_wait_for_what_these_assign(assigns):
    count, summed = tf.Variable(1.0), tf.Variable(0.0)

    @tf.function
    def inner(x, by):
        if assigns:
            summed.assign_add(tf.reduce_sum(x))
        return by * 2.0, tf.reduce_sum(x)

    @tf.function
    def step(iterator):
        by, total = inner(next(iterator), count)
        count.assign(by)
        return total

    steps(step, iter(elements()))
    assert (count.numpy(), summed.numpy()) == ((4.0, 32.0) if assigns else (8.0, 0.0))


def test_host_operations_between():
    count, summed = tf.Variable(0.0), tf.Variable(0.0)

    @tf.function
    def step(iterator):
        x = tf.reduce_sum(next(iterator))
        summed.assign_add(tf.strings.to_number(tf.strings.as_string(x)))
        count.assign_add(1.0)

    steps(step, iter(elements()))
    assert (count.numpy(), summed.numpy()) == (3.0, 32.0)


def test_other_errors_change_nothing():
    count = tf.Variable(0.0)
    iterator = iter(
        tf.data.Dataset.range(3).map(lambda x: tf.debugging.check_numerics(1.0 / tf.cast(x, tf.float32), ""))
    )

    @tf.function
    def step():
        count.assign_add(1.0)
        return next(iterator)

    with pytest.raises(tf.errors.InvalidArgumentError):
        step()
    assert count.numpy() == 0.0
