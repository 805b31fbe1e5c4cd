"""The state of a variable, which the variable and what its assignments return share."""

from __future__ import annotations

import weakref
from typing import Any

import jax
import jax.numpy as jnp

from tfgrad_jax.engine.run.execute import alias
from tfgrad_jax.engine.state.box import Box
from tfgrad_jax.engine.values.dtypes import string
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.tensor import Tensor, is_host


class Handle(Box):
    """The state of a variable.

    Attributes:
      dtype, shape: the static type, which may be more general than the value's.
      owner: a weak reference to the variable.
    """

    __slots__ = ("dtype", "owner", "shape")

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
        self.sharding = value.sharding if spread else None  # and so are all values that follow
