"""What the rows of the operation table run gives the same on the host as compiled: values, dtypes, shapes."""

from __future__ import annotations

import jax
import ml_dtypes
import numpy as np
import pytest

from tests.engine.host.table_calls import calls
from tests.ops.table import families, load
from tfgrad_jax.engine.host import primitives  # noqa: F401

ROWS = {row.id: row for family in families() for row in load(family).values()}

ULPS = 64
"""So far results may lie apart, in units of the largest number's last place: sums are taken in another order."""


def compiled(met):
    """The results of all the calls, compiled as one program."""
    functions = [m.kernel.fn for m in met]

    def together(operands):
        return [f(*arrays) for f, arrays in zip(functions, operands, strict=True)]

    return [jax.tree.leaves(out) for out in jax.jit(together)([m.operands for m in met])]


def largest(a):
    """The largest finite number."""
    a = np.abs(a.astype(np.complex128 if a.dtype.kind == "c" else np.float64))
    return np.max(a, initial=0.0, where=np.isfinite(a))


def differences(got, want, operands):
    got, want = np.asarray(got), np.asarray(want)
    if (got.shape, got.dtype) != (want.shape, want.dtype):
        return f"{got.dtype}{got.shape} instead of {want.dtype}{want.shape}"
    if got.dtype.kind in "iub":
        return None if np.array_equal(got, want) else f"{got} instead of {want}"
    eps = float(ml_dtypes.finfo(got.real.dtype).eps)
    wide = np.complex128 if got.dtype.kind == "c" else np.float64
    got, want = got.astype(wide), want.astype(wide)
    # What remains where numbers cancel is as large as their last places.
    size = max(largest(want), min(1, max([largest(a) for a in operands], default=0)))
    near = np.isclose(got, want, rtol=ULPS * eps, atol=ULPS * eps * size, equal_nan=True)
    return None if near.all() else f"{got[~near][:5]} instead of {want[~near][:5]}"


@pytest.mark.parametrize("name", ROWS)
def test_on_the_host_as_compiled(name):
    met = [m for m in calls(ROWS[name]) if m.results is not None]
    wrong = [
        f"{m.kernel.name} {[f'{a.dtype}{a.shape}' for a in m.operands]}: {line}"
        for m, outs in zip(met, compiled(met), strict=True)
        for got, want in zip(m.results, outs, strict=True)
        if (line := differences(got, want, m.operands))
    ]
    assert not wrong, "\n".join(wrong)
