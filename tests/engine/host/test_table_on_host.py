"""What the rows of the operation table run gives the same on the host as compiled: values, dtypes, shapes.

Every primitive that it consists of has a rule, or stands in `COMPILED`, which says why it has none.
"""

from __future__ import annotations

import os

import jax
import ml_dtypes
import numpy as np
import pytest

from tests.engine.host.table_calls import COMPILED, calls
from tests.ops.table import families, load
from tfgrad_jax.engine.host import primitives  # noqa: F401
from tfgrad_jax.engine.host.rules import RULES

ROWS = [row for family in families() for row in load(family).values()]

TOGETHER = 24
"""How many rows one test takes."""

COMPARED = 1 if "TFGRAD_JAX_TIERS" in os.environ else 3
"""One of so many rows is compiled too, which is what takes time; what the host gives of every row is compared with TensorFlow's."""

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


@pytest.mark.parametrize("start", range(0, len(ROWS), TOGETHER), ids=lambda start: ROWS[start].id)
def test_on_the_host_as_compiled(start):
    every = [(row, met) for row in ROWS[start : start + TOGETHER] for met in calls(row)]
    compared = {row.id for row in ROWS[start : start + TOGETHER : COMPARED]}
    ran = [(row, m) for row, m in every if m.results is not None and row.id in compared]
    wrong = [f"{row.id}: {m.kernel.name} has no rule for {m.why}" for row, m in every if m.why not in {"", *COMPILED}]
    wrong += [
        f"{row.id}: {m.kernel.name} {[f'{a.dtype}{a.shape}' for a in m.operands]}: {line}"
        for (row, m), outs in zip(ran, compiled([m for _, m in ran]), strict=True)
        for got, want in zip(m.results, outs, strict=True)
        if (line := differences(got, want, m.operands))
    ]
    assert not wrong, "\n".join(wrong)


def test_what_is_compiled_has_no_rule():
    assert not COMPILED.keys() & RULES.keys()
