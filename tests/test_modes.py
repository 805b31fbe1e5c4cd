"""Choosing how operations run: the environment variable, the function, the context manager."""

from __future__ import annotations

import threading

import pytest

import tfgrad_jax as tf
from tests.engine.fused.fusing import is_pending
from tfgrad_jax.engine.fused.note import resting
from tfgrad_jax.engine.fused.pace import Pace
from tfgrad_jax.engine.threads.context import Context, context
from tfgrad_jax.extras import execution, flush


@pytest.fixture(autouse=True)
def _restored():
    with execution("immediate"):
        yield


def waits():
    """Whether operations wait on this thread."""
    y = tf.constant([1.0]) + 1.0
    return is_pending(y)


def test_as_a_context_manager():
    assert not waits()
    with execution("fused"):
        assert waits()
        with execution("immediate"):
            assert not waits()
        assert waits()
    assert not waits()


def test_a_context_manager_restores_after_an_exception():
    with pytest.raises(KeyError), execution("fused"):
        raise KeyError
    assert not waits()


def test_as_a_function():
    execution("fused")
    assert waits()
    execution("immediate")
    assert not waits()


def test_called_it_holds_for_threads_that_start_later():
    def in_a_thread():
        found = []
        t = threading.Thread(target=lambda: found.append(waits()))
        t.start()
        t.join()
        return found[0]

    with execution("fused"):
        inside = in_a_thread()
    before = in_a_thread()
    assert inside == before  # a context manager is of its own thread
    try:
        execution("fused")
        assert in_a_thread()
        execution("immediate")
        assert not in_a_thread()
    finally:
        execution("fused" if before else "immediate")


@pytest.mark.parametrize("mode", ["eager", "", None, 1])
def test_other_modes_are_refused(mode):
    with pytest.raises(ValueError, match="immediate"):
        execution(mode)
    assert not waits()


PROGRAM = """
import tfgrad_jax as tf
y = tf.constant([1.0]) + 1.0
print(y.held is None)
"""


@pytest.mark.parametrize(("mode", "expected"), [("fused", "True"), ("immediate", "False")])
def test_the_environment_variable(run_python, mode, expected):
    done = run_python("-c", PROGRAM, env={"TFGRAD_JAX_MODE": mode})
    assert done.stdout.strip() == expected, done.stderr


def test_a_wrong_environment_variable_is_named(run_python):
    done = run_python("-c", PROGRAM, env={"TFGRAD_JAX_MODE": "fast"})
    assert done.returncode and "fast" in done.stderr and "immediate" in done.stderr


def test_flush_in_immediate_mode_does_nothing():
    flush()


def test_another_mode_for_a_while_where_fused_mode_rests():
    with execution("fused"):
        context.executor = context.eager = resting
        context.pace = Pace()
        with execution("immediate"):
            pass
        assert (tf.constant([1.0]) + 1.0).numpy() == 2.0


# -- where functions are traced --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["immediate", "fused"])
def test_what_is_eager_inside_a_function_runs_in_the_mode_of_the_thread(mode):
    seen = []

    @tf.function
    def f(x):
        with tf.init_scope():
            seen.append(waits())
        return x

    with execution("immediate" if mode == "fused" else "fused"), execution(mode):
        f(1.0)
        with tf.init_scope():
            seen.append(waits())
    assert seen == [mode == "fused"] * 2


@pytest.mark.parametrize("mode", ["immediate", "fused"])
def test_a_mode_chosen_while_a_function_is_traced(mode):
    seen = []

    def choosing(x):
        execution(mode)
        with tf.init_scope():
            seen.append(waits())
        return x + 1.0

    def within(x):
        with execution(mode):
            with tf.init_scope():
                seen.append(waits())
            return x + 1.0

    before = Context.default_executor
    try:
        with execution("immediate" if mode == "fused" else "fused"):
            other = waits()
            f = tf.function(within)
            assert float(f(tf.constant(1.0))) == 2.0
            assert waits() is other
            f = tf.function(choosing)
            assert float(f(tf.constant(1.0))) == 2.0
            assert seen == [mode == "fused"] * 2
            assert waits() == (mode == "fused")
            assert float(f(tf.constant(2.0))) == 3.0
    finally:
        Context.default_executor = before


def test_checking_numerics_leaves_the_mode_as_it_was():
    with execution("fused"):
        tf.debugging.enable_check_numerics()
        try:
            assert not waits()
        finally:
            tf.debugging.disable_check_numerics()
        assert waits()
