"""What a tape recorded while operations were only noted in a pending trace: stretches of that trace.

As the trace is itself a record, a tape in fused mode costs nothing per operation. Its stretches become entries only when
the trace runs with the tape still to be asked, or a gradient is asked for the first time; from then on the whole backward
pass is a known continuation of the trace, a `Plan`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from weakref import ref

from tfgrad_jax.engine.fuse import Step, Trace
from tfgrad_jax.engine.indexed_slices import IndexedSlices
from tfgrad_jax.engine.kernel import Kernel
from tfgrad_jax.engine.tensor import Spec, Tensor


class Noted:
    """The stretches of a trace that a tape saw, by depth of its steps, and when what was watched.

    Args:
      trace: the pending trace.
      tape: the tape; the trace asks it to settle before it runs.
    """

    __slots__ = ("_open", "_stretches", "_trace", "_watches")

    def __init__(self, trace: Trace, tape: Any) -> None:
        self._trace = trace
        self._stretches: list[tuple[int, int]] = []
        self._open: int | None = None
        self._watches: list[tuple[int, int]] = []
        trace.tapes = [r for r in trace.tapes if r() not in (None, tape)] + [ref(tape)]

    def forget(self, tape: Any) -> None:
        """The tape does not want to know any more."""
        self._trace.tapes = [r for r in self._trace.tapes if r() not in (None, tape)]

    def open(self) -> None:
        """A stretch begins."""
        self._open = self._trace.cursor.depth

    def close(self) -> None:
        """It ends."""
        if self._open is not None:
            if self._trace.cursor.depth > self._open:
                self._stretches.append((self._open, self._trace.cursor.depth))
            self._open = None

    def watch(self, identity: int) -> None:
        """The tape watches a tensor or variable from here on."""
        self._watches.append((identity, self._trace.cursor.depth))

    def stretches(self) -> tuple[tuple[int, int], ...]:
        """All stretches up to now."""
        now = [(self._open, self._trace.cursor.depth)] if self._open is not None else []
        return (*self._stretches, *now)

    def recorded(self, watched: set[int]) -> Iterator[tuple[Kernel, list[Tensor], list[Tensor], int]]:
        """Kernel, operands, results and watched operands (as bits) of each operation that the tape records.

        Args:
          watched: identities that the tape watches; those of results are expected to be added as they come.
        """
        trace = self._trace
        later = [(i, depth) for i, depth in self._watches if depth > 0]
        not_yet = {i for i, _ in later}
        live = {slot for i, slots in trace.by_id.items() if i in watched and i not in not_yet for slot in slots}
        live |= {
            slot
            for slot, r in enumerate(trace.refs)
            if type(r) is ref and (t := r()) is not None and t._id in watched and t._id not in not_yet
        }
        specs: dict[int, Spec] = {}
        stretches = self.stretches()
        for step in trace.cursor.path():
            specs.update(step.entering)
            specs.update(zip(step.outs, step.out_specs, strict=True))
            while later and later[0][1] < step.depth:
                identity, _ = later.pop(0)
                live.update(self._slots(identity))
            if not any(start < step.depth <= end for start, end in stretches):
                continue
            kernel = step.kernel
            assert kernel is not None
            wrt = sum(1 << i for i, s in enumerate(step.ins) if s in live) & kernel.differentiable
            if wrt:
                yield (
                    kernel,
                    [trace.tensor(s, specs[s]) for s in step.ins],
                    [trace.tensor(s, specs[s]) for s in step.outs],
                    wrt,
                )
                live.update(o for o, spec in zip(step.outs, step.out_specs, strict=True) if spec.dtype.trainable)

    def _slots(self, identity: int) -> tuple[int, ...]:
        found = self._trace.by_id.get(identity, ())
        named = [slot for slot, i in self._trace.names.items() if i == identity]
        held = [
            s for s, r in enumerate(self._trace.refs) if type(r) is ref and (t := r()) is not None and t._id == identity
        ]
        return (*found, *named, *held)

    def plan(self, targets: Sequence[Any], sources: Sequence[Any], unconnected: Any) -> Plan:
        """The place of this question's plan: equal traces with equal questions share it."""
        trace = self._trace
        watches = tuple([(tuple(trace.by_id.get(i, (i,))), depth) for i, depth in self._watches])
        key = (
            self.stretches(),
            watches,
            tuple([trace.slots_of(t) or t._id for t in targets]),
            tuple([trace.slots_of(s) or s.spec for s in sources]),
            unconnected,
        )
        return Plan(trace, key)


class Plan:
    """A backward pass as a continuation of the trace: the step where it ends, and the slots of the answers."""

    __slots__ = ("_cursor", "_externals", "_key", "_trace")

    def __init__(self, trace: Trace, key: tuple[Any, ...]) -> None:
        self._trace = trace
        self._key = key
        self._cursor: Step = trace.cursor
        self._externals = len(trace.externals)

    def replay(self) -> list[Any] | None:
        """The answers, pending; None where this was never asked before."""
        known = self._cursor.plans.get(self._key)
        if known is None:
            return None
        end, answers = known
        trace = self._trace
        with trace.lock:
            trace.replay(end)
            return [None if a is None else a(trace) for a in answers]

    def keep(self, answers: list[Any]) -> None:
        """Remember how the answers came about, if the trace alone tells it."""
        trace = self._trace
        grown = (
            trace.cursor.depth > self._cursor.depth and trace.cursor.path(self._cursor.depth)[0].parent is self._cursor
        )
        if not grown or len(trace.externals) != self._externals:
            return
        templates = [_template(a, trace) for a in answers]
        if all(t is not _UNKNOWN for t in templates):
            self._cursor.plans[self._key] = trace.cursor, templates


_UNKNOWN = object()


def _template(answer: Any, trace: Trace) -> Any:
    """A function that makes the answer again from a trace in the same state."""
    if answer is None:
        return None
    if isinstance(answer, IndexedSlices):
        parts = [_template(p, trace) for p in (answer.values, answer.indices, answer.dense_shape)]
        if any(p is _UNKNOWN for p in parts):
            return _UNKNOWN
        return lambda trace: IndexedSlices(*[None if p is None else p(trace) for p in parts])
    if answer._value is None and answer._trace is trace:
        slot, spec = answer._slot, answer.spec
        return lambda trace: trace.tensor(slot, spec)
    if id(answer) in trace.slots:
        slot, spec = trace.slots[id(answer)], answer.spec
        return lambda trace: trace.tensor(slot, spec)
    if isinstance(answer, Tensor) and not answer.dtype.trainable:
        return lambda trace: answer  # sizes and shapes, which the types determine
    return _UNKNOWN
