"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
def bessel_i0(x: _Any, name: _Any = None) -> _Any:
    """The modified Bessel function of the first kind, of order 0."""
def bessel_i0e(x: _Any, name: _Any = None) -> _Any:
    """`bessel_i0`, scaled by `exp(-|x|)`."""
def bessel_i1(x: _Any, name: _Any = None) -> _Any:
    """The modified Bessel function of the first kind, of order 1."""
def bessel_i1e(x: _Any, name: _Any = None) -> _Any:
    """`bessel_i1`, scaled by `exp(-|x|)`."""
def bessel_j0(x: _Any, name: _Any = None) -> _Any:
    """The Bessel function of the first kind, of order 0."""
def bessel_j1(x: _Any, name: _Any = None) -> _Any:
    """The Bessel function of the first kind, of order 1."""
def bessel_k0(x: _Any, name: _Any = None) -> _Any:
    """The modified Bessel function of the second kind, of order 0."""
def bessel_k0e(x: _Any, name: _Any = None) -> _Any:
    """`bessel_k0`, scaled by `exp(x)`."""
def bessel_k1(x: _Any, name: _Any = None) -> _Any:
    """The modified Bessel function of the second kind, of order 1."""
def bessel_k1e(x: _Any, name: _Any = None) -> _Any:
    """`bessel_k1`, scaled by `exp(x)`."""
def bessel_y0(x: _Any, name: _Any = None) -> _Any:
    """The Bessel function of the second kind, of order 0."""
def bessel_y1(x: _Any, name: _Any = None) -> _Any:
    """The Bessel function of the second kind, of order 1."""
def dawsn(x: _Any, name: _Any = None) -> _Any:
    """Dawson's integral, `exp(-x**2)` times the integral of `exp(t**2)` from 0 to `x`."""
def expint(x: _Any, name: _Any = None) -> _Any:
    """The exponential integral Ei, which is not a number below zero, as in TensorFlow."""
def fresnel_cos(x: _Any, name: _Any = None) -> _Any:
    """The integral of `cos(pi / 2 * t**2)` from 0 to `x`."""
def fresnel_sin(x: _Any, name: _Any = None) -> _Any:
    """The integral of `sin(pi / 2 * t**2)` from 0 to `x`."""
def spence(x: _Any, name: _Any = None) -> _Any:
    """Spence's function, the dilogarithm of `1 - x`."""
