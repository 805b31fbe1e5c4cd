"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax.lib.distributions.counts import Bernoulli as Bernoulli
from tfgrad_jax.lib.distributions.positive import Beta as Beta
from tfgrad_jax.lib.distributions.counts import Categorical as Categorical
from tfgrad_jax.lib.distributions.positive import Dirichlet as Dirichlet
from tfgrad_jax.lib.distributions.counts import DirichletMultinomial as DirichletMultinomial
from tfgrad_jax.lib.distributions.distribution import Distribution as Distribution
from tfgrad_jax.lib.distributions.positive import Exponential as Exponential
from tfgrad_jax.lib.distributions.distribution import ReparameterizationType as _ReparameterizationType
from tfgrad_jax.lib.distributions.positive import Gamma as Gamma
from tfgrad_jax.lib.distributions.real import Laplace as Laplace
from tfgrad_jax.lib.distributions.counts import Multinomial as Multinomial
from tfgrad_jax.lib.distributions.real import Normal as Normal
from tfgrad_jax.lib.distributions.divergence import RegisterKL as RegisterKL
from tfgrad_jax.lib.distributions.distribution import ReparameterizationType as ReparameterizationType
from tfgrad_jax.lib.distributions.real import StudentT as StudentT
from tfgrad_jax.lib.distributions.real import Uniform as Uniform
FULLY_REPARAMETERIZED: _ReparameterizationType
NOT_REPARAMETERIZED: _ReparameterizationType
def kl_divergence(distribution_a: _Any, distribution_b: _Any, allow_nan_stats: _Any = True, name: _Any = None) -> _Any:
    """The Kullback-Leibler divergence of one distribution from another. Mirrors `tf.compat.v1.distributions.kl_divergence`."""
