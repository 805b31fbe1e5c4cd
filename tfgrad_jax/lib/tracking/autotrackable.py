"""Objects whose attributes are their parts."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from tfgrad_jax.engine.function.concrete import ConcreteFunction
from tfgrad_jax.engine.function.function import Function
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.names.wrapping import wraps
from tfgrad_jax.engine.state.trackable import Trackable
from tfgrad_jax.lib.tracking.data_structures import PLAIN, NoDependency, sticky_attribute_assignment


@export("__internal__.tracking.AutoTrackable")
class AutoTrackable(Trackable):
    """Makes every attribute that can be one a part, under its name. Mirrors `tf.__internal__.tracking.AutoTrackable`.

    Lists, dicts and tuples in attributes are replaced by wrappers, which know their elements.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if type(value) not in PLAIN and getattr(self, "_self_setattr_tracking", True):
            if vars(self).get(name, PLAIN) is value:
                return
            value = sticky_attribute_assignment(self, name, value)
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        self._delete_tracking(name)
        super().__delattr__(name)

    def _delete_tracking(self, name: str) -> None:
        """Let what a name stands for be no part any more."""
        vars(self).get("_self_unconditional_dependency_names", {}).pop(name, None)

    @property
    def _setattr_tracking(self) -> bool:
        """Whether attributes that are set become parts."""
        return getattr(self, "_self_setattr_tracking", True)

    @_setattr_tracking.setter
    def _setattr_tracking(self, value: bool) -> None:
        self._self_setattr_tracking = value

    def _no_dependency(self, value: Any) -> NoDependency:
        return NoDependency(value)

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        parts = super()._trackable_children(save_type, **kwargs)
        if save_type != "savedmodel":
            return parts
        functions = dict(_functions(self))
        for name, part in list(parts.items()):
            if isinstance(part, (Function, ConcreteFunction)):
                del parts[name]  # the attribute itself says what it is now
            elif part is not functions.get(name, part):
                raise ValueError(
                    f"Can't save object because it has multiple children with the same name. Object: {self}, attribute "
                    f"name: {name}, child 1: {part}, child 2: {functions[name]}"
                )
        return {**parts, **functions}


def _functions(trackable: Any) -> Iterator[tuple[str, Any]]:
    """The attributes that are `tf.function`s or traces of them, those of the class too."""
    for name in dir(trackable):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                value = getattr(trackable, name, None)
        except Exception:  # a property may raise whatever it likes
            continue
        if isinstance(value, (Function, ConcreteFunction)):
            yield name, value


@export("python.trackable.base.no_automatic_dependency_tracking_scope")
@contextlib.contextmanager
def no_automatic_dependency_tracking_scope(trackable: Any) -> Iterator[None]:
    """A context in which attributes that are set do not become parts of an object, and are not wrapped."""
    before = getattr(trackable, "_self_setattr_tracking", True)
    trackable._self_setattr_tracking = False
    try:
        yield
    finally:
        trackable._self_setattr_tracking = before


@export("__internal__.tracking.no_automatic_dependency_tracking")
def no_automatic_dependency_tracking(method: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator of a method: attributes that it sets do not become parts. Mirrors TensorFlow's function of that name."""

    @wraps(method)
    def untracked(self: Any, *args: Any, **kwargs: Any) -> Any:
        with no_automatic_dependency_tracking_scope(self):
            return method(self, *args, **kwargs)

    return untracked
