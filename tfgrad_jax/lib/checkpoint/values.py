"""What is saved of an object itself: values by key, and how they are taken back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.values.convert import on_host_or_device
from tfgrad_jax.engine.values.dtypes import DType, as_dtype, bfloat16, float32
from tfgrad_jax.engine.values.shapes import TensorShape

VARIABLE_VALUE = "VARIABLE_VALUE"


class Value(NamedTuple):
    """A tensor that is saved.

    Attributes:
      attribute: what the object graph calls it, or the group that it belongs to.
      suffix: what follows the attribute in its key.
      get: gives it as an array.
      dtype: its type, or None where any will do.
    """

    attribute: str
    suffix: str
    get: Callable[[], Any]
    dtype: DType | None


class Saved(NamedTuple):
    """All that is saved of an object.

    Attributes:
      values: the tensors.
      restore: takes them back: arrays, by attribute and suffix.
      check: raises for arrays of other shapes, which it is given by attribute and suffix.
      last: whether it is written after what objects say in the newer way.
    """

    values: list[Value]
    restore: Callable[[dict[str, Any]], Any]
    check: Callable[[dict[str, tuple[int, ...]]], None]
    last: bool = False


def _anything(shapes: Any) -> None:
    """All shapes are good."""


def escaped(name: str) -> str:
    """A name as a part of a key."""
    return name.replace(".", "..").replace("/", ".S")


def saved_of(trackable: Any) -> Saved | None:
    """What is saved of an object; None where there is nothing."""
    variable = variable_of(trackable)
    if variable is not None:
        if not getattr(variable, "_self_in_checkpoints", True):  # what random operations of a loaded model go on from
            return None
        if not hasattr(variable, "distribute_strategy"):  # with copies, it knows itself what is saved of them
            return _variable(variable)
        trackable = variable
    if hasattr(trackable, "_should_act_as_resource_variable") and hasattr(trackable, "_initializer"):
        return _without_value(trackable)
    try:
        tensors = trackable._serialize_to_tensors()
    except NotImplementedError:
        return _older(trackable)
    values = [Value(escaped(name), "", _getter(tensor), _dtype(tensor)) for name, tensor in tensors.items()]
    names = dict(zip([value.attribute for value in values], tensors))

    def restore(found: dict[str, Any]) -> Any:
        return trackable._restore_from_tensors({names[key]: tensor_of(value) for key, value in found.items()})

    return Saved(values, restore, _fitting(trackable) if hasattr(trackable, "shape") else _anything)


def tensor_of(array: np.ndarray) -> Any:
    """An array that nobody else has as a tensor."""
    return on_host_or_device(array)


def _getter(tensor: Any) -> Callable[[], Any]:
    return lambda: np.asarray(tensor.numpy() if isinstance(tensor, Variable) else tensor)


def _dtype(tensor: Any) -> DType | None:
    return as_dtype(tensor.dtype) if getattr(tensor, "dtype", None) is not None else None


def _variable(variable: Variable) -> Saved:
    box = variable.box

    # Those of `dtensor.python` may ask to be saved in half of the memory.
    dtype = bfloat16 if getattr(variable, "save_as_bf16", False) and box.dtype is float32 else box.dtype

    def restore(found: dict[str, Any]) -> None:
        with box.lock:
            value = found[VARIABLE_VALUE] if dtype is box.dtype else found[VARIABLE_VALUE].astype(box.dtype.np)
            box.replace(tensor_of(value))  # past any trace, which would hold the old value as well

    def get() -> np.ndarray:
        return np.asarray(box.current.array).astype(dtype.np, copy=False)

    value = Value(VARIABLE_VALUE, "", get, dtype)
    return Saved([value], restore, _fitting(variable))


def _without_value(variable: Any) -> Saved:
    """Keras' variables that get their value later: what is restored is their first one."""

    def restore(found: dict[str, Any]) -> None:
        tensor = tensor_of(found[VARIABLE_VALUE])
        variable._initializer = lambda shape, dtype=None: tensor

    value = Value(VARIABLE_VALUE, "", lambda: np.asarray(variable.value), as_dtype(variable._dtype))
    return Saved([value], restore, _fitting(variable))


def _fitting(variable: Any) -> Callable[[dict[str, tuple[int, ...]]], None]:
    def check(shapes: dict[str, tuple[int, ...]]) -> None:
        shape = shapes.get(VARIABLE_VALUE)
        if shape is not None and not TensorShape(variable.shape).is_compatible_with(shape):
            raise ValueError(
                f"Received incompatible tensor with shape {shape} when attempting to restore variable with shape "
                f"{tuple(variable.shape)} and name {variable.name}."
            )

    return check


def _older(trackable: Any) -> Saved | None:
    """What the older protocol tells: by attribute, a variable, or what makes an object with `specs` and `restore` of a key."""
    found, variables = {}, {}
    for attribute, make in trackable._gather_saveables_for_checkpoint().items():
        if isinstance(make, Variable):
            variables[escaped(attribute)] = saved_of(make)
        else:
            found[attribute] = make(name=attribute) if callable(make) else make
    if not found and not variables:
        return None
    values = [Value(attribute, *saved.values[0][1:]) for attribute, saved in variables.items() if saved]
    for attribute, saveable in found.items():
        for spec in saveable.specs:
            suffix = spec.name.removeprefix(attribute)
            values.append(Value(escaped(attribute), suffix, _of_spec(spec), _dtype(spec)))

    def restore(given: dict[str, Any]) -> None:
        for attribute, saved in variables.items():
            if saved and attribute in given:
                saved.restore({VARIABLE_VALUE: given[attribute]})
        for attribute, saveable in found.items():
            keys = [escaped(attribute) + spec.name.removeprefix(attribute) for spec in saveable.specs]
            if all(key in given for key in keys):
                saveable.restore([tensor_of(given[key]) for key in keys], None)

    def check(shapes: dict[str, tuple[int, ...]]) -> None:
        for attribute, saved in variables.items():
            if saved and attribute in shapes:
                saved.check({VARIABLE_VALUE: shapes[attribute]})

    return Saved(values, restore, check, any(getattr(saveable, "last", False) for saveable in found.values()))


def _of_spec(spec: Any) -> Callable[[], Any]:
    def get() -> Any:
        tensor = spec.tensor() if callable(spec.tensor) else spec.tensor
        if isinstance(tensor, (str, bytes)):
            return np.array(tensor if isinstance(tensor, bytes) else tensor.encode(), object)
        return np.asarray(tensor.numpy() if isinstance(tensor, Variable) else tensor)

    return get


def full_name(trackable: Any) -> str:
    """The name of a variable without its number; nothing for other objects."""
    variable = variable_of(trackable)
    if variable is None and isinstance(trackable, Variable):  # one that wraps another
        variable = trackable
    return "" if variable is None else variable._shared_name


def variable_of(trackable: Any) -> Variable | None:
    """The variable that an object is, or that Keras' variables keep: their `value` may be a cast copy of it."""
    if hasattr(trackable, "_should_act_as_resource_variable"):
        trackable = getattr(trackable, "_value", None)
    return trackable if isinstance(trackable, Variable) else None
