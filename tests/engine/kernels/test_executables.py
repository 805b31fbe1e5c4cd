"""The budget of executables, and kernels that keep theirs bare."""

from __future__ import annotations

import gc

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tfgrad_jax as tf
from tfgrad_jax.engine.kernels import executables
from tfgrad_jax.engine.kernels.executables import FEW, Budget, ByTypes, budget
from tfgrad_jax.engine.kernels.kernel import Kernel


class Held:
    def __init__(self, weight=1):
        self.used, self.weight, self.dropped = 0, weight, 0

    def drop(self):
        self.weight, self.dropped = 0, self.dropped + 1


def test_what_was_not_used_for_longest_goes_first():
    own = Budget(16)
    holders = [Held() for _ in range(16)]
    for h in holders:
        own.made(h)
    holders[0].used = own.now
    new = Held()
    own.made(new)
    assert [h.dropped for h in holders] == [0, 1, 1, *[0] * 13] and not new.dropped
    assert own.held == 15


def test_what_nobody_holds_counts_no_more():
    own = Budget(4)
    own.made(Held(3))
    gc.collect()
    own.made(kept := Held(3))
    assert own.held == 3 and not kept.dropped


def test_what_alone_is_over_the_limit_stays():
    own = Budget(2)
    own.made(large := Held(9))
    assert not large.dropped


def test_a_kernel_of_few_types_is_called_by_jax_itself():
    kernel = Kernel("Twice", lambda x: x * 2)
    for n in range(FEW - 1):
        kernel.compiled(np.ones(n, np.float32))
    assert not isinstance(kernel.compiled, ByTypes) and kernel.weight == (FEW - 1) * executables.WITH_SOURCE


def test_large_programs_for_a_few_types_stay():
    """A training step of a large model, for the last batch as well, and the step that validates."""
    assert 6 * executables.weight(5_600, bare=False) <= executables.LIMIT


def test_a_kernel_of_many_types_compiles_each_once():
    traced = []

    def twice(x):
        traced.append(x.shape)
        return x * 2

    kernel = Kernel("Twice", twice)
    for _ in range(3):
        for n in range(30):
            assert kernel.compiled(np.ones(n, np.float32)).tolist() == [2.0] * n
    assert traced == [(n,) for n in range(30)] and isinstance(kernel.compiled, ByTypes)
    assert kernel.compiled(np.ones(3, np.int32)).dtype == np.int32 and len(traced) == 31


def test_what_is_dropped_is_compiled_again():
    kernel = Kernel("Twice", lambda x: x * 2)
    for n in (2, 3, *range(FEW * 2), 3):
        kernel.compiled(np.ones(n, np.float32))
    before = budget.now
    limit = tf.extras.executables_limit()
    try:
        assert tf.extras.executables_limit(1) == 1 and budget.held <= executables.WITH_SOURCE * FEW
        for n in (3, 5, 3):
            assert kernel.compiled(np.ones(n, np.float32)).tolist() == [2.0] * n
        assert budget.now > before
    finally:
        tf.extras.executables_limit(limit)
    single = Kernel("Thrice", lambda x: x * 3)
    single.compiled(np.ones(2, np.float32))
    single.drop()
    assert single.compiled(np.ones(2, np.float32)).tolist() == [3, 3] and single.weight == executables.WITH_SOURCE


def test_a_kernel_of_many_types_inside_what_jax_traces():
    kernel = Kernel("Square", lambda x: x * x, many=True)
    assert kernel.compiled(jnp.float32(3)) == 9
    assert jax.jit(lambda x: kernel.compiled(x) + 1)(jnp.float32(2)) == 5
    assert jax.grad(lambda x: kernel.compiled(x))(jnp.float32(4)) == 8
    assert jax.vmap(kernel.compiled)(jnp.arange(3.0)).tolist() == [0, 1, 4]
    assert jax.jit(lambda x: kernel.compiled(x))(np.ones(2, np.int8)).tolist() == [1, 1]  # of types not met before


def test_a_kernel_that_nobody_holds_takes_its_executables_along():
    gc.collect()
    before = budget.held
    kernel = Kernel("Twice", lambda x: x * 2)
    for n in range(FEW + 5):
        kernel.compiled(np.ones(n, np.float32))
    assert budget.held == before + FEW * executables.WITH_SOURCE + 5
    del kernel
    gc.collect()
    assert budget.held == before


@pytest.mark.usefixtures("compiled_at_once")
@pytest.mark.parametrize("kind", ["eager", "function"])
def test_lengths_that_come_back_compile_nothing(kind, monkeypatch):
    monkeypatch.setattr("tfgrad_jax.engine.fused.program.HOT_SECONDS", 1e9)  # whole traces compile by the clock
    variables = [tf.Variable(np.ones((3, 4), np.float32)), tf.Variable(np.ones((4, 1), np.float32))]

    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.tanh(x @ variables[0]) @ variables[1]))
        for v, g in zip(variables, tape.gradient(loss, variables), strict=True):
            v.assign_sub(0.01 * g)
        return loss

    run = tf.function(step) if kind == "function" else step
    rounds = []
    for _ in range(3):
        for n in range(1, 21):
            float(run(tf.ones([n, 3])))
        rounds.append(budget.now)
    assert rounds[0] == rounds[1] == rounds[2]


def test_many_lengths_stay_within_the_budget():
    limit = tf.extras.executables_limit()
    v = tf.Variable([1.0, 2.0, 3.0])
    try:
        tf.extras.executables_limit(60)
        for n in range(1, 30):
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(tf.linalg.matvec(tf.ones([n, 3]), v) * 2.0)
            assert tape.gradient(y, v).numpy().tolist() == [2.0 * n] * 3
            assert budget.held <= 60 + executables.WITH_SOURCE * FEW
    finally:
        tf.extras.executables_limit(limit)
