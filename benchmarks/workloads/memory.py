"""Peak memory: what a tape holds, and what a training step needs."""

from __future__ import annotations

import ctypes
import gc
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.workload import Once, Program, Step, Steps, Wrap

from .mlp import perceptron

OPS, ELEMENTS = 200, 1 << 20
# Large blocks straight from the kernel, so that a freed array leaves the resident set at once.
HONEST_MALLOC = {"MALLOC_MMAP_THRESHOLD_": str(1 << 20)}


def _status(field: str) -> float:
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(field)) / 1024


def resident() -> float:
    """The resident set, in megabytes."""
    return _status("VmRSS")


def peak(program: Program, workload: Steps, rehearsal: Steps) -> float:
    """Megabytes by which the resident set grows to the peak of a warm step, its variables and data included.

    Args:
        program: The peer.
        workload: What is measured. It counts from before it is built, as some allocators keep what they once had.
        rehearsal: The same program on smaller arrays, so that what the framework itself needs is there beforehand. They are
            large enough that it is compiled: what the compiler loads is no tape's.
    """

    def warmed(workload: Steps) -> Step:
        step = program.build(workload)
        start = time.perf_counter()
        for done in range(1000):
            step()
            if done >= 4 and (not program.fused or time.perf_counter() - start > workload.settle):
                break
        if hasattr(program.module, "extras"):  # what is compiled beside the steps is compiled by now
            program.module.extras.wait_compiled()
        gc.collect()
        ctypes.CDLL(None).malloc_trim(0)
        return step

    warmed(rehearsal)
    before = resident()
    step = warmed(workload)
    with open("/proc/self/clear_refs", "w") as reset:
        reset.write("5")  # The peak counts from here.
    step()
    return _status("VmHWM") - before


def _chain(link: Callable[[Any, Any, int], Any], elements: int) -> Steps:
    def tensorflow(tf: Any, wrap: Wrap) -> Step:
        x = tf.constant(np.linspace(-1, 1, elements, dtype=np.float32))

        def step() -> float:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x
                for index in range(OPS):
                    y = link(tf, y, index)
            gradient = tape.gradient(y, x)
            return float(gradient[0])

        return step

    return Steps("chain", "chain", tensorflow)


def _mixed(tf: Any, y: Any, index: int) -> Any:
    return tf.tanh(y) if index % 2 else y * y


def _tape(name: str, title: str, link: Callable[[Any, Any, int], Any]) -> Once:
    large, small = _chain(link, ELEMENTS), _chain(link, ELEMENTS // 4)
    title = f"peak of a tape over 200 x {title}, 4 MB each"
    return Once(name, title, lambda program: peak(program, large, small), "MB", env=HONEST_MALLOC)


_LARGE = perceptron("memory-mlp", (1024, 2048, 2048, 10), 512)
_SMALL = perceptron("memory-mlp-small", (256, 512, 512, 10), 128)

WORKLOADS = [
    _tape("tape-mixed", "tanh and multiply", _mixed),
    _tape("tape-add", "add", lambda tf, y, index: y + 1.0),
    _tape("tape-relu", "relu", lambda tf, y, index: tf.nn.relu(y)),
    Once(
        "memory-mlp",
        f"peak of {_LARGE.title}",
        lambda program: peak(program, _LARGE, _SMALL),
        "MB",
        ("tensorflow", "torch", "jax"),
        functions=True,
        env=HONEST_MALLOC,
    ),
]
