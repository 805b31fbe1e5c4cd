"""`tf.train.CheckpointManager`: keeps the newest checkpoints of a directory and removes the others."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from tfgrad_jax.engine.messages.errors import NotFoundError, OpError
from tfgrad_jax.engine.messages.logging import warn
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.lib.checkpoint.bundle import files_of
from tfgrad_jax.lib.checkpoint.options import CheckpointOptions
from tfgrad_jax.lib.checkpoint.sessions import counted, session_for, values_of
from tfgrad_jax.lib.checkpoint.state import checkpoint_exists, get_checkpoint_state, now, update_checkpoint_state
from tfgrad_jax.lib.io.paths import path_text
from tfgrad_jax.ops.io.file_systems import file_system, speaking_of

_HOUR = 3600.0


def remove_checkpoint(prefix: str) -> None:
    """Remove the files of a checkpoint, as far as the system lets us."""
    for name in files_of(prefix):
        try:
            with speaking_of(name):
                file_system(name).remove(name)
        except NotFoundError:
            pass  # another worker was quicker
        except OpError as error:
            warn("%s: an old checkpoint could not be removed: %s", name, error.message)


@export("train.CheckpointManager")
class CheckpointManager:
    """Saves checkpoints of a `tf.train.Checkpoint` and removes old ones. Mirrors `tf.train.CheckpointManager`.

    Args:
      checkpoint: what is saved.
      directory: where.
      max_to_keep: how many are kept; all where None.
      keep_checkpoint_every_n_hours: one that old is kept for ever, for so many hours.
      checkpoint_name: what the names of files begin with.
      step_counter: a variable or integer that says how far the program is.
      checkpoint_interval: `save` does nothing before so many steps have passed.
      init_fn: called by `restore_or_initialize` where there is no checkpoint.
      last_checkpoint_step: the step of the last checkpoint of an earlier run.

    Raises:
      ValueError: if `max_to_keep` is not positive, or there is an interval and no counter.
    """

    def __init__(
        self,
        checkpoint: Any,
        directory: Any,
        max_to_keep: int | None,
        keep_checkpoint_every_n_hours: float | None = None,
        checkpoint_name: str = "ckpt",
        step_counter: Any = None,
        checkpoint_interval: int | None = None,
        init_fn: Callable[[], Any] | None = None,
        last_checkpoint_step: int | None = None,
    ) -> None:
        self._checkpoint = checkpoint
        self._max_to_keep = max_to_keep
        self._keep_every = keep_checkpoint_every_n_hours
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(f"Expected a positive integer or `None` for `max_to_keep`, got {max_to_keep}.")
        if checkpoint_interval is not None and step_counter is None:
            raise ValueError("`step_counter` should be passed if `checkpoint_interval` is not None.")
        self._step_counter, self._interval, self._last_step = step_counter, checkpoint_interval, last_checkpoint_step
        self._init_fn = init_fn
        self._directory = path_text(directory)
        self._prefix = os.path.join(self._directory, checkpoint_name)
        state = get_checkpoint_state(self._directory)
        started = now()
        self._kept: dict[str, float] = {}  # those that may be removed, the oldest first, and when they were made
        if state is None:
            self._latest: str | None = None
            self._preserved = started
            return
        times = list(state.all_model_checkpoint_timestamps)
        paths = state.all_model_checkpoint_paths
        if not times or len(times) != len(paths):
            times = [started] * len(paths)
        newer = state.last_preserved_timestamp
        self._preserved = newer if newer and newer <= started else started
        for path, when in zip(paths, times):
            if when > started:
                when = started
            if checkpoint_exists(path) and path != state.model_checkpoint_path:
                self._kept[path] = when
        self._latest = state.model_checkpoint_path
        if checkpoint_exists(self._latest):
            self._kept[self._latest] = dict(zip(paths, times)).get(self._latest, started)

    @property
    def directory(self) -> str:
        """The directory."""
        return self._directory

    @property
    def checkpoint_interval(self) -> int | None:
        """After how many steps `save` saves."""
        return self._interval

    @property
    def latest_checkpoint(self) -> str | None:
        """The path of the newest checkpoint, or None."""
        return self._latest

    @property
    def checkpoints(self) -> list[str]:
        """The paths of those that may still be removed, the oldest first."""
        return list(self._kept)

    @property
    def checkpoint(self) -> Any:
        """The `tf.train.Checkpoint`."""
        return self._checkpoint

    def _record(self) -> None:
        names, times = list(self._kept), list(self._kept.values())
        update_checkpoint_state(self._directory, self._latest or "", names, None, times, self._preserved)

    def _sweep(self) -> None:
        """Remove the oldest checkpoints, but those that are to stay for ever."""
        if not self._max_to_keep:
            return
        while len(self._kept) > self._max_to_keep:
            path, when = next(iter(self._kept.items()))
            del self._kept[path]
            if self._keep_every and when - self._keep_every * _HOUR >= self._preserved:
                self._preserved = when
                continue
            remove_checkpoint(path)

    def save(
        self, checkpoint_number: Any = None, check_interval: bool = True, options: CheckpointOptions | None = None
    ) -> str | None:
        """Save a checkpoint and remove old ones.

        Args:
          checkpoint_number: what follows in its name; the number of calls of `save` by default.
          check_interval: whether nothing happens as long as too few steps have passed.
          options: a `tf.train.CheckpointOptions`.

        Returns:
          The path; None where nothing happened.
        """
        session = session_for("tf.train.CheckpointManager.save")
        self.sync()
        last_step = self._last_step
        if self._interval is not None:
            step = self._step()
            if check_interval and last_step is not None and step < last_step + self._interval:
                return None
            last_step = step
        options = (options or CheckpointOptions()).after_writing(functools.partial(self._written, last_step))
        with (
            counted(self._checkpoint, session)
            if checkpoint_number is None
            else nullcontext(checkpoint_number) as number
        ):
            return str(self._checkpoint.write(f"{self._prefix}-{int(number)}", options))

    def _written(self, step: int | None, path: str) -> None:
        self._last_step = step
        self._latest = path
        self._kept.pop(path, None)
        self._kept[path] = now()
        self._record()  # before anything is removed, so that a crash leaves what names the new one
        self._sweep()
        self._record()

    def _step(self) -> int:
        counter = self._step_counter() if callable(self._step_counter) else self._step_counter
        with values_of(session_for("tf.train.CheckpointManager")):
            return int(counter.numpy() if isinstance(counter, Variable) else counter)

    def restore_or_initialize(self) -> str | None:
        """Restore the newest checkpoint, or call `init_fn` where there is none.

        Returns:
          The path of the checkpoint, or None.
        """
        self.sync()
        if self._latest is not None:
            self._checkpoint.restore(self._latest)
            if self._interval is not None:
                self._last_step = self._step()
            return self._latest
        if self._init_fn is not None:
            self._init_fn()
        return None

    def sync(self) -> None:
        """Wait until what is written beside the program is written; raises what went wrong with that."""
        self._checkpoint.sync()
