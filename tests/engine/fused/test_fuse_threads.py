"""Fused mode with several threads: traces of their own, tensors handed over, and running each other's traces at once."""

from __future__ import annotations

import queue
import threading
import time

import numpy as np
import pytest

import tfgrad_jax as tf
from tests.engine.fused.fusing import hot, is_pending, pending
from tests.threads import in_threads
from tfgrad_jax.engine.threads import background
from tfgrad_jax.engine.threads.context import context


@pytest.fixture(autouse=True)
def _fused():
    with hot():
        yield


def training(seed, steps=60):
    w = tf.Variable(np.random.default_rng(seed).standard_normal(8).astype(np.float32))
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(tf.tanh(w) - 0.1 * seed))
        w.assign_sub(0.1 * tape.gradient(loss, w))
        float(loss)
    return w.numpy()


def test_threads_train_models_of_their_own():
    alone = [training(seed) for seed in range(4)]
    together = in_threads(*[lambda seed=seed: training(seed) for seed in range(4)])
    for a, b in zip(alone, together, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4)


def test_each_thread_has_its_own_trace():
    y = tf.constant([1.0]) + 1.0
    assert pending() == 1
    (other,) = in_threads(lambda: (pending(), is_pending(y)))
    assert other == (0, True) and is_pending(y)


def test_a_pending_tensor_is_read_by_another_thread():
    y = tf.constant([1.0, 2.0]) * 2.0
    z = y + 1.0
    (found,) = in_threads(lambda: z.numpy().tolist())
    assert found == [3.0, 5.0]
    assert not is_pending(y) and (y + z).numpy().tolist() == [5.0, 9.0]


def test_a_pending_tensor_is_used_by_another_thread():
    y = tf.constant([1.0, 2.0]) * 2.0
    (z,) = in_threads(lambda: y * 10.0)
    assert not is_pending(y) and is_pending(z)
    assert (z + y).numpy().tolist() == [22.0, 44.0]


def test_a_tape_whose_trace_another_thread_runs():
    x = tf.Variable([1.0, 2.0])
    for _ in range(4):
        with tf.GradientTape() as tape:
            y = x * x
            in_threads(lambda y=y: y.numpy())
            z = y * x
            in_threads(lambda z=z: z.numpy())
        assert tape.gradient(z, x).numpy().tolist() == [3.0, 12.0]
        background.wait()


def test_a_tape_does_not_see_other_threads():
    x = tf.Variable([1.0])
    with tf.GradientTape() as tape:
        (y,) = in_threads(lambda: x * 2.0)
        z = y + x
    assert tape.gradient(z, x).numpy().tolist() == [1.0]


def test_another_thread_waits_while_an_operation_is_being_noted(monkeypatch):
    y = tf.constant([1.0, 2.0]) * 2.0
    trace = y.pending_in
    enter, states, readers = type(trace).enter, [], []

    def while_another_thread_asks(self, slot, tensor):
        if not readers:
            readers.append(threading.Thread(target=lambda: states.append(y.numpy().tolist()), daemon=True))
            readers[0].start()
            while not self.closed:
                time.sleep(0)
            states.append("noting" if self.noting and not self.ran else "too late")
        enter(self, slot, tensor)

    monkeypatch.setattr(type(trace), "enter", while_another_thread_asks)
    z = y + tf.constant([10.0, 20.0])
    readers[0].join(300)  # only a deadlock takes so long
    assert states == ["noting", [2.0, 4.0]] and z.numpy().tolist() == [12.0, 24.0]


def test_one_variable_of_many_threads():
    v = tf.Variable(np.zeros(4, np.float32))
    lock = threading.Lock()

    def work():
        for _ in range(50):
            with lock:
                v.assign_add(tf.ones([4]))

    in_threads(*[work] * 4)
    assert v.numpy().tolist() == [200.0] * 4


def test_reading_while_another_thread_writes():
    v = tf.Variable(np.zeros(1 << 12, np.float32))
    done = threading.Event()

    def write():
        for _ in range(200):
            v.assign_add(tf.ones([1 << 12]))
            v.numpy()
        done.set()

    def read():
        last = 0.0
        while not done.is_set():
            now = v.numpy()
            assert (now == now[0]).all() and now[0] >= last
            last = now[0]
        return last

    in_threads(write, read, read)


def test_tensors_handed_to_and_fro():
    first, second = queue.Queue(), queue.Queue()

    def player(take, give):
        def play():
            for _ in range(200):
                t = take.get(timeout=300)
                u = t + 1.0
                give.put(u * 1.0)
                _ = t * u  # uses a tensor that the other thread may be running just now
            return u

        return play

    first.put(tf.zeros([2]))
    one, two = in_threads(player(first, second), player(second, first))
    assert one.numpy().tolist() == [399.0] * 2 and two.numpy().tolist() == [400.0] * 2


def test_threads_that_run_each_others_traces():
    """Each thread reads what the other has pending, while both go on noting: no deadlock, no wrong value."""
    slots = [None, None]
    stop = threading.Event()

    def work(me):
        def run():
            x = tf.constant([1.0, 2.0])
            for i in range(300):
                y = x * float(i)
                slots[me] = (y, i)
                z = y + 1.0
                other = slots[1 - me]
                if other is not None:
                    t, k = other
                    if i % 3 == 0:
                        assert t.numpy().tolist() == [1.0 * k, 2.0 * k]
                    else:
                        u = t + z
                        if i % 7 == 0:
                            assert u.numpy().tolist() == [k + i + 1.0, 2.0 * (k + i) + 1.0]
            stop.set()
            return True

        return run

    assert in_threads(work(0), work(1)) == [True, True]


def test_a_trace_outlives_its_thread():
    (y,) = in_threads(lambda: tf.constant([1.0, 2.0]) + 1.0)
    assert is_pending(y)
    assert y.numpy().tolist() == [2.0, 3.0]


def test_a_failure_is_raised_where_the_value_is_needed():
    from tfgrad_jax.engine.kernels.kernel import Kernel
    from tfgrad_jax.engine.run.execute import execute

    kernel = Kernel("Fickle", lambda x: x * 2.0, differentiable=0)

    def run(x):
        raise RuntimeError("RESOURCE_EXHAUSTED: out of memory")

    kernel.run = run
    y = execute(kernel, (tf.constant([1.0]) + 0.0,))
    with pytest.raises(tf.errors.ResourceExhaustedError):
        in_threads(lambda: y.numpy())
    assert context.pending is None or context.pending.closed
    with pytest.raises(tf.errors.ResourceExhaustedError):
        y.numpy()
    assert (tf.constant([1.0]) + 1.0).numpy().tolist() == [2.0]


def test_executors_of_python_threads():
    from concurrent.futures import ThreadPoolExecutor

    x = tf.constant(np.arange(6, dtype=np.float32))
    scaled = [x * float(i) for i in range(20)]
    with ThreadPoolExecutor(4) as pool:
        sums = list(pool.map(lambda t: float(tf.reduce_sum(t)), scaled))
    assert sums == [15.0 * i for i in range(20)]
