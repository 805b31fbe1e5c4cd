"""The promotion of dtypes in the modes "all" and "safe" of `tf.experimental.numpy`: those of Python numbers are weak."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.dtypes import DType, as_dtype


class Kind(NamedTuple):
    """A dtype, and whether it gives way to those that the program chose."""

    dtype: DType
    weak: bool = False

    def __str__(self) -> str:
        return f"({self.dtype}, weak={self.weak})"


_DIGITS = {"bfloat16": 8, "float16": 11, "float32": 24, "float64": 53, "complex64": 24, "complex128": 53}
"""How many bits of an integer these hold."""


def _order(dtype: DType) -> int:
    return 3 if dtype.is_complex else 2 if dtype.is_floating else 1 if dtype.is_integer else 0


def known(dtype: DType) -> bool:
    """Whether there is a promotion of this dtype at all: not of strings, nor of what is quantized."""
    return dtype is dtypes.bool_ or dtype.name in _DIGITS or (dtype.is_integer and not dtype.is_quantized)


def promote(x: Kind, y: Kind) -> Kind:
    """What an operation on both has in the mode "all"."""
    if x.dtype is dtypes.bool_ or y.dtype is dtypes.bool_:
        return y if x.dtype is dtypes.bool_ else x
    low, high = sorted((x, y), key=lambda kind: (_order(kind.dtype), kind.dtype.size))
    if x.weak and y.weak:
        return high
    if x.weak or y.weak:
        weak, strong = (x, y) if x.weak else (y, x)
        if _order(weak.dtype) <= _order(strong.dtype):
            return strong
        if _order(strong.dtype) == 1:
            return Kind(dtypes.complex128 if weak.dtype.is_complex else dtypes.float64, True)
        return Kind(dtypes.complex128 if strong.dtype is dtypes.float64 else dtypes.complex64)
    if _order(low.dtype) == 1 < _order(high.dtype):
        return high
    if {x.dtype, y.dtype} == {dtypes.bfloat16, dtypes.float16}:
        return Kind(dtypes.float32)
    if dtypes.bfloat16 in (x.dtype, y.dtype):
        return high
    found = as_dtype(np.promote_types(x.dtype.as_numpy_dtype, y.dtype.as_numpy_dtype))
    return Kind(found, _order(found) > _order(high.dtype))


def _safe(x: Kind, y: Kind, found: Kind) -> bool:
    exact = all(
        kind.weak or kind.dtype in (found.dtype, dtypes.bool_) or _bits(kind.dtype) <= _DIGITS.get(found.dtype.name, 64)
        for kind in (x, y)
    )
    return exact and found.dtype in (x.dtype, y.dtype)


def _bits(dtype: DType) -> int:
    return int(np.iinfo(dtype.as_numpy_dtype).bits) - (not dtype.is_unsigned) if dtype.is_integer else 0


def promoted_kind(mode: str, x: Kind, y: Kind) -> Kind:
    """What an operation on both has in a mode.

    Raises:
      TypeError: in the mode "safe", if one of the two would lose something, or neither is what both fit in.
    """
    found = promote(x, y)
    if mode == "safe" and not _safe(x, y, found):
        raise TypeError(
            f"In promotion mode PromoMode.SAFE, implicit dtype promotion between {x} and {y} is disallowed. You need to explicitly "
            f"specify the dtype in your op, or relax your dtype promotion rules (such as from SAFE mode to ALL mode)."
        )
    return found
