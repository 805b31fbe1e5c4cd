"""``python -m benchmarks.distribution``: what a strategy costs beyond the work of its replicas, on simulated devices.

Everything that is compared takes turns within one process, or pairs of processes do, and each ratio is taken within a turn before
the median over the turns. The work of replicas is that of the same step without a strategy, as many times as there are replicas.
"""

from __future__ import annotations

import argparse
import ctypes
import datetime
import importlib
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
DEVICES = 8
WIDTH, BATCH = 256, 64
STEPS = 20
"""How many steps a turn of one of them has."""

LIMITS = {"scaling": 1.10, "workers": 1.3, "fit": 1.03, "memory": 1.0}
"""What each ratio shall not exceed; of scaling 200 us a step are left out first."""


def network(tf: Any, width: int) -> list[Any]:
    """Two layers as wide as their input, and a third one."""
    rng = np.random.default_rng(0)
    return [tf.Variable(rng.normal(0, width**-0.5, (width, width)).astype(np.float32)) for _ in range(3)]


def loss_of(tf: Any, weights: list[Any], x: Any) -> Any:
    """A loss of three layers."""
    y = x
    for w in weights:
        y = tf.nn.relu(tf.matmul(y, w))
    return tf.reduce_mean((y - x) ** 2)


def plain(tf: Any, width: int, batch: int) -> Callable[[], Any]:
    """A step without a strategy."""
    weights, x = network(tf, width), tf.constant(np.random.default_rng(1).random((batch, width), np.float32))

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = loss_of(tf, weights, x)
        for w, gradient in zip(weights, tape.gradient(loss, weights), strict=True):
            w.assign_sub(0.01 * gradient)
        return loss

    return lambda: float(step(x))


def distributed(tf: Any, strategy: Any, width: int, batch: int) -> Callable[[], Any]:
    """The same step of each replica, with the sums of the gradients; each has as many rows as the one without a strategy."""
    with strategy.scope():
        weights = network(tf, width)
    rows = np.random.default_rng(1).random((batch, width), np.float32)
    x = strategy.experimental_distribute_values_from_function(lambda _: tf.constant(rows))

    @tf.function
    def step(x: Any) -> Any:
        def replica(x: Any) -> Any:
            with tf.GradientTape() as tape:
                loss = loss_of(tf, weights, x)
            gradients = tf.distribute.get_replica_context().all_reduce("mean", tape.gradient(loss, weights))
            for w, gradient in zip(weights, gradients, strict=True):
                w.assign_sub(0.01 * gradient)
            return loss

        return strategy.reduce("mean", strategy.run(replica, args=(x,)), axis=None)

    return lambda: float(step(x))


def seconds() -> np.ndarray:
    """The time of the clock, and that of the processor for this process."""
    return np.array([time.perf_counter(), time.process_time()])


def turns(works: dict[Any, Callable[[], Any]], count: int) -> Iterable[dict[Any, np.ndarray]]:
    """For each turn the seconds of a step of each, by both; the first turns are for compilers."""
    for turn in range(count + 2):
        found = {}
        for name, work in works.items():
            start = seconds()
            for _ in range(STEPS):
                work()
            found[name] = (seconds() - start) / STEPS
        if turn > 1:
            yield found


def mirrored(tf: Any, count: int) -> Any:
    return tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(count)])


def scaling(tf: Any, count: int, width: int = WIDTH, batch: int = BATCH) -> dict[str, float]:
    """A step of so many replicas over their own work, 200 us aside."""
    sizes = [n for n in (1, 2, 4, 8) if n <= DEVICES]
    works: dict[Any, Callable[[], Any]] = {0: plain(tf, width, batch)}
    works |= {n: distributed(tf, mirrored(tf, n), width, batch) for n in sizes}
    runs = list(turns(works, count))
    own = 1e6 * np.median([run[0] for run in runs], 0)
    found = dict(zip(("a replica's own work, us", "the same, processor, us"), own, strict=True))
    for n in sizes:
        clock, processor = np.median([(run[n] - 200e-6) / (n * run[0]) for run in runs], 0)
        found[f"step of {n}, us"] = 1e6 * statistics.median(run[n][0] for run in runs)
        found |= {f"scaling to {n}": clock, f"scaling to {n}, processor": processor}
    return found


def fit(tf: Any, count: int) -> dict[str, float]:
    """Keras' `fit` under a strategy of one replica over that without one."""
    x = np.random.default_rng(0).random((2048, 64), np.float32)
    y = x[:, :10].argmax(1)

    def model() -> Any:
        layers = tf.keras.layers
        made = tf.keras.Sequential(
            [tf.keras.Input((64,)), *[layers.Dense(64, "relu") for _ in range(2)], layers.Dense(10)]
        )
        made.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
        made.fit(x, y, batch_size=32, epochs=2, verbose=0)
        return made

    alone = model()
    with mirrored(tf, 1).scope():
        under = model()
    ratios = []
    for turn in range(count + 1):
        found = []
        for made in (alone, under) if turn % 2 else (under, alone):
            start = seconds()
            made.fit(x, y, batch_size=32, epochs=3, verbose=0)
            found.append(seconds() - start)
        ratios.append(found[1] / found[0] if turn % 2 else found[0] / found[1])
    return dict(zip(("fit", "fit, processor"), np.median(ratios[1:], 0), strict=True))


def peak(work: Callable[[], Any]) -> int:
    """How much more memory than before the process has at once while something runs."""
    ctypes.CDLL(None).malloc_trim(0)  # what was freed is given back, so that it counts when it is taken again
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")  # what it had at most is forgotten
    before = _status("VmRSS")
    work()
    return _status("VmHWM") - before


def _status(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith(name))


def memory(tf: Any, count: int, width: int = 2048) -> dict[str, float]:
    """What a step takes at most beyond what it began with and a gradient for each replica, over the size of the model."""
    size = 3 * 4 * width * width
    found = {}
    for n in (0, 2, 4):
        step = distributed(tf, mirrored(tf, n), width, 8) if n else plain(tf, width, 8)
        for _ in range(3):
            step()
        taken = statistics.median(peak(step) for _ in range(count)) / size
        found |= {f"memory of {n}": taken - n} if n else {"own memory of a step": taken}
    return found


def workers(count: int) -> dict[str, float]:
    """A step of two processes with a device each over one of a process with two devices, which take turns.

    By the processor's time it is what both take together.
    """
    ratios = []
    for _ in range(max(3, count // 3)):
        lines = run_part("worker", count, "-m", "tfgrad_jax", "launch", "--workers", "2", "--no-prefix", __file__)
        clock, processor = np.array([json.loads(line) for line in lines]).T
        ratios.append(np.array([clock.max(), processor.sum()]) / json.loads(run_part("pair", count)[-1]))
    return dict(zip(("workers", "workers, processor"), np.median(ratios, 0), strict=True))


def run_part(name: str, count: int, *command: str) -> list[str]:
    """The lines that a process of its own prints."""
    command = (sys.executable, *(command or ("-m", "benchmarks.distribution")), "--part", name, "--turns", str(count))
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        command, env=environment, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    ).stdout.split("\n")[:-1]


def step_seconds(tf: Any, strategy: Any, width: int = WIDTH, batch: int = BATCH) -> list[float]:
    work = distributed(tf, strategy, width, batch)
    return [float(found) for found in np.median([run[0] for run in turns({0: work}, 15)], 0)]


def part(name: str, count: int) -> Any:
    """What a process of its own measures."""
    if name != "worker":
        devices = 2 if name == "pair" else DEVICES
        flags = os.environ.get("XLA_FLAGS", "")
        os.environ["XLA_FLAGS"] = f"{flags} --xla_force_host_platform_device_count={devices}"
    tf = importlib.import_module("tfgrad_jax")
    if name in ("worker", "pair"):
        strategy = tf.distribute.MultiWorkerMirroredStrategy() if name == "worker" else mirrored(tf, 2)
        return step_seconds(tf, strategy)
    return {"scaling": scaling, "fit": fit, "memory": memory}[name](tf, count)


def main() -> int:
    """Measures what was asked for and prints it; the status is 1 if a limit is exceeded and `--strict` was given."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.distribution", description=__doc__)
    parser.add_argument("--turns", type=int, default=15, help="turns of each (default 15)")
    parser.add_argument("--only", nargs="+", choices=LIMITS, default=list(LIMITS))
    parser.add_argument("--strict", action="store_true", help="exit with status 1 if a ratio is above its limit")
    parser.add_argument("--part", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.part:
        sys.stdout.write(json.dumps(part(given.part, given.turns)) + "\n")
        return 0
    missed = False
    print(
        f"{datetime.date.today()}, {len(os.sched_getaffinity(0))} cores, load before {os.getloadavg()[0]:.1f}; medians"
    )
    for name in given.only:
        found = workers(given.turns) if name == "workers" else json.loads(run_part(name, given.turns)[-1])
        for row, value in found.items():
            limited = row.split(" ")[0].strip(",") == name
            missed = missed or (limited and value > LIMITS[name])
            print(f"{row:36}{value:10.2f}" + (f"   (at most {LIMITS[name]:.2f})" if limited else ""))
    return int(given.strict and missed)


if __name__ == "__main__":
    sys.exit(main())
