"""`tf.compat.v1.initializers`: initial values of variables; random ones follow the global seed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.messages.errors import left_to_subclass
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.ops.array import creation
from tfgrad_jax.ops.array.shape import reshape
from tfgrad_jax.ops.linalg.linalg import diag_part
from tfgrad_jax.ops.linalg.matmul import matrix_transpose
from tfgrad_jax.ops.linalg.matrices import qr
from tfgrad_jax.ops.math.rounding import sign
from tfgrad_jax.ops.random import seeds as random

TRUNCATED = 0.87962566103423978
"""The standard deviation of a standard normal distribution that is cut off at two."""

_MODES = ("fan_in", "fan_out", "fan_avg")
_DISTRIBUTIONS = ("normal", "uniform", "truncated_normal", "untruncated_normal")


def _names(*names: str) -> Any:
    """Decorator for the names of an initializer: in the room of its own, and with the ending that says what it is."""
    return export(*(f"compat.v1.initializers.{name}" for name in names), *(f"compat.v1.{n}_initializer" for n in names))


def _floating(dtype: Any) -> Any:
    dtype = as_dtype(dtype)
    if not dtype.is_floating:
        raise ValueError(f"Argument `dtype` is expected to be floating point. Received: {dtype}.")
    return dtype


class Initializer:
    """A callable `(shape, dtype, partition_info) -> tensor` that knows its own configuration.

    Args:
      dtype: of the values where a call says nothing else.
    """

    def __init__(self, dtype: Any = dtypes.float32) -> None:
        self.dtype = as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        """The values.

        Args:
          shape: of the variable, or of a part of it.
          dtype: another dtype than the usual one.
          partition_info: has the shape of the variable as `full_shape`, where `shape` is that of a part.
        """
        dtype = self.dtype if dtype is None else as_dtype(dtype)
        whole = shape if partition_info is None else partition_info.full_shape
        return self._make([int(size) for size in _listed(shape)], dtype, [int(size) for size in _listed(whole)])

    def _make(self, shape: list[int], dtype: Any, whole: list[int]) -> Tensor:
        raise left_to_subclass(self, "_make")

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {name: value.name if name == "dtype" else value for name, value in vars(self).items()}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Initializer:
        """An initializer of these constructor arguments."""
        return cls(**config)


def _listed(shape: Any) -> Sequence[Any]:
    shape = getattr(shape, "dims", None) or (np.asarray(shape) if isinstance(shape, Tensor) else shape)
    return shape if isinstance(shape, Sequence) or hasattr(shape, "__iter__") else [shape]


@_names("zeros")
class Zeros(Initializer):
    """Zeros. Mirrors `tf.compat.v1.zeros_initializer`."""

    def _make(self, shape: list[int], dtype: Any, whole: list[int]) -> Tensor:
        return creation.zeros(shape, dtype)


@_names("ones")
class Ones(Initializer):
    """Ones. Mirrors `tf.compat.v1.ones_initializer`."""

    def _make(self, shape: list[int], dtype: Any, whole: list[int]) -> Tensor:
        return creation.ones(shape, dtype)


@_names("constant")
class Constant(Initializer):
    """A given value. Mirrors `tf.compat.v1.constant_initializer`.

    Args:
      value: a number, or a nest of as many as the variable has elements; in a graph of fewer, too: the last is repeated.
      dtype: of the values where a call says nothing else.
      verify_shape: whether the value must have the variable's shape.
    """

    def __init__(self, value: Any = 0, dtype: Any = dtypes.float32, verify_shape: bool = False) -> None:
        self.value = value
        self._verify_shape = verify_shape
        super().__init__(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None, verify_shape: Any = None) -> Tensor:
        """The value, in this shape.

        Raises:
          TypeError: if the value has another shape, and that is to be verified.
        """
        dtype = self.dtype if dtype is None else as_dtype(dtype)
        if self._verify_shape if verify_shape is None else verify_shape:
            value = creation.constant(self.value, dtype)
            if value.shape != tuple(_listed(shape)):
                raise TypeError(f"Expected Tensor {self.value} with shape {tuple(shape)}, but got shape {value.shape}.")
        return creation.constant(creation.filled_up(self.value, dtype, shape), dtype, shape)

    def get_config(self) -> dict[str, Any]:
        return {"value": self.value, "dtype": self.dtype.name}


class _Normal(Initializer):
    _draw: Any = None

    def __init__(
        self, mean: Any = 0.0, stddev: Any = 1.0, seed: int | None = None, dtype: Any = dtypes.float32
    ) -> None:
        self.mean = mean
        self.stddev = stddev
        self.seed = seed
        super().__init__(_floating(dtype))

    def _make(self, shape: list[int], dtype: Any, whole: list[int]) -> Tensor:
        return type(self)._draw(shape, self.mean, self.stddev, dtype, seed=self.seed)


@_names("random_normal")
class RandomNormal(_Normal):
    """Draws from a normal distribution. Mirrors `tf.compat.v1.random_normal_initializer`.

    Args:
      mean, stddev: of the distribution.
      seed: of the operation; the global seed counts too.
      dtype: of the values where a call says nothing else.

    Raises:
      ValueError: if `dtype` is not floating.
    """

    _draw = staticmethod(random.normal)


@_names("truncated_normal")
class TruncatedNormal(_Normal):
    """Draws from a normal distribution that is cut off. Mirrors `tf.compat.v1.truncated_normal_initializer`; see `RandomNormal`."""

    _draw = staticmethod(random.truncated_normal)


@_names("random_uniform")
class RandomUniform(Initializer):
    """Draws from a uniform distribution. Mirrors `tf.compat.v1.random_uniform_initializer`.

    Args:
      minval, maxval: its bounds, the upper one excluded; None is one for floating dtypes.
      seed: of the operation; the global seed counts too.
      dtype: of the values where a call says nothing else.
    """

    def __init__(
        self, minval: Any = 0.0, maxval: Any = None, seed: int | None = None, dtype: Any = dtypes.float32
    ) -> None:
        self.minval = minval
        self.maxval = maxval
        self.seed = seed
        super().__init__(dtype)

    def _make(self, shape: list[int], dtype: Any, whole: list[int]) -> Tensor:
        return random.uniform(shape, self.minval, self.maxval, dtype, seed=self.seed)


@_names("uniform_unit_scaling")
class UniformUnitScaling(Initializer):
    """Uniform draws that keep the size of what they are multiplied with. Mirrors `tf.compat.v1.uniform_unit_scaling_initializer`.

    Args:
      factor: of all values.
      seed: of the operation; the global seed counts too.
      dtype: of the values where a call says nothing else.
    """

    def __init__(self, factor: Any = 1.0, seed: int | None = None, dtype: Any = dtypes.float32) -> None:
        self.factor = factor
        self.seed = seed
        super().__init__(_floating(dtype))

    def _make(self, shape: list[int], dtype: Any, whole: list[int]) -> Tensor:
        bound = math.sqrt(3 / max(1.0, float(math.prod(whole[:-1])))) * self.factor
        return random.uniform(shape, -bound, bound, dtype, seed=self.seed)


@_names("variance_scaling")
class VarianceScaling(Initializer):
    """Draws whose variance follows the number of inputs or outputs. Mirrors `tf.compat.v1.variance_scaling_initializer`.

    Args:
      scale: of the variance.
      mode: what it is divided by: "fan_in", "fan_out" or "fan_avg".
      distribution: "truncated_normal" (or "normal"), "untruncated_normal" or "uniform".
      seed: of the operation; the global seed counts too.
      dtype: of the values where a call says nothing else.

    Raises:
      ValueError: for another mode or distribution, if `scale` is not positive, or `dtype` not floating.
    """

    def __init__(
        self, scale: Any = 1.0, mode: str = "fan_in", distribution: str = "truncated_normal", seed: int | None = None,
        dtype: Any = dtypes.float32,
    ) -> None:  # fmt: skip
        if scale <= 0.0:
            raise ValueError(f"Argument `scale` must be a positive float. Received: {scale}")
        if mode not in _MODES:
            raise ValueError(f"Argument `mode` should be one of {_MODES}. Received: {mode}")
        distribution = distribution.lower()
        if distribution not in _DISTRIBUTIONS:
            raise ValueError(f"Argument `distribution` should be one of {_DISTRIBUTIONS}. Received: {distribution}")
        self.scale = scale
        self.mode = mode
        self.distribution = distribution
        self.seed = seed
        super().__init__(_floating(dtype))

    def _make(self, shape: list[int], dtype: Any, whole: list[int]) -> Tensor:
        ins, outs = fans(whole)
        scale = self.scale / max(1.0, {"fan_in": ins, "fan_out": outs, "fan_avg": (ins + outs) / 2.0}[self.mode])
        if self.distribution == "uniform":
            bound = math.sqrt(3.0 * scale)
            return random.uniform(shape, -bound, bound, dtype, seed=self.seed)
        if self.distribution == "untruncated_normal":
            return random.normal(shape, 0.0, math.sqrt(scale), dtype, seed=self.seed)
        return random.truncated_normal(shape, 0.0, math.sqrt(scale) / TRUNCATED, dtype, seed=self.seed)


def fans(shape: list[int]) -> tuple[int, int]:
    """How many inputs and outputs weights of a shape have; before the last two axes stand places, as of convolutions."""
    if len(shape) < 2:
        return (shape or [1])[0], (shape or [1])[0]
    places = math.prod(shape[:-2])
    return shape[-2] * places, shape[-1] * places


class _Glorot(VarianceScaling):
    _distribution = ""

    def __init__(self, seed: int | None = None, dtype: Any = dtypes.float32) -> None:
        super().__init__(1.0, "fan_avg", self._distribution, seed, dtype)

    def get_config(self) -> dict[str, Any]:
        return {"seed": self.seed, "dtype": self.dtype.name}


@_names("glorot_uniform")
class GlorotUniform(_Glorot):
    """Xavier Glorot's uniform draws. Mirrors `tf.compat.v1.glorot_uniform_initializer`."""

    _distribution = "uniform"


@_names("glorot_normal")
class GlorotNormal(_Glorot):
    """Xavier Glorot's normal draws. Mirrors `tf.compat.v1.glorot_normal_initializer`."""

    _distribution = "truncated_normal"


@export("compat.v1.initializers.lecun_normal")
def lecun_normal(seed: int | None = None) -> VarianceScaling:
    """Yann LeCun's normal draws. Mirrors `tf.compat.v1.initializers.lecun_normal`."""
    return VarianceScaling(seed=seed)


@export("compat.v1.initializers.lecun_uniform")
def lecun_uniform(seed: int | None = None) -> VarianceScaling:
    """Yann LeCun's uniform draws. Mirrors `tf.compat.v1.initializers.lecun_uniform`."""
    return VarianceScaling(distribution="uniform", seed=seed)


@export("compat.v1.initializers.he_normal")
def he_normal(seed: int | None = None) -> VarianceScaling:
    """Kaiming He's normal draws. Mirrors `tf.compat.v1.initializers.he_normal`."""
    return VarianceScaling(2.0, seed=seed)


@export("compat.v1.initializers.he_uniform")
def he_uniform(seed: int | None = None) -> VarianceScaling:
    """Kaiming He's uniform draws. Mirrors `tf.compat.v1.initializers.he_uniform`."""
    return VarianceScaling(2.0, distribution="uniform", seed=seed)


def _matrix(shape: list[int]) -> None:
    if len(shape) < 2:
        raise ValueError(
            f"The tensor to initialize, specified by argument `shape` must be at least two-dimensional. Received shape={shape}"
        )


def orthonormal(shape: list[int], draw: Callable[[list[int]], Tensor]) -> Tensor:
    """A tensor of a shape whose rows or columns are orthonormal, of numbers that `draw` draws from a normal distribution."""
    _matrix(shape)
    rows, columns = math.prod(shape[:-1]), shape[-1]
    q, r = qr(draw([max(rows, columns), min(rows, columns)]), full_matrices=False)
    q = q * sign(diag_part(r))  # so that it is the only decomposition, and its distribution uniform
    return reshape(matrix_transpose(q) if rows < columns else q, shape)


@_names("orthogonal")
class Orthogonal(Initializer):
    """A matrix whose rows or columns are orthonormal. Mirrors `tf.compat.v1.orthogonal_initializer`.

    Args:
      gain: of all values.
      seed: of the operation; the global seed counts too.
      dtype: of the values where a call says nothing else.
    """

    def __init__(self, gain: Any = 1.0, seed: int | None = None, dtype: Any = dtypes.float32) -> None:
        self.gain = gain
        self.seed = seed
        super().__init__(_floating(dtype))

    def _make(self, shape: list[int], dtype: Any, whole: list[int]) -> Tensor:
        drawn = orthonormal(shape, lambda size: random.normal(size, dtype=dtype, seed=self.seed))
        return self.gain * drawn


@export("compat.v1.initializers.identity")
class Identity(Initializer):
    """The identity matrix. Mirrors `tf.compat.v1.initializers.identity`.

    Args:
      gain: of all values.
      dtype: of the values where a call says nothing else.
    """

    def __init__(self, gain: Any = 1.0, dtype: Any = dtypes.float32) -> None:
        self.gain = gain
        super().__init__(_floating(dtype))

    def _make(self, shape: list[int], dtype: Any, whole: list[int]) -> Tensor:
        if len(shape) != 2:
            _matrix([])
        return creation.eye(*shape, dtype=dtype) * self.gain
