"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax._stubs import types_experimental_distributed
from tfgrad_jax.lib.typing_names import AtomicFunction as AtomicFunction
from tfgrad_jax.lib.typing_names import Callable as Callable
from tfgrad_jax.engine.function.concrete import ConcreteFunction as ConcreteFunction
from tfgrad_jax.engine.function.function import Function as _GenericFunction
from tfgrad_jax.engine.function.function import Function as _PolymorphicFunction
from tfgrad_jax.lib.typing_names import SupportsTracingProtocol as SupportsTracingProtocol
from tfgrad_jax.lib.typing_names import TraceType as TraceType
distributed = types_experimental_distributed
GenericFunction = _GenericFunction
PolymorphicFunction = _PolymorphicFunction
TensorLike = _Any
