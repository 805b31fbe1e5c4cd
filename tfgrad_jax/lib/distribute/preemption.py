"""Machines that are taken away: the state is saved before, and training goes on from there."""

from __future__ import annotations

import contextlib
import dataclasses
import math
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tfgrad_jax.engine.messages.logging import warn
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.lib.checkpoint import Checkpoint, CheckpointManager
from tfgrad_jax.lib.distribute.multi_worker import strategy_of

_EVERY = 1.0
"""A termination watcher is asked after so many seconds again."""

_RESTART = 143
"""The status with which a process ends that is to be started again: of one that SIGTERM ends."""


@export("distribute.experimental.TerminationConfig")
@dataclasses.dataclass
class TerminationConfig:
    """What is done at preemption. Mirrors `tf.distribute.experimental.TerminationConfig`.

    Args:
      termination_watcher_fn: says whether this machine will be taken away; asked every second. SIGTERM says so where it is None.
      exit_fn: called after the state is saved; ends the process with status 143 where it is None.
      grace_period: so many seconds training goes on after the notice: the state is saved at once, and again at the end.
      save_fn: saves, in place of the checkpoint manager's `save`.
    """

    termination_watcher_fn: Callable[[], Any] | None = None
    exit_fn: Callable[[], Any] | None = None
    grace_period: int | None = None
    save_fn: Callable[..., Any] | None = None


@export("distribute.experimental.PreemptionCheckpointHandler")
class PreemptionCheckpointHandler:
    """Saves between two steps when this machine is about to be taken away, and restores when it is made.

    Mirrors `tf.distribute.experimental.PreemptionCheckpointHandler`. Workers of a `MultiWorkerMirroredStrategy` save after the
    same step, whichever of them has been told: they ask each other before each step; the first one writes.

    Args:
      cluster_resolver: the strategy's, where there are several workers.
      checkpoint_or_checkpoint_manager: what saves.
      checkpoint_dir: where a `tf.train.Checkpoint` is saved; the newest one stays.
      termination_config: a `TerminationConfig`.

    Raises:
      ValueError: for a checkpoint without a directory.
      TypeError: if it is neither a checkpoint nor a manager.
    """

    def __init__(
        self,
        cluster_resolver: Any,
        checkpoint_or_checkpoint_manager: Any,
        checkpoint_dir: Any = None,
        termination_config: TerminationConfig | None = None,
    ) -> None:
        manager = checkpoint_or_checkpoint_manager
        if isinstance(manager, Checkpoint):
            if not checkpoint_dir:
                raise ValueError(
                    "tf.distribute.experimental.PreemptionCheckpointHandler: a tf.train.Checkpoint needs a `checkpoint_dir`"
                )
            manager = CheckpointManager(manager, checkpoint_dir, max_to_keep=1)
        elif not isinstance(manager, CheckpointManager):
            raise TypeError(
                "tf.distribute.experimental.PreemptionCheckpointHandler: checkpoint_or_checkpoint_manager must be a "
                f"tf.train.Checkpoint or a tf.train.CheckpointManager, got {type(manager).__name__}"
            )
        self._manager = manager
        self._resolver = cluster_resolver
        self._config = termination_config or TerminationConfig()
        self._told = threading.Event()
        self._ends = math.inf  # when the grace period is over, once it has begun
        self._done = False
        self._runs = 0
        self._longest = 0.0
        manager.restore_or_initialize()
        if self._config.termination_watcher_fn is not None:
            threading.Thread(target=self._watch, name="tfgrad_jax-preemption", daemon=True).start()
        elif threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, lambda number, frame: self._told.set())
        else:
            warn(
                "tf.distribute.experimental.PreemptionCheckpointHandler: made on a thread that gets no signals; give it a "
                "TerminationConfig with a termination_watcher_fn"
            )

    def _watch(self) -> None:
        assert self._config.termination_watcher_fn is not None
        while not self._config.termination_watcher_fn():
            if self._told.wait(_EVERY):
                return
        self._told.set()

    @property
    def total_run_calls(self) -> int:
        """How often `run` was called."""
        return self._runs

    def run(self, distributed_train_function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Call a function that does a step, once it is known that this machine stays.

        Args:
          distributed_train_function: does the step.
          *args, **kwargs: its arguments.

        Returns:
          What it returns.
        """
        self.save_checkpoint_if_preempted()
        start = time.monotonic()
        result = distributed_train_function(*args, **kwargs)
        self._longest = max(self._longest, time.monotonic() - start)
        self._runs += 1
        return result

    @contextlib.contextmanager
    def watch_preemption_scope(self) -> Iterator[None]:
        """A context for a step: `save_checkpoint_if_preempted` at its end."""
        yield
        self.save_checkpoint_if_preempted()

    def save_checkpoint_if_preempted(self, *args: Any, **kwargs: Any) -> None:
        """Save, and end the program, if a worker is about to be taken away.

        Args:
          *args, **kwargs: those of what saves.
        """
        if self._done:
            return
        strategy = strategy_of(self._resolver)
        begun = self._ends < math.inf
        due = time.monotonic() >= self._ends if begun else self._told.is_set()
        if strategy is not None:
            due = bool(strategy.summed([convert(np.int32(due))])[0])
        if not due:
            return
        grace = self._config.grace_period or 0
        start = time.monotonic()
        self._save(strategy, args, kwargs)
        if grace > 0 and not begun:
            # What is left of it is for saving once more, after a step that is under way when it ends.
            took = time.monotonic() - start
            self._ends = start + max(grace - 2 * took - 2 * self._longest, 0.0)
            return
        self._done = True
        if self._config.exit_fn is not None:
            self._config.exit_fn()
        else:
            sys.exit(_RESTART)

    def _save(self, strategy: Any, args: Any, kwargs: Any) -> None:
        """Save on the first worker, for which the others wait."""
        if strategy is None or strategy.process == 0:
            (self._config.save_fn or self._manager.save)(*args, **kwargs)
            self._manager.sync()
        if strategy is not None:
            strategy.summed([convert(np.int32(0))])
