"""Checkpoints that are written beside the program: what is to be written has been copied before."""

from __future__ import annotations

import threading
from collections.abc import Callable

from tfgrad_jax.engine.messages.logging import warn


class Writer:
    """Writes one thing at a time on a thread of its own, for which the end of the program waits."""

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None
        self._error: BaseException | None = None

    def start(self, work: Callable[[], object], path: str) -> None:
        """Do `work` beside the program, when what was begun before is done.

        Args:
          work: writes.
          path: what it writes, for messages.

        Raises:
          Exception: what went wrong the last time; nothing is begun then.
        """
        self.wait()

        def write() -> None:
            try:
                work()
            except BaseException as error:
                self._error = error
                warn("the checkpoint %s was not written: %s (the next call of the checkpoint raises this)", path, error)

        self._thread = threading.Thread(target=write, name="tfgrad_jax-checkpoint", daemon=False)
        self._thread.start()

    def wait(self) -> None:
        """Wait for what was begun.

        Raises:
          Exception: what went wrong; once.
        """
        if self._thread is None or self._thread is threading.current_thread():
            return  # what is called after writing may ask for the checkpoint itself
        self._thread.join()
        self._thread = None
        error, self._error = self._error, None
        if error is not None:
            raise error
