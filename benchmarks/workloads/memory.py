"""Peak memory: what a tape holds, and what a training step needs."""

from __future__ import annotations

import ctypes
import gc
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ..workload import Once, Program, Step, Steps, Wrap
from .mlp import perceptron

OPS, ELEMENTS = 200, 1 << 20
# Large blocks straight from the kernel, so that a freed array leaves the resident set at once.
HONEST_MALLOC = {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536"}


def _status(field: str) -> float:
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(field)) / 1024


def peak(program: Program, workload: Steps) -> float:
    """Megabytes that the resident set of a warm program rises to during one step, above what it was before."""
    step = program.build(workload)
    start = time.perf_counter()
    for done in range(1000):
        step()
        if done >= 4 and (not program.fused or time.perf_counter() - start > workload.settle):
            break
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    before = _status("VmRSS")
    with open("/proc/self/clear_refs", "w") as reset:
        reset.write("5")  # The peak counts from here.
    step()
    return _status("VmHWM") - before


def _chain(name: str, link: Callable[[Any, Any, int], Any]) -> Steps:
    def tensorflow(tf: Any, wrap: Wrap) -> Step:
        x = tf.constant(np.linspace(-1, 1, ELEMENTS, dtype=np.float32))

        def step() -> float:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x
                for index in range(OPS):
                    y = link(tf, y, index)
            gradient = tape.gradient(y, x)
            return float(gradient.numpy()[0])

        return step

    return Steps(name, name, tensorflow)


def _mixed(tf: Any, y: Any, index: int) -> Any:
    return tf.tanh(y) if index % 2 else y * y


def _tape(name: str, title: str, link: Callable[[Any, Any, int], Any]) -> Once:
    chain = _chain(name, link)
    return Once(name, f"peak of a tape over 200 x {title}, 4 MB each", lambda program: peak(program, chain), "MB",
                env=HONEST_MALLOC)


_LARGE = perceptron("memory-mlp", (1024, 2048, 2048, 10), 512)

WORKLOADS = [
    _tape("tape-mixed", "tanh and multiply", _mixed),
    _tape("tape-add", "add", lambda tf, y, index: y + 1.0),
    _tape("tape-relu", "relu", lambda tf, y, index: tf.nn.relu(y)),
    Once("memory-mlp", f"peak of {_LARGE.title}", lambda program: peak(program, _LARGE), "MB",
         ("tensorflow", "torch", "jax"), functions=True, env=HONEST_MALLOC),
]
