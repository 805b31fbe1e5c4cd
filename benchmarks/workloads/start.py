"""How long it takes to get going, and how time grows with the length of a tape."""

from __future__ import annotations

import time
from typing import Any

from benchmarks.workload import Command, Once, Program, Steps

from . import attention, cnn, gru, hvp, mlp, small

FIRST = 30

_TAPE = """\
import {module} as tf
x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = x**2
assert float(tape.gradient(y, x)) == 6.0
"""
_TORCH = """\
import torch
x = torch.tensor(3.0, requires_grad=True)
(x**2).backward()
assert float(x.grad) == 6.0
"""
_JAX = """\
import jax
assert float(jax.grad(lambda x: x**2)(3.0)) == 6.0
"""


def _first(workload: Steps, count: int) -> Once:
    def measure(program: Program) -> float:
        step = program.build(workload)
        start = time.perf_counter()
        for _ in range(count):
            step()
        return time.perf_counter() - start

    name = f"first{count}-{workload.name}" if count > 1 else f"compile-{workload.name}"
    title = f"first {count} steps of {workload.title}" if count > 1 else f"first step of {workload.title}"
    return Once(name, title, measure, "s", ("tensorflow", "jax"), functions=True)


def growth(program: Program) -> float:
    """Microseconds per op of a tape of 100,000 ops, divided by that of a tape of 1,000."""
    tf: Any = program.module

    def per_op(length: int) -> float:
        x = tf.constant(1.0)
        factor = tf.constant(1.0)
        start = time.perf_counter()
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in range(length):
                y = y * factor
        assert float(tape.gradient(y, x)) == 1.0
        return (time.perf_counter() - start) / length

    per_op(1000)
    short = sorted(per_op(1000) for _ in range(9))[4]
    return per_op(100_000) / short


WORKLOADS = [
    Command("cold", "import and first gradient of y = x**2, cold", {"tensorflow": _TAPE, "torch": _TORCH, "jax": _JAX}),
    Once("deep", "time per op, 100,000 recorded ops against 1,000", growth, "x"),
    *(
        _first(workload, FIRST)
        for module in (small, mlp, cnn, gru, attention, hvp)
        for workload in module.WORKLOADS
        if workload.name not in ("op", "gru-range")
    ),
    *(_first(workload, 1) for workload in gru.WORKLOADS),
]
