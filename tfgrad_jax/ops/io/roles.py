"""Arguments that operations on bytes share."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.engine.declare.roles import Operand
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.shapes import UNRANKED
from tfgrad_jax.engine.values.tensor import Spec
from tfgrad_jax.ops.common import listed

Bytes: Any = Operand(shared=False, forced=dtypes.string, differentiable=False)
Any_: Any = Operand(shared=False, differentiable=False)


def one(array: np.ndarray, argument: str, op: str) -> Any:
    """The element of a scalar.

    Raises:
      InvalidArgumentError: if it is none.
    """
    if array.ndim:
        raise invalid_argument(f"Input {argument} tensor must be scalar, but had shape: {listed(array.shape)}", op)
    return array.item()


def widened(spec: Spec, dtype: Any, *sizes: Any) -> Spec:
    """The type of results that have further dimensions for each element of an operand; an unknown size is None."""
    shape = spec.shape
    return Spec.of(dtype, shape if shape is UNRANKED else (*shape, *sizes))


def strings(values: list[Any], shape: tuple[int, ...]) -> np.ndarray:
    """Byte strings as an array of a given shape."""
    out = np.empty(len(values), object)
    out[:] = values
    return out.reshape(shape)
