"""`python -m tfgrad_jax launch --workers N ...`: a program in several processes of this machine, told of each by TF_CONFIG."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from contextlib import ExitStack

_USAGE = """\
usage: python -m tfgrad_jax launch --workers N script.py [argument ...]

Runs the program N times at once, each with TF_CONFIG for tf.distribute.MultiWorkerMirroredStrategy, which it prints: machines of a
cluster need the same, with addresses of their own. When one fails, all end."""


_GRACE = 30.0
"""For so many seconds a worker may end by itself once it is told to."""


def main(arguments: list[str]) -> int:
    """Run what the command line names in several processes; returns the exit status of the first one that fails, or 0."""
    if len(arguments) < 3 or arguments[0] != "--workers" or not arguments[1].isdigit() or not int(arguments[1]):
        print(_USAGE, file=sys.stderr)
        return 2
    addresses = _free_addresses(int(arguments[1]))
    workers: list[subprocess.Popen[bytes]] = []
    try:
        for i in range(len(addresses)):
            config = {"cluster": {"worker": addresses}, "task": {"type": "worker", "index": i}}
            environment = {**os.environ, "TF_CONFIG": json.dumps(config)}
            print(f"launch: worker {i} has TF_CONFIG={environment['TF_CONFIG']!r}", file=sys.stderr, flush=True)
            workers.append(subprocess.Popen([sys.executable, "-m", "tfgrad_jax", *arguments[2:]], env=environment))
        while True:
            states = [worker.poll() for worker in workers]
            failed = next((state for state in states if state), None)
            if failed is not None:
                number = states.index(failed)
                print(f"launch: worker {number} ended with status {failed}, so all others are ended", file=sys.stderr)
                return failed if failed > 0 else 128 - failed
            if all(state == 0 for state in states):
                return 0
            time.sleep(0.05)
    except KeyboardInterrupt:
        return 130
    finally:
        for worker in workers:
            worker.terminate()
        for worker in workers:
            try:
                worker.wait(_GRACE)
            except subprocess.TimeoutExpired:  # it saves at SIGTERM, say, and waits for one that is gone
                worker.kill()
                worker.wait()


def _free_addresses(count: int) -> list[str]:
    """Addresses of this machine that nobody listens at."""
    with ExitStack() as stack:
        found = []
        for _ in range(count):
            listener = stack.enter_context(socket.socket())
            listener.bind(("localhost", 0))
            found.append(f"localhost:{listener.getsockname()[1]}")
        return found
