"""Fused mode: operations are noted in a pending trace, which runs as one XLA program when a value is needed.

A trace is a path in a trie. Each node (`Step`) is one operation on numbered slots, so the node reached stands for the whole
trace: its types are known from the last time, its programs hang there, and following it costs one dictionary look-up an
operation. Tapes keep no record of their own while a trace is pending: the trace is the record, see `tape`.
"""

from __future__ import annotations

import sys
import threading
from types import FrameType
from typing import Any
from weakref import ref

import numpy as np

from tfgrad_jax.engine.compiler import Program
from tfgrad_jax.engine.context import context
from tfgrad_jax.engine.dtypes import string
from tfgrad_jax.engine.execute import explain, immediate
from tfgrad_jax.engine.kernel import Kernel
from tfgrad_jax.engine.tensor import EagerTensor, Spec, Tensor

LENGTH_LIMIT = 4096
"""A trace of this many operations runs, whether or not somebody asks for a value."""

TRIE_LIMIT = 200_000
"""The trie starts anew when it has this many nodes, so that programs which never repeat cost bounded memory."""

_HOST_SIZE = 64


class _NotForXLA(Exception):
    """An operand is a tensor of strings."""


class Step:
    """One operation of a trace, as a node of the trie.

    Attributes:
      kernel, ins, outs: what runs, on which slots, into which slots.
      entering: types of the values from outside that this step is the first to use; they take the slots before `outs`.
      specs: types of the outputs, in the structure in which the kernel returns them.
      end: the number of slots after this step.
      where: the user's file and line that first made it.
    """

    __slots__ = (
        "children", "depth", "end", "entering", "ins", "kernel", "out_specs", "outs", "parent", "plans", "programs", "specs",
        "where",
    )  # fmt: skip

    def __init__(self, parent: Step | None, kernel: Kernel | None, end: int) -> None:
        self.parent = parent
        self.kernel = kernel
        self.ins: tuple[int, ...] = ()
        self.outs: tuple[int, ...] = ()
        self.entering: tuple[tuple[int, Spec], ...] = ()
        self.specs: Any = None
        self.out_specs: tuple[Spec, ...] = ()
        self.end = end
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.children: dict[Any, Step] = {}
        self.programs: dict[Any, Program] = {}
        self.plans: dict[Any, Any] = {}
        self.where: tuple[str, int] | None = None

    def path(self, start: int = 0) -> list[Step]:
        """The steps from depth `start` (exclusive of the root) up to this one."""
        steps = []
        step: Step | None = self
        while step is not None and step.depth > start:
            steps.append(step)
            step = step.parent
        steps.reverse()
        return steps


class _Trie:
    def __init__(self) -> None:
        self.root = Step(None, None, 0)
        self.size = 0
        self.lock = threading.Lock()


trie = _Trie()


def _user_line() -> tuple[str, int] | None:
    """File and line of the innermost frame outside this package."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if not frame.f_globals.get("__name__", "").startswith("tfgrad_jax."):
            return frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back
    return None


class Trace:
    """The pending operations of one thread."""

    __slots__ = ("__weakref__", "by_id", "cursor", "externals", "lock", "names", "refs", "slots", "tapes")

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.tapes: list[Any] = []
        self._reset()

    def _reset(self) -> None:
        self.cursor = trie.root
        # Per slot: a weak reference to the tensor of an output; the tensor itself for a value from outside.
        self.refs: list[Any] = []
        self.externals: list[tuple[int, Tensor]] = []
        self.slots: dict[int, int] = {}
        self.by_id: dict[int, list[int]] = {}
        self.names: dict[int, int] = {}

    # -- recording ----------------------------------------------------------------------------------------------------

    def record(self, kernel: Kernel, inputs: tuple[Tensor, ...]) -> Any:
        """Note one operation; returns its outputs, pending."""
        cursor = self.cursor
        refs = self.refs
        if len(refs) != cursor.end:
            self._repair()
        key: list[Any] = [kernel]
        entering: list[Tensor] | None = None
        slots = self.slots
        for t in inputs:
            if t._value is None and t._trace is self:
                key.append(t._slot)
                continue
            slot = slots.get(id(t))
            if slot is not None:
                key.append(slot)
            elif entering is not None and any(e is t for e in entering):
                key.append(cursor.end + [e is t for e in entering].index(True))
            else:
                t.array  # noqa: B018 -- pending in another thread: computed now
                if entering is None:
                    entering = []
                entering.append(t)
                key.append(t.spec)
        edge = tuple(key)
        step = cursor.children.get(edge)
        if step is None:
            step = self._extend(edge, inputs)
        if entering is not None:
            for t in entering:
                self._enter(t)
        specs = step.specs
        if type(specs) is Spec:
            out = EagerTensor(None, specs)
            out._trace = self
            out._slot = step.outs[0]
            refs.append(ref(out))
            self.cursor = step
            return out
        outs = []
        for spec, slot in zip(specs, step.outs, strict=True):
            out = EagerTensor(None, spec)
            out._trace = self
            out._slot = slot
            refs.append(ref(out))
            outs.append(out)
        self.cursor = step
        return type(specs)(outs)

    def _enter(self, tensor: Tensor) -> None:
        slot = len(self.refs)
        self.slots[id(tensor)] = slot
        self.externals.append((slot, tensor))
        self.by_id.setdefault(tensor._id, []).append(slot)
        self.refs.append(tensor)

    def _extend(self, edge: tuple[Any, ...], inputs: tuple[Tensor, ...]) -> Step:
        kernel = edge[0]
        cursor = self.cursor
        if any(t.spec.dtype is string for t in inputs):
            raise _NotForXLA
        try:
            specs = kernel.infer(tuple([t.spec for t in inputs]))
        except Exception as error:
            raise explain(error, kernel, inputs) from error
        if trie.size >= TRIE_LIMIT:
            # Whoever is under way keeps its own branch; new traces start from the new root.
            trie.root, trie.size = Step(None, None, 0), 0
        trie.size += 1
        step = Step(cursor, kernel, 0)
        end = cursor.end
        ins: list[int] = []
        entering: list[tuple[int, Spec]] = []
        for part in edge[1:]:
            if type(part) is Spec:
                entering.append((end, part))
                ins.append(end)
                end += 1
            else:
                ins.append(part)
        step.ins = tuple(ins)
        step.entering = tuple(entering)
        step.specs = specs
        step.out_specs = (specs,) if type(specs) is Spec else tuple(specs)
        step.outs = tuple(range(end, end + len(step.out_specs)))
        step.end = end + len(step.out_specs)
        step.where = _user_line()
        cursor.children[edge] = step
        return step

    def _repair(self) -> None:
        """After an exception between two halves of a record (an interrupt): forget the half-made one."""
        end = self.cursor.end
        del self.refs[end:]
        for slot, tensor in self.externals:
            if slot >= end:
                del self.slots[id(tensor)]
        self.externals = [(slot, tensor) for slot, tensor in self.externals if slot < end]

    def renamed(self, tensor: Tensor) -> None:
        """A pending tensor got another identity: it became the value of a variable."""
        self.by_id.setdefault(tensor._id, []).append(tensor._slot)
        self.names[tensor._slot] = tensor._id  # tapes ask for it after the next assignment, too

    def slots_of(self, value: Any) -> tuple[int, ...]:
        """The slots that hold a tensor, or a variable at its different times."""
        found = self.by_id.get(value._id)
        if found is not None:
            return tuple(found)
        if getattr(value, "_value", 0) is None and value._trace is self:
            return (value._slot,)
        return ()

    def tensor(self, slot: int, spec: Spec) -> Tensor:
        """The tensor in a slot; made again, with the identity it had, where nobody holds it any more."""
        found = self.refs[slot]
        if isinstance(found, Tensor):
            return found
        tensor = found() if found is not None else None
        if tensor is None:
            tensor = EagerTensor(None, spec)
            tensor._id = self.names.get(slot, tensor._id)
            tensor._trace = self
            tensor._slot = slot
            self.refs[slot] = ref(tensor)
        self.names[slot] = tensor._id
        return tensor

    def replay(self, end: Step) -> None:
        """Go on along known steps, none of which takes values from outside."""
        self.refs.extend([None] * (end.end - len(self.refs)))
        self.cursor = end

    # -- running ------------------------------------------------------------------------------------------------------

    def flush(self, reason: str) -> None:
        """Run everything that is pending."""
        with self.lock:
            if self.cursor.parent is None:
                return
            if len(self.refs) != self.cursor.end:
                self._repair()
            tapes = sorted([tape for r in self.tapes if (tape := r()) is not None], key=lambda tape: tape.follows)
            for tape in tapes:
                tape._settle()
            cursor, refs, externals = self.cursor, self.refs, self.externals
            alive = [(i, r()) for i, r in enumerate(refs) if type(r) is ref]
            targets = [(i, t) for i, t in alive if t is not None]
            del alive
            self._reset()
            for tape in tapes:
                tape._restart()
            live = tuple([i for i, _ in targets])
            program = cursor.programs.get(live)
            if program is None:
                program = cursor.programs[live] = Program(cursor.path(), live)
            try:
                values = program.run(externals, reason)
            except BaseException:
                # Nothing ran to its end: the operations stay pending, so that asking again asks again.
                self.cursor, self.refs, self.externals = cursor, refs, externals
                self.slots = {id(t): slot for slot, t in externals}
                for slot, t in externals:
                    self.by_id.setdefault(t._id, []).append(slot)
                for tape in tapes:
                    tape._restart()
                raise
            for (_, tensor), value in zip(targets, values, strict=True):
                tensor._value = value
                del tensor._trace


def pending_trace() -> Trace:
    """The trace of this thread."""
    trace = context.pending
    if trace is None:
        trace = context.pending = Trace()
    return trace


def fused(kernel: Kernel, inputs: tuple[Tensor, ...]) -> Any:
    """Fused mode: note the operation and return pending tensors."""
    trace = context.pending or pending_trace()
    if kernel.host:
        return immediate(kernel, inputs)
    if inputs and type(inputs[0]._value) is np.ndarray and _shape_arithmetic(inputs):
        return on_host(kernel, inputs)
    with trace.lock:
        if trace.cursor.depth >= LENGTH_LIMIT:
            trace.flush("length")
        try:
            return trace.record(kernel, inputs)
        except _NotForXLA:
            return immediate(kernel, inputs)


def _shape_arithmetic(inputs: tuple[Tensor, ...]) -> bool:
    """Whether these are small integers on the host, such as shapes and sizes, which stay there."""
    for t in inputs:
        value = t._value
        if type(value) is not np.ndarray or value.dtype.kind not in "iub" or value.size > _HOST_SIZE:
            return False
    return True


def on_host(kernel: Kernel, inputs: tuple[Tensor, ...]) -> Any:
    """Run now, and keep integer results on the host."""
    out = immediate(kernel, inputs)
    for t in out if isinstance(out, (tuple, list)) else (out,):
        if t._value.dtype.kind in "iub" and t._value.size <= _HOST_SIZE:
            t._value = np.asarray(t._value)
    return out
