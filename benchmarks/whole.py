"""``python -m benchmarks.whole``: short programs from start to end, as a user waits for them, beside TensorFlow.

Every program in ``benchmarks/programs`` runs in a process of its own, cold: interpreter, import, tracing, compiling and all. Who
takes part takes turns, and each ratio is taken within a turn before the median over the turns.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from . import peers
from .report import table

FOLDER = Path(__file__).resolve().parent / "programs"
PROGRAMS = sorted(path.stem for path in FOLDER.glob("*.py"))
PEERS = {"tensorflow": peers.PEERS["tf-eager"], "fused": peers.PEERS["fused"], "immediate": peers.PEERS["immediate"]}
REFERENCE = "tensorflow"
TOLERANCE = 0.01
COUNTED = {"compiles": 0, "xla": 1, "tracing": 1}
"""What `benchmarks.compiles` tells, and the digits to show of it."""
_NUMBER = re.compile(r"-?\d+(?:\.(\d+))?")


@dataclass
class Run:
    """What one process did: what it printed, what it took, and why it failed if it did."""

    output: str
    wall: float
    cpu: float
    peak: float
    """Megabytes of memory that were resident at once."""
    error: str = ""
    compiles: dict[str, float] = field(default_factory=dict)


def agree(mine: str, theirs: str) -> bool:
    """Whether two outputs differ in nothing but the last digit of a number, or by `TOLERANCE` of it."""
    if _NUMBER.sub("#", mine) != _NUMBER.sub("#", theirs):
        return False
    return all(
        abs(float(a[0]) - float(b[0])) <= 1.001 * 10.0 ** -len(b[1] or "") + TOLERANCE * abs(float(b[0]))
        for a, b in zip(_NUMBER.finditer(mine), _NUMBER.finditer(theirs), strict=True)
    )


def run(command: list[str], env: dict[str, str], limit: float) -> Run:
    """Runs a command to its end, or for `limit` seconds."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        start = time.perf_counter()
        process = subprocess.Popen(command, cwd=peers.ROOT, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        stop = threading.Timer(limit, process.kill)
        stop.start()
        try:
            _, status, used = os.wait4(process.pid, 0)  # `subprocess` tells nothing of one child's memory
        finally:
            stop.cancel()
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        lines = err.read().strip().splitlines()
        error = ""
        if process.returncode:
            error = f"no end within {limit:.0f} s" if wall >= limit else (lines or ["failed"])[-1]
        return Run(out.read(), wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, error)


def _run_program(peer: peers.Peer, given: dict[str, str], program: str, env: dict[str, str], limit: float) -> Run:
    """A run of `program` as `peer` runs it; for tfgrad_jax with a listener for what JAX compiles, which costs nothing else."""
    python, path = peers.interpreter(peer, given), str(FOLDER / f"{program}.py")
    if peer.module != "tfgrad_jax":
        return run([python, path], env, limit)
    with tempfile.NamedTemporaryFile("r", suffix=".json") as found:
        done = run([python, "-m", "benchmarks.compiles", found.name, path], env, limit)
        done.compiles = json.loads(found.read() or "{}")
    return done


@contextlib.contextmanager
def _busy(wanted: bool) -> Iterator[None]:
    """One core kept busy meanwhile, if `wanted`."""
    if not wanted:
        yield
        return
    process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        process.kill()
        process.wait()


def ratio(mine: list[Run], reference: list[Run], what: str) -> float | None:
    """`what` (``wall`` or ``cpu``) beside the reference's in the same turn, as the median over the turns."""
    pairs = [(a, b) for a, b in zip(mine, reference, strict=False) if not a.error and not b.error]
    return statistics.median(getattr(a, what) / getattr(b, what) for a, b in pairs) if pairs else None


def figures(results: dict[str, dict[str, list[Run]]], names: list[str]) -> str:
    """The tables: seconds, ratios, agreement and memory of each program; then the ratios' median and worst."""
    others = [name for name in names if name != REFERENCE]
    rows = [
        [
            "program",
            *(f"{name}, s" for name in names),
            *(f"{name}, {what}" for name in others for what in ("ratio", "of CPU")),
        ]
        + ["numbers agree", *(f"{name}, MB" for name in names)]
    ]
    found: dict[str, dict[str, float]] = {name: {} for name in others}
    for program, row in results.items():
        shares: dict[str, list[float | None]] = {}
        good = {name: [r for r in runs if not r.error] for name, runs in row.items()}
        for name in others:
            shares[name] = [ratio(row[name], row.get(REFERENCE, []), what) for what in ("wall", "cpu")]
            if shares[name][0] is not None:
                found[name][program] = shares[name][0]
        outputs = {name: runs[0].output for name, runs in good.items() if runs}
        expected = outputs.get(REFERENCE, next(iter(outputs.values()), ""))
        odd = [name for name, output in outputs.items() if not agree(output, expected)]
        rows.append(
            [
                program,
                *(f"{statistics.median(r.wall for r in good[n]):.1f}" if good[n] else "-" for n in names),
                *("-" if share is None else f"{share:.2f}x" for n in others for share in shares[n]),
                ("no: " + ", ".join(odd)) if odd else "yes" if len(outputs) > 1 else "-",
                *(f"{max(r.peak for r in good[n]):.0f}" if good[n] else "-" for n in names),
            ]
        )
    lines = [table(rows), ""]
    for name, each in found.items():
        if each:
            worst = max(each, key=each.__getitem__)
            median = statistics.median(each.values())
            over = sum(ratio > 1 for ratio in each.values())
            lines.append(
                f"{name}: median {median:.2f}x, worst {each[worst]:.2f}x ({worst}), slower in {over} of {len(each)}"
            )
    for program, row in results.items():
        lines += [
            f"failed: {program}, {name}: {error}"
            for name, runs in row.items()
            for error in {r.error for r in runs}
            if error
        ]
    return "\n".join(lines)


def compiles(results: dict[str, dict[str, list[Run]]]) -> str:
    """The table of what JAX compiled, in the first turn."""
    rows = [["program", "mode", "compiles", "s in XLA", "s tracing and lowering", "CPU s", "wall s"]]
    for program, row in results.items():
        for name, (first, *_) in row.items():
            if first.compiles:
                numbers = [f"{first.compiles[what]:.{digits}f}" for what, digits in COUNTED.items()]
                rows.append([program, name, *numbers, f"{first.cpu:.1f}", f"{first.wall:.1f}"])
    return table(rows)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.whole", description=__doc__)
    parser.add_argument(
        "--tensorflow-python",
        metavar="PATH",
        default=os.environ.get("BENCH_TENSORFLOW_PYTHON", ""),
        help="an interpreter that has tensorflow (or $BENCH_TENSORFLOW_PYTHON); else this one, if it has it",
    )
    parser.add_argument(
        "--only", nargs="+", metavar="PROGRAM", choices=PROGRAMS, default=PROGRAMS, help=f"of: {', '.join(PROGRAMS)}"
    )
    parser.add_argument(
        "--peers", nargs="+", metavar="PEER", choices=PEERS, default=list(PEERS), help=f"of: {', '.join(PEERS)}"
    )
    parser.add_argument("--turns", type=int, default=3, help="runs of each program by each (default 3)")
    parser.add_argument("--limit", type=float, default=600.0, help="seconds after which a run is ended (default 600)")
    parser.add_argument("--busy", action="store_true", help="keep one core busy meanwhile")
    parser.add_argument(
        "--cache", metavar="DIR", help="let tfgrad_jax keep there what it compiles; otherwise nothing is kept"
    )
    parser.add_argument("--json", metavar="FILE", help="write everything measured there as well")
    return parser.parse_args()


def main() -> None:
    """Runs what was asked for, and prints the report."""
    arguments = _arguments()
    given = {"tensorflow": arguments.tensorflow_python}
    cache = {"TFGRAD_JAX_CACHE": os.path.abspath(arguments.cache)} if arguments.cache else {}
    names = []
    for name in arguments.peers:
        absent = peers.why_absent(PEERS[name], given)
        if absent:
            print(f"absent: {name} ({absent})")
        else:
            names.append(name)
    environments = {name: peers.environment(PEERS[name], cache) for name in names}
    for name in names:  # files that the machine has not read for long would be counted against the first
        run([peers.interpreter(PEERS[name], given), "-c", f"import {PEERS[name].module}"], environments[name], 600)
    load = os.getloadavg()[0]
    results: dict[str, dict[str, list[Run]]] = {program: {name: [] for name in names} for program in arguments.only}
    with _busy(arguments.busy):
        for turn in range(arguments.turns):
            for program in arguments.only:
                for name in names:
                    done = _run_program(PEERS[name], given, program, environments[name], arguments.limit)
                    results[program][name].append(done)
                    took = done.error or f"{done.wall:.1f} s, {done.cpu:.1f} s of processors, {done.peak:.0f} MB"
                    print(f"turn {turn + 1}, {program}, {name}: {took}", file=sys.stderr)
    cores = len(os.sched_getaffinity(0))
    print(
        f"{cores} cores{', one kept busy' * arguments.busy}; load before {load:.1f}; medians of {arguments.turns} turns\n"
    )
    print(figures(results, names))
    print("\n" + compiles(results))
    if arguments.json:
        runs = {p: {n: [dataclasses.asdict(r) for r in each] for n, each in row.items()} for p, row in results.items()}
        with open(arguments.json, "w") as file:
            json.dump({"cores": cores, "busy": arguments.busy, "load": load, "runs": runs}, file, indent=1)


if __name__ == "__main__":
    main()
