"""Monitored sessions of version 1: sessions that initialize variables or restore them, and call hooks around each run."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from typing import Any

from tfgrad_jax.engine.graph.func_graph import get_default_graph
from tfgrad_jax.engine.messages.errors import OutOfRangeError
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.lib.checkpoint.saver import Saver
from tfgrad_jax.lib.checkpoint.state import latest_checkpoint
from tfgrad_jax.lib.coordinator import Coordinator
from tfgrad_jax.lib.lookup.tables import tables_initializer
from tfgrad_jax.lib.v1.collections import GraphKeys
from tfgrad_jax.lib.v1.graph_summaries import merge_all
from tfgrad_jax.lib.v1.queue_runners import start_queue_runners
from tfgrad_jax.lib.v1.saving_hooks import CheckpointSaverHook, StepCounterHook, SummarySaverHook
from tfgrad_jax.lib.v1.session import Session
from tfgrad_jax.lib.v1.session_hooks import SessionRunArgs, SessionRunContext, SessionRunValues
from tfgrad_jax.lib.v1.variables import report_uninitialized_variables, variables_initializer
from tfgrad_jax.ops.control.control_flow import group

_USUAL = object()


@export("compat.v1.train.Scaffold")
class Scaffold:
    """What initializes a graph's variables, saves them and sums up. Mirrors `tf.compat.v1.train.Scaffold`.

    Args:
      init_op, init_feed_dict, init_fn: give global variables their values, if no checkpoint does. What is None here or below is
        the usual one.
      ready_op: gives the names of variables without value.
      ready_for_local_init_op: the same, before local ones have theirs.
      local_init_op, local_init_feed_dict: give local variables and tables their values.
      summary_op: gives all summaries.
      saver: saves and restores.
      copy_from_scaffold: another one, whose things are taken.
    """

    def __init__(
        self, init_op: Any = None, init_feed_dict: Any = None, init_fn: Any = None, ready_op: Any = None,
        ready_for_local_init_op: Any = None, local_init_op: Any = None, summary_op: Any = None, saver: Any = None,
        copy_from_scaffold: Any = None, local_init_feed_dict: Any = None,
    ) -> None:  # fmt: skip
        other = copy_from_scaffold
        self.init_op = init_op if other is None or init_op is not None else other.init_op
        self.init_feed_dict = init_feed_dict
        self.init_fn = None if init_fn is None else lambda session: init_fn(self, session)
        self.ready_op, self.ready_for_local_init_op = ready_op, ready_for_local_init_op
        self.local_init_op, self.local_init_feed_dict = local_init_op, local_init_feed_dict
        self.summary_op, self.saver = summary_op, saver

    def finalize(self) -> Scaffold:
        """Make what was not given, and let the graph be changed no more."""
        graph: Any = get_default_graph()

        def found(key: str, given: Any, make: Callable[[], Any]) -> Any:
            kept = graph.get_collection_ref(key)
            value = given if given is not None else kept[0] if kept else make()
            if value is not None and not kept:
                kept.append(value)
            return value

        self.init_op = found(GraphKeys.INIT_OP, self.init_op, lambda: _initializer(GraphKeys.GLOBAL_VARIABLES))
        self.ready_op = found(GraphKeys.READY_OP, self.ready_op, report_uninitialized_variables)
        self.ready_for_local_init_op = found(
            GraphKeys.READY_FOR_LOCAL_INIT_OP, self.ready_for_local_init_op,
            lambda: report_uninitialized_variables(graph.get_collection(GraphKeys.GLOBAL_VARIABLES)),
        )  # fmt: skip
        self.local_init_op = found(GraphKeys.LOCAL_INIT_OP, self.local_init_op, self.default_local_init_op)
        self.summary_op = found(GraphKeys.SUMMARY_OP, self.summary_op, merge_all)
        self.saver = found(GraphKeys.SAVERS, self.saver, lambda: Saver(allow_empty=True))
        graph.finalize()
        return self

    @staticmethod
    def default_local_init_op() -> Any:
        """What initializes local variables and tables."""
        return group(_initializer(GraphKeys.LOCAL_VARIABLES), tables_initializer())

    @staticmethod
    def get_or_default(arg_name: str, collection_key: str, default_constructor: Callable[[], Any]) -> Any:
        """What is in a collection, or is made and put there."""
        kept = get_default_graph().get_collection_ref(collection_key)
        if not kept:
            kept.append(default_constructor())
        return kept[0]


def _initializer(key: str) -> Any:
    return variables_initializer(get_default_graph().get_collection(key))


@export("compat.v1.train.SessionManager")
class SessionManager:
    """Makes sessions whose variables have their values. Mirrors `tf.compat.v1.train.SessionManager`.

    Args:
      local_init_op, local_init_feed_dict: give local variables their values.
      ready_op, ready_for_local_init_op: give the names of variables without value.
      graph: the graph; the default one where None.
      recovery_wait_secs, local_init_run_options: accepted for compatibility.
    """

    def __init__(
        self, local_init_op: Any = None, ready_op: Any = None, ready_for_local_init_op: Any = None, graph: Any = None,
        recovery_wait_secs: float = 30, local_init_run_options: Any = None, local_init_feed_dict: Any = None,
    ) -> None:  # fmt: skip
        self._local_init_op, self._local_fed = local_init_op, local_init_feed_dict
        self._ready_op = ready_op
        self._graph = graph

    def prepare_session(
        self, master: str, init_op: Any = None, saver: Any = None, checkpoint_dir: Any = None,
        checkpoint_filename_with_path: Any = None, wait_for_checkpoint: bool = False, max_wait_secs: float = 7200,
        config: Any = None, init_feed_dict: Any = None, init_fn: Any = None,
    ) -> Any:  # fmt: skip
        """A session whose variables are restored, where there is a checkpoint, or initialized.

        Raises:
          RuntimeError: if nothing gives them their values, or some have none.
        """
        session = Session(master, self._graph, config)
        if not self._restore(session, saver, checkpoint_dir, checkpoint_filename_with_path):
            if init_op is None and not init_fn and self._local_init_op is None:
                raise RuntimeError("Model is not initialized and no init_op or init_fn or local_init_op was given")
            if init_op is not None:
                session.run(init_op, feed_dict=init_feed_dict)
            if init_fn:
                init_fn(session)
        missing = self._local(session)
        if missing:
            raise RuntimeError(
                f"Init operations did not make model ready.  Init op: {getattr(init_op, 'name', None)}, init fn: {init_fn}, "
                f"local_init_op: {getattr(self._local_init_op, 'name', None)}, error: Variables not initialized: {missing}"
            )
        return session

    def recover_session(
        self, master: str, saver: Any = None, checkpoint_dir: Any = None, checkpoint_filename_with_path: Any = None,
        wait_for_checkpoint: bool = False, max_wait_secs: float = 7200, config: Any = None,
    ) -> tuple[Any, bool]:  # fmt: skip
        """A session, and whether a checkpoint was there and gave its variables their values."""
        session = Session(master, self._graph, config)
        restored = self._restore(session, saver, checkpoint_dir, checkpoint_filename_with_path)
        return session, restored and not self._local(session)

    def wait_for_session(self, master: str, config: Any = None, max_wait_secs: float = float("inf")) -> Any:
        """A session whose variables another process initializes, which none does here.

        Raises:
          NotImplementedError: always.
        """
        raise NotImplementedError(
            "SessionManager.wait_for_session: nobody else initializes variables; use prepare_session"
        )

    def _local(self, session: Any) -> str:
        if self._local_init_op is not None:
            session.run(self._local_init_op, feed_dict=self._local_fed)
        missing = [] if self._ready_op is None else session.run(self._ready_op)
        return ", ".join(name.decode() for name in missing)

    @staticmethod
    def _restore(session: Any, saver: Any, folder: Any, path: Any) -> bool:
        found = path or (latest_checkpoint(folder) if folder else None)
        if saver is None or not found:
            return False
        saver.restore(session, found)
        return True


@export("compat.v1.train.SessionCreator")
class SessionCreator:
    """Makes a session. Mirrors `tf.compat.v1.train.SessionCreator`."""

    def create_session(self) -> Any:
        """A session.

        Raises:
          NotImplementedError: where a subclass gives none.
        """
        raise NotImplementedError(f"{type(self).__name__} has no create_session")


@export("compat.v1.train.ChiefSessionCreator")
class ChiefSessionCreator(SessionCreator):
    """Makes a session whose variables have their values. Mirrors `tf.compat.v1.train.ChiefSessionCreator`."""

    def __init__(
        self, scaffold: Any = None, master: str = "", config: Any = None, checkpoint_dir: Any = None,
        checkpoint_filename_with_path: Any = None,
    ) -> None:  # fmt: skip
        self.scaffold = scaffold or Scaffold()
        self._master, self._config = master, config
        self._folder, self._path = checkpoint_dir, checkpoint_filename_with_path

    def create_session(self) -> Any:
        """A session, of the default graph, which is final from here on."""
        scaffold = self.scaffold.finalize()
        manager = SessionManager(
            scaffold.local_init_op, scaffold.ready_op, scaffold.ready_for_local_init_op,
            local_init_feed_dict=scaffold.local_init_feed_dict,
        )  # fmt: skip
        return manager.prepare_session(
            self._master, scaffold.init_op, scaffold.saver, self._folder, self._path, config=self._config,
            init_feed_dict=scaffold.init_feed_dict, init_fn=scaffold.init_fn,
        )  # fmt: skip


class StepContext:
    """What `run_step_fn` gives to its function.

    Args:
      session: the session itself.
      run_with_hooks: runs as the monitored session does.
    """

    def __init__(self, session: Any, run_with_hooks: Callable[..., Any]) -> None:
        self.session = session
        self.run_with_hooks = run_with_hooks

    def request_stop(self) -> None:
        """Let this step be the last one."""
        raise StopIteration("step_fn has requested the iterations to stop.")


class _Monitored:
    """A session with hooks."""

    StepContext = StepContext

    def __init__(self, session_creator: Any = None, hooks: Any = None, stop_grace_period_secs: float = 120) -> None:
        self._hooks = list(hooks or ())
        for hook in self._hooks:
            hook.begin()
        creator = session_creator or ChiefSessionCreator()
        self._coord = Coordinator(clean_stop_exception_types=())
        self._grace = stop_grace_period_secs
        self._stopping = False
        self._session: Any = creator.create_session()
        start_queue_runners(sess=self._session, coord=self._coord)
        for hook in self._hooks:
            hook.after_create_session(self._session, self._coord)

    @property
    def graph(self) -> Any:
        """The graph; None when the session is closed."""
        return None if self._session is None else self._session.graph

    def holding(self) -> Any:
        """See `Session.holding`."""
        return self._session.holding()

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """As a session runs it, with the hooks around.

        Raises:
          RuntimeError: after the end was asked for, or if two feed the same.
        """
        if self.should_stop():
            raise RuntimeError("Run called even after should_stop requested.")
        wanted: dict[Any, Any] = {"caller": fetches}
        fed = dict(feed_dict or {})
        around = SessionRunContext(SessionRunArgs(fetches, fed), self._session)
        for i, hook in enumerate(self._hooks):
            asked = hook.before_run(around)
            if asked is None:
                continue
            if asked.fetches is not None:
                wanted[f"hook {i}"] = asked.fetches
            for key, value in (asked.feed_dict or {}).items():
                if key in fed:
                    raise RuntimeError(f"Same tensor is fed by two hooks, or by a hook and the caller: {key}")
                fed[key] = value
        try:
            found = self._session.run(wanted, fed, options, run_metadata)
            for i, hook in enumerate(self._hooks):
                hook.after_run(around, SessionRunValues(found.get(f"hook {i}"), options, run_metadata))
        except Exception:
            self._coord.raise_requested_exception()  # what failed in a thread is why this failed
            raise
        self._stopping = self._stopping or around.stop_requested
        return found["caller"]

    def run_step_fn(self, step_fn: Callable[..., Any]) -> Any:
        """What a function of a `StepContext` gives.

        Raises:
          ValueError: if it has other parameters.
        """
        names = list(inspect.signature(step_fn).parameters)
        if names != ["step_context"]:
            raise ValueError(
                "`step_fn` may either have one `step_context` argument, or `self` and `step_context` arguments if it's an instance "
                f"method. Got {tuple(names)} instead."
            )
        try:
            return step_fn(StepContext(self._session, self.run))
        except StopIteration:
            self._stopping = True
            return None

    def should_stop(self) -> bool:
        """Whether the end was asked for, or has come."""
        return self._session is None or self._stopping or self._coord.should_stop()

    def close(self) -> None:
        """The end: hooks are told, and nothing runs any more."""
        self._end(None)

    def __enter__(self) -> Any:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool:
        ended = kind is not None and issubclass(kind, (OutOfRangeError, StopIteration))
        self._end(None if ended else kind)
        return kind is None or ended

    def _end(self, kind: Any) -> None:
        if self._session is None:
            return
        try:
            if kind is None:
                for hook in self._hooks:
                    hook.end(self._session)
        finally:
            self._coord.request_stop()
            try:
                self._coord.join(stop_grace_period_secs=self._grace, ignore_live_threads=True)
            finally:
                self._session.close()
                self._session.graph.unfinalize()
                self._session = None


@export("compat.v1.train.MonitoredSession")
class MonitoredSession(_Monitored):
    """A session that initializes and calls hooks. Mirrors `tf.compat.v1.train.MonitoredSession`.

    Args:
      session_creator: makes the session; a `ChiefSessionCreator` where None.
      hooks: a list of `SessionRunHook`s.
      stop_grace_period_secs: how long threads may take to end.
    """


@export("compat.v1.train.SingularMonitoredSession")
class SingularMonitoredSession(_Monitored):
    """A monitored session of one process. Mirrors `tf.compat.v1.train.SingularMonitoredSession`."""

    def __init__(
        self, hooks: Any = None, scaffold: Any = None, master: str = "", config: Any = None, checkpoint_dir: Any = None,
        stop_grace_period_secs: float = 120, checkpoint_filename_with_path: Any = None,
    ) -> None:  # fmt: skip
        creator = ChiefSessionCreator(scaffold, master, config, checkpoint_dir, checkpoint_filename_with_path)
        super().__init__(creator, hooks, stop_grace_period_secs)

    def raw_session(self) -> Any:
        """The session itself."""
        return self._session


@export("compat.v1.train.MonitoredTrainingSession")
def MonitoredTrainingSession(
    master: str = "", is_chief: bool = True, checkpoint_dir: Any = None, scaffold: Any = None, hooks: Any = None,
    chief_only_hooks: Any = None, save_checkpoint_secs: Any = _USUAL, save_summaries_steps: Any = _USUAL,
    save_summaries_secs: Any = _USUAL, config: Any = None, stop_grace_period_secs: float = 120,
    log_step_count_steps: int | None = 100, max_wait_secs: float = 7200, save_checkpoint_steps: Any = _USUAL,
    summary_dir: Any = None, save_graph_def: bool = True,
) -> MonitoredSession:  # fmt: skip
    """A monitored session that saves checkpoints and summaries, and goes on from the last. Mirrors TensorFlow's of that name.

    Args:
      master: of distributed sessions, which are not here.
      is_chief: must be True.
      checkpoint_dir: where checkpoints are found and saved.
      scaffold, hooks, chief_only_hooks, config, stop_grace_period_secs: as for `MonitoredSession`.
      save_checkpoint_secs, save_checkpoint_steps: how often; every 600 seconds if nothing else is said, None for never.
      save_summaries_steps, save_summaries_secs: how often; every 100 steps if nothing else is said, None for never.
      log_step_count_steps: how often the speed is told.
      summary_dir: where summaries go; the folder of checkpoints where None.
      max_wait_secs, save_graph_def: accepted for compatibility.

    Raises:
      NotImplementedError: if this is not the chief.
    """
    if not is_chief:
        raise NotImplementedError("MonitoredTrainingSession: is_chief=False; each process has its own variables here")
    if save_checkpoint_secs is _USUAL and save_checkpoint_steps is _USUAL:
        save_checkpoint_secs, save_checkpoint_steps = 600, None
    if save_summaries_secs is _USUAL and save_summaries_steps is _USUAL:
        save_summaries_steps, save_summaries_secs = 100, None
    save_checkpoint_secs, save_checkpoint_steps, save_summaries_secs, save_summaries_steps = (
        None if given is _USUAL else given
        for given in (save_checkpoint_secs, save_checkpoint_steps, save_summaries_secs, save_summaries_steps)
    )
    scaffold = scaffold or Scaffold()
    all_hooks = [*(hooks or ()), *(chief_only_hooks or ())]
    folder = summary_dir or checkpoint_dir
    if folder:
        if log_step_count_steps and log_step_count_steps > 0:
            all_hooks.append(StepCounterHook(output_dir=folder, every_n_steps=log_step_count_steps))
        if (save_summaries_steps or 0) > 0 or (save_summaries_secs or 0) > 0:
            all_hooks.append(
                SummarySaverHook(save_summaries_steps, save_summaries_secs, output_dir=folder, scaffold=scaffold)
            )
    if checkpoint_dir and ((save_checkpoint_secs or 0) > 0 or (save_checkpoint_steps or 0) > 0):
        all_hooks.append(
            CheckpointSaverHook(
                os.fspath(checkpoint_dir), save_checkpoint_secs, save_checkpoint_steps, scaffold=scaffold
            )
        )
    creator = ChiefSessionCreator(scaffold, master, config, checkpoint_dir)
    return MonitoredSession(creator, all_hooks, stop_grace_period_secs)
