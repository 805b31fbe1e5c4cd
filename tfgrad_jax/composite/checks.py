"""Checks of values that composites are made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfgrad_jax.engine.declare.attributes import is_symbolic
from tfgrad_jax.engine.messages.errors import InvalidArgumentError
from tfgrad_jax.engine.run.effects import caller
from tfgrad_jax.engine.run.execute import execute, host_value
from tfgrad_jax.ops.host.assertion import check_kernel


def require(what: str, holds: Callable[..., Any], *tensors: Any) -> None:
    """Check values, now where they are known, otherwise when the graph runs.

    Args:
      what: says what is wrong.
      holds: takes the arrays.

    Raises:
      InvalidArgumentError: if it does not hold.
    """

    def fail(*arrays: Any) -> None:
        raise InvalidArgumentError(None, None, what)

    if any(is_symbolic(t) for t in tensors):
        execute(check_kernel("Assert", holds, fail), (caller.tensor, *tensors))
        return
    arrays = [host_value(t) for t in tensors]
    if not np.all(holds(*arrays)):
        shown = ", ".join(str(a).replace("\n", "") for a in arrays)
        raise InvalidArgumentError(None, None, f"{what}; got {shown}")
