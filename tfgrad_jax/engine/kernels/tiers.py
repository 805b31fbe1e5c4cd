"""Tiers: a kernel is interpreted on the host until compiling it would pay, so that nothing waits for the compiler.

What pays is measured: how long a kernel has taken by interpretation, against what compiling takes, and then which of the two is
quicker for these types. Small ones never are compiled: NumPy is as quick for them as a compiled call.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import jax
import numpy as np
from numpy import ndarray

from tfgrad_jax.engine.cache import Cache
from tfgrad_jax.engine.host.patterns import Program
from tfgrad_jax.engine.host.rules import NoRule
from tfgrad_jax.engine.kernels import clock, costs, native, spread
from tfgrad_jax.engine.kernels.comparison import Comparison
from tfgrad_jax.engine.kernels.executables import FEW, budget, weight
from tfgrad_jax.engine.kernels.limits import check_memory
from tfgrad_jax.engine.kernels.lowering import at_once, called, lowered
from tfgrad_jax.engine.kernels.policy import policy
from tfgrad_jax.engine.threads import background
from tfgrad_jax.engine.threads.accelerator import device_named, host_device
from tfgrad_jax.engine.threads.whole import around
from tfgrad_jax.engine.values.placing import is_there, placed

_WHY = {
    "interpreted": "has not taken as long as compiling would",
    "compiling": "is being compiled",
    "too quick": "compiling would not make it quicker",
    "quicker interpreted": "compiled, it was slower",
    "failed": "the compiler failed, see `error`",
}


class Compilable(Protocol):
    """What tiers belong to: a kernel, where its attributes are explained."""

    name: str
    alone: Callable[..., Any]
    donate: tuple[int, ...]
    from_host: bool
    many: bool
    size: int

    def compiled_for(self, arrays: Sequence[Any]) -> Any:
        """The compiled form for these arrays, which JAX may be tracing; it waits for the compiler."""

    def program(self, types: Sequence[Any]) -> Callable[..., Any]:
        """What interprets it; raises NoRule if nothing does."""


class Way:
    """How a kernel runs for operands of some types.

    Attributes:
      settled: what runs, when nothing is to be measured any more; None until then.
      call: the compiled form; None as long as there is none.
      error: why it cannot be compiled, if so.
      made: the types of the results, as `immediate` has found them; None before.
      state: "interpreted", "compiling", "trial" (compiled, and not yet known to be quicker), "compiled", "quicker interpreted",
        "too quick" to be compiled, or "failed" if it cannot be.
      used, weight: see `Holder`.
    """

    __slots__ = (
        "__weakref__", "_comparison", "_expected", "_program", "_seconds", "_small", "_tiers", "_types", "_uses", "_waited",
        "call", "error", "made", "settled", "state", "used", "weight",
    )  # fmt: skip

    def __init__(self, tiers: Tiers, types: Any) -> None:
        self._tiers = tiers
        self._types = types
        self.used = self.weight = 0
        self.settled: Callable[..., Any] | None = None
        self.call: Any = None
        self.error: Exception | None = None
        self.made: Any = None
        self._program: Callable[..., Any] | None = None
        self._small: bool | None = None
        self._start()

    def _start(self) -> None:
        self.state = "interpreted"
        self._seconds = math.inf
        self._uses = 0
        self._waited = self._expected = 0.0
        self._comparison = _NOTHING

    def run(self, arrays: Sequence[Any]) -> Any:
        """Run on arrays of its types, the quickest way that is known."""
        if policy.compiled_only and policy.everything_compiled:
            if policy.choice == "mixed" and self._is_small(arrays):
                out = self.program(*[a if type(a) is ndarray else np.asarray(a) for a in arrays])
                return jax.device_put(out) if device_named() else out
            return spread.ended(called(self._tiers.kernel.compiled_for(arrays), arrays))
        run = self.chosen()
        if placed(arrays):
            spread.note_all(arrays)
            return spread.ended(called(self._tiers.kernel.compiled_for(arrays), arrays))
        run = run or self.measured
        self.used = budget.now
        try:
            return spread.ended(run(*arrays)) if spread.state.on_host else run(*arrays)
        except ValueError as error:
            with at_once(error):
                return run(*arrays)

    def _is_small(self, arrays: Sequence[Any]) -> bool:
        """Whether operands and results are small, and the values there, so that an accelerator would only take longer."""
        if self._small is None:
            try:
                program = self.program if costs.are_small(self._types) else None
            except NoRule:
                program = None
            self._small = isinstance(program, Program) and costs.are_small(program.types)
        return self._small and all([type(a) is ndarray or is_there(a) for a in arrays])

    def executable(self, arrays: Sequence[Any]) -> Any:
        """The compiled form for these arrays; None if it would wait for the compiler."""
        self.used = budget.now
        return self._tiers.kernel.compiled_for(arrays) if placed(arrays) else self.call

    def chosen(self) -> Callable[..., Any] | None:
        """What runs in this call, which counts; None if it is to be measured."""
        comparison = self._comparison
        comparison.left -= 1
        if comparison.left < 0:
            comparison.begin()
            self.settled, self.state = None, "trial"
        return self.settled

    def measured(self, *arrays: Any) -> Any:
        """Run while it is not settled how."""
        call, comparison, before = self.call, self._comparison, native.apart.seconds
        if call is not None and self.state != "trial":  # another thread has just settled it
            return call(*arrays)
        if call is not None and comparison.is_compiled_next:
            if not self._tiers.kernel.from_host:
                # Operands from the host are copied, beside the call, which returns before that. They would not be from the host
                # if what makes them were compiled, too, which could then never be found out.
                arrays = jax.block_until_ready(jax.device_put(arrays))
            watch = clock.Watch()
            out = jax.block_until_ready(call(*arrays))
            comparison.compiled(watch.seconds)
            self._judge(call)
            return out
        try:
            program = self.program
        except NoRule:
            self.settled = call = self._tiers.kernel.compiled_for(arrays)
            self.state = "compiled"
            return call(*arrays)
        if isinstance(program, Program):
            if not self._uses:
                check_memory(self._tiers.kernel.name, program.types)
            # Most types of which there are many never come again: they are not worth the better clock.
            now = clock.own if self._uses else clock.wall
            start = now()
            out = program(*arrays)
            seconds = now() - start
        else:
            watch = clock.Watch()
            out = program(*arrays)
            seconds = watch.seconds
        self.note(native.without(seconds, before))
        if call is not None:
            copied = 0 if self._tiers.kernel.from_host else sum([a.nbytes for a in jax.tree.leaves(out)])
            comparison.interpreted(seconds, copied)
            self._judge(call)
        return out

    @property
    def program(self) -> Any:
        """What interprets it; raises NoRule if nothing does."""
        if self._program is None:
            self._program = self._tiers.kernel.program(self._types)
        return self._program

    @property
    def is_open(self) -> bool:
        """Whether a compiled form may still come."""
        return self.state in ("interpreted", "compiling") and policy.choice == "mixed"

    @property
    def is_coming(self) -> bool:
        """Whether it is being compiled, or has been."""
        return self.call is not None or self.state == "compiling"

    @property
    def is_cheap(self) -> bool:
        """Whether a call, interpreted, takes so little that compiling it alone would hardly be noticed."""
        return self._seconds < costs.CHEAP_SECONDS

    def note(self, seconds: float, preparing: int = 0) -> None:
        """It was interpreted, and took so long; it is compiled if that has become worth it.

        Args:
          seconds: how long.
          preparing: the time of so many calls does not count, since much in them is done once.
        """
        self._uses += 1
        self._tiers.call_seconds = seconds
        if self._uses <= preparing:
            return
        # The quickest call counts: in others, the machine did something else besides.
        if seconds < self._seconds:
            self._seconds = seconds
        if self._uses == 1 and self._tiers.compile_seconds > 0:
            return  # what ran once may never run again
        # Where there are many types, each may be rare: it must have taken as long as compiling. Of operations, models have several.
        whole = background.waiting() or self._tiers.count > costs.FEW_TYPES * (1 if preparing else 4)
        felt = self._tiers.compile_seconds * (1 if whole else costs.BESIDE)
        # What ran once may never run again, and on a busy machine looks longer than it is.
        earned, small = (self._uses - 1) * self._seconds >= felt, self._seconds < costs.SMALL_SECONDS
        if self.state == "interpreted" and (earned or (small and self._uses >= costs.QUICK_CALLS)):
            if small:
                self.settled, self.state = self._program, "too quick"
            else:
                self.want()

    def want(self, first: bool = False) -> None:
        """Have it compiled beside the program, before all else or unless there is enough to do; not if what it is a part of is."""
        wanted = self.state == "interpreted" and policy.choice == "mixed" and (first or not background.is_busy())
        covered = around()
        if wanted and not covered():
            self.state = "compiling"
            self._tiers.wanted += 1
            background.run(lambda: self._compile(covered), first)

    def expect(self, work: Callable[[], int]) -> None:
        """Wait for the compiler, for a time, where interpretation takes long.

        Args:
          work: tells how many bytes a call makes, about. That is asked before the first call, and counts until one was measured.
        """
        if self._uses == 0:
            self._expected = work() * costs.SECONDS_A_BYTE
            if self.state == "compiling":  # as it will be compiled anyway
                self._expected += self._tiers.kernel.size * costs.SECONDS_AN_OPERATION
        call, compiling = self._seconds, self._tiers.compile_seconds
        if call == math.inf:
            if self._uses == 1:
                return  # much of its first call may have been preparation, so that the next one tells more
            call = self._tiers.call_seconds or (
                self._expected if self._expected > costs.FORESEEN * costs.HEAVY_SECONDS else 0
            )
        if call < costs.HEAVY_SECONDS or compiling > self._worth() * call:
            return
        self.want(first=True)
        patience = costs.PATIENCE * compiling - self._waited
        if self.state == "compiling" and patience > 0:
            watch = clock.Watch()
            background.wait_until(lambda: self.state != "compiling", patience)
            self._waited += watch.seconds

    def _worth(self) -> int:
        """For so many interpreted calls, compiling is worth waiting for."""
        rare = not self._uses or self._tiers.count > costs.FEW_TYPES
        if rare and self._tiers.wanted and self.state == "interpreted":
            return max(1, costs.AGAIN * self._uses)
        return costs.WORTH

    def _compile(self, covered: Callable[[], bool]) -> None:
        """On the compiler's thread; not if it is `covered` by what is compiled as a whole."""
        kernel = self._tiers.of()
        if kernel is None or covered():
            self._tiers.wanted -= 1
            self.state = "interpreted"
            return
        fn, made, watch = kernel.alone, list[Any](), clock.Watch()
        try:
            # A function of its own: JAX keeps what it compiled from as long as that lives.
            types = [jax.ShapeDtypeStruct(*t) for t in self._types]
            with host_device():  # for an accelerator everything is compiled at once
                call, program = lowered(lambda *arrays: fn(*arrays), types, kernel.donate, kernel.size)
                background.at_low_priority(lambda: made.append(program.compile()))
        except Exception as error:  # it goes on as it is; what is wrong with it shows there
            self.settled, self.error = self._program, error.with_traceback(None)
            self.state = "failed"
            return
        seconds = watch.seconds
        policy.learn(seconds, self._tiers.idle_seconds)
        self._tiers.idle_seconds = seconds / policy.slowness  # the next types will hardly take longer or less
        bare = kernel.many or self._tiers.compiled >= FEW
        # `jax.jit` finds what was lowered and compiled from it. Nobody promises that: if it did not, a call would wait for the
        # compiler, and nothing else would change.
        self.weight = weight(kernel.size, bare)
        self._tiers.compiled += 1
        call = made[0] if bare else call
        if self._program is None:  # nothing to compare it with: what it belongs to is interpreted by its parts
            self._settle(call)
        else:
            self._comparison, self.state = Comparison(), "trial"
        self.call = call
        budget.made(self)

    def row(self) -> dict[str, Any]:
        """What is known of it, for the user's eyes."""
        return {
            "types": ", ".join([f"{np.dtype(d).name}[{','.join(map(str, shape))}]" for shape, d in self._types]),
            "tier": "compiled" if self.call is not None and self.settled is not self._program else "interpreted",
            "uses": self._uses,
            "interpreted_us": None if self._seconds == math.inf else self._seconds * 1e6,
            "compiled_us": None if self._comparison.best == math.inf else self._comparison.best * 1e6,
            "why": _WHY.get(self.state, ""),
            "error": self.error,
        }

    def drop(self) -> None:
        """Be interpreted again, until it has earned to be compiled once more."""
        self.call, self.settled, self.weight = None, None, 0
        self._tiers.compiled -= 1
        self._start()

    def _judge(self, call: Any) -> None:
        """Settle if it is known which form is quicker."""
        if self.state != "trial" or self.call is not call:  # another thread has done so, or it was dropped
            return
        quicker = self._comparison.verdict(self._seconds)
        if quicker:
            self._settle(call)
        elif quicker is not None:
            self.settled, self.state = self._program, "quicker interpreted"

    def _settle(self, call: Any) -> None:
        """Run the compiled form from now on."""
        self.settled, self.state = call, "compiled"


_NOTHING = Comparison()
"""Of ways that have nothing to compare yet, or any more."""

_all: weakref.WeakSet[Tiers] = weakref.WeakSet()


def ways() -> list[dict[str, Any]]:
    """What is known of how each kernel runs, by types."""
    return [
        {"operation": tiers.kernel.name, **way.row()}
        for tiers in list(_all)
        if tiers.of() is not None
        for way in tiers.ways.values()
        if way.settled is None or way.call is not None or way.error is not None
    ]


class Tiers:
    """The call of a kernel on arrays.

    Args:
      kernel: the kernel, which holds this.

    Attributes:
      of: the kernel, or None if nobody holds it any more.
      idle_seconds: about how long it takes to compile where nothing else runs.
      call_seconds: how long the last interpreted call took, of whatever types; 0 before the first one.
      compiled: for how many types it is compiled; `wanted`: for how many it was to be.
    """

    __slots__ = ("__weakref__", "_by_specs", "_ways", "call_seconds", "compiled", "idle_seconds", "of", "wanted")

    def __init__(self, kernel: Compilable) -> None:
        self.of = weakref.ref(kernel)
        self.idle_seconds = costs.COMPILE_SECONDS * weight(kernel.size)
        self._ways: Cache[Any, Way] = Cache(64)
        self._by_specs: Cache[Any, Way] = Cache(64)
        self.compiled = self.wanted = 0
        self.call_seconds = 0.0
        _all.add(self)

    @property
    def compile_seconds(self) -> float:
        """About how long it takes to compile: it is compiled when it has taken as long by interpretation."""
        return self.idle_seconds * policy.slowness

    @property
    def kernel(self) -> Compilable:
        """The kernel."""
        kernel = self.of()
        assert kernel is not None
        return kernel

    def __call__(self, *arrays: Any) -> Any:
        return self.way(tuple([(a.shape, a.dtype) for a in arrays])).run(arrays)

    def executable_now(self, arrays: Sequence[Any]) -> Any:
        """The compiled form for these arrays; None if it would wait for the compiler."""
        if policy.everything_compiled:
            return self.kernel.compiled_for(arrays)
        way = self._ways[tuple([(a.shape, a.dtype) for a in arrays])]
        return None if way is None or way.call is None else way.executable(arrays)

    def way(self, types: tuple[Any, ...]) -> Way:
        """How it runs for operands of these types (shapes and dtypes)."""
        found = self._ways[types]
        if found is None:
            policy.look()
            found = self._ways.keep(types, Way(self, types))
        return found

    def way_for(self, specs: tuple[Any, ...]) -> Way:
        """`way` for operands of these specs, which are quicker to look up than their types."""
        found = self._by_specs[specs]
        if found is None:
            found = self._by_specs[specs] = self.way(tuple([(s.shape, s.dtype.np) for s in specs]))
        return found

    @property
    def count(self) -> int:
        """For how many types it is known how it runs."""
        return self._ways.count

    @property
    def ways(self) -> dict[Any, Way]:
        """How it runs, by types."""
        return self._ways.everything()
