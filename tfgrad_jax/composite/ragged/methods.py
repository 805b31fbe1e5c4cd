"""The methods and operators of ragged tensors that are made of operations on them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfgrad_jax.composite.ragged import dense, display, indexing, printing, shaping
from tfgrad_jax.composite.ragged.tensor import RaggedTensor
from tfgrad_jax.engine.messages.errors import InvalidArgumentError
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.ops.math import bitwise, compare, math, power, rounding


def _operator(function: Any, swapped: bool = False) -> Callable[[Any, Any], Any]:
    return (lambda self, other: function(other, self)) if swapped else (lambda self, other: function(self, other))


def _compared(function: Any, without: bool) -> Callable[[Any, Any], Any]:
    """`==` or `!=`, which has an answer for None, and outside of graphs for what cannot be compared element by element."""

    def compared(self: Any, other: Any) -> Any:
        if other is None:
            return without
        try:
            return function(self, other)
        except InvalidArgumentError:
            if context.graph is not None:
                raise
            return without

    return compared


def _by_dtype(logical: Any, bits: Any) -> Callable[[Any, Any], Any]:
    """Of truth values the operator is logical, of integers it works on bits."""

    def apply(x: Any, y: Any) -> Any:
        ragged = x if isinstance(x, RaggedTensor) else y
        return (logical if ragged.dtype is dtypes.bool_ else bits)(x, y)

    return apply


_BINARY = {
    "add": math.add,
    "sub": math.subtract,
    "mul": _by_dtype(compare.logical_and, math.multiply),
    "truediv": math.truediv,
    "div": math.truediv,
    "floordiv": math.floordiv,
    "mod": math.floormod,
    "pow": power.pow,
    "and": _by_dtype(compare.logical_and, bitwise.bitwise_and),
    "or": _by_dtype(compare.logical_or, bitwise.bitwise_or),
    "xor": _by_dtype(compare.logical_xor, bitwise.bitwise_xor),
}
_COMPARISONS = {
    "eq": _compared(compare.equal, False),
    "ne": _compared(compare.not_equal, True),
    "lt": compare.less,
    "le": compare.less_equal,
    "gt": compare.greater,
    "ge": compare.greater_equal,
}


def _invert(self: RaggedTensor) -> Any:
    return (compare.logical_not if self.dtype is dtypes.bool_ else bitwise.invert)(self)


def _methods() -> dict[str, Any]:
    methods: dict[str, Any] = {
        "__getitem__": indexing.getitem,
        "__iter__": indexing.iterate,
        "__repr__": display.representation,
        "__str__": display.representation,
        "__neg__": lambda self: math.negative(self),
        "__abs__": lambda self: rounding.abs(self),
        "__invert__": _invert,
        "bounding_shape": dense.bounding_shape,
        "from_sparse": classmethod(dense.from_sparse),
        "from_tensor": classmethod(dense.from_tensor),
        "merge_dims": shaping.merge_dims,
        "numpy": display.numpy,
        "printed": printing.printed,
        "to_list": display.to_list,
        "to_sparse": dense.to_sparse,
        "to_tensor": dense.to_tensor,
    }
    for name, function in _BINARY.items():
        methods[f"__{name}__"], methods[f"__r{name}__"] = _operator(function), _operator(function, swapped=True)
    return methods | {f"__{name}__": _operator(function) for name, function in _COMPARISONS.items()}


for _name, _method in _methods().items():
    setattr(RaggedTensor, _name, _method)
