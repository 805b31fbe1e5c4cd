"""``python -m benchmarks.checkpoints``: variables saved and restored, the same source under either module, side by side.

Each module has a process of its own; they take turns, and each ratio is taken within a turn before the median over the turns.
Memory is the largest resident size of the process beyond what it was before there were variables, over the size of the variables.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
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


def measure(module: str, megabytes: int, folder: str) -> dict[str, float]:
    """Medians of seconds, and memory over the size of the data."""
    tf = importlib.import_module(module)
    warm = tf.train.Checkpoint(v=tf.Variable(np.ones(1000, np.float32)))
    warm.restore(warm.save(folder + "/warm"))
    before = resident()
    rows = 1024
    variables = [tf.Variable(np.full((rows, rows), i, np.float32)) for i in range(megabytes // 4)]
    checkpoint = tf.train.Checkpoint(variables=variables)
    paths: list[str] = []

    def save() -> None:
        paths.append(checkpoint.save(folder + "/c"))

    def restore() -> None:
        checkpoint.restore(paths[-1]).assert_consumed()

    found = {}
    for name, work in (("save", save), ("restore", restore)):
        found[name] = statistics.median(seconds(work) for _ in range(TIMES))
        found[f"{name}, memory"] = (largest() - before) / (megabytes * MEGABYTE)
    assert [int(v[0, 0]) for v in variables] == list(range(len(variables)))
    many = tf.train.Checkpoint(variables=[tf.Variable(float(i)) for i in range(5000)])
    found["save 5,000 scalars"] = statistics.median(
        seconds(lambda: paths.append(many.save(folder + "/m"))) for _ in range(TIMES)
    )
    found["restore 5,000 scalars"] = statistics.median(
        seconds(lambda: many.restore(paths[-1]).assert_consumed()) for _ in range(TIMES)
    )
    return found


def main() -> None:
    """Measures both, and prints the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.checkpoints", description=__doc__)
    parser.add_argument("--tensorflow-python", default=os.environ.get("BENCH_TENSORFLOW_PYTHON", sys.executable))
    parser.add_argument("--turns", type=int, default=3, help="runs of each (default 3)")
    parser.add_argument("--megabytes", type=int, default=1024, help="size of the variables (default 1024)")
    parser.add_argument("--measure", metavar="MODULE", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        with tempfile.TemporaryDirectory() as folder:
            print(json.dumps(measure(given.measure, given.megabytes, folder)))
        return
    runs: list[list[dict[str, float]]] = [[], []]
    for _ in range(given.turns):
        for (python, module), kept in zip(
            ((sys.executable, "tfgrad_jax"), (given.tensorflow_python, "tensorflow")), runs, strict=True
        ):
            command = [python, "-m", "benchmarks.checkpoints", "--measure", module, "--megabytes", str(given.megabytes)]
            env = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONWARNINGS": "ignore"}
            done = subprocess.run(command, cwd=ROOT, env=env, check=True, stdout=subprocess.PIPE, text=True)
            kept.append(json.loads(done.stdout.splitlines()[-1]))
    print(f"{'':32}{'tfgrad_jax':>12}{'TensorFlow':>12}{'ratio':>8}")
    for name in runs[0][0]:
        ours, theirs = ([run[name] for run in kept] for kept in runs)
        ratio = statistics.median(a / b for a, b in zip(ours, theirs, strict=True))
        unit = "x" if "memory" in name else "s"
        print(f"{name:32}{statistics.median(ours):10.2f} {unit}{statistics.median(theirs):10.2f} {unit}{ratio:7.2f}x")


if __name__ == "__main__":
    main()
