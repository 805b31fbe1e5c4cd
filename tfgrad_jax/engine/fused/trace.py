"""Fused mode: operations are noted in a pending trace, which runs as one XLA program when a value is needed.

A trace is a path in a trie. Each node (`Step`) is one operation on numbered slots, so the node reached stands for the whole
trace: its types are known from the last time, its programs hang there, and to follow it is to compare an operation with the one
that came next then. Tapes keep no record of their own while a trace is pending: the trace is the record, see `plan`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from sys import getrefcount
from typing import Any
from weakref import ref

from numpy import ndarray

from tfgrad_jax.engine.fused.holding import alone
from tfgrad_jax.engine.fused.pace import Pace
from tfgrad_jax.engine.fused.program import Programs, Run
from tfgrad_jax.engine.fused.step import Step, size_in_bytes, trie
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.kernels.limits import check_memory, wide_types
from tfgrad_jax.engine.messages.errors import again
from tfgrad_jax.engine.messages.explain import raise_explained
from tfgrad_jax.engine.messages.where import user_line
from tfgrad_jax.engine.threads.context import context, new_id
from tfgrad_jax.engine.values.tensor import EagerTensor, Spec, Tensor, Waiting, in_host_memory

new_object = object.__new__
HELD_LIMIT = 64 << 20
"""A trace runs when it alone keeps this many bytes of its operands alive; not while a tape, which may need them, records."""

REASONS_LIMIT = 8
"""So many runs of a program are noted with what made it run, and where."""

PLANS_LIMIT = 32
"""Backward passes remembered from one step on."""


class Trace(Waiting):
    """Pending operations of one thread, from one run to the next. Another thread may make them run.

    Attributes:
      cursor: the step reached in the trie.
      refs: by slot, the pending tensor that an operation returned; None for others.
      externals: by slot, the tensors from outside; emptied when it runs.
      slots: the slots of `externals`, by `id` of the tensor.
      by_id: slots by identity of what came from outside or became the value of a variable.
      tapes: weak references to the tapes that were open meanwhile.
      closed: whether nothing is noted in it any more; `ran` says that all of it has its values.
      noting: whether its thread is changing it just now. A lock for each operation would take as long as noting it: in place of
        one, its thread says that it is about to change the trace, and then looks whether it is closed; who closes it says so, and
        then waits until nothing is being changed. So one of the two sees the other.
      pace: of the thread.
      run: what runs it, from when nothing is noted any more until all of it has its values.
      unplanned: whether the user's Python had a part in it, which a plan would leave out.
      allowed: how many bytes may enter before it is looked whether they are held by others.
      executor: what notes operations in such a trace: while it is not this thread's executor, nothing is to be noted.
    """

    __slots__ = (
        "_specs", "_targets", "allowed", "by_id", "closed", "cursor", "executor", "externals", "lock", "noting", "pace", "ran",
        "refs", "run", "slots", "tapes", "unplanned",
    )  # fmt: skip

    def __init__(self, executor: Any, pace: Pace) -> None:
        self.executor = executor
        self.cursor = trie.root
        self.refs: list[Any] = []
        self.externals: dict[int, Tensor] = {}
        self.slots: dict[int, int] = {}
        self.by_id: dict[int, tuple[int, ...]] = {}
        self.tapes: list[ref[Any]] = []
        self.closed = False
        self.ran = False
        self.noting = False
        self.lock = threading.RLock()
        self.pace = pace
        self.allowed = HELD_LIMIT
        self.unplanned = False
        self.run: Run | None = None
        self._targets: list[Tensor] = []
        self._specs: list[Spec] = []

    # -- recording ----------------------------------------------------------------------------------------------------

    def follow(self, kernel: Kernel, x: Tensor, y: Tensor | None = None, identity: int = 0) -> EagerTensor | None:
        """Note an operation, if it is the one that followed here the first time; otherwise do nothing and return None.

        This runs for every operation. What its executor would find out is known where kernel and operands are the same as then.
        Slots and types are compared as objects: those of a step are handed on to whoever asks where a value is.

        Args:
          kernel, x, y: the operation.
          identity: 0, or that of the result, which becomes the value of some state.
        """
        cursor = self.cursor
        step = cursor.first
        if (
            step is None
            or step.kernel is not kernel
            or (x.slot if x.held is None and x.pending_in is self else self.slots.get(id(x), x.known_spec))
            is not step.one
        ):
            return None
        if y is None:
            if step.other is not False:
                return None
        elif (
            y.slot if y.held is None and y.pending_in is self else self.slots.get(id(y), y.known_spec)
        ) is not step.other:
            return None
        enters = step.enters
        if enters and not _enter_as_they_are(enters, x, y):
            return None
        self.noting = True  # from here on no other thread closes it
        try:
            refs = self.refs
            if self.closed or len(refs) != cursor.end:
                return None
            if enters:
                for i in enters:
                    self.enter(step.ins[i], y if i else x)  # type: ignore[arg-type]
            out: EagerTensor = new_object(EagerTensor)  # as `pending` does, without the call
            out.held = None
            out.known_spec = step.specs
            out.identity = identity or new_id()
            out.pending_in = self
            out.slot = step.slot
            refs.append(out)
            self.cursor = step
            if identity:
                self._know(identity, step.slot)
        finally:
            self.noting = False
        if enters and step.held > self.allowed:
            self.limit()
        return out

    def enter(self, slot: int, tensor: Tensor) -> None:
        """A tensor from outside takes the next slot."""
        self.refs.append(None)  # first, so that `repair` sees what an interrupt leaves unfinished
        self.externals[slot] = tensor
        self.slots[id(tensor)] = slot
        identity, by_id = tensor.identity, self.by_id
        by_id[identity] = (*by_id[identity], slot) if identity in by_id else (slot,)  # as `_know`, without the call

    def _know(self, identity: int, slot: int) -> None:
        """A slot holds what has this identity."""
        by_id = self.by_id
        by_id[identity] = (*by_id[identity], slot) if identity in by_id else (slot,)

    def extend(self, edge: tuple[Any, ...], inputs: tuple[Tensor, ...]) -> Step | None:
        """The step for an operation never noted here before; None if it cannot be noted."""
        kernel = edge[0]
        types = tuple([t.spec for t in inputs])
        if kernel.host or kernel.stateful or any([spec.dtype.on_host for spec in types]):
            return None
        try:
            specs = kernel.infer(types)
            check_memory(kernel.name, specs if isinstance(specs, (tuple, list)) else (specs,))
        except Exception as error:
            raise_explained(error, kernel, inputs)
        step = Step(self.cursor, kernel, edge[1:], specs)
        step.where = user_line()
        return trie.grow(step)

    def repair(self) -> None:
        """Forget an operation that an interrupt cut off in the middle of being noted."""
        end = self.cursor.end
        if len(self.refs) != end:
            for slot in [s for s in self.externals if s >= end]:
                tensor = self.externals[slot]
                self.slots.pop(id(tensor), None)
                self.by_id[tensor.identity] = tuple([s for s in self.by_id.get(tensor.identity, ()) if s < end])
                del self.externals[slot]
            del self.refs[end:]  # last, should another interrupt come meanwhile

    def limit(self) -> None:
        """Run if the operands that only this trace keeps alive are too large."""
        externals = self.externals
        held = sum([size_in_bytes(externals[s].spec) for s in externals if alone(externals, (s,))])
        if held > HELD_LIMIT and not context.recorders:
            self.flush("memory")
        self.allowed = self.cursor.held + max(HELD_LIMIT - held, HELD_LIMIT // 8)

    def renamed(self, tensor: Tensor) -> None:
        """A pending tensor got another identity: it became the value of a variable.

        Raises:
          Exception: what made it fail meanwhile, in another thread.
        """
        if context.pending is self:
            self.noting = True
            try:
                if not self.closed:
                    self._know(tensor.identity, tensor.slot)
                    return
            finally:
                self.noting = False
        with self.lock:
            if not self.ran:
                self._know(tensor.identity, tensor.slot)
                return
        if tensor.held is None:  # another thread ran it, and it failed
            tensor.pending_in.flush("value")

    def slots_of(self, value: Any) -> tuple[int, ...]:
        """The slots that hold a tensor, or a variable at its different times."""
        if isinstance(value, Tensor):
            if value.held is None and value.pending_in is self:
                return (value.slot,)
            slot = self.slots.get(id(value))
            return () if slot is None else (slot,)
        return self.by_id.get(value.identity, ())

    def glance(self, tensor: Tensor) -> Any:
        """The value of a pending tensor, computed aside of what stays pending; None if that takes much, or is not exact."""
        if context.pending is not self or self.closed:
            return None
        steps = self.cursor.aside(tensor.slot)
        if not steps:
            return None
        externals = self.externals
        values: dict[int, Any] = {}
        try:
            for step in steps:
                operands = [values[s] if s in values else externals[s].array for s in step.ins]
                out = step.kernel.run(*operands)
                values.update(zip(step.outs, out if isinstance(out, (tuple, list)) else (out,), strict=True))
        except Exception:  # it is raised again when the trace runs, which tells where it comes from
            return None
        return in_host_memory(values[tensor.slot])

    def tensor(self, slot: int) -> Tensor:
        """The tensor in a slot, made now if the operation came along a plan."""
        tensor = self.refs[slot]
        if tensor is None:
            tensor = self.externals.get(slot)
        if tensor is None:
            if len(self._specs) <= slot:
                self._specs = [spec for step in self.cursor.path() for spec in step.slot_specs]
            tensor = self.refs[slot] = self.pending(slot, self._specs[slot])
        return tensor

    def tensors(self, places: Sequence[Any]) -> list[Any]:
        """What stands in places of a plan: the tensor of a slot and a type, what a function of the trace gives, or None."""
        refs, externals = self.refs, self.externals
        found: list[Any] = []
        for place in places:
            if type(place) is tuple:
                slot, spec = place
                tensor = refs[slot]
                if tensor is None:
                    tensor = externals.get(slot)
                if tensor is None:
                    tensor = refs[slot] = self.pending(slot, spec)
                found.append(tensor)
            else:
                found.append(None if place is None else place(self))
        return found

    def advance(self, end: Step, entering: list[tuple[int, Tensor]]) -> None:
        """Go on along known steps up to `end`; the tensors take the given slots on the way."""
        for slot, tensor in entering:
            self.refs.extend([None] * (slot - len(self.refs)))
            self.enter(slot, tensor)
        self.refs.extend([None] * (end.end - len(self.refs)))
        self.cursor = end

    def pending(self, slot: int, spec: Spec) -> EagerTensor:
        """A tensor whose value this trace will compute."""
        tensor: EagerTensor = new_object(EagerTensor)
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
          KeyboardInterrupt: at once; what is not computed then is when it is asked for.
        """
        with self.lock:
            if self.ran:
                return
            run = self.run
            if run is None:
                run = self._close(reason)
            if run is not None:
                with wide_types():
                    run.go()
                self._hand_out(run)
            self.ran = True
            self.refs, self.externals, self.slots = [], {}, {}
            self.run, self._targets = None, []
        if run is not None and run.error is not None:
            raise run.error

    def _close(self, reason: str) -> Run | None:
        """Note nothing more, and start the run; None if nobody needs a value."""
        self.closed = True
        if context.pending is self:
            context.pending = None
        else:
            while self.noting:
                time.sleep(0)
        self.repair()
        for tape in [r() for r in self.tapes]:
            if tape is not None:
                tape.settle(self)
        targets = self._targets = [t for t in self.refs if t is not None and getrefcount(t) > _HELD_BY_REFS]
        if not targets:
            return None
        cursor = self.cursor
        programs = cursor.programs
        if programs is None:
            programs = cursor.programs = Programs(cursor)
        program = programs.get(tuple([t.slot for t in targets]))
        if program.uses < REASONS_LIMIT:
            program.reasons[reason, user_line()] += 1
        self.pace.note(cursor.depth, not program.uses)
        self.run = program.start(self.externals)
        return self.run

    def _hand_out(self, run: Run) -> None:
        """Give the tensors their values. After an interrupt it is done again."""
        targets, live = self._targets, run.program.live
        values = run.results
        if len(live) != len(targets) or live != tuple([t.slot for t in targets]):
            by_slot = dict(zip(live, values, strict=True))
            values = [by_slot[t.slot] for t in targets]
        failed = None
        for t, value in zip(targets, values, strict=True):
            if value is None:
                failed = failed or _Failed(run.error)
                self._missing(t, run, failed)
            else:
                t.held = value
                t.pending_in = _RAN

    def _missing(self, tensor: Tensor, run: Run, failed: _Failed) -> None:
        """Something failed before this tensor was computed. A variable goes back to its last value before that."""
        for slot in reversed(self.by_id.get(tensor.identity, ())):
            if run.values and run.values[slot] is not None:
                tensor.held = run.values[slot]
                tensor.pending_in = _RAN
                return
        tensor.pending_in = failed


def _enter_as_they_are(enters: tuple[int, ...], x: Tensor, y: Tensor | None) -> bool:
    """Whether nothing speaks against operands from outside: they are two tensors, computed, and no integers of the host's."""
    for i in enters:
        if (y if i else x).held is None:  # type: ignore[union-attr]
            return False
    first = x.held
    return x is not y and (type(first) is not ndarray or first.dtype.kind not in "iub")


class _Failed(Waiting):
    """Stands for the trace of a tensor whose value could not be computed."""

    def __init__(self, error: Any) -> None:
        self._error = again(error)

    def flush(self, reason: str) -> None:
        raise again(self._error)

    def renamed(self, tensor: Tensor) -> None:
        """A variable does not take it."""
        raise again(self._error)


class _Ran(Waiting):
    """Stands for the trace of a tensor that has its value: another thread may have seen it before that."""

    def flush(self, reason: str) -> None:
        """Nothing is pending."""

    def renamed(self, tensor: Tensor) -> None:
        """Nothing is to be noted."""


_RAN = _Ran()


def _references() -> int:
    refs = [object()]
    (count,) = [getrefcount(t) for t in refs if t is not None]
    return count


_HELD_BY_REFS = _references()
