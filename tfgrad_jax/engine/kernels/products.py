"""Sums of matrix products, computed as one product.

The gradient of a weight that was used many times, as in an unrolled recurrent network, is a sum of small products x'y. Where
a whole program is compiled at once, such a sum is one product of all x, stacked, with all y: one pass over the result
instead of one for each term. So the terms stay unevaluated until something other than the next sum uses them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
from jax import lax

from tfgrad_jax.engine.kernels.constants import ADD
from tfgrad_jax.engine.kernels.derivatives import call
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.kernels.repeated import Repeated
from tfgrad_jax.engine.threads.context import context

_FEW = 3
"""Fewer terms are not worth stacking."""


class Unevaluated:
    """What stands for an array, its attribute `array`, which nobody has needed yet."""

    __slots__ = ()

    array: Any


class Products(Unevaluated):
    """The sum of x'y over pairs of matrices (x, y) with the same columns, not computed yet."""

    __slots__ = ("_array", "_pairs")

    def __init__(self, pairs: tuple[tuple[Any, Any], ...]) -> None:
        self._pairs = pairs
        self._array: Any = None

    def plus(self, other: Products) -> Any:
        """The sum with another one, unevaluated if both still are."""
        if self._array is None and other._array is None:
            return Products(self._pairs + other._pairs)
        return self.array + other.array

    @property
    def pair(self) -> tuple[Any, Any] | None:
        """The factors, if it is one product not computed yet."""
        return self._pairs[0] if self._array is None and len(self._pairs) == 1 else None

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of the sum."""
        x, y = self._pairs[0]
        return x.shape[1], y.shape[1]

    @property
    def array(self) -> Any:
        """The sum, computed now."""
        if self._array is None:
            pairs = self._pairs
            if len(pairs) >= _FEW:
                pairs = (tuple([jnp.concatenate(side) for side in zip(*pairs, strict=True)]),)  # type: ignore[assignment]
            first, *others = [lax.dot_general(x, y, (((0,), (0,)), ((), ()))) for x, y in pairs]
            self._array = sum(others, first)
        return self._array


def pays(x: Any, y: Any) -> bool:
    """Whether stacking the factors moves less memory than adding the product to others; of open sizes one cannot tell."""
    rows, m = x.shape
    n = y.shape[1]
    return x.dtype == y.dtype and all([type(size) is int for size in (rows, m, n)]) and rows * (m + n) < m * n


def evaluated(value: Any) -> Any:
    """A value of a program as an array, whatever stands for it."""
    return value.array if isinstance(value, Unevaluated) else value


def run(kernel: Kernel, args: Sequence[Any], repeated: Repeated) -> Any:
    """`call`, for a step of a program that is compiled as a whole.

    Args:
      kernel, args: the operation.
      repeated: the operations of the program.
    """
    if context.by_rules:
        return call(kernel, args)
    if kernel is ADD and type(args[0]) is type(args[1]) is Products:
        return args[0].plus(args[1])
    args = [evaluated(a) for a in args]
    out = repeated.call(kernel, args)
    if kernel.factors is None:
        return out
    outs = list(out) if isinstance(out, (tuple, list)) else [out]
    for i, pair in kernel.factors(*args).items():
        if pays(*pair):
            outs[i] = Products((pair,))
    return outs
