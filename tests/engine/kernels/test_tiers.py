"""Tiers: interpreted first, compiled beside the program when it pays; the same numbers either way."""

from __future__ import annotations

import contextlib
import itertools
import threading
import types

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tfgrad_jax as tf
from tests.engine.kernels.tiering import way_of
from tfgrad_jax.engine.control import stretches
from tfgrad_jax.engine.host.patterns import Pattern, Programs
from tfgrad_jax.engine.host.rules import NoRule
from tfgrad_jax.engine.kernels import costs
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.kernels.policy import Policy, policy
from tfgrad_jax.engine.threads import background

wait_until = background.wait_until
pytestmark = pytest.mark.usefixtures("by_measured_cost")
X = np.arange(6, dtype=np.float32)


def test_a_kernel_is_interpreted_then_compiled_then_the_quicker_one(eager_to_compile):
    traced = []
    kernel = Kernel("Double", lambda x: traced.append(1) or x * 2.0)
    assert type(kernel.run(X)) is np.ndarray
    background.wait()
    way = way_of(kernel, X)
    assert way.state == "trial" and way.call is not None and kernel.tiers.compiled == 1
    for _ in range(10):  # in turns
        np.testing.assert_array_equal(kernel.run(X), X * 2)
    assert way.state in ("compiled", "quicker interpreted") and way.settled is not None
    assert (
        kernel.run(X).tolist() == (X * 2).tolist() and len(traced) == 2
    )  # once to be interpreted, once to be compiled


def test_what_is_dropped_is_interpreted_again(eager_to_compile):
    kernel = Kernel("Double", lambda x: x * 2.0)
    kernel.run(X)
    background.wait()
    way = way_of(kernel, X)
    assert way.weight
    way.drop()
    assert way.call is None and way.state == "interpreted" and kernel.tiers.compiled == 0
    assert type(kernel.run(X)) is np.ndarray


def test_small_operations_are_never_compiled(monkeypatch):
    monkeypatch.setattr(costs, "COMPILE_SECONDS", 0.0)
    monkeypatch.setattr(costs, "SMALL_SECONDS", 1e9)
    kernel = Kernel("Double", lambda x: x * 2.0)
    kernel.run(X)
    assert way_of(kernel, X).settled is not None and way_of(kernel, X).call is None


def test_the_clock_is_not_read_for_small_operations_once_they_are_known(monkeypatch, compiler_jobs):
    monkeypatch.setattr(costs, "SMALL_SECONDS", 1e9)
    kernel = Kernel("Double", lambda x: x * 2.0)
    for _ in range(10):
        assert way_of(kernel, X).state == "interpreted"
        kernel.run(X)
    assert way_of(kernel, X).state == "too quick" and not compiler_jobs


def test_a_compiler_that_fails_leaves_it_interpreted(eager_to_compile, monkeypatch):
    kernel = Kernel("Double", lambda x: x * 2.0)

    def failing(work):
        raise RuntimeError("no compiler")

    monkeypatch.setattr(background, "at_low_priority", failing)
    kernel.run(X)
    background.wait()
    way = way_of(kernel, X)
    assert way.state == "failed" and "no compiler" in str(way.error)
    np.testing.assert_array_equal(kernel.run(X), X * 2)
    (row,) = [row for row in tf.extras.kernels() if row["operation"] == "Double" and row["error"] is way.error]
    assert row["tier"] == "interpreted" and row["types"] == "float32[6]" and "failed" in row["why"]


def test_one_trace_serves_all_sizes():
    traced = []
    kernel = Kernel("Mean", lambda x, y: traced.append(x.shape) or jnp.mean(x @ y, axis=0))
    for n in (7, 9, 100):
        x, y = np.random.rand(n, 8).astype(np.float32), np.random.rand(8, 6).astype(np.float32)
        np.testing.assert_allclose(kernel.run(x, y), (x @ y).mean(0), rtol=1e-5)
    assert len(traced) == 1
    kernel.run(np.ones((8, 8), np.float32), np.ones((8, 6), np.float32))  # sizes that are equal are another pattern
    kernel.run(np.ones((1, 8), np.float32), np.ones((8, 6), np.float32))  # and so are small ones
    assert len(traced) == 3


def test_a_step_with_a_new_length_traces_nothing(monkeypatch):
    w = tf.Variable(tf.ones([8, 8]) * 0.1)

    def step(x):
        with tf.GradientTape() as tape:
            h = tf.tanh(tf.matmul(x, w))
            loss = tf.reduce_mean(tf.nn.softmax(h, axis=0) * h)
        return tape.gradient(loss, w)

    with tf.extras.execution("immediate", tiers="interpreted"):
        for n in (11, 12):
            step(tf.ones([n, 8]))
        made = []
        make_jaxpr = jax.make_jaxpr
        monkeypatch.setattr(jax, "make_jaxpr", lambda *args, **kwargs: made.append(1) or make_jaxpr(*args, **kwargs))
        inputs = [tf.constant(np.ones([n, 8], np.float32)) for n in (13, 14, 15)]
        for x in inputs:
            got = step(x).numpy()
        assert len(made) <= 3 * 2  # ones to begin with and what is broadcast: attributes tell their sizes
    with tf.extras.execution("immediate", tiers="compiled"):
        np.testing.assert_allclose(got, step(inputs[-1]).numpy(), rtol=2e-5, atol=1e-7)


def test_gradients_of_gradients_are_traced_once_for_all_sizes(monkeypatch):
    w = tf.Variable(np.full([8, 6], 0.3, np.float32))

    def second(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.reduce_sum(tf.tanh(tf.matmul(x, w)) ** 3, axis=0)
            slope = inner.gradient(y, x)
        return outer.gradient(slope, [x, w])

    with tf.extras.execution("immediate", tiers="interpreted"):
        for n in (11, 12):
            second(tf.ones([n, 8]))
        inputs = [tf.constant(np.linspace(-1, 1, n * 8, dtype=np.float32).reshape(n, 8)) for n in (13, 14, 15)]
        made = []
        make_jaxpr = jax.make_jaxpr
        monkeypatch.setattr(jax, "make_jaxpr", lambda *args, **kwargs: made.append(1) or make_jaxpr(*args, **kwargs))
        got = [second(x) for x in inputs]
        assert len(made) <= 3 * 2  # ones to begin with and what is broadcast: attributes tell their sizes
    with tf.extras.execution("immediate", tiers="compiled"):
        for x, found in zip(inputs, got, strict=True):
            for a, b in zip(found, second(x), strict=True):
                np.testing.assert_allclose(a, b, rtol=2e-5, atol=1e-6)


def test_constants_are_no_symbols_in_gradients_of_gradients():
    """A size that stands among an operation's attributes is part of the pattern, however often it was differentiated."""

    def second(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.reshape(x**3, [7, -1])[:5]
            slope = inner.gradient(y, x)
        return outer.gradient(slope, x).numpy()

    with tf.extras.execution("immediate", tiers="interpreted"):
        for n in (7, 14, 21, 35):
            x = np.arange(n, dtype=np.float32)
            expected = np.where(np.arange(n) < n // 7 * 5, 6 * x, 0)
            np.testing.assert_allclose(second(tf.constant(x)), expected)


def test_traces_after_the_first_ones_are_compiled_when_that_pays(compiler_jobs):
    """A function that is traced anew for each size would have all those traces compiled, each for a few calls."""
    f = tf.function(lambda x: tf.sin(x) * 2.0)
    for n in range(5, 11):
        for _ in range(2):
            f(tf.ones([n]))
    assert len(compiler_jobs) == 2


def test_one_size_of_a_trace_is_compiled_at_once(compiler_jobs):
    f = tf.function(lambda x: tf.reduce_sum(x * 2.0), input_signature=[tf.TensorSpec([None, 4])])
    for n in (8, 8, 3, 3):
        f(tf.ones([n, 4]))
    assert len(compiler_jobs) == 1  # the other one has to earn it


@pytest.mark.parametrize("long, at_once", [(1, 2), (64, 0)])
def test_long_stretches_between_host_operations_are_compiled_at_once(compiler_jobs, monkeypatch, long, at_once):
    monkeypatch.setattr(stretches, "LONG", long)
    calls = tf.Variable(0)

    @tf.function
    def f(x):
        calls.assign_add(1)
        y = tf.numpy_function(np.sort, [tf.tanh(x) * 2.0], tf.float32)
        y.set_shape(x.shape)
        return tf.exp(y) * x

    f(tf.ones([4]))
    assert len(compiler_jobs) == at_once


def test_what_compiling_takes_is_learnt():
    learning = Policy("mixed")
    for _ in range(40):
        learning.learn(3.0, 1.0)
    assert learning.slowness == pytest.approx(3.0, rel=1e-3)
    learning.learn(1e-3, 1.0)
    assert 1.0 < learning.slowness < 3.0
    learning.learn(1.0, 0.0)  # nothing was expected
    assert learning.slowness < 3.0


def test_integers_of_the_code_are_no_symbols():
    types = [((7, 9), np.dtype(np.float32))]
    assert Pattern(types, ()).sizes == {"s0": 7, "s1": 9}
    assert Pattern(types, (9,)).sizes == {"s0": 7}
    assert Pattern([((9, 9), np.dtype(np.int32))], ()).key == ((np.dtype(np.int32), -1, -1),)

    def asks(x):  # about a size that stands among its attributes
        return x * 2.0 if x.shape[0] == 7 else x * 3.0

    programs = Programs(asks, lambda: frozenset((7,)))
    for n, factor in ((8, 3.0), (7, 2.0), (9, 3.0)):
        x = np.ones(n, np.float32)
        assert programs.program([(x.shape, x.dtype)])(x).tolist() == [factor] * n


def test_results_belong_to_nobody_else():
    operand = np.zeros((5, 6), np.float32)
    operand.flags.writeable = False  # as what is interpreted gives it
    for fn in (
        lambda x: x,
        lambda x: x.T,
        lambda x: x[:2],
        lambda x: jnp.broadcast_to(x[0], (3, 6)),
        lambda x: x.reshape(30),
    ):
        kernel = Kernel("View", fn)
        out = kernel.run(operand)
        assert not np.shares_memory(out, operand) and not out.flags.writeable and type(out) is np.ndarray
    t = tf.constant([1.0, 2.0]) + 1.0
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(t)[0] = 5.0
    t.numpy()[0] = 5.0
    assert t.numpy().tolist() == [2.0, 3.0]


def test_what_is_traced_or_lies_on_a_given_device_is_compiled():
    kernel = Kernel("Double", lambda x: x * 2.0)
    assert jax.jit(lambda x: kernel.run(x))(jnp.ones(3)).tolist() == [2.0] * 3
    there = jax.device_put(X, jax.devices()[0])
    out = kernel.run(there)
    assert isinstance(out, jax.Array) and out.committed


def test_without_a_rule_it_is_compiled():
    def refuse(types):
        raise NoRule("here")

    kernel = Kernel("Double", lambda x: x * 2.0)
    kernel.interpreter = refuse
    assert isinstance(kernel.run(X), jax.Array) and way_of(kernel, X).state == "compiled"


def test_errors_are_those_of_the_compiled_kernel():
    for choice in ("interpreted", "compiled"):
        with (
            tf.extras.execution("immediate", tiers=choice),
            pytest.raises(tf.errors.InvalidArgumentError, match="MatMul"),
        ):
            tf.matmul(tf.ones([5, 6]), tf.ones([7, 5]))


def test_a_function_runs_before_it_is_compiled_and_gives_the_same():
    v = tf.Variable(1.0)

    def step(x):
        v.assign_add(tf.reduce_sum(x))
        return tf.nn.softmax(x) * v

    f = tf.function(step)
    x = tf.constant(X)
    first = f(x).numpy()
    tf.extras.wait_compiled()
    v.assign(1.0)
    np.testing.assert_allclose(f(x).numpy(), first, rtol=1e-6)
    assert float(v) == 16.0
    with tf.extras.execution("immediate", tiers="interpreted"):
        v.assign(1.0)
        np.testing.assert_allclose(tf.function(step)(x).numpy(), first, rtol=1e-6)


@pytest.mark.parametrize("mode", ["immediate", "fused"])
def test_gradients_before_and_after_a_function_is_compiled(mode):
    w = tf.Variable(X)
    f = tf.function(lambda x: tf.reduce_sum(tf.sin(w) * x))

    def gradient():
        with tf.GradientTape() as tape:
            y = f(tf.constant(X))
        return tape.gradient(y, w).numpy()

    with tf.extras.execution(mode):
        found = []
        for _ in range(4):
            found.append(gradient())
            tf.extras.wait_compiled()
    for g in found:
        np.testing.assert_allclose(g, np.cos(X) * X, rtol=1e-5, atol=1e-6)


def test_jit_compile_waits(monkeypatch):
    monkeypatch.setattr(background, "run", lambda work, first: pytest.fail("nothing is compiled beside it"))
    f = tf.function(lambda x: x * 2.0 + 1.0, jit_compile=True)
    assert f(tf.constant(X)).numpy().tolist() == (X * 2 + 1).tolist()


def test_choices():
    with pytest.raises(ValueError, match="tiers must be one of"):
        tf.extras.execution("immediate", tiers="no such")
    before = policy.choice
    with tf.extras.execution("immediate", tiers="interpreted"):
        assert policy.choice == "interpreted"
    assert policy.choice == before


def test_the_end_of_a_program_waits_for_no_compiler(run_python):
    program = """
import sys, threading
import tfgrad_jax as tf
from tfgrad_jax.engine.threads import background
gate = threading.Event()
background.run(lambda: background.at_low_priority(gate.wait))  # a compiler that never ends
print("done")
sys.exit(3)
"""
    done = run_python("-c", program)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (3, "done", "")


def test_a_heavy_function_waits_for_the_compiler(monkeypatch):
    """What is expected to take long when interpreted is compiled before its first call ends, not beside it."""
    monkeypatch.setattr(costs, "HEAVY_SECONDS", 1e-9)
    seen = []
    monkeypatch.setattr(background, "wait_until", lambda reached, seconds: seen.append(seconds) or wait_until(reached))
    w = tf.Variable(np.ones((4, 4), np.float32))

    @tf.function
    def step(x):
        w.assign_add(tf.matmul(x, w))
        return tf.reduce_sum(w)

    monkeypatch.setattr(costs, "SECONDS_A_BYTE", 1.0)
    assert float(step(tf.ones([4, 4]))) == 80.0
    assert len(seen) == 1 and seen[0] > 0
    assert float(step(tf.ones([4, 4]))) == 400.0
    assert len(seen) == 1  # it was there


def test_a_long_function_waits_for_the_compiler_at_work(monkeypatch):
    """Its first interpreted call would trace each of its operations, which takes longer than compiling them together."""
    waited = []
    monkeypatch.setattr(background, "run", lambda work, first: None)
    monkeypatch.setattr(background, "wait_until", lambda reached, seconds: waited.append(seconds))
    f = tf.function(lambda x: tf.reduce_sum(tf.sin(x) * 2.0), input_signature=[tf.TensorSpec([None])])
    monkeypatch.setattr(costs, "SECONDS_AN_OPERATION", 100.0)
    for n in (7, 8):  # the other size is not being compiled, so nothing would come of waiting
        assert float(f(tf.zeros([n]))) == 0.0
    assert len(waited) == 1


@pytest.mark.parametrize(
    ("work", "call", "compiling", "expected"),
    [
        # What comes once, as the last batch of an epoch, is interpreted: the compiler would take longer than its call.
        (10**10, 12.0, 100.0, [1, 1, 1, 1, 1, 2, 3]),
        # A loop's work is not known beforehand: what calls for other types took is.
        (0, 1.0, 2.0, [0, 1, 1, 1, 1, 1, 2]),
    ],
)
def test_other_types_are_waited_for_when_they_come_again(monkeypatch, work, call, compiling, expected):
    jobs = []
    monkeypatch.setattr(policy, "slowness", 1.0)
    monkeypatch.setattr(background, "run", lambda work, first: jobs.append(work))
    monkeypatch.setattr(background, "wait_until", lambda reached, seconds: jobs.pop()())
    kernel = Kernel("Double", lambda x: x * 2.0)
    compiled = []
    # Much of what 8 and 9 take at first may be preparation, such as compiling their convolutions: it does not count.
    for n in (7, 8, 9, 8, 9, 8, 9):
        kernel.tiers.idle_seconds, policy.slowness = compiling, 1.0
        way = way_of(kernel, np.ones(n, np.float32))
        way.expect(lambda: work)
        if way.call is None:
            way.note(call, preparing=2)
        compiled.append(kernel.tiers.compiled)
    assert compiled == expected


def test_types_of_which_there_are_many_are_waited_for_when_they_have_come_often(monkeypatch):
    jobs = []
    monkeypatch.setattr(background, "run", lambda work, first: jobs.append(work))
    monkeypatch.setattr(background, "wait_until", lambda reached, seconds: jobs.pop()())
    kernel = Kernel("Double", lambda x: x * 2.0)
    compiled = []
    # Each call takes 1 s: as many again as have come, twice, are worth the compiler's 6 s when size 8 comes for the fourth time.
    for n in (7, 8, 9, 10, 8, 9, 8, 8):
        kernel.tiers.idle_seconds, policy.slowness = 6.0, 1.0
        way = way_of(kernel, np.ones(n, np.float32))
        way.expect(lambda: 10**9)
        if way.call is None:
            way.note(1.0, preparing=8)
        compiled.append(kernel.tiers.compiled)
    assert compiled == [1, 1, 1, 1, 1, 1, 1, 2]


@pytest.mark.parametrize("many, calls", [(2, 2), (4, 5)])
def test_of_many_types_each_must_take_as_long_as_compiling_does(monkeypatch, many, calls):
    """Where there are few, what the program feels of the compiler beside it is enough."""
    jobs = []
    monkeypatch.setattr(background, "run", lambda work, first: jobs.append(work))
    monkeypatch.setattr(background, "waiting", lambda: 0)
    monkeypatch.setattr(costs, "BESIDE", 1 / 4)
    monkeypatch.setattr(policy, "slowness", 1.0)
    kernel = Kernel("Double", lambda x: x * 2.0)
    kernel.tiers.idle_seconds = 4.0
    ways = [way_of(kernel, np.ones(n, np.float32)) for n in range(7, 7 + many)]
    for count in range(1, 6):
        ways[0].note(1.0, preparing=1)
        assert len(jobs) == (count >= calls)


def test_how_long_a_kernel_takes_to_compile_is_learnt(eager_to_compile):
    kernel = Kernel("Double", lambda x: x * 2.0)
    kernel.tiers.idle_seconds = 1e-9  # it has earned that at once
    kernel.run(X), kernel.run(X)
    background.wait()
    assert way_of(kernel, X).call is not None and kernel.tiers.idle_seconds > 1e-6


def test_a_heavy_function_does_not_wait_longer_than_it_would_gain(monkeypatch):
    monkeypatch.setattr(costs, "HEAVY_SECONDS", 1e-9)
    monkeypatch.setattr(background, "wait_until", lambda reached, seconds: pytest.fail("it waited"))
    monkeypatch.setattr(costs, "COMPILE_SECONDS", 1e9)
    double = tf.function(lambda x: tf.sin(x) * 2.0)
    assert [float(double(tf.constant(0.0))) for _ in range(4)] == [0.0] * 4


def test_patience_counts_work_of_the_process(monkeypatch):
    """On a busy machine the compiler takes long by the clock, and so would interpretation."""
    waits = []

    class Idle(contextlib.nullcontext):
        def wait_for(self, reached, seconds):
            waits.append(seconds)

    worked, clock = iter([0.0, 0.0, 1.0, 1.0, 4.0]), itertools.count(0, 100).__next__
    monkeypatch.setattr(background, "_idle", Idle())
    monkeypatch.setattr(background, "time", types.SimpleNamespace(process_time=lambda: next(worked), monotonic=clock))
    wait_until(lambda: False, 3.0)
    assert waits == [3.0, 2.0, 2.0]


def test_urgent_work_goes_before_what_waits():
    done, go = [], threading.Event()
    background.run(go.wait)  # holds the compiler's thread until all are there
    for name, first in [("a", False), ("b", False), ("c", True)]:
        background.run(lambda name=name: done.append(name), first)
    go.set()
    background.wait()
    assert done == ["c", "a", "b"]


def test_work_counts_what_functions_inside_make():
    @tf.function(input_signature=[tf.TensorSpec([None, 4])])
    def inner(x):
        return x + 1.0

    outer = tf.function(lambda x: inner(x) * 2.0, input_signature=[tf.TensorSpec([None, 4])]).get_concrete_function()
    assert outer.lifted.work(10, 5) == 3 * 10 * 4 * 4  # a call, what is in it, and a product
    assert outer.lifted.size == 3
    square = tf.function(lambda x: x + 1.0, input_signature=[tf.TensorSpec([None, 2, None])]).get_concrete_function()
    assert square.lifted.work(10, 5) == 10 * 2 * 5 * 4  # not 10 along both


def test_a_compiler_that_is_told_to_stop_keeps_no_lock(run_python):
    """What stops the thread may reach it in the very moment in which it gets the lock that the ending program waits for."""
    program = """
import ctypes, sys, threading, time
import tfgrad_jax as tf
from tfgrad_jax.engine.threads import background
begun, gate = threading.Event(), threading.Event()

def work():
    begun.set()
    gate.wait()

background.run(work)
begun.wait()
worker = next(t for t in threading.enumerate() if t.name == "tfgrad_jax-compiler")
with background._idle:  # as when the program ends
    gate.set()
    while sys._current_frames()[worker.ident].f_code.co_name not in ("_serve", "__enter__"):
        time.sleep(0)  # until it has done its work, and wants the lock
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(worker.ident), ctypes.py_object(SystemExit))
worker.join()
print(background._idle.acquire(timeout=20))
"""
    done = run_python("-c", program)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "True", "")


def test_what_overwrites_a_variable_is_traced_once_it_is_compiled(eager_to_compile):
    """XLA is given options for what is compiled beside the program, which JAX refuses where it traces."""
    v, ids = tf.Variable(np.zeros((20000, 64), np.float32)), tf.constant([1, 5, 7])

    def update(x):
        v.scatter_sub(tf.IndexedSlices(x, ids))
        return v.read_value()

    for _ in range(4):
        update(tf.ones([3, 64]))
        tf.extras.wait_compiled()

    def pure(state, x):
        v.assign(tf.convert_to_tensor(state))
        return update(tf.convert_to_tensor(x)).array

    before = v.numpy()
    assert float(jax.jit(pure)(jnp.zeros_like(before), jnp.ones((3, 64), jnp.float32))[5, 0]) == -1.0
    v.assign(before)
