"""Hooks of monitored sessions that save variables, and write summaries and speeds."""

from __future__ import annotations

import os
from typing import Any

from tfgrad_jax.engine.messages import logging
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.lib.summary.messages import SessionLog, Summary
from tfgrad_jax.lib.v1.collections import GraphKeys
from tfgrad_jax.lib.v1.file_writer import FileWriterCache
from tfgrad_jax.lib.v1.session_hooks import SecondOrStepTimer, SessionRunArgs, SessionRunHook, counter


@export("compat.v1.train.CheckpointSaverListener")
class CheckpointSaverListener:
    """What is called around each saving. Mirrors `tf.compat.v1.train.CheckpointSaverListener`."""

    def begin(self) -> None:
        """Called before the session is made."""

    def before_save(self, session: Any, global_step_value: int) -> None:
        """Called before saving."""

    def after_save(self, session: Any, global_step_value: int) -> Any:
        """Called after saving; True asks for the end."""

    def end(self, session: Any, global_step_value: int) -> None:
        """Called at the end."""


@export("compat.v1.train.CheckpointSaverHook")
class CheckpointSaverHook(SessionRunHook):
    """Saves variables now and then. Mirrors `tf.compat.v1.train.CheckpointSaverHook`.

    Args:
      checkpoint_dir: the folder.
      save_secs, save_steps: how often; one of them.
      saver, scaffold: what saves; the graph's saver where None.
      checkpoint_basename: how the files' names begin.
      listeners: are told of each saving.
      save_graph_def: accepted for compatibility.

    Raises:
      ValueError: if both a saver and a scaffold are given.
    """

    def __init__(
        self, checkpoint_dir: Any, save_secs: float | None = None, save_steps: int | None = None, saver: Any = None,
        checkpoint_basename: str = "model.ckpt", scaffold: Any = None, listeners: Any = None, save_graph_def: bool = True,
    ) -> None:  # fmt: skip
        if saver is not None and scaffold is not None:
            raise ValueError("You cannot provide both saver and scaffold.")
        self._folder = os.fspath(checkpoint_dir)
        self._path = os.path.join(self._folder, checkpoint_basename)
        self._saver, self._scaffold = saver, scaffold
        self._timer = SecondOrStepTimer(save_secs, save_steps)
        self._listeners = list(listeners or ())

    def begin(self) -> None:
        self._step = counter("CheckpointSaverHook")
        for listener in self._listeners:
            listener.begin()

    def after_create_session(self, session: Any, coord: Any) -> None:
        step = int(session.run(self._step))
        self._save(session, step)
        self._timer.update_last_triggered_step(step)

    def before_run(self, run_context: Any) -> Any:
        return SessionRunArgs(self._step)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        step = int(run_context.session.run(self._step))
        if self._timer.should_trigger_for_step(step):
            self._timer.update_last_triggered_step(step)
            if self._save(run_context.session, step):
                run_context.request_stop()

    def end(self, session: Any) -> None:
        step = int(session.run(self._step))
        if step != self._timer.last_triggered_step():
            self._save(session, step)
        for listener in self._listeners:
            listener.end(session, step)

    def _save(self, session: Any, step: int) -> bool:
        logging.get_logger().info("Saving checkpoints for %d into %s.", step, self._path)
        os.makedirs(self._folder, exist_ok=True)
        for listener in self._listeners:
            listener.before_save(session, step)
        self._found().save(session, self._path, global_step=step)
        FileWriterCache.get(self._folder).add_session_log(
            SessionLog(status=SessionLog.CHECKPOINT, checkpoint_path=self._path), step
        )
        return any([listener.after_save(session, step) for listener in self._listeners])

    def _found(self) -> Any:
        if self._saver is not None:
            return self._saver
        if self._scaffold is not None:
            return self._scaffold.saver
        savers = self._step.graph.get_collection(GraphKeys.SAVERS)
        if len(savers) != 1:
            raise RuntimeError(f"One item was expected in the collection {GraphKeys.SAVERS}, found {len(savers)}")
        return savers[0]


@export("compat.v1.train.StepCounterHook")
class StepCounterHook(SessionRunHook):
    """Writes how many steps a second makes. Mirrors `tf.compat.v1.train.StepCounterHook`."""

    def __init__(
        self, every_n_steps: int | None = 100, every_n_secs: float | None = None, output_dir: Any = None,
        summary_writer: Any = None,
    ) -> None:  # fmt: skip
        if (every_n_steps is None) == (every_n_secs is None):
            raise ValueError("exactly one of every_n_steps and every_n_secs should be provided.")
        self._timer = SecondOrStepTimer(every_n_secs, every_n_steps)
        self._writer, self._folder = summary_writer, output_dir

    def begin(self) -> None:
        if self._writer is None and self._folder:
            self._writer = FileWriterCache.get(self._folder)
        self._step = counter("StepCounterHook")

    def before_run(self, run_context: Any) -> Any:
        return SessionRunArgs(self._step)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        step = int(run_context.session.run(self._step))
        if self._timer.should_trigger_for_step(step):
            seconds, steps = self._timer.update_last_triggered_step(step)
            if seconds:
                name = self._step.name.partition(":")[0] + "/sec"
                logging.get_logger().info("%s: %g", name, steps / seconds)
                if self._writer is not None:
                    value = Summary.Value(tag=name, simple_value=steps / seconds)
                    self._writer.add_summary(Summary(value=[value]), step)


@export("compat.v1.train.SummarySaverHook")
class SummarySaverHook(SessionRunHook):
    """Writes summaries now and then. Mirrors `tf.compat.v1.train.SummarySaverHook`.

    Args:
      save_steps, save_secs: how often; one of them.
      output_dir, summary_writer: where to.
      scaffold, summary_op: what gives the summaries; one of them.

    Raises:
      ValueError: if both of these are given, or neither.
    """

    def __init__(
        self, save_steps: int | None = None, save_secs: float | None = None, output_dir: Any = None, summary_writer: Any = None,
        scaffold: Any = None, summary_op: Any = None,
    ) -> None:  # fmt: skip
        if (scaffold is None) == (summary_op is None):
            raise ValueError("Exactly one of scaffold or summary_op must be provided.")
        self._summary, self._scaffold = summary_op, scaffold
        self._writer, self._folder = summary_writer, output_dir
        self._timer = SecondOrStepTimer(save_secs, save_steps)

    def begin(self) -> None:
        if self._writer is None and self._folder:
            self._writer = FileWriterCache.get(self._folder)
        self._next: int | None = None
        self._step = counter("SummarySaverHook")

    def before_run(self, run_context: Any) -> Any:
        self._now = self._next is None or self._timer.should_trigger_for_step(self._next)
        wanted = {"step": self._step}
        summary = self._scaffold.summary_op if self._summary is None else self._summary
        if self._now and summary is not None:
            wanted["summary"] = summary
        return SessionRunArgs(wanted)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        if self._writer is None:
            return
        step = int(run_context.session.run(self._step))
        if self._next is None:
            self._writer.add_session_log(SessionLog(status=SessionLog.START), step)
        if self._now:
            self._timer.update_last_triggered_step(step)
            found = run_values.results.get("summary", [])
            for summary in found if isinstance(found, list) else [found]:
                self._writer.add_summary(summary, step)
        self._next = step + 1

    def end(self, session: Any) -> None:
        if self._writer is not None:
            self._writer.flush()
