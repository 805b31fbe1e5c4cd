"""The stretches of a pending trace that a tape saw: operations that are only noted so far.

As the trace is itself a record, a tape in fused mode costs nothing per operation. Its stretches become entries only when
the trace runs with the tape still to be asked, or a gradient is asked for the first time; from then on the whole backward
pass is a known continuation of the trace, a `Plan`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from weakref import ref

from tfgrad_jax.engine.fused.step import Step
from tfgrad_jax.engine.fused.trace import PLANS_LIMIT, Trace
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.state.variable import ResourceVariable
from tfgrad_jax.engine.values.composite import CompositeSpec, components, is_composite, rebuild, spec_of
from tfgrad_jax.engine.values.tensor import Tensor


class Noted:
    """The stretches of a trace that a tape saw, by depth of its steps, and when what was watched.

    Args:
      trace: the pending trace.
      tape: the tape; the trace asks it to settle before it runs.

    Attributes:
      late: identities that the tape watches only from some depth on.
    """

    __slots__ = ("_open", "_stretches", "late", "trace")

    def __init__(self, trace: Trace, tape: Any) -> None:
        self.trace = trace
        self._stretches: list[tuple[int, int]] = []
        self._open: int | None = None
        self.late: dict[int, int] = {}
        others = [r for r in trace.tapes if r() not in (None, tape)] if trace.tapes else ()
        trace.tapes = [*others, ref(tape)]

    def open(self) -> None:
        """A stretch begins, unless one is open."""
        if self._open is None:
            self._open = self.trace.cursor.depth

    def close(self) -> None:
        """It ends."""
        if self._open is not None:
            if self.trace.cursor.depth > self._open:
                self._stretches.append((self._open, self.trace.cursor.depth))
            self._open = None

    def watch(self, identity: int) -> None:
        """The tape watches a tensor or variable from here on."""
        depth = self.trace.cursor.depth
        if depth:
            self.late[identity] = depth

    def _seen(self) -> tuple[tuple[int, int], ...]:
        """All stretches up to now."""
        if self._open is None:
            return tuple(self._stretches)
        return (*self._stretches, (self._open, self.trace.cursor.depth))

    def operations(self, watched: set[int]) -> Iterator[tuple[Kernel, list[Tensor], list[Tensor]]]:
        """Kernel, operands and results of each operation that the tape saw.

        Args:
          watched: identities that the tape watches; has those in `late` only when it is their time.
        """
        trace = self.trace
        seen = self._seen()
        watched.difference_update(self.late)
        coming = sorted((depth, identity) for identity, depth in self.late.items())
        for step in trace.cursor.path(seen[0][0] if seen else trace.cursor.depth):
            while coming and coming[0][0] < step.depth:
                watched.add(coming.pop(0)[1])
            if any([start < step.depth <= end for start, end in seen]):
                assert step.kernel is not None
                yield step.kernel, [trace.tensor(s) for s in step.ins], [trace.tensor(s) for s in step.outs]
        watched.update(self.late)

    def plan(
        self, watched: set[int], targets: list[Any], sources: list[Any], given: list[Any], unconnected: Any
    ) -> Plan:
        """The place of this question's plan: equal questions about equal traces share it."""
        trace = self.trace
        by_id = trace.by_id
        strangers: list[Any] = []
        key = (
            self._seen(),
            tuple([slot for slot, t in trace.externals.items() if t.identity in watched]),
            tuple([(by_id.get(identity), depth) for identity, depth in self.late.items()]),
            self._places(targets, strangers),
            self._places(sources, strangers),
            self._places(given, strangers),
            unconnected,
        )
        return Plan(trace, key, [s for s in strangers if isinstance(s, Tensor)])

    def _places(self, values: list[Any], strangers: list[Any]) -> tuple[Any, ...]:
        """Where tensors and variables stand in the trace. Those that do not are appended to `strangers`: of them it matters only
        which are the same, and of what type."""
        slots_of, by_id = self.trace.slots_of, self.trace.by_id
        places: list[Any] = []
        for value in values:
            place: Any = None
            if type(value) is ResourceVariable:
                place = by_id.get(value.identity, ())  # as `slots_of`, without the call
            elif value is not None:
                place = slots_of(value)
            if place == ():
                for i, other in enumerate(strangers):
                    if other.identity == value.identity:
                        place = -1 - i
                        break
                else:
                    strangers.append(value)
                    place = -len(strangers), value.spec
            places.append(place)
        return tuple(places)


class Plan:
    """A backward pass as a continuation of the trace.

    What is kept of it: the step where it ends, which of the question's own tensors enter where, and how to make each answer.
    """

    __slots__ = ("_begin", "_externals", "_key", "_strangers", "_trace")

    def __init__(self, trace: Trace, key: tuple[Any, ...], strangers: list[Tensor]) -> None:
        self._trace = trace
        self._key = key
        self._strangers = strangers
        self._begin: Step = trace.cursor
        self._externals = len(trace.externals)

    def replay(self) -> list[Any] | None:
        """The answers, pending; None where this was never asked before."""
        plans = self._begin.plans
        known = plans.get(self._key) if plans is not None else None
        if known is None:
            return None
        end, entering, answers = known
        for i, _ in entering:
            self._strangers[i].array  # noqa: B018 -- may be pending in another trace
        trace = self._trace
        trace.noting = True  # so no other thread closes it
        try:
            if trace.closed:
                return None
            trace.advance(end, [(slot, self._strangers[i]) for i, slot in entering])
            return trace.tensors(answers)
        finally:
            trace.noting = False

    def keep(self, answers: Sequence[Any]) -> None:
        """Remember how the answers came about, if the trace alone tells it."""
        with self._trace.lock:  # another thread may make it run
            self._keep(answers)

    def _keep(self, answers: Sequence[Any]) -> None:
        trace, begin = self._trace, self._begin
        end = trace.cursor
        if trace.closed or trace.unplanned or end is begin:
            return
        known = {id(t): i for i, t in enumerate(self._strangers)}
        new = list(trace.externals.items())[self._externals :]
        if any(id(t) not in known for _, t in new):
            return
        entering = [(known[id(t)], slot) for slot, t in new]
        makers = [_maker(a, trace) for a in answers]
        if _unknown not in makers:
            if begin.plans is None or len(begin.plans) >= PLANS_LIMIT:
                begin.plans = {}
            begin.plans[self._key] = end, entering, makers


def _unknown(trace: Trace) -> Any:
    """In place of a maker: the answer cannot be made from the trace alone."""


def _maker(answer: Any, trace: Trace) -> Any:
    """How the answer is made again from a trace in the same state, see `Trace.tensors`."""
    if answer is None:
        return None
    if is_composite(answer):
        return _composite_maker(answer, trace)
    slots = trace.slots_of(answer)
    if not slots:
        return _unknown
    return slots[0], answer.spec


def _composite_maker(answer: Any, trace: Trace) -> Any:
    spec = spec_of(answer)
    parts = list(components(answer))
    known = spec.known_components() if isinstance(spec, CompositeSpec) else {}
    makers = [
        (lambda trace, part=known[i]: part) if i in known else _maker(part, trace) for i, part in enumerate(parts)
    ]
    return _unknown if _unknown in makers else lambda trace: rebuild(spec, tuple(trace.tensors(makers)))
