"""Checkpoints that several workers write together: each one a file of data, the first one the table of all of them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

import numpy as np

from tfgrad_jax.engine.messages.errors import UnavailableError
from tfgrad_jax.lib.checkpoint.bundle import BundleWriter
from tfgrad_jax.lib.checkpoint.table import read_table, write_table
from tfgrad_jax.lib.checkpoint.values import variable_of

_GOOD = b"\0"


def workers_of(objects: Iterable[Any]) -> Any:
    """The strategy of several workers whose variables are among some objects; None if there is none."""
    for trackable in objects:
        strategy = strategy_of(trackable)
        if strategy is not None and strategy.processes > 1:
            return strategy
    return None


def strategy_of(trackable: Any) -> Any:
    """The strategy that a variable has a copy for each replica of; None for other objects."""
    return getattr(variable_of(trackable), "distribute_strategy", None)


def write_together(prefix: str, values: Mapping[str, Callable[[], Any]], copied: Collection[str], workers: Any) -> None:
    """Write a share of some tensors, while the other workers write the rest.

    Args:
      prefix: the path without what follows for each file, where all workers find the same directory.
      values: functions that give the tensors, by key, in the same order on all workers.
      copied: the keys of those that all workers have; the others are the first one's.
      workers: the strategy, or its `beside`: tells them.

    Raises:
      UnavailableError: on workers that did their share where another one did not; there is no such checkpoint then.
    """

    def meet(work: Callable[[], Any]) -> list[bytes]:
        """Do something, and wait for the others."""
        try:
            said = work() or _GOOD
        except BaseException:
            workers.told(b"")
            raise
        told: list[bytes] = workers.told(said)
        failed = [str(i) for i, message in enumerate(told) if not message]
        if failed:
            raise UnavailableError(
                None, None, f"{prefix}: the checkpoint was not written, since worker {', '.join(failed)} could not write its share"
            )  # fmt: skip
        return told

    def share() -> bytes:
        arrays = {
            key: np.asarray(get()) for key, get in values.items()
        }  # all of them: a value may be a sum over workers
        whose = _shares({key: arrays[key].nbytes for key in copied}, workers.processes)
        for key, array in arrays.items():
            if whose.get(key, 0) == workers.process:
                writer.add(key, array)
        return write_table(sorted(writer.entries.items()))

    writer = BundleWriter(prefix, workers.process, workers.processes)
    with contextlib.ExitStack() as files:
        files.enter_context(writer)
        tables = meet(share)
        if workers.process:
            meet(files.close)
            meet(lambda: None)
        else:
            for table in tables[1:]:
                writer.entries.update(read_table(table, prefix))
            meet(lambda: None)
            meet(files.close)  # the table gets its name when all files of data have theirs


def _shares(sizes: Mapping[str, int], count: int) -> dict[str, int]:
    """Which worker writes each tensor: the largest first, each to whom has the least so far."""
    loads = [0] * count
    whose = {}
    for key, size in sorted(sizes.items(), key=lambda item: (-item[1], item[0])):
        whose[key] = loads.index(min(loads))
        loads[whose[key]] += size
    return whose
