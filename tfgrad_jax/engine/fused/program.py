"""Programs: what runs a trace. Step by step until it has proved hot; compiled in the background then."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import starmap
from sys import getrefcount
from typing import TYPE_CHECKING, Any

import jax

from tfgrad_jax.engine.fused import compiler
from tfgrad_jax.engine.kernels import products
from tfgrad_jax.engine.kernels.executables import WITH_SOURCE, budget, weight
from tfgrad_jax.engine.run.execute import explain
from tfgrad_jax.engine.values.tensor import EagerTensor, Tensor

if TYPE_CHECKING:
    from tfgrad_jax.engine.fused.step import Step

HOT_SECONDS = 0.0005
"""A program is hot when it has run step by step for this long, times its number of operations (and 50 for what compiling
costs in any case): about twice what tracing it takes from the loop, so that even a program dropped as soon as it is compiled
has not cost much."""

HOT_WALKS = 2
"""It must have run step by step so often, not counting the first time."""

PATTERNS_LIMIT = 4
"""Traces that differ only in what the user keeps have so many programs of their own; then one serves all others."""

WIDENINGS_LIMIT = 4
"""How often that one may turn out too narrow before it is not worth compiling any more."""


class Outcome:
    """What a run left: the values of the live slots, None where something failed before; and what was raised.

    Attributes:
      error: an exception of the operation that failed; or an interrupt, which was held back until the end.
      slots: after a failure, all values that there are, by slot.
    """

    __slots__ = ("error", "slots", "values")

    def __init__(self, values: list[Any], error: BaseException | None = None, slots: Sequence[Any] = ()) -> None:
        self.values = values
        self.error = error
        self.slots = slots


class Program:
    """The operations of one trace, with the slots that somebody still holds at its end.

    Attributes:
      end: the last step of the trace.
      live: the slots.
      steps: the operations that these need, each with the slots whose values nobody needs after it.
      inputs: the slots of the values from outside that these need.
      uses: how often it ran; `used` tells when it last did, and `weight` how much is compiled: see `Holder`.
      walks: how often it ran step by step, not counting the first time; `seconds` is how long in all.
      compile_seconds: how long compiling took; None before.
      state: "cold", "compiling", "compiled"; "failed" if the compiler cannot do it; "small" or "varying": would not pay.
      reasons: what made it run, and where: the first few times.
    """

    def __init__(self, end: Step, live: tuple[int, ...]) -> None:
        self.end = end
        self.live = live
        self.steps: list[tuple[Step, tuple[int, ...]]] = []
        self.inputs: list[int] = []
        self.uses = 0
        self.used = self.weight = 0
        self.walks = 0
        self.seconds = 0.0
        self.compile_seconds: float | None = None
        self.state = "cold"
        self.error: Exception | None = None
        self.reasons: Counter[Any] = Counter()
        # What is compiled, with the slots of the inputs that it overwrites.
        self._variants: list[tuple[tuple[int, ...], Callable[..., Any]]] = []
        self._tracing = False

    def _prepare(self) -> None:
        needed = set(self.live)
        steps: list[tuple[Step, tuple[int, ...]]] = []
        path = self.end.path()
        for step in reversed(path):
            if not needed.isdisjoint(step.outs):
                steps.append((step, tuple([s for s in (*step.ins, *step.outs) if s not in needed])))
                needed.update(step.ins)
        steps.reverse()
        self.steps = steps
        self.inputs = [slot for step in path for slot, _ in step.entering if slot in needed]

    # -- running ------------------------------------------------------------------------------------------------------

    def run(self, externals: dict[int, Tensor]) -> Outcome:
        """Run it.

        Args:
          externals: slot and tensor of each value from outside; may be emptied, so that values are freed after their use.
        """
        self.uses += 1
        self.used = budget.now
        if self._variants:
            outcome = self._run_compiled(externals)
            if outcome is not None:
                return outcome
        return self._run_step_by_step(externals)

    def _run_compiled(self, externals: dict[int, Tensor]) -> Outcome | None:
        compiled = self._fitting(externals)
        if compiled is None:
            return None
        arrays = [externals[s].held for s in self.inputs]
        results: list[Any] = []
        try:
            # C code all the way: an interrupt comes before or after this, not between running and having the results.
            results.extend(starmap(compiled, (arrays,)))
            return Outcome(results[0])
        except KeyboardInterrupt as interrupt:
            if not results:
                raise
            return Outcome(results[0], interrupt)
        except Exception as error:  # explained by the operation that fails, if one does again
            if any([isinstance(a, jax.Array) and a.is_deleted() for a in arrays]):
                return Outcome([None] * len(self.live), error)
            self.drop()
            return None

    def _fitting(self, externals: dict[int, Tensor]) -> Callable[..., Any] | None:
        """The variant to run now: it overwrites nothing that somebody still holds."""
        for donated, compiled in self._variants:
            for slot in donated:
                if not alone(externals, slot):
                    break
            else:
                return compiled
        return None

    def _run_step_by_step(self, externals: dict[int, Tensor]) -> Outcome:
        if not self.steps:
            self._prepare()
        if self._is_hot():
            self._schedule(externals)
        start = time.perf_counter()
        walk = _Walk(self, externals)
        error: BaseException | None = None
        while True:
            try:
                walk.go()
                break
            except KeyboardInterrupt as interrupt:
                error = interrupt
            except Exception as failure:
                return Outcome([walk.values[s] for s in self.live], walk.explained(failure), walk.values)
        if self.uses > 1:
            self.seconds += time.perf_counter() - start
            self.walks += 1
        else:
            # The kernels were compiled in the first run, perhaps; and most programs that ran once never run again.
            self.steps = []
        return Outcome([walk.values[s] for s in self.live], error)

    # -- compiling ----------------------------------------------------------------------------------------------------

    def _is_hot(self) -> bool:
        if self.walks < HOT_WALKS or self.seconds < HOT_SECONDS * (len(self.steps) + 50) or compiler.is_busy():
            return False
        if len(self.steps) == 1:
            self.state = "small"
        # Compiled, but what was then free to be overwritten no longer is.
        return self.state == "cold" or (self.state == "compiled" and len(self._variants) == 1)

    def _schedule(self, externals: dict[int, Tensor]) -> None:
        if self.state == "cold":
            compiler.register(self)
        donated = self._donatable(externals) if self.state == "cold" else ()
        self.state = "compiling"
        structs = [_struct(externals[s].held) for s in self.inputs]
        compiler.background(lambda: self._compile(donated, structs))

    def _donatable(self, externals: dict[int, Tensor]) -> tuple[int, ...]:
        """Inputs that nobody else holds, each with an output of its type: the program may write that over it."""
        live = set(self.live)
        free = Counter(spec for step, _ in self.steps for o, spec in zip(step.outs, step.out_specs) if o in live)
        found = []
        for slot in self.inputs:
            spec = externals[slot].spec
            if spec.shape and free[spec] and alone(externals, slot):
                free[spec] -= 1
                found.append(slot)
        return tuple(found)

    def _compile(self, donated: tuple[int, ...], structs: list[Any]) -> None:
        start = time.perf_counter()
        try:
            compiled = jax.jit(self._function, donate_argnums=[self.inputs.index(s) for s in donated])
            self._tracing = True
            try:
                lowered = compiled.lower(*structs)
            finally:
                self._tracing = False
            compiler.at_low_priority(lowered.compile)
        except Exception as error:  # whatever the compiler cannot do goes on step by step
            self.state, self.error = "failed", error
            return
        self.compile_seconds = (self.compile_seconds or 0.0) + time.perf_counter() - start
        self._variants = [*self._variants, (donated, compiled)]
        self.state = "compiled"
        self.weight += WITH_SOURCE * weight(len(self.steps))
        budget.made(self)

    def _function(self, *arrays: Any) -> list[Any]:
        if not self._tracing:
            # Types differ from those it was compiled for, in what specs do not tell: no call shall wait for the compiler.
            raise TypeError("types of operands changed")
        values: list[Any] = [None] * self.end.end
        for slot, array in zip(self.inputs, arrays, strict=True):
            values[slot] = array
        for step, frees in self.steps:
            _run_step(step, lambda *args, kernel=step.kernel: products.run(kernel, args), values)
            for s in frees:
                values[s] = None
            compiler.yield_to_others()
        return [products.evaluated(values[s]) for s in self.live]

    def drop(self) -> None:
        """Forget what was compiled."""
        self._variants = []
        self.weight = 0
        self.state, self.seconds, self.walks = "cold", 0.0, 0


class _Walk:
    """A run step by step that can go on after an interrupt, because it frees a value only when a later one is kept."""

    def __init__(self, program: Program, externals: dict[int, Tensor]) -> None:
        self.values: list[Any] = [None] * program.end.end
        for s in program.inputs:
            self.values[s] = externals[s].held
        self._steps = program.steps
        self._position = 0
        self._externals = externals

    def go(self) -> None:
        self._externals.clear()
        values = self.values
        for i in range(self._position, len(self._steps)):
            step, frees = self._steps[i]
            kernel = step.kernel
            kernel.used = budget.now  # type: ignore[union-attr]
            _run_step(step, kernel.compiled, values)  # type: ignore[union-attr]
            self._position = i + 1
            for s in frees:
                values[s] = None

    def explained(self, error: Exception) -> Exception:
        """The error with the operation that failed and the line that noted it."""
        step, _ = self._steps[self._position]
        kernel = step.kernel
        assert kernel is not None
        found = explain(error, kernel, tuple(EagerTensor(self.values[s]) for s in step.ins))
        if step.where is not None:
            found.add_note(f"{kernel.name} was noted at {step.where[0]}:{step.where[1]}")
        if found is not error:
            found.__cause__ = error
        return found


def _run_step(step: Step, function: Callable[..., Any], values: list[Any]) -> None:
    out = function(*[values[s] for s in step.ins])
    if isinstance(out, (tuple, list)):
        for s, o in zip(step.outs, out, strict=True):
            values[s] = o
    else:
        values[step.outs[0]] = out


def _struct(value: Any) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(value.shape, value.dtype, weak_type=getattr(value, "weak_type", False))


class Programs:
    """The programs of the traces that end at one step."""

    __slots__ = ("_by_live", "_end", "_wide", "_widenings")

    def __init__(self, end: Step) -> None:
        self._end = end
        self._by_live: dict[tuple[int, ...], Program] = {}
        self._wide: Program | None = None
        self._widenings = 0

    def get(self, live: tuple[int, ...]) -> Program:
        """A program for these live slots, or more."""
        found = self._by_live.get(live)
        if found is None:
            if len(self._by_live) >= PATTERNS_LIMIT:
                return self._wide_enough(live)
            found = self._by_live[live] = Program(self._end, live)
        return found

    def _wide_enough(self, live: tuple[int, ...]) -> Program:
        wide = self._wide
        if wide is None or not set(live).issubset(wide.live):
            known = set(live).union(*self._by_live, wide.live if wide is not None else ())
            wide = self._wide = Program(self._end, tuple(sorted(known)))
            self._widenings += 1
            if self._widenings > WIDENINGS_LIMIT:
                wide.state = "varying"
        return wide


# -- who holds what -------------------------------------------------------------------------------------------------------


def _references(externals: dict[int, Tensor], slot: int) -> tuple[int, int]:
    tensor = externals[slot]
    value = tensor.held
    return getrefcount(tensor), getrefcount(value)


# What a value has that only its trace holds, counted the same way, whatever the interpreter counts.
_ALONE = _references({0: Tensor(object())}, 0)


def alone(externals: dict[int, Tensor], slot: int) -> bool:
    """Whether nobody but the trace holds a value from outside: neither its tensor nor the array."""
    return _references(externals, slot) == _ALONE
