"""Primitives that go along an axis, or over windows."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.engine.host.dtypes import FLOAT32, FLOAT64, known, wide
from tfgrad_jax.engine.host.rules import Call, Function, NoRule, rule

_CUMULATIVE: dict[str, Any] = {
    "cumsum": np.add, "cumprod": np.multiply, "cummax": np.maximum, "cummin": np.minimum, "cumlogsumexp": np.logaddexp
}  # fmt: skip


@rule(*_CUMULATIVE)
def _(call: Call) -> Function:
    dtype, axis = call.ins[0].dtype, call.params["axis"]
    known(dtype)
    if dtype.kind == "c" and call.name not in ("cumsum", "cumprod"):
        raise NoRule(f"{call.name} of complex numbers")
    extremum = call.name in ("cummax", "cummin")
    # Float32 is added one by one here, in a tree by XLA.
    inner = dtype if extremum else FLOAT64 if wide(dtype) == FLOAT32 else dtype
    along = _cumulative(call.name, inner, axis)
    if call.params["reverse"]:
        turn = (slice(None),) * axis + (slice(None, None, -1),)
        function = lambda a: along(a[turn])[turn]  # noqa: E731
    else:
        function = along
    return function if inner == dtype else lambda a: function(a).astype(dtype)


def _cumulative(name: str, dtype: np.dtype, axis: int) -> Function:
    accumulate = _CUMULATIVE[name].accumulate
    if name in ("cumsum", "cumlogsumexp") and dtype.kind in "fc":
        return lambda a: accumulate(a, axis=axis, dtype=dtype) + 0  # no sum is -0.0: they begin with 0.0
    return lambda a: accumulate(a, axis=axis, dtype=dtype)
