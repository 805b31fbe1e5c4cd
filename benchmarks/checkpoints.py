"""``python -m benchmarks.checkpoints``: variables saved and restored, the same source under either module, side by side.

Each module has a process of its own; they take turns, and each ratio is taken within a turn before the median over the turns.
Memory is the largest resident size of the process beyond what it was before there were variables, over the size of the variables.
"""

from __future__ import annotations

import importlib
import resource
import statistics
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.beside import compare

MEGABYTES = 1024
MEGABYTE = 1 << 20
TIMES = 3


def resident() -> int:
    """How much memory the process has."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def largest() -> int:
    """How much it had at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def measure(module: str) -> dict[str, float]:
    """Medians of seconds, and memory over the size of the data."""
    with tempfile.TemporaryDirectory() as folder:
        return measured(importlib.import_module(module), folder)


def measured(tf: Any, folder: str) -> dict[str, float]:
    warm = tf.train.Checkpoint(v=tf.Variable(np.ones(1000, np.float32)))
    warm.restore(warm.save(folder + "/warm"))
    before = resident()
    rows = 1024
    variables = [tf.Variable(np.full((rows, rows), i, np.float32)) for i in range(MEGABYTES // 4)]
    checkpoint = tf.train.Checkpoint(variables=variables)
    paths: list[str] = []

    def save() -> None:
        paths.append(checkpoint.save(folder + "/c"))

    def restore() -> None:
        checkpoint.restore(paths[-1]).assert_consumed()

    found = {}
    for name, work in (("save", save), ("restore", restore)):
        found[name] = statistics.median(seconds(work) for _ in range(TIMES))
        found[f"{name}, memory"] = (largest() - before) / (MEGABYTES * MEGABYTE)
    assert [int(v[0, 0]) for v in variables] == list(range(len(variables)))
    many = tf.train.Checkpoint(variables=[tf.Variable(float(i)) for i in range(5000)])
    found["save 5,000 scalars"] = statistics.median(
        seconds(lambda: paths.append(many.save(folder + "/m"))) for _ in range(TIMES)
    )
    found["restore 5,000 scalars"] = statistics.median(
        seconds(lambda: many.restore(paths[-1]).assert_consumed()) for _ in range(TIMES)
    )
    return found


if __name__ == "__main__":
    compare("benchmarks.checkpoints", __doc__, measure)
