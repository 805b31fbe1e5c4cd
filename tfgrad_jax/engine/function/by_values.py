"""Programs of a function for values of its inputs on which shapes depend, where a call has the same ones often enough."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.cache import Cache
from tfgrad_jax.engine.graph.graph import NeedsValue, SymbolicTensor
from tfgrad_jax.engine.graph.lifted import Lifted
from tfgrad_jax.engine.kernels.clock import Watch
from tfgrad_jax.engine.kernels.executables import FEW
from tfgrad_jax.engine.kernels.kernel import Kernel, Owner
from tfgrad_jax.engine.kernels.policy import policy
from tfgrad_jax.engine.run.execute import execute
from tfgrad_jax.engine.values.tensor import Tensor

_LARGEST = 64
"""Inputs of more elements than this are data, and no sizes."""


class Case:
    """Calls with the same values.

    Args:
      choice: the inputs whose values are taken as known.
      known: these values, of those that may be sizes.

    Attributes:
      choice: the argument.
      kernel: their program; None until making it pays.
      ran: whether that has run.
    """

    def __init__(self, choice: tuple[int, ...], known: dict[int, np.ndarray]) -> None:
        self.choice = choice
        self._known = known
        self._calls = 0
        self._seconds = math.inf
        self.kernel: Kernel | None = None
        self.ran = False

    def specialised(self, whole: Kernel, many: bool, owner: Owner) -> Kernel:
        """The function's kernel for these values."""
        known, run = self._known, whole.fn

        def at_values(*arrays: Any) -> Any:
            return run(*[known.get(i, a) for i, a in enumerate(arrays)])

        kernel = whole.variant(at_values, many=many)
        kernel.owner = owner
        return kernel

    def without_program(self, run: Callable[[], list[Tensor]]) -> list[Tensor]:
        """The results of a call that has none, which counts."""
        watch = Watch()
        results = run()
        self._calls += 1
        self._seconds = min(self._seconds, watch.seconds)
        return results

    def earns(self, making: float) -> bool:
        """Whether its calls without a program took as long, all together, as making one takes.

        Where nothing may depend on time, they earn it by coming again.
        """
        # What came once may never come again, and has prepared what further calls use.
        return self._calls > 0 and (policy.choice != "mixed" or (self._calls - 1) * self._seconds >= making)


class ByValues:
    """The programs of a function for known values: for those of its first call at once, for others when they have earned it.

    Args:
      part: the function's graph.
      owner: what the programs go with.
      always: whether every call has a program, whatever that takes.
    """

    def __init__(self, part: Lifted, owner: Owner, always: bool) -> None:
        self._owner, self._always = owner, always
        self._cases: Cache[Any, Case] = Cache(128)
        self._made = 0
        self._making = math.inf
        # The inputs whose values are taken as known, and those to take when they do not suffice.
        found = [part.deciding(False), part.deciding(True), tuple(range(len(part.entering)))]
        self._choices = [choice for choice in dict.fromkeys(found) if choice]

    def case(self, inputs: Sequence[Tensor], whole: Kernel, recording: bool) -> Case | None:
        """The calls with the values that these inputs have, with a program if that pays; None if no known values suffice.

        Args:
          inputs: of the call.
          whole: the function's kernel for all values.
          recording: whether that gives a record of checks.
        """
        choice = next(iter(self._choices), None)
        if choice is None:
            return None
        known = {i: np.asarray(inputs[i].array) for i in choice if _decides(inputs[i])}
        key = (recording, choice, *((i, v.tobytes(), v.shape) for i, v in known.items()))
        case = self._cases[key]
        if case is None:
            case = self._cases.keep(key, Case(choice, known))
        if case.kernel is None and (self._always or not self._made or case.earns(self._making)):
            case.kernel = case.specialised(whole, self._made >= FEW, self._owner)
        return case

    def run(self, case: Case, inputs: tuple[Tensor, ...]) -> list[Tensor] | None:
        """The results of a case's program; None if it needs to know the values of more inputs, which is tried from now on."""
        assert case.kernel is not None
        watch = Watch()
        try:
            results = list(execute(case.kernel, inputs))
        except NeedsValue:
            self._choices = [choice for choice in self._choices if choice != case.choice]  # threads may find it at once
            return None
        if not case.ran:  # it was traced in this call
            case.ran = True
            self._made += 1
            self._making = min(self._making, watch.seconds)
        return results


def _decides(tensor: Tensor) -> bool:
    """Whether its value may be a size."""
    spec = tensor.spec
    return (
        spec.dtype.is_integer
        and None not in spec.shape
        and spec.size <= _LARGEST
        and not isinstance(tensor, SymbolicTensor)
    )
