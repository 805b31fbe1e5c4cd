"""Graphs that run in stretches: compiled programs with host operations between them, or on several devices.

Where nothing but programs on devices is left, they hand each other what they make without copies: what no later one needs is
written over, and devices of a CPU, which share its memory, read each other's values where they lie.
"""

from __future__ import annotations

import contextlib
import itertools
import weakref
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from tfgrad_jax.engine import hooks
from tfgrad_jax.engine.control import ended, interpret
from tfgrad_jax.engine.control.running import Running
from tfgrad_jax.engine.fused.note import fused
from tfgrad_jax.engine.fused.step import trie
from tfgrad_jax.engine.graph.graph import NeedsValue, Node
from tfgrad_jax.engine.graph.lifted import Lifted, Part
from tfgrad_jax.engine.graph.segments import cut, places
from tfgrad_jax.engine.kernels.executables import budget
from tfgrad_jax.engine.kernels.kernel import Kernel, compiled_only
from tfgrad_jax.engine.kernels.lowering import called
from tfgrad_jax.engine.messages.errors import OutOfRangeError
from tfgrad_jax.engine.messages.explain import raise_explained
from tfgrad_jax.engine.run.execute import immediate
from tfgrad_jax.engine.threads.context import context, switched
from tfgrad_jax.engine.values.shapes import UNRANKED
from tfgrad_jax.engine.values.tensor import EagerTensor, Tensor

LONG = 64
"""Stretches of so many operations are compiled as soon as the whole is; shorter ones, which are soon traced, have to earn it."""


class _Placed(Running):
    """A stretch on a device of its own, for which it is compiled when it first runs: so devices work side by side.

    Args:
      label, part: as of `Running`.
      device: the device.

    Attributes:
      device: the device.
      far: positions of the operands that another device made.
      spare: positions of operands whose memory results may take: those that it needs last.
      spare_state: the same, where the old values of variables are nobody else's.
    """

    def __init__(self, label: str, part: Part, device: Any) -> None:
        super().__init__(label, part, True)
        self.waits = True
        self.device = device
        self.far: tuple[int, ...] = ()
        self.spare: tuple[int, ...] = ()
        self.spare_state: tuple[int, ...] = ()
        self._overwriting: dict[tuple[bool, bool], Kernel] = {}

    def run(self, inputs: tuple[Tensor, ...]) -> list[Tensor]:
        with jax.default_device(self.device):  # arrays that lie elsewhere go there, as they are bound to no device
            return super().run(inputs)

    def run_over(self, inputs: tuple[Tensor, ...], state: bool) -> list[Tensor]:
        """The results, which take the memory of operands that nobody needs any more.

        Args:
          inputs: the operands.
          state: whether the old values of variables are nobody else's.

        Raises:
          Exception: as of `run`.
        """
        if self.by_operation or context.recorders or context.followers:
            return self.run(inputs)
        kernel, recording = self.to_run(inputs)
        arrays = [t.held if t.held is not None else t.array for t in inputs]
        if self.device.platform == "cpu":
            for i in self.far:
                arrays[i] = np.asarray(arrays[i])  # a view: all devices of a CPU have one memory
        if self.spare_state if state else self.spare:
            kernel = self._overwriter(kernel, recording, state)
        kernel.used = budget.now
        try:
            with jax.default_device(self.device):
                results: list[Tensor] = [EagerTensor(value) for value in called(kernel.compiled_for(arrays), arrays)]
        except NeedsValue:
            self.by_operation = True
            return self.run(inputs)
        except Exception as error:
            raise_explained(error, kernel, inputs)
        return self.judged(results) if recording else results

    def _overwriter(self, kernel: Kernel, recording: bool, state: bool) -> Kernel:
        """A kernel whose results take the memory of operands."""
        found = self._overwriting.get((recording, state))
        if found is None:
            donate = self.spare_state if state else self.spare
            found = self._overwriting[recording, state] = kernel.variant(kernel.fn, differentiable=0, donate=donate)
        return found

    def new_kernel(self) -> Kernel:
        kernel = super().new_kernel()
        kernel.interpreter = compiled_only
        return kernel


class _Schedule:
    """In what order the stretches and host operations of a graph run.

    Attributes:
      steps: they.
      over: the slots that no step needs after each one: their memory is free for the next.
      apart: whether all of it are programs on devices, or exchanges between these.
    """

    def __init__(self, lifted: Lifted, cautious: bool, many_sizes: bool) -> None:
        self.cautious = cautious
        label = f"{lifted.graph.name}_stretch"
        home = next(iter(places(lifted)), None)
        self.steps: list[Running | Node] = []
        for piece in _joined(cut(lifted, cautious, many_sizes)):
            if isinstance(piece, Node):
                self.steps.append(piece)
            elif home is None:
                self.steps.append(Running(label, piece, True))
            else:
                self.steps.append(_Placed(label, piece, piece.nodes[-1].place or home))
        for step in self.steps:
            if isinstance(step, Running):
                step.early = lifted.early and step.part.size >= LONG
                weakref.finalize(step, trie.forget, step.owner).atexit = False
        used = {t.slot for t in lifted.results}
        self.over: list[list[int]] = []
        for step in reversed(self.steps):
            last = set(_entering(step)) - used
            used |= last
            self.over.append(list(last))
        self.over.reverse()
        self.constants = {s: v for s, v in lifted.graph.constants.items() if s in used}
        self.apart = all(isinstance(step, _Placed) or _exchanges(step) for step in self.steps)
        if self.apart:
            self._find_spare(lifted)

    @property
    def fails(self) -> bool:
        """Whether a stretch could not be compiled, since it holds something whose shapes depend on values."""
        return any(isinstance(s, Running) and s.by_operation for s in self.steps)

    def _find_spare(self, lifted: Lifted) -> None:
        """Whose memory results may take: of one result that of one operand of the same type, which lies there already."""
        written = {box.id for box in lifted.boxes}
        count = len(lifted.entering) - len(lifted.read)
        state = {s for s, box in zip(lifted.entering[count:], lifted.read, strict=True) if box.id in written}
        made_on: dict[int, Any] = {}
        # Where a check may fail later, all variables are to keep their values.
        sure = [not isinstance(step, _Placed) or not step.part.checked for step in self.steps]
        for k, (step, over) in enumerate(zip(self.steps, self.over, strict=True)):
            if isinstance(step, Node):
                made_on.update(zip(step.outs, itertools.cycle(step.kernel.across or ()), strict=False))
                continue
            assert isinstance(step, _Placed)
            entering = step.part.entering
            step.far = tuple([i for i, s in enumerate(entering) if made_on.get(s, step.device) is not step.device])
            free = [i for i, s in enumerate(entering) if s in over and made_on.get(s) is step.device]
            old = [i for i, s in enumerate(entering) if s in over and s in state] if all(sure[k:]) else []
            step.spare, step.spare_state = _matching(step.part, free), _matching(step.part, [*old, *free])
            made_on.update(dict.fromkeys([t.slot for t in step.part.results], step.device))


def _joined(pieces: list[Part | Node]) -> list[Part | Node]:
    """The same with meetings that come one after the other, as of gradients and a loss, as one."""
    found: list[Part | Node] = []
    for piece in pieces:
        last = found[-1] if found else None
        if isinstance(piece, Node) and isinstance(last, Node) and piece.kernel.joins and last.kernel.joins:
            first, second = last.kernel, piece.kernel
            if first.interpret == second.interpret and not set(last.outs).intersection(piece.ins):
                kernel = Kernel(
                    first.name, first.fn, differentiable=0, stateful=first.stateful, interpret=first.interpret
                )
                kernel.whole, kernel.across, kernel.joins = False, first.across, True
                kernel.typed = [*(first.typed or ()), *(second.typed or ())]
                found[-1] = Node(kernel, (*last.ins, *piece.ins), (*last.outs, *piece.outs), last.name, last.where)
                continue
        found.append(piece)
    return found


def _matching(part: Part, free: Sequence[int]) -> tuple[int, ...]:
    """Those of the operands at `free` whose memory some result fits, each in one."""
    wanted = [part.specs[t.slot] for t in part.results]
    found = []
    for i in free:
        spec = part.specs[part.entering[i]]
        if spec in wanted and spec.shape and spec.shape is not UNRANKED and None not in spec.shape:
            wanted.remove(spec)
            found.append(i)
    return tuple(sorted(found))


def _exchanges(step: Running | Node) -> bool:
    return isinstance(step, Node) and step.kernel.across is not None


def _entering(step: Running | Node) -> Sequence[int]:
    return step.part.entering if isinstance(step, Running) else step.ins


def _schedule(lifted: Lifted, many_sizes: bool) -> _Schedule:
    schedule = lifted.schedule
    if schedule is None or (schedule.fails and not schedule.cautious):
        schedule = lifted.schedule = _Schedule(lifted, schedule is not None, many_sizes)
    return schedule


def on_devices_alone(lifted: Lifted) -> bool:
    """Whether a graph consists of nothing but programs on devices, when it runs in stretches."""
    return _schedule(lifted, False).apart


@hooks.run_on_host.fill
def in_stretches(
    lifted: Lifted, inputs: Sequence[Tensor], many_sizes: bool = False, state: bool = False
) -> list[Tensor]:
    """The results of a graph that holds host operations; every open tape sees the stretches and operations.

    Args:
      lifted: the graph.
      inputs: its arguments, and what it takes from outside.
      many_sizes: whether it runs with other sizes each time, see `cut`.
      state: whether nobody else needs the values of boxes that it writes.
    """
    schedule = _schedule(lifted, many_sizes)
    values = {s: interpret.constant(v) for s, v in schedule.constants.items()}
    values.update(zip(lifted.entering, inputs, strict=True))
    one_by_one = None if schedule.apart else interpret.Interpreter(lifted.nodes, values, lifted.specs)
    # To note the steps would gain nothing: the host needs their values at once.
    noted = context.executor is fused and not context.recorders
    with switched(None, immediate) if noted else contextlib.nullcontext():
        for step, over in zip(schedule.steps, schedule.over, strict=True):
            if isinstance(step, Running):
                given = tuple([values[s] for s in step.part.entering])
                out = step.run_over(given, state) if isinstance(step, _Placed) else step.run(given)
                values.update(zip([t.slot for t in step.part.results], out, strict=True))
                del out, given
            elif schedule.apart:
                exchanged = step.kernel.interpret([values[s] for s in step.ins])  # type: ignore[misc]
                values.update(zip(step.outs, exchanged, strict=True))
                del exchanged
            else:
                try:
                    one_by_one.run(step)  # type: ignore[union-attr]
                except OutOfRangeError as error:
                    ended.leave(error, lifted, dict(zip(lifted.entering, inputs, strict=True)) | values, step)
                    raise
            for slot in over:
                del values[slot]
    return [values[t.slot] for t in lifted.results]
