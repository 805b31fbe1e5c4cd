"""``python -m benchmarks.profile WORKLOAD [PEER] [STEPS]``: where the time of a warm step goes, function by function."""

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
        sys.exit(
            f"{name} is no repeated step; choose one of {[n for n, w in WORKLOADS.items() if isinstance(w, Steps)]}"
        )
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
    rows = pstats.Stats(profiler).get_stats_profile().func_profiles
    total = sum(row.tottime for row in rows.values())
    print("share   us a step   calls a step   function")
    for function, row in sorted(rows.items(), key=lambda item: -item[1].tottime)[:30]:
        calls = int(str(row.ncalls).split("/")[0]) / count
        place = "" if row.file_name == "~" else f" {os.path.basename(row.file_name)}:{row.line_number}"
        print(f"{row.tottime / total:5.1%} {row.tottime / count * 1e6:11.1f} {calls:14.1f}   {function}{place}")


if __name__ == "__main__":
    main(*sys.argv[1:])
