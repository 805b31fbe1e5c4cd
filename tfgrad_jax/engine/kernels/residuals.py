"""Kernels that also return what their gradient will need, so that the backward pass repeats nothing of the forward one.

Most gradients are cheap to compute from inputs and outputs. A whole traced function is different: its gradient needs the
intermediate values, which `jax.vjp` hands out as the leaves of its pullback.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tfgrad_jax.engine.kernels.derivative_rules import by_rules
from tfgrad_jax.engine.kernels.derivatives import conjugate
from tfgrad_jax.engine.kernels.kernel import Kernel, compiled_only


def with_residuals(
    kernel: Kernel, count: int, wrt: tuple[int, ...], many: bool = False, sparing: bool = False
) -> Kernel:
    """A kernel with the results of `kernel`, and after them the residuals of its gradient.

    Args:
      kernel: a kernel that returns a tuple; it is used for inputs of one type only.
      count: how many results it has.
      wrt: positions of the inputs to differentiate.
      many: see `Kernel`.
      sparing: whether to keep products of matrices alone, and compute again what is made of them element by element. That pays
        in small programs, where each result costs more than making it does.
    """
    # Known once the kernel has been traced, which is before any gradient: the structure of the pullback, and which of its
    # leaves are inputs (those need not be returned).
    structure: list[Any] = []

    def whole(*arrays: Any) -> tuple[Any, ...]:
        return tuple(kernel.fn(*arrays))

    if sparing:
        whole = jax.checkpoint(whole, prevent_cse=False, policy=jax.checkpoint_policies.dots_saveable)

    def fn(*arrays: Any) -> tuple[Any, ...]:
        def of_wrt(*changing: Any) -> tuple[Any, ...]:
            full = list(arrays)
            for i, value in zip(wrt, changing, strict=True):
                full[i] = value
            return whole(*full)

        with by_rules(silent=False):
            out, pullback = jax.vjp(of_wrt, *[arrays[i] for i in wrt])
        leaves, tree = jax.tree_util.tree_flatten(pullback)
        places = [next((i for i, a in enumerate(arrays) if a is leaf), None) for leaf in leaves]
        structure[:] = [tree, places]
        return (*out, *(jnp.asarray(leaf) for leaf, place in zip(leaves, places, strict=True) if place is None))

    def rule(cotangents: Any, inputs: Any, outputs: Any) -> list[Any]:
        tree, places = structure
        kept = iter(outputs[count:])
        leaves = [next(kept) if place is None else inputs[place] for place in places]
        pullback = jax.tree_util.tree_unflatten(tree, leaves)
        seeds = tuple(
            conjugate(c) if jnp.issubdtype(o.dtype, jnp.inexact) else np.zeros(o.shape, jax.dtypes.float0)
            for c, o in zip(cotangents[:count], outputs[:count], strict=True)
        )
        results: list[Any] = [None] * len(inputs)
        for i, cotangent in zip(wrt, pullback(seeds), strict=True):
            results[i] = conjugate(cotangent)
        return results

    out = kernel.variant(fn, rule, rule_outputs=(1 << count) - 1, many=many or kernel.many)
    out.parts = kernel.parts
    out.interpreter = compiled_only
    return out
