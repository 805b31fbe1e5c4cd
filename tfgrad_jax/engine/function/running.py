"""How a traced function runs: as one compiled program where it can, and the variables that it assigns change when all went well."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from tfgrad_jax.engine import hooks
from tfgrad_jax.engine.control import ended, interpret
from tfgrad_jax.engine.control.running import Running
from tfgrad_jax.engine.control.stretches import in_stretches, on_devices_alone
from tfgrad_jax.engine.function.by_values import ByValues
from tfgrad_jax.engine.graph.graph import NeedsValue, Node
from tfgrad_jax.engine.graph.lifted import Lifted
from tfgrad_jax.engine.graph.segments import ends, needs_host, places
from tfgrad_jax.engine.kernels.executables import FEW, budget
from tfgrad_jax.engine.kernels.kernel import Kernel, compiled_only
from tfgrad_jax.engine.messages.errors import OutOfRangeError
from tfgrad_jax.engine.messages.explain import raise_explained
from tfgrad_jax.engine.run import effects
from tfgrad_jax.engine.run.execute import alias, execute
from tfgrad_jax.engine.run.interrupts import call_uninterrupted, held_back
from tfgrad_jax.engine.state.box import Box, Replacing
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values.pieces import in_pieces
from tfgrad_jax.engine.values.tensor import EagerTensor, Tensor

_EARLY = 2
"""A function is made to be called often: its first traces are compiled from their first calls on, each for the types of that call.

One that is traced anew again and again, for sizes that change, may never call a trace as often as compiling would pay; nor does the
last batch of an epoch, which has a size of its own."""


class Runner(Running):
    """Runs a traced function on tensors.

    Args:
      label: what errors call the function.
      lifted: the graph that was traced.
      jit_compile: whether its calls wait for the compiler, and values are not checked.
      earlier: how many traces the function has already.
    """

    part: Lifted

    def __init__(self, label: str, lifted: Lifted, jit_compile: bool, earlier: int) -> None:
        super().__init__(label, lifted, not jit_compile, earlier >= FEW)
        self.early = lifted.early = earlier < _EARLY
        self.waits = jit_compile
        self._count = len(lifted.results)
        self._donating: dict[bool, Kernel] = {}
        self._overwritten: tuple[int, ...] | None = None
        self._places: dict[int, int] = {}
        self._by_values: ByValues | None = None
        self._takes_values = False
        hosted = needs_host(lifted)
        self._in_stretches = hosted or len(places(lifted)) > 1
        self._ends = _Ends.of(label, lifted, earlier) if hosted and not jit_compile else None

    @property
    def outermost(self) -> Runner | _Ends:
        """What is to be called in place of it: what runs the host operations at its ends, if it has any."""
        return self if self._ends is None or context.graph is not None else self._ends

    def call(self, inputs: tuple[Tensor, ...], outside: list[Tensor], boxes: Sequence[Box]) -> list[Tensor]:
        """The results; the boxes get their new values.

        Args:
          inputs: the arguments, and what the graph takes from outside.
          outside: the same tensors as at the end of `inputs`, which holds no other references to them.
          boxes: the state that it writes.

        Raises:
          Exception: what a check or an effect of the function found; also what the compiler cannot do.
        """
        if context.graph is not None:
            results = list(self._recorded(inputs))
        else:
            compiled = not self._takes_values and not self._in_stretches
            if boxes and not context.recorders:
                made = (self._step if compiled else self._step_on_devices)(inputs, outside, boxes)
                if made is not None:
                    return made
            if self.part.stateful:
                with effects.program():
                    results = self._run_or_end(inputs, boxes)
            else:
                results = self._run_or_end(inputs, boxes)
        return self._replaced(results, boxes)

    @property
    def is_plain(self) -> bool:
        """Whether it is one program, whose values decide no shapes, with no effects but its assignments."""
        decided = any(node.kernel.reads_values for node in self.part.nodes)
        return not self._in_stretches and not self.part.stateful and not decided

    def noted(self, inputs: tuple[Tensor, ...], boxes: Sequence[Box]) -> list[Tensor]:
        """As `call`, as one operation in the mode of this thread."""
        kernel, recording = self.to_run(inputs)
        results = list(execute(kernel, inputs))
        return self._replaced(self.judged(results) if recording else results, boxes)

    def _replaced(self, results: list[Tensor], boxes: Sequence[Box]) -> list[Tensor]:
        """Give the boxes their new values, which stand after the other results; return those."""
        count = len(self.part.outputs)
        for box, value in zip(boxes, results[count:], strict=True):
            # Through state no gradient flows: an alias, which tapes do not connect, if the kernel has a gradient.
            box.replace(alias(value, box.id) if count else value)
        return results[:count]

    def _assigned(self, results: list[Tensor], boxes: Sequence[Box]) -> list[Tensor]:
        """Give the boxes their new values, all or (after an interrupt) none; return the other results."""
        count = len(self.part.outputs)
        replacing = Replacing(boxes, count, {})
        values = [t.array for t in results]
        try:
            replacing.take()
            replacing.made.append(values)
        finally:
            replacing.settle()
        return results[:count]

    def new_kernel(self) -> Kernel:
        lifted = self.part
        kernel = super().new_kernel()
        kernel.parts, kernel.called = (lifted,), lifted
        kernel.whole = not self._in_stretches
        # Not methods of this object: programs of fused mode keep the kernel longer than anybody keeps the function.
        kernel.interpret = functools.partial(in_stretches, lifted)
        if kernel.whole and self.waits:
            kernel.interpreter = compiled_only
        elif kernel.whole:
            one_by_one = hooks.interpreted_graph(functools.partial(interpret.run, lifted))
            kernel.interpreter = lambda types: one_by_one
        kernel.typed = [t.spec for t in lifted.results]
        return kernel

    # -- running ------------------------------------------------------------------------------------------------------

    def _recorded(self, inputs: tuple[Tensor, ...]) -> Any:
        """Inside another graph: one operation."""
        try:
            return execute(self.kernel(), inputs)
        except NeedsValue:
            self._takes_values = True
            self._plain = self.new_kernel()
            return execute(self._plain, inputs)

    def run(self, inputs: tuple[Tensor, ...]) -> list[Tensor]:
        if not self._takes_values and not self._in_stretches:
            try:
                return self.compiled(inputs)
            except NeedsValue:
                self._takes_values = True
        while not self._in_stretches and not in_pieces(inputs):
            found = self._for_values(inputs)
            if found is not None:
                return found
        return in_stretches(self.part, inputs)

    def _for_values(self, inputs: tuple[Tensor, ...]) -> list[Tensor] | None:
        """The results, where shapes depend on values; None if more is to be known of them."""
        whole, recording = self.to_run(inputs)
        if self._by_values is None:
            self._by_values = ByValues(self.part, self.owner, self.waits)
        case = self._by_values.case(inputs, whole, recording)
        if case is None:
            self._in_stretches = True
            return None
        if case.kernel is None:
            return case.without_program(lambda: in_stretches(self.part, inputs))
        results = self._by_values.run(case, inputs)
        if not recording or results is None:
            return results
        try:
            return self.judged(results)
        except NeedsValue:  # of other values than those that a program can be made for
            self._in_stretches = True
            return None

    def _run_or_end(self, inputs: tuple[Tensor, ...], boxes: Sequence[Box]) -> list[Tensor]:
        """`run`, and what a function still assigns where an iterator in it has ended."""
        try:
            return self.run(inputs)
        except OutOfRangeError as error:
            ended.assign(error, self.part, boxes)
            raise

    def _step(self, inputs: tuple[Tensor, ...], outside: list[Tensor], boxes: Sequence[Box]) -> list[Tensor] | None:
        """Run a function that assigns variables, at once; the memory of the old values is used for the new ones.

        Returns:
          The results, without the values of the variables; None if the function cannot be compiled for all values.
        """
        if context.pending is not None:
            context.pending.flush("a tf.function that assigns variables")
        kernel, recording = self.to_run(inputs)
        count = len(self.part.outputs)
        if self._overwritten is None:
            read = self.part.read
            first = len(inputs) - len(read)
            # An effect may fail when the memory is gone.
            written = [] if kernel.stateful else [box.id for box in self.part.boxes]
            self._places = {
                i: count + written.index(box.id)
                for i, box in enumerate(read, first)
                if box.id in written and inputs[i].spec.shape and None not in box.declared.shape
            }
            self._overwritten = tuple(self._places)
        kernels = [kernel] if not self._overwritten else [self._donating_kernel(kernel, recording), kernel]
        try:
            way = self.way(kernels[0], inputs)
        except NeedsValue:  # as the compiler's thread has found
            self._takes_values = True
            return None
        if way is not None and way.call is None:
            return self._assigned(self.interpreted(inputs, way), boxes)
        arrays = [t.held if t.held is not None else t.array for t in inputs]
        replacing = Replacing(boxes, count, self._places)
        try:
            before = replacing.take()
            if len(kernels) == 2 and not all(
                [_only_ours(inputs, outside, arrays, before, i, o - count) for i, o in self._places.items()]
            ):
                # Somebody holds a value that would be overwritten.
                other = self.way(kernel, inputs, waits=False)
                if other is None or other.call is not None:
                    way = other
                    kernels.pop(0)
                else:
                    arrays = [jnp.copy(a) if i in self._places else a for i, a in enumerate(arrays)]
            kernel = kernels[0]
            call = kernel.tiers.executable_now(arrays) if way is None else way.executable(arrays)
            call = call or kernel.compiled_for(arrays)
            if kernel.stateful:
                with effects.program():
                    call_uninterrupted(call, arrays, replacing.made)
            else:
                call_uninterrupted(call, arrays, replacing.made)
            kernel.used = budget.now
            if recording and self.checks:
                self.checks.raise_from(replacing.made[0][self._count])
        except NeedsValue:
            self._takes_values = replacing.failed = True
            return None
        except Exception as error:
            replacing.failed = True
            raise_explained(error, kernel, inputs)
        finally:
            replacing.settle()
        return [EagerTensor(value) for value in replacing.made[0][:count]]

    def _step_on_devices(
        self, inputs: tuple[Tensor, ...], outside: list[Tensor], boxes: Sequence[Box]
    ) -> list[Tensor] | None:
        """As `_step`, a program after the other, if all are on devices: the last that needs an old value overwrites it."""
        if context.followers or not self._in_stretches or not on_devices_alone(self.part):
            return None
        if context.pending is not None:
            context.pending.flush("a tf.function that assigns variables")
        count = len(self.part.outputs)
        read = self.part.read
        position = {box.id: k for k, box in enumerate(self.part.boxes)}
        overwritten = {i: position[box.id] for i, box in enumerate(read, len(inputs) - len(read)) if box.id in position}
        arrays = [t.held if t.held is not None else t.array for t in inputs]
        replacing = Replacing(boxes, count, {})
        with held_back():
            before = replacing.take()
            try:
                ours = all([_only_ours(inputs, outside, arrays, before, i, k) for i, k in overwritten.items()])
                del arrays
                replacing.made.append([t.array for t in in_stretches(self.part, inputs, state=ours)])
            finally:
                replacing.settle()
        return [EagerTensor(value) for value in replacing.made[0][:count]]

    def _donating_kernel(self, kernel: Kernel, recording: bool) -> Kernel:
        """A kernel that writes the new values of variables over the old ones."""
        found = self._donating.get(recording)
        if found is None:
            run = _keeping(kernel.fn, self._places) if recording else kernel.fn
            found = self._donating[recording] = kernel.variant(run, donate=self._overwritten or ())
        return found


class _Ends:
    """A function whose host operations all come before its program or after it.

    Args:
      label: what errors call it.
      lifted: the graph; `inner` what is left of it without those operations.
      first, last: those operations.
      earlier: how many traces the function has already.
    """

    def __init__(
        self, label: str, lifted: Lifted, inner: Lifted, first: Sequence[Node], last: Sequence[Node], earlier: int
    ) -> None:
        self._lifted, self._first, self._last = lifted, first, last
        self._entering, self._specs, self._nodes = lifted.entering, lifted.specs, lifted.nodes
        self._to_inner = inner.entering
        self._given = [t.slot for t in inner.outputs]
        self._outputs = [t.slot for t in lifted.outputs]
        used = {*(s for node in (*first, *last) for s in node.ins), *self._outputs}
        self._constants = {s: interpret.constant(v) for s, v in lifted.graph.constants.items() if s in used}
        kept = {*self._outputs, *(s for node in last for s in node.ins)}
        self._boxes = [s for s in lifted.entering[len(lifted.entering) - len(lifted.read) :] if s not in kept]
        self.runner = Runner(label, inner, False, earlier)

    @classmethod
    def of(cls, label: str, lifted: Lifted, earlier: int) -> _Ends | None:
        """The ends of a graph; None if it has host operations in between, or nothing but these."""
        found = ends(lifted)
        if found is None or not 0 < sum(map(len, found)) < len(lifted.nodes):
            return None
        inner = lifted.between(*found)
        return None if needs_host(inner) else cls(label, lifted, inner, *found, earlier)

    def call(self, inputs: tuple[Tensor, ...], outside: list[Tensor], boxes: Sequence[Box]) -> list[Tensor]:
        """As `Runner.call`."""
        values = dict(self._constants)
        values.update(zip(self._entering, inputs, strict=True))
        on_host = interpret.Interpreter(self._nodes, values, self._specs)
        try:
            for node in self._first:
                on_host.run(node)
        except OutOfRangeError as error:
            ended.leave(error, self._lifted, values, node)
            ended.assign(error, self._lifted, boxes)
            raise
        inputs = tuple([values[s] for s in self._to_inner])  # in the place of what came, which now nobody holds
        if self._boxes:
            for s in self._boxes:  # which nobody but the call may hold
                del values[s]
        values.update(zip(self._given, self.runner.call(inputs, outside, boxes), strict=True))
        for node in self._last:
            on_host.run(node)
        return [values[s] for s in self._outputs]


def _keeping(run: Callable[..., tuple[Any, ...]], places: dict[int, int]) -> Callable[..., tuple[Any, ...]]:
    """A function with a record, whose results at `places` are the inputs from which they come if a check fails."""

    def kept(*arrays: Any) -> tuple[Any, ...]:
        out = list(run(*arrays))
        failed = out[-1][0] != 0
        for i, o in places.items():
            if out[o].shape == arrays[i].shape:
                out[o] = jnp.where(failed, arrays[i], out[o])
        return tuple(out)

    return kept


def _references(
    inputs: tuple[Any, ...], outside: list[Any], arrays: list[Any], before: list[Any], i: int, k: int
) -> tuple[int, int]:
    """How many references there are to a value that was taken out of its variable: to its tensor, and to the array."""
    tensor = inputs[i]
    value = tensor.held
    return sys.getrefcount(tensor), sys.getrefcount(value)


def _only_ours(
    inputs: tuple[Any, ...], outside: list[Any], arrays: list[Any], before: list[Any], i: int, k: int
) -> bool:
    """Whether nobody but the call under way holds the value that was taken out of a variable."""
    if type(arrays[i]) is np.ndarray:
        return True  # no program writes to it: JAX has a copy of its own made
    if before[k] is not inputs[i]:
        return False
    return _references(inputs, outside, arrays, before, i, k) == _HELD_BY_CALL


def _baseline() -> tuple[int, int]:
    """The references of a value that only a call holds, counted the same way, whatever the interpreter counts."""
    outside = [Tensor(object())]
    taken = [(None, outside[0])]  # as `Replacing` holds it
    assert taken
    return _references((*outside,), outside, [outside[0].held], [outside[0]], 0, 0)


_HELD_BY_CALL = _baseline()
