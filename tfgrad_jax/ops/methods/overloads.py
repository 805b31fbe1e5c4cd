"""The operators of tensors and variables.

Binary operators are the most frequent operations of eager programs. So where both operands are tensors of one dtype, or
the other one is a Python number that fits, they run a kernel that is known beforehand; everything else goes through the
public function that the operator stands for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from tfgrad_jax.engine.declare.roles import Floating, Inexact, Number, Real
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.execute import misfit, operate
from tfgrad_jax.engine.state.variable import ResourceVariable, Variable
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert, shared_scalar
from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.engine.values.tensor import EagerTensor, Tensor
from tfgrad_jax.ops.common import listed
from tfgrad_jax.ops.linalg.matmul import MATMUL, matmul
from tfgrad_jax.ops.math import bitwise, compare, math, power, rounding

Binary = Callable[[Any, Any], Any]


def _aware(x: Any, y: Any, general: Binary, reflected: str) -> Any:
    """`general(x, y)`; where that fails, an operand that knows tensors itself may answer instead."""
    try:
        return general(x, y)
    except (TypeError, ValueError):
        method = None if isinstance(y, (Tensor, Variable)) else getattr(type(y), reflected, None)
        if method is None:
            raise
        answer = method(y, x)
        if answer is NotImplemented:
            raise
        return answer


def _binary(
    symbol: str,
    operation: Any,
    general: Binary,
    quick: frozenset[DType],
    on_host: Binary | None = None,
    any_number: bool = True,
) -> tuple[Binary, Binary]:
    """The methods for `tensor <op> other` and `other <op> tensor`.

    Args:
      symbol: the operator's name without underscores, such as `"add"`.
      operation: the operation whose kernel serves dtypes in `quick`.
      general: what the operator stands for.
      quick: the dtypes for which `general` is nothing more than `operation`.
      on_host: the same of NumPy arrays. Integers in host memory stay there: they are shapes, sizes and indices, which
        must be known also where a function is traced.
      any_number: False where a 0 on the right needs a look first.
    """
    kernel = operation.op.kernel((True, True))
    takes = {float: quick & Inexact.allowed, int: quick}
    reflected = f"__r{symbol}__"

    def forward(self: Tensor, other: Any) -> Any:
        try:
            dtype = (self.known_spec or self.spec).dtype
        except (
            AttributeError
        ):  # a class that borrows the operators of tensors, for which the function may know an answer
            return general(self, other)
        kind = type(other)
        if kind is EagerTensor:
            if (other.known_spec or other.spec).dtype is dtype and dtype in quick:
                if dtype.is_integer and on_host is not None and type(self.held) is type(other.held) is ndarray:
                    return _host(on_host, self.held, other.held)
                if any_number or not dtype.is_integer:
                    return operate(kernel, self, other)
        elif kind is float or kind is int:
            if dtype in takes[kind] and (any_number or other):
                operand = shared_scalar(other, dtype)
                if dtype.is_integer and on_host is not None and type(self.held) is ndarray:
                    return _host(on_host, self.held, operand.held)
                return operate(kernel, self, operand)
        elif kind is ResourceVariable:
            if other.box.dtype is dtype and dtype in quick and any_number:
                return operate(kernel, self, other.as_operand())
        elif isinstance(other, Variable) and other.dtype is dtype and dtype in quick and any_number:
            return operate(kernel, self, other.operator_value())
        return _aware(self, other, general, reflected)

    def backward(self: Tensor, other: Any) -> Any:
        try:
            dtype = (self.known_spec or self.spec).dtype
        except AttributeError:
            # It cannot say of itself that a number beside it is one of its dtype.
            its_own = getattr(self, "dtype", None)
            return general(other if its_own is None else convert(other, its_own), self)
        kind = type(other)
        if (kind is float or kind is int) and dtype in takes[kind] and any_number:
            operand = shared_scalar(other, dtype)
            if dtype.is_integer and on_host is not None and type(self.held) is ndarray:
                return _host(on_host, operand.held, self.held)
            return operate(kernel, operand, self)
        return general(convert(other, dtype), self)

    return forward, backward


def _host(function: Binary, x: ndarray, y: ndarray) -> Any:
    try:
        return EagerTensor(np.asarray(function(x, np.asarray(y))))
    except ValueError as error:
        raise misfit(f"Incompatible shapes: {listed(x.shape)} vs. {listed(y.shape)}") from error


def _dtype(x: Any, y: Any) -> DType:
    """The dtype of the operand that is a tensor, or of the one that borrows its operators."""
    return (x if isinstance(x, (Tensor, Variable)) or not hasattr(y, "dtype") else y).dtype


def _by_dtype(logical: Binary, bits: Binary) -> Binary:
    def general(x: Any, y: Any) -> Any:
        return (logical if _dtype(x, y) is dtypes.bool_ else bits)(x, y)

    return general


def _logic(symbol: str, logical: Binary, bits: Binary) -> tuple[Binary, Binary]:
    general, reflected = _by_dtype(logical, bits), f"__r{symbol}__"
    return (
        lambda self, other: _aware(self, other, general, reflected),
        lambda self, other: general(convert(other, self.dtype), self),
    )


def _equality(operation: Any, general: Binary, mismatch: bool, borrowed: Binary) -> Binary:
    kernel = operation.op.kernel((True, True))
    reflected = "__ne__" if mismatch else "__eq__"

    def answer(x: Tensor, y: Any) -> Any:
        other = (
            y.as_operand() if isinstance(y, Variable) else convert(y) if isinstance(y, Tensor) else convert(y, x.dtype)
        )
        if x.dtype is other.dtype and not x.shape.is_compatible_with(other.shape) and not _broadcast(x, other):
            return compare.constant_answer(mismatch)
        return general(x, other)

    def method(self: Tensor, other: Any) -> Any:
        if other is None:
            return mismatch
        try:
            spec = self.known_spec or self.spec
        except AttributeError:
            return borrowed(self, other)
        kind = type(other)
        if (kind is EagerTensor and (other.known_spec or other.spec) is spec) and not spec.dtype.on_host:
            return operate(kernel, self, other)
        return _aware(self, other, answer, reflected)

    return method


@export("__operators__.add")
def _add(x: Any, y: Any, name: str | None = None) -> Any:
    """`x + y`: what the operator is to those who dispatch it."""
    return math.add(x, y, name)


@export("__operators__.eq")
def _equal(self: Any, other: Any) -> Any:
    """`self == other`: what the operator is to those who dispatch it."""
    return self == other


@export("__operators__.ne")
def _differ(self: Any, other: Any) -> Any:
    """`self != other`: what the operator is to those who dispatch it."""
    return self != other


def _broadcast(x: Tensor, y: Tensor) -> bool:
    return all(a == b or 1 in (a, b) for a, b in zip(reversed(x.spec.shape), reversed(y.spec.shape), strict=False))


def _matrix_product(self: Tensor, other: Any) -> Any:
    if type(self) is EagerTensor:
        kind = type(other)
        y = other.as_operand() if kind is ResourceVariable else other
        if type(y) is EagerTensor:
            one, another = self.known_spec or self.spec, y.known_spec or y.spec
            if one.dtype is another.dtype and len(one.shape) == len(another.shape) == 2 and one.dtype in Number.allowed:
                return operate(MATMUL, self, y)
    return _aware(self, other, matmul, "__rmatmul__")


def _invert(self: Tensor) -> Tensor:
    return (compare.logical_not if self.dtype is dtypes.bool_ else bitwise.invert)(self)


def _times(x: Any, y: Any) -> Any:
    # Of booleans the product is "and", but only as an operator.
    if _dtype(x, y) is dtypes.bool_:
        return compare.logical_and(x, y)
    return math.multiply(x, y)


def _no_zero(function: Binary, name: str) -> Binary:
    def divide(x: ndarray, y: ndarray) -> Any:
        if not y.all():
            raise invalid_argument("Integer division by zero: the divisor holds a 0", name)
        return function(x, y)

    return divide


# Quotients of integers need a look at the divisor, or become floating.
_ARITHMETIC: dict[str, Any] = {
    "add": (math._add, _add, Number.allowed, np.add),
    "sub": (math.subtract, math.subtract, Number.allowed, np.subtract),
    "mul": (math.multiply, _times, Number.allowed, np.multiply),
    "truediv": (math.real_div, math.truediv, Inexact.allowed),
    "floordiv": (math.floordiv, math.floordiv, Real.allowed, _no_zero(np.floor_divide, "FloorDiv"), False),
    "mod": (math.floormod, math.floormod, Real.allowed, _no_zero(np.remainder, "FloorMod"), False),
}
_COMPARISONS: dict[str, Any] = {
    "lt": (compare.less, compare.less, Real.allowed, np.less),
    "le": (compare.less_equal, compare.less_equal, Real.allowed, np.less_equal),
    "gt": (compare.greater, compare.greater, Real.allowed, np.greater),
    "ge": (compare.greater_equal, compare.greater_equal, Real.allowed, np.greater_equal),
}


def _methods() -> dict[str, Callable[..., Any]]:
    methods: dict[str, Callable[..., Any]] = {}
    for symbol, row in _ARITHMETIC.items():
        methods[f"__{symbol}__"], methods[f"__r{symbol}__"] = _binary(symbol, *row)
    methods["__div__"], methods["__rdiv__"] = methods["__truediv__"], methods["__rtruediv__"]
    for symbol, row in _COMPARISONS.items():
        methods[f"__{symbol}__"], _ = _binary(symbol, *row)
    forward, backward = _binary("pow", power._pow, power.pow, Floating.allowed)
    square = power.pow_square.op.kernel((True,))

    def to_power(self: Tensor, other: Any) -> Any:
        # The general power takes many times longer.
        if type(other) is int and other == 2 and isinstance(self, Tensor) and self.dtype in Inexact.allowed:
            return operate(square, self)
        return forward(self, other)

    methods["__pow__"], methods["__rpow__"] = to_power, backward
    methods["__and__"], methods["__rand__"] = _logic("and", compare.logical_and, bitwise.bitwise_and)
    methods["__or__"], methods["__ror__"] = _logic("or", compare.logical_or, bitwise.bitwise_or)
    methods["__xor__"], methods["__rxor__"] = _logic("xor", compare.logical_xor, bitwise.bitwise_xor)
    methods["__matmul__"] = _matrix_product
    methods["__rmatmul__"] = lambda self, other: matmul(convert(other, self.dtype), self)
    methods["__eq__"] = _equality(compare._equal, compare.equal, False, _equal)
    methods["__ne__"] = _equality(compare._not_equal, compare.not_equal, True, _differ)
    methods["__neg__"] = lambda self: math.negative(self)
    methods["__abs__"] = lambda self: rounding.abs(self)
    methods["__invert__"] = _invert
    return methods


def _of_variable(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    if name in ("__neg__", "__abs__", "__invert__"):
        return lambda self: method(self.operator_value())
    if name in ("__eq__", "__ne__"):

        def compared(self: Variable, other: Any) -> Any:
            if context.graph is not None and context.graph.on_demand:  # where variables are equal to themselves only
                return (self is other) is (name == "__eq__")
            # Of a variable only a tensor's comparison with None is special: this one converts it, and fails.
            return method(self.as_operand(), convert(other) if other is None else other)

        return compared
    return lambda self, other: method(self.operator_value(), other)


def _refuse_item(self: Any, key: Any, value: Any) -> None:
    remedy = "v[i].assign(value) changes a part of a variable"
    if isinstance(self, Tensor):
        remedy = f"tensors never change. tf.tensor_scatter_nd_update and tf.where make another, {remedy}"
    raise TypeError(f"{type(self).__name__!r} object does not support item assignment: {remedy}")


def _refuse_deletion(self: Any, key: Any) -> None:  # a class that refuses one of the two is asked for the other as well
    raise TypeError(f"{type(self).__name__!r} object doesn't support item deletion")


def _install() -> None:
    for name, method in _methods().items():
        method.__name__ = name
        method.__qualname__ = f"Tensor.{name}"
        setattr(Tensor, name, method)
        of_variable = _of_variable(name, method)
        of_variable.__name__ = name
        of_variable.__qualname__ = f"Variable.{name}"
        setattr(Variable, name, of_variable)
    for kind in (Tensor, Variable):
        setattr(kind, "__setitem__", _refuse_item)  # noqa: B010
        setattr(kind, "__delitem__", _refuse_deletion)  # noqa: B010
    Tensor.OVERLOADABLE_OPERATORS = {*_methods(), "__getitem__"}  # type: ignore[attr-defined]


_install()
