"""Threads that fill queues while a session runs: `tf.compat.v1.train.QueueRunner`."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

from tfgrad_jax.engine.graph.func_graph import get_default_graph
from tfgrad_jax.engine.messages import logging
from tfgrad_jax.engine.messages.errors import CancelledError, OutOfRangeError
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.eager import executing_eagerly
from tfgrad_jax.lib.v1.collections import GraphKeys, add_to_collection, get_collection
from tfgrad_jax.lib.v1.session import get_default_session


@export("compat.v1.train.QueueRunner", "compat.v1.train.queue_runner.QueueRunner")
class QueueRunner:
    """Fills a queue in threads of its own. Mirrors `tf.compat.v1.train.QueueRunner`.

    Args:
      queue: the queue.
      enqueue_ops: operations that put something in; a thread for each.
      close_op, cancel_op: close the queue when all have ended, or are to end.
      queue_closed_exception_types: what the end of the input is told by.
      queue_runner_def, import_scope: must be None.

    Raises:
      RuntimeError: where operations run at once.
      ValueError: if there is no queue or nothing to run.
    """

    def __init__(
        self, queue: Any = None, enqueue_ops: Any = None, close_op: Any = None, cancel_op: Any = None,
        queue_closed_exception_types: Any = None, queue_runner_def: Any = None, import_scope: Any = None,
    ) -> None:  # fmt: skip
        if executing_eagerly():
            raise RuntimeError(
                "QueueRunners are not supported when eager execution is enabled. Instead, please use tf.data to get data into "
                "your model."
            )
        if queue_runner_def is not None:
            raise NotImplementedError("tf.compat.v1.train.QueueRunner: queue_runner_def")
        if queue is None or not enqueue_ops:
            raise ValueError("Must provide queue and enqueue_ops.")
        self.queue, self.enqueue_ops = queue, list(enqueue_ops)
        self.close_op = queue.close() if close_op is None else close_op
        self.cancel_op = queue.close(cancel_pending_enqueues=True) if cancel_op is None else cancel_op
        self.queue_closed_exception_types = tuple(queue_closed_exception_types or (OutOfRangeError,))
        self._lock = threading.Lock()
        self._running: dict[int, int] = {}
        self._raised: list[BaseException] = []

    @property
    def name(self) -> str:
        """The name of the queue."""
        return self.queue.name

    @property
    def exceptions_raised(self) -> list[BaseException]:
        """What threads failed with that no coordinator was told of."""
        return self._raised

    def create_threads(
        self, sess: Any, coord: Any = None, daemon: bool = False, start: bool = False
    ) -> list[threading.Thread]:
        """A thread for each operation; and one that closes the queue when a coordinator stops.

        Args:
          sess: the session that runs them.
          coord: is told when one fails, and tells when they are to end.
          daemon: whether the program may end before them.
          start: whether they begin at once.
        """
        with self._lock:
            if self._running.get(id(sess)):
                return []
            self._running[id(sess)] = len(self.enqueue_ops)
        made = [self._thread(self._fill, sess, operation, coord) for operation in self.enqueue_ops]
        if coord is not None:
            made.append(self._thread(self._close_on_stop, sess, coord))
        for thread in made:
            thread.daemon = daemon
            if coord is not None:
                coord.register_thread(thread)
            if start:
                thread.start()
        return made

    def _thread(self, target: Callable[..., None], *args: Any) -> threading.Thread:
        return threading.Thread(target=target, args=args, name=f"QueueRunnerThread-{self.name}")

    def _fill(self, session: Any, operation: Any, coord: Any) -> None:
        ended = False
        try:
            while coord is None or not coord.should_stop():
                try:
                    session.run(operation)
                except self.queue_closed_exception_types:
                    ended = True
                    self._one_less(session)
                    return
                except CancelledError:
                    return
        except Exception as error:
            if coord is not None:
                coord.request_stop(sys.exc_info())
            else:
                logging.get_logger().error("Exception in QueueRunner: %s", error)
                self._raised.append(error)
                raise
        finally:
            if not ended:
                with self._lock:
                    self._running[id(session)] -= 1

    def _one_less(self, session: Any) -> None:
        """The input of one thread has ended; with the last one's the queue is closed."""
        with self._lock:
            self._running[id(session)] -= 1
            last = not self._running[id(session)]
        if last:
            try:
                session.run(self.close_op)
            except Exception as error:
                logging.get_logger().info("Ignored exception: %s", error)

    def _close_on_stop(self, session: Any, coord: Any) -> None:
        coord.wait_for_stop()
        try:
            session.run(self.cancel_op)
        except Exception as error:
            logging.get_logger().info("Ignored exception: %s", error)


@export("compat.v1.train.add_queue_runner", "compat.v1.train.queue_runner.add_queue_runner")
def add_queue_runner(qr: Any, collection: str = GraphKeys.QUEUE_RUNNERS) -> None:
    """Keep a queue runner, for `start_queue_runners` to find. Mirrors `tf.compat.v1.train.add_queue_runner`."""
    add_to_collection(collection, qr)


@export("compat.v1.train.start_queue_runners", "compat.v1.train.queue_runner.start_queue_runners")
def start_queue_runners(
    sess: Any = None,
    coord: Any = None,
    daemon: bool = True,
    start: bool = True,
    collection: str = GraphKeys.QUEUE_RUNNERS,
) -> list[threading.Thread]:
    """Start the threads of all queue runners that were kept. Mirrors `tf.compat.v1.train.start_queue_runners`.

    Raises:
      RuntimeError: where operations run at once.
      ValueError: if there is no session.
    """
    if executing_eagerly():
        raise RuntimeError("Queues are not compatible with eager execution.")
    session = get_default_session() if sess is None else sess
    if session is None:
        raise ValueError("Cannot start queue runners: No default session is registered. Use `with sess.as_default()`.")
    graph = getattr(session, "graph", None) or get_default_graph()
    with graph.as_default():
        found = get_collection(collection)
    return [thread for qr in found for thread in qr.create_threads(session, coord, daemon, start)]
