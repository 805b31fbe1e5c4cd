"""Operations of which some operands decide shapes, at known values of those."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.cache import Cache
from tfgrad_jax.engine.kernels.executables import FEW
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.values.tensor import Tensor

_specialised: Cache[Any, Kernel] = Cache()


def at_known_values(kernel: Kernel, operands: tuple[Tensor, ...]) -> tuple[Kernel, tuple[Tensor, ...]]:
    """A kernel of the operands whose values it need not know, and those operands."""
    known = {i: np.asarray(operands[i].array) for i in kernel.reads_values}
    key = (kernel, tuple((i, v.tobytes(), v.shape) for i, v in known.items()))
    special = _specialised[key]
    if special is None:
        special = _specialised[key] = _with_values(kernel, known, len(operands))
    return special, tuple([t for i, t in enumerate(operands) if i not in known])


def _with_values(kernel: Kernel, known: dict[int, np.ndarray], count: int) -> Kernel:
    rest = [i for i in range(count) if i not in known]

    def full(arrays: Sequence[Any]) -> list[Any]:
        given = dict(zip(rest, arrays, strict=True)) | known
        return [given[i] for i in range(count)]

    def rule(cotangents: Any, inputs: Any, outputs: Any) -> list[Any]:
        assert kernel.rule is not None
        results = kernel.rule(cotangents, full(inputs), outputs)
        return [results[i] for i in rest]

    mask = sum(1 << k for k, i in enumerate(rest) if kernel.differentiable >> i & 1)
    return kernel.variant(
        lambda *arrays: kernel.fn(*full(arrays)), rule if kernel.rule else None, mask, many=len(_specialised) >= FEW
    )
