"""Public names: each object lists, where it is defined, every `tf.*` name it is known by."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

_Obj = TypeVar("_Obj")
_Class = TypeVar("_Class", bound=type)

registry: dict[str, Any] = {}
"""Every public dotted name below `tf.` and the object it stands for; `api` turns this table into modules."""


def export_value(value: _Obj, *names: str) -> _Obj:
    """Make `value` public under each dotted name (`"math.add"` is `tf.math.add`).

    Raises:
      ValueError: if another object already has one of the names.
    """
    for name in names:
        if registry.setdefault(name, value) is not value:
            raise ValueError(f"tf.{name} is already {registry[name]!r}; it cannot also be {value!r}")
    return value


def export(*names: str) -> Callable[[_Obj], _Obj]:
    """Decorator form of `export_value`."""
    return lambda value: export_value(value, *names)


def recognised_as(*path: str) -> Callable[[_Class], _Class]:
    """Decorator for a class that libraries recognise by the module it has in TensorFlow (Keras does): it says that module.

    Args:
      path: the module below `tensorflow`, and the name in it if that is not the class'. The name is public there, where pickle
        finds the class.
    """

    def show(cls: _Class) -> _Class:
        module, name = path if len(path) == 2 else (*path, cls.__name__)
        cls.__module__ = f"tensorflow.{module}"
        cls.__name__ = cls.__qualname__ = name
        return export_value(cls, f"{module}.{name}")

    return show
