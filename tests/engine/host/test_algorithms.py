"""Sorting, loops and branches, Fourier transforms and LAPACK on the host against XLA's."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from tests.engine.host.test_structure import agree, some
from tfgrad_jax.engine.host.rules import NoRule
from tfgrad_jax.engine.host.template import Template
from tfgrad_jax.engine.kernels.derivative_rules import linear

NAN = np.nan
SPECIAL = np.array([1, NAN, -0.0, 0.0, -NAN, np.inf, 0.0, -0.0, -np.inf, 2, 1, -1])


def close(fn, *arrays, tolerance=None):
    """The host's program gives what XLA's does, up to rounding."""
    found = Template(jax.make_jaxpr(fn)(*arrays)).flat({})(*arrays)
    for f, e in zip(found, jax.tree.leaves(jax.jit(fn)(*arrays)), strict=True):
        f, e = np.asarray(f), np.asarray(e)
        assert (f.shape, f.dtype) == (e.shape, e.dtype)
        eps = 1e4 * np.finfo(f.dtype).eps if f.dtype.kind in "fc" else 0
        np.testing.assert_allclose(f, e, rtol=tolerance or eps, atol=tolerance or eps)


# -- order -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "float16", "int32", "uint8", "bool", "complex64"])
def test_sorting(dtype):
    with np.errstate(invalid="ignore"):
        special = SPECIAL.astype(jnp.dtype(dtype))
    x, y = some((4, 5, 3), dtype), some((4, 5, 3)) % 3
    for axis in range(3):
        agree(lambda x: lax.sort(x, axis), x)  # noqa: B023
        agree(lambda x, y: lax.sort((x, y, y), axis), x, y)  # noqa: B023
        agree(lambda x, y: lax.sort((y, x, x), axis, num_keys=2), x, y)  # noqa: B023
    agree(lambda x: lax.sort((x, lax.iota(jnp.int32, 12))), special)
    agree(lambda x: lax.sort((x, x, lax.iota(jnp.int32, 12)), num_keys=2), special)
    agree(lambda x: lax.sort((x, x)), x[:0])


def test_sorting_complex_numbers():
    parts = np.array([0.0, -0.0, 1.0, NAN, np.inf])
    x = (parts[:, None] + 0j).repeat(5, 1)
    x.imag = parts
    agree(lambda x: lax.sort((x, lax.iota(jnp.int32, 25))), x.reshape(-1))


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "float16", "int32", "uint8", "int8", "bool"])
def test_largest(dtype):
    x = some((3, 40), dtype)
    for k in (0, 1, 7, 40):
        agree(lambda x: lax.top_k(x, k), x)  # noqa: B023
        agree(lambda x: lax.top_k(x, min(k, 3), axis=0), x)  # noqa: B023
    if dtype not in ("int32", "uint8", "int8", "bool"):
        agree(lambda x: lax.top_k(x, 12), SPECIAL.astype(jnp.dtype(dtype)))


def test_largest_about():
    x = np.random.default_rng(0).permutation(200).astype(np.float32).reshape(4, 50)
    agree(lambda x: lax.approx_max_k(x, 5), x)
    agree(lambda x: lax.approx_min_k(x, 2, 0), x)


# -- control flow ------------------------------------------------------------------------------------------------------


def test_loops():
    x = some((6, 3))
    agree(lambda x: lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * x), (0, x)), x)
    agree(lambda x: lax.while_loop(lambda c: c[0] < x[0, 0], lambda c: (c[0], c[1] * x), (1e9, x)), x)
    for reverse in (False, True):
        agree(lambda x: lax.scan(lambda c, y: (c + y[0], (c, y * x[0])), 0.5, x, reverse=reverse), x)  # noqa: B023
    agree(lambda x: lax.scan(lambda c, _: (c * x[0, 0], None), 1.0, None, 4), x)
    agree(lambda x: lax.scan(lambda c, y: (c, y), 0.5, x), x[:0])
    agree(lambda x: lax.fori_loop(0, x.shape[0], lambda i, c: c.at[i].add(i), x), x)


def test_long_loops_are_compiled():
    def nested(n):
        return lambda x: lax.scan(lambda c, _: (lax.scan(lambda c, _: (c * 2, None), c, None, n)[0], None), x, None, n)

    x = np.float32(1)
    Template(jax.make_jaxpr(nested(10))(x)).flat({})
    with pytest.raises(NoRule, match="long loop"):
        Template(jax.make_jaxpr(nested(1000))(x)).flat({})


def test_branches():
    x, branches = some((3,)), (lambda x: x + 1, lambda x: x * 2, lambda x: -x)
    for i in (-5, 0, 1, 2, 9):
        agree(lambda i, x: lax.switch(i, branches, x), np.int32(i), x)
        agree(lambda x: lax.switch(i, branches, x), x)  # noqa: B023
    for p in (True, False):
        agree(lambda p, x: lax.cond(p, *branches[:2], x), np.bool_(p), x)
    agree(lambda x: lax.platform_dependent(x, default=branches[0], cpu=branches[1], cuda=branches[2]), x)
    agree(lambda x: lax.platform_dependent(x, default=branches[0], cuda=branches[2]), x)


def test_calls():
    x = some((3,))

    @jax.custom_vjp
    def ruled(x):
        return x * 3

    ruled.defvjp(lambda x: (ruled(x), x), lambda x, g: (g,))
    agree(lambda x: (jax.checkpoint(lambda x: x * 2)(x), ruled(x), jax.jit(lambda x: x + 1)(x)), x)
    agree(lambda x: lax.optimization_barrier((x, x)), x)
    agree(lambda x: linear(lambda k, g: [k[0] * g[0]], lambda k, g: [k[0] * g[0]], [x], [x], (True, True)), x)


# -- Fourier transforms ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(8,), (2, 5), (3, 4, 6), (2, 3, 5, 4)])
def test_fourier_transforms(dtype, shape):
    x = some(shape, dtype)
    z = (x + 1j * some(shape, dtype)).astype(np.result_type(dtype, np.complex64))
    rank = min(len(shape), 3)
    for kind, operand in [("FFT", z), ("IFFT", z), ("RFFT", x), ("IRFFT", z)]:
        for k in range(1, rank + 1):
            lengths = list(shape[-k:])
            if kind == "IRFFT":
                lengths[-1] = 2 * lengths[-1] - 2
            close(lambda x: lax.fft(x, lax.FftType[kind], tuple(lengths)), operand)  # noqa: B023


# -- LAPACK ------------------------------------------------------------------------------------------------------------

SHAPES = [(1, 1), (3, 3), (2, 4, 4), (2, 1, 2, 5), (4, 2), (3, 5, 3), (0, 3), (3, 0), (0, 2, 2), (20, 20)]
NUMBERS = ["float32", "float64", "complex64", "complex128"]


def matrices(shape, dtype):
    random = np.random.default_rng(0)
    x = random.standard_normal(shape)
    return (x + 1j * random.standard_normal(shape) if np.dtype(dtype).kind == "c" else x).astype(dtype)


def with_nan(x):
    x = x.copy()
    x.reshape(-1)[:1] = NAN
    return x


def definite(x):
    return x @ np.swapaxes(x.conj(), -1, -2) + np.eye(x.shape[-2], dtype=x.dtype)


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("shape", SHAPES)
def test_decompositions(shape, dtype):
    for x in (matrices(shape, dtype), with_nan(matrices(shape, dtype))):
        square = definite(x)
        close(lax.linalg.cholesky, square)
        close(lax.linalg.cholesky, -square)
        close(lax.linalg.lu, x)
        close(lax.linalg.eigh, square)
        close(lambda x: lax.linalg.eigh(x, lower=False, symmetrize_input=False), square)
        close(lambda x: lax.linalg.svd(x, compute_uv=False), x)
        for full in (False, True):
            close(lambda x: lax.linalg.qr(x, full_matrices=full), x)  # noqa: B023
            close(lambda x: lax.linalg.svd(x, full_matrices=full), x)  # noqa: B023


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("shape", [s for s in SHAPES if s[-1] == s[-2]])
def test_decompositions_of_squares(shape, dtype):
    for x in (matrices(shape, dtype), with_nan(matrices(shape, dtype))):
        for left in (False, True):
            for right in (False, True):
                close(lambda x: lax.linalg.eig(x, compute_left_eigenvectors=left, compute_right_eigenvectors=right), x)  # noqa: B023
        close(lax.linalg.schur, x)
        close(lax.linalg.hessenberg, x)
        for lower in (False, True):
            close(lambda x: lax.linalg.tridiagonal(x, lower=lower), definite(x))  # noqa: B023


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("shape", SHAPES)
def test_products_of_reflections(shape, dtype):
    x = matrices(shape, dtype)
    if shape[-1] <= shape[-2]:
        close(lax.linalg.householder_product, x, matrices((*shape[:-2], shape[-1]), dtype))


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("shape", [(1, 1), (3, 4), (2, 3, 3), (2, 0, 3)])
def test_triangular_systems(shape, dtype):
    a, x = definite(matrices(shape, dtype)), matrices(shape, dtype)
    for case in range(32):
        left, *rest = (bool(case >> k & 1) for k in range(5))
        names = ("lower", "transpose_a", "conjugate_a", "unit_diagonal")
        options = dict(zip(names, rest, strict=True))
        b = x if left else np.swapaxes(x, -1, -2)
        close(lambda a, b: lax.linalg.triangular_solve(a, b, left_side=left, **options), a, b)  # noqa: B023


def test_systems():
    x = matrices((2, 4, 4), "float32")
    close(jnp.linalg.solve, definite(x), x)
    close(jnp.linalg.inv, definite(x))
    close(jnp.linalg.slogdet, x)
    close(jnp.linalg.det, x)
    close(jax.scipy.linalg.expm, x[0])
    close(lambda a, b: lax.linalg.triangular_solve(a, b, left_side=True), np.diag([1.0, 0.0]), np.ones((2, 1)))
    close(lambda d, b: lax.linalg.tridiagonal_solve(d, d + 9, d, b), x[..., 0], x)


def test_permutations_by_pivots():
    agree(lambda p: lax.linalg.lu_pivots_to_permutation(p, 5), np.array([[3, 1, 4], [2, 2, 2]], np.int32))


# -- random numbers ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(), (3,), (4, 5), (0,)])
def test_random_numbers(shape):
    words = np.array([7, 2**32 - 5], np.uint32)

    def drawn(words):
        key = jax.random.wrap_key_data(words)
        several = jax.random.split(key, 3)
        bits = [jax.random.bits(key, shape, f"uint{n}") for n in (8, 16, 32, 64)]
        return [*bits, jax.random.key_data(several), jax.vmap(lambda k: jax.random.bits(k, shape))(several)]

    agree(drawn, words)


def test_gamma_distribution():
    words, alpha = np.array([7, 11], np.uint32), np.array([0.3, 2.5, 20], np.float32)
    close(lambda w, a: jax.random.gamma(jax.random.wrap_key_data(w), a), words, alpha)
    close(lambda w, a: jax.random.poisson(jax.random.wrap_key_data(w), a), words, 20 * alpha)
