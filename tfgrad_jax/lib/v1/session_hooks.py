"""Hooks of monitored sessions: what is called before and after each run, and the usual ones."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from tfgrad_jax.engine.messages import logging
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.lib.v1.steps import get_global_step


@export("compat.v1.train.SessionRunArgs")
class SessionRunArgs(NamedTuple):
    """What a hook adds to a run. Mirrors `tf.compat.v1.train.SessionRunArgs`."""

    fetches: Any
    feed_dict: Any = None
    options: Any = None


@export("compat.v1.train.SessionRunValues")
class SessionRunValues(NamedTuple):
    """What a hook gets after a run. Mirrors `tf.compat.v1.train.SessionRunValues`."""

    results: Any
    options: Any
    run_metadata: Any


@export("compat.v1.train.SessionRunContext")
class SessionRunContext:
    """What a hook is told of a run. Mirrors `tf.compat.v1.train.SessionRunContext`.

    Args:
      original_args: what the program runs.
      session: the session itself, in which hooks may run more.
    """

    def __init__(self, original_args: Any, session: Any) -> None:
        self.original_args = original_args
        self.session = session
        self._stop_requested = False

    @property
    def stop_requested(self) -> bool:
        """Whether somebody asked for the end."""
        return self._stop_requested

    def request_stop(self) -> None:
        """Let this run be the last one."""
        self._stop_requested = True


@export("compat.v1.train.SessionRunHook")
class SessionRunHook:
    """Base of hooks, which override what they need. Mirrors `tf.compat.v1.train.SessionRunHook`."""

    def begin(self) -> None:
        """Called once, before the session is made, while the graph may be changed."""

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Called with the session, when all variables have their values."""

    def before_run(self, run_context: Any) -> Any:
        """Called before each run; may return `SessionRunArgs`."""
        return None

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Called after each run."""

    def end(self, session: Any) -> None:
        """Called at the end, unless that is an error."""


@export("compat.v1.train.SecondOrStepTimer")
class SecondOrStepTimer:
    """Says when so many steps were made, or so much time has passed. Mirrors `tf.compat.v1.train.SecondOrStepTimer`.

    Raises:
      ValueError: if both are given, or neither.
    """

    def __init__(self, every_secs: float | None = None, every_steps: int | None = None) -> None:
        self._every_secs, self._every_steps = every_secs, every_steps
        if every_secs is None and every_steps is None:
            raise ValueError("Either every_secs or every_steps should be provided.")
        if every_secs is not None and every_steps is not None:
            raise ValueError("Can not provide both every_secs and every_steps.")
        self.reset()

    def reset(self) -> None:
        """Begin anew."""
        self._last_step: int | None = None
        self._last_time: float | None = None

    def should_trigger_for_step(self, step: int) -> bool:
        """Whether it is time."""
        if self._last_step is None:
            return True
        if step == self._last_step:
            return False
        if self._every_secs is not None:
            return time.time() >= (self._last_time or 0.0) + self._every_secs
        return step >= self._last_step + (self._every_steps or 0)

    def update_last_triggered_step(self, step: int) -> tuple[Any, Any]:
        """Say that it was used; gives the seconds and the steps since the last time."""
        now = time.time()
        before = (None, None) if self._last_step is None else (now - (self._last_time or 0.0), step - self._last_step)
        self._last_time, self._last_step = now, step
        return before

    def last_triggered_step(self) -> int | None:
        """When it was used last."""
        return self._last_step


def counter(user: str) -> Any:
    """The counter of steps, which the hook of a name needs.

    Raises:
      RuntimeError: if there is none.
    """
    found = get_global_step()
    if found is None:
        raise RuntimeError(f"Global step should be created to use {user}.")
    return found


@export("compat.v1.train.StopAtStepHook")
class StopAtStepHook(SessionRunHook):
    """Asks for the end after so many steps, or at one. Mirrors `tf.compat.v1.train.StopAtStepHook`.

    Raises:
      ValueError: if both are given, or neither.
    """

    def __init__(self, num_steps: int | None = None, last_step: int | None = None) -> None:
        if num_steps is None and last_step is None:
            raise ValueError("One of num_steps or last_step must be specified.")
        if num_steps is not None and last_step is not None:
            raise ValueError("Only one of num_steps or last_step can be specified.")
        self._num_steps, self._last_step = num_steps, last_step

    def begin(self) -> None:
        self._step = counter("StopAtStepHook")

    def after_create_session(self, session: Any, coord: Any) -> None:
        if self._last_step is None:
            self._last_step = int(session.run(self._step)) + (self._num_steps or 0)

    def before_run(self, run_context: Any) -> Any:
        return SessionRunArgs(self._step)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        if run_context.session.run(self._step) >= (self._last_step or 0):
            run_context.request_stop()


@export("compat.v1.train.NanLossDuringTrainingError")
class NanLossDuringTrainingError(RuntimeError):
    """What `NanTensorHook` raises. Mirrors `tf.compat.v1.train.NanLossDuringTrainingError`."""

    def __str__(self) -> str:
        return "NaN loss during training."


@export("compat.v1.train.NanTensorHook")
class NanTensorHook(SessionRunHook):
    """Ends the session where a loss is no number. Mirrors `tf.compat.v1.train.NanTensorHook`.

    Args:
      loss_tensor: the loss.
      fail_on_nan_loss: whether that is an error.
    """

    def __init__(self, loss_tensor: Any, fail_on_nan_loss: bool = True) -> None:
        self._loss = loss_tensor
        self._fail = fail_on_nan_loss

    def before_run(self, run_context: Any) -> Any:
        return SessionRunArgs(self._loss)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        if np.isnan(run_values.results):
            if self._fail:
                logging.get_logger().error("Model diverged with loss = NaN.")
                raise NanLossDuringTrainingError
            logging.get_logger().warning("Model diverged with loss = NaN.")
            run_context.request_stop()


@export("compat.v1.train.LoggingTensorHook")
class LoggingTensorHook(SessionRunHook):
    """Logs values now and then. Mirrors `tf.compat.v1.train.LoggingTensorHook`.

    Args:
      tensors: tensors or their names by what they are called, or a list of those.
      every_n_iter, every_n_secs: how often; one of them, unless `at_end`.
      at_end: whether they are logged at the end, too.
      formatter: makes the text of the values by name.

    Raises:
      ValueError: if it is not said how often.
    """

    def __init__(
        self, tensors: Any, every_n_iter: int | None = None, every_n_secs: float | None = None, at_end: bool = False,
        formatter: Callable[[Mapping[str, Any]], str] | None = None,
    ) -> None:  # fmt: skip
        often = every_n_iter is None and every_n_secs is None and at_end
        if not often and (every_n_iter is None) == (every_n_secs is None):
            raise ValueError("either at_end and/or exactly one of every_n_iter and every_n_secs must be provided.")
        if every_n_iter is not None and every_n_iter <= 0:
            raise ValueError(f"invalid every_n_iter={every_n_iter}.")
        named = tensors if isinstance(tensors, Mapping) else {str(getattr(t, "name", t)): t for t in tensors}
        self._tensors = dict(named)
        self._formatter = formatter
        self._timer = None if often else SecondOrStepTimer(every_n_secs, every_n_iter)
        self._at_end = at_end

    def begin(self) -> None:
        self._iterations = 0
        if self._timer is not None:
            self._timer.reset()

    def before_run(self, run_context: Any) -> Any:
        self._now = self._timer is not None and self._timer.should_trigger_for_step(self._iterations)
        return SessionRunArgs(self._tensors) if self._now else None

    def after_run(self, run_context: Any, run_values: Any) -> None:
        if self._now:
            self._log(run_values.results)
        self._iterations += 1

    def end(self, session: Any) -> None:
        if self._at_end:
            self._log(session.run(self._tensors))

    def _log(self, values: Mapping[str, Any]) -> None:
        elapsed = self._timer.update_last_triggered_step(self._iterations)[0] if self._timer is not None else None
        if self._formatter is not None:
            text = self._formatter(values)
        else:
            text = ", ".join(f"{name} = {values[name]}" for name in self._tensors)
            text += "" if elapsed is None else f" ({elapsed:.3f} sec)"
        logging.get_logger().info(text)


@export("compat.v1.train.GlobalStepWaiterHook")
class GlobalStepWaiterHook(SessionRunHook):
    """Waits until the counter has reached a step. Mirrors `tf.compat.v1.train.GlobalStepWaiterHook`."""

    def __init__(self, wait_until_step: int) -> None:
        self._until = wait_until_step

    def begin(self) -> None:
        self._step = counter("GlobalStepWaiterHook")

    def before_run(self, run_context: Any) -> Any:
        while run_context.session.run(self._step) < self._until:
            time.sleep(0.5)


@export("compat.v1.train.FinalOpsHook")
class FinalOpsHook(SessionRunHook):
    """Runs something at the end. Mirrors `tf.compat.v1.train.FinalOpsHook`."""

    def __init__(self, final_ops: Any, final_ops_feed_dict: Any = None) -> None:
        self._wanted, self._fed = final_ops, final_ops_feed_dict
        self._values: Any = None

    @property
    def final_ops_values(self) -> Any:
        """What it gave."""
        return self._values

    def end(self, session: Any) -> None:
        if self._wanted is not None:
            self._values = session.run(self._wanted, feed_dict=self._fed)


@export("compat.v1.train.FeedFnHook")
class FeedFnHook(SessionRunHook):
    """Feeds what a function gives. Mirrors `tf.compat.v1.train.FeedFnHook`."""

    def __init__(self, feed_fn: Callable[[], Any]) -> None:
        self.feed_fn = feed_fn

    def before_run(self, run_context: Any) -> Any:
        return SessionRunArgs(None, feed_dict=self.feed_fn())
