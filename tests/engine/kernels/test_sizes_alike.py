"""What new sizes cost: nothing is made for them that could serve all sizes alike."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

from tfgrad_jax.engine.host.rules import RULES
from tfgrad_jax.engine.kernels.derivatives import backward_of
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.values.dtypes import float32
from tfgrad_jax.engine.values.tensor import Spec


@pytest.mark.usefixtures("by_measured_cost")
def test_one_function_computes_a_primitive_for_all_sizes_alike(monkeypatch):
    made = []
    rule = RULES["dot_general"]
    monkeypatch.setitem(RULES, "dot_general", lambda call: made.append(1) or rule(call))
    kernel = Kernel("Product", lambda x, y: jnp.sum(jnp.tanh(x @ y), axis=0))
    y = np.linspace(-1, 1, 56, dtype=np.float32).reshape(8, 7)
    for n, count in ((9, 1), (11, 1), (2000, 1), (5000, 2), (6000, 2), (13, 2)):  # a large one is for more threads
        x = np.linspace(-1, 1, n * 8, dtype=np.float32).reshape(n, 8)
        np.testing.assert_allclose(kernel.run(x, y), np.tanh(x @ y).sum(0, np.float64), rtol=1e-4, atol=1e-3)
        assert len(made) == count


def test_one_gradient_serves_all_sizes_that_its_operands_tell():
    product, total = Kernel("Product", lambda x, y: x @ y), Kernel("Total", lambda x: jnp.sum(x * 2.0))
    y = np.linspace(-1, 1, 42, dtype=np.float32).reshape(6, 7)
    found = {}
    for n in (8, 9, 6, 3):
        x, c = np.full((n, 6), 0.5, np.float32), np.linspace(0, 1, n * 7, dtype=np.float32).reshape(n, 7)
        ins, outs = tuple(Spec.of(float32, a.shape) for a in (x, y)), (Spec.of(float32, c.shape),)
        both, first = backward_of(product, ins, outs, 3, 1), backward_of(product, ins, outs, 1, 1)
        for a, b in zip(both.kernel.run(c, x, y), (c @ y.T, x.T @ c), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
        assert first.needs == (1,)  # of x the shape alone
        np.testing.assert_allclose(first.kernel.run(c, y), c @ y.T, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(first.kernel.compiled(c, y), c @ y.T, rtol=1e-5, atol=1e-6)
        again = backward_of(first.kernel, (outs[0], ins[1]), (ins[0],), 1, 1)
        np.testing.assert_allclose(again.kernel.run(x, y), x @ y, rtol=1e-5, atol=1e-6)
        summed = backward_of(total, ins[:1], (Spec.of(float32, ()),), 1, 1)
        np.testing.assert_array_equal(summed.kernel.run(np.array(3, np.float32)), np.full((n, 6), 6.0))
        found[n] = both, first, again, summed
    assert found[8][:3] == found[9][:3]
    assert all(a is not b for a, b in zip(found[8], found[6], strict=True))  # sizes that are equal are another pattern
    assert all(a is not b for a, b in zip(found[8], found[3], strict=True))  # and so are small ones
    assert found[8][3] is not found[9][3]  # no operand tells how much it was that was summed
