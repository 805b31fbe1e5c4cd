"""Random numbers that depend on a seed of two integers alone."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.graph.deferred import deferred
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.engine.values.shapes import UNRANKED
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.ops.array.array import stack
from tfgrad_jax.ops.array.creation import stop_gradient
from tfgrad_jax.ops.common import partly_known
from tfgrad_jax.ops.random.draws import (
    FLOATS,
    INTS,
    KeyFor,
    binomial_from,
    bounded_normal_from,
    categorical_from,
    dtype_of,
    full_int_from,
    gamma_from,
    normal_from,
    poisson_from,
    seed_key,
    shape_of,
    shuffled,
    uniform_from,
)


def _key(seed: Any, alg: Any = "auto_select", fractions: bool = False) -> KeyFor:
    return lambda name, count, dtype: seed_key(seed, alg, fractions)


@export("random.stateless_uniform")
def stateless_uniform(
    shape: Any,
    seed: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = dtypes.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Uniform numbers that depend on `seed` alone. Mirrors `tf.random.stateless_uniform`.

    With `minval` and `maxval` both None, integers take every value of their type.

    Raises:
      ValueError: for another dtype, or bounds that do not belong to it.
    """
    dtype = dtype_of(dtype, (*FLOATS, *INTS, dtypes.uint32, dtypes.uint64))
    if dtype.is_integer and minval is None and maxval is None:
        return full_int_from(_key(seed, alg), shape, dtype)
    if dtype.is_unsigned or (dtype.is_integer and minval is None):
        raise ValueError(
            f"tf.random.stateless_uniform: for {dtype.name}, minval and maxval must both be None, got {minval} and "
            f"{maxval}"
        )
    return uniform_from(_key(seed, alg, dtype.is_floating), shape, minval, maxval, dtype)


@export("random.stateless_normal")
def stateless_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Normal numbers that depend on `seed` alone. Mirrors `tf.random.stateless_normal`."""
    return normal_from(_key(seed, alg, True), shape, mean, stddev, dtype_of(dtype, FLOATS))


@export("random.stateless_truncated_normal")
def stateless_truncated_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Truncated normal numbers that depend on `seed` alone. Mirrors `tf.random.stateless_truncated_normal`."""
    return normal_from(_key(seed, alg, True), shape, mean, stddev, dtype_of(dtype, FLOATS), truncated=True)


@export("random.stateless_categorical")
def stateless_categorical(
    logits: Any, num_samples: Any, seed: Any, dtype: Any = dtypes.int64, name: str | None = None
) -> Tensor:
    """`categorical` that depends on `seed` alone. Mirrors `tf.random.stateless_categorical`."""
    return categorical_from(_key(seed), logits, num_samples, dtype)


@export("random.experimental.stateless_shuffle")
def stateless_shuffle(value: Any, seed: Any, alg: Any = "auto_select", name: str | None = None) -> Tensor:
    """`shuffle` that depends on `seed` alone. Mirrors `tf.random.experimental.stateless_shuffle`."""
    return shuffled(convert(value), seed_key(seed, alg))


@export("random.stateless_gamma")
def stateless_gamma(
    shape: Any, seed: Any, alpha: Any, beta: Any = None, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """Numbers of gamma distributions. Mirrors `tf.random.stateless_gamma`."""
    dtype = as_dtype(dtype)
    beta = None if beta is None else convert(beta, dtype)
    return _gamma(shape, seed_key(seed), convert(alpha, dtype), beta)


# What looks at shapes takes the key, since the seed has two integers whatever else is known of its shape.


@deferred("shape", name="stateless_gamma")
def _gamma(shape: Any, key: Any, alpha: Any, beta: Any) -> Tensor:
    return gamma_from(key, shape_of(shape, "StatelessRandomGammaV3"), alpha, beta)


@export("random.stateless_poisson")
def stateless_poisson(shape: Any, seed: Any, lam: Any, dtype: Any = dtypes.int32, name: str | None = None) -> Tensor:
    """Numbers of Poisson distributions. Mirrors `tf.random.stateless_poisson`."""
    return _poisson(shape, seed_key(seed), stop_gradient(convert(lam)), as_dtype(dtype))


@deferred("shape", name="stateless_poisson")
def _poisson(shape: Any, key: Any, lam: Any, dtype: Any) -> Tensor:
    return poisson_from(key, shape_of(shape, "StatelessRandomPoisson"), lam, dtype)


@export("random.stateless_binomial")
def stateless_binomial(
    shape: Any, seed: Any, counts: Any, probs: Any, output_dtype: Any = dtypes.int32, name: str | None = None
) -> Tensor:
    """How many of `counts` trials succeed. Mirrors `tf.random.stateless_binomial`."""
    return _binomial(shape, seed_key(seed), convert(counts), convert(probs), as_dtype(output_dtype))


@deferred("shape", name="stateless_binomial")
def _binomial(shape: Any, key: Any, counts: Any, probs: Any, dtype: Any) -> Tensor:
    return binomial_from(key, shape_of(shape, "StatelessRandomBinomial"), counts, probs, dtype)


@export("random.stateless_parameterized_truncated_normal")
def stateless_parameterized_truncated_normal(
    shape: Any,
    seed: Any,
    means: Any = 0.0,
    stddevs: Any = 1.0,
    minvals: Any = -2.0,
    maxvals: Any = 2.0,
    name: str | None = None,
) -> Tensor:
    """Normal numbers within bounds of their own. Mirrors its namesake in `tf.random`."""
    return _bounded_normal(shape, seed_key(seed), [means, stddevs, minvals, maxvals])


@deferred("shape", name="stateless_parameterized_truncated_normal")
def _bounded_normal(shape: Any, key: Any, parameters: Any) -> Tensor:
    return bounded_normal_from(key, shape_of(shape, "StatelessParameterizedTruncatedNormal"), parameters)


# -- seeds from seeds -------------------------------------------------------------------------------------------------


@export("random.fold_in", "random.experimental.stateless_fold_in")
def fold_in(seed: Any, data: Any, alg: Any = "auto_select") -> Tensor:
    """A new seed made of a seed and an integer. Mirrors `tf.random.fold_in`."""
    data = convert(data)
    return stack([full_int_from(_key(seed, alg), [], data.dtype), data])


@export("random.split", "random.experimental.stateless_split")
def split(seed: Any, num: Any = 2, alg: Any = "auto_select") -> Tensor:
    """`num` new seeds, the rows of a matrix. Mirrors `tf.random.split`."""
    seed = convert(seed)
    return full_int_from(_key(seed, alg), [num, 2], seed.dtype)


@_gamma.open_shape
@_poisson.open_shape
@_binomial.open_shape
@_bounded_normal.open_shape
def _(shape: Any, **_: Any) -> list[Any]:
    sizes = partly_known(shape)
    return [UNRANKED if sizes is None else sizes]
