"""What runs as a part of a program that is compiled as a whole is not compiled apart."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf
from tests.engine.kernels.tiering import way_of
from tests.threads import in_threads
from tfgrad_jax.engine.fused import program
from tfgrad_jax.engine.kernels import costs, tiers
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.threads import background
from tfgrad_jax.engine.threads.whole import parts_of

pytestmark = pytest.mark.usefixtures("by_measured_cost")
X = np.arange(6, dtype=np.float32)


def test_parts_of_what_is_compiled_are_not_compiled_apart(compiler_jobs):
    inner = tf.function(lambda x: tf.reduce_sum(x * 2.0))
    outer = tf.function(lambda x: inner(x) + tf.while_loop(lambda s: s < 3.0, lambda s: s + 1.0, [tf.reduce_max(x)])[0])
    for _ in range(4):
        outer(tf.ones([4]))
    assert len(compiler_jobs) == 1
    inner(tf.ones([4]))
    assert len(compiler_jobs) == 2


def test_what_waits_is_not_compiled_if_a_program_around_it_is(compiler_jobs, monkeypatch):
    class Around:
        is_coming = False

    around = Around()
    monkeypatch.setattr(costs, "SMALL_SECONDS", 0.0)
    kernel = Kernel("Twice", lambda x: x * 2)
    way = way_of(kernel, X)
    with parts_of(around):
        way.want()
        assert way.state == "compiling"
        around.is_coming = True
        compiler_jobs.pop()()
        assert way.state == "interpreted" and way.call is None
        way.want()
        assert not compiler_jobs
    way.want()
    assert way.state == "compiling"


def test_operations_of_a_trace_that_is_compiling_are_not_compiled_apart(compiler_jobs, monkeypatch):
    monkeypatch.setattr(background, "run", lambda work, first=False: compiler_jobs.append(work))
    monkeypatch.setattr(program, "HOT_SECONDS", 0.0)
    monkeypatch.setattr(costs, "SMALL_SECONDS", 0.0)

    def run():
        (tf.sin(tf.constant(X)) * 2.0 + 1.0).numpy()

    def in_a_trace():
        with tf.extras.execution("fused"):
            for _ in range(6):
                run()
            assert len(compiler_jobs) == 1  # the trace
            monkeypatch.setattr(tiers.Tiers, "compile_seconds", 0.0)
            run()
            assert len(compiler_jobs) == 1

    in_threads(in_a_trace)  # this thread may rest from noting, by what ran in it before
    with tf.extras.execution("immediate"):
        run()
        assert len(compiler_jobs) > 1
