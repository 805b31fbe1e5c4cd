"""Conversion: whatever the user passes becomes a tensor here, by TensorFlow's rules."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import jax
import numpy as np

from tfgrad_jax.engine.cache import Cache
from tfgrad_jax.engine.hooks import eager_value, pack_tensors
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.threads.accelerator import device_named, has_accelerator
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.composite import has_spec, spec_of
from tfgrad_jax.engine.values.dtypes import DType, as_dtype
from tfgrad_jax.engine.values.numbers import PYTHON_KINDS, python_array, quantized, texts, unsupported, without_objects
from tfgrad_jax.engine.values.specs import TensorSpec
from tfgrad_jax.engine.values.tensor import EagerTensor, Tensor

HOST_BYTES = 8192
"""Constants up to this size stay on the host until a kernel takes them; larger ones go to the device at once."""

_SCALARS: Cache[Any, EagerTensor] = Cache(2048)

_registered: list[tuple[int, type | tuple[type, ...], Callable[..., Any]]] = []


@export("register_tensor_conversion_function")
def register_tensor_conversion_function(
    base_type: type | tuple[type, ...], conversion_func: Callable[..., Any], priority: int = 100
) -> None:
    """Teach `tf.convert_to_tensor` a type. Mirrors `tf.register_tensor_conversion_function`.

    Args:
      base_type: a class, or a tuple of classes, whose instances are to be converted.
      conversion_func: takes `(value, dtype=None, name=None, as_ref=False)` and returns a tensor or `NotImplemented`.
      priority: lower numbers are asked first.

    Raises:
      TypeError: if an argument is of the wrong kind, or the type is one that is converted natively.
    """
    types = base_type if isinstance(base_type, tuple) else (base_type,)
    if not types or not all(isinstance(t, type) for t in types):
        raise TypeError(
            f"register_tensor_conversion_function: base_type must be a type or a tuple of types, got {base_type!r}"
        )
    if any(issubclass(t, (int, float, np.generic, np.ndarray)) for t in types):
        raise TypeError("Cannot register conversions for Python numeric types and NumPy scalars and arrays.")
    if not callable(conversion_func):
        raise TypeError(
            f"register_tensor_conversion_function: conversion_func must be callable, got {conversion_func!r}"
        )
    _registered.append((priority, base_type, conversion_func))
    _registered.sort(key=lambda entry: entry[0])


def convert_to_tensor(value: Any, dtype: Any = None, dtype_hint: Any = None, name: str | None = None) -> Tensor:
    """The tensor of `tf.convert_to_tensor`, known values as they are also where a graph is recorded for a session."""
    if dtype is not None:
        dtype = as_dtype(dtype)
    elif dtype_hint is not None and not isinstance(value, Tensor):
        try:
            return convert(value, as_dtype(dtype_hint))
        except (TypeError, ValueError):
            pass
    return convert(value, dtype)


@eager_value.fill
def _eager_value(value: Any, dtype: Any) -> Any:
    if isinstance(value, Tensor):
        return value.array if dtype is None else value.array.astype(as_dtype(dtype).np)
    return convert(value, None if dtype is None else as_dtype(dtype)).array


def convert(value: Any, dtype: DType | None = None) -> Tensor:
    """`convert_to_tensor` for the engine: `dtype` is a `DType` or None."""
    kind = type(value)
    if kind is EagerTensor or isinstance(value, Tensor):
        if dtype is not None and value.spec.dtype is not dtype:
            raise ValueError(
                f"Tensor conversion requested dtype {dtype.name} for Tensor with dtype {value.spec.dtype.name}: {value!r}; "
                f"tf.cast converts"
            )
        return value
    if kind in PYTHON_KINDS:
        return scalar(value, dtype)
    if kind is np.ndarray or isinstance(value, (np.ndarray, np.generic)):
        return from_numpy(value, dtype)
    if isinstance(value, jax.Array):
        if dtype is not None and value.dtype != dtype.np:
            value = value.astype(dtype.np)
        return EagerTensor(value)
    result = registered(value, dtype)
    if result is not None:
        return result
    if hasattr(value, "__tf_tensor__"):
        return convert(value.__tf_tensor__(dtype, None), dtype)
    if isinstance(value, (list, tuple, range)):
        return _sequence(value, dtype)
    if hasattr(value, "__array__") or hasattr(value, "__array_interface__"):
        return from_numpy(np.asarray(value), dtype)
    if isinstance(value, tuple(PYTHON_KINDS)):
        return scalar(value, dtype)
    if isinstance(value, memoryview):
        return from_numpy(np.asarray(value), dtype)
    if _is_sequence(kind):
        return _sequence(_listed(value), dtype)
    raise unsupported(value)


def registered(value: Any, dtype: DType | None = None) -> Tensor | None:
    """The tensor that a conversion registered by the user makes of a value; None if there is none for it."""
    for _, types, function in _registered:
        if isinstance(value, types):
            result = function(value, dtype=dtype, name=None, as_ref=False)
            if result is NotImplemented:
                continue
            if not isinstance(result, Tensor):
                raise RuntimeError(f"Conversion function {function!r} for type {types} returned non-Tensor: {result!r}")
            if dtype is not None and result.spec.dtype is not dtype:
                raise RuntimeError(
                    f"Conversion function {function!r} for type {types} returned incompatible dtype: requested = {dtype.name}, "
                    f"actual = {result.spec.dtype.name}"
                )
            return result
    return None


def scalar(value: Any, dtype: DType | None) -> EagerTensor:
    """A Python number or string as a tensor; common numbers are shared."""
    # Zeros of both signs are equal, NaN equals nothing: neither can be a key.
    cacheable = value == value and not (value == 0 and type(value) is float and math.copysign(1.0, value) < 0)
    key = (type(value), value, dtype)
    if cacheable:
        tensor = _SCALARS[key]
        if tensor is not None:
            return EagerTensor(tensor.held, tensor.known_spec)
    array = python_array(value, (), {type(value)}, dtype)
    kept = array.dtype.kind in "iub" or dtypes.stays_on_host(array.dtype) or has_accelerator()
    tensor = EagerTensor(array if kept else jax.device_put(array))
    # Made while JAX traces something, it is a part of that.
    if cacheable and not isinstance(tensor.held, jax.core.Tracer):
        tensor.spec  # noqa: B018 -- known once for all users
        tensor.identity = 0  # nobody can watch it
        _SCALARS[key] = tensor
        return EagerTensor(tensor.held, tensor.known_spec)
    return tensor


def shared_scalar(value: Any, dtype: DType) -> EagerTensor:
    """A Python number as an operand that the user never sees, so that one tensor may serve every use."""
    if value == 0 and math.copysign(1.0, value) < 0:
        return scalar(value, dtype)
    key = (type(value), value, dtype)
    tensor = _SCALARS[key]
    if tensor is None:
        tensor = scalar(value, dtype)
        tensor = _SCALARS.get(key, tensor)
    return tensor


def from_numpy(value: Any, dtype: DType | None = None) -> EagerTensor:
    """A NumPy array or scalar as a tensor with memory of its own."""
    array = np.asarray(value)
    kind = array.dtype.kind
    if (
        kind == "O" and dtype is not None and dtype is not dtypes.string
    ):  # NumPy converts each object, or says what it cannot
        return on_host_or_device(array.astype(dtype.np))
    if kind in "OSUT":
        return EagerTensor(texts(array, dtype))
    if dtype is not None and dtype.is_quantized and array.dtype.names is None:
        with np.errstate(all="ignore"):
            return on_host_or_device(quantized(array, dtype))
    if dtype is None:
        as_dtype(array.dtype)  # raises for what no tensor can hold
        array = np.array(array, dtype=array.dtype.newbyteorder("="))
    elif dtype is dtypes.string:
        raise TypeError(f"Cannot convert a NumPy array of {array.dtype} to a tensor of dtype string")
    else:
        with np.errstate(all="ignore"):
            array = array.real.astype(dtype.np) if kind == "c" and not dtype.is_complex else np.array(array, dtype.np)
    return on_host_or_device(array)


def on_host_or_device(array: np.ndarray) -> EagerTensor:
    """An array of its own, as a tensor: small ones stay on the host, where nobody may write to them.

    Beside an accelerator, where the program names a device, those that are no integers go there.
    """
    if array.dtype != object:
        if array.dtype.names is None and (
            array.nbytes > HOST_BYTES or (array.dtype.kind not in "iub" and device_named())
        ):
            return EagerTensor(jax.device_put(array))
        array.setflags(write=False)
    return EagerTensor(array)


def _sequence(value: Any, dtype: DType | None) -> Tensor:
    kinds: set[type] = set()
    shape = _scan(value, kinds)
    if any(map(_is_sequence, kinds)):
        return _sequence(_listed(value), dtype)
    if any(issubclass(k, Tensor) or _is_tensor_like(k) for k in kinds):
        return pack_tensors(value, dtype)
    if np.object_ in kinds:
        return _sequence(without_objects(value), dtype)
    return on_host_or_device(python_array(value, shape, kinds, dtype))


def _is_tensor_like(kind: type) -> bool:
    return (
        any(issubclass(kind, types) for _, types, _ in _registered)
        or hasattr(kind, "__tf_tensor__")
        or issubclass(kind, jax.Array)
    )


def _is_sequence(kind: type) -> bool:
    """Whether values of a class are sequences, as those of `collections.deque` are, that nothing else says how to convert."""
    if kind in PYTHON_KINDS or issubclass(kind, (Tensor, np.ndarray, np.generic, str, bytes, Mapping)):
        return False
    return hasattr(kind, "__len__") and hasattr(kind, "__getitem__") and not _is_tensor_like(kind)


def _listed(value: Any) -> Any:
    """A sequence as lists; anything else as it is.

    Raises:
      ValueError: if it cannot be read.
    """
    if not isinstance(value, (list, tuple, range)) and not _is_sequence(type(value)):
        return value
    try:
        return [_listed(v) for v in value]
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        raise ValueError(
            f"Cannot infer dtype of a {type(value).__name__} object, as iter(<object>).next() failed: {why}"
        ) from error


def _scan(value: Any, kinds: set[type]) -> tuple[int, ...]:
    """The shape of a nested list; adds the types of its leaves to `kinds`. Arrays in it are lists of NumPy's scalars."""
    if isinstance(value, np.ndarray):
        if value.size:
            kinds.add(np.object_ if value.dtype.kind in "OUS" else value.dtype.type)
        return value.shape[: value.shape.index(0) + 1] if 0 in value.shape else value.shape
    if not isinstance(value, (list, tuple, range)):
        kinds.add(type(value))
        return ()
    if not value:
        return (0,)
    types = set(map(type, value))
    if not types & {list, tuple, range} and all(t in PYTHON_KINDS for t in types):
        kinds |= types
        return (len(value),)
    shapes = {_scan(v, kinds) for v in value}
    if len(shapes) > 1 and not any(issubclass(k, Tensor) or _is_tensor_like(k) for k in kinds):
        raise ValueError(
            "Can't convert non-rectangular Python sequence to Tensor. "
            f"The rows have shapes {sorted(shapes)}; tf.ragged.constant takes rows of different lengths."
        )
    return (len(value), *next(iter(shapes)))


@export("type_spec_from_value")
def type_spec_from_value(value: Any) -> Any:
    """The `tf.TypeSpec` of a value. Mirrors `tf.type_spec_from_value`.

    Raises:
      TypeError: if it is no tensor and cannot become one.
    """
    if has_spec(value):
        return spec_of(value)
    try:
        tensor = convert(value)
    except ValueError as error:
        raise TypeError(f"Could not build a TypeSpec for {value!r} with type {type(value).__name__}: {error}") from None
    return TensorSpec(tensor.shape, tensor.dtype)


@export("is_tensor")
def is_tensor(x: Any) -> bool:
    """Whether `x` is one of TensorFlow's own types (a tensor, a variable, ...). Mirrors `tf.is_tensor`."""
    kind = type(x)  # other libraries' classes say so by a method or property; Keras 2's symbolic tensors do
    return isinstance(x, Tensor) or getattr(kind, "_is_tensor_type", False) or hasattr(kind, "is_tensor_like")


@export("get_static_value")
def get_static_value(tensor: Any, partial: bool = False) -> Any:
    """The value if it is known now, else None; what is no tensor, as it is. Mirrors `tf.get_static_value`."""
    if isinstance(tensor, EagerTensor):
        return tensor.numpy()
    if isinstance(tensor, Tensor):
        return np.asarray(tensor.held) if isinstance(tensor.held, np.ndarray) else getattr(tensor, "static_value", None)
    if is_tensor(tensor):
        return None
    return tensor.numpy() if hasattr(tensor, "numpy") else tensor
