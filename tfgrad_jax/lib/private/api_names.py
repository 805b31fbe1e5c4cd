"""`tensorflow.python.util.tf_export`: decorators that give names, and the names of objects, which Keras 2 writes into files."""

from __future__ import annotations

import functools
import sys
from typing import Any

from tfgrad_jax.engine.names.export import export, export_value, registry
from tfgrad_jax.lib.private.decorators import unwrap

_T = "python.util.tf_export."
_FIRST = ("math.", "linalg.", "dtypes.", "debugging.")
"""Rooms whose names come before those at the root."""

_named: dict[str, Any] = {}
"""What others have given names to."""


@export(_T + "InvalidSymbolNameError")
class InvalidSymbolNameError(Exception):
    """A name that belongs to another library."""


def _checked(func: Any, names: tuple[str, ...]) -> None:
    """Refuse names that belong to estimators.

    Raises:
      InvalidSymbolNameError: for such a name.
    """
    for name in names:
        if "estimator" in name.split("."):
            raise InvalidSymbolNameError(
                f"All symbols with API name of tensorflow_estimator must be exported by it, got {name} for {func}"
            )


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
        if self._kind == "tf":
            _checked(func, (*self._names, *self._names_v1))
        given, func = func, unwrap(func)[1]
        setattr(func, f"_{self._kind}_api_names", self._names)
        setattr(func, f"_{self._kind}_api_names_v1", self._names_v1)
        for name in (*self._names, *self._names_v1):
            _named.setdefault(name, given)
        return given

    def export_constant(self, module_name: str, name: str) -> None:
        """Note the names of a constant in its module; the constant stays where it is."""
        module = sys.modules[module_name]
        for which, names in (("", self._names), ("_v1", self._names_v1)):
            vars(module).setdefault(f"_{self._kind}_api_constants{which}", []).append((names, name))


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
    own = getattr(unwrap(symbol)[1], "__dict__", {})
    given = (*own.get(f"_{kind}_api_names", ()), *own.get(f"_{kind}_api_names_v1", ()))
    if given or kind == "keras":
        return given[0] if given else None
    names = [name for name, value in registry.items() if value is symbol]
    return min(names, key=lambda name: (name.startswith("compat."), not name.startswith(_FIRST)), default=None)


@export(_T + "get_symbol_from_name")
def get_symbol_from_name(name: str) -> Any:
    """The object of a name, None where there is none."""
    return _named.get(name, registry.get(name))


export_value("tensorflow", _T + "TENSORFLOW_API_NAME")
export_value("keras", _T + "KERAS_API_NAME")


@export(_T + "get_canonical_name")
def get_canonical_name(api_names: Any, deprecated_api_names: Any) -> str | None:
    """The first of some names that is not deprecated, else the first of those that are; None where there are none."""
    return next((n for n in api_names if n not in deprecated_api_names), next(iter(api_names), None))


def _of_symbol(symbol: Any, version: str) -> list[str]:
    own = getattr(unwrap(symbol)[1], "__dict__", {})
    return [name for kind in ("tf", "keras") for name in own.get(f"_{kind}_api_names{version}", ())]


@export(_T + "get_v1_names")
def get_v1_names(symbol: Any) -> list[str]:
    """The names that decorators have given to a function or class in version 1."""
    return _of_symbol(symbol, "_v1")


@export(_T + "get_v2_names")
def get_v2_names(symbol: Any) -> list[str]:
    """The names that decorators have given to a function or class."""
    return _of_symbol(symbol, "")


def _of_module(module: Any, version: str) -> list[Any]:
    return [pair for kind in ("tf", "keras") for pair in vars(module).get(f"_{kind}_api_constants{version}", ())]


@export(_T + "get_v1_constants")
def get_v1_constants(module: Any) -> list[Any]:
    """The constants of a module that were given names in version 1: pairs of these and of its own name."""
    return _of_module(module, "_v1")


@export(_T + "get_v2_constants")
def get_v2_constants(module: Any) -> list[Any]:
    """The constants of a module that were given names: pairs of these and of its own name."""
    return _of_module(module, "")
