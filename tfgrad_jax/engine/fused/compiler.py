"""The compiler's thread, and the list of the programs that it has compiled."""

from __future__ import annotations

import atexit
import contextlib
import os
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tfgrad_jax.engine.fused.program import Program

PROGRAMS_LIMIT = 256
"""So many compiled programs are kept; the one not used for longest goes first."""

WAITING_LIMIT = 4
"""Hot programs that may wait for the compiler; the others go on step by step, and the hottest ask again soonest."""

_NICENESS = 10
_PAUSE = 2e-5

_jobs: deque[Callable[[], None] | None] = deque()
_worker: threading.Thread | None = None
_idle = threading.Condition(threading.RLock())
_running = 0
_programs: dict[Program, None] = {}


def register(program: Program) -> None:
    """Keep a program on the list of those compiled or about to be."""
    with _idle:
        if program in _programs:
            return
        if len(_programs) >= PROGRAMS_LIMIT:
            oldest = min(_programs, key=lambda p: p.used)
            del _programs[oldest]
            oldest.drop()
        _programs[program] = None


def unregister(program: Program) -> None:
    """Take a program off the list, and forget what was compiled."""
    with _idle:
        if program in _programs:
            del _programs[program]
            program.drop()


def registered() -> list[Program]:
    """The programs that are compiled, or are to be."""
    with _idle:
        return list(_programs)


def is_busy() -> bool:
    """Whether there is enough to do already."""
    return waiting() >= WAITING_LIMIT


def waiting() -> int:
    """How many programs wait for the compiler, or are being compiled."""
    return len(_jobs) + _running


def background(work: Callable[[], None]) -> None:
    """Do `work`, which raises nothing, on the compiler's thread."""
    global _worker
    with _idle:
        if _worker is None:
            worker = threading.Thread(target=_serve, name="tfgrad_jax-compiler", daemon=True)
            worker.start()
            _worker = worker
            atexit.register(_stop)
        # One step, so that an interrupt leaves no job that counts and is not there.
        _jobs.append(work)
        _idle.notify_all()


def _serve() -> None:
    global _running
    while True:
        with _idle:
            _idle.wait_for(lambda: _jobs)
            work = _jobs.popleft()
            if work is None:
                return
            _running += 1
        try:
            work()
        finally:
            del work  # and with it the program, which this thread would keep until the next one comes
            with _idle:
                _running -= 1
                _idle.notify_all()


def yield_to_others() -> None:
    """Called between two pieces of Python work on the compiler's thread: who waits for the interpreter has it now."""
    time.sleep(_PAUSE)


def at_low_priority(work: Callable[[], object]) -> None:
    """Do `work` on a thread of low priority, where the system can tell one thread from another; wait for it.

    Only for what runs without the interpreter's lock: who holds that must not sleep. Priority cannot be taken back, so
    the thread ends with the work.
    """
    errors: list[BaseException] = []

    def run() -> None:
        with contextlib.suppress(OSError, AttributeError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)
        try:
            work()
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, name="tfgrad_jax-xla", daemon=True)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]


def _stop() -> None:
    """At exit: wait for the program being compiled (the compiler cannot be interrupted), drop the rest."""
    with _idle:
        _jobs.clear()
        _jobs.append(None)
        _idle.notify_all()
    if _worker is not None:
        _worker.join()


def wait_for_compiler() -> None:
    """Return when every hot program is compiled."""
    with _idle:
        _idle.wait_for(lambda: not waiting())
