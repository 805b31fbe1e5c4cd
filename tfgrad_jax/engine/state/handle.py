"""The state of a variable, which the variable and what its assignments return share."""

from __future__ import annotations

import operator
import weakref
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.kernels.spread import note
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.run.execute import alias, misfit, untaped
from tfgrad_jax.engine.state.box import Box
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.tensor import Spec, Tensor, is_host


class Handle(Box):
    """The state of a variable.

    Attributes:
      dtype, shape: the static type, which may be more general than the value's.
      owner: a weak reference to the variable.
    """

    __slots__ = ("dtype", "owner", "shape")

    owner: weakref.ref[Any]

    def __init__(self, tensor: Tensor, shape: TensorShape) -> None:
        super().__init__(tensor.spec, Spec.open(tensor.spec.dtype, shape))
        self.dtype = tensor.spec.dtype
        self.shape = shape
        self.current = alias(tensor, self.id)
        if is_host(self.current) and not self.dtype.on_host:
            # It will be read again and again: not from the host each time.
            self.current.held = jnp.asarray(self.current.held)
        value = self.current.held
        spread = isinstance(value, jax.Array) and not isinstance(value, jax.core.Tracer) and len(value.devices()) > 1
        self.sharding = value.sharding if spread else None  # and so are all values that follow
        if spread:
            note(self.sharding)

    def fitting(self, tensor: Tensor) -> Tensor:
        """A tensor of a graph whose shape is open, as one that has the declared shape, or is refused when the graph runs."""
        static = self.shape
        if tensor.shape.is_subtype_of(static):
            return tensor

        def checked(value: Any) -> list[Any]:
            if not static.is_compatible_with(value.shape):
                raise invalid_argument(
                    f"a variable of shape {static} is assigned a tensor of shape {tuple(value.shape)}; assign one of its shape, "
                    f"or make the variable with `shape=` for all that it may have",
                    _ASSIGN,
                )
            return [value]

        kernel = Kernel(_ASSIGN, checked, differentiable=0, recorded=False)
        kernel.typed = [Spec.open(self.dtype, tensor.shape.merge_with(static))]
        return untaped(kernel, (tensor,))[0]

    def takes(self, delta: Tensor) -> bool:
        """Whether a tensor may be added to the value: it has the same shape, as far as one knows."""
        if delta.spec.shape == self.spec.shape:
            return True
        return context.graph is not None and self.shape.is_compatible_with(delta.shape)


_ASSIGN = "AssignVariableOp"


def _in_place(name: str, combine: Callable[[Any, Any], Any]) -> Kernel:
    """The kernel of an update with an operand of the value's own shape."""

    def update(value: Any, delta: Any) -> Any:
        if value.shape != delta.shape:
            raise unequal(value.shape, delta.shape, name)
        return combine(value, delta)

    return Kernel(name, update, differentiable=0, recorded=False)


def unequal(shape: Any, delta: Any, name: str) -> Exception:
    """The error for an update with an operand of another shape than the value's."""
    return misfit(
        f"Cannot update variable with shape {list(shape)} using a Tensor with shape {list(delta)}, shapes must be equal.",
        name,
    )


ASSIGN_ADD = _in_place("AssignAddVariableOp", operator.add)
ASSIGN_SUB = _in_place("AssignSubVariableOp", operator.sub)
