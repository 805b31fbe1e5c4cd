"""Special functions as SciPy has them, with XLA's answers where the two differ.

SciPy is loaded when the first of them is met, because that takes as long as compiling a few of them.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from tfgrad_jax.engine.host.dtypes import FLOAT32, NARROW, is_float
from tfgrad_jax.engine.host.rules import Call, Function, NoRule, rule


@functools.cache
def _scipy() -> Any:
    return importlib.import_module("scipy.special")


def _odd(function: Function) -> Function:
    """With -0.0 for -0.0."""
    return lambda a: np.where(a == 0, a, function(a))


def _lgamma(scipy: Any) -> Function:
    return lambda a: np.where(np.isinf(a), np.abs(a), scipy.gammaln(a))


def _digamma(scipy: Any) -> Function:
    return lambda a: np.where(a == 0, np.nan, scipy.psi(a)).astype(a.dtype)


def _igamma(scipy: Any) -> Function:
    lower = _at_infinity(scipy.gammainc, 1)
    return lambda a, x: np.where((a == 0) & (x > 0) & (x < 1), np.nan, lower(a, x)).astype(x.dtype)


def _igammac(scipy: Any) -> Function:
    return _at_infinity(scipy.gammaincc, 0)


def _at_infinity(function: Function, limit: float) -> Function:
    def corrected(a: Any, x: Any) -> Any:
        made = np.where(np.isposinf(a) & (x >= 1), np.where(np.isposinf(x), limit, np.nan), function(a, x))
        return made.astype(x.dtype)

    return corrected


def _zeta(scipy: Any) -> Function:
    def zeta(x: Any, q: Any) -> Any:
        made = np.where((np.isposinf(q) & (x != 1)) | (np.isposinf(x) & (q <= 1)), np.nan, scipy.zeta(x, q))
        pole = np.where((x == 1) | (np.fmod(x, 2) == 0), np.inf, np.nan)
        return np.where((q <= 0) & (q == np.floor(q)), pole, made).astype(x.dtype)

    return zeta


def _polygamma(scipy: Any) -> Function:
    digamma, zeta = _digamma(scipy), _zeta(scipy)

    def polygamma(n: Any, x: Any) -> Any:
        sign = np.where(np.fmod(n, 2) == 0, -1, 1)
        made = sign * scipy.gamma(n + 1) * zeta(n + 1, x)
        return np.where(n == 0, digamma(x), np.where((n < 0) | (n != np.floor(n)), np.nan, made)).astype(x.dtype)

    return polygamma


_FUNCTIONS: dict[str, Callable[[Any], Function]] = {
    "erf": lambda scipy: scipy.erf,
    "erfc": lambda scipy: scipy.erfc,
    "erf_inv": lambda scipy: _odd(scipy.erfinv),
    "bessel_i0e": lambda scipy: scipy.i0e,
    "bessel_i1e": lambda scipy: _odd(scipy.i1e),
    "regularized_incomplete_beta": lambda scipy: scipy.betainc,
    "lgamma": _lgamma,
    "digamma": _digamma,
    "igamma": _igamma,
    "igammac": _igammac,
    "zeta": _zeta,
    "polygamma": _polygamma,
}


@rule(*_FUNCTIONS)
def _(call: Call) -> Function:
    dtype = call.ins[0].dtype
    if not is_float(dtype):
        raise NoRule(f"{call.name} of {dtype}")
    function = _function(call.name)
    if dtype not in NARROW:
        return function
    return lambda *operands: function(*[a.astype(FLOAT32) for a in operands]).astype(dtype)


@functools.cache
def _function(name: str) -> Function:
    return _FUNCTIONS[name](_scipy())
