"""Objects and variables among the arguments of traced functions: what tells whether two calls bring the same ones."""

from __future__ import annotations

import weakref
from typing import Any

from tfgrad_jax.engine.state.resource import ResourceTensor
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.values.specs import TypeSpec


class Same:
    """An object in a key: equal to itself or to what it says it equals, and not kept alive."""

    __slots__ = ("_hash", "_ref")

    def __init__(self, value: Any) -> None:
        self._hash = hash(value)
        self._ref = weakref.ref(value)

    @property
    def value(self) -> Any:
        """The object; None when it is gone."""
        return self._ref()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Same):
            return False
        mine, theirs = self._ref(), other._ref()
        return mine is not None and theirs is not None and (mine is theirs or bool(mine == theirs))

    def __hash__(self) -> int:
        return self._hash


class VariableSpec(TypeSpec):
    """A variable among the arguments.

    Args:
      shape, dtype, trainable: as of the variable.
      alias_id: which of the variables among the arguments it is; the same variable given twice has one number.
    """

    def __init__(self, shape: Any, dtype: Any, trainable: bool = True, alias_id: int | None = None) -> None:
        self.shape = shape
        self.dtype = dtype
        self.trainable = trainable
        self.alias_id = alias_id

    @property
    def value_type(self) -> Any:
        return Variable

    def _serialize(self) -> tuple[Any, ...]:
        return self.shape, self.dtype, self.trainable, self.alias_id

    def __repr__(self) -> str:
        named = f"dtype={self.dtype!r}, trainable={self.trainable!r}, alias_id={self.alias_id!r}"
        return f"{type(self).__name__}(shape={self.shape}, {named})"


class HandleSpec(VariableSpec):
    """The handle of a variable among the arguments; to traces it is that variable."""

    @property
    def value_type(self) -> Any:
        return ResourceTensor


class TracingContext:
    """What `__tf_tracing_type__` is given; it has nothing to tell here."""


_CONTEXT = TracingContext()


def own_type(value: Any) -> Any:
    """The `TraceType` that an object says it has: objects of equal types share a trace. None if it says none."""
    if isinstance(value, TypeSpec) or not hasattr(type(value), "__tf_tracing_type__"):
        return None
    return value.__tf_tracing_type__(_CONTEXT)


def stand_in(value: Any) -> Any:
    """What a trace is given for an object: what its own type says, otherwise itself."""
    own = own_type(value)
    return value if own is None else own.placeholder_value(None)
