"""``python -m benchmarks``: tfgrad_jax beside TensorFlow, PyTorch and hand-written ``jax.jit``, in one run."""

from __future__ import annotations

import argparse
import dataclasses
import datetime
import json
import os
import platform
import sys
import time
from pathlib import Path

from . import picture, report
from .harness import Result, run
from .peers import PEERS, why_absent
from .workloads import WORKLOADS


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    for module in ("tensorflow", "torch"):
        variable = f"BENCH_{module.upper()}_PYTHON"
        parser.add_argument(
            f"--{module}-python",
            metavar="PATH",
            default=os.environ.get(variable, ""),
            help=f"an interpreter that has {module} (or ${variable}); else this one, if it has it",
        )
    parser.add_argument(
        "--only",
        nargs="+",
        metavar="WORKLOAD",
        choices=WORKLOADS,
        default=list(WORKLOADS),
        help=f"of: {', '.join(WORKLOADS)}",
    )
    parser.add_argument(
        "--peers", nargs="+", metavar="PEER", choices=PEERS, default=list(PEERS), help=f"of: {', '.join(PEERS)}"
    )
    parser.add_argument("--rounds", type=int, default=5, help="turns of each peer on each workload (default 5)")
    parser.add_argument("--seconds", type=float, default=0.4, help="seconds of stepping a turn (default 0.4)")
    parser.add_argument("--json", metavar="FILE", help="write everything measured there as well")
    parser.add_argument("--picture", metavar="FILE", help="draw the steps of all peers there, as SVG")
    parser.add_argument("--strict", action="store_true", help="exit with status 1 if a target is missed")
    return parser.parse_args()


def main() -> int:
    """Runs what was asked for, and prints the report."""
    arguments = _arguments()
    given = {"tensorflow": arguments.tensorflow_python, "torch": arguments.torch_python}
    absent = {name: why for name in arguments.peers if (why := why_absent(PEERS[name], given))}
    peers = [PEERS[name] for name in arguments.peers if name not in absent]
    cores = len(os.sched_getaffinity(0))
    load = os.getloadavg()[0]
    results: dict[str, dict[str, Result]] = {}
    for name in arguments.only:
        start = time.perf_counter()
        # A process of its own for each figure costs seconds: three turns give a median.
        rounds = arguments.rounds if hasattr(WORKLOADS[name], "items") else min(arguments.rounds, 3)
        results[name] = run(WORKLOADS[name], peers, given, rounds, arguments.seconds)
        print(f"{name}: {time.perf_counter() - start:.0f} s", file=sys.stderr)

    versions: dict[str, str] = {}
    for row in results.values():
        for name, result in row.items():
            if result.version:
                versions[PEERS[name].module] = result.version
    header = {
        "date": datetime.date.today().isoformat(),
        "cores": cores,
        "processor": f"{platform.machine()}, {platform.system()}, Python {platform.python_version()}",
        "load": round(load, 1),
        "versions": versions,
    }
    named = ", ".join(f"{module} {version}" for module, version in versions.items())
    print(f"{header['date']}, {cores} cores ({header['processor']}; load before {header['load']}); {named}; medians\n")
    print(report.figures(results, arguments.peers), "\n")
    print(report.targets(results))
    notes = report.notes(results, absent)
    if load > 0.5:
        notes.insert(0, "the machine was busy already: repeat on a quiet one (PyTorch's waiting threads suffer most)")
    for line in notes:
        print(f"\n- {line}")
    figures = {
        name: {peer: dataclasses.asdict(result) for peer, result in row.items()} for name, row in results.items()
    }
    ratios = [{**target._asdict(), "ratio": measured} for target, measured in report.verdicts(results)]
    measured_run = {**header, "absent": absent, "results": figures, "targets": ratios}
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(measured_run, indent=1))
    if arguments.picture:
        Path(arguments.picture).write_text(picture.draw(measured_run))
    missed = any(measured is not None and measured > target.limit for target, measured in report.verdicts(results))
    return int(arguments.strict and missed)


if __name__ == "__main__":
    sys.exit(main())
