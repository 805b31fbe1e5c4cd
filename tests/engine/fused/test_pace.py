"""What never repeats is not noted for long, and what repeats is found out again; the compiler does not hold up the loop."""

from __future__ import annotations

import random
import threading

import pytest

import tfgrad_jax as tf
from tests.counting import calls
from tests.engine.fused.fusing import hot, is_pending
from tfgrad_jax.engine.fused import note, step
from tfgrad_jax.engine.fused.pace import Pace
from tfgrad_jax.engine.threads import background
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.extras import execution, flush, programs


def noted_share(trace_lengths, new):
    """Of the operations of so many traces, which share a thread notes: the others it runs immediately."""
    pace = Pace()
    noted = total = 0
    for i, length in enumerate(trace_lengths):
        total += length
        if pace.rest > 0:
            pace.rest -= length
            continue
        noted += length
        pace.note(length, new(i))
    return noted / total


@pytest.mark.parametrize("length", [1, 5, 50, 500, 4000])
def test_what_never_repeats_is_hardly_noted(length):
    traces = max(2_000_000 // length, 50)
    assert noted_share([length] * traces, lambda i: True) < (0.1 if length < 4000 else 0.3)


@pytest.mark.parametrize("length", [3, 5, 50, 500])
def test_what_repeats_is_noted(length):
    assert noted_share([length] * 1000, lambda i: i < 3) == 1.0
    assert noted_share([length] * 1000, lambda i: i % 3 == 0) == 1.0


@pytest.mark.parametrize("length", [1, 2])
def test_what_is_read_at_once_is_hardly_noted(length):
    assert noted_share([length] * 20_000, lambda i: i < 3) < 0.05
    assert noted_share([length, length, length, 3] * 1000, lambda i: i < 4) == 1.0


def test_a_longer_program_after_reads_is_noted_soon():
    pace = Pace()
    for _ in range(100_000):
        if pace.rest > 0:
            pace.rest -= 1
        else:
            pace.note(1, False)
    assert pace.rest <= 4000
    pace.rest = 0
    for _ in range(1000):
        pace.note(20, False)
        assert pace.rest <= 0


def test_what_begins_to_repeat_is_found_out():
    pace = Pace()
    for _ in range(10_000):
        if pace.rest > 0:
            pace.rest -= 20
        else:
            pace.note(20, True)
    waited = 0
    while pace.rest > 0:
        pace.rest -= 20
        waited += 20
    assert waited <= 1 << 17
    for i in range(100):
        pace.note(20, i < 2)
        assert pace.rest <= 0


@pytest.fixture
def fused(monkeypatch):
    monkeypatch.setattr(context, "pace", Pace())  # other tests' programs are not this one's past
    with execution("fused"):
        yield


choosing = random.Random(0)


def forget_the_loop():
    for _ in range(60):
        y = tf.constant([1.0])
        for _ in range(20):
            y = choosing.choice([tf.sin, tf.cos, tf.tanh, tf.exp])(y)
        float(y[0])


def test_a_resting_thread_runs_at_once_and_notes_again(fused):
    forget_the_loop()
    assert context.pace.rest > 0
    y = tf.constant([1.0]) + 1.0
    assert not is_pending(y) and context.executor is note.resting
    context.pace.rest = 3
    with tf.GradientTape() as tape:
        x = tf.Variable(2.0)
        for _ in range(10):
            y = x * x
            assert not is_pending(y)  # not within a tape that began otherwise
    assert float(tape.gradient(y, x)) == 4.0
    y = tf.constant([1.0]) + 1.0
    assert is_pending(tf.constant([1.0]) + 1.0)


def test_a_loop_that_reads_each_value_rests_and_a_longer_one_does_not(fused):
    x = tf.constant([1.0, 2.0])
    for i in range(300):
        assert (x * float(i)).numpy().tolist() == [i, 2 * i]
    assert context.executor is note.resting
    assert "read as soon as it was computed" in str(programs())
    for _ in range(context.pace.rest):
        x * 2.0
    for _ in range(300):
        y = tf.sin(x * 2.0) + 1.0
        assert is_pending(y)
        y.numpy()


def test_resting_begins_inside_a_tape(fused):
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * x
        forget_the_loop()
        z = y * x
    assert context.executor is note.resting
    assert float(tape.gradient(z, x)) == 12.0


def test_choosing_a_mode_ends_the_rest(fused):
    forget_the_loop()
    assert not is_pending(tf.constant([1.0]) + 1.0)
    execution("immediate")
    execution("fused")
    assert is_pending(tf.constant([1.0]) + 1.0)


def test_no_step_waits_for_the_compiler(monkeypatch):
    """While a program compiles, which may take long, the loop goes on, with the right results."""
    gate = threading.Event()
    at_low_priority = background.at_low_priority

    def slow(work):
        gate.wait(300)  # the loop ends long before
        at_low_priority(work)

    monkeypatch.setattr(background, "at_low_priority", slow)
    with hot():
        w = tf.Variable([1.0, 2.0])
        try:
            for i in range(30):
                w.assign(tf.sin(w) * 0.0 + float(i))
                assert w.numpy().tolist() == [i, i]
            assert background.waiting()
        finally:
            gate.set()
            background.wait()
        w.assign(tf.sin(w) * 0.0 + 7.0)
        assert w.numpy().tolist() == [7.0, 7.0]


def test_the_compiler_is_not_flooded(monkeypatch):
    gate = threading.Event()
    at_low_priority = background.at_low_priority
    monkeypatch.setattr(background, "at_low_priority", lambda work: (gate.wait(300), at_low_priority(work)))
    try:
        with hot():
            for n in range(2, 30):
                x = tf.ones([n])
                for _ in range(4):
                    float(tf.reduce_sum(tf.exp(x) * 2.0))
            assert background.waiting() <= background.WAITING_LIMIT
    finally:
        gate.set()
        background.wait()


EXITING = """
import atexit, threading
import tfgrad_jax as tf
from tfgrad_jax.engine.fused import program
from tfgrad_jax.engine.threads import background
program.HOT_SECONDS, program.HOT_WALKS = 0.0, 1
ending, compiled = threading.Event(), background.at_low_priority
background.at_low_priority = lambda work: (ending.wait(300), compiled(work))
x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
y = x
for _ in range(4):
    y = x
    for i in range(150):
        y = tf.sin(tf.tanh(y) * 1.01 + 0.1)
    float(y[0, 0])
print(background.waiting() > 0)
atexit.register(ending.set)
"""


@pytest.mark.modeless
def test_a_process_ends_cleanly_while_compiling(run_python):
    done = run_python("-c", EXITING, env={"TFGRAD_JAX_MODE": "fused", "JAX_ENABLE_COMPILATION_CACHE": "0"})
    assert done.returncode == 0 and done.stdout.strip() == "True" and not done.stderr, (done.stdout, done.stderr)


IDLE = """
import os, sys, threading, time
from tfgrad_jax.engine.threads import background
begun = threading.Event()
def work():  # has no turn for longer than the threads of a process that is done get, as on a busy machine
    try:
        begun.set()
        time.sleep(0.5)
        time.sleep(0)
    finally:
        os.write(1, b"stopped\\n")
background.run((lambda: background.at_low_priority(work)) if sys.argv[1] == "apart" else work)
begun.wait()
"""


@pytest.mark.modeless
@pytest.mark.parametrize("thread", ["compiler", "apart"])
def test_an_ending_process_waits_until_its_compiler_had_its_turn(run_python, thread):
    """A thread that the interpreter takes down under C++ code destroys Python objects without its lock, and crashes."""
    done = run_python("-c", IDLE, thread)
    assert (done.returncode, done.stdout, done.stderr) == (0, "stopped\n", "")


@pytest.mark.modeless
def test_pending_operations_of_an_ending_process_are_dropped(run_python):
    program = "import tfgrad_jax as tf; y = tf.constant([1.0]) + 1.0; print('done')"
    done = run_python("-c", program, env={"TFGRAD_JAX_MODE": "fused"})
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


@pytest.mark.modeless
def test_work_is_linear_in_the_length_of_a_tape(monkeypatch):
    monkeypatch.setattr("tfgrad_jax.engine.fused.pace._EVIDENCE", 1e9)  # no rest from noting

    def chain(length):
        # Nothing is known of it, whatever ran before: no step, no program that is hot.
        monkeypatch.setattr(step.trie, "root", step.Step(None, None, (), ()))
        monkeypatch.setattr(context, "pace", Pace())
        x = tf.constant(1.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in range(length):
                y = y * 1.0
        float(tape.gradient(y, x))
        flush()

    with execution("fused"):  # both longer than a trace may be
        chain(6000)
        short, long = calls(lambda: chain(6000)), calls(lambda: chain(18_000))
    assert long < 3 * short * 1.3
