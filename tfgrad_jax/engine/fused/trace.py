"""Fused mode: operations are noted in a pending trace, which runs as one XLA program when a value is needed.

A trace is a path in a trie. Each node (`Step`) is one operation on numbered slots, so the node reached stands for the whole
trace: its types are known from the last time, its programs hang there, and following it costs one dictionary look-up an
operation. Tapes keep no record of their own while a trace is pending: the trace is the record, see `noted`.
"""

from __future__ import annotations

import sys
import threading
from sys import getrefcount
from types import FrameType
from typing import Any
from weakref import ref

import numpy as np

from tfgrad_jax.engine.fused import compiler
from tfgrad_jax.engine.fused.pace import Pace
from tfgrad_jax.engine.fused.program import Outcome, Programs, alone
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.run.execute import explain, immediate
from tfgrad_jax.engine.threads.context import context, new_id
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.tensor import EagerTensor, Spec, Tensor

LENGTH_LIMIT = 4096
"""A trace of this many operations runs, whether or not somebody asks for a value."""

HELD_LIMIT = 64 << 20
"""A trace runs when it alone keeps this many bytes of its operands alive; not while a tape, which may need them, records."""

TRIE_LIMIT = 50_000
"""The trie is pruned when it has this many nodes, so that programs which never repeat cost bounded memory."""

REASONS_LIMIT = 8
"""So many runs of a program are noted with what made it run, and where."""

PLANS_LIMIT = 32
"""Backward passes remembered from one step on."""

_HOST_SIZE = 64


class Step:
    """One operation of a trace, as a node of the trie.

    Attributes:
      kernel, ins, outs: what runs, on which slots, into which slots.
      entering: slots and types of the values from outside that this step is the first to use.
      specs: types of the outputs, in the structure in which the kernel returns them; `out_specs` in a row.
      end: the number of slots after this step.
      depth: the number of steps up to this one.
      held: bytes of all values from outside up to here.
      where: the user's file and line that first made it.
      edge, child: the operation that followed first, and its step; `others` are further ones. Most steps have one child.
      programs: what runs if the trace ends here, by live slots.
      plans: known backward passes that begin here, see `noted`.
    """

    __slots__ = (
        "child", "depth", "edge", "end", "entering", "held", "ins", "kernel", "others", "out_specs", "outs", "parent",
        "plans", "programs", "specs", "where",
    )  # fmt: skip

    def __init__(self, parent: Step | None, kernel: Kernel | None, parts: tuple[Any, ...], specs: Any) -> None:
        self.parent = parent
        self.kernel = kernel
        self.depth: int = parent.depth + 1 if parent is not None else 0
        self.edge: Any = None
        self.child: Step | None = None
        self.others: dict[Any, Step] | None = None
        self.programs: Programs | None = None
        self.plans: dict[Any, Any] | None = None
        self.where: tuple[str, int] | None = None
        end = parent.end if parent is not None else 0
        held = parent.held if parent is not None else 0
        ins: list[int] = []
        entering: list[tuple[int, Spec]] = []
        for part in parts:
            if type(part) is Spec:
                entering.append((end, part))
                ins.append(end)
                held += _bytes(part)
                end += 1
            else:
                ins.append(part)
        self.ins = tuple(ins)
        self.entering = tuple(entering)
        self.held: int = held
        self.specs = specs
        self.out_specs: tuple[Spec, ...] = (specs,) if type(specs) is Spec else tuple(specs)
        self.outs = tuple(range(end, end + len(self.out_specs)))
        self.end: int = end + len(self.out_specs)

    def following(self, edge: tuple[Any, ...]) -> Step | None:
        """The step after this one for an operation; None if it never came here."""
        if edge == self.edge:
            return self.child
        return None if self.others is None else self.others.get(edge)

    def children(self) -> dict[Any, Step]:
        """All steps that follow, by operation."""
        first = {} if self.child is None else {self.edge: self.child}
        return {**first, **(self.others or {})}

    @property
    def slot_specs(self) -> list[Spec]:
        """The types of all slots that this step adds."""
        return [*(spec for _, spec in self.entering), *self.out_specs]

    def path(self, start: int = 0) -> list[Step]:
        """The steps after depth `start` up to this one."""
        steps = []
        step: Step | None = self
        while step is not None and step.depth > start:
            steps.append(step)
            step = step.parent
        steps.reverse()
        return steps


def _bytes(spec: Spec) -> int:
    return spec.size * spec.dtype.size


class _Trie:
    """All traces seen, as paths from `root`."""

    def __init__(self) -> None:
        self.root = Step(None, None, (), ())
        self.size = 0
        self.lock = threading.Lock()

    def grow(self, parent: Step, edge: tuple[Any, ...], step: Step) -> Step:
        """Add a step below `parent`, or find the one that another thread added."""
        with self.lock:
            found = parent.following(edge)
            if found is not None:
                return found
            if parent.child is None:
                parent.child, parent.edge = step, edge
            else:
                parent.others = parent.others or {}
                parent.others[edge] = step
            self.size += 1
            if self.size >= TRIE_LIMIT:
                self._prune()
            return step

    def _prune(self) -> None:
        """Keep the paths of hot programs. Who is under way elsewhere keeps its own branch."""
        kept: set[Step] = set()
        for program in compiler.registered():
            step: Step | None = program.end
            while step is not None and step not in kept:
                kept.add(step)
                step = step.parent
        for step in (self.root, *kept):
            left = {edge: child for edge, child in step.children().items() if child in kept}
            step.edge, step.child = next(iter(left.items()), (None, None))
            step.others = left
        self.size = len(kept)


trie = _Trie()


def user_line() -> tuple[str, int] | None:
    """File and line of the innermost frame outside this package."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if not frame.f_globals.get("__name__", "").startswith("tfgrad_jax."):
            return frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back
    return None


class Trace:
    """Pending operations of one thread, from one run to the next. Another thread may make them run.

    Attributes:
      cursor: the step reached in the trie.
      refs: by slot, the pending tensor that an operation returned; None for others.
      externals: by slot, the tensors from outside; emptied when it runs.
      slots: the slots of `externals`, by `id` of the tensor.
      by_id: slots by identity of what came from outside or became the value of a variable.
      tapes: weak references to the tapes that were open meanwhile.
      closed: whether nothing is noted in it any more; `ran` says that all of it has its values.
      pace: of the thread.
      unplanned: whether the user's Python had a part in it, which a plan would leave out.
      allowed: how many bytes may enter before it is looked whether they are held by others.
    """

    __slots__ = (
        "_specs", "allowed", "by_id", "closed", "cursor", "externals", "lock", "pace", "ran", "refs", "slots", "tapes",
        "unplanned",
    )  # fmt: skip

    def __init__(self, pace: Pace) -> None:
        self.cursor = trie.root
        self.refs: list[Any] = []
        self.externals: dict[int, Tensor] = {}
        self.slots: dict[int, int] = {}
        self.by_id: dict[int, list[int]] = {}
        self.tapes: list[ref[Any]] = []
        self.closed = False
        self.ran = False
        self.lock = threading.RLock()
        self.pace = pace
        self.allowed = HELD_LIMIT
        self.unplanned = False
        self._specs: list[Spec] = []

    # -- recording ----------------------------------------------------------------------------------------------------

    def enter(self, slot: int, tensor: Tensor) -> None:
        """A tensor from outside takes the next slot."""
        self.externals[slot] = tensor
        self.slots[id(tensor)] = slot
        self.by_id.setdefault(tensor.identity, []).append(slot)
        self.refs.append(None)

    def extend(self, edge: tuple[Any, ...], inputs: tuple[Tensor, ...]) -> Step | None:
        """The step for an operation never noted here before; None if it cannot be noted."""
        kernel = edge[0]
        types = tuple([t.spec for t in inputs])
        if kernel.host or kernel.stateful or any([spec.dtype is dtypes.string for spec in types]):
            return None
        try:
            specs = kernel.infer(types)
        except Exception as error:
            raise explain(error, kernel, inputs) from error
        step = Step(self.cursor, kernel, edge[1:], specs)
        step.where = user_line()
        return trie.grow(self.cursor, edge, step)

    def repair(self) -> None:
        """Forget an operation that an interrupt cut off in the middle of being noted."""
        end = self.cursor.end
        if len(self.refs) != end:
            del self.refs[end:]
            for slot in [s for s in self.externals if s >= end]:
                tensor = self.externals.pop(slot)
                self.slots.pop(id(tensor), None)
                self.by_id[tensor.identity] = [s for s in self.by_id.get(tensor.identity, ()) if s < end]

    def limit(self) -> None:
        """Run if the operands that only this trace keeps alive are too large."""
        externals = self.externals
        held = sum([_bytes(externals[s].spec) for s in externals if alone(externals, s)])
        if held > HELD_LIMIT and not context.recorders:
            self.flush("memory")
        self.allowed = self.cursor.held + max(HELD_LIMIT - held, HELD_LIMIT // 8)

    def renamed(self, tensor: Tensor) -> None:
        """A pending tensor got another identity: it became the value of a variable."""
        self.by_id.setdefault(tensor.identity, []).append(tensor.slot)

    def slots_of(self, value: Any) -> tuple[int, ...]:
        """The slots that hold a tensor, or a variable at its different times."""
        if isinstance(value, Tensor):
            if value.held is None and value.pending_in is self:
                return (value.slot,)
            slot = self.slots.get(id(value))
            return () if slot is None else (slot,)
        return tuple(self.by_id.get(value.identity, ()))

    def tensor(self, slot: int, spec: Spec | None = None) -> Tensor:
        """The tensor in a slot, made now (of type `spec`, if the caller knows it) if the operation came along a plan."""
        tensor = self.refs[slot]
        if tensor is None:
            tensor = self.externals.get(slot)
        if tensor is None:
            if spec is None:
                if len(self._specs) <= slot:
                    self._specs = [spec for step in self.cursor.path() for spec in step.slot_specs]
                spec = self._specs[slot]
            tensor = self.refs[slot] = self.pending(slot, spec)
        return tensor

    def advance(self, end: Step, entering: list[tuple[int, Tensor]]) -> None:
        """Go on along known steps up to `end`; the tensors take the given slots on the way."""
        for slot, tensor in entering:
            self.refs.extend([None] * (slot - len(self.refs)))
            self.enter(slot, tensor)
        self.refs.extend([None] * (end.end - len(self.refs)))
        self.cursor = end

    def pending(self, slot: int, spec: Spec) -> EagerTensor:
        """A tensor whose value this trace will compute."""
        tensor: EagerTensor = _new(EagerTensor)
        tensor.held = None
        tensor.known_spec = spec
        tensor.identity = new_id()
        tensor.pending_in = self
        tensor.slot = slot
        return tensor

    # -- running ------------------------------------------------------------------------------------------------------

    def flush(self, reason: str) -> None:
        """Run everything that is pending.

        Raises:
          Exception: what an operation raised as it ran. The operations before it have their values, and variables that the
            trace read those that they had at that point; a value that is missing raises the same when it is asked for.
        """
        with self.lock:
            if self.ran:
                return
            self.closed = True
            if context.pending is self:
                context.pending = None
            self.repair()
            for tape in [r() for r in self.tapes]:
                if tape is not None:
                    tape.settle()
            targets = [t for t in self.refs if t is not None and getrefcount(t) > _HELD_BY_REFS]
            outcome = self._run(targets, reason) if targets else None
            self.ran = True
            self.refs, self.externals, self.slots = [], {}, {}
        if outcome is not None and outcome.error is not None:
            raise outcome.error

    def _run(self, targets: list[Tensor], reason: str) -> Outcome:
        cursor = self.cursor
        programs = cursor.programs
        if programs is None:
            programs = cursor.programs = Programs(cursor)
        live = tuple([t.slot for t in targets])
        program = programs.get(live)
        if program.uses < REASONS_LIMIT:
            program.reasons[reason, user_line()] += 1
        self.pace.note(cursor.depth, not program.uses)
        outcome = program.run(self.externals)
        values = outcome.values
        if program.live is not live and program.live != live:
            values = [dict(zip(program.live, values, strict=True))[s] for s in live]
        while True:
            try:
                for t, value in zip(targets, values, strict=True):
                    if value is None:
                        self._missing(t, outcome)
                    else:
                        t.held = value
                        t.pending_in = _RAN
                return outcome
            except KeyboardInterrupt as interrupt:
                outcome.error = interrupt

    def _missing(self, tensor: Tensor, outcome: Outcome) -> None:
        """Something failed before this tensor was computed. A variable goes back to its last value before that."""
        for slot in reversed(self.by_id.get(tensor.identity, ())):
            if outcome.slots and outcome.slots[slot] is not None:
                tensor.held = outcome.slots[slot]
                tensor.pending_in = _RAN
                return
        tensor.pending_in = _Failed(outcome.error)


class _Failed:
    """Stands for the trace of a tensor whose value could not be computed."""

    def __init__(self, error: Any) -> None:
        self._error = error

    def flush(self, reason: str) -> None:
        raise self._error


class _Ran:
    """Stands for the trace of a tensor that has its value: another thread may have seen it before that."""

    def flush(self, reason: str) -> None:
        """Nothing is pending."""


_RAN = _Ran()


def _references() -> int:
    refs = [object()]
    (count,) = [getrefcount(t) for t in refs if t is not None]
    return count


_HELD_BY_REFS = _references()


# -- the executors --------------------------------------------------------------------------------------------------------


def fused(kernel: Kernel, inputs: tuple[Tensor, ...]) -> Any:
    """Fused mode: note the operation and return pending tensors."""
    trace = context.pending
    if trace is None or trace.closed:
        trace = _begin()
        if trace is None:
            return resting(kernel, inputs)
    slots = trace.slots
    if inputs and type(inputs[0].held) is np.ndarray and _shape_arithmetic(inputs, slots):
        return on_host(kernel, inputs)
    cursor = trace.cursor
    parts: list[Any] = [kernel]
    entering: list[Tensor] | None = None
    for t in inputs:
        if t.held is None and t.pending_in is trace:
            parts.append(t.slot)
            continue
        slot = slots.get(id(t))
        if slot is not None:
            parts.append(slot)
            continue
        if entering is None:
            entering = []
        for i, other in enumerate(entering):
            if other is t:
                parts.append(cursor.end + i)
                break
        else:
            t.array  # noqa: B018 -- pending in another thread's trace, or in a closed one: computed now
            entering.append(t)
            parts.append(t.spec)
    edge = tuple(parts)
    step = cursor.child if edge == cursor.edge else cursor.following(edge)
    if step is None:
        if cursor.depth >= LENGTH_LIMIT:
            trace.flush("length")
            return fused(kernel, inputs)
        step = trace.extend(edge, inputs)
        if step is None:
            return immediate(kernel, inputs)
    with trace.lock:
        if trace.closed:  # by another thread, in the meantime
            return fused(kernel, inputs)
        refs = trace.refs
        if len(refs) != cursor.end:
            trace.repair()
        if entering is not None:
            for t in entering:
                trace.enter(len(refs), t)
        specs = step.specs
        if type(specs) is Spec:
            out: Any = _new(EagerTensor)  # as `pending` does, without the call
            out.held = None
            out.known_spec = specs
            out.identity = new_id()
            out.pending_in = trace
            out.slot = len(refs)
            refs.append(out)
        else:
            out = type(specs)([trace.pending(slot, spec) for slot, spec in zip(step.outs, specs, strict=True)])
            refs.extend(out)
        trace.cursor = step
    if entering is not None and step.held > trace.allowed:
        trace.limit()
    return out


_new = object.__new__


def _begin() -> Trace | None:
    """A new trace for this thread; None if it rests."""
    pace = context.pace
    if pace is None:
        pace = context.pace = Pace()
    if pace.rest > 0:
        context.executor = resting
        return None
    trace = context.pending = Trace(pace)
    for recorder in context.recorders:
        recorder.opened()
    return trace


def resting(kernel: Kernel, inputs: tuple[Tensor, ...]) -> Any:
    """Fused mode while noting does not pay: run now."""
    pace = context.pace
    pace.rest -= 1
    if pace.rest <= 0 and not context.recorders:
        context.executor = fused
    return immediate(kernel, inputs)


def _shape_arithmetic(inputs: tuple[Tensor, ...], slots: dict[int, int]) -> bool:
    """Whether these are small integers on the host, such as shapes and sizes, that the trace has not met: they stay there."""
    for t in inputs:
        value = t.held
        if type(value) is not np.ndarray or value.dtype.kind not in "iub" or value.size > _HOST_SIZE or id(t) in slots:
            return False
    return True


def on_host(kernel: Kernel, inputs: tuple[Tensor, ...]) -> Any:
    """Run now, and keep integer results on the host."""
    out = immediate(kernel, inputs)
    for t in out if isinstance(out, (tuple, list)) else (out,):
        if t.held.dtype.kind in "iub" and t.held.size <= _HOST_SIZE:
            t.held = np.asarray(t.held)
    return out
