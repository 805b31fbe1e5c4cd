"""Steps: operations of traces, as the nodes of one trie."""

from __future__ import annotations

import threading
from collections import deque
from typing import TYPE_CHECKING, Any

from tfgrad_jax.engine.fused import registry
from tfgrad_jax.engine.kernels.kernel import Kernel, Owner
from tfgrad_jax.engine.values.tensor import Spec

if TYPE_CHECKING:
    from tfgrad_jax.engine.fused.program import Programs

TRIE_LIMIT = 50_000
"""The trie is pruned when it has this many nodes, so that programs which never repeat cost bounded memory."""


_NONE: dict[Any, Any] = {}

_ASIDE_STEPS = 8
"""A value may be computed aside of its trace if it takes no more operations,"""

_ASIDE_BYTES = 1 << 20
"""which make no more bytes."""

_NOT_ROUNDED = {"Cast", "Reshape", "Squeeze", "ExpandDims", "Identity"}
"""Operations on any numbers that every tier computes alike, besides those that make integers."""


class Step:
    """One operation of a trace, as a node of the trie.

    Attributes:
      edge: what leads here from the step before: the kernel and, for each operand, its slot, or its type if it enters here.
      one, other: the operands' parts of it, if they are two; `other` is False if there is one, both are where `Trace.follow` has to
        leave it to `fused`.
      kernel, ins, outs: what runs, on which slots, into which slots.
      entering: slots and types of the values from outside that this step is the first to use; `enters`: which operands they are.
      specs: types of the outputs, in the structure in which the kernel returns them; `out_specs` in a row.
      slot: the slot of the first output.
      end: the number of slots after this step.
      depth: the number of steps up to this one.
      held: bytes of all values from outside up to here.
      where: the user's file and line that first made it.
      first: the step of the operation that followed first; `others` are further ones, by their edges. Most steps have one child.
      programs: what runs if the trace ends here, by live slots.
      plans: known backward passes that begin here, see `plan`.
      asides: what to run for the value in a slot alone, if the trace is here, see `aside`.
    """

    __slots__ = (
        "__weakref__", "asides", "depth", "edge", "end", "entering", "enters", "first", "held", "ins", "kernel", "one", "other",
        "others", "out_specs", "outs", "parent", "plans", "programs", "slot", "specs", "where",
    )  # fmt: skip

    def __init__(self, parent: Step | None, kernel: Kernel | None, parts: tuple[Any, ...], specs: Any) -> None:
        self.parent = parent
        self.edge = (kernel, *parts)
        self.one: Any = False
        self.other: Any = False
        if type(specs) is Spec and 1 <= len(parts) <= 2:
            self.one, self.other, *_ = (*parts, False)
        self.kernel = kernel
        self.depth: int = parent.depth + 1 if parent is not None else 0
        self.first: Step | None = None
        self.others: dict[Any, Step] | None = None
        self.programs: Programs | None = None
        self.plans: dict[Any, Any] | None = None
        self.asides: dict[int, tuple[Step, ...]] = _NONE
        self.where: tuple[str, int] | None = None
        end = parent.end if parent is not None else 0
        held = parent.held if parent is not None else 0
        ins: list[int] = []
        entering: list[tuple[int, Spec]] = []
        enters: list[int] = []
        for i, part in enumerate(parts):
            if type(part) is Spec:
                entering.append((end, part))
                enters.append(i)
                ins.append(end)
                held += size_in_bytes(part)
                end += 1
            else:
                ins.append(part)
        self.ins = tuple(ins)
        self.entering = tuple(entering)
        self.enters = tuple(enters)
        self.held: int = held
        self.specs = specs
        self.out_specs: tuple[Spec, ...] = (specs,) if type(specs) is Spec else tuple(specs)
        self.outs = tuple(range(end, end + len(self.out_specs)))
        self.slot = self.outs[0] if self.outs else end
        self.end: int = end + len(self.out_specs)

    def following(self, edge: tuple[Any, ...]) -> Step | None:
        """The step after this one for an operation; None if it never came here."""
        first = self.first
        if first is None or edge == first.edge:
            return first
        return None if self.others is None else self.others.get(edge)

    def children(self) -> dict[Any, Step]:
        """All steps that follow, by operation."""
        first = {} if self.first is None else {self.first.edge: self.first}
        return {**first, **(self.others or {})}

    def without(self, left: dict[Any, Step]) -> None:
        """Let only these steps follow."""
        self.first = next(iter(left.values()), None)
        self.others = dict(list(left.items())[1:]) or None

    @property
    def slot_specs(self) -> list[Spec]:
        """The types of all slots that this step adds."""
        return [*(spec for _, spec in self.entering), *self.out_specs]

    def aside(self, slot: int) -> tuple[Step, ...]:
        """The steps up to here that make the value in a slot; none if these are many, large, or not exact in any tier."""
        found = self.asides.get(slot)
        if found is None:
            found = self._aside(slot)
            self.asides = {**self.asides, slot: found}
        return found

    def _aside(self, slot: int) -> tuple[Step, ...]:
        sought = {slot}
        steps: list[Step] = []
        room = _ASIDE_BYTES
        step: Step | None = self
        while sought and step is not None:
            kernel = step.kernel
            if kernel is not None and not sought.isdisjoint(step.outs):
                room -= sum(map(size_in_bytes, step.out_specs))
                exact = kernel.name in _NOT_ROUNDED or all(
                    [spec.dtype.is_integer or spec.dtype.is_bool for spec in step.out_specs]
                )
                if not exact or room < 0 or len(steps) == _ASIDE_STEPS or kernel.parts or kernel.interpret is not None:
                    return ()
                steps.append(step)
                sought.difference_update(step.outs)
                sought.update(step.ins)
            sought.difference_update([s for s, _ in step.entering])
            step = step.parent
        return tuple(reversed(steps))

    def path(self, start: int = 0) -> list[Step]:
        """The steps after depth `start` up to this one."""
        steps = []
        step: Step | None = self
        while step is not None and step.depth > start:
            steps.append(step)
            step = step.parent
        steps.reverse()
        return steps


def size_in_bytes(spec: Spec) -> int:
    return spec.size * spec.dtype.size


class _Trie:
    """All traces seen, as paths from `root`. Following a path needs no lock."""

    def __init__(self) -> None:
        self.root = Step(None, None, (), ())
        self.size = 0
        self.lock = threading.Lock()
        self._gone: deque[Owner] = deque()

    def grow(self, step: Step) -> Step:
        """Add a step below its parent, or find the one that another thread added."""
        parent, edge = step.parent, step.edge
        assert parent is not None and step.kernel is not None
        owner = step.kernel.owner
        with self.lock:
            found = parent.following(edge)
            if found is not None:
                return found
            if owner is not None:
                if owner.gone:
                    return step  # it leads nowhere that anybody can come again
                owner.places.setdefault(parent, set()).add(edge)
            if parent.first is None:
                parent.first = step
            else:
                parent.others = {**(parent.others or {}), edge: step}
            self.size += 1
            if self.size >= TRIE_LIMIT:
                self._prune()
        self._forget_gone()
        return step

    def forget(self, owner: Owner) -> None:
        """Forget all paths through kernels of a function that is gone. May be called at any time, also while one is added."""
        owner.gone = True
        self._gone.append(owner)
        self._forget_gone()

    def _forget_gone(self) -> None:
        while self._gone and self._forget_those():  # who has the lock comes here next
            pass

    def _forget_those(self) -> bool:
        """Forget the paths of all functions known to be gone; False if another thread has the lock."""
        taken: list[bool] = []
        try:
            taken.extend(map(self.lock.acquire, (False,)))  # as in `while_locked`: no interrupt leaves it held
            while taken[0] and self._gone:
                places = self._gone.popleft().places
                for parent, edges in list(places.items()):
                    left = parent.children()
                    for edge in edges & left.keys():
                        self._cut(left.pop(edge))
                    parent.without(left)
                places.clear()
        finally:
            if taken and taken[0]:
                self.lock.release()
        return taken[0]

    def _cut(self, step: Step) -> None:
        """Forget the programs of a step and of those after it."""
        steps = [step]
        while steps:
            step = steps.pop()
            self.size -= 1
            if step.programs is not None:
                for program in step.programs.known():
                    registry.unregister(program)
            steps += step.children().values()

    def _prune(self) -> None:
        """Keep the paths of hot programs. A trace under way elsewhere keeps its own branch."""
        kept: set[Step] = set()
        for program in registry.registered():
            step: Step | None = program.end
            while step is not None and step not in kept:
                kept.add(step)
                step = step.parent
        for step in (self.root, *kept):
            step.without({edge: child for edge, child in step.children().items() if child in kept})
        self.size = len(kept)


trie = _Trie()
