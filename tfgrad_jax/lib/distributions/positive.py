"""Distributions of positive numbers, and of those that add up to 1: gamma, exponential, beta, Dirichlet's."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.names.scopes import name_scope
from tfgrad_jax.lib.distributions.checks import checked, gen_new_seed, same_floats
from tfgrad_jax.lib.distributions.distribution import FULLY_REPARAMETERIZED, Parametric
from tfgrad_jax.lib.distributions.divergence import RegisterKL
from tfgrad_jax.lib.distributions.real import located
from tfgrad_jax.ops.array.creation import convert_to_tensor, fill, ones_like
from tfgrad_jax.ops.array.gather import where
from tfgrad_jax.ops.array.shape import expand_dims
from tfgrad_jax.ops.array.sizes import shape
from tfgrad_jax.ops.host.debugging import assert_less, assert_near, assert_positive
from tfgrad_jax.ops.host.static_assertions import assert_rank_at_least, assert_same_float_dtype
from tfgrad_jax.ops.linalg.linalg import set_diag
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.elementary import exp, log, log1p, xlogy
from tfgrad_jax.ops.math.power import rsqrt, sqrt, square
from tfgrad_jax.ops.math.reduce import reduce_all, reduce_sum
from tfgrad_jax.ops.math.special import betainc, digamma, igamma, lbeta, lgamma
from tfgrad_jax.ops.random.seeds import gamma, uniform

_NOT_POSITIVE = "Concentration parameter must be positive."


def _nan(sizes: Any, dtype: Any) -> Any:
    return fill(sizes, cast(math.nan, dtype))


def covariance_of(scaled: Any, variance: Any) -> Any:
    """The matrix of covariances of shares: negative products off the diagonal, variances on it."""
    return set_diag(-expand_dims(scaled, -1) * expand_dims(scaled, -2), variance)


@export("compat.v1.distributions.Gamma")
class Gamma(Parametric):
    """The gamma distribution. Mirrors `tf.compat.v1.distributions.Gamma`.

    Args:
      concentration: its shape.
      rate: the inverse of its scale.
      validate_args, allow_nan_stats, name: as for `Distribution`.

    Raises:
      ValueError: if the parameters are not of one floating dtype.
      InvalidArgumentError: if `validate_args`, for parameters that are not positive.
    """

    def __init__(
        self,
        concentration: Any,
        rate: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Gamma",
    ) -> None:
        given = dict(locals())
        with name_scope(name) as name:
            positive = ("concentration", "rate") if validate_args else ()
            self.concentration, self.rate = same_floats(positive, concentration=concentration, rate=rate)
        super().__init__(given, self.rate.dtype, FULLY_REPARAMETERIZED, [self.concentration, self.rate], name)

    @staticmethod
    def _param_shapes(sample_shape: Any) -> dict[str, Any]:
        return located(sample_shape, "concentration", "rate")

    def _valid(self, x: Any) -> Any:
        assert_same_float_dtype([x], self.dtype)
        return checked(x, assert_positive(x)) if self.validate_args else x

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        return gamma([n], self.concentration, self.rate, dtype=self.dtype, seed=seed)

    def _log_prob(self, x: Any) -> Any:
        x = self._valid(x)
        norm = lgamma(self.concentration) - self.concentration * log(self.rate)
        return xlogy(self.concentration - 1.0, x) - self.rate * x - norm

    def _cdf(self, x: Any) -> Any:
        return igamma(self.concentration, self.rate * self._valid(x))

    def _entropy(self) -> Any:
        a = self.concentration
        return a - log(self.rate) + lgamma(a) + (1.0 - a) * digamma(a)

    def _mean(self) -> Any:
        return self.concentration / self.rate

    def _variance(self) -> Any:
        return self.concentration / square(self.rate)

    def _stddev(self) -> Any:
        return sqrt(self.concentration) / self.rate

    def _mode(self) -> Any:
        mode = (self.concentration - 1.0) / self.rate
        if self.allow_nan_stats:
            return where(self.concentration > 1.0, mode, _nan(self.batch_shape_tensor(), self.dtype))
        told = "mode not defined when any concentration <= 1"
        return checked(mode, assert_less(cast(1.0, self.dtype), self.concentration, message=told))


@RegisterKL(Gamma, Gamma)
def _kl_gamma(a: Gamma, b: Gamma, name: str | None = None) -> Any:
    with name_scope(name or "kl_gamma_gamma"):
        by_shape = (a.concentration - b.concentration) * digamma(a.concentration)
        norms = lgamma(b.concentration) - lgamma(a.concentration)
        by_rate = b.concentration * (log(a.rate) - log(b.rate)) + a.concentration * (b.rate / a.rate - 1.0)
        return by_shape + norms + by_rate


@export("compat.v1.distributions.Exponential")
class Exponential(Gamma):
    """The exponential distribution. Mirrors `tf.compat.v1.distributions.Exponential`.

    Args:
      rate: the inverse of the mean.
      validate_args, allow_nan_stats, name: as for `Distribution`.

    Raises:
      ValueError: if the rate is not floating.
      InvalidArgumentError: if `validate_args`, for a rate that is not positive.
    """

    def __init__(
        self, rate: Any, validate_args: bool = False, allow_nan_stats: bool = True, name: str = "Exponential"
    ) -> None:
        given = dict(locals())
        with name_scope(name) as name:
            rate = convert_to_tensor(rate, name="rate")
        super().__init__(cast(1.0, rate.dtype), rate, validate_args, allow_nan_stats, name)
        self._parameters = given

    @staticmethod
    def _param_shapes(sample_shape: Any) -> dict[str, Any]:
        return located(sample_shape, "rate")

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        least = np.finfo(self.dtype.as_numpy_dtype).tiny  # its logarithm is finite
        return -log(uniform(self._drawn(n), minval=least, maxval=1.0, dtype=self.dtype, seed=seed)) / self.rate

    def _log_survival_function(self, value: Any) -> Any:
        return self._log_prob(value) - log(self.rate)


@export("compat.v1.distributions.Beta")
class Beta(Parametric):
    """The beta distribution, over (0, 1). Mirrors `tf.compat.v1.distributions.Beta`.

    Args:
      concentration1: the more, the nearer to 1.
      concentration0: the more, the nearer to 0.
      validate_args, allow_nan_stats, name: as for `Distribution`.

    Raises:
      ValueError: if the parameters are not of one floating dtype.
      InvalidArgumentError: if `validate_args`, for parameters that are not positive.
    """

    def __init__(
        self,
        concentration1: Any = None,
        concentration0: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Beta",
    ) -> None:
        given = dict(locals())
        with name_scope(name) as name:
            both = same_floats(concentration1=concentration1, concentration0=concentration0)
            if validate_args:
                both = [checked(one, assert_positive(one, message=_NOT_POSITIVE)) for one in both]
            self.concentration1, self.concentration0 = both
            self.total_concentration = self.concentration1 + self.concentration0
        super().__init__(given, self.total_concentration.dtype, FULLY_REPARAMETERIZED, [self.total_concentration], name)

    @staticmethod
    def _param_shapes(sample_shape: Any) -> dict[str, Any]:
        return located(sample_shape, "concentration1", "concentration0")

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        every = ones_like(self.total_concentration)
        one = gamma([n], every * self.concentration1, dtype=self.dtype, seed=seed)
        zero = gamma([n], every * self.concentration0, dtype=self.dtype, seed=gen_new_seed(seed, "beta"))
        return one / (one + zero)

    def _log_norm(self) -> Any:
        return lgamma(self.concentration1) + lgamma(self.concentration0) - lgamma(self.total_concentration)

    def _log_prob(self, x: Any) -> Any:
        if self.validate_args:
            below = assert_less(x, cast(1.0, self.dtype), message="sample must be less than `1`.")
            x = checked(x, assert_positive(x, message="sample must be positive"), below)
        return xlogy(self.concentration1 - 1.0, x) + (self.concentration0 - 1.0) * log1p(-x) - self._log_norm()

    def _cdf(self, x: Any) -> Any:
        return betainc(self.concentration1, self.concentration0, x)

    def _entropy(self) -> Any:
        one = (self.concentration1 - 1.0) * digamma(self.concentration1)
        zero = (self.concentration0 - 1.0) * digamma(self.concentration0)
        return self._log_norm() - one - zero + (self.total_concentration - 2.0) * digamma(self.total_concentration)

    def _mean(self) -> Any:
        return self.concentration1 / self.total_concentration

    def _variance(self) -> Any:
        return self._mean() * (1.0 - self._mean()) / (1.0 + self.total_concentration)

    def _mode(self) -> Any:
        mode = (self.concentration1 - 1.0) / (self.total_concentration - 2.0)
        if self.allow_nan_stats:
            defined = (self.concentration1 > 1.0) & (self.concentration0 > 1.0)
            return where(defined, mode, _nan(self.batch_shape_tensor(), self.dtype))
        both = {"concentration1": self.concentration1, "concentration0": self.concentration0}
        one = cast(1.0, self.dtype)
        return checked(mode, *[assert_less(one, c, message=f"Mode undefined for {n} <= 1.") for n, c in both.items()])


@RegisterKL(Beta, Beta)
def _kl_beta(a: Beta, b: Beta, name: str | None = None) -> Any:
    with name_scope(name or "kl_beta_beta"):
        one = digamma(a.concentration1) * (b.concentration1 - a.concentration1)
        zero = digamma(a.concentration0) * (b.concentration0 - a.concentration0)
        both = digamma(a.total_concentration) * (b.total_concentration - a.total_concentration)
        return b._log_norm() - a._log_norm() - one - zero + both


@export("compat.v1.distributions.Dirichlet")
class Dirichlet(Parametric):
    """Dirichlet's distribution, of vectors that add up to 1. Mirrors `tf.compat.v1.distributions.Dirichlet`.

    Args:
      concentration: a positive number for each class, along the last axis.
      validate_args, allow_nan_stats, name: as for `Distribution`.

    Raises:
      InvalidArgumentError: if `validate_args`, for numbers that are not positive, or fewer than two.
    """

    _event_rank = 1

    def __init__(
        self, concentration: Any, validate_args: bool = False, allow_nan_stats: bool = True, name: str = "Dirichlet"
    ) -> None:
        given = dict(locals())
        with name_scope(name) as name:
            found: Any = convert_to_tensor(concentration, name="concentration")
            if validate_args:
                positive = assert_positive(found, message=_NOT_POSITIVE)
                assert_rank_at_least(found, 1, message="Concentration parameter must have >=1 dimensions.")
                told = "Concentration parameter must have event_size >= 2."
                found = checked(found, positive, assert_less(1, shape(found)[-1], message=told))
            self.concentration = found
            self.total_concentration = reduce_sum(found, -1)
        super().__init__(given, found.dtype, FULLY_REPARAMETERIZED, [found], name)

    def _classes(self) -> Any:
        return cast(self.event_shape_tensor()[0], self.dtype)

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        drawn = gamma([n], self.concentration, dtype=self.dtype, seed=seed)
        return drawn / reduce_sum(drawn, -1, keepdims=True)

    def _log_prob(self, x: Any) -> Any:
        if self.validate_args:
            told = "sample last-dimension must sum to `1`"
            sums = assert_near(cast(1.0, self.dtype), reduce_sum(x, -1), message=told)
            x = checked(x, assert_positive(x, message="samples must be positive"), sums)
        return reduce_sum(xlogy(self.concentration - 1.0, x), -1) - lbeta(self.concentration)

    def _prob(self, x: Any) -> Any:
        return exp(self._log_prob(x))

    def _entropy(self) -> Any:
        total = (self.total_concentration - self._classes()) * digamma(self.total_concentration)
        return (
            lbeta(self.concentration) + total - reduce_sum((self.concentration - 1.0) * digamma(self.concentration), -1)
        )

    def _mean(self) -> Any:
        return self.concentration / expand_dims(self.total_concentration, -1)

    def _scaled(self) -> tuple[Any, Any]:
        scale = rsqrt(1.0 + expand_dims(self.total_concentration, -1))
        return scale, scale * self._mean()

    def _variance(self) -> Any:
        scale, x = self._scaled()
        return x * (scale - x)

    def _covariance(self) -> Any:
        return covariance_of(self._scaled()[1], self._variance())

    def _mode(self) -> Any:
        mode = (self.concentration - 1.0) / (expand_dims(self.total_concentration, -1) - self._classes())
        if self.allow_nan_stats:
            defined = reduce_all(
                self.concentration > 1.0, -1
            )  # along the last axis, as in TensorFlow: for one distribution
            return where(defined, mode, _nan(shape(mode), self.dtype))
        told = "Mode undefined when any concentration <= 1"
        return checked(mode, assert_less(cast(1.0, self.dtype), self.concentration, message=told))


@RegisterKL(Dirichlet, Dirichlet)
def _kl_dirichlet(a: Dirichlet, b: Dirichlet, name: str | None = None) -> Any:
    with name_scope(name or "kl_dirichlet_dirichlet"):
        means = digamma(a.concentration) - digamma(expand_dims(a.total_concentration, -1))
        shifts = reduce_sum((a.concentration - b.concentration) * means, -1)
        return shifts - lbeta(a.concentration) + lbeta(b.concentration)
