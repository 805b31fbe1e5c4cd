"""Distributions of classes and of how often each came: Bernoulli's, categorical, multinomial, Dirichlet's multinomial."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.names.scopes import name_scope
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.lib.distributions.checks import checked, gen_new_seed, logits_and_probs, whole, with_classes
from tfgrad_jax.lib.distributions.distribution import NOT_REPARAMETERIZED, Parametric
from tfgrad_jax.lib.distributions.divergence import RegisterKL
from tfgrad_jax.lib.distributions.positive import covariance_of
from tfgrad_jax.lib.distributions.real import located
from tfgrad_jax.ops.array.array import concat
from tfgrad_jax.ops.array.creation import convert_to_tensor, identity, one_hot, ones, ones_like, zeros_like
from tfgrad_jax.ops.array.gather import where
from tfgrad_jax.ops.array.shape import expand_dims, reshape, transpose
from tfgrad_jax.ops.array.sizes import shape
from tfgrad_jax.ops.array.sorting import sequence_mask
from tfgrad_jax.ops.control.functional import map_fn
from tfgrad_jax.ops.host.debugging import assert_equal, assert_positive
from tfgrad_jax.ops.linalg.linalg import set_diag
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.elementary import log, sigmoid
from tfgrad_jax.ops.math.power import sqrt
from tfgrad_jax.ops.math.reduce import argmax, reduce_sum
from tfgrad_jax.ops.math.special import lbeta, lgamma
from tfgrad_jax.ops.nn.losses import sigmoid_cross_entropy_with_logits, sparse_softmax_cross_entropy_with_logits
from tfgrad_jax.ops.nn.nn import log_softmax, softmax, softplus
from tfgrad_jax.ops.random.seeds import categorical, gamma, uniform


@export("compat.v1.distributions.Bernoulli")
class Bernoulli(Parametric):
    """Bernoulli's distribution, of 0 and 1. Mirrors `tf.compat.v1.distributions.Bernoulli`.

    Args:
      logits: the log-odds of 1; or else
      probs: its probability.
      dtype: of samples.
      validate_args, allow_nan_stats, name: as for `Distribution`.

    Raises:
      ValueError: if both logits and probabilities are given, or none.
      TypeError: if they are not floating.
      InvalidArgumentError: if `validate_args`, for what is no probability.
    """

    def __init__(
        self,
        logits: Any = None,
        probs: Any = None,
        dtype: Any = dtypes.int32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Bernoulli",
    ) -> None:
        given = dict(locals())
        with name_scope(name) as name:
            self.logits, self.probs = logits_and_probs(logits, probs, validate_args, vectors=False)
        super().__init__(given, dtype, NOT_REPARAMETERIZED, [self.logits], name)

    @staticmethod
    def _param_shapes(sample_shape: Any) -> dict[str, Any]:
        return located(sample_shape, "logits")

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        return cast(uniform(self._drawn(n), dtype=self.probs.dtype, seed=seed) < self.probs, self.dtype)

    def _log_prob(self, event: Any) -> Any:
        if self.validate_args:
            event = whole(event, of=dtypes.bool_)
        event = cast(event, self.logits.dtype)
        logits = self.logits * ones_like(event)
        return -sigmoid_cross_entropy_with_logits(labels=event * ones_like(logits), logits=logits)

    def _entropy(self) -> Any:
        return -self.logits * (sigmoid(self.logits) - 1.0) + softplus(-self.logits)

    def _mean(self) -> Any:
        return identity(self.probs)

    def _variance(self) -> Any:
        return self.probs * (1.0 - self.probs)

    def _mode(self) -> Any:
        return cast(self.probs > 0.5, self.dtype)


@RegisterKL(Bernoulli, Bernoulli)
def _kl_bernoulli(a: Bernoulli, b: Bernoulli, name: str | None = None) -> Any:
    with name_scope(name or "kl_bernoulli_bernoulli"):
        one = sigmoid(a.logits) * (softplus(-b.logits) - softplus(-a.logits))
        return one + sigmoid(-a.logits) * (softplus(b.logits) - softplus(a.logits))


@export("compat.v1.distributions.Categorical")
class Categorical(Parametric):
    """The distribution of one class among several. Mirrors `tf.compat.v1.distributions.Categorical`.

    Args:
      logits: log-probabilities of the classes, along the last axis, up to a constant; or else
      probs: their probabilities.
      dtype: of samples.
      validate_args, allow_nan_stats, name: as for `Distribution`.

    Raises:
      ValueError: if both logits and probabilities are given, or none, or a scalar.
      TypeError: if they are not floating.
      InvalidArgumentError: if `validate_args`, for what are no probabilities.
    """

    _event_rank = 1  # of the parameters; samples are scalars

    def __init__(
        self,
        logits: Any = None,
        probs: Any = None,
        dtype: Any = dtypes.int32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Categorical",
    ) -> None:
        given = dict(locals())
        with name_scope(name) as name:
            self.logits, self.probs = logits_and_probs(logits, probs, validate_args, vectors=True)
            sizes = self.logits.shape.with_rank_at_least(1)
            known = None if sizes.rank is None else sizes[-1]
            self.event_size = convert_to_tensor(shape(self.logits)[-1] if known is None else known, dtype=dtypes.int32)
        super().__init__(given, dtype, NOT_REPARAMETERIZED, [self.logits], name)

    def _event_shape(self) -> Any:
        return TensorShape([])

    def _aligned(self, event: Any, parameters: Any) -> tuple[Any, Any]:
        """Classes and parameters for each pair of them.

        Raises:
          TypeError: if classes are no numbers.
        """
        if self.validate_args:
            event = whole(event, of=dtypes.int32)
        if event.dtype.is_floating:
            event = cast(event, dtypes.int32)
        elif not event.dtype.is_integer:
            raise TypeError(
                f"`value` should have integer `dtype` or `self.dtype` ({self.dtype}), got {event.dtype.name}"
            )
        parameters = parameters * ones_like(expand_dims(event, -1), dtype=parameters.dtype)
        return event * ones(shape(parameters)[:-1], dtype=event.dtype), parameters

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        rows = self.logits if self.logits.shape.rank == 2 else reshape(self.logits, [-1, self.event_size])
        kind = dtypes.int64 if self.dtype.size > 4 else dtypes.int32
        drawn = transpose(categorical(rows, n, kind, seed))
        return cast(reshape(drawn, self._drawn(n)), self.dtype)

    def _log_prob(self, k: Any) -> Any:
        k, logits = self._aligned(k, self.logits)
        return -sparse_softmax_cross_entropy_with_logits(labels=k, logits=logits)

    def _cdf(self, k: Any) -> Any:
        k, probs = self._aligned(k, self.probs)
        return reduce_sum(where(sequence_mask(k, self.event_size), probs, zeros_like(probs)), -1)

    def _entropy(self) -> Any:
        return -reduce_sum(log_softmax(self.logits) * self.probs, -1)

    def _mode(self) -> Any:
        return cast(argmax(self.logits, -1), self.dtype)


@RegisterKL(Categorical, Categorical)
def _kl_categorical(a: Categorical, b: Categorical, name: str | None = None) -> Any:
    with name_scope(name or "kl_categorical_categorical"):
        return reduce_sum(softmax(a.logits) * (log_softmax(a.logits) - log_softmax(b.logits)), -1)


def _log_orders(total: Any, counts: Any) -> Any:
    """The logarithm of in how many orders draws give these counts."""
    return lgamma(total + 1.0) - reduce_sum(lgamma(counts + 1.0), -1)


def _valid(total: Any, counts: Any, message: str) -> Any:
    """Counts, which have to be whole and to add up to the total."""
    counts = whole(counts)
    return checked(counts, assert_equal(total, reduce_sum(counts, -1), message=message))


@export("compat.v1.distributions.Multinomial")
class Multinomial(Parametric):
    """How often each class came in so many draws. Mirrors `tf.compat.v1.distributions.Multinomial`.

    Args:
      total_count: how many draws, in the dtype of the probabilities.
      logits: log-probabilities of the classes, along the last axis, up to a constant; or else
      probs: their probabilities.
      validate_args, allow_nan_stats, name: as for `Distribution`.

    Raises:
      ValueError: if both logits and probabilities are given, or none.
      TypeError: if they are not floating.
      InvalidArgumentError: if `validate_args`, for what are no probabilities, or no whole numbers of draws.
    """

    _event_rank = 1

    def __init__(
        self,
        total_count: Any,
        logits: Any = None,
        probs: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Multinomial",
    ) -> None:
        given = dict(locals())
        with name_scope(name) as name:
            self.total_count: Any = convert_to_tensor(total_count, name="total_count")
            if validate_args:
                self.total_count = whole(self.total_count)
            self.logits, self.probs = logits_and_probs(logits, probs, validate_args, vectors=True)
            self._means = expand_dims(self.total_count, -1) * self.probs
        super().__init__(given, self.probs.dtype, NOT_REPARAMETERIZED, [self._means], name)

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        classes = self.event_shape_tensor()[0]
        draws = cast(self.total_count, dtypes.int32) * ones_like(self.logits[..., 0], dtype=dtypes.int32)
        rows = self.logits * ones_like(expand_dims(draws, -1), dtype=self.logits.dtype)

        def counted(row: Any) -> Any:
            logits, count = row
            drawn = reshape(categorical(expand_dims(logits, 0), count, seed=seed), [n, -1])
            return reduce_sum(one_hot(drawn, classes, dtype=self.dtype), -2)

        counts = map_fn(
            counted, (reshape(rows, [-1, classes]), n * reshape(draws, [-1])), fn_output_signature=self.dtype
        )
        return reshape(transpose(counts, [1, 0, 2]), concat([self._drawn(n), [classes]], 0))

    def _log_prob(self, counts: Any) -> Any:
        if self.validate_args:
            counts = _valid(self.total_count, counts, "counts must sum to `self.total_count`")
        return reduce_sum(counts * log_softmax(self.logits), -1) + _log_orders(self.total_count, counts)

    def _mean(self) -> Any:
        return identity(self._means)

    def _every_probs(self) -> Any:
        return self.probs * expand_dims(ones_like(self.total_count), -1)

    def _variance(self) -> Any:
        return self._means - self._means * self._every_probs()

    def _covariance(self) -> Any:
        return set_diag(-expand_dims(self._means, -1) * expand_dims(self._every_probs(), -2), self._variance())


@export("compat.v1.distributions.DirichletMultinomial")
class DirichletMultinomial(Parametric):
    """`Multinomial` whose probabilities are a sample of `Dirichlet`. Mirrors `tf.compat.v1.distributions.DirichletMultinomial`.

    Args:
      total_count: how many draws, in the dtype of the concentration.
      concentration: a positive number for each class, along the last axis.
      validate_args, allow_nan_stats, name: as for `Distribution`.

    Raises:
      InvalidArgumentError: if `validate_args`, for numbers that are not positive, or no whole numbers of draws.
    """

    _event_rank = 1

    def __init__(
        self,
        total_count: Any,
        concentration: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "DirichletMultinomial",
    ) -> None:
        given = dict(locals())
        with name_scope(name) as name:
            self.total_count: Any = convert_to_tensor(total_count, name="total_count")
            self.concentration: Any = convert_to_tensor(concentration, name="concentration")
            if validate_args:
                self.total_count = whole(self.total_count)
                told = "Concentration parameter must be positive."
                found = with_classes(self.concentration)
                self.concentration = checked(found, assert_positive(found, message=told))
            self.total_concentration = reduce_sum(self.concentration, -1)
        super().__init__(given, self.concentration.dtype, NOT_REPARAMETERIZED, [self.concentration], name)

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        classes = self.event_shape_tensor()[0]
        logits = reshape(log(gamma([n], self.concentration, dtype=self.dtype, seed=seed)), [-1, classes])
        again = gen_new_seed(seed, "dirichlet_multinomial")
        drawn = categorical(logits, cast(self.total_count, dtypes.int32), seed=again)
        counts = reduce_sum(one_hot(drawn, classes, dtype=self.dtype), -2)
        return reshape(counts, concat([self._drawn(n), [classes]], 0))

    def _log_prob(self, counts: Any) -> Any:
        if self.validate_args:
            counts = _valid(self.total_count, counts, "counts last-dimension must sum to `self.total_count`")
        ordered = lbeta(self.concentration + counts) - lbeta(self.concentration)
        return ordered + _log_orders(self.total_count, counts)

    def _mean(self) -> Any:
        return self.total_count * (self.concentration / expand_dims(self.total_concentration, -1))

    def _scaled(self) -> tuple[Any, Any]:
        total = expand_dims(self.total_concentration, -1)
        scale = sqrt((1.0 + total / self.total_count) / (1.0 + total))
        return scale, scale * self._mean()

    def _variance(self) -> Any:
        scale, x = self._scaled()
        return x * (self.total_count * scale - x)

    def _covariance(self) -> Any:
        return covariance_of(self._scaled()[1], self._variance())
