"""All workloads, by name."""

from __future__ import annotations

from benchmarks.workload import Command, Once, Steps

from . import attention, cnn, embedding, functions, gru, hvp, lengths, memory, mlp, small, start

WORKLOADS: dict[str, Steps | Once | Command] = {
    workload.name: workload
    for module in (small, mlp, cnn, gru, attention, hvp, embedding, functions, start, memory, lengths)
    for workload in module.WORKLOADS
}
