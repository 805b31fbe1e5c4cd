"""`tf.types.experimental`, and other names that programs use in annotations and `isinstance`."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Protocol, Union, runtime_checkable

import numpy as np

from tfgrad_jax.engine.function.concrete import ConcreteFunction
from tfgrad_jax.engine.function.function import Function
from tfgrad_jax.engine.names.export import export, export_value
from tfgrad_jax.engine.run.eager import executing_eagerly
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.specs import TypeSpec
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.ops.host.host_calls import numpy_function

export_value(
    Union[Tensor, Variable, int, float, bool, str, bytes, complex, tuple, list, np.ndarray, np.generic],  # noqa: UP007
    "types.experimental.TensorLike",
)


@export("types.experimental.Callable")
class Callable(ABC):  # noqa: B024 -- for `isinstance`
    """What `tf.function` returns, and its traces. Mirrors `tf.types.experimental.Callable`."""


Callable.register(Function)
Callable.register(ConcreteFunction)


@export("types.experimental.AtomicFunction")
class AtomicFunction(Callable):
    """A trace as the runtime calls it, which nobody sees here. Mirrors `tf.types.experimental.AtomicFunction`."""


@export("types.experimental.TraceType")
class TraceType(ABC):
    """What decides whether a call needs a new trace. Mirrors `tf.types.experimental.TraceType`; specs are such types."""

    @abstractmethod
    def is_subtype_of(self, other: TraceType) -> bool:
        """Whether values of this type can be given where `other` is expected."""

    @abstractmethod
    def most_specific_common_supertype(self, others: Sequence[TraceType]) -> TraceType | None:
        """The narrowest type that holds for this and the others, or None."""

    @abstractmethod
    def placeholder_value(self, placeholder_context: Any) -> Any:
        """What stands for a value while the function is traced."""


TraceType.register(TypeSpec)  # type: ignore[type-abstract]


@export("types.experimental.SupportsTracingProtocol")
@runtime_checkable
class SupportsTracingProtocol(Protocol):
    """A value that says its own `TraceType`. Mirrors `tf.types.experimental.SupportsTracingProtocol`."""

    def __tf_tracing_type__(self, context: Any) -> TraceType:
        """The type of this value."""


@export("timestamp")
def timestamp(name: str | None = None) -> Tensor:
    """The seconds since 1970, as float64; in a function, when it runs. Mirrors `tf.timestamp`."""
    if executing_eagerly():
        return convert(time.time(), dtypes.float64)
    now = numpy_function(time.time, [], dtypes.float64)
    now.set_shape([])
    return now


@export("__internal__.tf2.enabled")
def enabled() -> bool:
    """Whether TensorFlow 2's behaviour is on, which it always is."""
    return True
