"""Roles: the annotations of an operation's declaration, which act.

Operands become tensors; attributes become hashable Python values, part of the key under which a kernel is compiled.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.run.execute import mistyped
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.dimension import Dimension
from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.symbols import is_size
from tfgrad_jax.engine.values.tensor import Tensor

REQUIRED: Any = object()
"""Stands for the default of a parameter that has none."""

EVERY_DTYPE = frozenset(dtypes.BY_NUMPY.values())


@dataclass(frozen=True)
class Operand:
    """A tensor argument.

    Attributes:
      allowed: the dtypes that the operation takes; None for all.
      shared: whether all such operands of the operation have one dtype, which Python values follow.
      dtype: what a Python value becomes where nothing else decides.
      forced: the dtype that the operand must have; a Python value is converted to it.
      many: whether the argument is a list of tensors.
      differentiable: whether a gradient may flow to it.
      number: whether it is a Python number; TensorFlow takes no tensor there.
    """

    allowed: frozenset[DType] | None = None
    shared: bool = True
    dtype: DType | None = None
    forced: DType | None = None
    many: bool = False
    differentiable: bool = True
    number: bool = False


@dataclass(frozen=True)
class Attribute:
    """An argument that is no tensor: `normalize` makes it hashable, or raises. Where `may_be_left_out`, None means the default."""

    normalize: Callable[[Any], Any]
    may_be_left_out: bool = False


# Not the types of 8 bits and fewer: those are for storage, as in TensorFlow.
_FLOAT = frozenset({dtypes.bfloat16, dtypes.float16, dtypes.float32, dtypes.float64})
_COMPLEX = frozenset({dtypes.complex64, dtypes.complex128})
_INT = frozenset(d for d in dtypes.BY_NUMPY.values() if d.is_integer and d.np.isbuiltin == 1)

T: Any = Operand()
Floating: Any = Operand(_FLOAT)
Inexact: Any = Operand(_FLOAT | _COMPLEX)
Complex: Any = Operand(_COMPLEX)
Real: Any = Operand(_FLOAT | _INT)
Number: Any = Operand(_FLOAT | _INT | _COMPLEX)
Integer: Any = Operand(_INT, differentiable=False)
Bool: Any = Operand(shared=False, forced=dtypes.bool_, differentiable=False)
Own: Any = Operand(shared=False)
Indices: Any = Operand(_INT, shared=False, dtype=dtypes.int32, differentiable=False)
Key: Any = Operand(shared=False, differentiable=False)
Scalar: Any = Operand(shared=False, forced=dtypes.float64, differentiable=False, number=True)
"""A Python number, whose values share one kernel: no part of the key. The function gets it in float64, as Python has it."""

Ts: Any = Operand(many=True)
Numbers: Any = Operand(_FLOAT | _INT | _COMPLEX, many=True)
Owns: Any = Operand(shared=False, many=True)


def static(value: Any) -> Any:
    """A Python value for an attribute: tensors and arrays are read, lists become tuples."""
    if isinstance(value, (bool, int, float, str, bytes, type(None))):
        return value
    if isinstance(value, Tensor) or getattr(type(value), "_is_tensor_type", False):
        known = getattr(value, "static_value", None)  # of constants of a session's graph, which are symbolic
        value = np.asarray(value if known is None else known)
    if isinstance(value, np.ndarray):
        value = value.tolist()
    elif isinstance(value, np.generic):
        value = value.item()
    elif isinstance(value, TensorShape):
        value = value.as_list()
    elif isinstance(value, Dimension):
        return value.value
    if isinstance(value, (list, tuple, range)):
        return tuple(map(static, value))
    if isinstance(value, dict):
        return tuple(sorted((k, static(v)) for k, v in value.items()))
    return value


def flag(value: Any) -> bool:
    """A flag, which nothing but Python's `True` and `False` is.

    Raises:
      TypeError: if it is anything else.
    """
    if type(value) is not bool:
        raise TypeError(f"Expected bool, got {value!r} of type {type(value).__name__}; bool() makes one of it")
    return value


def text(value: Any) -> bytes:
    """The bytes of a Python string.

    Raises:
      TypeError: if it is none.
    """
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, bytes):
        return value
    raise TypeError(f"Expected string, got {value!r} of type {type(value).__name__}")


def _integer(value: Any) -> Any:
    value = static(value)
    if value is None or is_size(value):
        return value
    if isinstance(value, tuple) and len(value) == 1:
        return _integer(value[0])
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"expected an integer, got {value!r} of type {type(value).__name__}")
    return value


def _attribute(value: Any) -> Any:
    """An integer as TensorFlow makes it of an attribute, of flags and floats too; it cuts fractions off, which are refused here."""
    value = static(value)
    return _integer(
        int(value) if isinstance(value, bool) or (isinstance(value, float) and value.is_integer()) else value
    )


def _one(value: Any) -> Any:
    if value is None:
        raise ValueError("Attempt to convert a value (None) with an unsupported type (<class 'NoneType'>) to a Tensor.")
    if isinstance(static(value), tuple):
        raise invalid_argument(f"expected a single integer, got {value!r}")
    try:
        return _attribute(value) if isinstance(value, (bool, np.generic, np.ndarray)) else _integer(value)
    except TypeError as error:
        if isinstance(value, Tensor):
            raise mistyped(str(error)) from None
        raise


def _axis(value: Any) -> Any:
    value = static(value)
    if isinstance(value, tuple):
        if any(isinstance(v, tuple) for v in value):  # a matrix of axes, which TensorFlow's kernels take
            if context.graph is not None:
                raise ValueError("Shape must be at most rank 1 but is rank 2")
            value = tuple(np.asarray(value).ravel().tolist())
        return tuple(_integer(int(v) if isinstance(v, bool) else v) for v in value)
    return _integer(int(value) if isinstance(value, bool) else value)  # TensorFlow makes a tensor of it, and takes both


def shape_tuple(value: Any) -> tuple[int, ...]:
    """A shape given as a tensor, `TensorShape`, list or number, as a tuple; -1 is kept."""
    value = static(value)
    if is_size(value):
        return (value,)
    if not isinstance(value, tuple):
        raise TypeError(f"expected a shape (a list of integers), got {value!r}")
    for n in value:
        if not is_size(n):
            raise TypeError(f"expected a shape (a list of integers), got {value!r}, where {n!r} is no integer")
    return value


def _optional_dtype(value: Any) -> DType | None:
    return None if value is None else dtypes.as_dtype(value)


Axis: Any = Attribute(_axis)
Shape: Any = Attribute(shape_tuple)
Flag: Any = Attribute(flag, may_be_left_out=True)
Truth: Any = Attribute(lambda value: bool(value if isinstance(value, np.ndarray) else static(value)))
"""A flag of a function whose Python code in TensorFlow only asks whether it is true."""

Int: Any = Attribute(_attribute, may_be_left_out=True)
One: Any = Attribute(_one)
"""An integer that TensorFlow has as a tensor: its kernels refuse several, and other dtypes."""

Text: Any = Attribute(lambda value: value if value is None else text(value).decode(), may_be_left_out=True)
DTypeArg: Any = Attribute(_optional_dtype, may_be_left_out=True)
Attr: Any = Attribute(static)


class _Unsupported:
    """The role of an argument that TensorFlow has and we do not support: it must keep its default."""


Unsupported: Any = _Unsupported()


def parameters_of(function: Callable[..., Any]) -> tuple[list[str], list[Any], list[Any]]:
    """The parameters of a declared function: their names, roles and defaults (`REQUIRED` where there is none).

    It is what `inspect.signature` tells in ten times the time, which importing hundreds of declarations would show.

    Raises:
      TypeError: if one is more than a plain parameter.
    """
    code, scope = function.__code__, function.__globals__
    if code.co_kwonlyargcount or code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS):
        raise TypeError(f"{function.__qualname__}: the parameters of an operation are plain ones, without * and **")
    names = list(code.co_varnames[: code.co_argcount])
    given = function.__defaults__ or ()
    defaults = [*[REQUIRED] * (len(names) - len(given)), *given]
    annotations = map(function.__annotations__.get, names)
    roles = [scope.get(a) or eval(a, scope) if isinstance(a, str) else a for a in annotations]
    if "name" not in names:  # Every TensorFlow operation takes one, last unless the declaration puts it elsewhere.
        names.append("name")
        roles.append(None)
        defaults.append(None)
    return names, roles, defaults
