"""Public names: each object lists, where it is defined, every `tf.*` name it is known by."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

_Obj = TypeVar("_Obj")

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
