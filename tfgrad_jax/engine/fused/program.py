"""Programs: what runs a trace. Step by step until it has proved hot; compiled in the background then."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from sys import getrefcount
from typing import TYPE_CHECKING, Any

import jax
import numpy as np
from jax.core import Tracer

from tfgrad_jax.engine.fused import registry
from tfgrad_jax.engine.fused.copies import Copies
from tfgrad_jax.engine.fused.holding import alone
from tfgrad_jax.engine.fused.variant import Variant, lying, struct
from tfgrad_jax.engine.kernels import products
from tfgrad_jax.engine.kernels.cells import Loop
from tfgrad_jax.engine.kernels.clock import Watch
from tfgrad_jax.engine.kernels.executables import budget, weight
from tfgrad_jax.engine.kernels.kernel import overwritable
from tfgrad_jax.engine.kernels.lowering import lowered
from tfgrad_jax.engine.kernels.repeated import Repeated
from tfgrad_jax.engine.kernels.unrolled import with_loops
from tfgrad_jax.engine.messages.explain import explain
from tfgrad_jax.engine.run.interrupts import call_uninterrupted
from tfgrad_jax.engine.threads import background
from tfgrad_jax.engine.threads.whole import parts_of
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

VARIANTS_LIMIT = 8
"""Compiled forms of one program: for values that lie on devices differently, and may be overwritten or not."""

WIDENINGS_LIMIT = 4
"""How often that one may turn out too narrow before it is not worth compiling any more."""


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
      reasons: what made it run, and where: the first few times. `copies` are those of its operands, see `Copies`.
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
        self._variants: list[Variant] = []
        self.copies = Copies()
        self._tracing = False
        self._looped: list[Any] = []
        # Whether it is looked how the inputs lie: they lie on given devices, or have been found to lie differently.
        self._varies = False

    def _prepare(self) -> None:
        needed = set(self.live)
        steps: list[tuple[Step, tuple[int, ...]]] = []
        path = self.end.path()
        for step in reversed(path):
            if not needed.isdisjoint(step.outs):
                steps.append((step, tuple([s for s in (*step.ins, *step.outs) if s not in needed])))
                needed.update(step.ins)
        steps.reverse()
        self.inputs = [slot for step in path for slot, _ in step.entering if slot in needed]
        self.steps = steps  # last: it tells that all is prepared, should an interrupt come

    @property
    def is_coming(self) -> bool:
        """Whether it is being compiled, or has been."""
        return self.state in ("compiling", "compiled")

    # -- running ------------------------------------------------------------------------------------------------------

    def start(self, externals: dict[int, Tensor]) -> Run:
        """A run, still to go.

        Args:
          externals: slot and tensor of each value from outside; may be emptied, so that values are freed after their use.
        """
        self.uses += 1
        self.used = budget.now
        return Run(self, externals)

    def fitting(self, externals: dict[int, Tensor]) -> Callable[..., Any] | None:
        """The compiled form to run now: for values laid out as these, and overwriting none that somebody holds."""
        layout = self._layout(externals) if self._varies else None
        for variant in self._variants:
            if (layout is None or variant.layout == layout) and alone(externals, variant.donated):
                return variant.compiled
        return None

    def refused(self, externals: dict[int, Tensor]) -> None:
        """The compiled form did not take the values."""
        if not self._varies and self._variants and self._variants[0].layout != self._layout(externals):
            self._varies = True
        else:
            self.drop()

    def prepared(self, externals: dict[int, Tensor]) -> list[tuple[Step, tuple[int, ...]]]:
        """The steps, for a run step by step; has the program compiled if it has proved hot."""
        if not self.steps:
            self._prepare()
        if self._is_hot():
            self._schedule(externals)
        return self.steps

    def walked(self, seconds: float) -> None:
        """It ran step by step."""
        if self.uses > 1:
            self.seconds += seconds
            self.walks += 1
        else:
            # The kernels were compiled in the first run, perhaps; and most programs that ran once never run again.
            self.steps = []

    def _parts(self) -> list[Any]:
        """The steps, in loops where they are alike."""
        if not self._looped:
            steps: list[Any] = [step for step, _ in self.steps]
            self._looped = with_loops(steps, self.live, lambda step: step.out_specs)
        return self._looped

    # -- compiling ----------------------------------------------------------------------------------------------------

    def _is_hot(self) -> bool:
        if self.walks < HOT_WALKS or self.seconds < HOT_SECONDS * 50 or background.is_busy():
            return False
        if self.seconds < HOT_SECONDS * (sum([p.size if isinstance(p, Loop) else 1 for p in self._parts()]) + 50):
            return False
        if len(self.steps) == 1:
            self.state = "small"
        # Compiled, but for values laid out otherwise, or what was then free to be overwritten no longer is.
        return self.state == "cold" or (self.state == "compiled" and len(self._variants) < VARIANTS_LIMIT)

    def _schedule(self, externals: dict[int, Tensor]) -> None:
        layout = self._layout(externals)
        known = [v for v in self._variants if v.layout == layout]
        if any(not v.donated for v in known):
            return
        registry.register(self)
        self._varies = self._varies or any(sharding is not None for sharding, _ in layout)
        structs = [struct(externals[s].held, *how) for s, how in zip(self.inputs, layout, strict=True)]
        variant = Variant(layout, () if known else self._donatable(externals))
        before, self.state = self.state, "compiling"
        try:
            background.run(lambda: self._compile(variant, structs))
        except BaseException:  # an interrupt: it may be asked again
            self.state = before
            raise

    def _layout(self, externals: dict[int, Tensor]) -> tuple[Any, ...]:
        """How the inputs lie on devices, and whether they are weakly typed: what specs do not tell."""
        return tuple([lying(externals[s].held) for s in self.inputs])

    def _donatable(self, externals: dict[int, Tensor]) -> tuple[int, ...]:
        """Inputs that nobody else holds, each with an output of its type: the program may write that over it."""
        live = set(self.live)
        free = Counter(spec for step, _ in self.steps for o, spec in zip(step.outs, step.out_specs) if o in live)
        found = []
        for slot in self.inputs:
            spec = externals[slot].spec
            if spec.shape and free[spec] and alone(externals, (slot,)):
                free[spec] -= 1
                found.append(slot)
        return tuple(found)

    def _compile(self, variant: Variant, structs: list[Any]) -> None:
        start = time.perf_counter()
        try:
            donated = [self.inputs.index(s) for s in variant.donated]
            self._tracing = True
            try:
                variant.compiled, program = lowered(self._function, structs, donated, len(self.steps))
            finally:
                self._tracing = False
            background.at_low_priority(program.compile)
        except Exception as error:  # whatever the compiler cannot do goes on step by step
            self.state, self.error = "failed", error.with_traceback(None)
            return
        self.compile_seconds = (self.compile_seconds or 0.0) + time.perf_counter() - start
        self._variants = [*self._variants, variant]
        self.state = "compiled"
        self.weight += weight(len(self.steps), bare=False)
        budget.made(self)

    def _function(self, *arrays: Any) -> list[Any]:
        if not self._tracing:
            # They lie differently than those it was compiled for: no call shall wait for the compiler.
            raise TypeError("types of operands changed")
        values: list[Any] = [None] * self.end.end
        for slot, array in zip(self.inputs, arrays, strict=True):
            values[slot] = array
        run = partial(
            products.run, repeated=Repeated([step.kernel for step, _ in self.steps if step.kernel is not None])
        )

        def one(step: Any) -> None:
            _run_step(step, lambda *args: run(step.kernel, args), values)
            background.yield_to_others()

        for part in self._parts():
            if isinstance(part, Loop):
                part.run(values, run, one)
            else:
                one(part)
        return [products.evaluated(values[s]) for s in self.live]

    def drop(self) -> None:
        """Forget what was compiled."""
        self._variants, self.copies = [], Copies()
        self._varies = False
        self.weight = 0
        self.state, self.seconds, self.walks = "cold", 0.0, 0


class Run:
    """A run of a program. An interrupt may cut it off anywhere; it goes on from there when it is asked to go again.

    Attributes:
      program: what runs.
      error: what an operation raised; the results of that and of later ones are missing then.
      values: by slot, what there is of values, in a run step by step; values that nobody needs any more are freed.
    """

    __slots__ = ("_compiled", "_externals", "_position", "_steps", "error", "program", "values")

    def __init__(self, program: Program, externals: dict[int, Tensor]) -> None:
        self.program = program
        self.error: Exception | None = None
        self.values: list[Any] | None = None
        self._externals = externals
        self._compiled: list[Any] = []
        self._steps: list[tuple[Step, tuple[int, ...]]] = []
        self._position = 0

    @property
    def results(self) -> list[Any]:
        """The values of the program's live slots; None where something failed before."""
        if self._compiled:
            return self._compiled[0]
        values = self.values or [None] * self.program.end.end
        return [values[s] for s in self.program.live]

    def go(self) -> None:
        """Run to the end. An interrupt is raised as soon as the operation ends that runs, or the program if it is compiled."""
        if self._compiled or self.error is not None:
            return
        if self.values is None:
            compiled = self.program.fitting(self._externals)
            if compiled is not None and self._run_compiled(compiled):
                return
        with parts_of(self.program):
            self._run_step_by_step()

    def _run_compiled(self, compiled: Callable[..., Any]) -> bool:
        externals = self._externals
        arrays = self.program.copies.instead([externals[s].held for s in self.program.inputs])
        try:
            call_uninterrupted(compiled, arrays, self._compiled)
        except Exception as error:  # explained by the operation that fails, if one does again
            if any([isinstance(a, Tracer) for a in arrays]):
                return False  # what JAX traces runs step by step
            if any([isinstance(a, jax.Array) and a.is_deleted() for a in arrays]):
                self.error = error
                return True
            if isinstance(error, (TypeError, ValueError)):
                self.program.refused(externals)
            else:
                self.program.drop()
            return False
        return True

    def _run_step_by_step(self) -> None:
        program = self.program
        watch = Watch()
        if self.values is None:
            self._steps = program.prepared(self._externals)
            values: list[Any] = [None] * program.end.end
            for s in program.inputs:
                values[s] = self._externals[s].held
            self.values = values
        self._externals.clear()
        values, steps = self.values, self._steps
        try:
            for i in range(self._position, len(steps)):
                step, frees = steps[i]
                kernel = step.kernel
                kernel.used = budget.now  # type: ignore[union-attr]
                if kernel.overwrites and self._overwrite(i, values):  # type: ignore[union-attr]
                    continue
                _run_step(step, kernel.run, values)  # type: ignore[union-attr]
                # From here on it need not run again, and only now its operands may go.
                self._position = i + 1
                for s in frees:
                    values[s] = None
        except Exception as failure:
            self.error = self._explained(failure)
            return
        program.walked(watch.seconds)

    def _overwrite(self, i: int, values: list[Any]) -> bool:
        """Run a step whose result takes the memory of its first operand, if nobody else needs that."""
        step, frees = self._steps[i]
        first, kernel = step.ins[0], step.kernel
        assert kernel is not None
        if first not in frees or step.ins.count(first) > 1 or _held(values, first) != _ONCE:
            return False
        if type(values[first]) is np.ndarray:
            values[first] = overwritable(values[first])
        if not isinstance(values[first], jax.Array):
            return False
        call = kernel.overwriter([values[s] for s in step.ins])
        if call is None:
            return False
        results: list[Any] = []
        try:
            call_uninterrupted(call, [values[s] for s in step.ins], results)
        finally:
            if results:
                values[step.outs[0]] = results[0]
                self._position = i + 1
                for s in frees:
                    values[s] = None
        return True

    def _explained(self, error: Exception) -> Exception:
        """The error with the operation that failed and the line that noted it."""
        step, _ = self._steps[self._position]
        kernel = step.kernel
        assert kernel is not None and self.values is not None
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


def _held(values: list[Any], slot: int) -> int:
    """How many references there are to a value."""
    return getrefcount(values[slot])


# The references of a value that only the run holds, counted the same way, whatever the interpreter counts.
_ONCE = _held([object()], 0)


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

    def known(self) -> list[Program]:
        """All of them."""
        return [*self._by_live.values(), *([] if self._wide is None else [self._wide])]

    def _wide_enough(self, live: tuple[int, ...]) -> Program:
        wide = self._wide
        if wide is None or not set(live).issubset(wide.live):
            known = set(live).union(*self._by_live, wide.live if wide is not None else ())
            wide = self._wide = Program(self._end, tuple(sorted(known)))
            self._widenings += 1
            if self._widenings > WIDENINGS_LIMIT:
                wide.state = "varying"
        return wide
