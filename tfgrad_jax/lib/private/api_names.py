"""`tensorflow.python.util.tf_export`: decorators that give names, and the names of objects, which Keras 2 writes into files."""

from __future__ import annotations

import functools
from typing import Any

from tfgrad_jax.engine.names.export import export, export_value, registry

_T = "python.util.tf_export."
_FIRST = ("math.", "linalg.", "dtypes.", "debugging.")
"""Rooms whose names come before those at the root."""

_named: dict[str, Any] = {}
"""What others have given names to."""


class _ApiExport:
    """A decorator that gives names to what it decorates.

    Args:
      *args: the names.
      api_name: whose they are: `"keras"` or `"tensorflow"`.
      v1: the names in version 1, where they are others.
    """

    def __init__(self, *args: str, api_name: str, v1: Any = None, allow_multiple_exports: bool = True) -> None:
        self._names = args
        self._names_v1 = args if v1 is None else tuple(v1)
        self._kind = "keras" if api_name == "keras" else "tf"

    def __call__(self, func: Any) -> Any:
        setattr(func, f"_{self._kind}_api_names", self._names)
        setattr(func, f"_{self._kind}_api_names_v1", self._names_v1)
        for name in (*self._names, *self._names_v1):
            _named.setdefault(name, func)
        return func

    def export_constant(self, module_name: str, name: str) -> None:
        """Accepted for compatibility: the constant stays where it is."""


export_value(functools.partial(_ApiExport, api_name="keras"), _T + "keras_export")
export_value(functools.partial(_ApiExport, api_name="tensorflow"), _T + "tf_export")


@export(_T + "get_canonical_name_for_symbol")
def get_canonical_name_for_symbol(
    symbol: Any, api_name: str = "tensorflow", add_prefix_to_v1_names: bool = False
) -> str | None:
    """The name by which an object is known, None where it has none.

    Args:
      symbol: a function or class.
      api_name: whose name: `"tensorflow"` or `"keras"`.
      add_prefix_to_v1_names: accepted for compatibility: names of version 1 always have their room.
    """
    kind = "keras" if api_name == "keras" else "tf"
    own = getattr(symbol, "__dict__", {})
    given = (*own.get(f"_{kind}_api_names", ()), *own.get(f"_{kind}_api_names_v1", ()))
    if given or kind == "keras":
        return given[0] if given else None
    names = [name for name, value in registry.items() if value is symbol]
    return min(names, key=lambda name: (name.startswith("compat."), not name.startswith(_FIRST)), default=None)


@export(_T + "get_symbol_from_name")
def get_symbol_from_name(name: str) -> Any:
    """The object of a name, None where there is none."""
    return _named.get(name, registry.get(name))
