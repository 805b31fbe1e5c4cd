"""Assertions that show strings; those among numbers are parts of programs, which leave them out."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.engine.messages.logging import warn_once
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.lib.saved_model.hosted.pen import Pen, Source, written
from tfgrad_jax.ops.host.assertion import LEFT_OUT


@written("Assert")
def _asserted(
    pen: Pen, *inputs: Source, condition: Any = None, data: list[Any] | None = None, summarize: int = 3
) -> list[str]:
    if condition is None:  # what makes the message is a function of Python's
        warn_once(LEFT_OUT, "Assert")
        return []
    assert data is not None
    shown = [d if isinstance(d, Source) else np.array(d.encode(), object) for d in data or [""]]
    if condition.spec.shape != ():
        flat = pen("Reshape", condition, np.array([-1]), T=dtypes.bool_, Tshape=dtypes.int64)
        condition = pen("All", flat, np.int32(0), Tidx=dtypes.int32)
    types = [d.spec.dtype if isinstance(d, Source) else dtypes.string for d in shown]
    pen("Assert", condition, *shown, outputs="", effect=True, T=types, summarize=summarize)
    return []
