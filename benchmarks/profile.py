"""``python -m benchmarks.profile WORKLOAD [PEER] [STEPS]``: where a warm step's time goes, function by function."""

from __future__ import annotations

import cProfile
import os
import pstats
import sys
import time

from .peers import PEERS
from .worker import load, measure, warm
from .workload import Steps
from .workloads import WORKLOADS


def main(name: str, peer_name: str = "immediate", steps: str = "200") -> None:
    """Prints the step's median time, and the functions that most time is spent in."""
    workload, peer, count = WORKLOADS[name], PEERS[peer_name], int(steps)
    if not isinstance(workload, Steps):
        repeated = [name for name, other in WORKLOADS.items() if isinstance(other, Steps)]
        sys.exit(f"{name} is no repeated step; choose one of {repeated}")
    os.environ.update(peer.env)
    program = load(peer)
    step = program.build(workload)
    warm(step, workload.settle if program.fused else 1.0)
    print(f"{workload.title}, {peer_name}: {measure(step, 1.0)['value'] * 1e6:,.0f} us a step")
    profiler = cProfile.Profile(time.perf_counter)
    profiler.enable()
    for _ in range(count):
        step()
    profiler.disable()
    rows = pstats.Stats(profiler).stats  # type: ignore[attr-defined]
    total = sum(own for _, _, own, _, _ in rows.values())
    print("share   us a step   calls a step   function")
    for (file, line, function), (_, calls, own, _, _) in sorted(rows.items(), key=lambda item: -item[1][2])[:30]:
        place = "" if file == "~" else f" {os.path.basename(file)}:{line}"
        print(f"{own / total:5.1%} {own / count * 1e6:11.1f} {calls / count:14.1f}   {function}{place}")


if __name__ == "__main__":
    main(*sys.argv[1:])
