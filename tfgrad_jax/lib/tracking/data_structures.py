"""Lists, dicts and tuples in attributes: wrappers that behave as the containers and know which elements are parts.

A wrapper stands for the very container that was assigned, so that whoever holds that one and the wrapper see the same elements.
What a checkpoint could not follow (an element replaced, removed or moved; a change behind the wrapper's back) is noticed when the
parts are asked for, and is an error then, not before: most programs change their lists and save nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.state.trackable import Trackable
from tfgrad_jax.engine.state.variable import Variable

PLAIN = frozenset({bool, int, float, complex, str, bytes, type(None), type})
"""Types of values that are never parts."""


@export("python.trackable.data_structures.NoDependency")
class NoDependency:
    """Marks a value: assigned to an attribute, it is no part, and is not wrapped.

    Args:
      value: the value, which the attribute will have.
    """

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


_wrappers: dict[Any, Callable[[Any], Any]] = {}


def wrapper_of(*kinds: type) -> Callable[[Any], Any]:
    """Decorator of a class: it wraps containers of these classes, and not of subclasses but for tuples."""

    def registered(cls: Any) -> Any:
        _wrappers.update(dict.fromkeys(kinds, cls))
        return cls

    return registered


@export("__internal__.tracking.wrap", "python.trackable.data_structures.wrap_or_unwrap")
def wrap(value: Any) -> Any:
    """The wrapper of a list, dict or tuple; what is in a `NoDependency`; any other value itself."""
    kind: Any = type(value)
    if kind in PLAIN or isinstance(value, Trackable):
        return value
    if kind is NoDependency:
        return value.value
    if isinstance(value, tuple):
        kind = tuple if _worth_wrapping(value) else None
    found = _wrappers.get(kind)
    return value if found is None else found(value)


def _worth_wrapping(value: tuple[Any, ...]) -> bool:
    """Whether a tuple has a part, or an element that may get one."""
    return any(isinstance(wrap(element), Trackable) for element in value)


@export(
    "__internal__.tracking.sticky_attribute_assignment",
    "python.trackable.data_structures.sticky_attribute_assignment",
)
def sticky_attribute_assignment(trackable: Any, name: str, value: Any) -> Any:
    """What an attribute shall have for a value that is assigned to it; makes it a part where it can be one.

    Args:
      trackable: the object with the attribute.
      name: of the attribute.
      value: what is assigned.
    """
    is_part = type(value) is not NoDependency
    value = wrap(value)
    if is_part and isinstance(value, Trackable):
        trackable._track_trackable(value, name=name, overwrite=True)
    return value


@export("__internal__.tracking.TrackableDataStructure", "python.trackable.data_structures.TrackableDataStructure")
class TrackableDataStructure(Trackable):
    """Base class of the wrappers. Mirrors `tf.__internal__.tracking.TrackableDataStructure`."""

    _self_trainable = True

    def _elements(self) -> Iterable[Any]:
        raise NotImplementedError(f"{type(self).__name__} must say what it holds: give it a method _elements")

    @property
    def _values(self) -> list[Any]:
        """The elements, which the layers of Keras 2 ask for theirs."""
        return [*self._elements()]

    def _collected(self, what: str) -> list[Any]:
        found: dict[int, Any] = {}
        for element in self._elements():
            more = [element] if isinstance(element, Variable) and _fits(element, what) else getattr(element, what, ())
            found.update((id(variable), variable) for variable in more)
        return list(found.values())

    @property
    def variables(self) -> list[Any]:
        """The variables among the elements and in them."""
        return self._collected("variables")

    weights = variables

    @property
    def trainable_variables(self) -> list[Any]:
        """Those of `variables` that are trainable."""
        return self._collected("trainable_variables")

    trainable_weights = trainable_variables

    @property
    def non_trainable_variables(self) -> list[Any]:
        """Those of `variables` that are not trainable."""
        return self._collected("non_trainable_variables")

    non_trainable_weights = non_trainable_variables


def _fits(variable: Variable, what: str) -> bool:
    return what == "variables" or variable.trainable == (what == "trainable_variables")


def changed(kind: str, container: Any, how: str) -> ValueError:
    """The error for a container that cannot be saved any more: which one, and what happened to it."""
    return ValueError(
        f"Unable to save the object {container!r} (a {kind} wrapper, which tracks the parts among its elements): {how}, so that "
        f"it could not be told what to restore into what. If this {kind} need not be saved, assign it in an object that is not "
        "tracked, or where tracking is off."
    )


def same(now: Any, before: Any) -> bool:
    """Whether nobody put another element in an element's place."""
    return now is before or (type(now) in PLAIN and type(before) in PLAIN and now == before)
