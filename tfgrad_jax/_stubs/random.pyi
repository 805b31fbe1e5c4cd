"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax._stubs import random_experimental
from tfgrad_jax.ops.random.algorithms import Algorithm as Algorithm
from tfgrad_jax.ops.random.generator import Generator as Generator
experimental = random_experimental
def all_candidate_sampler(true_classes: _Any, num_true: _Any, num_sampled: _Any, unique: _Any, seed: _Any = None, name: _Any = None) -> _Any:
    """All classes, each of which is expected once. Mirrors `tf.random.all_candidate_sampler`."""
def categorical(logits: _Any, num_samples: _Any, dtype: _Any = None, seed: _Any = None, name: _Any = None) -> _Any:
    """Indices of classes, `num_samples` for each row of log-probabilities. Mirrors `tf.random.categorical`."""
def create_rng_state(seed: _Any, alg: _Any) -> _Any:
    """The state that a seed stands for: three words, two for ThreeFry. Mirrors `tf.random.create_rng_state`."""
def fixed_unigram_candidate_sampler(true_classes: _Any, num_true: _Any, num_sampled: _Any, unique: _Any, range_max: _Any, vocab_file: _Any = '', distortion: _Any = ..., num_reserved_ids: _Any = 0, num_shards: _Any = 1, shard: _Any = 0, unigrams: _Any = ..., seed: _Any = None, name: _Any = None) -> _Any:
    """Classes drawn by lot, as likely as given counts say. Mirrors `tf.random.fixed_unigram_candidate_sampler`."""
def fold_in(seed: _Any, data: _Any, alg: _Any = 'auto_select') -> _Any:
    """A new seed made of a seed and an integer. Mirrors `tf.random.fold_in`."""
def gamma(shape: _Any, alpha: _Any, beta: _Any = None, dtype: _Any = ..., seed: _Any = None, name: _Any = None) -> _Any:
    """Numbers of gamma distributions, `shape` for each pair of parameters. Mirrors `tf.random.gamma`."""
def get_global_generator() -> _Any:
    """The generator that programs share. Mirrors `tf.random.get_global_generator`."""
def log_uniform_candidate_sampler(true_classes: _Any, num_true: _Any, num_sampled: _Any, unique: _Any, range_max: _Any, seed: _Any = None, name: _Any = None) -> _Any:
    """Classes drawn by lot, of which the first are the likeliest. Mirrors `tf.random.log_uniform_candidate_sampler`."""
def normal(shape: _Any, mean: _Any = ..., stddev: _Any = ..., dtype: _Any = ..., seed: _Any = None, name: _Any = None) -> _Any:
    """Normally distributed numbers; arguments as for `uniform`. Mirrors `tf.random.normal`."""
def poisson(shape: _Any, lam: _Any, dtype: _Any = ..., seed: _Any = None, name: _Any = None) -> _Any:
    """Numbers of Poisson distributions, `shape` for each rate. Mirrors `tf.random.poisson`."""
def set_global_generator(generator: _Any) -> _Any:
    """Replace the generator that programs share. Mirrors `tf.random.set_global_generator`."""
def set_seed(seed: _Any) -> _Any:
    """Set the global seed, and begin every sequence of random numbers again. Mirrors `tf.random.set_seed`."""
def shuffle(value: _Any, seed: _Any = None, name: _Any = None) -> _Any:
    """The rows of `value` in random order; no gradient flows through it. Mirrors `tf.random.shuffle`."""
def split(seed: _Any, num: _Any = 2, alg: _Any = 'auto_select') -> _Any:
    """`num` new seeds, the rows of a matrix. Mirrors `tf.random.split`."""
def stateless_binomial(shape: _Any, seed: _Any, counts: _Any, probs: _Any, output_dtype: _Any = ..., name: _Any = None) -> _Any:
    """How many of `counts` trials succeed. Mirrors `tf.random.stateless_binomial`."""
def stateless_categorical(logits: _Any, num_samples: _Any, seed: _Any, dtype: _Any = ..., name: _Any = None) -> _Any:
    """`categorical` that depends on `seed` alone. Mirrors `tf.random.stateless_categorical`."""
def stateless_gamma(shape: _Any, seed: _Any, alpha: _Any, beta: _Any = None, dtype: _Any = ..., name: _Any = None) -> _Any:
    """Numbers of gamma distributions. Mirrors `tf.random.stateless_gamma`."""
def stateless_normal(shape: _Any, seed: _Any, mean: _Any = ..., stddev: _Any = ..., dtype: _Any = ..., name: _Any = None, alg: _Any = 'auto_select') -> _Any:
    """Normal numbers that depend on `seed` alone. Mirrors `tf.random.stateless_normal`."""
def stateless_parameterized_truncated_normal(shape: _Any, seed: _Any, means: _Any = ..., stddevs: _Any = ..., minvals: _Any = ..., maxvals: _Any = ..., name: _Any = None) -> _Any:
    """Normal numbers within bounds of their own. Mirrors its namesake in `tf.random`."""
def stateless_poisson(shape: _Any, seed: _Any, lam: _Any, dtype: _Any = ..., name: _Any = None) -> _Any:
    """Numbers of Poisson distributions. Mirrors `tf.random.stateless_poisson`."""
def stateless_truncated_normal(shape: _Any, seed: _Any, mean: _Any = ..., stddev: _Any = ..., dtype: _Any = ..., name: _Any = None, alg: _Any = 'auto_select') -> _Any:
    """Truncated normal numbers that depend on `seed` alone. Mirrors `tf.random.stateless_truncated_normal`."""
def stateless_uniform(shape: _Any, seed: _Any, minval: _Any = 0, maxval: _Any = None, dtype: _Any = ..., name: _Any = None, alg: _Any = 'auto_select') -> _Any:
    """Uniform numbers that depend on `seed` alone. Mirrors `tf.random.stateless_uniform`."""
def truncated_normal(shape: _Any, mean: _Any = ..., stddev: _Any = ..., dtype: _Any = ..., seed: _Any = None, name: _Any = None) -> _Any:
    """Normal numbers within two standard deviations of the mean. Mirrors `tf.random.truncated_normal`."""
def uniform(shape: _Any, minval: _Any = 0, maxval: _Any = None, dtype: _Any = ..., seed: _Any = None, name: _Any = None) -> _Any:
    """Numbers spread evenly over [minval, maxval). Mirrors `tf.random.uniform`."""
def uniform_candidate_sampler(true_classes: _Any, num_true: _Any, num_sampled: _Any, unique: _Any, range_max: _Any, seed: _Any = None, name: _Any = None) -> _Any:
    """Classes drawn by lot, all as likely; see `log_uniform_candidate_sampler`. Mirrors `tf.random.uniform_candidate_sampler`."""
