"""Inputs of many lengths: what 2,000 new ones cost in memory and time, and what 50 cost that come back."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.workload import RATE, Once, Program, weights

from .memory import resident

NEW, AGAIN = 2000, 50


def _step(program: Program) -> Callable[[int], float]:
    tf = program.module
    rng = np.random.default_rng(0)
    w, out = (tf.Variable(weights(rng, *shape)) for shape in ((3, 4), (4, 1)))

    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.tanh(x @ w) @ out))
        for variable, gradient in zip((w, out), tape.gradient(loss, (w, out)), strict=True):
            variable.assign_sub(RATE * gradient)
        return loss

    run = program.wrap(step)
    return lambda n: float(run(tf.constant(np.ones((n, 3), np.float32))))


def _grown(program: Program) -> float:
    step = _step(program)
    step(1)
    before = resident()
    for n in range(2, NEW + 2):
        step(n)
    return resident() - before


def _new(program: Program) -> float:
    step = _step(program)
    step(1)
    start = time.perf_counter()
    for n in range(2, AGAIN + 2):
        step(n)
    return (time.perf_counter() - start) / AGAIN * 1e3


def _again(program: Program) -> float:
    step = _step(program)
    for n in range(2, AGAIN + 2):
        step(n)
    start = time.perf_counter()
    for n in range(2, AGAIN + 2):
        step(n)
    return (time.perf_counter() - start) / AGAIN * 1e3


WORKLOADS = [
    Once("lengths-memory", f"growth over {NEW:,} new lengths of a training step", _grown, "MB", functions=True),
    Once("lengths-new", "a training step of a new length", _new, "ms", functions=True),
    Once("lengths-again", f"a training step of {AGAIN} lengths, the second round", _again, "ms", functions=True),
]
