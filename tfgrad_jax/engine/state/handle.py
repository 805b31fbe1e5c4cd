"""The state of a variable, which the variable and what its assignments return share."""

from __future__ import annotations

import weakref
from typing import Any

import jax
import jax.numpy as jnp

from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.run.execute import alias, untaped
from tfgrad_jax.engine.state.box import Box
from tfgrad_jax.engine.values.dtypes import string
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.tensor import Tensor, is_host


class Handle(Box):
    """The state of a variable.

    Attributes:
      dtype, shape: the static type, which may be more general than the value's.
      sharding: None, or how the first value was spread over several devices: so are all that follow.
      owner: a weak reference to the variable.
    """

    __slots__ = ("dtype", "owner", "shape", "sharding")

    owner: weakref.ref[Any]

    def __init__(self, tensor: Tensor, shape: TensorShape) -> None:
        super().__init__(tensor.spec)
        self.dtype = tensor.spec.dtype
        self.shape = shape
        self.current = alias(tensor, self.id)
        if is_host(self.current) and self.dtype is not string:
            # It will be read again and again: not from the host each time.
            self.current.held = jnp.asarray(self.current.held)
        value = self.current.held
        spread = isinstance(value, jax.Array) and not isinstance(value, jax.core.Tracer) and len(value.devices()) > 1
        self.sharding = value.sharding if spread else None

    def replace(self, tensor: Tensor) -> None:
        if self.sharding is not None:
            tensor = untaped(_spread(self.sharding), (tensor,))
        super().replace(tensor)

    def laid_out(self, value: Any) -> Any:
        return value if self.sharding is None else jax.device_put(value, self.sharding)


_spreading: dict[Any, Kernel] = {}


def _spread(sharding: Any) -> Kernel:
    """The kernel that spreads a value over devices."""
    kernel = _spreading.get(sharding)
    if kernel is None:

        def spread(value: Any) -> Any:
            return jax.lax.with_sharding_constraint(value, sharding)

        kernel = _spreading[sharding] = Kernel("Sharding", spread, differentiable=0)
    return kernel
