"""Tensors that behave as NumPy's arrays: operators that promote dtypes, methods, indices of every kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.numpy.modes import weak_numbers
from tfgrad_jax.lib.numpy.types import PREFIX, asarray, is_tensor, preference, public, tf
from tfgrad_jax.ops.math.cast import cast

_OPERATORS = {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "true_divide",
    "floordiv": "floor_divide",
    "mod": "mod",
    "pow": "power",
    "matmul": "matmul",
    "and": "logical_and",
    "or": "logical_or",
    "xor": "logical_xor",
}
_COMPARISONS = {
    "eq": "equal",
    "ne": "not_equal",
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
}
_BITS = {"logical_and": "bitwise_and", "logical_or": "bitwise_or", "logical_xor": "bitwise_xor"}


def _operator(name: str, turned: bool) -> Callable[[Any, Any], Any]:
    function = tf(PREFIX + _BITS.get(name, name))
    return (lambda self, other: function(other, self)) if turned else (lambda self, other: function(self, other))


def _comparison(name: str) -> Callable[[Any, Any], Any]:
    function = tf(PREFIX + name)

    def compare(self: Any, other: Any) -> Any:
        return function(self, other) if other is not None else name == "not_equal"

    return compare


def _is_basic(item: Any) -> bool:
    if item is None or item is Ellipsis or (isinstance(item, (int, np.integer, slice)) and not isinstance(item, bool)):
        return True
    return is_tensor(item) and not len(item.shape) and item.dtype.is_integer


def _indexed(basic: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """What an index stands for, `basic` being that of numbers and slices.

    Arrays in an index tell places, which are those of the result: taken from the array of all places by the same index.
    """

    def index(self: Any, item: Any) -> Any:
        if isinstance(item, list) and item and isinstance(item[0], (list, tuple)):
            item = tuple(item)  # one list for each dimension, as in NumPy's early versions
        items = item if isinstance(item, tuple) else (item,)
        if all(_is_basic(i) for i in items):
            return basic(self, item)
        found = asarray(self)
        if (is_tensor(item) and item.dtype is dtypes.bool_) or (
            isinstance(item, np.ndarray) and item.dtype == np.bool_
        ):
            return tf("boolean_mask")(found, item)
        if len(items) == 1:
            return _taken(found, asarray(items[0]), 0)
        arrays = [i for i in items if not _is_basic(i)]
        at = next(n for n, i in enumerate(items) if not _is_basic(i))
        others = [i for n, i in enumerate(items) if n != at]
        if (
            len(arrays) == 1
            and all(isinstance(i, slice) for i in others)
            and asarray(arrays[0]).dtype is not dtypes.bool_
        ):
            whole = basic(found, tuple(i if n != at else slice(None) for n, i in enumerate(items)))
            return _taken(whole, asarray(arrays[0]), at)
        sizes = found.shape.as_list()
        known = [np.asarray(i) if not _is_basic(i) else int(np.asarray(i)) if is_tensor(i) else i for i in items]
        places = np.arange(int(np.prod(sizes))).reshape(sizes)[tuple(known)]
        return tf("gather")(tf("reshape")(found, [-1]), places)

    return index


def _taken(found: Any, places: Any, axis: int) -> Any:
    if places.dtype is dtypes.bool_:
        return tf("boolean_mask")(found, places, axis=axis)
    if not places.dtype.is_integer:
        raise IndexError("arrays used as indices must be of integer (or boolean) type")
    count = cast(tf("shape")(found)[axis], places.dtype)
    return tf("gather")(found, tf("where")(tf("less")(places, 0), places + count, places), axis=axis)


def _operators() -> dict[str, Any]:
    methods: dict[str, Any] = {}
    for symbol, name in _OPERATORS.items():
        methods[f"__{symbol}__"] = _operator(name, False)
        methods[f"__r{symbol}__"] = _operator(name, True)
    for symbol, name in _COMPARISONS.items():
        methods[f"__{symbol}__"] = _comparison(name)
    return methods


def _methods() -> dict[str, Any]:
    methods: dict[str, Any] = {"__pos__": lambda self: self}
    for name in ("clip", "flatten", "max", "mean", "min", "ravel", "transpose"):
        function = tf(PREFIX + name)
        methods[name] = lambda self, *args, function=function, **kwargs: function(self, *args, **kwargs)
    methods["reshape"] = lambda self, *sizes, **kwargs: tf(PREFIX + "reshape")(
        self, sizes[0] if len(sizes) == 1 else sizes, **kwargs
    )
    methods["astype"] = lambda self, dtype: cast(asarray(self), as_dtype(dtype))
    methods["tolist"] = lambda self: np.asarray(self).tolist()
    methods["T"] = property(tf(PREFIX + "transpose"))
    methods["data"] = property(lambda self: self)
    methods["size"] = property(tf(PREFIX + "size"))
    return methods


@export("python.ops.numpy_ops.np_math_ops.enable_numpy_methods_on_tensor")
def enable_numpy_methods_on_tensor() -> None:
    """Let tensors have NumPy's methods, in the whole program."""
    for name, method in _methods().items():
        setattr(Tensor, name, method)


@public
def experimental_enable_numpy_behavior(prefer_float32: bool = False, dtype_conversion_mode: str = "legacy") -> None:
    """Let tensors behave as NumPy's arrays, in the whole program.

    Mirrors `tf.experimental.numpy.experimental_enable_numpy_behavior`. Tensors have NumPy's methods, arrays of integers or truth
    values are indices, and operators promote dtypes as the mode says.

    Args:
      prefer_float32: whether floating-point numbers that do not say so have 32 bits instead of 64.
      dtype_conversion_mode: `"legacy"`, NumPy's own way; `"all"`, where Python numbers give way to what the program chose,
        and all other dtypes meet in one that is wide enough; `"safe"`, as that, but what may lose something is refused; `"off"`,
        TensorFlow's own way. The modes `"all"` and `"safe"` belong at the beginning of a program.

    Raises:
      ValueError: if there is no such mode.
    """
    if dtype_conversion_mode not in ("off", "legacy", "safe", "all"):
        raise ValueError(
            f"dtype_conversion_mode must be 'off', 'legacy', 'safe' or 'all', got {dtype_conversion_mode!r}"
        )
    preference.float32 = prefer_float32
    preference.mode = dtype_conversion_mode
    if not _arrays:
        _arrays.append(True)
        enable_numpy_methods_on_tensor()
        for kind in (Tensor, Variable):
            setattr(kind, "__getitem__", _indexed(vars(kind)["__getitem__"]))  # noqa: B010
        for name in _operators():
            _own.update({(kind, name): getattr(kind, name) for kind in (Tensor, Variable)})
    for (cls, name), own in _own.items():
        setattr(cls, name, _operators()[name] if dtype_conversion_mode == "legacy" else own)
    if dtype_conversion_mode in ("safe", "all"):
        weak_numbers()


_arrays: list[bool] = []
"""Whether tensors have the methods of arrays already."""

_own: dict[tuple[type, str], Any] = {}
"""The operators as they are without NumPy."""
