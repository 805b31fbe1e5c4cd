"""`tf.train.TrackableView`, and Python state in checkpoints."""

from __future__ import annotations

import abc
import weakref
from collections import deque
from functools import partial
from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.state.trackable import Saveable, SaveSpec, Trackable
from tfgrad_jax.engine.values.dtypes import string
from tfgrad_jax.lib.checkpoint.graph import parts_of
from tfgrad_jax.lib.tracking.data_structures import wrap

_PYTHON_STATE = "py_state"


@export("train.TrackableView")
class TrackableView:
    """An object and all that it consists of. Mirrors `tf.train.TrackableView`.

    Args:
      root: the object.
    """

    def __init__(self, root: Any) -> None:
        self._root_ref = root if isinstance(root, weakref.ref) else weakref.ref(root)

    @property
    def root(self) -> Any:
        """The object."""
        return self._root_ref()

    @classmethod
    def children(cls, obj: Any, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        """The parts of an object by name; a view of other parts has another such method."""
        return {name: wrap(part) for name, part in parts_of(obj, None, save_type).items()}  # Keras names plain lists

    def descendants(self) -> list[Any]:
        """The root and all that it consists of, the nearest first."""
        found = {id(self.root): self.root}
        waiting = deque(found.values())
        while waiting:
            for part in self.children(waiting.popleft()).values():
                if id(part) not in found:
                    found[id(part)] = part
                    waiting.append(part)
        return list(found.values())


@export("train.experimental.PythonState")
class PythonState(Trackable, metaclass=abc.ABCMeta):
    """Base class of objects with state that is no tensor. Mirrors `tf.train.experimental.PythonState`."""

    @abc.abstractmethod
    def serialize(self) -> Any:
        """The state as a string."""

    @abc.abstractmethod
    def deserialize(self, string_value: Any) -> Any:
        """Take the state back."""

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        return {
            _PYTHON_STATE: partial(Saveable, self._specs, lambda found: self.deserialize(found[0].numpy()), last=True)
        }

    def _specs(self, name: str) -> list[SaveSpec]:
        return [SaveSpec(self.serialize, name, string)]
