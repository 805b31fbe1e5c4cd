"""The objects that are saved: what is reachable from one by the names of parts, each with a number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tfgrad_jax.engine.function.concrete import ConcreteFunction
from tfgrad_jax.engine.function.function import Function
from tfgrad_jax.engine.state.trackable import Trackable
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.lib.checkpoint.graph import parts_of
from tfgrad_jax.lib.distribute.variables import DistributedVariable
from tfgrad_jax.lib.lookup.contents import Contents
from tfgrad_jax.lib.lookup.tables import LookupTable
from tfgrad_jax.lib.saved_model.restored import SavedConcrete
from tfgrad_jax.lib.tracking.data_structures import wrap


def variable_behind(value: Any) -> Variable | None:
    """The variable that a value is, or (a variable of Keras) stands for; None for anything else."""
    if isinstance(value, Variable):
        return value
    if getattr(value, "_should_act_as_resource_variable", False):
        inner = getattr(value, "_value", None)
        return inner if isinstance(inner, Variable) else None
    return None


class Hidden:
    """State that functions use and that is no variable: that of random operations. It is saved as a variable.

    Args:
      box: the state.
    """

    def __init__(self, box: Any) -> None:
        self.box = box


HIDDEN = "_random_state_"
"""What the names of hidden states begin with, as parts of the object that is saved."""


class Signatures:
    """Stands for the map of signatures among the objects."""

    _object_identifier = "signature_map"


class Objects:
    """What is reachable from an object.

    Args:
      root: the object.
      signatures: by name, what stands for each signature.
      cache: what objects keep there while they are saved.

    Attributes:
      all: the objects in the order of their numbers.
      children: of each the numbers of its parts, by name.
      paths: of each the names that lead to it from the root.
    """

    def __init__(self, root: Any, signatures: Mapping[str, Any], cache: dict[Any, Any]) -> None:
        self.all: list[Any] = []
        self.children: list[dict[str, int]] = []
        self.paths: list[tuple[str, ...]] = []
        self._numbers: dict[int, int] = {}
        self._signatures = signatures
        self._cache = cache
        self._add(root, ())
        at = 0
        while at < len(self.all):
            value = self.all[at]
            for name, part in self._parts(value, at).items():
                self.children[at][name] = self._add(part, (*self.paths[at], name))
            at += 1

    def _parts(self, value: Any, number: int) -> Mapping[str, Any]:
        if isinstance(value, Signatures):
            return self._signatures
        if number and variable_behind(value) is not None:
            return {}
        if isinstance(value, (Function, ConcreteFunction, SavedConcrete)) or not isinstance(value, Trackable):
            return {}
        named = parts_of(value, save_type="savedmodel", cache=self._cache)
        parts = {n: wrap(p) for n, p in named.items()}  # plain containers from Keras
        found = {n: p for n, p in parts.items() if _is_part(p)}
        if not number:
            found.pop("signatures", None)
            found["signatures"] = Signatures()
        return found

    def _add(self, value: Any, path: tuple[str, ...]) -> int:
        known = self._numbers.get(self._identity(value))
        return self.add(value, path) if known is None else known

    def add(self, value: Any, path: tuple[str, ...]) -> int:
        """Give an object a number."""
        number = self._numbers[self._identity(value)] = len(self.all)
        variable = variable_behind(value)
        if isinstance(variable, DistributedVariable):
            # Functions that replicas traced use a copy of their own; what is saved has one variable for all of them.
            self._numbers.update((-1 - copy.box.id, number) for copy in variable.values)
        self.all.append(value)
        self.children.append({})
        self.paths.append(path)
        return number

    @staticmethod
    def _identity(value: Any) -> int:
        variable = variable_behind(value)
        if variable is not None:
            return -1 - variable.box.id
        return -1 - value.box.id if isinstance(value, Hidden) else id(value)

    def number_of(self, resource: Any) -> int | None:
        """The number of the variable whose state a box is, or of the table with some contents; None if it cannot be reached."""
        if isinstance(resource, Contents):
            tables = (n for n, v in enumerate(self.all) if isinstance(v, LookupTable) and v.contents is resource)
            return next(tables, None)
        return self._numbers.get(-1 - resource.id)


def _is_part(value: Any) -> bool:
    return (
        isinstance(value, (Trackable, Variable, Function, ConcreteFunction, SavedConcrete))
        or variable_behind(value) is not None
    )
