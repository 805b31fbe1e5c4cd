"""The process of one peer: ``python -m benchmarks.worker WORKLOAD PEER``, a line of JSON on standard output an answer.

For a `Steps` workload it warms up, says so, and then measures once for every number of seconds read from standard
input; for a `Once` workload it measures and ends.
"""

from __future__ import annotations

import importlib
import json
import os
import statistics
import sys
import time
from typing import Any

from .peers import PEERS, Peer
from .workload import Program, Step, Steps
from .workloads import WORKLOADS


def load(peer: Peer) -> Program:
    """Imports the module of `peer`.

    Raises:
        NotImplementedError: The module lacks the way to run that `peer` stands for.
    """
    module: Any = importlib.import_module(peer.module)
    fused = peer.name == "fused"
    if fused and not hasattr(getattr(module, "extras", None), "execution"):
        raise NotImplementedError(f"{peer.module} has no fused mode here")
    if peer.wrap != "eager" and not hasattr(module, "function"):
        raise NotImplementedError(f"{peer.module} has no tf.function here")
    if peer.module == "torch":
        module.set_num_threads(len(os.sched_getaffinity(0)))
    wraps = {
        "eager": lambda step: step,
        "function": lambda step: module.function(step),
        "xla": lambda step: module.function(step, jit_compile=True),
    }
    return Program(peer.dialect, module, wraps[peer.wrap], fused)


def warm(step: Step, seconds: float) -> None:
    """Steps at least ten times and at least for this long."""
    start = time.perf_counter()
    done = 0
    while done < 10 or time.perf_counter() - start < seconds:
        step()
        done += 1


def measure(step: Step, seconds: float) -> dict[str, float]:
    """The median time of the steps that fit into this many seconds, at least five of them."""
    times: list[float] = []
    stop = time.perf_counter() + seconds
    while len(times) < 5 or time.perf_counter() < stop:
        start = time.perf_counter()
        step()
        times.append(time.perf_counter() - start)
    return {"value": statistics.median(times), "steps": len(times)}


def main(name: str, peer_name: str) -> None:
    """Serves one workload for one peer."""
    # What a framework prints must not mix with the answers.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)

    def answer(**fields: Any) -> None:
        print(json.dumps(fields), file=answers)

    workload = WORKLOADS[name]
    try:
        program = load(PEERS[peer_name])
        # Ours shows the level of TensorFlow that it speaks, for the sake of programs that ask.
        version = "" if program.module.__name__ == "tfgrad_jax" else program.module.__version__
        if not isinstance(workload, Steps):
            answer(version=version, value=workload.measure(program))
            return
        step = program.build(workload)
        first = [step() for _ in range(3)]
        warm(step, workload.settle if program.fused else 1.0)
        answer(version=version, first=first)
        for line in sys.stdin:
            answer(**measure(step, float(line)))
    except Exception as error:  # An op that a peer lacks is a cell of the report, not the end of the run.
        answer(error=f"{type(error).__name__}: {error}")
        if not isinstance(error, NotImplementedError):
            raise


if __name__ == "__main__":
    main(*sys.argv[1:])
