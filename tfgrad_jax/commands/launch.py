"""`python -m tfgrad_jax launch --workers N ...`: a program in several processes of this machine, told of each by TF_CONFIG."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, suppress
from typing import Any

from tfgrad_jax.commands.output import Follower, Lines
from tfgrad_jax.lib.data.nodes.ordering import cores

_USAGE = """\
usage: python -m tfgrad_jax launch --workers N [--no-prefix] script.py [argument ...]

Runs the program N times at once, each with TF_CONFIG for tf.distribute.MultiWorkerMirroredStrategy, which it prints: machines of a
cluster need the same, with addresses of their own. Each has its share of the cores for XLA's threads; the variable NPROC sets
another number for each. When one fails, all end, and its traceback comes last. Of several workers each line says which one printed
it; with --no-prefix they print as they would alone."""


_GRACE = 30.0
"""For so many seconds a worker may end by itself once it is told to."""

_ALSO = 1.0
"""So many seconds after one has failed, others that it made fail are still waited for, so that the first of them can be told."""


def main(arguments: list[str]) -> int:
    """Run what the command line names in several processes; returns the exit status of the first one that fails, or 0."""
    options, program = arguments[:2], arguments[2:]
    prefixed = program[:1] != ["--no-prefix"]
    program = program if prefixed else program[1:]
    if not program or options[0] != "--workers" or not options[1].isdigit() or not int(options[1]):
        print(_USAGE, file=sys.stderr)
        return 2
    count = int(options[1])
    before = signal.signal(signal.SIGTERM, _ended)
    workers = _Workers(prefixed and count > 1)
    try:
        for i, environment in enumerate(_environments(count)):
            print(f"launch: worker {i} has TF_CONFIG={environment['TF_CONFIG']!r}", file=sys.stderr, flush=True)
            workers.start(i, program, environment)
        failed = workers.wait()
    except KeyboardInterrupt:
        return 130
    finally:
        workers.end()
        signal.signal(signal.SIGTERM, before)
    return 0 if failed is None else workers.told(failed)


def _ended(number: int, frame: Any) -> None:
    """What ends this process ends the workers."""
    sys.exit(128 + number)


def _environments(count: int) -> list[dict[str, str]]:
    """What each worker finds in its environment.

    XLA takes as many threads as NPROC says: with one for each core in every worker, they would wait for each other's.
    """
    threads = str(max(1, cores() // count))
    addresses = _free_addresses(count)
    tasks = [{"cluster": {"worker": addresses}, "task": {"type": "worker", "index": i}} for i in range(count)]
    return [{"NPROC": threads, **os.environ, "TF_CONFIG": json.dumps(task)} for task in tasks]


class _Workers:
    """The processes.

    Args:
      prefixed: whether what they print passes through this process, which says whose it is.
    """

    def __init__(self, prefixed: bool) -> None:
        self._prefixed = prefixed
        self._processes: list[subprocess.Popen[bytes]] = []
        self._out = Lines(sys.stdout.buffer, sys.stdout.isatty())
        # One screen has one line that grows.
        self._err = self._out if sys.stdout.isatty() and sys.stderr.isatty() else Lines(sys.stderr.buffer, False)
        self._followers: list[Follower] = []
        self._errors: list[Follower] = []

    def start(self, number: int, program: list[str], environment: dict[str, str]) -> None:
        command = [sys.executable, "-m", "tfgrad_jax", *program]
        if not self._prefixed:
            self._processes.append(subprocess.Popen(command, env=environment))
            return
        environment.setdefault("PYTHONUNBUFFERED", "1")  # or lines would wait in the worker for others
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert process.stdout is not None
        assert process.stderr is not None
        self._processes.append(process)
        prefix = b"[worker %d] " % number
        self._errors.append(Follower(process.stderr, self._err, prefix))
        self._followers += [Follower(process.stdout, self._out, prefix), self._errors[-1]]

    def wait(self) -> int | None:
        """The number of the worker that failed first, or None when all have ended well."""
        until = float("inf")
        order: list[int] = []
        while True:
            states = [process.poll() for process in self._processes]
            order += [i for i, state in enumerate(states) if state and i not in order]
            if order:
                until = min(until, time.monotonic() + _ALSO)
            if None not in states or time.monotonic() > until:
                return min(order, key=lambda i: (*self._blame(i), order.index(i))) if order else None
            time.sleep(0.05)

    def end(self) -> None:
        """End those that run, and show what they have printed."""
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            try:
                process.wait(_GRACE)
            except subprocess.TimeoutExpired:  # it saves at SIGTERM, say, and waits for one that is gone
                process.kill()
                process.wait()
        for follower in self._followers:
            follower.join(_ALSO)  # what a worker has started may hold its output open

    def told(self, number: int) -> int:
        """Say which worker failed, and why; returns its exit status."""
        state = self._processes[number].returncode
        how = f"status {state}"
        if state < 0:
            with suppress(ValueError):
                how = f"signal {signal.Signals(-state).name}"
        if self._prefixed and (lines := self._errors[number].traceback()):
            print(f"launch: worker {number} failed first:", file=sys.stderr, flush=True)
            sys.stderr.buffer.write(b"".join(line + b"\n" for line in lines))
        print(f"launch: worker {number} ended with {how}, so all others are ended", file=sys.stderr, flush=True)
        return state if state > 0 else 128 - state

    def _blame(self, number: int) -> tuple[bool, float]:
        """Smaller for a worker that failed than for those that it made fail, though they may have ended before it."""
        if not self._prefixed:
            return False, 0.0
        errors = self._errors[number]
        return any(b"UnavailableError" in line for line in errors.traceback()), errors.failed_at or 0.0


def _free_addresses(count: int) -> list[str]:
    """Addresses of this machine that nobody listens at."""
    with ExitStack() as stack:
        found = []
        for _ in range(count):
            listener = stack.enter_context(socket.socket())
            listener.bind(("localhost", 0))
            found.append(f"localhost:{listener.getsockname()[1]}")
        return found
