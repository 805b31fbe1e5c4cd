"""Operations that a program has many times, as the cells of an unrolled loop: each is traced once for its types.

While JAX traces a program, Python code runs for each operation and holds the interpreter's lock, which the user's loop waits for.
For an operation that comes again, the equations found the first time are copied.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import jax
import numpy as np

from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.threads.context import context

_MANY = 4
"""Fewer uses are traced as they come: copying has a cost of its own."""


class Repeated:
    """The operations of one program, for as long as JAX traces it.

    Args:
      kernels: all of them, one for each use.
    """

    __slots__ = ("_calls",)

    def __init__(self, kernels: Iterable[Kernel]) -> None:
        uses = Counter(kernels)
        # What contains graphs may look at more than its operands: at who follows it, at what checks values.
        self._calls: dict[Kernel, Callable[..., Any] | None] = {
            kernel: None
            for kernel, n in uses.items()
            if n >= _MANY and not (kernel.parts or kernel.host or kernel.stateful)
        }

    def call(self, kernel: Kernel, args: Sequence[Any]) -> Any:
        """`kernel.fn(*args)`."""
        call = self._calls.get(kernel)
        if call is not None and all(map(_unknown, args)):
            return call(*args)
        noted = _noted()
        out = kernel.fn(*args)
        if call is None and kernel in self._calls and all(map(_unknown, args)):
            # Results that are known integers, as shapes are, would no longer be, and what checks values inside notes it for the
            # whole program: of such an operation each use is traced.
            results = out if isinstance(out, (tuple, list)) else (out,)
            if noted is _noted() and all([isinstance(o, jax.core.Tracer) for o in results]):
                self._calls[kernel] = _copied(kernel.fn)
            else:
                del self._calls[kernel]
        return out


def _noted() -> Any:
    """What checks of values have noted so far for the program that is traced."""
    return None if context.checks is None else context.checks.record


def _copied(fn: Callable[..., Any]) -> Callable[..., Any]:
    """`fn`, traced once for operands of the same types; a function of its own, so that what is traced lives no longer than that."""
    return jax.jit(lambda *args: fn(*args), inline=True)


def _unknown(value: Any) -> bool:
    """Whether code cannot have asked for the value: known integers and symbols, which sizes may be, stay what they are."""
    return isinstance(value, jax.core.Tracer) or (type(value) is np.ndarray and value.dtype.kind not in "iubO")
