"""Several threads on one variable, one function, one tape's values: each answer is one that some order of the threads gives."""

from __future__ import annotations

import itertools
import queue
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import tfgrad_jax as tf
from tests.engine.fused.fusing import hot
from tests.threads import in_threads
from tfgrad_jax.engine.fused.step import Step
from tfgrad_jax.engine.fused.trace import Trace
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.run.execute import execute, untaped
from tfgrad_jax.engine.threads import background
from tfgrad_jax.extras import execution


@pytest.fixture(autouse=True, params=["immediate", "fused"])
def mode(request):
    with execution("immediate") if request.param == "immediate" else hot():
        yield request.param


def repeated(work, times=100):
    def run():
        for _ in range(times):
            work()

    return run


# -- one variable ----------------------------------------------------------------------------------------------------------

UPDATES = {
    "assign_add": (lambda v: v.assign_add([1.0, 1.0]), [400.0, 400.0]),
    "assign_sub": (lambda v: v.assign_sub([1.0, 1.0]), [-400.0, -400.0]),
    "scatter_add": (lambda v: v.scatter_add(tf.IndexedSlices(tf.constant([1.0]), tf.constant([1]))), [0.0, 400.0]),
    "scatter_nd_sub": (lambda v: v.scatter_nd_sub([[0]], [2.0]), [-800.0, 0.0]),
}


@pytest.mark.parametrize("how", UPDATES)
def test_updates_of_a_variable_are_not_lost(how):
    work, expected = UPDATES[how]
    v = tf.Variable([0.0, 0.0])
    in_threads(*[repeated(lambda: work(v))] * 4)
    assert v.numpy().tolist() == expected


def test_slices_are_assigned_by_several_threads():
    v = tf.Variable(tf.zeros([4]))

    def work(i):
        for k in range(1, 51):
            v[i].assign(float(k))

    in_threads(*[lambda i=i: work(i) for i in range(4)])
    assert v.numpy().tolist() == [50.0] * 4


def test_rows_are_set_by_several_threads():
    v = tf.Variable(tf.zeros([2, 4]))

    def work(i):
        for k in range(1, 51):
            v.batch_scatter_update(tf.IndexedSlices(tf.fill([2, 1], float(k)), tf.fill([2, 1], i)))

    in_threads(*[lambda i=i: work(i) for i in range(4)])
    assert (v.numpy() == 50.0).all()


def test_counting_up_gives_each_number_once():
    v = tf.Variable(0)
    found = in_threads(*[lambda: [int(v.count_up_to(200)) for _ in range(50)]] * 4)
    assert sorted(itertools.chain(*found)) == list(range(200))
    with pytest.raises(tf.errors.OutOfRangeError):
        v.count_up_to(200)


def test_an_optimizer_of_several_threads():
    v = tf.Variable([0.0])
    optimizer = tf.optimizers.SGD(1.0)
    in_threads(*[repeated(lambda: optimizer.apply_gradients([(tf.constant([1.0]), v)]), 50)] * 4)
    # Keras counts its steps by reading the counter and assigning it, so that of two at once one may be lost.
    assert v.numpy().tolist() == [-200.0] and int(optimizer.iterations) <= 200


def test_a_generator_of_several_threads_repeats_nothing():
    generator = tf.random.Generator.from_seed(3)
    found = in_threads(*[lambda: [generator.uniform([]).numpy().tobytes() for _ in range(50)]] * 4)
    alone = tf.random.Generator.from_seed(3)
    assert sorted(itertools.chain(*found)) == sorted(alone.uniform([]).numpy().tobytes() for _ in range(200))


def test_what_is_assigned_in_between_is_not_overwritten():
    """An update that read the value before another thread assigned one does not bring the old one back."""
    v = tf.Variable(1.0)
    reading, go = threading.Event(), threading.Event()
    kernel = Kernel("Probe", lambda x, y: x + y, differentiable=0)
    compiled = kernel.compiled

    def slowly(x, y):
        reading.set()
        assert go.wait(300)
        return compiled(x, y)

    kernel.run = slowly

    def update():
        with execution("immediate"):
            v.box.update(kernel, tf.constant(1.0))

    def assign():
        assert reading.wait(300)
        threading.Timer(0.0, go.set).start()
        v.assign(10.0)

    in_threads(update, assign)
    assert float(v) == 10.0


# -- one function ----------------------------------------------------------------------------------------------------------


def test_the_first_calls_of_a_function_make_one_variable():
    made = []
    started = threading.Barrier(4)

    class Model:
        v = None

        @tf.function
        def __call__(self, x):
            if self.v is None:
                self.v = tf.Variable(1.0)
                made.append(self.v)
            return x * self.v

    model = Model()

    def call(k):
        started.wait()
        return float(model(tf.constant(float(k))))

    assert in_threads(*[lambda k=k: call(k) for k in range(4)]) == [0.0, 1.0, 2.0, 3.0]
    assert len(made) == 1


def test_a_function_is_traced_once_for_all_threads():
    traced = []

    @tf.function
    def f(x):
        traced.append(1)
        return tf.sin(x) * 2.0

    x = [tf.constant([float(i)]) for i in range(40)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda t: f(t).numpy(), x))
    np.testing.assert_allclose(found, [2.0 * np.sin(t.numpy()) for t in x], rtol=1e-6)
    assert len(traced) == 1


@pytest.mark.parametrize("shape", [[], [8]])
def test_a_function_that_assigns_is_one_step(shape):
    v = tf.Variable(tf.zeros(shape))
    steps = tf.Variable(0)

    @tf.function
    def step(x):
        v.assign_add(x)
        steps.assign_add(1)
        return v * 1.0

    one = tf.ones(shape)
    done = threading.Event()

    def work():
        for _ in range(50):
            step(one)
        done.set()

    def watch():
        last = 0.0
        while not done.is_set():
            now = np.atleast_1d(v.numpy())
            assert (now == now[0]).all() and now[0] >= last
            last = now[0]

    in_threads(work, work, watch, work)
    assert (v.numpy() == 150.0).all() and int(steps) == 150


def test_functions_under_tapes_of_several_threads():
    w = tf.Variable([1.0, 2.0])
    total = tf.Variable([0.0, 0.0])

    @tf.function
    def loss(x):
        total.assign_add(x)
        return tf.reduce_sum(w * x)

    def work(k):
        x = tf.fill([2], float(k))
        for _ in range(20):
            with tf.GradientTape() as tape:
                y = loss(x)
            assert tape.gradient(y, w).numpy().tolist() == [k, k]

    in_threads(*[lambda k=k: work(k) for k in range(1, 4)])
    assert total.numpy().tolist() == [120.0, 120.0]


def test_recursion_through_a_function():
    @tf.function
    def f(x, n):
        return x if n == 0 else f(x + 1.0, n - 1)

    assert in_threads(*[lambda: float(f(tf.constant(0.0), 5))] * 3) == [5.0] * 3


def test_an_exception_is_raised_in_its_thread_only():
    @tf.function
    def f(x):
        if x.shape[0] == 2:
            raise KeyError("two")
        return x + 1.0

    def bad():
        with pytest.raises(KeyError):
            f(tf.ones([2]))

    def good():
        return f(tf.ones([3])).numpy().tolist()

    assert in_threads(bad, good, bad, good) == [None, [2.0] * 3] * 2


# -- tapes -----------------------------------------------------------------------------------------------------------------


def test_a_tape_stays_with_its_thread_when_another_runs_its_trace():
    w, v = tf.Variable(2.0), tf.Variable(0.0)
    for _ in range(3):
        with tf.GradientTape(persistent=True) as tape:
            v.assign_add(1.0)
            y = w * 3.0

            def other():
                z = tf.constant([5.0]) * 2.0
                float(v)
                return z, w * 7.0

            ((_, stranger),) = in_threads(other)
            y = y * w
        assert float(tape.gradient(y, w)) == 12.0
        assert tape.gradient(stranger, w) is None


def test_a_tape_is_asked_by_another_thread():
    w = tf.Variable([1.0, 2.0])
    for _ in range(4):
        with tf.GradientTape(persistent=True) as tape:
            y = w * w
            z = y * 2.0
        found = in_threads(*[lambda t=t: tape.gradient(t, w).numpy().tolist() for t in (y, z, y)])
        assert found == [[2.0, 4.0], [4.0, 8.0], [2.0, 4.0]]
        assert tape.gradient(z, [w, y])[1].numpy().tolist() == [2.0, 2.0]
        background.wait()


def test_values_of_a_recording_tape_are_read_by_others():
    w = tf.Variable([1.0, 2.0])
    handed, stop = queue.Queue(), object()

    def read():
        found = []
        while (t := handed.get(timeout=300)) is not stop:
            found.append(t.numpy().tolist())
        return found

    def train():
        for _ in range(30):
            with tf.GradientTape() as tape:
                y = w * w
                handed.put(y)
                z = tf.reduce_sum(y * w)
                handed.put(z)
            assert tape.gradient(z, w).numpy().tolist() == [3.0, 12.0]
        handed.put(stop)

    found, _ = in_threads(read, train)
    assert found == [[1.0, 4.0], 9.0] * 30


def test_a_loader_beside_a_training_loop():
    batches = queue.Queue(maxsize=2)

    @tf.function
    def prepared(x):
        tf.debugging.assert_all_finite(x, "x")
        return (x - tf.reduce_mean(x)) * 2.0

    def load():
        for i in range(40):
            batches.put(prepared(tf.constant(np.full(4, i, np.float32) + np.arange(4, dtype=np.float32))))

    def train():
        w = tf.Variable(tf.zeros([4]))
        for _ in range(40):
            x = batches.get(timeout=300)
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.square(w - x))
            w.assign_sub(0.25 * tape.gradient(loss, w))
        return w.numpy()

    _, w = in_threads(load, train)
    np.testing.assert_allclose(w, [-3.0, -1.0, 1.0, 3.0], rtol=1e-5)


# -- forced ----------------------------------------------------------------------------------------------------------------


def test_the_trie_is_pruned_while_an_operation_is_looked_up():
    """An operation that compares equal to the first child finds that child, or none: never another one's."""
    root = Step(None, None, (), ())
    first, other = (Step(root, None, (), ()) for _ in range(2))

    class Edge:
        __hash__ = object.__hash__

        def __eq__(self, stranger):
            root.without({("other",): other})
            return True

    root.without({("first",): first})
    assert root.following((Edge(),)) in (first, None)


def fails():
    kernel = Kernel("Fickle", lambda x: x * 2.0, differentiable=0)

    def run(x):
        raise RuntimeError("RESOURCE_EXHAUSTED: out of memory")

    kernel.run = run
    return kernel


def test_another_thread_runs_the_trace_before_the_variable_takes_its_value():
    with hot():
        v = tf.Variable(1.0)
        new = untaped(Kernel("Probe", lambda x: x + 1.0, differentiable=0), (v.box.tensor,))
        trace = new.pending_in
        assert isinstance(trace, Trace)
        in_threads(new.numpy)
        trace.renamed(new)  # it was seen pending, just before
        v.box.replace(new)
        assert float(v) == 2.0


def test_a_variable_does_not_take_what_failed_in_another_thread():
    with hot():
        v = tf.Variable(1.0)
        new = untaped(fails(), (v.box.tensor,))
        trace = new.pending_in
        with pytest.raises(tf.errors.ResourceExhaustedError):
            in_threads(new.numpy)
        with pytest.raises(tf.errors.ResourceExhaustedError):
            v.box.replace(new)
        with pytest.raises(tf.errors.ResourceExhaustedError):
            trace.renamed(new)
        assert float(v) == 1.0


def test_a_failure_raised_again_keeps_no_frames():
    with hot():
        y = execute(fails(), (tf.constant([1.0]) + 0.0,))
        depths, errors = [], []
        for _ in range(4):
            with pytest.raises(tf.errors.ResourceExhaustedError) as caught:
                y.numpy()
            depths.append(len(caught.traceback))
            errors.append(caught.value)
        assert depths[1] == depths[2] == depths[3]
        assert len({id(e) for e in errors}) == 4 and len({str(e) for e in errors}) == 1
        assert any("was noted at" in note for note in errors[3].__notes__)
