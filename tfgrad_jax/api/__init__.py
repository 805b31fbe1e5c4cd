"""The `tf.*` name tree, built from the declarations."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from types import ModuleType
from typing import Any

from tfgrad_jax.api.missing import missing_attribute
from tfgrad_jax.api.v1 import names_of_v1
from tfgrad_jax.engine.names.export import registry


class ApiModule(ModuleType):
    """A public module such as `tf.math`."""

    def __getattr__(self, name: str) -> Any:
        raise missing_attribute(self.__name__, name)


def load(*packages: str) -> None:
    """Import every module of the packages and the packages in them, so that each declares its public names."""
    for package in packages:
        for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
            importlib.import_module(module.name)


def build(root: ModuleType) -> None:
    """Hang every declared public name into the tree below `root`, making modules on the way."""
    for dotted, value in {**registry, **names_of_v1(registry)}.items():
        *path, leaf = dotted.split(".")
        module = root
        for part in path:
            below = vars(module).get(part)
            if below is None:
                full = f"{module.__name__}.{part}"
                below = ApiModule(full, f"Mirrors `{full.replace(root.__name__, 'tf', 1)}`.")
                below.__path__ = []  # a package, so that `import tfgrad_jax.a.b` works
                sys.modules[full] = below
                setattr(module, part, below)
            module = below
        setattr(module, leaf, value)
