"""Questions about values in converted code: whether one is symbolic, undefined, or a condition."""

from __future__ import annotations

import math
from typing import Any

from malt.operators.variables import Undefined, UndefinedReturnValue

from tfgrad_jax.engine.run.eager import executing_eagerly
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.shapes import UNRANKED
from tfgrad_jax.engine.values.tensor import Tensor

_RETURNED = ("do_return", "retval_")


def is_recorded(value: Any) -> bool:
    """Whether a value makes the control flow that depends on it part of the graph."""
    return not executing_eagerly() and isinstance(value, (Tensor, Variable))


def undefined(value: Any) -> bool:
    return isinstance(value, (Undefined, UndefinedReturnValue))


def as_condition(value: Any, what: str) -> Tensor:
    tensor = value.as_operand() if isinstance(value, Variable) else convert(value)
    known = () if tensor.spec.shape is UNRANKED else tensor.spec.shape
    if not tensor.dtype.is_bool or math.prod(1 if n is None else n for n in known) != 1:
        hint = "" if tensor.dtype.is_bool else "to use as boolean Tensor, use `tf.cast`; "
        raise ValueError(
            f"condition of {what} expected to be `tf.bool` scalar, got {tensor}; {hint}to check for None, use `is not None`"
        )
    return tensor


def is_returned(name: str) -> bool:
    return any(part in name for part in _RETURNED)
