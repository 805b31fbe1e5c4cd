"""Programs that run under either module, side by side: each module in a process of its own, in turns."""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def compare(name: str, doc: str, measure: Callable[[str], dict[str, float]]) -> None:
    """Measure both modules and print a table; each ratio is taken within a turn before the median over the turns.

    Args:
      name: the benchmark's module, which is run again for each measurement.
      doc: what `--help` says.
      measure: takes the name of a module, and gives the seconds of each row; of rows named for memory, how many times the data.
    """
    parser = argparse.ArgumentParser(prog=f"python -m {name}", description=doc)
    parser.add_argument("--tensorflow-python", default=os.environ.get("BENCH_TENSORFLOW_PYTHON", sys.executable))
    parser.add_argument("--turns", type=int, default=3, help="runs of each (default 3)")
    parser.add_argument("--measure", metavar="MODULE", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        print(json.dumps(measure(given.measure)))
        return
    runs: list[list[dict[str, float]]] = [[], []]
    for _ in range(given.turns):
        for (python, module), kept in zip(
            ((sys.executable, "tfgrad_jax"), (given.tensorflow_python, "tensorflow")), runs, strict=True
        ):
            command = [python, "-m", name, "--measure", module]
            env = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONWARNINGS": "ignore"}
            env.pop("PYTHONDONTWRITEBYTECODE", None)  # a package that is installed has its bytecode
            done = subprocess.run(command, cwd=ROOT, env=env, check=True, stdout=subprocess.PIPE, text=True)
            kept.append(json.loads(done.stdout.splitlines()[-1]))
    print(f"{'':44}{'tfgrad_jax':>14}{'TensorFlow':>14}{'ratio':>8}")
    for row in runs[0][0]:
        ours, theirs = ([run[row] for run in kept] for kept in runs)
        ratio = statistics.median(a / b for a, b in zip(ours, theirs, strict=True))
        shown = [_shown(row, statistics.median(values)) for values in (ours, theirs)]
        print(f"{row:44}{shown[0]:>14}{shown[1]:>14}{ratio:7.2f}x")


def _shown(row: str, value: float) -> str:
    if "memory" in row:
        return f"{value:.2f}x"
    return f"{value:.2f} s" if value >= 1 else f"{value * 1e3:.3g} ms"
