"""Handles of variables that raw operations make by name: a variable comes with the first value that is assigned to one."""

from __future__ import annotations

import weakref
from typing import Any

from tfgrad_jax.engine.messages.errors import failed_precondition, invalid_argument, not_found
from tfgrad_jax.engine.state.resource import ResourceTensor
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.engine.values.numbers import c_name
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.lib.saved_model.nodes.registry import node

_ANONYMOUS = b"cd2c89b7-88b7-44c8-ad83-06c2a9158347"
"""The name by which TensorFlow asks for a variable that nobody else has."""

_variables: dict[Any, Variable] = {}
"""By container, shared name, and what stands for the handle of a variable that nobody else has."""


class NamedHandle(ResourceTensor):
    """The handle of a variable that may not be there yet.

    Args:
      key: all handles of one key are of one variable.
      dtype: of its values.
      shape: of its first value, if it has that.
    """

    __slots__ = ("_dtype", "_key", "_shape")

    def __init__(self, key: Any, dtype: DType, shape: TensorShape) -> None:
        self._key, self._dtype, self._shape = key, dtype, shape
        super().__init__(None)

    @property
    def variable(self) -> Variable:
        """The variable.

        Raises:
          NotFoundError: if nothing was assigned to it.
        """
        found = self.found
        if found is None:
            raise not_found(f"Resource {self._shown()} does not exist: nothing was assigned to it")
        return found

    @property
    def found(self) -> Variable | None:
        """The variable, None before the first assignment."""
        return _variables.get(self._key)

    @property
    def device(self) -> str:
        return "/job:localhost/replica:0/task:0/device:CPU:0"

    def _shown(self) -> str:
        return f'<ResourceHandle(name="{self._key[1].decode()}", container="{self._key[0].decode()}", type="tensorflow::Var")>'

    def read(self, dtype: DType) -> Any:
        """The value.

        Raises:
          FailedPreconditionError: if there is none.
          InvalidArgumentError: if it is of another dtype.
        """
        if self.found is None:
            raise failed_precondition(
                f"Could not find variable {self._key[1].decode()}. This could mean that the variable has been deleted, or that "
                "nothing was assigned to it.",
                "ReadVariableOp",
            )
        if self._dtype is not dtype:
            raise invalid_argument(
                f"Trying to read variable with wrong dtype. Expected {c_name(dtype)} got {c_name(self._dtype)}",
                "ReadVariableOp",
            )
        return self.found.read_value()

    def assign(self, value: Any, fits: bool) -> None:
        """Give it a value, with `fits` of the same shape as the one that it has.

        Raises:
          InvalidArgumentError: if it is of another dtype or shape.
        """
        if value.dtype is not self._dtype:
            raise invalid_argument(
                f"Trying to assign variable with wrong dtype. Expected {c_name(self._dtype)} got {c_name(value.dtype)}",
                "AssignVariableOp",
            )
        found = self.found
        if found is not None and not found.shape.is_compatible_with(value.shape):
            if fits:
                raise invalid_argument(
                    f"Trying to assign to variable with tensor with wrong shape. Expected {found.shape} got {value.shape}",
                    "AssignVariableOp",
                )
            found = None
        if found is not None:
            found.assign(value)
        else:
            shape = self._shape if self._shape.is_compatible_with(value.shape) else TensorShape(None)
            _variables[self._key] = Variable(value, trainable=False, shape=shape)

    def destroy(self, missing_is_fine: bool) -> None:
        """Forget the variable.

        Raises:
          NotFoundError: if there is none, unless `missing_is_fine`.
        """
        if _variables.pop(self._key, None) is None and not missing_is_fine:
            raise not_found(f"Resource {self._shown()} does not exist", "DestroyResourceOp")


@node("VarHandleOp")
def _handle(
    *, dtype: DType, shape: Any = None, container: bytes = b"", shared_name: bytes = b""
) -> Any:  # fmt: skip
    alone = shared_name == _ANONYMOUS
    key = (container or b"localhost", shared_name, object() if alone else None)
    handle = NamedHandle(key, dtype, TensorShape(shape))
    if alone:  # nobody can ask for its variable any more when it is gone
        weakref.finalize(handle, _variables.pop, key, None).atexit = False
    return handle
