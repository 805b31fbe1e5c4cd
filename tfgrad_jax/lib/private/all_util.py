"""`tensorflow.python.util.all_util`: what a module shows of itself. TF Quant Finance and TF-Slim call it as they are imported."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Collection, Iterable
from types import ModuleType
from typing import Any

from tfgrad_jax.engine.names.export import export

_NAMED = re.compile(r"^@@(\w+)$", re.MULTILINE)
"""A line of documentation that names a public attribute."""

_hidden: dict[str, tuple[ModuleType, Any]] = {}
"""By its full name what `remove_undocumented` took from a module."""


@export("python.util.all_util.make_all")
def make_all(module_name: str, doc_string_modules: Iterable[Any] | None = None) -> list[str]:
    """The attributes of a module that documentation names, a line `@@name` for each.

    Args:
      module_name: name of an imported module.
      doc_string_modules: modules whose documentation counts; None for the module's own.

    Returns:
      Their names.
    """
    module = sys.modules[module_name]
    documents = [module] if doc_string_modules is None else doc_string_modules
    named = {name for document in documents for name in _NAMED.findall(document.__doc__ or "")}
    return [name for name, _ in inspect.getmembers(module) if name in named]


@export("python.util.all_util.remove_undocumented")
def remove_undocumented(
    module_name: str,
    allowed_exception_list: Collection[str] | None = None,
    doc_string_modules: Iterable[Any] | None = None,
) -> None:
    """Takes the public attributes from a module that are neither documented by a line `@@name` nor in the list.

    Args:
      module_name: name of an imported module.
      allowed_exception_list: names that stay all the same.
      doc_string_modules: modules whose documentation counts; None for the module's own.
    """
    module = sys.modules[module_name]
    stay = {*make_all(module_name, doc_string_modules), *(allowed_exception_list or ())}
    for name in [name for name in vars(module) if not name.startswith("_") and name not in stay]:
        _hidden[f"{module_name}.{name}"] = module, getattr(module, name)
        delattr(module, name)


@export("python.util.all_util.reveal_undocumented")
def reveal_undocumented(symbol_name: str, target_module: ModuleType | None = None) -> None:
    """Gives an attribute back that `remove_undocumented` took.

    Args:
      symbol_name: its full name.
      target_module: the module that gets it; None for the one it was taken from.

    Raises:
      LookupError: where nothing of that name was taken.
    """
    if symbol_name not in _hidden:
        raise LookupError(f"reveal_undocumented: symbol_name {symbol_name!r} is no attribute that was removed before")
    module, value = _hidden[symbol_name]
    setattr(target_module or module, symbol_name.rpartition(".")[2], value)
