"""The public function of an operation, with a quick route for calls that need no thought."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tfgrad_jax.engine.cache import Cache
from tfgrad_jax.engine.declare.check import Check
from tfgrad_jax.engine.declare.roles import EVERY_DTYPE, REQUIRED, Operand
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.state.variable import ResourceVariable
from tfgrad_jax.engine.values.convert import shared_scalar
from tfgrad_jax.engine.values.dtypes import DType, float64
from tfgrad_jax.engine.values.tensor import EagerTensor, Tensor

if TYPE_CHECKING:
    from tfgrad_jax.engine.declare.op import Op

_PLAIN = {int, bool, str, type(None), DType}


def public_function(operation: Op) -> Any:
    roles, defaults = operation.roles, operation.defaults
    count = next((i for i, r in enumerate(roles) if not isinstance(r, Operand) or r.many), len(roles))
    # One or two operands given in place, and attributes that are plain values: the common case skips the binding.
    quick = (
        count in (1, 2)
        and not operation.host
        and all(d is REQUIRED for d in defaults[:count])
        and not any(isinstance(r, Operand) for r in roles[count:])
    )
    call = (_unary if count == 1 else _binary)(operation) if quick else None

    @functools.wraps(operation.fn)
    def general(*args: Any, **kwargs: Any) -> Any:
        return operation(args, kwargs)

    public: Any = general if call is None else functools.wraps(operation.fn)(call)

    def rule(function: Callable[..., Any]) -> Callable[..., Any]:
        operation.rule = function
        return function

    def factors(function: Callable[..., Any]) -> Callable[..., Any]:
        operation.factors = function
        return function

    def python_gradient(function: Callable[..., Any]) -> Callable[..., Any]:
        operation.gradient = function
        return function

    def open_shape(function: Callable[..., Any]) -> Callable[..., Any]:
        operation.open_shape = function
        return function

    def types(function: Callable[..., Any]) -> Callable[..., Any]:
        operation.types = function
        return function

    def check(function: Callable[..., Any]) -> Callable[..., Any]:
        operation.check = Check(function)
        operation.execute, operation.operate = operation.check.execute, operation.check.operate
        return function

    public.op = operation
    public.rule = rule
    public.factors = factors
    public.python_gradient = python_gradient
    public.open_shape = open_shape
    public.types = types
    public.check = check
    public.__signature__ = _shown_signature(operation)
    public.__annotations__ = {}
    if operation.names:
        public.__name__ = public.__qualname__ = operation.names[0].rsplit(".", 1)[-1]
    return public


def _unary(operation: Op) -> Callable[..., Any]:
    allowed = _taken(operation.roles[0])
    kernels = _Kernels(operation, 1)

    def call(*args: Any, **kwargs: Any) -> Any:
        if args:
            x = args[0]
            if type(x) is ResourceVariable:
                x = x.as_operand()
            if type(x) is EagerTensor and (x.known_spec or x.spec).dtype in allowed:
                kernel = (len(args) == 1 and not kwargs and kernels.usual) or kernels.find(args[1:], kwargs)
                if kernel is not None:
                    return operation.operate(kernel, x)
        return operation(args, kwargs)

    return call


def _binary(operation: Op) -> Callable[..., Any]:
    one, other = operation.roles[:2]
    same, number = one.shared and other.shared, other.number
    allowed, allowed_other = _taken(one), _taken(other)
    kernels = _Kernels(operation, 2)

    def call(*args: Any, **kwargs: Any) -> Any:
        if len(args) >= 2:
            x, y = args if len(args) == 2 else args[:2]
            if type(x) is ResourceVariable:
                x = x.as_operand()
            if type(x) is EagerTensor:
                dtype = (x.known_spec or x.spec).dtype
                if number:
                    y = shared_scalar(y, float64) if type(y) is float else None
                elif type(y) is not EagerTensor:
                    y = quick_operand(y, dtype) if same else None
                if y is not None and dtype in allowed:
                    found = (y.known_spec or y.spec).dtype
                    if found is dtype if same else found in allowed_other:
                        kernel = (len(args) == 2 and not kwargs and kernels.usual) or kernels.find(args[2:], kwargs)
                        if kernel is not None:
                            return operation.operate(kernel, x, y)
        return operation(args, kwargs)

    return call


def _taken(role: Operand) -> frozenset[DType]:
    if role.forced is not None:
        return frozenset({role.forced})
    return EVERY_DTYPE if role.allowed is None else role.allowed


class _Kernels:
    """The kernels of an operation whose first operands are tensors, by what follows them.

    Attributes:
      usual: the kernel if nothing follows; None until `find` has made it.
    """

    __slots__ = ("_count", "_known", "_operation", "usual")

    def __init__(self, operation: Op, count: int) -> None:
        self._operation = operation
        self._count = count
        self._known: Cache[Any, Kernel | bool] = Cache()
        self.usual: Kernel | None = None

    def find(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Kernel | None:
        """The kernel for these further arguments; None where the call has to be bound."""
        key: list[Any] = []
        for value in (*args, *kwargs.values()) if kwargs else args:
            kind = type(value)
            if kind is list or kind is tuple:
                if any([type(item) is not int for item in value]):
                    return None
                value = tuple(value)
            # 1, 1.0 and True are equal, and 0.0 is -0.0, but they make different kernels.
            elif kind not in _PLAIN and not (kind is float and value):
                return None
            key += kind, value
        key += kwargs
        found = self._known[tuple(key)]
        if found is None:
            kernel = self._operation.kernel_for(self._count, args, kwargs)
            found = self._known[tuple(key)] = kernel or False
            if not key:
                self.usual = kernel
        return found or None  # type: ignore[return-value]


def quick_operand(value: Any, dtype: DType) -> Tensor | None:
    """The second operand of a binary operation, where that takes no thought; None where it does."""
    kind = type(value)
    if (kind is float and dtype.is_floating) or (kind is int and (dtype.is_floating or dtype.is_integer)):
        return shared_scalar(value, dtype)
    if kind is ResourceVariable:
        return value.as_operand()
    return value if isinstance(value, Tensor) else None


def _shown_signature(operation: Op) -> inspect.Signature:
    """TensorFlow's signature: without roles, and with the `name` that every operation accepts."""
    parameters = [
        inspect.Parameter(
            name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=inspect.Parameter.empty if d is REQUIRED else d
        )
        for name, d in zip(operation.parameters, operation.defaults, strict=True)
    ]
    return inspect.Signature(parameters)
