"""Interrupts: raised at once, wherever they come, and nothing is lost."""

from __future__ import annotations

import dis
import sys
import threading
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import tfgrad_jax as tf
from tests.engine.fused.fusing import hot, is_pending
from tfgrad_jax.engine.fused import program
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.run.execute import execute
from tfgrad_jax.engine.threads import background
from tfgrad_jax.engine.threads.context import set_recorders
from tfgrad_jax.extras import execution, flush

PACKAGE = str(Path(tf.__file__).parent)


def interrupted(times=1):
    """An operation during whose run an interrupt comes, the first so many times; counts its runs."""
    runs = []
    kernel = Kernel("Slow", lambda x: x + 1.0, differentiable=0)
    compiled = kernel.compiled

    def run(x):
        runs.append(1)
        if len(runs) <= times:
            raise KeyboardInterrupt
        return compiled(x)

    kernel.run = run
    return kernel, runs


def counting():
    runs = []
    kernel = Kernel("Counted", lambda x: x * 3.0, differentiable=0)
    compiled = kernel.compiled
    kernel.run = lambda x: runs.append(1) or compiled(x)
    return kernel, runs


def test_an_interrupt_stops_at_the_operation_that_runs_and_the_rest_runs_when_it_is_asked_for():
    with hot():
        v = tf.Variable([1.0, 1.0])
        before, before_runs = counting()
        slow, slow_runs = interrupted()
        after, after_runs = counting()
        v.assign(execute(slow, (execute(before, (v * 2.0,)),)))
        last = execute(after, (v * 1.0,))
        with pytest.raises(KeyboardInterrupt):
            last.numpy()
        assert (len(before_runs), len(slow_runs), len(after_runs)) == (1, 1, 0)
        assert is_pending(last) and is_pending(v)
        assert v.numpy().tolist() == [7.0, 7.0] and last.numpy().tolist() == [21.0, 21.0]
        assert (len(before_runs), len(slow_runs), len(after_runs)) == (1, 2, 1)


def test_every_press_counts():
    with hot():
        slow, runs = interrupted(3)
        y = execute(slow, (tf.constant([1.0]) * 1.0,))
        for _ in range(3):
            with pytest.raises(KeyboardInterrupt):
                y.numpy()
        assert y.numpy().tolist() == [2.0] and len(runs) == 4


def test_the_loop_goes_on_after_an_interrupt():
    with hot():
        v = tf.Variable(0.0)
        slow, _ = interrupted()
        for i in range(6):
            v.assign(execute(slow, (v * 1.0,)))
            if i:
                assert float(v) == i + 1.0
            else:
                with pytest.raises(KeyboardInterrupt):
                    flush()


def test_another_trace_uses_what_an_interrupt_left():
    with hot():
        slow, _ = interrupted()
        y = execute(slow, (tf.constant([1.0]) * 1.0,))
        with pytest.raises(KeyboardInterrupt):
            y.numpy()
        z = y * 10.0
        assert is_pending(z) and z.numpy().tolist() == [20.0]


@cache
def names(code):
    return {i.offset: i.opname for i in dis.get_instructions(code)}


def places(limit):
    """A trace function that interrupts at the `limit`-th place of the package where Python may; and the places so far.

    Python looks for interrupts where a function begins, after a call of one that is not Python code, and on the way back in a loop.
    """
    seen = [0]
    before = {}  # the instruction that each frame has run last

    def local(frame, event, arg):
        if event == "opcode":
            name = before.get(frame)
            before[frame] = names(frame.f_code)[frame.f_lasti]
            if name == "RESUME" or (name is not None and (name.startswith("CALL") or "JUMP_BACKWARD" in name)):
                seen[0] += 1
                if seen[0] == limit:
                    sys.settrace(None)
                    raise KeyboardInterrupt
        elif event == "return":
            before.pop(frame, None)
        return local

    def trace(frame, event, arg):
        before[frame.f_back] = None
        if not frame.f_code.co_filename.startswith(PACKAGE) or in_finalizer(frame):
            return None
        before[frame] = "RESUME"
        frame.f_trace_opcodes = True
        return local

    return trace, seen


def in_finalizer(frame):
    """Whether a finalizer or the callback of a weak reference runs: Python raises nothing from there, and prints an interrupt."""
    while frame is not None and "weakref" not in frame.f_code.co_filename:
        frame = frame.f_back
    return frame is not None


def places_of(step):
    trace, seen = places(-1)
    sys.settrace(trace)
    try:
        step()
    finally:
        sys.settrace(None)
    return seen[0]


def interrupt(step, limit):
    """Run a step that is interrupted at a place; whether it was."""
    trace, _ = places(limit)
    sys.settrace(trace)
    try:
        step()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(None)
        set_recorders(())  # the interrupt may have come just before or after a `with` takes charge of its tape
    return False


def runs_on_another_thread(step):
    """No interrupt has left a lock behind, for which another thread would wait for ever."""
    thread = threading.Thread(target=step, daemon=True)
    thread.start()
    thread.join(120)
    return not thread.is_alive()


@pytest.mark.parametrize("walks", [True, False])
def test_interrupts_anywhere_leave_a_consistent_state(walks):
    """Of a loop that adds one to every variable, interrupted anywhere, all variables tell the same count."""
    variables = [tf.Variable(np.zeros(8, np.float32)) for _ in range(3)]
    one = tf.ones([8])

    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(variables[0] * 0.0)
        grad = tape.gradient(loss, variables[0])
        new = [v + one + grad for v in variables]
        for v, n in zip(variables, new, strict=True):
            v.assign(n)
        return float(tf.reduce_sum(variables[0]))

    with hot():
        if walks:
            program.HOT_SECONDS = 1e9  # as `hot` finds it, it leaves it
        for _ in range(5):
            step()
            background.wait()
        count = places_of(step)
        for limit in range(1, count, 3):
            if not interrupt(step, limit):  # it passed fewer places than before
                break
            found = [v.numpy() for v in variables]
            for array in found:
                assert (array == array[0]).all(), limit
            # The interrupt may come between two assignments of the loop itself, as anywhere in Python.
            counts = [float(array[0]) for array in found]
            assert max(counts) - min(counts) <= 1.0 and counts == sorted(counts, reverse=True), limit
            for v in variables:
                v.assign(np.full(8, max(counts), np.float32))
    assert runs_on_another_thread(step)


@pytest.mark.parametrize("mode", ["immediate", "fused"])
@pytest.mark.parametrize("taped", [False, True])
def test_interrupts_anywhere_of_a_function_that_assigns(mode, taped):
    """A call happens as a whole, or not at all."""
    v, n = tf.Variable(np.zeros(8, np.float32)), tf.Variable(0)

    @tf.function
    def add(x):
        v.assign_add(x)
        n.assign_add(1)
        return v * 1.0

    one = tf.ones([8])

    def step():
        if taped:
            with tf.GradientTape():
                return add(one)
        return add(one)

    with execution(mode):
        for _ in range(3):
            step()
        count = places_of(step)
        for limit in range(1, count, 1 if not taped else 5):
            if not interrupt(step, limit):  # it passed fewer places than before
                break
            value, times = v.numpy(), int(n)
            assert (value == value[0]).all(), limit
            if not taped:
                assert float(value[0]) == times, limit
            v.assign(np.full(8, times, np.float32))
    assert runs_on_another_thread(step)


@pytest.mark.usefixtures("compiled_at_once")
def test_a_failed_call_leaves_the_variables(monkeypatch):
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def f(x):
        v.assign_add(x)
        tf.debugging.assert_positive(x)
        return x

    f(tf.constant([1.0, 1.0]))
    with pytest.raises(tf.errors.InvalidArgumentError):
        f(tf.constant([-1.0, -1.0]))

    def failing(*arguments):
        raise RuntimeError("RESOURCE_EXHAUSTED: out of memory")

    monkeypatch.setattr("tfgrad_jax.engine.function.running.call_uninterrupted", failing)
    with pytest.raises(tf.errors.ResourceExhaustedError):
        f(tf.constant([1.0, 1.0]))
    monkeypatch.undo()
    f(tf.constant([1.0, 1.0]))
    assert v.numpy().tolist() == [3.0, 4.0]
