"""``python -m benchmarks.compiles FILE PROGRAM``: as ``python -m tfgrad_jax PROGRAM``; FILE is told what JAX compiled."""

from __future__ import annotations

import atexit
import json
import sys
from typing import Any

import jax.monitoring

from tfgrad_jax.__main__ import main

XLA = "/jax/core/compile/backend_compile_duration"
TRACING = ("/jax/core/compile/jaxpr_trace_duration", "/jax/core/compile/jaxpr_to_mlir_module_duration")


def count(file: str) -> None:
    """Counts from now on what is compiled, and how long it takes; written when the interpreter ends."""
    found = {"compiles": 0, "xla": 0.0, "tracing": 0.0}

    def listen(event: str, seconds: float, **_: Any) -> None:
        if event == XLA:
            found["compiles"] += 1
            found["xla"] += seconds
        elif event in TRACING:
            found["tracing"] += seconds

    def write() -> None:
        with open(file, "w") as out:
            json.dump(found, out)

    jax.monitoring.register_event_duration_secs_listener(listen)
    atexit.register(write)


if __name__ == "__main__":
    count(sys.argv[1])
    sys.exit(main(sys.argv[2:]))
