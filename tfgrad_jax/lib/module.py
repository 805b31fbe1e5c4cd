"""`tf.Module`: objects that know their variables and parts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.names.scopes import name_scope
from tfgrad_jax.engine.names.wrapping import wraps
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.composite import is_composite
from tfgrad_jax.lib.tracking import AutoTrackable

_IDENTIFIER = re.compile(r"^[a-zA-Z_]([a-zA-Z0-9_])*$")


def snake_case(name: str) -> str:
    """A class's name as those of functions are written."""
    return re.sub(r"((?<=[a-z0-9])[A-Z]|(?!^)(?<!_)[A-Z](?=[a-z]))", r"_\1", name).lower()


def identifier(name: str) -> bool:
    """Whether a text can be a module's name."""
    return bool(_IDENTIFIER.match(name))


@export("Module")
class Module(AutoTrackable):
    """Base class for models and layers. Mirrors `tf.Module`.

    Args:
      name: a valid Python identifier; the class name in snake case where None.

    Raises:
      ValueError: if `name` is no identifier.
    """

    _TF_MODULE_IGNORED_PROPERTIES: frozenset[str] = frozenset(
        {"_self_unconditional_checkpoint_dependencies", "_self_unconditional_dependency_names"}
    )

    def __init__(self, name: str | None = None) -> None:
        if name is None:
            name = snake_case(type(self).__name__)
        elif not identifier(name):
            raise ValueError(
                f"{name!r} is not a valid module name. Module names must be valid Python identifiers (e.g. a valid class name)."
            )
        self._name = name
        with name_scope(name) as self._scope_name:
            pass

    @property
    def name(self) -> str:
        """The name of this module."""
        return self._name

    @property
    def name_scope(self) -> name_scope:
        """A context in which the names of new variables begin with the module's."""
        return name_scope(self._scope_name)

    @property
    def variables(self) -> tuple[Variable, ...]:
        """Every variable of this module and its parts, in the order of attribute names."""
        return tuple(self._flatten(predicate=_is_variable, expand_composites=True))

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """The variables among `variables` that are trainable."""
        return tuple(self._flatten(predicate=lambda v: _is_variable(v) and v.trainable, expand_composites=True))

    @property
    def non_trainable_variables(self) -> tuple[Variable, ...]:
        """The variables among `variables` that are not trainable."""
        return tuple(self._flatten(predicate=lambda v: _is_variable(v) and not v.trainable, expand_composites=True))

    @property
    def submodules(self) -> tuple[Module, ...]:
        """The modules that this one holds, and those that they hold."""
        return tuple(self._flatten(predicate=lambda v: isinstance(v, Module)))

    def _flatten(
        self,
        recursive: bool = True,
        predicate: Callable[[Any], bool] | None = None,
        attribute_traversal_key: Any = None,
        with_path: bool = False,
        expand_composites: bool = False,
    ) -> Iterator[Any]:
        """Walk the leaves of the attributes (and of the modules among them), each object once, breadth after depth.

        Mirrors the method that libraries on `tf.Module` override and call.
        """
        seen: set[Any] = {id(self)}
        walk = _Walk(
            recursive, predicate or (lambda v: True), attribute_traversal_key, with_path, expand_composites, seen
        )
        yield from walk.through(self, ())

    @classmethod
    def with_name_scope(cls, method: Callable[..., Any]) -> Callable[..., Any]:
        """Decorator that runs a method inside the module's name scope."""

        @wraps(method)
        def scoped_method(self: Module, *args: Any, **kwargs: Any) -> Any:
            with self.name_scope:
                return method(self, *args, **kwargs)

        return scoped_method


def _is_variable(value: Any) -> bool:
    return isinstance(value, Variable)


def _leaves(value: Any, path: tuple[Any, ...], expand: bool) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """The leaves of nested lists, tuples and mappings with their paths; with `expand` the tensors of composites, not these."""
    if isinstance(value, Mapping):
        try:
            keys = sorted(value)
        except TypeError:
            keys = list(value)
        for key in keys:
            yield from _leaves(value[key], (*path, key), expand)
    elif isinstance(value, (list, tuple)):
        for i, item in enumerate(value):
            yield from _leaves(item, (*path, i), expand)
    elif expand and not isinstance(value, Variable) and is_composite(value):
        for i, item in enumerate(nest.flatten(value, expand_composites=True)):
            yield (*path, i), item
    else:
        yield path, value


class _Walk(NamedTuple):
    """How to walk through a module, see `Module._flatten`; `seen` has the identities of what was met."""

    recursive: bool
    predicate: Callable[[Any], bool]
    key: Any
    with_path: bool
    expand: bool
    seen: set[Any]

    def through(self, module: Module, prefix: tuple[Any, ...]) -> Iterator[Any]:
        below: list[tuple[tuple[Any, ...], Module]] = []
        attributes = vars(module)
        for name in sorted(attributes, key=self.key):
            if name in module._TF_MODULE_IGNORED_PROPERTIES:
                continue
            for path, leaf in _leaves(attributes[name], (*prefix, name), self.expand):
                if id(leaf) in self.seen:
                    continue
                if self.predicate(leaf):
                    self.seen.add(id(leaf))
                    yield (path, leaf) if self.with_path else leaf
                if self.recursive and isinstance(leaf, Module):
                    below.append((path, leaf))
        for path, sub in below:
            if ("walked", id(sub)) not in self.seen:
                self.seen.add(("walked", id(sub)))
                yield from self.through(sub, path)
