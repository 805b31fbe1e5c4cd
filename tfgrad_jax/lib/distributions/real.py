"""Distributions of real numbers: normal, Laplace's, Student's, uniform."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.names.scopes import name_scope
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.lib.distributions.checks import all_checked, checked, gen_new_seed, same_floats
from tfgrad_jax.lib.distributions.distribution import FULLY_REPARAMETERIZED, Parametric
from tfgrad_jax.lib.distributions.divergence import RegisterKL
from tfgrad_jax.ops.array.creation import convert_to_tensor, fill, identity, ones, ones_like, zeros_like
from tfgrad_jax.ops.array.gather import where
from tfgrad_jax.ops.host.debugging import assert_less
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.compare import is_nan
from tfgrad_jax.ops.math.elementary import exp, log, log1p
from tfgrad_jax.ops.math.power import rsqrt, square
from tfgrad_jax.ops.math.rounding import abs as absolute
from tfgrad_jax.ops.math.rounding import maximum, minimum, sign
from tfgrad_jax.ops.math.special import betainc, digamma, erfc, lgamma, ndtri
from tfgrad_jax.ops.random.seeds import gamma, normal, uniform

_LOG_NORMAL_BOUNDS = {dtypes.float32: (-10.0, 5.0), dtypes.float64: (-20.0, 8.0)}
"""Below the first the logarithm is a series, above the second it is that of the rest."""


def located(sample_shape: Any, *names: str) -> dict[str, Any]:
    """The shape that each of the parameters has for samples of this shape."""
    return dict.fromkeys(names, convert_to_tensor(sample_shape, dtype=dtypes.int32))


def _normal_below(z: Any) -> Any:
    """The probability of normal samples up to `z`."""
    if z.dtype not in _LOG_NORMAL_BOUNDS:
        raise TypeError(f"x.dtype={z.dtype} is not handled: Normal has its cdf in float32 and float64")
    return 0.5 * erfc(-z * math.sqrt(0.5))


def _log_normal_below(z: Any) -> Any:
    """The logarithm of `_normal_below`, which far below is that of the asymptotic series."""
    inside = (
        _normal_below(maximum(z, _LOG_NORMAL_BOUNDS[z.dtype][0])) if z.dtype in _LOG_NORMAL_BOUNDS else _normal_below(z)
    )
    low, high = _LOG_NORMAL_BOUNDS[z.dtype]
    far = minimum(z, low)
    inverse = 1.0 / square(far)
    series = 1.0 - inverse * (1.0 - 3.0 * inverse * (1.0 - 5.0 * inverse))
    below = -0.5 * square(far) - log(-far) - 0.5 * math.log(2 * math.pi) + log(series)
    return where(z > high, -_normal_below(-z), where(z > low, log(inside), below))


@export("compat.v1.distributions.Normal")
class Normal(Parametric):
    """The normal distribution. Mirrors `tf.compat.v1.distributions.Normal`.

    Args:
      loc: the mean.
      scale: the standard deviation.
      validate_args, allow_nan_stats, name: as for `Distribution`.

    Raises:
      ValueError: if the parameters are not of one floating dtype.
      InvalidArgumentError: if `validate_args`, for a scale that is not positive.
    """

    def __init__(
        self, loc: Any, scale: Any, validate_args: bool = False, allow_nan_stats: bool = True, name: str = "Normal"
    ) -> None:
        given = dict(locals())
        with name_scope(name) as name:
            self.loc, self.scale = same_floats(("scale",) if validate_args else (), loc=loc, scale=scale)
        super().__init__(given, self.scale.dtype, FULLY_REPARAMETERIZED, [self.loc, self.scale], name)

    @staticmethod
    def _param_shapes(sample_shape: Any) -> dict[str, Any]:
        return located(sample_shape, "loc", "scale")

    def _z(self, x: Any) -> Any:
        return (x - self.loc) / self.scale

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        return normal(self._drawn(n), dtype=self.dtype, seed=seed) * self.scale + self.loc

    def _log_prob(self, x: Any) -> Any:
        return -0.5 * square(self._z(x)) - (0.5 * math.log(2 * math.pi) + log(self.scale))

    def _log_cdf(self, x: Any) -> Any:
        return _log_normal_below(self._z(x))

    def _cdf(self, x: Any) -> Any:
        return _normal_below(self._z(x))

    def _log_survival_function(self, x: Any) -> Any:
        return _log_normal_below(-self._z(x))

    def _survival_function(self, x: Any) -> Any:
        return _normal_below(-self._z(x))

    def _quantile(self, p: Any) -> Any:
        return ndtri(p) * self.scale + self.loc

    def _entropy(self) -> Any:
        return 0.5 * math.log(2 * math.pi * math.e) + log(self._stddev())

    def _mean(self) -> Any:
        return self.loc * ones_like(self.scale)

    _mode = _mean

    def _stddev(self) -> Any:
        return self.scale * ones_like(self.loc)


@RegisterKL(Normal, Normal)
def _kl_normal(a: Normal, b: Normal, name: str | None = None) -> Any:
    with name_scope(name or "kl_normal_normal"):
        ratio = square(a.scale) / square(b.scale)
        return square(a.loc - b.loc) / (2.0 * square(b.scale)) + 0.5 * (ratio - 1.0 - log(ratio))


@export("compat.v1.distributions.Laplace")
class Laplace(Parametric):
    """Laplace's distribution: exponential to both sides. Mirrors `tf.compat.v1.distributions.Laplace`.

    Args:
      loc: the mean.
      scale: how far samples are from it in the mean.
      validate_args, allow_nan_stats, name: as for `Distribution`.

    Raises:
      ValueError: if the parameters are not of one floating dtype.
      InvalidArgumentError: if `validate_args`, for a scale that is not positive.
    """

    def __init__(
        self, loc: Any, scale: Any, validate_args: bool = False, allow_nan_stats: bool = True, name: str = "Laplace"
    ) -> None:
        given = dict(locals())
        with name_scope(name) as name:
            self.loc, self.scale = same_floats(("scale",) if validate_args else (), loc=loc, scale=scale)
        super().__init__(given, self.loc.dtype, FULLY_REPARAMETERIZED, [self.loc, self.scale], name)

    @staticmethod
    def _param_shapes(sample_shape: Any) -> dict[str, Any]:
        return located(sample_shape, "loc", "scale")

    def _z(self, x: Any) -> Any:
        return (x - self.loc) / self.scale

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        number = self.dtype.as_numpy_dtype
        above = np.nextafter(number(-1.0), number(0.0))  # the logarithm of what is left of 1 stays finite
        drawn = uniform(self._drawn(n), minval=above, maxval=1.0, dtype=self.dtype, seed=seed)
        return self.loc - self.scale * sign(drawn) * log1p(-absolute(drawn))

    def _log_prob(self, x: Any) -> Any:
        return -absolute(self._z(x)) - (math.log(2.0) + log(self.scale))

    def _cdf(self, x: Any) -> Any:
        z = self._z(x)
        return 0.5 + 0.5 * sign(z) * (1.0 - exp(-absolute(z)))

    def _log_cdf(self, x: Any) -> Any:
        return self._log_below(self._z(x))

    def _log_survival_function(self, x: Any) -> Any:
        return self._log_below(-self._z(x))

    @staticmethod
    def _log_below(z: Any) -> Any:
        return where(z < 0.0, z - math.log(2.0), log1p(-0.5 * exp(-absolute(z))))

    def _entropy(self) -> Any:
        return math.log(2.0) + 1.0 + log(self.scale + zeros_like(self.loc))

    def _mean(self) -> Any:
        return self.loc + zeros_like(self.scale)

    _mode = _mean

    def _stddev(self) -> Any:
        return math.sqrt(2.0) * self.scale + zeros_like(self.loc)


@export("compat.v1.distributions.StudentT")
class StudentT(Parametric):
    """Student's t distribution. Mirrors `tf.compat.v1.distributions.StudentT`.

    Args:
      df: degrees of freedom: the fewer, the more samples lie far out.
      loc: the mean, where there is one.
      scale: how wide it is.
      validate_args, allow_nan_stats, name: as for `Distribution`.

    Raises:
      ValueError: if the parameters are not of one floating dtype.
      InvalidArgumentError: if `validate_args`, where `df` is not positive.
    """

    def __init__(
        self,
        df: Any,
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "StudentT",
    ) -> None:
        given = dict(locals())
        with name_scope(name) as name:
            parameters = same_floats(("df",) if validate_args else (), df=df, loc=loc, scale=scale)
            self.df, self.loc, self.scale = parameters
        super().__init__(given, self.scale.dtype, FULLY_REPARAMETERIZED, [self.df, self.loc, self.scale], name)

    @staticmethod
    def _param_shapes(sample_shape: Any) -> dict[str, Any]:
        return located(sample_shape, "df", "loc", "scale")

    def _everywhere(self, value: Any) -> Any:
        """A value for each of the distributions."""
        return value * ones(self.batch_shape_tensor(), dtype=self.dtype)

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        drawn = normal(self._drawn(n), dtype=self.dtype, seed=seed)
        df = self._everywhere(self.df)
        widths = gamma([n], 0.5 * df, beta=0.5, dtype=self.dtype, seed=gen_new_seed(seed, "student_t"))
        return drawn * rsqrt(widths / df) * self.scale + self.loc

    def _log_prob(self, x: Any) -> Any:
        y = (x - self.loc) / self.scale
        half = 0.5 * (self.df + 1.0)
        norm = log(absolute(self.scale)) + 0.5 * log(self.df) + 0.5 * math.log(math.pi)
        return -half * log1p(square(y) / self.df) - (norm + lgamma(0.5 * self.df) - lgamma(half))

    def _cdf(self, x: Any) -> Any:
        y = (x - self.loc) / absolute(self.scale)
        tail = 0.5 * betainc(0.5 * self.df, cast(0.5, self.dtype), self.df / (square(y) + self.df))
        return where(y < 0.0, tail, 1.0 - tail)

    def _entropy(self) -> Any:
        df = self._everywhere(self.df)
        half = 0.5 * (df + 1.0)
        beta = lgamma(0.5 * df) + 0.5 * math.log(math.pi) - lgamma(half)
        return log(absolute(self.scale)) + 0.5 * log(df) + beta + half * (digamma(half) - digamma(0.5 * df))

    def _mean(self) -> Any:
        return self._from_df_1(self._everywhere(self.loc), "mean")

    def _variance(self) -> Any:
        above = where(self.df > 2.0, self.df - 2.0, ones_like(self.df))
        finite = self._everywhere(square(self.scale) * self.df / above)
        infinite = self._everywhere(cast(math.inf, self.dtype))
        return self._from_df_1(where(self.df > 2.0, finite, infinite), "variance")

    def _from_df_1(self, value: Any, what: str) -> Any:
        """The value where there are more degrees of freedom than one: NaN, or an error, where it is not defined."""
        if self.allow_nan_stats:
            return where(self.df > 1.0, value, fill(self.batch_shape_tensor(), cast(math.nan, self.dtype)))
        told = f"{what} not defined for components of df <= 1"
        return checked(value, assert_less(cast(1.0, self.dtype), self.df, message=told))

    def _mode(self) -> Any:
        return identity(self.loc)


@export("compat.v1.distributions.Uniform")
class Uniform(Parametric):
    """The uniform distribution over `[low, high)`. Mirrors `tf.compat.v1.distributions.Uniform`.

    Args:
      low: where it begins.
      high: where it ends.
      validate_args, allow_nan_stats, name: as for `Distribution`.

    Raises:
      ValueError: if the bounds are not of one floating dtype.
      InvalidArgumentError: if `validate_args`, unless `low < high`.
    """

    def __init__(
        self,
        low: Any = 0.0,
        high: Any = 1.0,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Uniform",
    ) -> None:
        given = dict(locals())
        with name_scope(name) as name:
            bounds = same_floats(low=low, high=high)
            if validate_args:
                told = "uniform not defined when low >= high."
                bounds = all_checked(bounds, [assert_less(bounds[0], bounds[1], message=told)])
            self.low, self.high = bounds
        super().__init__(given, self.low.dtype, FULLY_REPARAMETERIZED, [self.low, self.high], name)

    @staticmethod
    def _param_shapes(sample_shape: Any) -> dict[str, Any]:
        return located(sample_shape, "low", "high")

    def range(self, name: str = "range") -> Any:
        """`high - low`."""
        with self._name_scope(name):
            return self.high - self.low

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        return self.low + self.range() * uniform(self._drawn(n), dtype=self.dtype, seed=seed)

    def _prob(self, x: Any) -> Any:
        x = x * ones(self.batch_shape_tensor(), dtype=x.dtype)
        inside = where((x < self.low) | (x >= self.high), zeros_like(x), ones_like(x) / self.range())
        return where(is_nan(x), x, inside)

    def _cdf(self, x: Any) -> Any:
        every = x * ones(self.batch_shape_tensor(), dtype=self.dtype)
        below = where(x < self.low, zeros_like(every), (every - self.low) / self.range())
        return where(x >= self.high, ones_like(every), below)

    def _entropy(self) -> Any:
        return log(self.range())

    def _mean(self) -> Any:
        return (self.low + self.high) / 2.0

    def _variance(self) -> Any:
        return square(self.range()) / 12.0

    def _stddev(self) -> Any:
        return self.range() / math.sqrt(12.0)
