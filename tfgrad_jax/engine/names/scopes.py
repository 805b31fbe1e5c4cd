"""Name scopes: prefixes for the names of variables."""

from __future__ import annotations

import re
from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.threads.context import context

_VALID = re.compile(r"^[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*$")


@export("name_scope")
class name_scope:
    """A context that prefixes the names of variables made inside. Mirrors `tf.name_scope`.

    Args:
      name: the scope's name; ending in "/" it is taken as the whole scope, and "" or None returns to the top.

    Raises:
      ValueError: if `name` is not a string.
    """

    def __init__(self, name: Any) -> None:
        if not isinstance(name, str):
            raise ValueError("name for name_scope must be a string.")
        self._name = name
        self._outer: list[str] = []

    @property
    def name(self) -> str:
        return self._name

    def __enter__(self) -> str:
        outer = context.name_scope
        self._outer.append(outer)
        name = self._name
        if not name:
            context.name_scope = ""
        elif name.endswith("/"):
            context.name_scope = name
        else:
            context.name_scope = f"{outer}{name}/"
        return context.name_scope

    def __exit__(self, *exc: object) -> None:
        context.name_scope = self._outer.pop()


def scoped(name: str) -> str:
    """A name inside the open scope."""
    return context.name_scope + name


@export("get_current_name_scope", "__internal__.get_name_scope")
def get_current_name_scope() -> str:
    """The open name scope without its last "/"; "" outside of all. Mirrors `tf.get_current_name_scope`."""
    return context.name_scope.removesuffix("/")
