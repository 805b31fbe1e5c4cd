"""Runs one workload for several peers, round by round, so that a busy moment of the machine hits all of them."""

from __future__ import annotations

import json
import statistics
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass, field
from typing import Any

from .peers import ROOT, Peer, environment, interpreter
from .workload import Command, Once, Steps

LIMIT = 600.0


@dataclass
class Result:
    """What one peer did on one workload.

    Attributes:
        rounds: One figure a round.
        first: The first values the program computed, to compare between peers.
        version: The version of its module.
        error: Why there are no figures.
    """

    rounds: list[float] = field(default_factory=list)
    first: list[float] = field(default_factory=list)
    version: str = ""
    error: str = ""

    @property
    def median(self) -> float:
        """The median over the rounds."""
        return statistics.median(self.rounds)


class Worker:
    """A running ``benchmarks.worker``."""

    def __init__(self, name: str, peer: Peer, python: str, env: dict[str, str]) -> None:
        self._log = tempfile.TemporaryFile("w+")  # noqa: SIM115 (lives as long as the worker)
        self._process = subprocess.Popen(
            [python, "-m", "benchmarks.worker", name, peer.name],
            cwd=ROOT,
            env=env,
            text=True,
            bufsize=1,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
        )

    def ask(self, request: str = "") -> dict[str, Any]:
        """Sends a line, if any, and reads the answer; an answer that does not come is an error."""
        stop = threading.Timer(LIMIT, self._process.kill)
        stop.start()
        try:
            if request:
                print(request, file=self._process.stdin)
            line = self._process.stdout.readline()
        except OSError:
            line = ""
        finally:
            stop.cancel()
        if line:
            return json.loads(line)
        self._log.seek(0)
        return {"error": (self._log.read().strip().splitlines() or [f"no answer within {LIMIT:.0f} s"])[-1]}

    def close(self) -> None:
        """Ends the process."""
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._process.stdout.close()
        self._log.close()


def run(
    workload: Steps | Once | Command, peers: list[Peer], given: dict[str, str], rounds: int, seconds: float
) -> dict[str, Result]:
    """Runs `workload` for those of `peers` that have it.

    Args:
        workload: What to measure.
        peers: Who takes part.
        given: The interpreter of each module that has one of its own.
        rounds: How often each peer is measured, in turns.
        seconds: How long each measurement of a repeated step lasts.

    Returns:
        The result of each peer, by its name.
    """
    peers = [peer for peer in peers if _takes_part(workload, peer)]
    results = {peer.name: Result() for peer in peers}
    if isinstance(workload, Steps):
        _run_steps(workload, peers, given, rounds, seconds, results)
        return results
    alone = _run_command if isinstance(workload, Command) else _run_once
    for turn in range(rounds):
        for peer in peers:
            if not results[peer.name].error:
                alone(workload, peer, given, results[peer.name], turn == 0)
    return results


def _takes_part(workload: Steps | Once | Command, peer: Peer) -> bool:
    if peer.wrap != "eager" and not workload.functions:
        return False
    if isinstance(workload, Steps):
        return getattr(workload, peer.dialect) is not None
    return peer.dialect in (workload.snippets if isinstance(workload, Command) else workload.dialects)


def _run_steps(
    workload: Steps, peers: list[Peer], given: dict[str, str], rounds: int, seconds: float, results: dict[str, Result]
) -> None:
    workers: dict[str, Worker] = {}
    try:
        for peer in peers:  # One after the other: a warm-up must not disturb another one's background compiling.
            result = results[peer.name]
            workers[peer.name] = Worker(workload.name, peer, interpreter(peer, given), environment(peer))
            answer = workers[peer.name].ask()
            result.error, result.version = answer.get("error", ""), answer.get("version", "")
            result.first = answer.get("first", [])
        for _ in range(rounds):
            for name, worker in workers.items():
                if results[name].error:
                    continue
                answer = worker.ask(str(seconds))
                results[name].error = answer.get("error", "")
                if not results[name].error:
                    results[name].rounds.append(answer["value"] / workload.items * 1e6)
    finally:
        for worker in workers.values():
            worker.close()


def _run_once(workload: Once, peer: Peer, given: dict[str, str], result: Result, first: bool) -> None:
    worker = Worker(workload.name, peer, interpreter(peer, given), environment(peer, workload.env))
    answer = worker.ask()
    worker.close()
    result.error, result.version = answer.get("error", ""), answer.get("version", "")
    if not result.error:
        result.rounds.append(answer["value"])


def _run_command(workload: Command, peer: Peer, given: dict[str, str], result: Result, first: bool) -> None:
    command = [interpreter(peer, given), "-c", workload.snippets[peer.dialect].format(module=peer.module)]
    for _ in range(2 if first else 1):  # The first run fills the disk cache.
        start = time.perf_counter()
        done = subprocess.run(command, cwd=ROOT, env=environment(peer), capture_output=True, text=True)
        wall = time.perf_counter() - start
    if done.returncode:
        result.error = (done.stderr.strip().splitlines() or ["failed"])[-1]
    else:
        result.rounds.append(wall)
