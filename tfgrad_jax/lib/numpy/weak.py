"""Tensors whose dtype gives way: what Python numbers are in the modes "all" and "safe" of `tf.experimental.numpy`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tfgrad_jax.composite.extension_type import ExtensionType
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import BY_NUMPY, DType
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.tensor import EagerTensor, Tensor
from tfgrad_jax.lib.numpy.promotion import Kind


class _Gradient:
    """Gradients flow to and from the tensor; they are weak themselves."""

    @staticmethod
    def get_gradient_components(value: Any) -> Any:
        return value.tensor

    @staticmethod
    def replace_gradient_components(value: Any, gradients: Any) -> Any:
        return WeakTensor(gradients)


class WeakTensor(ExtensionType):
    """A tensor whose dtype was nobody's choice. It is no `tf.Tensor`, as in TensorFlow, and has all that its tensor has."""

    tensor: Tensor

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor

    __array_priority__ = 100
    __composite_gradient__ = _Gradient

    def __tf_tensor__(self, dtype: DType | None = None, name: str | None = None) -> Tensor:
        return convert(self.tensor, dtype)

    def to_tensor(self) -> Tensor:
        """The tensor, whose dtype does not give way."""
        return self.tensor

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.tensor, name)

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return self.tensor.dtype

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        return self.tensor.shape

    def __str__(self) -> str:
        text = str(self.tensor)
        return f"{text[:-1]}, weak=True)" if isinstance(self.tensor, EagerTensor) else text

    def __repr__(self) -> str:
        return f"{repr(self.tensor)[:-1]}, weak=True>"

    def __len__(self) -> int:
        return len(self.tensor)

    def __iter__(self) -> Iterator[Tensor]:
        return iter(self.tensor)

    def __getitem__(self, item: Any) -> Tensor:
        return self.tensor[item]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.asarray(self.tensor) if dtype is None else np.asarray(self.tensor, dtype)

    def __bool__(self) -> bool:
        return bool(self.tensor)

    def __int__(self) -> int:
        return int(self.tensor)

    def __index__(self) -> int:
        return self.tensor.__index__()  # type: ignore[attr-defined]

    def __float__(self) -> float:
        return float(self.tensor)

    def __complex__(self) -> complex:
        return complex(self.tensor)

    def __format__(self, how: str) -> str:
        return format(self.tensor, how)

    def __hash__(self) -> int:  # type: ignore[override]
        raise TypeError("Tensor is unhashable. Instead, use tensor.ref() as the key.")


def marked(value: Any, weak: bool) -> Any:
    """A tensor, weak if it is to be."""
    return WeakTensor(value) if weak and isinstance(value, Tensor) else value


def plain(value: Any) -> Any:
    """The tensor of a weak one, and of what says itself which tensor it is, such as Keras' variables; anything else as it is."""
    if isinstance(value, WeakTensor):
        return value.tensor
    return convert(value) if _says_its_tensor(value) else value


def _says_its_tensor(value: Any) -> bool:
    return not isinstance(value, (Tensor, Variable)) and hasattr(type(value), "__tf_tensor__")


def _python_numbers(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return bool(value) and all(map(_python_numbers, value))
    return isinstance(value, (int, float, complex)) and not isinstance(value, (bool, np.generic))


def kind_of(value: Any) -> Kind | None:
    """The dtype of an operand, and whether it gives way; None of what is no tensor and no number."""
    if isinstance(value, (Tensor, Variable)):
        return Kind(value.dtype)
    if isinstance(value, WeakTensor):
        return Kind(value.dtype, True)
    if isinstance(value, (np.ndarray, np.generic)):
        return Kind(BY_NUMPY[value.dtype]) if value.dtype in BY_NUMPY else None
    if isinstance(value, (bool, int, float, complex, list, tuple)):
        try:
            return Kind(convert(value).dtype, _python_numbers(value))
        except (TypeError, ValueError):
            return None
    return Kind(convert(value).dtype) if _says_its_tensor(value) else None
