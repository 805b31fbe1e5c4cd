"""Name scopes: prefixes for the names of variables and of operations in graphs."""

from __future__ import annotations

import re
from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.threads.context import context

ROOT = re.compile(r"^[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*$")
"""What names of operations look like, and those of scopes outside of all others."""

_INNER = re.compile(r"^[A-Za-z0-9_.\\/>-]*$")


def check_scope(name: str, outer: str) -> None:
    """Raise ValueError if a graph cannot have a scope of this name within another."""
    if not (_INNER if outer else ROOT).match(name):
        where, pattern = ("", _INNER) if outer else (" root", ROOT)
        raise ValueError(
            f"{name!r} is not a valid{where} scope name. A{where} scope name has to match the following pattern: {pattern.pattern}"
        )


@export("name_scope")
class name_scope:
    """A context that prefixes the names of variables made inside, and in a graph of operations. Mirrors `tf.name_scope`.

    In a graph, a name that is taken gets a number.

    Args:
      name: the scope's name; ending in "/" it is taken as the whole scope, and "" returns to the top.

    Raises:
      ValueError: if `name` is not a string, or on entering it in a graph, where it is no name.
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
        outer, name, graph = context.name_scope, self._name, context.graph
        if name and graph is not None:
            check_scope(name, outer)
        self._outer.append(outer)
        if not name or name.endswith("/"):
            context.name_scope = name
        elif graph is None:
            context.name_scope = f"{outer}{name}/"
        else:
            context.name_scope = graph.unique_name(name) + "/"
        return context.name_scope

    def __exit__(self, *exc: object) -> None:
        context.name_scope = self._outer.pop()


def name_next(name: str | None) -> None:
    """Name the operation of the open graph that comes next, if there is a graph and a name."""
    if name is not None and context.graph is not None:
        context.graph.called = name


def scoped(name: str) -> str:
    """A name inside the open scope."""
    return context.name_scope + name


@export("get_current_name_scope", "__internal__.get_name_scope")
def get_current_name_scope() -> str:
    """The open name scope without its last "/"; "" outside of all. Mirrors `tf.get_current_name_scope`."""
    return context.name_scope.removesuffix("/")
