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


@pytest.mark.parametrize("on_host", [False, True])
def test_functions_inside_that_take_strings(on_host):
    count, summed = tf.Variable(0.0), tf.Variable(0.0)

    @tf.function
    def inner(x, text):
        count.assign_add(1.0)
        summed.assign_add(tf.reduce_sum(x) + (tf.strings.to_number(text) if on_host else 5.0))
        count.assign_add(10.0)

    @tf.function
    def step(iterator):
        inner(*next(iterator))

    steps(step, iter(elements().map(lambda x: (x, "5"))))
    assert (count.numpy(), summed.numpy()) == (33.0, 42.0)


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


def numbers(count):
    return iter(tf.data.Dataset.range(count).map(lambda x: tf.cast(x, tf.float32)))


def test_iterations_before_the_end_have_assigned():
    steps_made, total, last = tf.Variable(0.0), tf.Variable(0.0), tf.Variable(0.0)
    iterator = numbers(8)

    @tf.function
    def step():
        for _ in tf.range(3):
            steps_made.assign_add(1.0)
            x = next(iterator)
            total.assign_add(x)
            last.assign(x)

    steps(step)
    assert (steps_made.numpy(), total.numpy(), last.numpy()) == (9.0, 28.0, 7.0)


def test_an_iteration_assigns_what_it_did_before_the_end():
    value = tf.Variable(0.0)
    iterator = numbers(7)

    @tf.function
    def step():
        i = tf.constant(0)
        while i < 3:
            value.assign_add(100.0)
            value.assign_add(next(iterator))
            value.assign_add(1000.0)
            i += 1

    steps(step)
    assert value.numpy() == 7 * 1100.0 + 21.0 + 100.0


def test_branches_assign_what_they_did_before_the_end():
    value, other = tf.Variable(0.0), tf.Variable(0.0)
    iterator = numbers(2)

    @tf.function
    def step(goes):
        if goes:
            value.assign_add(1.0)
            value.assign_add(10.0 * next(iterator))
        else:
            other.assign_add(1.0)

    steps(step, tf.constant(True))
    step(tf.constant(False))
    assert (value.numpy(), other.numpy()) == (13.0, 1.0)


def test_what_follows_a_loop_that_ended_does_not_see_its_assignments():
    inside, after, apart = tf.Variable(0.0), tf.Variable(0.0), tf.Variable(0.0)
    iterator = numbers(7)

    @tf.function
    def step():
        for _ in tf.range(1):
            for _ in tf.range(3):
                inside.assign_add(next(iterator))
            after.assign_add(inside)
        apart.assign_add(1.0)

    steps(step)
    assert (inside.numpy(), after.numpy(), apart.numpy()) == (21.0, 3.0 + 15.0, 3.0)


def test_functions_that_take_elements_themselves_in_loops():
    value, count = tf.Variable(0.0), tf.Variable(0.0)
    iterator = numbers(5)

    @tf.function
    def element():
        value.assign_add(1.0)
        return next(iterator)

    @tf.function
    def made(x):
        value.assign_add(x)
        count.assign_add(1.0)

    @tf.function
    def step():
        for _ in tf.range(2):
            made(element())

    steps(step)
    assert (value.numpy(), count.numpy()) == (5.0 + 10.0 + 1.0, 5.0)


def test_elements_before_the_end_count():
    value = tf.Variable(0.0)
    iterator = numbers(5)

    @tf.function
    def step():
        for _ in range(2):
            value.assign_add(100.0)
            value.assign_add(next(iterator))

    steps(step)
    assert value.numpy() == 6 * 100.0 + 10.0


def test_queues_end_too():
    queue = tf.queue.FIFOQueue(8, [tf.float32], [[]])
    queue.enqueue_many([[1.0, 2.0, 3.0, 4.0, 5.0]])
    queue.close()
    value = tf.Variable(0.0)

    @tf.function
    def step():
        for _ in tf.range(2):
            value.assign_add(100.0)
            value.assign_add(queue.dequeue())

    steps(step)
    assert value.numpy() == 600.0 + 15.0


CONTROLS = {
    "tensor": lambda data, added, summed: [data],
    "assigned": lambda data, added, summed: [added],
    "group": lambda data, added, summed: [tf.group([added])],
    "raw": lambda data, added, summed: [
        tf.raw_ops.AssignAddVariableOp(resource=summed.handle, value=tf.reduce_sum(data))
    ],
    "operation": lambda data, added, summed: [summed.assign_add(tf.reduce_sum(data), read_value=False)],
    "constant": lambda data, added, summed: [tf.constant(1.0)],
    "none": lambda data, added, summed: [],
}


@pytest.mark.parametrize("kind", CONTROLS)
def test_what_waits_for_an_element_is_not_assigned(kind):
    """Keras 2's metrics count, and its optimizers, after they have added what depends on the element."""
    summed, count, inner, later = tf.Variable(0.0), tf.Variable(0.0), tf.Variable(0.0), tf.Variable(0.0)

    @tf.function
    def step(iterator):
        data = next(iterator)
        added = summed.assign_add(tf.reduce_sum(data))
        with tf.control_dependencies(CONTROLS[kind](data, added, summed)):
            count.assign_add(1.0)
            with tf.control_dependencies([tf.constant(1.0)]):
                inner.assign_add(1.0)
        later.assign_add(1.0)
        count.assign_add(10.0)
        return summed + 0.0

    steps(step, iter(elements()))
    waited = kind not in ("constant", "none")
    expected = (22.0, 2.0, 3.0) if waited else (33.0, 3.0, 3.0)
    assert (count.numpy(), inner.numpy(), later.numpy()) == expected


def test_what_is_computed_before_its_turn_is_not_assigned_either():
    """The count needs nothing of the element, so it may be computed while that is looked for; a Keras 2 model's step is like it."""
    total, count = tf.Variable(0.0), tf.Variable(0.0)
    layer = tf.Variable(tf.ones([4, 4]))

    @tf.function
    def step(iterator):
        data = next(iterator)
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((data @ layer) ** 2)
        layer.assign_sub(1e-3 * tape.gradient(loss, layer))
        with tf.control_dependencies([total.assign_add(loss)]):
            count.assign_add(tf.cast(tf.size(layer), tf.float32))
        return total / count

    for _ in range(3):
        steps(step, iter(elements()))
    assert count.numpy() == 6 * 16.0
