"""Logarithm, sine and cosine of float32 to the last digit of glibc's, on which TensorFlow's normal numbers stand.

NumPy and XLA have routines of their own, whose last digits differ from these and from each other's, and what a seed gives must
not depend on where it is drawn. The methods and their numbers are those of Arm's Optimized Routines (`logf.c`, `sincosf.h`),
which glibc has had since 2.28: short polynomials in float64, rounded once at the end.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

_INVERSES = np.array([float.fromhex(h) for h in [
    "1.661ec79f8f3bep+0", "1.571ed4aaf883dp+0", "1.49539f0f010bp+0", "1.3c995b0b80385p+0", "1.30d190c8864a5p+0",
    "1.25e227b0b8eap+0", "1.1bb4a4a1a343fp+0", "1.12358f08ae5bap+0", "1.0953f419900a7p+0", "1p+0", "1.e608cfd9a47acp-1",
    "1.ca4b31f026aap-1", "1.b2036576afce6p-1", "1.9c2d163a1aa2dp-1", "1.886e6037841edp-1", "1.767dcf5534862p-1",
]])  # fmt: skip
_LOGARITHMS = np.array([float.fromhex(h) for h in [
    "-1.57bf7808caadep-2", "-1.2bef0a7c06ddbp-2", "-1.01eae7f513a67p-2", "-1.b31d8a68224e9p-3", "-1.6574f0ac07758p-3",
    "-1.1aa2bc79c81p-3", "-1.a4e76ce8c0e5ep-4", "-1.1973c5a611cccp-4", "-1.252f438e10c1ep-5", "0p+0", "1.aa5aa5df25984p-5",
    "1.c5e53aa362eb4p-4", "1.526e57720db08p-3", "1.bc2860d22477p-3", "1.1058bc8a07ee1p-2", "1.4043057b6ee09p-2",
]])  # fmt: skip
"""The inverse of a number near the middle of each sixteenth of a power of two, and the number's logarithm."""

_LOG = [float.fromhex(h) for h in ("1.5575b0be00b6ap-2", "-1.ffffef20a4123p-2", "-1.00ea348b88334p-2")]
_COSINE = [
    float.fromhex(h)
    for h in ("-1.ffffffd0c621cp-2", "1.55553e1068f19p-5", "-1.6c087e89a359dp-10", "1.99343027bf8c3p-16")
]
_SINE = [float.fromhex(h) for h in ("-1.555545995a603p-3", "1.1107605230bc4p-7", "-1.994eb3774cf24p-13")]
_FIRST = np.int32(0x3F330000)


def log(x: Any, xp: Any) -> Any:
    """The natural logarithm of positive normal float32 numbers.

    Args:
      x: the numbers, of any shape.
      xp: the module of the array: NumPy or jax.numpy.
    """
    bits = x.view(np.int32)
    above = bits - _FIRST
    part = (above >> 19) & 15
    scaled = (bits - (above & np.int32(-0x800000))).view(np.float32).astype(np.float64)
    rest = scaled * xp.asarray(_INVERSES)[part] - 1
    whole = xp.asarray(_LOGARITHMS)[part] + (above >> 23).astype(np.float64) * math.log(2)
    square = rest * rest
    return ((_LOG[2] * square + (_LOG[0] * rest + _LOG[1])) * square + (whole + rest)).astype(np.float32)


def sine_and_cosine(angle: Any, xp: Any) -> tuple[Any, Any]:
    """Both, of float32 numbers in [0, 2 pi].

    Args:
      angle: the numbers, of any shape.
      xp: the module of the array: NumPy or jax.numpy.
    """
    x = angle.astype(np.float64)
    quarter = xp.floor(x * (2 / math.pi) + 0.5)
    x = x - quarter * (math.pi / 2)
    square = x * x
    fourth, third = square * square, square * x
    sine = (x + third * _SINE[0]) + third * square * (_SINE[1] + square * _SINE[2])
    cosine = (1 + square * _COSINE[0]) + fourth * _COSINE[1] + fourth * square * (_COSINE[2] + square * _COSINE[3])
    turn = quarter.astype(np.int32) & 3
    odd = (turn & 1) == 1
    first, second = xp.where(odd, cosine, sine).astype(np.float32), xp.where(odd, sine, cosine).astype(np.float32)
    return xp.where(turn >= 2, -first, first), xp.where((turn == 1) | (turn == 2), -second, second)
