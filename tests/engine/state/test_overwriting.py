"""Updates of some rows write into the memory of the variable, unless somebody holds its old value."""

from __future__ import annotations

import gc
import threading
import weakref

import numpy as np
import pytest

import tfgrad_jax as tf
from tfgrad_jax.engine.fused.pace import Pace
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.state import box
from tfgrad_jax.engine.threads.context import context

pytestmark = pytest.mark.usefixtures("compiled_at_once")


def _rows(value, *indices):
    return tf.IndexedSlices(tf.fill([len(indices), 2], value), tf.constant(indices))


def _address(variable):
    return variable.__jax_array__().unsafe_buffer_pointer()


@pytest.mark.parametrize("read_between", [False, True], ids=["noted together", "one by one"])
def test_rows_are_written_in_place(read_between):
    v = tf.Variable(np.ones((5, 2), np.float32))
    before = _address(v)
    for k in range(1, 4):
        v.scatter_sub(_rows(1.0, 1, 3, 3))
        if read_between:
            assert v.__jax_array__().tolist()[3] == [1.0 - 2 * k] * 2
    assert v.numpy().tolist() == [[1, 1], [-2, -2], [1, 1], [-5, -5], [1, 1]]
    if read_between:
        assert _address(v) == before


def test_a_step_on_an_embedding_writes_in_place(monkeypatch):
    found, overwriter = [], Kernel.overwriter
    monkeypatch.setattr(Kernel, "overwriter", lambda *args: found.append(overwriter(*args)) or found[-1])
    table = tf.Variable(np.ones((50, 2), np.float32))
    ids = tf.constant([1, 4, 4])
    sgd = tf.optimizers.SGD(0.5)
    for step in range(1, 4):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(table, ids))
        gradient = tape.gradient(loss, table)
        assert isinstance(gradient, tf.IndexedSlices)
        sgd.apply_gradients([(gradient, table)])
        del gradient
        assert table.__jax_array__()[1, 0] == 1 - 0.5 * step
        # Nobody else was found to hold the table, and what writes over it was there.
        assert len(found) == step and None not in found
    assert table.numpy()[[0, 1, 4], 0].tolist() == [1.0, -0.5, -2.0]


def test_who_holds_the_old_value_keeps_it():
    v = tf.Variable(np.ones((5, 2), np.float32))
    as_operand, read, array = v.as_operand(), v.read_value(), np.asarray(v.__jax_array__())
    view = np.from_dlpack(v.__jax_array__())
    v.scatter_add(_rows(1.0, 0))
    v.scatter_add(_rows(1.0, 0))
    assert v.numpy()[0].tolist() == [3, 3]
    for old in (as_operand.numpy(), read.numpy(), array, view):
        assert old.tolist() == [[1.0, 1.0]] * 5


def test_a_tape_keeps_the_value_that_its_gradient_reads():
    v = tf.Variable(np.full((3, 2), 3.0, np.float32))
    with tf.GradientTape(persistent=True) as tape:
        y = tf.reduce_sum(v * v)
        v.scatter_update(_rows(7.0, 1))
        z = tf.reduce_sum(v * v)
        v[0].assign([5.0, 5.0])
    assert tape.gradient(y, v).numpy().tolist() == [[6.0, 6.0]] * 3
    assert tape.gradient(z, v).numpy().tolist() == [[6.0, 6.0], [14.0, 14.0], [6.0, 6.0]]
    assert v.numpy().tolist() == [[5, 5], [7, 7], [3, 3]]


def test_slices_and_places_are_written_in_place():
    v = tf.Variable(np.zeros((4, 3), np.float32))
    before = _address(v)
    v[1:3, 0].assign([1.0, 2.0])
    assert v.numpy()[:, 0].tolist() == [0, 1, 2, 0]
    v.scatter_nd_add([[0, 2], [3, 1]], [5.0, 6.0])
    assert v.numpy().sum() == 14
    assert _address(v) == before


def test_an_update_that_fails_leaves_the_value():
    v = tf.Variable([1.0, 2.0])

    def fails(x):
        raise ValueError("no")

    kernel = Kernel("Fails", fails)
    kernel.overwrites = True
    with pytest.raises(tf.errors.InvalidArgumentError), tf.extras.execution("immediate"):
        v.box.update(kernel)
    assert v.numpy().tolist() == [1, 2]


def test_an_interrupt_after_the_update_ran_keeps_the_new_value(monkeypatch):
    v = tf.Variable([1.0, 2.0])
    kernel = Kernel("Twice", lambda x: x * 2)
    kernel.overwrites = True

    def interrupted(function, arguments, results):
        results.append(function(*arguments))
        raise KeyboardInterrupt

    monkeypatch.setattr(box, "call_uninterrupted", interrupted)
    with pytest.raises(KeyboardInterrupt), tf.extras.execution("immediate"):
        v.box.update(kernel)
    assert v.numpy().tolist() == [2, 4]


def test_a_thread_that_reads_meanwhile_waits():
    v = tf.Variable([1.0, 2.0])
    running, go_on, seen = threading.Event(), threading.Event(), []

    def twice(x):
        running.set()
        go_on.wait()
        return x * 2

    kernel = Kernel("Twice", twice)
    kernel.overwrites = True

    def update():
        with tf.extras.execution("immediate"):
            v.box.update(kernel)

    def read():
        current = v.box.current
        assert current.held is None
        go_on.set()
        seen.append(current.numpy().tolist())

    threads = [threading.Thread(target=update)]
    threads[0].start()
    running.wait()
    threads.append(threading.Thread(target=read))
    threads[1].start()
    for t in threads:
        t.join()
    assert seen == [[2, 4]] and v.numpy().tolist() == [2, 4]


def test_a_function_writes_in_place():
    v = tf.Variable(np.ones((5, 2), np.float32))

    @tf.function
    def step(x):
        v.assign_sub(v * 0.5)
        return tf.reduce_sum(x * v)

    step(2.0)
    before = _address(v)
    assert [float(step(2.0)) for _ in range(2)] == [5.0, 2.5]
    assert _address(v) == before


def test_what_a_replaced_value_came_with_is_not_held():
    v = tf.Variable(np.ones((5, 2), np.float32))

    @tf.function
    def step():
        v.assign_add(v)
        return v * 3.0

    result = weakref.ref(step().__jax_array__())
    gc.collect()
    assert result() is None and v.numpy()[0, 0] == 2


def test_rows_are_written_in_place_where_fused_mode_rests(monkeypatch):
    with tf.extras.execution("fused"):
        pace = Pace()
        pace.rest = 100
        monkeypatch.setattr(context, "pace", pace)
        v = tf.Variable(np.ones((5, 2), np.float32))
        v.scatter_sub(_rows(1.0, 1))
        before = _address(v)
        v.scatter_sub(_rows(1.0, 3))
        assert _address(v) == before


def test_a_step_that_takes_its_batch_from_an_iterator_writes_in_place():
    """The batch is taken on the host, before the program of the step; the variable's memory is the program's all the same."""
    v = tf.Variable(np.ones((50, 20), np.float32))
    iterator = iter(tf.data.Dataset.range(10).batch(2))

    @tf.function
    def step(iterator):
        v.assign_add(tf.fill([50, 20], tf.cast(tf.reduce_sum(next(iterator)), tf.float32)))
        return tf.experimental.Optional.from_value(v[0, 0])

    step(iterator)
    before = _address(v)
    assert [float(step(iterator).get_value()) for _ in range(3)] == [7.0, 16.0, 29.0]
    assert _address(v) == before
