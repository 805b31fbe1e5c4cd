"""Dtypes as NumPy finds them, and what becomes a tensor in its way: Python numbers have 64 bits."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tfgrad_jax.engine.names.export import export, export_value, registry
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import DType, as_dtype
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.numpy.promotion import Kind, promoted_kind
from tfgrad_jax.lib.numpy.weak import kind_of, plain
from tfgrad_jax.ops.array.array import stack
from tfgrad_jax.ops.math.cast import cast

PREFIX = "experimental.numpy."


class _Preference:
    """How many bits floating-point numbers have that do not say so, and how dtypes are promoted.

    Attributes:
      float32: whether they have 32.
      mode: one of `"off"`, `"legacy"`, `"safe"`, `"all"`; in the last two Python numbers have 32 bits, and give way.
    """

    float32 = False
    mode = "legacy"

    @property
    def narrow(self) -> bool:
        """Whether Python numbers have 32 bits."""
        return self.mode in ("safe", "all")


preference = _Preference()


def tf(name: str) -> Callable[..., Any]:
    """The public function below `tf` that has this name."""
    return registry[name]


def public(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator: the function is public under its name, less an underscore at the end."""
    name = function.__name__.rstrip("_")
    function.__name__ = function.__qualname__ = name
    return export(PREFIX + name)(function)


def default_float() -> np.dtype[Any]:
    """The dtype of floating-point results of what is not floating-point, whatever is preferred for Python numbers."""
    return np.dtype(np.float32 if preference.narrow else np.float64)


def of_numbers(dtype: Any) -> np.dtype[Any]:
    """The dtype of an array of Python numbers that NumPy would give this one."""
    if preference.narrow:
        return {np.dtype(np.float64): np.dtype(np.float32), np.dtype(np.int64): np.dtype(np.int32)}.get(dtype, dtype)
    return preferred(dtype)


def preferred(dtype: Any) -> np.dtype[Any]:
    """The dtype of Python numbers that NumPy would give this one."""
    dtype = np.dtype(dtype)
    narrow = {np.dtype(np.float64): np.dtype(np.float32), np.dtype(np.complex128): np.dtype(np.complex64)}
    return narrow.get(dtype, dtype) if preference.float32 else dtype


def numpy_dtype(dtype: Any) -> np.dtype[Any]:
    """A dtype in whatever form as NumPy writes it."""
    if isinstance(dtype, DType):
        return np.dtype(dtype.as_numpy_dtype)
    return of_numbers(np.dtype(dtype)) if dtype in (int, float) and preference.narrow else np.dtype(dtype)


def is_tensor(value: Any) -> bool:
    """Whether it has a dtype that is told: a tensor or a variable."""
    return isinstance(value, (Tensor, Variable))


def _typed(value: Any) -> Any:
    value = plain(value)
    if is_tensor(value):
        return np.dtype(value.dtype.as_numpy_dtype)
    if isinstance(value, DType):
        return np.dtype(value.as_numpy_dtype)
    if isinstance(value, (bool, int, float, complex, np.generic, np.ndarray, np.dtype, type, str)):
        return value
    if isinstance(value, (list, tuple)) and not any(
        is_tensor(v) or isinstance(v, (np.ndarray, np.generic)) for v in _flat(value)
    ):
        # Nests of Python numbers give way to arrays, as the numbers do.
        return {"i": 0, "f": 0.0, "c": 0j}.get(np.asarray(value).dtype.kind, np.asarray(value).dtype)
    return numpy_dtype(asarray(value).dtype)


@public
def result_type(*arrays_and_dtypes: Any) -> Any:
    """The dtype that operations on these have. Mirrors `tf.experimental.numpy.result_type`.

    Raises:
      TypeError: in the mode "safe", if they do not go together.
    """
    if preference.narrow:
        kinds = [kind_of(v) or Kind(as_dtype(numpy_dtype(v))) for v in arrays_and_dtypes]
        return functools.reduce(lambda x, y: promoted_kind(preference.mode, x, y), kinds).dtype
    return common_type(*arrays_and_dtypes)


def common_type(*arrays_and_dtypes: Any) -> Any:
    """The dtype of what is compared, chosen from or joined: by the mode, unless there are Python numbers among them."""
    if preference.narrow and not any(isinstance(plain(v), (bool, int, float, complex)) for v in arrays_and_dtypes):
        kinds = [Kind((kind_of(v) or Kind(as_dtype(numpy_dtype(v)))).dtype) for v in arrays_and_dtypes]
        return functools.reduce(lambda x, y: promoted_kind(preference.mode, x, y), kinds).dtype
    return arithmetic_type(*arrays_and_dtypes)


def arithmetic_type(*arrays_and_dtypes: Any) -> Any:
    """The dtype in which functions calculate: by NumPy's promotion in each mode, unless there are lists among the values."""
    if preference.narrow and any(isinstance(plain(v), (list, tuple)) for v in arrays_and_dtypes):
        return result_type(*arrays_and_dtypes)
    values = [_typed(v) for v in arrays_and_dtypes]
    found = np.result_type(*values)
    # The preference is about Python numbers alone.
    numbers = all(isinstance(v, (bool, int, float, complex)) and not isinstance(v, np.generic) for v in values)
    return as_dtype(preferred(found) if numbers else found)


@public
def promote_types(type1: Any, type2: Any) -> Any:
    """The smallest dtype that both fit in, as NumPy's. Mirrors `tf.experimental.numpy.promote_types`."""
    return preferred(np.promote_types(numpy_dtype(type1), numpy_dtype(type2)))


@public
def array(val: Any, dtype: Any = None, copy: bool = True, ndmin: int = 0) -> Any:
    """A tensor of a nest of numbers. Mirrors `tf.experimental.numpy.array`.

    Args:
      val: a tensor, an array, a number, or nested lists of such.
      dtype: the dtype; that of the values by default, where Python numbers have 64 bits.
      copy: accepted; nobody changes a tensor.
      ndmin: how many dimensions there must be; sizes of 1 are put in front.
    """
    wanted = None if dtype is None else as_dtype(numpy_dtype(dtype))
    val = plain(val)
    if is_tensor(val):
        found = convert(val)
    elif isinstance(val, (list, tuple)) and any(is_tensor(v) for v in _flat(val)):
        parts = [asarray(v) for v in val]
        kind = common_type(*parts)
        found = stack([cast(p, kind) for p in parts])
    else:
        values = np.asarray(val)
        if not isinstance(val, (np.ndarray, np.generic)):
            values = values.astype(of_numbers(values.dtype), copy=False)
        found = convert(values)
    if wanted is not None and found.dtype is not wanted:
        found = cast(found, wanted)
    if ndmin > len(found.shape):
        found = tf("reshape")(found, [1] * (ndmin - len(found.shape)) + [-1 if n is None else n for n in found.shape])
    return found


def _flat(value: Any) -> list[Any]:
    return [v for item in value for v in (_flat(item) if isinstance(item, (list, tuple)) else [item])]


@public
def asarray(a: Any, dtype: Any = None) -> Any:
    """A tensor of a nest of numbers. Mirrors `tf.experimental.numpy.asarray`; see `array`."""
    return (
        a if isinstance(a, Tensor) and (dtype is None or a.dtype == as_dtype(numpy_dtype(dtype))) else array(a, dtype)
    )


@public
def asanyarray(a: Any, dtype: Any = None) -> Any:
    """As `asarray`. Mirrors `tf.experimental.numpy.asanyarray`."""
    return asarray(a, dtype)


@public
def ascontiguousarray(a: Any, dtype: Any = None) -> Any:
    """As `array`, with one dimension at least. Mirrors `tf.experimental.numpy.ascontiguousarray`."""
    return array(a, dtype, ndmin=1)


@public
def copy(a: Any) -> Any:
    """A tensor of its own. Mirrors `tf.experimental.numpy.copy`."""
    return tf("identity")(array(a))


def promoted(*values: Any) -> list[Any]:
    """All of one dtype, as tensors."""
    kind = common_type(*values)
    return [cast(asarray(v), kind) for v in values]


def arithmetic(*values: Any) -> list[Any]:
    """All of the dtype in which functions calculate, as tensors."""
    kind = arithmetic_type(*values)
    return [cast(asarray(v), kind) for v in values]


def met(*values: Any) -> list[Any]:
    """All of the dtype that operators give them, as tensors: Python numbers give way in the modes that have it so."""
    kind = as_dtype(result_type(*values)) if preference.narrow else common_type(*values)
    return [cast(asarray(v), kind) for v in values]


def joined(*values: Any) -> list[Any]:
    """All of one dtype, where numbers count as arrays of them if they are narrow."""
    return promoted(*(map(asarray, values) if preference.narrow else values))


def floating(value: Any) -> Any:
    """A tensor of a floating or complex dtype."""
    found = asarray(value)
    return found if found.dtype.is_floating or found.dtype.is_complex else cast(found, as_dtype(default_float()))


def truth(value: Any) -> Any:
    """Which elements are not zero."""
    return cast(asarray(value), dtypes.bool_)


def cast_to(value: Any, dtype: Any) -> Any:
    """A tensor of this dtype, if one is given."""
    found = asarray(value)
    return found if dtype is None else cast(found, as_dtype(numpy_dtype(dtype)))


for _name in (
    "bool_",
    "complex128",
    "complex64",
    "float16",
    "float32",
    "float64",
    "int16",
    "int32",
    "int64",
    "int8",
    "object_",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "inexact",
):
    export_value(getattr(np, _name), PREFIX + _name)
export_value(np.complex128, PREFIX + "complex_")
export_value(np.float64, PREFIX + "float_")
export_value(np.int64, PREFIX + "int_")
export_value(np.bytes_, PREFIX + "string_")
export_value(np.str_, PREFIX + "unicode_")


@export(PREFIX + "finfo")
def finfo(dtype: Any) -> np.finfo[Any]:
    """The limits of a floating dtype, TensorFlow's or NumPy's. Mirrors `tf.experimental.numpy.finfo`.

    Raises:
      ValueError: if `dtype` is not floating.
    """
    return np.finfo(dtype.as_numpy_dtype if isinstance(dtype, DType) else dtype)


export_value(np.iinfo, PREFIX + "iinfo")
export_value(np.issubdtype, PREFIX + "issubdtype")
export_value(Tensor, PREFIX + "ndarray")
export_value(math.e, PREFIX + "e")
export_value(math.inf, PREFIX + "inf")
export_value(math.pi, PREFIX + "pi")
