"""Work beside the program, on a thread of its own: what is compiled meanwhile."""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator

WAITING_LIMIT = 4
"""So much may wait for the compiler; all else goes on as it is, and what needs it most asks again soonest."""

_NICER = 10
_WORKERS_NICER = 5
_PAUSE = 2e-5
_ROUNDS = 20  # so many times as long by the clock, should it not work at all
_STEP = 0.005
_PATIENCE = 10.0

_jobs: deque[Callable[[], None] | None] = deque()
_worker: threading.Thread | None = None
_lock = threading.RLock()
_idle = threading.Condition(_lock)
_running = 0
_apart: set[int] = set()  # the threads that work without the interpreter's lock
_ending = False


def is_busy() -> bool:
    """Whether there is enough to do already."""
    return waiting() >= WAITING_LIMIT


def waiting() -> int:
    """How much waits for the compiler, or is being compiled."""
    return len(_jobs) + _running


def run(work: Callable[[], None], first: bool = False) -> None:
    """Do `work`, which raises nothing, on the compiler's thread; before all that waits, if it is to be first."""
    global _worker
    with _idle:
        if _worker is None:
            worker = threading.Thread(target=_serve, name="tfgrad_jax-compiler", daemon=True)
            worker.start()
            _worker = worker
            atexit.register(_stop)
        # One step, so that an interrupt leaves no job that counts and is not there.
        (_jobs.appendleft if first else _jobs.append)(work)
        _idle.notify_all()


def _serve() -> None:
    # `_stop` may raise something here at any time. Entering `_idle` is Python code, which would keep the lock then.
    global _running
    while True:
        with _lock:
            _idle.wait_for(lambda: _jobs)
            work = _jobs.popleft()
            if work is None:
                return
            _running += 1
        try:
            work()
        finally:
            del work  # and with it the program, which this thread would keep until the next one comes
            with _lock:
                _running -= 1
                _idle.notify_all()


def yield_to_others() -> None:
    """Called between two pieces of Python work on the compiler's thread: who waits for the interpreter has it now."""
    time.sleep(_PAUSE)


def at_low_priority(work: Callable[[], object]) -> None:
    """Do `work` on a thread of low priority, where the system can tell one thread from another; wait for it.

    Only for what runs without the interpreter's lock: who holds that must not sleep. Priority cannot be taken back, so
    the thread ends with the work. What the work hands to threads that are there already has theirs: see `workers_at_low_priority`.
    """
    errors: list[BaseException] = []

    def run() -> None:
        _lower(threading.get_native_id(), _NICER)
        _apart.add(threading.get_ident())
        try:
            if _ending:  # who would be told was on the way here
                raise SystemExit
            work()
        except BaseException as error:
            errors.append(error)
        finally:
            _apart.discard(threading.get_ident())

    thread = threading.Thread(target=run, name="tfgrad_jax-xla", daemon=True)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]


@contextlib.contextmanager
def workers_at_low_priority() -> Iterator[None]:
    """A context: threads that libraries begin in it have lower priority from then on, where the system can tell one from another.

    With its first program XLA begins as many threads as there are processors, which do nothing but make machine code from then on.
    A program that runs meanwhile would have half of a processor, and its steps would take twice as long.
    """
    before = _threads()
    try:
        yield
    finally:
        begun = _threads() - before
        for number in begun - {thread.native_id for thread in threading.enumerate()}:  # the user's own stay as they are
            _lower(number, _WORKERS_NICER)


def _lower(number: int, by: int) -> None:
    """Let a thread have a lower priority than the program, where the system can tell them apart."""
    if number not in _threads():  # elsewhere it may be the number of another process
        return
    with contextlib.suppress(OSError, AttributeError):
        os.setpriority(os.PRIO_PROCESS, number, os.getpriority(os.PRIO_PROCESS, os.getpid()) + by)


def _threads() -> set[int]:
    """The numbers under which the system knows the threads of this process; none where it does not say."""
    try:
        return set(map(int, os.listdir("/proc/self/task")))
    except OSError:
        return set()


def _stop() -> None:
    """At exit: nothing more is begun, and what is being compiled is told to stop, which it does at its next step.

    That is waited for. A thread that comes back from C++ code to Python while the interpreter ends is taken down, before Python
    3.14, and C++ then destroys Python objects without the interpreter's lock: the process would crash. How near a thread is to
    coming back cannot be told on a busy machine, neither by the clock nor by the time of the processor.
    """
    global _ending
    _ending = True
    shown = (
        sys.unraisablehook
    )  # what meets a thread in a finaliser is not raised there: it is told again at its next step
    sys.unraisablehook = lambda found: None if found.exc_type is SystemExit else shown(found)
    _stop_instead_of_aborting()
    with _idle:
        _jobs.clear()
        _jobs.append(None)
        _idle.notify_all()
        until = time.monotonic() + (_PATIENCE if sys.version_info < (3, 14) else 0)
        while _is_at_work() and time.monotonic() < until:
            # Who waits for a thread apart is not told: it would go, and leave that one behind.
            for thread in tuple(_apart) or (_worker.ident if _worker is not None else None,):
                if thread is not None:
                    stop = ctypes.pythonapi.PyThreadState_SetAsyncExc
                    stop(ctypes.c_ulong(thread), ctypes.py_object(SystemExit))
            _idle.wait_for(lambda: not _is_at_work(), timeout=_STEP)
        if not _is_at_work():
            return
    _end_without_destructors()


def _is_at_work() -> bool:
    """Whether something is compiled. A thread that was told to stop may have ended before it could say so."""
    alive = {thread.ident for thread in threading.enumerate()}
    return not _apart.isdisjoint(alive) or (_running > 0 and _worker is not None and _worker.ident in alive)


def _end_without_destructors() -> None:
    """End the process, once Python has ended, before C++ takes down what the compiler is still working with.

    What a process registers last is done first when it ends: leave at once, with the status that it has.
    """
    with contextlib.suppress(AttributeError, OSError):  # where C's library is another
        libc = ctypes.CDLL(None)
        libc.fflush(None)
        libc.on_exit.argtypes = (ctypes.c_void_p, ctypes.c_void_p)
        libc.on_exit(ctypes.cast(libc._exit, ctypes.c_void_p), None)


def _stop_instead_of_aborting() -> None:
    """Let a thread that calls C's `abort` stop where it is, while the process ends as it would.

    Before Python 3.14, a thread that comes back from C++ code while the interpreter ends is taken down, to which that code answers
    by aborting the whole process, or C++'s library by saying that nobody caught it: a program that has done its work would fail.
    """
    with contextlib.suppress(AttributeError, OSError):  # where C's library is another
        libc = ctypes.CDLL(None)
        libc.signal.argtypes = (ctypes.c_int, ctypes.c_void_p)
        libc.signal(int(signal.SIGABRT), ctypes.cast(libc.pause, ctypes.c_void_p))
        set_terminate = ctypes.CDLL("libstdc++.so.6")._ZSt13set_terminatePFvvE
        set_terminate.argtypes = (ctypes.c_void_p,)
        set_terminate(ctypes.cast(libc.pause, ctypes.c_void_p))


def wait() -> None:
    """Return when all of it is done."""
    wait_until(lambda: not waiting())


def wait_until(reached: Callable[[], bool], seconds: float | None = None) -> None:
    """Return when so much of it is done that `reached` is true, or when this process has worked for so many seconds.

    Where others want the processors, too, work takes longer; what would be done instead does so as well.
    """
    with _idle:
        if seconds is None:
            _idle.wait_for(reached)
            return
        clock, work = time.monotonic(), time.process_time()
        for _ in range(_ROUNDS):
            left = seconds - min(time.monotonic() - clock, time.process_time() - work)
            if left <= 0 or _idle.wait_for(reached, left):
                return
