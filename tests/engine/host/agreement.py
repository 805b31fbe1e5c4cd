"""What the tests of rules compare: a function interpreted, and the same function compiled by XLA.

Denormals are taken for zeros on both sides: XLA's programs on the CPU do so with operands and results, NumPy keeps them.
"""

from __future__ import annotations

import jax
import ml_dtypes
import numpy as np
from jax import lax

from tfgrad_jax.engine.host import primitives  # noqa: F401
from tfgrad_jax.engine.host.template import Template

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
SINGLE, DOUBLE = np.dtype("float32"), np.dtype("float64")
NARROW = [np.dtype("float16"), BFLOAT16]
FLOATS = [*NARROW, SINGLE, DOUBLE]
SIGNED = [np.dtype(f"int{n}") for n in (8, 16, 32, 64)]
UNSIGNED = [np.dtype(f"uint{n}") for n in (8, 16, 32, 64)]
INTEGERS = SIGNED + UNSIGNED
BOOL = [np.dtype(bool)]
COMPLEX = [np.dtype("complex64"), np.dtype("complex128")]

SPECIAL = [0, 1, 0.5, 1.5, 2.5, 2, 3, 10, 20, 88, 100, 1e3, 1e4, 0.99, 0.1, 0.01, 1e-3, np.inf]


@np.errstate(all="ignore")
def values(dtype: np.dtype, count: int = 60, seed: int = 0) -> np.ndarray:
    """Special values, then random ones."""
    draw = np.random.default_rng(seed)
    if dtype.kind == "b":
        return draw.integers(0, 2, count).astype(bool)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        special = [0, 1, 2, 3, 7, info.max, info.max - 1, info.min, info.min + 1] + [-1, -2, -7] * (dtype.kind == "i")
        return np.concatenate([np.array(special, dtype), draw.integers(info.min, info.max, count, dtype)])
    if dtype.kind == "c":
        return (draw.normal(size=count) + 1j * draw.normal(size=count)).astype(dtype)
    info = ml_dtypes.finfo(dtype)
    special = np.array([*SPECIAL, float(info.max), float(info.tiny) * 4], dtype)
    drawn = np.concatenate([3 * draw.normal(size=count), np.exp(3 * draw.normal(size=count))]).astype(dtype)
    return np.concatenate([special, -special, [dtype.type(np.nan)], drawn]).astype(dtype)


def pairs(dtype: np.dtype) -> tuple[np.ndarray, np.ndarray]:
    """Every value with every other one."""
    of = values(dtype, 12)
    return np.repeat(of, len(of)), np.tile(of, len(of))


def without_denormals(a: np.ndarray) -> np.ndarray:
    if a.dtype == np.float16:
        return a  # computed in float32, where its denormals are none
    zero = np.copysign(np.zeros_like(a), a)
    return np.where(np.abs(a) < ml_dtypes.finfo(a.dtype).tiny, zero, a)


@np.errstate(all="ignore")
def assert_close(got, want, ulps: float, what: str, scale=None, zeros=True) -> None:
    """Equal dtypes, shapes, NaNs, infinities and signs of zeros; the rest by units in the last place (of `scale`)."""
    got, want = np.asarray(got), np.asarray(want)
    assert (got.dtype, got.shape) == (want.dtype, want.shape), what
    if got.dtype.kind == "c":
        scale = np.abs(want) if scale is None else scale
        assert_close(got.real, want.real, ulps, what, scale)
        assert_close(got.imag, want.imag, ulps, what, scale)
        return
    if got.dtype.kind in "biu":
        np.testing.assert_array_equal(got, want, err_msg=what)
        return
    got, want = without_denormals(got), without_denormals(want)
    finite = np.isfinite(want)
    np.testing.assert_array_equal(np.isfinite(got), finite, err_msg=what)
    np.testing.assert_array_equal(np.where(finite, 0, got).astype(float), np.where(finite, 0, want).astype(float), what)
    if scale is None and zeros:
        both = (got == 0) & (want == 0)
        np.testing.assert_array_equal(np.signbit(got[both]), np.signbit(want[both]), err_msg=f"{what}: signs of zeros")
    scale = np.abs(want if scale is None else scale)
    scale = np.where(finite & np.isfinite(scale), scale, 1)
    unit = np.spacing(np.maximum(scale, ml_dtypes.finfo(got.dtype).tiny).astype(got.dtype)).astype(float)
    off = np.where(finite, np.abs(got.astype(float) - want.astype(float)), 0) / unit
    assert off.max(initial=0) <= ulps, f"{what}: {off.max()} ulps, at {np.unravel_index(off.argmax(), off.shape)}"


def assert_agree(functions: dict, *operands, ulps=2, scale=None, zeros=True) -> None:
    """Each function of the operands gives interpreted what it gives compiled."""

    def every(*operands):
        return [function(*operands) for function in functions.values()]

    with np.errstate(all="ignore"):  # as what interprets does
        results = Template(jax.make_jaxpr(every)(*operands)).flat({})(*operands)
        wanted = jax.jit(every)(*operands)
    for name, got, want in zip(functions, results, wanted, strict=True):
        bound = ulps.get(name, 2) if isinstance(ulps, dict) else ulps
        assert_close(got, want, bound, f"{name} of {operands[0].dtype}", scale, zeros)


def named(*names: str) -> dict:
    return {name: getattr(lax, name) for name in names}
