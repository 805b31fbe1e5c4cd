"""`tf.train.Coordinator` and what works with it: threads that stop together."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tfgrad_jax.engine.messages.errors import OutOfRangeError
from tfgrad_jax.engine.names.export import export


@export("train.Coordinator", "compat.v1.train.Coordinator")
class Coordinator:
    """Lets threads stop together: when one asks for it or fails, all are told. Mirrors `tf.train.Coordinator`.

    Args:
      clean_stop_exception_types: classes of exceptions that end the work without being failures; `OutOfRangeError` by default.
    """

    def __init__(self, clean_stop_exception_types: tuple[type[BaseException], ...] | None = None) -> None:
        self._clean = (OutOfRangeError,) if clean_stop_exception_types is None else tuple(clean_stop_exception_types)
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._failure: BaseException | None = None
        self._joined = False
        self._threads: set[threading.Thread] = set()

    @property
    def joined(self) -> bool:
        """Whether `join` has ended."""
        return self._joined

    def request_stop(self, ex: Any = None) -> None:
        """Ask all threads to stop; of the exceptions that are handed in, `join` raises the first.

        Args:
          ex: an exception that was raised, or what `sys.exc_info()` gives.

        Raises:
          TypeError: if `ex` is none of these.
          BaseException: an exception that comes when all have ended.
        """
        failure = ex[1] if isinstance(ex, tuple) and len(ex) == 3 else ex
        if failure is not None and (
            not isinstance(failure, BaseException)
            or not (failure.__traceback__ is not None or isinstance(failure, self._clean))
        ):
            raise TypeError(
                f"tf.train.Coordinator.request_stop: ex must be an exception that was raised, or sys.exc_info(), got {ex!r}"
            )
        with self._lock:
            if failure is not None and self._joined:
                raise failure
            if self._stop.is_set():
                return
            if failure is not None and not isinstance(failure, self._clean):
                self._failure = failure
            self._stop.set()

    def should_stop(self) -> bool:
        """Whether a stop was asked for."""
        return self._stop.is_set()

    def wait_for_stop(self, timeout: float | None = None) -> bool:
        """Wait until a stop is asked for, at most so many seconds; whether it was."""
        return self._stop.wait(timeout)

    def clear_stop(self) -> None:
        """Begin again."""
        with self._lock:
            self._joined = False
            self._failure = None
            self._stop.clear()

    @contextlib.contextmanager
    def stop_on_exception(self) -> Iterator[None]:
        """A context whose exceptions go to `request_stop`."""
        try:
            yield
        except Exception:
            self.request_stop(sys.exc_info())

    def register_thread(self, thread: threading.Thread) -> None:
        """Have `join` wait for a thread, too."""
        with self._lock:
            self._threads.add(thread)

    def join(
        self,
        threads: Iterable[threading.Thread] | None = None,
        stop_grace_period_secs: float = 120,
        ignore_live_threads: bool = False,
    ) -> None:
        """Wait until all threads have ended.

        Args:
          threads: further ones beside those that are registered.
          stop_grace_period_secs: how long threads may go on after a stop was asked for.
          ignore_live_threads: whether those that go on longer are left alone.

        Raises:
          RuntimeError: if a thread goes on for too long.
          BaseException: what the first that failed has handed in.
        """
        with self._lock:
            waiting = {*self._threads, *(threads or ())}
        while any(thread.is_alive() for thread in waiting) and not self._stop.wait(0.05):
            pass
        end = time.monotonic() + stop_grace_period_secs
        for thread in waiting:
            thread.join(max(end - time.monotonic(), 0))
        left = [thread.name for thread in waiting if thread.is_alive()]
        with self._lock:
            self._joined = True
            self._threads = set()
        if self._failure is not None:
            raise self._failure
        if left and not ignore_live_threads:
            raise RuntimeError(f"Coordinator stopped with threads still running: {' '.join(left)}")

    def raise_requested_exception(self) -> None:
        """Raise what the first that failed has handed in, if there is any."""
        if self._failure is not None:
            raise self._failure


@export("compat.v1.train.LooperThread")
class LooperThread(threading.Thread):
    """A thread that does its work again and again until a coordinator says stop. Mirrors `tf.compat.v1.train.LooperThread`.

    Args:
      coord: the coordinator, which hears of exceptions.
      timer_interval_secs: how much time lies between the beginnings of two turns; None or 0 for none.
      target: the work; `run_loop` where it is None.
      args: positional arguments of `target`.
      kwargs: arguments of `target` by name.

    Raises:
      ValueError: if `coord` is no coordinator, or there are arguments without a target.
    """

    def __init__(
        self,
        coord: Coordinator,
        timer_interval_secs: float | None,
        target: Callable[..., Any] | None = None,
        args: Any = None,
        kwargs: Any = None,
    ) -> None:
        if not isinstance(coord, Coordinator):
            raise ValueError(f"'coord' argument must be a Coordinator: {coord}")
        if target is None and (args or kwargs):
            raise ValueError("'args' and 'kwargs' argument require that you also pass 'target'")
        super().__init__(daemon=True)
        self._coord = coord
        self._interval = timer_interval_secs
        self._work = (target, tuple(args or ()), dict(kwargs or {}))
        coord.register_thread(self)

    @staticmethod
    def loop(
        coord: Coordinator, timer_interval_secs: float | None, target: Any, args: Any = None, kwargs: Any = None
    ) -> LooperThread:
        """A thread that has begun to call `target`."""
        looper = LooperThread(coord, timer_interval_secs, target, args, kwargs)
        looper.start()
        return looper

    def run(self) -> None:
        """Turn after turn."""
        with self._coord.stop_on_exception():
            self.start_loop()
            if self._interval:
                due = time.monotonic()
                while not self._coord.wait_for_stop(max(due - time.monotonic(), 0)):
                    due += self._interval
                    self.run_loop()
            else:
                while not self._coord.should_stop():
                    self.run_loop()
            self.stop_loop()

    def start_loop(self) -> None:
        """What is done before the first turn."""

    def stop_loop(self) -> None:
        """What is done after the last turn."""

    def run_loop(self) -> None:
        """One turn."""
        target, args, kwargs = self._work
        if target is not None:
            target(*args, **kwargs)
