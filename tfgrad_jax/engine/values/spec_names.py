"""The names by which type specs are written down, in files and by libraries: `tensorflow.python.framework.type_spec_registry`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfgrad_jax.engine.names.export import export, export_value
from tfgrad_jax.engine.values.specs import TensorSpec, TypeSpec

_R = "python.framework.type_spec_registry."
_specs: dict[str, Any] = export_value({}, _R + "_NAME_TO_TYPE_SPEC")
_names: dict[Any, str] = export_value({}, _R + "_TYPE_SPEC_TO_NAME")


@export(_R + "register", "python.framework.type_spec.register")
def register(name: str) -> Callable[[Any], Any]:
    """A decorator that gives a spec a name.

    Raises:
      ValueError: if the name has one.
    """

    def named(cls: Any) -> Any:
        if _specs.setdefault(name, cls) is not cls:
            raise ValueError(f"Name {name} has already been registered for class {_specs[name]}.")
        _names[cls] = name
        return cls

    return named


def is_named(spec: Any) -> bool:
    """Whether a class of specs has a name, or a name a class."""
    return spec in _specs if isinstance(spec, str) else spec in _names


@export(_R + "get_name")
def get_name(cls: Any) -> str:
    """The name that a spec was given.

    Raises:
      TypeError: if it is no `TypeSpec`.
      ValueError: if it has none.
    """
    if not isinstance(cls, type) or not issubclass(cls, TypeSpec):
        raise TypeError(f"type_spec_registry.get_name: expected a subclass of tf.TypeSpec, got {cls!r}")
    if cls not in _names:
        raise ValueError(f"TypeSpec {cls.__module__}.{cls.__name__} has not been registered.")
    return _names[cls]


@export(_R + "lookup")
def lookup(name: str) -> Any:
    """The spec that was given this name.

    Raises:
      TypeError: if it is no string.
      ValueError: if none was.
    """
    if not isinstance(name, str):
        raise TypeError(f"type_spec_registry.lookup: expected a string, got {name!r}")
    if name not in _specs:
        raise ValueError(f"No TypeSpec has been registered with name {name!r}")
    return _specs[name]


register("tf.TensorSpec")(TensorSpec)
