"""What a graph reads of a variable after it assigned it."""

from __future__ import annotations

from typing import Any

import jax

from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.messages import errors


@jax.custom_jvp
def read_again(new: Any, old: Any) -> Any:
    """The value of a box after an assignment, whose gradient is that of its value before."""
    return new


@read_again.defjvp
def _again_jvp(values: Any, tangents: Any) -> Any:
    new, old = values
    if new.shape != old.shape:
        raise errors.UnimplementedError(
            None,
            None,
            f"ReadVariableOp: a function reads a variable again after it assigned a value of shape {new.shape} to it in "
            f"place of {old.shape}, and a tape outside asks for its gradient: open the tape in the function, after that",
        )
    return read_again(*values), tangents[1]


READ_AGAIN = Kernel("ReadVariableOp", read_again, differentiable=0b10)
