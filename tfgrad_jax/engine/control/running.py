"""How graphs run on tensors as one compiled program, or operation by operation; in stretches: `stretches.py`."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

from tfgrad_jax.engine.cache import Cache
from tfgrad_jax.engine.control import interpret
from tfgrad_jax.engine.control.differentiated import Differentiated, Gradient, differentiated, seen
from tfgrad_jax.engine.control.lookups import Beforehand, lookups
from tfgrad_jax.engine.fused.note import fused
from tfgrad_jax.engine.graph.graph import Node
from tfgrad_jax.engine.graph.guards import Guards, guards_of
from tfgrad_jax.engine.graph.lifted import Part
from tfgrad_jax.engine.kernels.clock import Watch
from tfgrad_jax.engine.kernels.executables import FEW
from tfgrad_jax.engine.kernels.kernel import Kernel, Owner, compiled_only
from tfgrad_jax.engine.kernels.policy import policy
from tfgrad_jax.engine.kernels.residuals import with_residuals
from tfgrad_jax.engine.kernels.tiers import Way
from tfgrad_jax.engine.run import checks
from tfgrad_jax.engine.run.execute import AT_ONCE, alias, execute, immediate
from tfgrad_jax.engine.tape.tape import GradientTape
from tfgrad_jax.engine.threads.context import context, new_id, switched
from tfgrad_jax.engine.threads.whole import current, parts_of
from tfgrad_jax.engine.values.pieces import apart, in_pieces
from tfgrad_jax.engine.values.shapes import UNRANKED
from tfgrad_jax.engine.values.symbolic import NeedsValue
from tfgrad_jax.engine.values.tensor import Tensor

_PREPARING = 2
"""The first interpreted call of a graph makes the programs of its operations, the second one plans them as one."""


def _is_part() -> bool:
    """Whether what runs now is part of a program that may still be compiled as a whole."""
    whole = current()
    return whole is not None and (whole.early or whole.program.is_coming)


class Running:
    """A graph, or a stretch of one, as a compiled program: kernels of several kinds, each made when it is first needed.

    Args:
      label: what errors call it.
      part: the graph.
      checked: whether values are checked when it runs.
      many: whether there are many like it.

    Attributes:
      owner: stands for it, where its kernels outlive it.
      checks: those that are made in the program.
      by_operation: whether it cannot be compiled, and its operations run one by one.
      early: whether it is compiled for the first types as soon as it is met with them; for others when it has taken long.
      waits: whether its first call waits for the compiler; otherwise operations run one by one until it is compiled.
    """

    def __init__(self, label: str, part: Part, checked: bool, many: bool = False) -> None:
        self.label = label
        self.part = part
        self.by_operation = False
        self.early = False
        self.waits = False
        self._checked = checked and part.checked
        self.checks = checks.Program()
        self._mask = sum(1 << i for i, connected in enumerate(part.connected()) if connected)
        self._many = many
        self._guards: Guards | None = None
        self._guarded = False  # whether that has been looked for
        self.owner = Owner()
        self._plain: Kernel | None = None
        self._recording: Kernel | None = None
        self._with_residuals: Cache[Any, Kernel] = Cache(128)
        self._differentiations: Cache[Any, Any] = Cache(8)
        self._lookups: dict[int, list[Node]] | None = None
        self._beforehand: dict[tuple[int, ...], tuple[Beforehand, Running]] = {}

    def run(self, inputs: tuple[Tensor, ...]) -> list[Tensor]:
        """The results for tensors, of which every open tape sees that they were made.

        Raises:
          Exception: what a check found, or the compiler cannot do.
        """
        if not self.by_operation:
            try:
                return self.compiled(inputs)
            except NeedsValue:
                self.by_operation = True
        return interpret.run(self.part, inputs)

    def compiled(self, inputs: tuple[Tensor, ...]) -> list[Tensor]:
        """The results, from the compiled program.

        Raises:
          NeedsValue: if a shape depends on values, or an operand is in pieces.
        """
        if in_pieces(inputs):
            raise apart(self.label)
        taped = context.recorders
        found = self._looked_up(inputs) if taped else None
        if found is not None:
            return found
        kernel, recording = self.to_run(inputs)
        count = len(self.part.results) + recording
        if taped:
            kernel = self._differentiated(kernel, inputs, count)
        way = self.way(kernel, inputs)
        if way is not None and way.call is None:
            return self.interpreted(inputs, way)
        # A program already: alone it would gain nothing by being noted, and be compiled again as a part of another one.
        pending = context.pending
        alone = context.executor is fused and not taped and (pending is None or not pending.cursor.depth)
        results = list(immediate(kernel, inputs) if alone else execute(kernel, inputs))[:count]  # residuals may follow
        return self.judged(results) if recording else results

    def way(self, kernel: Kernel, inputs: Sequence[Tensor], waits: bool = True) -> Way | None:
        """How a kernel runs for these operands, compiled for them or not yet; None if it has to be, whatever that takes.

        Args:
          kernel: the kernel.
          inputs: the operands.
          waits: whether to wait for the compiler where interpretation takes long.

        Raises:
          NeedsValue: if it cannot be, since a shape depends on values.
        """
        if context.recorders and len([r for r in context.recorders if isinstance(r, GradientTape)]) > 1:
            return None  # what a gradient of a gradient is connected to, its compiled form tells
        eagerly = context.executor in AT_ONCE or context.executor is fused
        if self.waits or policy.everything_compiled or not eagerly:
            return None
        way = kernel.tiers.way_for(tuple([t.known_spec or t.spec for t in inputs]))
        if policy.everything_compiled:  # as it has found out now, perhaps
            return None
        if way.call is not None:
            return way
        if isinstance(way.error, NeedsValue):
            raise way.error
        if _is_part():  # compiled apart as well, it would be compiled twice
            return way
        if self.early and not kernel.tiers.wanted:
            way.want()
        if waits:
            way.expect(lambda: self.part.work(*self._open_sizes(inputs)))
        return way

    def _open_sizes(self, inputs: Sequence[Tensor]) -> tuple[int, int]:
        """What stands for sizes that the graph leaves open: the largest and the smallest of the operands'."""
        sizes: list[int] = []
        for slot, t in zip(self.part.entering, inputs, strict=True):
            claimed, shape = self.part.specs[slot].shape, t.spec.shape
            # An array to which nothing was written when the graph was recorded had no shape of elements.
            if claimed is not UNRANKED and len(claimed) == len(shape):
                sizes += [n for m, n in zip(claimed, shape, strict=True) if m is None]
        return max(sizes, default=1), min(sizes, default=1)

    def interpreted(self, inputs: tuple[Tensor, ...], way: Way) -> list[Tensor]:
        """The results, operation by operation, while it is not compiled; to open tapes it is one operation all the same."""
        if _is_part():
            return self._now(inputs)
        watch = Watch()
        with parts_of(way, early=True) if way.is_open else contextlib.nullcontext():
            results = self._now(inputs)
        way.note(watch.seconds, _PREPARING)
        return results

    def _now(self, inputs: tuple[Tensor, ...]) -> list[Tensor]:
        with switched(None, immediate, context.recorders):
            return self._one_by_one(inputs)

    def _one_by_one(self, inputs: tuple[Tensor, ...]) -> list[Tensor]:
        wrt = self._watched(inputs)
        inner, gradient = self._results_and_gradient(inputs, wrt) if wrt else (interpret.run(self.part, inputs), None)
        if in_pieces(inner):
            raise apart(self.label)
        outputs = [alias(t, new_id()) for t in inner]
        for follower in context.followers:  # it sees the operations inside
            for before, after in zip(inner, outputs, strict=True):
                follower.renamed(before, after)
            follower.called(self.kernel(), inputs, outputs)
        for recorder in context.recorders:
            if recorder.follows:
                continue
            if gradient is not None:
                recorder.saw_python([inputs[i] for i in wrt], outputs, gradient)
            else:
                recorder.saw(self.kernel(), inputs, outputs)
        return outputs

    def _results_and_gradient(self, inputs: tuple[Tensor, ...], wrt: tuple[int, ...]) -> tuple[list[Tensor], Gradient]:
        """The results, operation by operation, and the gradient by the operands `wrt`."""
        if not context.followers:
            key = wrt, checks.enabled(), tuple([t.spec for t in inputs])
            known = self._differentiations[key]
            if known is None:
                self._differentiations[key] = "met once"
            elif known == "met once":
                known = self._differentiations[key] = differentiated(self.part, inputs, wrt)
            if isinstance(known, Differentiated):
                try:
                    return known.run(inputs)
                except Exception:
                    self._differentiations[key] = False  # it is raised again, by the operation that failed
        return seen(self.part, inputs, wrt)

    def kernel(self) -> Kernel:
        """The whole of it, also for graphs around it."""
        if self._plain is None:
            self._plain = self.new_kernel()
        return self._plain

    def new_kernel(self) -> Kernel:
        """A kernel like `kernel`, made afresh."""
        part = self.part
        kernel = Kernel(
            self.label,
            part.checked_run,
            differentiable=self._mask,
            stateful=part.stateful,
            many=self._many,
            size=part.size,
        )
        kernel.checked = self._checked
        return self.owned(kernel)

    def owned(self, kernel: Kernel) -> Kernel:
        """The kernel, as one that goes with this."""
        kernel.owner = self.owner
        return kernel

    def to_run(self, inputs: Sequence[Tensor]) -> tuple[Kernel, bool]:
        """The kernel to be run now, and whether a record of its checks follows the results.

        Raises:
          Exception: what checks found that can be made before it runs.
        """
        plain = self.kernel()
        if not self._checked or not checks.enabled():
            return plain, False
        if not self._guarded:
            self._guards, self._guarded = guards_of(self.part), True
        if self._guards is not None:
            try:
                self._guards.look(inputs)
            except NeedsValue:
                self._guards = None
            else:
                return plain, False
        if self._recording is None:
            self._recording = plain.variant(checks.recording(plain.fn, self.checks))
            self._recording.interpreter = compiled_only
        return self._recording, True

    def judged(self, results: list[Tensor]) -> list[Tensor]:
        """The results without the record at their end; raises what that tells."""
        record = results.pop()
        if self.checks:
            self.checks.raise_from(record.array)
        return results

    def _looked_up(self, inputs: tuple[Tensor, ...]) -> list[Tensor] | None:
        """The results, where a tape watches tables of which nothing but rows is taken: it sees the lookups. Otherwise None."""
        if not any(isinstance(r, GradientTape) for r in context.recorders):
            return None
        if self._lookups is None:
            self._lookups = lookups(self.part)
        tables = tuple(
            [
                i
                for i in self._lookups
                if self._mask >> i & 1 and inputs[i].spec.dtype.trainable and may_be_watched(inputs[i])
            ]
        )
        if not tables:
            return None
        known = self._beforehand.get(tables)
        if known is None:
            before = Beforehand(self.part, [node for i in tables for node in self._lookups[i]])
            rest = Running(self.label, before.rest, self._checked, self._many)
            rest.owner = self.owner
            rest.waits = self.waits
            known = self._beforehand[tables] = before, rest
        before, rest = known
        if before.possible:
            try:
                return rest.compiled((*inputs, *before.rows(inputs)))
            except NeedsValue:
                before.possible = False
        return None

    def _differentiated(self, kernel: Kernel, inputs: tuple[Tensor, ...], count: int) -> Kernel:
        """The kernel to run: with residuals where a tape will want a gradient."""
        wrt = self._watched(inputs)
        if not wrt:
            return kernel
        key = (count, wrt, tuple([t.spec for t in inputs]))
        found = self._with_residuals[key]
        if found is None:
            made = with_residuals(kernel, count, wrt, len(self._with_residuals) >= FEW)
            found = self._with_residuals.keep(key, made)
        return found

    def _watched(self, inputs: tuple[Tensor, ...]) -> tuple[int, ...]:
        """The inputs of which a tape will want a gradient."""
        if not any(isinstance(r, GradientTape) for r in context.recorders):
            return ()
        mask = self._mask
        return tuple(
            [i for i, t in enumerate(inputs) if mask >> i & 1 and t.spec.dtype.trainable and may_be_watched(t)]
        )


def may_be_watched(tensor: Tensor) -> bool:
    """Whether a tape watches a tensor, as far as one knows: what is pending may depend on something watched."""
    if tensor.held is None:
        return True
    return any(isinstance(r, GradientTape) and r.is_watching(tensor) for r in context.recorders)
