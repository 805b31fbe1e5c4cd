"""`tf.compat.v1.train.Supervisor`: the older way to a session that saves and goes on from the last checkpoint."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from typing import Any

from tfgrad_jax.engine.graph.func_graph import get_default_graph
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.eager import executing_eagerly
from tfgrad_jax.lib.coordinator import Coordinator, LooperThread
from tfgrad_jax.lib.v1.file_writer import FileWriter
from tfgrad_jax.lib.v1.monitored import Scaffold, SessionManager
from tfgrad_jax.lib.v1.queue_runners import start_queue_runners
from tfgrad_jax.lib.v1.steps import get_global_step


@export("compat.v1.train.Supervisor")
class Supervisor:
    """Initializes or restores variables, and saves them in a thread of its own. Mirrors `tf.compat.v1.train.Supervisor`.

    Args:
      graph: the graph; the default one where None. It is final from here on.
      ready_op, ready_for_local_init_op, init_op, init_feed_dict, local_init_op, summary_op, saver: as `Scaffold` takes them; the
        usual ones where 0.
      is_chief: must be True.
      logdir: the folder of checkpoints and summaries; nothing is saved where None.
      global_step: the counter; the graph's where 0.
      save_summaries_secs, save_model_secs: how often; 0 for never.
      stop_grace_secs: how long threads may take to end.
      checkpoint_basename: how the files' names begin.
      session_manager: makes the session.
      summary_writer: writes summaries; one for `logdir` where 0.
      init_fn: a function of the session that gives variables their values.
      recovery_wait_secs, local_init_run_options: accepted for compatibility.

    Raises:
      RuntimeError: where operations run at once.
      NotImplementedError: if this is not the chief.
    """

    USE_DEFAULT = 0

    def __init__(
        self, graph: Any = None, ready_op: Any = USE_DEFAULT, ready_for_local_init_op: Any = USE_DEFAULT, is_chief: bool = True,
        init_op: Any = USE_DEFAULT, init_feed_dict: Any = None, local_init_op: Any = USE_DEFAULT, logdir: Any = None,
        summary_op: Any = USE_DEFAULT, saver: Any = USE_DEFAULT, global_step: Any = USE_DEFAULT,
        save_summaries_secs: float = 120, save_model_secs: float = 600, recovery_wait_secs: float = 30,
        stop_grace_secs: float = 120, checkpoint_basename: str = "model.ckpt", session_manager: Any = None,
        summary_writer: Any = USE_DEFAULT, init_fn: Callable[[Any], Any] | None = None, local_init_run_options: Any = None,
    ) -> None:  # fmt: skip
        if executing_eagerly():
            raise RuntimeError("Supervisors are compatible with eager execution.")
        if not is_chief:
            raise NotImplementedError(
                "tf.compat.v1.train.Supervisor: is_chief=False; each process has its own variables here"
            )
        self.graph: Any = get_default_graph() if graph is None else graph
        given = [
            None if one is self.USE_DEFAULT else one
            for one in (init_op, ready_op, ready_for_local_init_op, local_init_op, summary_op, saver)
        ]
        with self.graph.as_default():
            self.global_step = get_global_step() if global_step is self.USE_DEFAULT else global_step
            found = Scaffold(given[0], init_feed_dict, None, *given[1:]).finalize()
        self._scaffold, self._init_fn = found, init_fn
        self.init_op, self.saver, self.summary_op = found.init_op, found.saver, found.summary_op
        self.is_chief, self.coord = True, Coordinator()
        self._folder = None if logdir is None else os.fspath(logdir)
        self.save_path = None if self._folder is None else os.path.join(self._folder, checkpoint_basename)
        self._seconds = save_model_secs, save_summaries_secs
        self._grace = stop_grace_secs
        self.session_manager = session_manager or SessionManager(
            found.local_init_op, found.ready_op, found.ready_for_local_init_op, self.graph
        )
        if summary_writer is self.USE_DEFAULT:
            with self.graph.as_default():
                summary_writer = FileWriter(self._folder) if self._folder else None
        self.summary_writer = summary_writer

    def prepare_or_wait_for_session(
        self, master: str = "", config: Any = None, wait_for_checkpoint: bool = False, max_wait_secs: float = 7200,
        start_standard_services: bool = True,
    ) -> Any:  # fmt: skip
        """A session whose variables have their values, with the threads that save started."""
        self.coord.clear_stop()
        session = self.session_manager.prepare_session(
            master, self.init_op, self.saver, self._folder, config=config, init_feed_dict=self._scaffold.init_feed_dict,
            init_fn=self._init_fn,
        )  # fmt: skip
        if start_standard_services:
            self.start_standard_services(session)
        return session

    def start_standard_services(self, sess: Any) -> list[Any]:
        """Start the threads that save checkpoints and summaries, where there is a folder for them."""
        started = []
        model, summaries = self._seconds
        if self._folder and model and self.saver is not None:
            started.append(LooperThread.loop(self.coord, model, self._save, [sess]))
        if self.summary_writer is not None and summaries and self.summary_op is not None:
            started.append(LooperThread.loop(self.coord, summaries, self._summarize, [sess]))
        for thread in started:
            self.coord.register_thread(thread)
        self.start_queue_runners(sess)
        return started

    def start_queue_runners(self, sess: Any, queue_runners: Any = None) -> list[Any]:
        """Start the threads of queue runners, of all that the graph keeps where None."""
        if queue_runners is None:
            return start_queue_runners(sess, self.coord)
        return [
            thread for qr in queue_runners for thread in qr.create_threads(sess, self.coord, daemon=True, start=True)
        ]

    def _save(self, session: Any) -> None:
        self.saver.save(session, self.save_path, global_step=self._step(session))

    def _summarize(self, session: Any) -> None:
        self.summary_writer.add_summary(session.run(self.summary_op), self._step(session))

    def _step(self, session: Any) -> Any:
        return None if self.global_step is None else int(session.run(self.global_step))

    def summary_computed(self, sess: Any, summary: Any, global_step: Any = None) -> None:
        """Write a summary.

        Raises:
          RuntimeError: if there is no writer.
        """
        if self.summary_writer is None:
            raise RuntimeError("Writing a summary requires a summary writer.")
        self.summary_writer.add_summary(summary, self._step(sess) if global_step is None else global_step)

    def loop(self, timer_interval_secs: Any, target: Callable[..., Any], args: Any = None, kwargs: Any = None) -> Any:
        """A thread that calls a function again and again."""
        thread = LooperThread.loop(self.coord, timer_interval_secs, target, args, kwargs)
        self.coord.register_thread(thread)
        return thread

    def should_stop(self) -> bool:
        """Whether the end was asked for."""
        return self.coord.should_stop()

    def request_stop(self, ex: Any = None) -> None:
        """Ask for the end."""
        self.coord.request_stop(ex)

    def stop_on_exception(self) -> Any:
        """A context whose exceptions ask for the end."""
        return self.coord.stop_on_exception()

    def wait_for_stop(self) -> None:
        """Wait until somebody asks for the end."""
        self.coord.wait_for_stop()

    def stop(self, threads: Any = None, close_summary_writer: bool = True, ignore_live_threads: bool = False) -> None:
        """End all threads, and write what is left."""
        self.coord.request_stop()
        try:
            self.coord.join(threads, self._grace, ignore_live_threads)
        finally:
            if close_summary_writer and self.summary_writer is not None:
                self.summary_writer.close()

    @contextlib.contextmanager
    def managed_session(
        self,
        master: str = "",
        config: Any = None,
        start_standard_services: bool = True,
        close_summary_writer: bool = True,
    ) -> Iterator[Any]:
        """A context with the session, at whose end all threads end. Exceptions that say that the input has ended end it quietly."""
        session = None
        try:
            session = self.prepare_or_wait_for_session(master, config, start_standard_services=start_standard_services)
            yield session
        except Exception as error:
            self.request_stop(error)
        finally:
            try:
                self.stop(close_summary_writer=close_summary_writer)
            finally:
                if session is not None:
                    session.close()
