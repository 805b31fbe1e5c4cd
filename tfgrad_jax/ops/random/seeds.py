"""Random numbers from a hidden state: `tf.random` without stateless operations and generators."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.engine.declare.attributes import is_symbolic
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.state.random_state import RESERVED, next_key
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.ops.array.array import concat, stack
from tfgrad_jax.ops.common import rows_of, sizes_of
from tfgrad_jax.ops.random.draws import (
    FLOATS,
    INTS,
    KeyFor,
    categorical_from,
    count_of,
    dtype_of,
    gamma_from,
    normal_from,
    poisson_from,
    shape_of,
    shuffled,
    uniform_from,
)


def _key(seed: Any) -> KeyFor:
    def key(name: str, count: int, attributes: Any) -> Tensor:
        return next_key(name, seed, RESERVED * count, attributes)

    return key


@export("random.uniform")
def uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = dtypes.float32,
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """Numbers spread evenly over [minval, maxval). Mirrors `tf.random.uniform`.

      Args: shape: a vector of integers. minval, maxval: the bounds; for floating dtypes they may be tensors that
      broadcast with `shape`. `maxval` is 1 where None, and required for integers. dtype: float16, bfloat16, float32,
      float64, int32 or int64. seed: the operation's own seed, see `tf.random.set_seed`. name: accepted for
      compatibility.

    Raises:
      ValueError: for another dtype, or integers without `maxval`.
      InvalidArgumentError: if the shape is no vector of sizes, or an integer range is empty.
    """
    return uniform_from(_key(seed), shape, minval, maxval, dtype_of(dtype, (*FLOATS, *INTS)))


@export("random.normal")
def normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """Normally distributed numbers; arguments as for `uniform`. Mirrors `tf.random.normal`."""
    return normal_from(_key(seed), shape, mean, stddev, as_dtype(dtype))


@export("random.truncated_normal")
def truncated_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """Normal numbers within two standard deviations of the mean. Mirrors `tf.random.truncated_normal`."""
    return normal_from(_key(seed), shape, mean, stddev, as_dtype(dtype), truncated=True)


@export("random.shuffle")
def shuffle(value: Any, seed: Any = None, name: str | None = None) -> Tensor:
    """The rows of `value` in random order; no gradient flows through it. Mirrors `tf.random.shuffle`."""
    value = convert(value)
    swaps = rows_of(value) - 1
    blocks = -(-(swaps if is_symbolic(swaps) else max(swaps, 0)) // 4)
    return shuffled(value, next_key("RandomShuffle", seed, blocks, value.dtype))


@export("random.categorical")
def categorical(logits: Any, num_samples: Any, dtype: Any = None, seed: Any = None, name: str | None = None) -> Tensor:
    """Indices of classes, `num_samples` for each row of log-probabilities. Mirrors `tf.random.categorical`.

    Raises:
      InvalidArgumentError: if `logits` is no matrix, or `num_samples` negative.
    """
    return categorical_from(_key(seed), logits, num_samples, dtype)


@export("random.gamma")
def gamma(
    shape: Any, alpha: Any, beta: Any = None, dtype: Any = dtypes.float32, seed: Any = None, name: str | None = None
) -> Tensor:
    """Numbers of gamma distributions, `shape` for each pair of parameters. Mirrors `tf.random.gamma`.

    Gradients flow to `alpha` and `beta`.
    """
    dtype = as_dtype(dtype)
    alpha = convert(alpha, dtype)
    beta = None if beta is None else convert(beta, dtype)
    full = _each_of(shape_of(shape, "RandomGamma"), _joint_shape(alpha, beta))
    return gamma_from(_key(seed)("RandomGamma", count_of(full), dtype), full, alpha, beta)


def _each_of(shape: Any, parameters: tuple[Any, ...]) -> Any:
    """The shape of draws of `shape` for each of the parameters."""
    if isinstance(shape, Tensor):
        return concat([shape, stack(parameters)], 0) if parameters else shape
    return *shape, *parameters


def _joint_shape(*tensors: Tensor | None) -> tuple[Any, ...]:
    given = [t for t in tensors if t is not None]
    if len(given) == 1:
        return sizes_of(given[0])
    if any(None in t.spec.shape for t in given):
        return sizes_of(given[0] + given[1])  # from ops.overloads
    return np.broadcast_shapes(*[t.spec.shape for t in given])


@export("random.poisson")
def poisson(shape: Any, lam: Any, dtype: Any = dtypes.float32, seed: Any = None, name: str | None = None) -> Tensor:
    """Numbers of Poisson distributions, `shape` for each rate. Mirrors `tf.random.poisson`."""
    dtype = as_dtype(dtype)
    lam = convert(lam, dtype if dtype.is_floating and not isinstance(lam, Tensor) else None)
    full = _each_of(shape_of(shape, "RandomPoissonV2"), sizes_of(lam))
    return poisson_from(_key(seed)("RandomPoissonV2", count_of(full), (lam.dtype, dtype)), full, lam, dtype)
