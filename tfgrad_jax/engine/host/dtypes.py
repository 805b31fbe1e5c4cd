"""What rules ask about dtypes."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from tfgrad_jax.engine.host.rules import Function, NoRule

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
FLOAT16 = np.dtype(np.float16)
FLOAT32 = np.dtype(np.float32)
FLOAT64 = np.dtype(np.float64)

NARROW = frozenset({FLOAT16, BFLOAT16})
"""Floats that XLA computes with in float32, rounding every result."""

FLOATS = NARROW | {FLOAT32, FLOAT64}


def is_float(dtype: np.dtype) -> bool:
    """Whether it is a real float. `kind` does not say: bfloat16's is "V"."""
    return dtype in FLOATS


def is_real(dtype: np.dtype) -> bool:
    """Whether it is a real number: a float, an integer, a bool."""
    return dtype.kind in "biu" or dtype in FLOATS


def known(dtype: np.dtype) -> None:
    """Refuse what the rules are not made for.

    Raises:
      NoRule: for floats of 8 bits and fewer, integers of 4 bits, keys of random streams.
    """
    if dtype.kind not in "biufc" and dtype not in FLOATS:
        raise NoRule(f"on {dtype}")


def wide(dtype: np.dtype) -> np.dtype:
    """The dtype to compute in: float32 for the narrow floats, otherwise the dtype itself."""
    return FLOAT32 if dtype in NARROW else dtype


def bits_of(dtype: np.dtype, sign: str = "u") -> np.dtype:
    """The integers ("u" or "i") as wide as a dtype."""
    return np.dtype(f"{sign}{dtype.itemsize}")


def unary_in(inner: np.dtype, function: Function, outer: np.dtype) -> Function:
    """A function of one operand, computed in `inner`; the result is rounded to `outer` once."""

    def converted(a):
        return function(a.astype(inner)).astype(outer)

    return converted


def binary_in(inner: np.dtype, function: Function, outer: np.dtype) -> Function:
    """A function of two operands, computed in `inner`; the result is rounded to `outer` once."""

    def converted(a, b):
        return function(a.astype(inner), b.astype(inner)).astype(outer)

    return converted
