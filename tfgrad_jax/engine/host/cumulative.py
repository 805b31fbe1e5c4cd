"""Primitives that accumulate along an axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.engine.host.dtypes import FLOAT32, FLOAT64, known, wide
from tfgrad_jax.engine.host.rules import Call, Function, NoRule, rule

_UFUNCS: dict[str, Any] = {
    "cumsum": np.add, "cumprod": np.multiply, "cummax": np.maximum, "cummin": np.minimum, "cumlogsumexp": np.logaddexp
}  # fmt: skip


@rule(*_UFUNCS)
def _(call: Call) -> Function:
    dtype, axis = call.ins[0].dtype, call.params["axis"]
    known(dtype)
    if dtype.kind == "c" and call.name not in ("cumsum", "cumprod"):
        raise NoRule(f"{call.name} of complex numbers")
    along = _along(call.name, dtype, axis)
    if not call.params["reverse"]:
        return along
    turn = (slice(None),) * axis + (slice(None, None, -1),)
    return lambda a: along(a[turn])[turn]


def _along(name: str, dtype: np.dtype, axis: int) -> Function:
    accumulate = _UFUNCS[name].accumulate
    if name in ("cummax", "cummin"):
        return lambda a: accumulate(a, axis=axis)
    inner = FLOAT64 if wide(dtype) == FLOAT32 else dtype  # one by one, where XLA adds in a tree
    if name != "cumprod" and inner.kind in "fc":
        return lambda a: (accumulate(a, axis=axis, dtype=inner) + 0).astype(dtype, copy=False)  # they begin with 0.0
    return lambda a: accumulate(a, axis=axis, dtype=inner).astype(dtype, copy=False)
