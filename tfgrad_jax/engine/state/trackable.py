"""What can be part of a checkpoint or a SavedModel: objects that know their parts by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from tfgrad_jax.engine.names.export import export

_Part = TypeVar("_Part")


@export("__internal__.tracking.TrackableReference")
class TrackableReference(NamedTuple):
    """A part and the name that it is known by."""

    name: str
    ref: Any


class SaveSpec(NamedTuple):
    """A tensor that is saved: what gives it, its name and dtype."""

    tensor: Any
    name: str
    dtype: Any


class Saveable:
    """What is saved under one attribute.

    Args:
      specs: makes the `SaveSpec`s of a name, which begin with it.
      restore: takes the tensors back, in that order.
      name: the attribute.
      last: whether it is written after all else.
    """

    def __init__(
        self, specs: Callable[[str], list[SaveSpec]], restore: Callable[[Any], Any], name: str, last: bool = False
    ) -> None:
        self.name = name
        self.last = last
        self.specs = specs(name)
        self._restore = restore

    def restore(self, restored_tensors: Any, restored_shapes: Any) -> Any:
        """Take the tensors back."""
        return self._restore(restored_tensors)


@export("__internal__.tracking.Trackable")
class Trackable:
    """Base class of objects with parts and values that are saved. Mirrors `tf.__internal__.tracking.Trackable`.

    It is inert: nothing happens, and no attribute exists, until something is tracked. So it may stand among the bases of any class.
    Its methods have TensorFlow's names, since libraries override and call them.
    """

    __slots__ = ()

    _object_identifier = "_generic_user_object"
    """What a SavedModel says of the kind of the object; Keras 2 has kinds of its own."""

    @property
    def _checkpoint_dependencies(self) -> list[TrackableReference]:
        """The parts in the order in which they came."""
        return [TrackableReference(*item) for item in self._trackable_children().items()]

    @property
    def _unconditional_checkpoint_dependencies(self) -> list[TrackableReference]:
        """The same; TensorFlow's other name of it."""
        return self._checkpoint_dependencies

    @property
    def _unconditional_dependency_names(self) -> dict[str, Any]:
        return dict(self._unconditional_checkpoint_dependencies)

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        """The parts by name, in the order in which they came.

        Args:
          save_type: `"checkpoint"` or `"savedmodel"`.
          **kwargs: for subclasses; unused.
        """
        return dict(getattr(self, "_self_unconditional_dependency_names", ()))

    def _track_trackable(self, trackable: _Part, name: str, overwrite: bool = False) -> _Part:
        """Make an object a part, and restore it if a checkpoint was waiting for it.

        Args:
          trackable: the object.
          name: what it is known by among the parts of this one.
          overwrite: whether it may replace another one of that name.

        Returns:
          The object.

        Raises:
          TypeError: if it is no `Trackable`.
          ValueError: if there is another one of that name.
        """
        if not isinstance(trackable, Trackable):
            raise TypeError(
                f"Trackable._track_trackable() can only be used to track objects of type Trackable. Got type {type(trackable)}."
            )
        parts = _state(self, "_self_unconditional_dependency_names")
        if not overwrite and parts.get(name, trackable) is not trackable:
            raise ValueError(
                f"Called Trackable._track_trackable() with name='{name}', but a Trackable with this name is already "
                "declared as a dependency. Names must be unique (or overwrite=True)."
            )
        parts[name] = trackable
        self._handle_deferred_dependencies(name, trackable)
        return trackable

    def _add_variable_with_custom_getter(
        self,
        name: str,
        shape: Any = None,
        dtype: Any = None,
        initializer: Any = None,
        getter: Any = None,
        overwrite: bool = False,
        **kwargs_for_getter: Any,
    ) -> Any:
        """A variable that a function makes, as a part. The layers of Keras 2 make theirs so.

        Args:
          name: what the variable is called, and known by among the parts of this one.
          shape, dtype, initializer: for the function.
          getter: takes these by their names, and gives the variable.
          overwrite: whether it may replace another part of that name.
          **kwargs_for_getter: further arguments for the function.
        """
        made = getter(name=name, shape=shape, dtype=dtype, initializer=initializer, **kwargs_for_getter)
        return self._track_trackable(made, name, overwrite) if isinstance(made, Trackable) or not overwrite else made

    def _lookup_dependency(self, name: str, cached_dependencies: Any = None) -> Any:
        """The part of a name, or None.

        Args:
          name: the name.
          cached_dependencies: the parts by name, where the caller has them.
        """
        if cached_dependencies:
            return cached_dependencies.get(name)
        return getattr(self, "_self_unconditional_dependency_names", {}).get(name)

    @property
    def _deferred_dependencies(self) -> dict[str, list[Any]]:
        """By name of a part that does not exist yet, what is waiting to restore it."""
        return _state(self, "_self_unconditional_deferred_dependencies")

    def _handle_deferred_dependencies(self, name: str, trackable: Any) -> None:
        """Restore a new part if a checkpoint was waiting for it; of several, the latest one counts."""
        waiting = getattr(self, "_self_unconditional_deferred_dependencies", None)
        if waiting:
            for position in sorted(waiting.pop(name, ()), key=lambda p: p.restore_uid, reverse=True):
                position.restore(trackable)

    def _maybe_initialize_trackable(self) -> None:
        """Nothing: what is kept of parts is made with the first. Keras 2 asks for it."""

    def _no_dependency(self, value: Any) -> Any:
        """The value in a form that can be an attribute without being a part."""
        return value

    def _serialize_to_tensors(self) -> dict[str, Any]:
        """What is saved of the object itself: tensors by name.

        Raises:
          NotImplementedError: where the class has nothing to save.
        """
        raise NotImplementedError(
            f"{type(self).__name__} has nothing of its own to save: it gives no _serialize_to_tensors"
        )

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> Any:
        """Take back what `_serialize_to_tensors` gave.

        Raises:
          NotImplementedError: where the class has nothing to restore.
        """
        raise NotImplementedError(
            f"{type(self).__name__} has nothing of its own to restore: it gives no _restore_from_tensors"
        )

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        """The older way to say what is saved: by attribute, functions of a name that make a `Saveable`. Nothing here."""
        return {}


def _state(trackable: Any, name: str) -> dict[str, Any]:
    """A dict that belongs to an object; made with the first use, past the object's own `__setattr__`."""
    found = getattr(trackable, name, None)
    if found is None:
        found = {}
        set_past(trackable, name, found)
    return found


def set_past(trackable: Any, name: str, value: Any) -> None:
    """Set an attribute that begins with `_self_`, past the object's own `__setattr__`."""
    try:
        object.__setattr__(trackable, name, value)
    except TypeError:  # a proxy made in C, which keeps such names for itself
        setattr(trackable, name, value)
