"""The state of a variable, which the variable and what its assignments return share."""

from __future__ import annotations

import weakref
from typing import Any

import jax.numpy as jnp

from tfgrad_jax.engine.run.execute import alias
from tfgrad_jax.engine.threads.context import context, new_id
from tfgrad_jax.engine.values.dtypes import string
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.tensor import Tensor, is_host


class Handle:
    """The state of a variable, shared by the variable and what its assignments return.

    Attributes:
      id: the identity under which tapes know the variable.
      tensor: the current value; a new tensor object, always with the handle's identity, after each assignment.
      owner: a weak reference to the variable.
    """

    __slots__ = ("__weakref__", "current", "dtype", "id", "owner", "shape", "spec")

    owner: weakref.ref[Any]

    def __init__(self, tensor: Tensor, shape: TensorShape) -> None:
        self.id = new_id()
        self.dtype = tensor.spec.dtype
        self.shape = shape
        self.spec = tensor.spec
        self.current = alias(tensor, self.id)
        if is_host(self.current) and self.dtype is not string:
            # It will be read again and again: not from the host each time.
            self.current.held = jnp.asarray(self.current.held)

    @property
    def tensor(self) -> Tensor:
        trace = context.graph
        return self.current if trace is None else trace.read(self)

    def replace(self, tensor: Tensor) -> None:
        """Make `tensor`, which nobody else holds, the current value."""
        tensor.identity = self.id
        self.spec = tensor.spec
        trace = context.graph
        if trace is None:
            if tensor.held is None:
                tensor.pending_in.renamed(tensor)
            self.current = tensor
        else:
            trace.write(self, tensor)
