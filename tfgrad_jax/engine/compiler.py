"""Programs: a trace as one function, run step by step until it has proved hot, compiled in the background then."""

from __future__ import annotations

import atexit
import queue
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import jax

from tfgrad_jax.engine.execute import explain
from tfgrad_jax.engine.tensor import EagerTensor, Tensor

if TYPE_CHECKING:
    from tfgrad_jax.engine.fuse import Step

COMPILE_SECONDS_PER_STEP = 0.003
"""What compiling costs, roughly, per operation of the program."""

HOT_FRACTION = 0.1
"""A program is hot when it has run for this fraction of the time that compiling it would take."""

all_programs: list[Program] = []
"""Every program that was ever compiled or is waiting for it, for `extras.programs`."""


class Program:
    """The operations of one trace with the slots that somebody still holds at its end.

    Attributes:
      uses: how often it ran.
      seconds: how long it ran step by step.
      compile_seconds: how long the compiler took; None before.
      state: "cold", "compiling", "compiled" or "failed".
      reasons: what made it run, and how often.
    """

    def __init__(self, steps: Sequence[Step], live: tuple[int, ...]) -> None:
        needed = set(live)
        kept: list[Step] = []
        for step in reversed(steps):
            if any(o in needed for o in step.outs):
                kept.append(step)
                needed.update(step.ins)
        self.steps = kept[::-1]
        self.length = len(steps)
        self.live = live
        self.externals = [slot for step in steps for slot, _ in step.entering]
        self.where = steps[-1].where
        self.uses = 0
        self.seconds = 0.0
        self.compile_seconds: float | None = None
        self.state = "cold"
        self.reasons: Counter[str] = Counter()
        self._compiled: dict[tuple[int, ...], Callable[..., Any]] = {}
        self._frees: list[tuple[int, ...]] | None = None
        specs = Counter(spec for step in steps for o, spec in zip(step.outs, step.out_specs, strict=True) if o in set(live))
        entering = [(slot, spec) for step in steps for slot, spec in step.entering]
        self._donatable = [i for i, (_, spec) in enumerate(entering) if specs[spec] and spec.shape]

    def run(self, externals: list[tuple[int, Tensor]], reason: str) -> Sequence[Any]:
        """The values of the live slots.

        Args:
          externals: slot and tensor of each value from outside; emptied of what is donated.
          reason: what made the trace run.
        """
        self.uses += 1
        self.reasons[reason] += 1
        if self.state == "compiled":
            donated = self._donated(externals)
            compiled = self._compiled.get(donated)
            if compiled is not None:
                arrays = [t._value for _, t in externals]
                return compiled(*arrays)
            self._schedule(donated, externals)
        start = time.perf_counter()
        values = self._interpret(externals)
        self.seconds += time.perf_counter() - start
        if self.state == "cold" and self.uses > 1 and self.seconds > HOT_FRACTION * COMPILE_SECONDS_PER_STEP * len(self.steps):
            self._schedule(self._donated(externals), externals)
        return values

    def _donated(self, externals: list[tuple[int, Tensor]]) -> tuple[int, ...]:
        """The inputs whose memory nobody else holds, so that the program may reuse it."""
        return tuple([i for i in self._donatable if _references(externals, [], i) == _HELD_BY_TRACE])

    def _function(self, *arrays: Any) -> list[Any]:
        values = dict(zip(self.externals, arrays, strict=True))
        for step in self.steps:
            assert step.kernel is not None
            out = step.kernel.fn(*[values[s] for s in step.ins])
            if isinstance(out, (tuple, list)):
                values.update(zip(step.outs, out, strict=True))
            else:
                values[step.outs[0]] = out
        return [values[s] for s in self.live]

    def _schedule(self, donated: tuple[int, ...], externals: list[tuple[int, Tensor]]) -> None:
        if self.state == "cold":
            all_programs.append(self)
        self.state = "compiling"
        avals = [t.spec.struct for _, t in externals]

        def work() -> None:
            start = time.perf_counter()
            try:
                compiled = jax.jit(self._function, donate_argnums=donated)
                compiled.lower(*avals).compile()
            except Exception as error:
                self.state = "failed"
                self.error = error
                return
            self._compiled[donated] = compiled
            self.compile_seconds = time.perf_counter() - start
            self.state = "compiled"

        background(work)

    def _interpret(self, externals: list[tuple[int, Tensor]]) -> Sequence[Any]:
        """Operation by operation through the immediate kernels, freeing each value after its last use."""
        frees = self._frees
        if frees is None:
            frees = self._frees = self._last_uses()
        values: list[Any] = [None] * (self.steps[-1].end if self.steps else 0)
        values += [None] * (max([*self.live, *self.externals], default=-1) + 1 - len(values))
        for slot, tensor in externals:
            values[slot] = tensor._value
        for step, free in zip(self.steps, frees, strict=True):
            kernel = step.kernel
            assert kernel is not None
            try:
                out = kernel.compiled(*[values[s] for s in step.ins])
            except Exception as error:
                inputs = tuple(EagerTensor(values[s]) for s in step.ins)
                found = explain(error, kernel, inputs)
                if step.where is not None:
                    found.add_note(f"{kernel.name} was recorded at {step.where[0]}:{step.where[1]}")
                raise found from error
            if isinstance(out, (tuple, list)):
                for s, o in zip(step.outs, out, strict=True):
                    values[s] = o
            else:
                values[step.outs[0]] = out
            for s in free:
                values[s] = None
        return [values[s] for s in self.live]

    def _last_uses(self) -> list[tuple[int, ...]]:
        seen = set(self.live)
        frees = []
        for step in reversed(self.steps):
            ending = {s for s in (*step.ins, *step.outs) if s not in seen}
            seen |= ending
            frees.append(tuple(ending))
        return frees[::-1]


def _references(externals: list[tuple[int, Tensor]], refs: list[Any], i: int) -> tuple[int, int]:
    """How many references there are to a value from outside: to its tensor, and to the array."""
    tensor = externals[i][1]
    value = tensor._value
    return sys.getrefcount(tensor), sys.getrefcount(value)


def _baseline() -> tuple[int, int]:
    """The references of a value that only its trace holds, counted the same way, whatever the interpreter counts."""
    externals = [(0, Tensor(object()))]
    refs = [externals[0][1]]
    return _references(externals, refs, 0)


_HELD_BY_TRACE = _baseline()


_jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
_worker: threading.Thread | None = None
_idle = threading.Condition()
_waiting = 0


def background(work: Callable[[], None]) -> None:
    """Do `work` on the compiler's thread."""
    global _worker, _waiting
    with _idle:
        _waiting += 1
        if _worker is None:
            _worker = threading.Thread(target=_serve, name="tfgrad_jax-compiler", daemon=True)
            _worker.start()
            atexit.register(_stop)
    _jobs.put(work)


def _serve() -> None:
    global _waiting
    while (work := _jobs.get()) is not None:
        try:
            work()
        finally:
            with _idle:
                _waiting -= 1
                _idle.notify_all()


def _stop() -> None:
    """At exit: wait for the program being compiled (the compiler cannot be interrupted), drop the rest."""
    while not _jobs.empty():
        _jobs.get()
    _jobs.put(None)
    if _worker is not None:
        _worker.join()


def wait_for_compiler() -> None:
    """Return when every hot program is compiled."""
    with _idle:
        _idle.wait_for(lambda: _waiting == 0)


def programs() -> list[dict[str, Any]]:
    """What fused mode has compiled or is compiling, so that one can see why a loop is fast or is not.

    Returns:
      One dictionary a program, the most used first: `where` (file and line of its last operation), `operations`, `uses`,
      `state`, `compile_seconds`, `interpreted_seconds`, and `flushed_by` (what made it run, with counts).
    """
    found = [
        {
            "where": "{}:{}".format(*p.where) if p.where else None,
            "operations": len(p.steps),
            "uses": p.uses,
            "state": p.state,
            "compile_seconds": p.compile_seconds,
            "interpreted_seconds": p.seconds,
            "flushed_by": dict(p.reasons),
        }
        for p in all_programs
    ]
    return sorted(found, key=lambda row: -row["uses"])
