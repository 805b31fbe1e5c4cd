"""Special functions: of the error function's family, the gamma function's, and Bessel's."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from tfgrad_jax.engine.declare.op import MISSING, op
from tfgrad_jax.engine.declare.roles import Floating, Operand
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.values.dtypes import float32, float64
from tfgrad_jax.ops.common import listed, wide
from tfgrad_jax.ops.math.elementary import xlog1py_values, xlogy_values

Native: Any = Operand(frozenset({float32, float64}))
Constant: Any = Operand(frozenset({float32, float64}), differentiable=False)


# -- error function ---------------------------------------------------------------------------------------------------


@op("Erf", "math.erf")
def erf(x: Floating):
    """The Gaussian error function."""
    return lax.erf(x)


@op("Erfc", "math.erfc")
def erfc(x: Floating):
    """`1 - erf(x)`, precise for large `x`."""
    return lax.erfc(x)


@op("Erfinv", "math.erfinv")
def erfinv(x: Floating):
    """The number whose error function is `x`."""
    return lax.erf_inv(x)


@erfinv.rule
def _(cts, inputs, outputs):
    return [cts[0] * (math.sqrt(math.pi) / 2) * jnp.exp(jnp.square(outputs[0]))]


@op("Ndtri", "math.ndtri")
def ndtri(x: Floating):
    """The quantile of the standard normal distribution."""
    return _ndtri(x)


def _ndtri(x: Any) -> Any:
    return jax.scipy.special.ndtri(x.astype(jnp.promote_types(x.dtype, jnp.float32))).astype(x.dtype)


@ndtri.rule
def _(cts, inputs, outputs):
    return [cts[0] * math.sqrt(2 * math.pi) * jnp.exp(jnp.square(outputs[0]) / 2)]


@op("math.erfcinv", "math.erfcinv")
def erfcinv(x: Floating):
    """The number whose complementary error function is `x`."""
    return -_ndtri(0.5 * x) * math.sqrt(0.5)


@erfcinv.rule
def _(cts, inputs, outputs):
    return [-cts[0] * (math.sqrt(math.pi) / 2) * jnp.exp(jnp.square(outputs[0]))]


# -- gamma function ---------------------------------------------------------------------------------------------------


@jax.custom_jvp
def _digamma(x: Any) -> Any:
    return jnp.where(x == 0, jnp.nan, lax.digamma(x))  # not in all versions of JAX


@jax.custom_jvp
def _polygamma(a: Any, x: Any) -> Any:
    # JAX's series has no end at infinity.
    endless = x == jnp.inf
    found = jnp.where(endless & (a > 0), 0, lax.polygamma(*jnp.broadcast_arrays(a, jnp.where(endless, 1, x))))
    return jnp.where((a == 0) & (x == 0), jnp.nan, found)  # as for `digamma`


@jax.custom_jvp
def _zeta(x: Any, q: Any) -> Any:
    x, q = jnp.broadcast_arrays(x, q)
    found = lax.zeta(x, q)
    # Where TensorFlow's has no value, or another limit: at poles in `q`, for infinite orders, and below the order 1.
    infinite = x == jnp.inf
    even = infinite | (x == 2 * jnp.floor(x / 2))
    found = jnp.where((q <= 0) & (q == jnp.floor(q)), jnp.where(even, jnp.inf, jnp.nan), found)
    found = jnp.where(infinite & (q >= 1), jnp.where(q == 1, 1, 0), jnp.where((q == jnp.inf) & (x > 1), 0, found))
    return jnp.where(x < 1, jnp.nan, jnp.where(x == 1, jnp.inf, found)).astype(q.dtype)


# Nothing goes through their orders, which TensorFlow takes for constants, in derivatives of every order.
_polygamma.defjvps(None, lambda dx, found, a, x: dx * _polygamma(a + 1, x))
_zeta.defjvps(None, lambda dq, found, x, q: dq * -x * _zeta(x + 1, q))


_digamma.defjvps(lambda dx, found, x: dx * _polygamma(jnp.ones_like(x), x))


@op("Lgamma", "math.lgamma")
def lgamma(x: Floating):
    """The logarithm of the gamma function's absolute value."""
    return lax.lgamma(x)


@lgamma.rule
def _(cts, inputs, outputs):
    return [cts[0] * _digamma(inputs[0])]


@op("Digamma", "math.digamma")
def digamma(x: Floating):
    """The derivative of `lgamma`."""
    return _digamma(x)


@op("Polygamma", "math.polygamma")
def polygamma(a: Constant, x: Native):
    """The derivative of `digamma` of order `a`."""
    return _polygamma(a, x)


@op("Zeta", "math.zeta")
def zeta(x: Constant, q: Native):
    """The Hurwitz zeta function."""
    return _zeta(x, q)


def _defined(a: Any, x: Any) -> Any:
    """Where the incomplete gamma functions have values; XLA's are 0 or 1 in other places, too."""
    return (a > 0) & (x >= 0)


@op("Igamma", "math.igamma")
def igamma(a: Floating, x: Floating):
    """The regularized lower incomplete gamma function."""
    a, x = jnp.broadcast_arrays(a, x)
    found = jnp.where(jnp.isposinf(a), jnp.zeros_like(x), lax.igamma(a, x))
    return jnp.where(_defined(a, x), found, jnp.where(x == 0, jnp.zeros_like(x), jnp.full_like(x, jnp.nan)))


@op("Igammac", "math.igammac")
def igammac(a: Floating, x: Floating):
    """The regularized upper incomplete gamma function."""
    a, x = jnp.broadcast_arrays(a, x)
    found = jnp.where(jnp.isposinf(a), jnp.where(jnp.isposinf(x), 0, jnp.ones_like(x)), lax.igammac(a, x))
    return jnp.where(_defined(a, x), found, jnp.full_like(x, jnp.nan))


@op("IgammaGradA", "raw_ops.IgammaGradA", gradient=MISSING)
def igamma_grad_a(a: Native, x: Native):
    """The derivative of `igamma(a, x)` by `a`."""
    return lax.igamma_grad_a(*jnp.broadcast_arrays(a, x))


@op("IgammaGradX")
def _igamma_grad_x(a: Native, x: Native):
    return jnp.exp(-x + (a - 1) * jnp.log(x) - lax.lgamma(a))


@op("SumLike")
def _sum_like(x: Native, like: Constant):
    """The sum over what `like` was broadcast along."""
    more = x.ndim - like.ndim
    spread = [i + more for i, size in enumerate(like.shape) if size == 1]
    return jnp.sum(x, [*range(more), *spread]).reshape(like.shape)


def _incomplete_gamma_gradient(sign: int) -> Any:
    def gradient(view, cotangent):
        """By operations, since TensorFlow has a second derivative by `x`, and none by `a`."""
        (a, x), cotangent = view.inputs, sign * cotangent
        return [_sum_like(cotangent * igamma_grad_a(a, x), a), _sum_like(cotangent * _igamma_grad_x(a, x), x)]

    return gradient


igamma.python_gradient(_incomplete_gamma_gradient(1))
igammac.python_gradient(_incomplete_gamma_gradient(-1))


@jax.custom_jvp
def _betainc(a: Any, b: Any, x: Any) -> Any:
    return jnp.where((a > 0) & (b > 0), lax.betainc(a, b, x), jnp.full_like(x, jnp.nan))


def _beta_density(a: Any, b: Any, x: Any) -> Any:
    whole = lax.lgamma(a) + lax.lgamma(b) - lax.lgamma(a + b)
    return jnp.exp(xlog1py_values(b - 1, -x) + xlogy_values(a - 1, x) - whole)


_betainc.defjvps(None, None, lambda dx, found, a, b, x: dx * _beta_density(a, b, x))


@op("Betainc", "math.betainc")
def betainc(a: Constant, b: Constant, x: Native):
    """The regularized incomplete beta function."""
    shapes = [v.shape for v in (a, b, x)]
    if len({shape for shape in shapes if shape}) > 1:
        raise invalid_argument(
            f"a, b and x must have one shape, but for scalars; got {', '.join(map(listed, shapes))}", "Betainc"
        )
    return _betainc(*jnp.broadcast_arrays(a, b, x))


@op("math.lbeta", "math.lbeta")
def lbeta(x: Floating):
    """The logarithm of the beta function of the numbers along the last axis."""
    return jnp.sum(lax.lgamma(x), -1) - lax.lgamma(jnp.sum(x, -1))


# -- Bessel functions -------------------------------------------------------------------------------------------------


def _rounded_once(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: function(wide(x)).astype(x.dtype)


_i0, _i0e, _i1, _i1e = (
    jax.custom_jvp(_rounded_once(function))
    for function in (jax.scipy.special.i0, jax.scipy.special.i0e, jax.scipy.special.i1, jax.scipy.special.i1e)
)
# TensorFlow's derivatives, in which that of order 1 is 1 at 0.
_i0.defjvps(lambda dx, found, x: dx * _i1(x))
_i0e.defjvps(lambda dx, found, x: dx * (_i1e(x) - jnp.sign(x) * found))
_i1.defjvps(lambda dx, found, x: dx * jnp.where(x == 0, 1, _i0(x) - found / x))
_i1e.defjvps(lambda dx, found, x: dx * jnp.where(x == 0, 0.5, _i0e(x) - found * (jnp.sign(x) + 1 / x)))


@op("BesselI0", "math.bessel_i0", "math.special.bessel_i0")
def bessel_i0(x: Floating):
    """The modified Bessel function of the first kind, of order 0."""
    return _i0(x)


@op("BesselI0e", "math.bessel_i0e", "math.special.bessel_i0e")
def bessel_i0e(x: Floating):
    """`bessel_i0`, scaled by `exp(-|x|)`."""
    return _i0e(x)


@op("BesselI1", "math.bessel_i1", "math.special.bessel_i1")
def bessel_i1(x: Floating):
    """The modified Bessel function of the first kind, of order 1."""
    return _i1(x)


@op("BesselI1e", "math.bessel_i1e", "math.special.bessel_i1e")
def bessel_i1e(x: Floating):
    """`bessel_i1`, scaled by `exp(-|x|)`."""
    return _i1e(x)


@op("Expint", "math.special.expint")
def expint(x: Floating):
    """The exponential integral Ei, which is not a number below zero, as in TensorFlow."""
    return jnp.where(x < 0, jnp.nan, jnp.where(x == 0, -jnp.inf, jax.scipy.special.expi(wide(x)).astype(x.dtype)))


@expint.rule
def _(cts, inputs, outputs):
    return [cts[0] * jnp.exp(inputs[0]) / inputs[0]]


@op("Spence", "math.special.spence")
def spence(x: Floating):
    """Spence's function, the dilogarithm of `1 - x`."""
    return jax.scipy.special.spence(x)


@spence.rule
def _(cts, inputs, outputs):
    x = inputs[0]
    return [cts[0] * jnp.where(x == 1, -1, jnp.log(x) / jnp.where(x == 1, 1, 1 - x))]


@op("RandomGammaGrad", "raw_ops.RandomGammaGrad", gradient=MISSING)
def random_gamma_grad(alpha: Native, sample: Native):
    """The derivative of a draw from the gamma distribution by its parameter."""
    return lax.random_gamma_grad(*jnp.broadcast_arrays(alpha, sample))
