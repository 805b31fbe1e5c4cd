"""How a traced function runs: as one compiled program where it can, and the variables that it assigns change when all went well."""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from tfgrad_jax.engine.cache import Cache
from tfgrad_jax.engine.control import interpret
from tfgrad_jax.engine.fused.note import fused
from tfgrad_jax.engine.graph.graph import NeedsValue, SymbolicTensor
from tfgrad_jax.engine.graph.lifted import Lifted
from tfgrad_jax.engine.kernels.executables import FEW, budget
from tfgrad_jax.engine.kernels.kernel import Kernel, Owner
from tfgrad_jax.engine.kernels.residuals import with_residuals
from tfgrad_jax.engine.run import checks, effects
from tfgrad_jax.engine.run.execute import alias, execute, explain, immediate
from tfgrad_jax.engine.run.interrupts import call_uninterrupted
from tfgrad_jax.engine.state.box import Box, Replacing
from tfgrad_jax.engine.tape.tape import GradientTape
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.symbolic import trials_of
from tfgrad_jax.engine.values.tensor import EagerTensor, Tensor

_NOTHING_ELSE = contextlib.nullcontext()


class Runner:
    """What runs a graph on tensors: kernels of several kinds, each made when it is first needed.

    Args:
      label: what errors call the function.
      lifted: the graph that was traced.
      checked: whether values are checked while it runs.
      many: whether the function has many traces.

    Attributes:
      owner: stands for the function, where its kernels outlive it.
    """

    def __init__(self, label: str, lifted: Lifted, checked: bool, many: bool) -> None:
        self._label = label
        self._lifted = lifted
        self._count = len(lifted.results)
        self._many = many
        self._checked = checked and lifted.checked
        self.owner = Owner()
        self._checks = checks.Program()
        self._plain: Kernel | None = None
        self._recording: Kernel | None = None
        self._donating: dict[bool, Kernel] = {}
        self._overwritten: tuple[int, ...] | None = None
        self._places: dict[int, int] = {}
        self._with_residuals: Cache[Any, Kernel] = Cache(128)
        self._by_values: Cache[Any, Kernel] = Cache(128)
        self._takes_values = False
        # XLA has no strings, and no part in what runs on the host.
        self._interpreted = any(t.spec.dtype is dtypes.string for t in lifted.graph.tensors) or any(
            n.kernel.host or not n.kernel.whole for n in lifted.graph.nodes
        )

    def run(self, inputs: tuple[Tensor, ...], outside: list[Tensor], boxes: Sequence[Box]) -> list[Tensor]:
        """The results; the boxes get their new values.

        Args:
          inputs: the arguments, and what the graph takes from outside.
          outside: the same tensors as at the end of `inputs`, which holds no other references to them.
          boxes: the state that it writes.

        Raises:
          Exception: what a check or an effect of the function found; also what the compiler cannot do.
        """
        count = len(self._lifted.outputs)
        if context.graph is not None:
            results = list(self._recorded(inputs))
        else:
            compiled = not self._takes_values and not self._interpreted
            if boxes and not context.recorders and compiled:
                made = self._step(inputs, outside, boxes)
                if made is not None:
                    return made
            with effects.program() if self._lifted.stateful else _NOTHING_ELSE:
                results = self._run(inputs)
        for box, value in zip(boxes, results[count : self._count], strict=True):  # residuals may follow
            # Through state no gradient flows: an alias, which tapes do not connect.
            box.replace(alias(value, box.id))
        return results[:count]

    # -- kernels ------------------------------------------------------------------------------------------------------

    def _kernel(self) -> Kernel:
        """The whole function."""
        if self._plain is None:
            self._plain = self._new_kernel()
        return self._plain

    def _new_kernel(self) -> Kernel:
        lifted = self._lifted
        # Not a method of this object: programs of fused mode keep the kernel longer than anybody keeps the function.
        by_operation = functools.partial(interpret.run, lifted)
        kernel = Kernel(
            self._label,
            lifted.checked_run,
            differentiable=self._mask(),
            stateful=lifted.stateful,
            interpret=by_operation,
            many=self._many,
            size=len(lifted.nodes),
        )
        self._owned(kernel)
        kernel.whole = not self._interpreted
        kernel.checked = self._checked
        if self._interpreted or self._takes_values:
            # A graph around this one cannot ask JAX for the types of the results.
            kernel.typed = (
                tuple([trials_of(t)[0] for t in lifted.results]),
                tuple([trials_of(t)[1] for t in lifted.results]),
            )
        return kernel

    def _owned(self, kernel: Kernel) -> Kernel:
        kernel.owner = self.owner
        return kernel

    def _mask(self) -> int:
        return sum(1 << i for i, is_connected in enumerate(self._lifted.connected()) if is_connected)

    def _to_run(self) -> tuple[Kernel, bool]:
        """The kernel to be run now, and whether a record of its checks follows the results."""
        plain = self._kernel()
        if not self._checked or not checks.enabled():
            return plain, False
        if self._recording is None:
            run = checks.recording(plain.fn, self._checks)
            recording = Kernel(
                self._label,
                run,
                differentiable=self._mask(),
                stateful=plain.stateful,
                many=plain.many,
                size=plain.size,
            )
            self._recording = self._owned(recording)
        return self._recording, True

    def _judged(self, results: list[Tensor]) -> list[Tensor]:
        """The results without the record that follows them; raises what that tells."""
        record = results.pop(self._count)
        if self._checks:
            self._checks.raise_from(record.array)
        return results

    # -- running ------------------------------------------------------------------------------------------------------

    def _recorded(self, inputs: tuple[Tensor, ...]) -> Any:
        """Inside another graph: one operation."""
        try:
            return execute(self._kernel(), inputs)
        except NeedsValue:
            self._takes_values = True
            self._plain = self._new_kernel()
            return execute(self._plain, inputs)

    def _run(self, inputs: tuple[Tensor, ...]) -> list[Tensor]:
        if not self._takes_values and not self._interpreted:
            kernel, recording = self._to_run()
            kernel = self._differentiated(kernel, inputs, self._count + recording)
            # A program already: alone it would gain nothing by being noted, and be compiled again as a part of another one.
            pending = context.pending
            alone = (
                context.executor is fused and not context.recorders and (pending is None or not pending.cursor.depth)
            )
            try:
                results = list(immediate(kernel, inputs) if alone else execute(kernel, inputs))
            except NeedsValue:
                self._takes_values = True
            else:
                return self._judged(results) if recording else results
        if not self._interpreted:
            kernel, recording = self._kernel_for_values(inputs)
            try:
                results = list(execute(kernel, inputs))
            except NeedsValue:
                self._interpreted = True
            else:
                return self._judged(results) if recording else results
        interpreted = self._kernel().interpret
        assert interpreted is not None
        return list(interpreted(inputs))

    def _step(self, inputs: tuple[Tensor, ...], outside: list[Tensor], boxes: Sequence[Box]) -> list[Tensor] | None:
        """Run a function that assigns variables, at once; the memory of the old values is used for the new ones.

        Returns:
          The results, without the values of the variables; None if the function cannot be compiled for all values.
        """
        if context.pending is not None:
            context.pending.flush("a tf.function that assigns variables")
        kernel, recording = self._to_run()
        count = len(self._lifted.outputs)
        if self._overwritten is None:
            read = self._lifted.read
            first = len(inputs) - len(read)
            # An effect may fail when the memory is gone.
            written = [] if kernel.stateful else [box.id for box in self._lifted.boxes]
            self._places = {
                i: count + written.index(box.id)
                for i, box in enumerate(read, first)
                if box.id in written and inputs[i].spec.shape and None not in box.spec.shape
            }
            self._overwritten = tuple(self._places)
        donated = self._overwritten
        arrays = [t.array for t in inputs]
        replacing = Replacing(boxes, count, self._places)
        try:
            before = replacing.take()
            if donated and all(
                [_only_ours(inputs, outside, arrays, before, i, o - count) for i, o in self._places.items()]
            ):
                if recording not in self._donating:
                    run = _keeping(kernel.fn, self._places) if recording else kernel.fn
                    donating = Kernel(self._label, run, donate=donated, many=kernel.many, size=kernel.size)
                    self._donating[recording] = self._owned(donating)
                kernel = self._donating[recording]
            with effects.program() if kernel.stateful else _NOTHING_ELSE:
                call_uninterrupted(kernel.compiled, arrays, replacing.made)
            kernel.used = budget.now
            if recording and self._checks:
                self._checks.raise_from(replacing.made[0][self._count])
        except NeedsValue:
            self._takes_values = True
            return None
        except Exception as error:
            replacing.failed = True
            found = explain(error, kernel, inputs)
            raise found from (error if found is not error else error.__cause__)
        finally:
            replacing.flush("a tf.function that assigns variables")
        return [EagerTensor(value) for value in replacing.made[0][:count]]

    def _differentiated(self, kernel: Kernel, inputs: tuple[Tensor, ...], count: int) -> Kernel:
        """The kernel to run: with residuals where a tape will want a gradient."""
        if not any(isinstance(r, GradientTape) for r in context.recorders):
            return kernel
        mask = kernel.differentiable
        wrt = tuple(i for i, t in enumerate(inputs) if mask >> i & 1 and t.spec.dtype.trainable and _may_be_watched(t))
        if not wrt:
            return kernel
        key = (count, wrt, tuple([t.spec for t in inputs]))
        found = self._with_residuals[key]
        if found is None:
            made = with_residuals(kernel, count, wrt, len(self._with_residuals) >= FEW)
            found = self._with_residuals.keep(key, made)
        return found

    def _kernel_for_values(self, inputs: tuple[Tensor, ...]) -> tuple[Kernel, bool]:
        """The kernel for these very values of the small integers among the inputs: shapes depend on them."""
        whole, recording = self._to_run()
        known = {
            i: np.asarray(t.array)
            for i, t in enumerate(inputs)
            if t.dtype.is_integer
            and None not in t.spec.shape
            and t.spec.size <= 64
            and not isinstance(t, SymbolicTensor)
        }
        key = (recording, *((i, v.tobytes(), v.shape) for i, v in known.items()))
        kernel = self._by_values[key]
        if kernel is None:

            def specialised(*arrays: Any) -> Any:
                return whole.fn(*[known.get(i, a) for i, a in enumerate(arrays)])

            many = len(self._by_values) >= FEW
            kernel = Kernel(self._label, specialised, differentiable=whole.differentiable, many=many, size=whole.size)
            kernel = self._by_values.keep(key, self._owned(kernel))
        return kernel, recording


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
    if type(arrays[i]) is np.ndarray or before[k] is not inputs[i]:
        return False
    return _references(inputs, outside, arrays, before, i, k) == _HELD_BY_CALL


def _baseline() -> tuple[int, int]:
    """The references of a value that only a call holds, counted the same way, whatever the interpreter counts."""
    outside = [Tensor(object())]
    return _references((*outside,), outside, [outside[0].held], [outside[0]], 0, 0)


_HELD_BY_CALL = _baseline()


def _may_be_watched(tensor: Tensor) -> bool:
    """Whether a tape watches a tensor, as far as one knows: what is pending may depend on something watched."""
    if tensor.held is None:
        return True
    return any(isinstance(r, GradientTape) and tensor.identity in r._watched for r in context.recorders)
