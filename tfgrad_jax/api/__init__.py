"""The `tf.*` name tree, built from the declarations."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from types import ModuleType
from typing import Any

from tfgrad_jax.api.late import Late, is_late, late_names
from tfgrad_jax.api.missing import MissingAttribute
from tfgrad_jax.api.module import ApiModule, starred
from tfgrad_jax.api.private import ROOMS, PrivateModule
from tfgrad_jax.api.v1 import names_of_v1
from tfgrad_jax.engine.names.export import export_value, registry

at_root: dict[str, Late] = {}
"""Such names of the package itself."""


def attribute(root: ModuleType, name: str) -> Any:
    """An attribute of the package that is not there yet.

    Raises:
      AttributeError: if there is no such name.
    """
    if name == "__all__":
        return starred(root, at_root)
    late = at_root.get(name)
    if late is None:
        if name == "enable_v2_behavior":  # `tf.compat.v2` has it, which is the package itself
            return root.compat.v1.enable_v2_behavior
        raise MissingAttribute(root.__name__, name)
    setattr(root, name, late.load())
    return vars(root)[name]


def load(*packages: str) -> None:
    """Import every module of the packages and the packages in them, so that each declares its public names."""
    for package in packages:
        for module in pkgutil.iter_modules(importlib.import_module(package).__path__, f"{package}."):
            if not is_late(module.name):
                (load if module.ispkg else importlib.import_module)(module.name)


def build(root: ModuleType) -> None:
    """Hang every declared public name into the tree below `root`, making modules on the way."""
    export_value(root.__version__, "version.VERSION")
    today = {**registry, **dict(late_names())}
    for dotted, value in {**today, **names_of_v1(today)}.items():
        *path, leaf = dotted.split(".")
        module: Any = root
        for part in path:
            below = vars(module).get(part)
            if below is None:
                full = f"{module.__name__}.{part}"
                kind = PrivateModule if path[0] in ROOMS else ApiModule
                below = sys.modules[full] = kind(full, f"Mirrors `{full.replace(root.__name__, 'tf', 1)}`.")
                setattr(module, part, below)
            module = below
        if isinstance(value, Late):
            (module.expect if module is not root else at_root.__setitem__)(leaf, value)
        else:
            setattr(module, leaf, value)
    root.compat.v2 = root
    root.compat.v1.compat = root.compat  # `import tensorflow.compat.v1 as tf` has `tf.compat.v1`, too
    for room in ROOMS:
        if room not in vars(root):
            full = f"{root.__name__}.{room}"
            module = sys.modules[full] = PrivateModule(full, f"Mirrors `tensorflow.{room}`.")
            setattr(root, room, module)
