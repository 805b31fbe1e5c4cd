"""Kernels that the engine itself needs: zeros, ones, copies and sums."""

from __future__ import annotations

from collections.abc import Callable

import jax.numpy as jnp

from tfgrad_jax.engine.cache import Cache
from tfgrad_jax.engine.kernels.executables import FEW
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.values.tensor import Spec


def _ones(spec: Spec) -> Kernel:
    return Kernel("OnesLike", lambda: jnp.ones(spec.shape, spec.dtype.np), many=len(ONES) >= FEW)


def _zeros(spec: Spec) -> Kernel:
    return Kernel("ZerosLike", lambda: jnp.zeros(spec.shape, spec.dtype.np), many=len(ZEROS) >= FEW)


class _PerSpec(Cache[Spec, Kernel]):
    """One kernel a spec, made on demand."""

    def __init__(self, make: Callable[[Spec], Kernel]) -> None:
        super().__init__(128)
        self.make = make

    def __missing__(self, spec: Spec) -> Kernel:
        kernel = super().__missing__(spec)
        return self.keep(spec, self.make(spec)) if kernel is None else kernel


ONES = _PerSpec(_ones)
ZEROS = _PerSpec(_zeros)
IDENTITY = Kernel("Identity", lambda x: x, rule=lambda cts, inputs, outputs: cts)
ONES_LIKE = Kernel("OnesLike", lambda x: jnp.ones_like(x), differentiable=0)
ZEROS_LIKE = Kernel("ZerosLike", lambda x: jnp.zeros_like(x), differentiable=0)
ALIAS = Kernel("Identity", lambda x: x, differentiable=0, recorded=False)
ADD = Kernel("AddN", lambda a, b: a + b, rule=lambda cts, inputs, outputs: (cts[0], cts[0]))
