"""Bessel functions of the other kinds, Dawson's integral and Fresnel's, by formulas that need no tables.

All of them are computed in 64 bits. The references are to the NIST Digital Library of Mathematical Functions (dlmf.nist.gov).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Floating
from tfgrad_jax.ops.math.special import Native

_FAR = 25.0
"""From here on the expansions at infinity are exact to the last bits."""


def _in_64_bits(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: function(x.astype(jnp.float64)).astype(x.dtype)


# -- of the first and second kind -------------------------------------------------------------------------------------


@functools.cache
def _circle() -> list[tuple[float, float, float]]:
    """Points on a quarter of the circle: sines, weights of Bessel's integral (10.9.1), and those of the sum in 10.8.2.

    The rule of trapezoids is exact to the last bits with more points than the argument and the highest order need.
    """
    points, orders = 160, np.arange(1, 36)
    angles = 2 * np.pi * np.arange(points // 4 + 1) / points
    weights = np.where((np.arange(points // 4 + 1) % (points // 4)) == 0, 2.0, 4.0) / points
    sums = np.cos(2 * np.outer(angles, orders)) @ ((-1.0) ** (orders + 1) / orders)
    return [
        (float(s), float(w), float(4 / np.pi * w * v)) for s, w, v in zip(np.sin(angles), weights, sums, strict=True)
    ]


def _near(order: int, x: Any) -> tuple[Any, Any, Any]:
    """Of an order, where `x` is small: J of it, the sum that belongs to Y of it, and J of order 0."""
    found = total = zero = jnp.zeros_like(x)
    for sine, weight, part in _circle():
        phase = x * sine
        even = jnp.cos(phase)
        value = jnp.sin(phase) * sine if order else even
        found, total, zero = found + weight * value, total + part * value, zero + weight * even
    return found, total, zero


def _far(order: int, x: Any) -> tuple[Any, Any]:
    """J and Y of an order where `x` is large: Hankel's expansion, 10.17.3 and 10.17.4."""
    p, q, term = jnp.ones_like(x), jnp.zeros_like(x), jnp.ones_like(x)
    for k in range(1, 16):
        term = term * (4 * order * order - (2 * k - 1) ** 2) / (8 * k * x)
        if k % 2:
            q = q + (-1) ** (k // 2) * term
        else:
            p = p + (-1) ** (k // 2) * term
    # Sines of differences, so that large arguments lose nothing.
    sine, cosine = jnp.sin(x), jnp.cos(x)
    angle = math.pi / 4 + order * math.pi / 2
    s, c = sine * math.cos(angle) - cosine * math.sin(angle), cosine * math.cos(angle) + sine * math.sin(angle)
    scale = jnp.sqrt(2 / (math.pi * x))
    return scale * (p * c - q * s), scale * (p * s + q * c)


def _first(order: int, x: Any) -> Any:
    size = jnp.abs(x)
    near = _near(order, jnp.where(size < _FAR, x, 0))[0]
    far = _far(order, jnp.where(size < _FAR, _FAR, size))[0]
    far = far * jnp.sign(x) if order else far
    return jnp.where(size < _FAR, near, jnp.where(size < jnp.inf, far, jnp.nan))


def _second(order: int, x: Any) -> Any:
    inside = (x > 0) & (x < _FAR)
    at = jnp.where(inside, x, 1)
    first, total, zero = _near(order, at)
    near = 2 / math.pi * (jnp.log(at / 2) + np.euler_gamma) * first + total
    near = near - 2 / (math.pi * at) * zero if order else near
    far = _far(order, jnp.where((x >= _FAR) & (x < jnp.inf), x, _FAR))[1]
    # As in TensorFlow there is an infinity at 0 and below, and no limit.
    return jnp.where(x <= 0, -jnp.inf, jnp.where(inside, near, jnp.where(x < jnp.inf, far, jnp.nan)))


# -- modified, of the second kind, times exp(x) -----------------------------------------------------------------------


def _modified(order: int, x: Any) -> Any:
    near = (x > 0) & (x <= 2)
    at = jnp.where(near, x, 1)
    quarter, term, harmonic = at * at / 4, jnp.ones_like(at), 0.0
    first, rest = jnp.zeros_like(at), jnp.zeros_like(at)
    for k in range(18):  # 10.31.1 and 10.31.2
        shift = 1 / (k + 1) if order else 0
        first = first + term / (k + 1 if order else 1)
        rest = rest + term / (k + 1 if order else 1) * (2 * harmonic + shift)
        term, harmonic = term * quarter / (k + 1) ** 2, harmonic + 1 / (k + 1)
    log = jnp.log(at / 2) + np.euler_gamma
    if order:
        small = 1 / at + at / 2 * log * first - at / 4 * rest
    else:
        small = -log * first + rest / 2
    far = jnp.where(near | (x <= 0), 3, x)
    large, step = jnp.full_like(far, 0.5), 3.75 / 24
    for k in range(1, 25):  # 10.32.9, by the rule of trapezoids, to where the integrand is nothing
        t = k * step
        large = large + jnp.exp(-2 * far * math.sinh(t / 2) ** 2) * (math.cosh(t) if order else 1.0)
    # Far out the integrand is narrower than the steps: 10.40.2 instead.
    tail, term = jnp.ones_like(far), jnp.ones_like(far)
    for k in range(1, 14):
        term = term * (4 * order * order - (2 * k - 1) ** 2) / (8 * k * far)
        tail = tail + term
    large = jnp.where(far < _FAR, large * step, jnp.sqrt(math.pi / (2 * far)) * tail)
    return jnp.where(x <= 0, jnp.inf, jnp.where(near, small * jnp.exp(at), jnp.where(x > 0, large, jnp.nan)))


_j0, _j1, _y0, _y1, _k0e, _k1e = (
    _in_64_bits(functools.partial(function, order)) for function in (_first, _second, _modified) for order in (0, 1)
)


@op("BesselJ0", "math.special.bessel_j0")
def bessel_j0(x: Floating):
    """The Bessel function of the first kind, of order 0."""
    return _j0(x)


@bessel_j0.rule
def _(cts, inputs, outputs):
    return [-cts[0] * _j1(inputs[0])]


@op("BesselJ1", "math.special.bessel_j1")
def bessel_j1(x: Floating):
    """The Bessel function of the first kind, of order 1."""
    return _j1(x)


@bessel_j1.rule
def _(cts, inputs, outputs):
    x = inputs[0]
    return [cts[0] * jnp.where(x == 0, 0.5, _j0(x) - outputs[0] / jnp.where(x == 0, 1, x))]


@op("BesselY0", "math.special.bessel_y0")
def bessel_y0(x: Floating):
    """The Bessel function of the second kind, of order 0."""
    return _y0(x)


@bessel_y0.rule
def _(cts, inputs, outputs):
    return [-cts[0] * _y1(inputs[0])]


@op("BesselY1", "math.special.bessel_y1")
def bessel_y1(x: Floating):
    """The Bessel function of the second kind, of order 1."""
    return _y1(x)


@bessel_y1.rule
def _(cts, inputs, outputs):
    return [cts[0] * (_y0(inputs[0]) - outputs[0] / inputs[0])]


@op("BesselK0", "math.special.bessel_k0")
def bessel_k0(x: Floating):
    """The modified Bessel function of the second kind, of order 0."""
    return _k0e(x) * jnp.exp(-x)


@bessel_k0.rule
def _(cts, inputs, outputs):
    return [-cts[0] * _k1e(inputs[0]) * jnp.exp(-inputs[0])]


@op("BesselK0e", "math.special.bessel_k0e")
def bessel_k0e(x: Floating):
    """`bessel_k0`, scaled by `exp(x)`."""
    return _k0e(x)


@bessel_k0e.rule
def _(cts, inputs, outputs):
    return [cts[0] * (outputs[0] - _k1e(inputs[0]))]


@op("BesselK1", "math.special.bessel_k1")
def bessel_k1(x: Floating):
    """The modified Bessel function of the second kind, of order 1."""
    return _k1e(x) * jnp.exp(-x)


@bessel_k1.rule
def _(cts, inputs, outputs):
    x = inputs[0]
    return [cts[0] * (-_k0e(x) * jnp.exp(-x) - outputs[0] / x)]


@op("BesselK1e", "math.special.bessel_k1e")
def bessel_k1e(x: Floating):
    """`bessel_k1`, scaled by `exp(x)`."""
    return _k1e(x)


@bessel_k1e.rule
def _(cts, inputs, outputs):
    x = inputs[0]
    return [cts[0] * (outputs[0] * (1 - 1 / x) - _k0e(x))]


# -- integrals of Dawson and Fresnel ----------------------------------------------------------------------------------


@_in_64_bits
def _dawson(x: Any) -> Any:
    # G. B. Rybicki, Computers in Physics 3 (1989) 85: a sum of Gaussians at odd places, exact to the last bits.
    step = 0.2
    known = jnp.where(jnp.abs(x) < 1e6, x, 0)
    middle = 2 * jnp.round(known / (2 * step))
    offset, total = known - middle * step, jnp.zeros_like(x)
    for k in range(-33, 34, 2):
        total = total + jnp.exp(-jnp.square(offset - k * step)) / (middle + k)
    square = jnp.square(jnp.where(jnp.abs(x) < 0.3, x, 0))
    series = jnp.ones_like(x)
    for k in range(12, 0, -1):  # 7.6.3 in the form of products
        series = 1 - 2 * square / (2 * k + 1) * series
    far = 1 / (2 * jnp.where(jnp.abs(x) < 1e6, 1, x))
    found = jnp.where(jnp.abs(x) < 0.3, x * series, total / math.sqrt(math.pi))
    return jnp.where(jnp.abs(x) < 1e6, found, far)


@op("Dawsn", "math.special.dawsn")
def dawsn(x: Native):
    """Dawson's integral, `exp(-x**2)` times the integral of `exp(t**2)` from 0 to `x`."""
    return _dawson(x)


@dawsn.rule
def _(cts, inputs, outputs):
    return [cts[0] * (1 - 2 * inputs[0] * outputs[0])]


@functools.cache
def _quadrature() -> list[tuple[float, float]]:
    """Squares of Gauss' points between 0 and 1, and their weights."""
    points, weights = np.polynomial.legendre.leggauss(48)
    return [(float((p + 1) ** 2 / 4), float(w / 2)) for p, w in zip(points, weights, strict=True)]


def _fresnel(wave: Any, sign: int) -> Callable[[Any], Any]:
    """The integral of `wave(pi / 2 * t**2)`."""

    @_in_64_bits
    def function(x: Any) -> Any:
        size = jnp.abs(x)
        near = jnp.where(size < 5, size, 0)
        total = jnp.zeros_like(x)
        for square, weight in _quadrature():
            total = total + weight * wave(math.pi / 2 * near * near * square)
        far = jnp.where((size >= 5) & (size < 1e8), size, 5)
        z = math.pi * far * far
        f = g = term = jnp.ones_like(x)
        for k in range(1, 9):  # 7.12.2 and 7.12.3
            term = -term * (4 * k - 3) * (4 * k - 1) / (z * z)
            f, g = f + term, g + term * (4 * k + 1)
        f, g = f / (math.pi * far), g / (math.pi * far * z)
        # Squares lose the phase of large arguments unless whole turns are taken off first.
        quarter = math.pi / 2 * jnp.mod(jnp.mod(far, 4) ** 2 + 2 * (far - jnp.mod(far, 4)) * jnp.mod(far, 4), 4)
        cosine, sine = jnp.cos(quarter), jnp.sin(quarter)
        tail = 0.5 + (f * sine - g * cosine if sign > 0 else -f * cosine - g * sine)
        found = jnp.where(size < 5, near * total, jnp.where(size < 1e8, tail, 0.5))
        return jnp.where(jnp.isnan(x), x, jnp.sign(x) * found)

    return function


_fresnel_cos, _fresnel_sin = _fresnel(jnp.cos, 1), _fresnel(jnp.sin, -1)


@op("FresnelCos", "math.special.fresnel_cos")
def fresnel_cos(x: Native):
    """The integral of `cos(pi / 2 * t**2)` from 0 to `x`."""
    return _fresnel_cos(x)


@fresnel_cos.rule
def _(cts, inputs, outputs):
    return [cts[0] * jnp.cos(math.pi / 2 * jnp.square(inputs[0]))]


@op("FresnelSin", "math.special.fresnel_sin")
def fresnel_sin(x: Native):
    """The integral of `sin(pi / 2 * t**2)` from 0 to `x`."""
    return _fresnel_sin(x)


@fresnel_sin.rule
def _(cts, inputs, outputs):
    return [cts[0] * jnp.sin(math.pi / 2 * jnp.square(inputs[0]))]
