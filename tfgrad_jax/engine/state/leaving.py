"""How the values of variables leave for Python, NumPy and other libraries."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.engine.messages.errors import no_value_yet
from tfgrad_jax.engine.values.python_values import real
from tfgrad_jax.engine.values.tensor import EagerTensor


class Leaving:
    """The methods by which a variable's value leaves."""

    __slots__ = ()

    box: Any
    name: Any

    def __jax_array__(self) -> Any:
        return self.box.tensor.array

    def numpy(self) -> Any:
        """The value as a NumPy array of its own; `NotImplementedError` in a function, which has it only when it runs."""
        tensor = self.box.tensor
        if not isinstance(tensor, EagerTensor):
            raise no_value_yet(self.name)
        return tensor.numpy()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self.box.tensor.__array__(dtype, copy)

    def __dlpack__(self, **kwargs: Any) -> Any:
        return self.box.tensor.array.__dlpack__(**kwargs)

    def __dlpack_device__(self) -> Any:
        return self.box.tensor.array.__dlpack_device__()

    def __bool__(self) -> bool:
        return bool(self.box.tensor)

    def __int__(self) -> int:
        return int(real(np.asarray(self)))

    def __float__(self) -> float:
        return float(real(np.asarray(self)))

    def __complex__(self) -> complex:
        return complex(np.asarray(self))

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)
