"""`BoundedTensorSpec`: a spec whose tensors have limits. Actions and observations of TF-Agents are described by it."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.shapes import as_shape
from tfgrad_jax.engine.values.specs import TensorSpec


@export("python.framework.tensor.BoundedTensorSpec", "python.framework.tensor_spec.BoundedTensorSpec")
class BoundedTensorSpec(TensorSpec):
    """The shape, dtype and limits of a tensor.

    Args:
      shape: anything that `tf.TensorShape` takes.
      dtype: anything that `tf.as_dtype` takes.
      minimum, maximum: the limits, both of them included: numbers, or arrays that broadcast to the shape.
      name: a name for the tensor, or None.

    Raises:
      ValueError: if a limit is None, or does not broadcast to the shape.
    """

    def __init__(self, shape: Any, dtype: Any, minimum: Any, maximum: Any, name: str | None = None) -> None:
        super().__init__(shape, dtype, name)
        self._minimum = self._limit("minimum", minimum)
        self._maximum = self._limit("maximum", maximum)

    def _limit(self, which: str, given: Any) -> np.ndarray:
        if given is None:
            raise ValueError(f"`{which}` can not be None.")
        try:
            fits = self._shape.rank is None or as_shape(
                np.broadcast_shapes(np.shape(given), [1 if n is None else n for n in self._shape])
            ).is_compatible_with(self._shape)
        except ValueError:
            fits = False
        if not fits:
            raise ValueError(f"`{which}` {given} is not compatible with shape {self._shape}.")
        limit = np.array(given, self._dtype.as_numpy_dtype)
        limit.setflags(write=False)
        return limit

    @property
    def minimum(self) -> np.ndarray:
        """The smallest values, which are none to write to."""
        return self._minimum

    @property
    def maximum(self) -> np.ndarray:
        """The largest values, which are none to write to."""
        return self._maximum

    @classmethod
    def from_spec(cls, spec: Any, name: str | None = None) -> BoundedTensorSpec:
        """The spec with the shape, dtype and limits of `spec`: those of the dtype, where it has none."""
        dtype = dtypes.as_dtype(spec.dtype)
        limits = getattr(spec, "minimum", dtype.min), getattr(spec, "maximum", dtype.max)
        return cls(spec.shape, dtype, *limits, name=name or spec.name)

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self._minimum, self._maximum, self._name

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, BoundedTensorSpec)
            and (self._shape, self._dtype, self._name) == (other._shape, other._dtype, other._name)
            and np.array_equal(self._minimum, other._minimum)
            and np.array_equal(self._maximum, other._maximum)
        )

    def __hash__(self) -> int:
        return hash((self._shape, self._dtype))

    def __repr__(self) -> str:
        limits = f"minimum={self._minimum!r}, maximum={self._maximum!r}"
        return f"BoundedTensorSpec(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r}, {limits})"
