"""What JAX loads to lower decompositions is loaded before, and only then."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tfgrad_jax.engine.host.blas import linear_algebra
from tfgrad_jax.engine.kernels import lowering


@pytest.fixture
def imported(monkeypatch):
    """What `lowered` imports."""
    names = []

    def note():
        names.append(linear_algebra().__name__)

    monkeypatch.setattr(lowering, "linear_algebra", note)
    return names


DECOMPOSITIONS = {
    "in a loop": lambda x: jax.lax.fori_loop(0, 2, lambda i, y: jnp.linalg.qr(y)[1], x),
    "in a branch": lambda x: jax.lax.cond(x[0, 0] > 0, lambda: jnp.linalg.inv(x), lambda: x),
    "cholesky": jnp.linalg.cholesky,
    "svd": jnp.linalg.svd,
    "eigh": jnp.linalg.eigh,
    "eig": jnp.linalg.eig,
    "schur": jax.scipy.linalg.schur,
    "hessenberg": jax.scipy.linalg.hessenberg,
    "triangular_solve": lambda x: jax.scipy.linalg.solve_triangular(x, x),
}


@pytest.mark.parametrize("name", DECOMPOSITIONS)
def test_the_package_is_loaded_first(imported, name):
    lowering.lowered(DECOMPOSITIONS[name], [jax.ShapeDtypeStruct((2, 2), np.float32)])
    assert imported == ["scipy.linalg"]


def test_nothing_is_loaded_without_need(imported):
    compiled = lowering.lowered(lambda x: x @ x + 1, [jax.ShapeDtypeStruct((2, 2), np.float32)])[1].compile()
    assert imported == [] and compiled(np.ones((2, 2), np.float32)).tolist() == [[3.0, 3.0]] * 2


@pytest.mark.skipif(jax.default_backend() != "cpu", reason="an accelerator's compiler has no such options")
def test_convolutions_run_on_all_cores():
    """XLA's library for a CPU runs each on one core, but what it fuses into one operation beside them is quicker there."""

    def run(x, k):
        y = jax.lax.conv_general_dilated(x, k, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        return y, jnp.sum(x, (0, 1, 2))

    types = [jax.ShapeDtypeStruct(shape, np.float32) for shape in ((8, 16, 16, 32), (3, 3, 32, 32))]
    text = lowering.lowered(run, types)[1].compile().as_text()
    main = text[text.index("ENTRY") :]
    assert " convolution(" in main and "__ynn_fusion" in main


def test_options_that_xla_does_not_know_are_left_out(monkeypatch):
    monkeypatch.setattr(lowering, "_OPTIONS", ({"xla_no_such_thing": 1}, lowering._LEVEL))
    monkeypatch.setattr(lowering, "options", lowering.options.__wrapped__)
    assert lowering.options(False, False) == lowering._LEVEL
    monkeypatch.setattr(lowering, "_OPTIONS", ({"xla_no_such_thing": 1},))
    assert lowering.options(True, False) is None
