"""Initial values of variables: `tf.zeros_initializer` and its kind."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.engine.messages.errors import left_to_subclass
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values.dtypes import DType, as_dtype, float32, string
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.ops.array import creation
from tfgrad_jax.ops.random import seeds as random
from tfgrad_jax.ops.random import stateless as random_stateless

_PARTITION = ("partition_shape", "partition_offset")


class Initializer:
    """A callable `(shape, dtype) -> tensor` that knows its own configuration."""

    def __call__(self, shape: Any, dtype: Any = None, **kwargs: Any) -> Tensor:
        raise left_to_subclass(self, "__call__")

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Initializer:
        """An initializer of these constructor arguments."""
        return cls(**{k: v for k, v in config.items() if k != "dtype"})


def _shape(shape: Any, kwargs: dict[str, Any]) -> Any:
    """The shape to make: of the part, where only a part of a variable is asked for."""
    for name in kwargs:
        if name not in _PARTITION:
            raise TypeError(f"Keyword argument should be one of {list(_PARTITION)}. Received: {name}")
    return kwargs.get("partition_shape") or shape


def _numeric(dtype: Any) -> DType:
    dtype = as_dtype(dtype)
    if dtype is string:
        raise ValueError(f"Argument `dtype` expected to be numeric or boolean. Received {dtype}.")
    return dtype


@export("zeros_initializer")
class Zeros(Initializer):
    """Zeros. Mirrors `tf.zeros_initializer`."""

    def __call__(self, shape: Any, dtype: Any = float32, **kwargs: Any) -> Tensor:
        """Zeros of this shape and dtype."""
        return creation.zeros(_shape(shape, kwargs), _numeric(dtype))


@export("ones_initializer")
class Ones(Initializer):
    """Ones. Mirrors `tf.ones_initializer`."""

    def __call__(self, shape: Any, dtype: Any = float32, **kwargs: Any) -> Tensor:
        """Ones of this shape and dtype."""
        return creation.ones(_shape(shape, kwargs), _numeric(dtype))


@export("constant_initializer")
class Constant(Initializer):
    """A given value. Mirrors `tf.constant_initializer`.

    Args:
      value: a Python or NumPy number, or a nest of as many as the variable has elements.
      support_partition: whether a part of the variable may be asked for.

    Raises:
      TypeError: if `value` is no number, list, tuple or array.
    """

    def __init__(self, value: Any = 0, support_partition: bool = False) -> None:
        if not (np.isscalar(value) or isinstance(value, (list, tuple, np.ndarray))):
            raise TypeError(
                f"Invalid type for initial value={value!r} of type: {type(value).__name__}. Expected Python scalar, list or "
                f"tuple of values, or numpy.ndarray."
            )
        self.value = value
        self.support_partition = support_partition

    def __call__(self, shape: Any, dtype: Any = None, **kwargs: Any) -> Tensor:
        """The value, in this shape; its own dtype where None."""
        if kwargs and not self.support_partition:
            _shape(shape, kwargs)
            raise NotImplementedError("Constant initializer doesn't support partition-related arguments.")
        return creation.constant(self.value, None if dtype is None else as_dtype(dtype), _shape(shape, kwargs))

    def get_config(self) -> dict[str, Any]:
        return {"value": self.value}


class _Random(Initializer):
    """The base of random initializers: with a seed of their own, every call draws the same."""

    seed: int | None

    def _draw(self, usual: Any, stateless: Any, shape: Any, low: Any, high: Any, dtype: DType) -> Tensor:
        if self.seed is None:
            return usual(shape, low, high, dtype)
        return stateless(shape, [self.seed, 0], low, high, dtype)


@export("random_normal_initializer")
class RandomNormal(_Random):
    """Draws from a normal distribution. Mirrors `tf.random_normal_initializer`.

    Args:
      mean, stddev: of the distribution.
      seed: for the same values at every call.
    """

    def __init__(self, mean: Any = 0.0, stddev: Any = 0.05, seed: int | None = None) -> None:
        self.mean = mean
        self.stddev = stddev
        self.seed = seed

    def __call__(self, shape: Any, dtype: Any = float32, **kwargs: Any) -> Tensor:
        """A draw of this shape and dtype.

        Raises:
          ValueError: if `dtype` is not floating.
        """
        dtype = as_dtype(dtype)
        if not dtype.is_floating:
            raise ValueError(f"Argument `dtype` is expected to be floating point. Received: {dtype}.")
        shape = _shape(shape, kwargs)
        return self._draw(random.normal, random_stateless.stateless_normal, shape, self.mean, self.stddev, dtype)

    def get_config(self) -> dict[str, Any]:
        return {"mean": self.mean, "stddev": self.stddev, "seed": self.seed}


@export("random_uniform_initializer")
class RandomUniform(_Random):
    """Draws from a uniform distribution. Mirrors `tf.random_uniform_initializer`.

    Args:
      minval, maxval: its bounds, the upper one excluded.
      seed: for the same values at every call.
    """

    def __init__(self, minval: Any = -0.05, maxval: Any = 0.05, seed: int | None = None) -> None:
        self.minval = minval
        self.maxval = maxval
        self.seed = seed

    def __call__(self, shape: Any, dtype: Any = float32, **kwargs: Any) -> Tensor:
        """A draw of this shape and dtype.

        Raises:
          ValueError: if `dtype` is no number.
        """
        dtype = as_dtype(dtype)
        if not (dtype.is_floating or dtype.is_integer):
            raise ValueError(f"Argument `dtype` expected to be numeric or boolean. Received {dtype}.")
        shape = _shape(shape, kwargs)
        return self._draw(random.uniform, random_stateless.stateless_uniform, shape, self.minval, self.maxval, dtype)

    def get_config(self) -> dict[str, Any]:
        return {"minval": self.minval, "maxval": self.maxval, "seed": self.seed}
