"""`tensorflow.python.ops.init_ops_v2`: initializers that TensorFlow 2 leaves to Keras; with a seed every call draws the same."""

from __future__ import annotations

import math
from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values.dtypes import DType, as_dtype, float32
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.initializers import Initializer
from tfgrad_jax.lib.v1.initializers import TRUNCATED, fans, orthonormal
from tfgrad_jax.ops.array.creation import eye
from tfgrad_jax.ops.random.seeds import normal, truncated_normal, uniform
from tfgrad_jax.ops.random.stateless import stateless_normal, stateless_truncated_normal, stateless_uniform

_I = "python.ops.init_ops_v2."

_DRAWS: dict[str, tuple[Any, Any]] = {
    "truncated_normal": (truncated_normal, stateless_truncated_normal),
    "untruncated_normal": (normal, stateless_normal),
    "uniform": (uniform, stateless_uniform),
}
_MODES = ("fan_in", "fan_out", "fan_avg")

export(_I + "Initializer")(Initializer)


def _sizes(shape: Any) -> list[int]:
    return [int(n) for n in TensorShape(shape).as_list()]  # type: ignore[arg-type]  # unknown sizes are a TypeError


def _floating(dtype: Any) -> DType:
    found = as_dtype(dtype)
    if not found.is_floating:
        raise ValueError(f"Argument `dtype` is expected to be floating point. Received: {found!r}.")
    return found


def _whole(initializer: Initializer, given: dict[str, Any]) -> None:
    if given:
        raise ValueError(f"{type(initializer).__name__} initializer doesn't support partition-related arguments")


class _Drawn(Initializer):
    seed: int | None = None

    def _draw(self, kind: str, shape: Any, low: Any, high: Any, dtype: DType) -> Tensor:
        usual, stateless = _DRAWS[kind]
        drawn: Tensor = (
            usual(shape, low, high, dtype) if self.seed is None else stateless(shape, [self.seed, 0], low, high, dtype)
        )
        return drawn


@export(*(_I + n for n in ("TruncatedNormal", "truncated_normal", "truncated_normal_initializer")))
class TruncatedNormal(_Drawn):
    """Draws from a normal distribution that is cut off at two standard deviations."""

    def __init__(self, mean: Any = 0.0, stddev: Any = 0.05, seed: int | None = None) -> None:
        self.mean = mean
        self.stddev = stddev
        self.seed = seed

    def __call__(self, shape: Any, dtype: Any = float32, **kwargs: Any) -> Tensor:
        """A draw of this shape and dtype."""
        sizes = _sizes(kwargs.get("partition_shape") or shape)
        return self._draw("truncated_normal", sizes, self.mean, self.stddev, _floating(dtype))

    def get_config(self) -> dict[str, Any]:
        return {"mean": self.mean, "stddev": self.stddev, "seed": self.seed}


@export(_I + "VarianceScaling", _I + "variance_scaling_initializer")
class VarianceScaling(_Drawn):
    """Draws whose variance is a number over how many inputs or outputs weights of the shape have.

    Raises:
      ValueError: if `scale` is not positive, or the others are not among what there is.
    """

    def __init__(
        self,
        scale: Any = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: int | None = None,
    ) -> None:
        if scale <= 0.0:
            raise ValueError(f"Argument `scale` must be a positive float. Received: {scale}")
        if mode not in _MODES:
            raise ValueError(f"Argument `mode` should be one of {_MODES}. Received: {mode}")
        distribution = distribution.lower()
        self.distribution = "truncated_normal" if distribution == "normal" else distribution
        if self.distribution not in _DRAWS:
            raise ValueError(f"Argument `distribution` should be one of {tuple(_DRAWS)}. Received: {distribution}")
        self.scale = scale
        self.mode = mode
        self.seed = seed

    def __call__(self, shape: Any, dtype: Any = float32, **kwargs: Any) -> Tensor:
        """A draw of this shape and dtype, or of a part of it."""
        ins, outs = fans(_sizes(shape))
        variance = self.scale / max(1.0, {"fan_in": ins, "fan_out": outs, "fan_avg": (ins + outs) / 2}[self.mode])
        low, high = 0.0, math.sqrt(variance)
        if self.distribution == "truncated_normal":
            high /= TRUNCATED
        elif self.distribution == "uniform":
            high = math.sqrt(3.0 * variance)
            low = -high
        sizes = _sizes(kwargs.get("partition_shape") or shape)
        return self._draw(self.distribution, sizes, low, high, _floating(dtype))

    def get_config(self) -> dict[str, Any]:
        return {"scale": self.scale, "mode": self.mode, "distribution": self.distribution, "seed": self.seed}


class _Glorot(VarianceScaling):
    _kind = ""

    def __init__(self, seed: int | None = None) -> None:
        super().__init__(1.0, "fan_avg", self._kind, seed)

    def get_config(self) -> dict[str, Any]:
        return {"seed": self.seed}


@export(*(_I + n for n in ("GlorotUniform", "glorot_uniform", "glorot_uniform_initializer")))
class GlorotUniform(_Glorot):
    """Draws from a uniform distribution, by the mean of the numbers of inputs and outputs."""

    _kind = "uniform"


@export(*(_I + n for n in ("GlorotNormal", "glorot_normal", "glorot_normal_initializer")))
class GlorotNormal(_Glorot):
    """Draws from a normal distribution that is cut off, by the mean of the numbers of inputs and outputs."""

    _kind = "truncated_normal"


@export(_I + "lecun_normal")
def lecun_normal(seed: int | None = None) -> VarianceScaling:
    """Draws from a normal distribution that is cut off, of a variance of 1 over the number of inputs."""
    return VarianceScaling(seed=seed)


@export(_I + "lecun_uniform")
def lecun_uniform(seed: int | None = None) -> VarianceScaling:
    """Draws from a uniform distribution of a variance of 1 over the number of inputs."""
    return VarianceScaling(distribution="uniform", seed=seed)


@export(_I + "he_normal")
def he_normal(seed: int | None = None) -> VarianceScaling:
    """Draws from a normal distribution that is cut off, of a variance of 2 over the number of inputs."""
    return VarianceScaling(2.0, seed=seed)


@export(_I + "he_uniform")
def he_uniform(seed: int | None = None) -> VarianceScaling:
    """Draws from a uniform distribution of a variance of 2 over the number of inputs."""
    return VarianceScaling(2.0, distribution="uniform", seed=seed)


@export(*(_I + n for n in ("Orthogonal", "orthogonal", "orthogonal_initializer")))
class Orthogonal(_Drawn):
    """A matrix whose rows or columns are orthonormal."""

    def __init__(self, gain: Any = 1.0, seed: int | None = None) -> None:
        self.gain = gain
        self.seed = seed

    def __call__(self, shape: Any, dtype: Any = float32, **kwargs: Any) -> Tensor:
        """A draw of this shape and dtype."""
        _whole(self, kwargs)
        given = _floating(dtype)
        drawn = orthonormal(_sizes(shape), lambda size: self._draw("untruncated_normal", size, 0.0, 1.0, given))
        return self.gain * drawn

    def get_config(self) -> dict[str, Any]:
        return {"gain": self.gain, "seed": self.seed}


@export(*(_I + n for n in ("Identity", "identity", "identity_initializer")))
class Identity(Initializer):
    """The identity matrix.

    Raises:
      ValueError: when called for anything but a matrix.
    """

    def __init__(self, gain: Any = 1.0) -> None:
        self.gain = gain

    def __call__(self, shape: Any, dtype: Any = float32, **kwargs: Any) -> Tensor:
        """The identity matrix of this shape and dtype."""
        _whole(self, kwargs)
        given, sizes = _floating(dtype), _sizes(shape)
        if len(sizes) != 2:
            raise ValueError(
                f"The tensor to initialize, specified by argument `shape` must be at least two-dimensional. Received shape={sizes}"
            )
        return self.gain * eye(*sizes, dtype=given)

    def get_config(self) -> dict[str, Any]:
        return {"gain": self.gain}
