"""`tf.train.TrackableView`, `tf.train.CheckpointView`, and Python state in checkpoints."""

from __future__ import annotations

import abc
import weakref
from collections import deque
from functools import partial
from typing import Any

from tfgrad_jax.engine.messages.errors import NotFoundError
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.state.trackable import Saveable, SaveSpec, Trackable
from tfgrad_jax.engine.values.dtypes import string
from tfgrad_jax.lib.checkpoint.bundle import BundleReader
from tfgrad_jax.lib.checkpoint.graph import GRAPH_KEY, decoded, parts_of
from tfgrad_jax.lib.io.paths import path_text
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


@export("train.CheckpointView")
class CheckpointView:
    """The objects that a checkpoint is of, by their numbers. Mirrors `tf.train.CheckpointView`.

    Args:
      save_path: the path of the checkpoint, as `tf.train.Checkpoint.save` gives it.

    Raises:
      NotFoundError: if there is none, or it is a file of names alone.
      DataLossError: if it is corrupt.
    """

    def __init__(self, save_path: Any) -> None:
        path = path_text(save_path)
        reader = BundleReader(path)
        if GRAPH_KEY not in reader.entries:
            raise NotFoundError(None, None, f"The checkpoint {path} has names of variables and no objects")
        self._nodes = decoded(reader.tensor(GRAPH_KEY).item(), path)

    def children(self, node_id: int) -> dict[str, int]:
        """The numbers of an object's parts by name.

        Raises:
          IndexError: if there is no such object.
        """
        return dict(self._nodes[node_id].children)

    def descendants(self) -> list[int]:
        """The numbers of all objects, the nearest to the root first."""
        found = {0: None}
        waiting = deque(found)
        while waiting:
            for child in self.children(waiting.popleft()).values():
                if child not in found:
                    found[child] = None
                    waiting.append(child)
        return list(found)

    def match(self, obj: Any) -> dict[int, Any]:
        """The parts of an object that would be restored, each by the number of what is in the checkpoint.

        Raises:
          ValueError: if it is nothing that has a state.
        """
        if not isinstance(obj, Trackable):
            raise ValueError(f"Expected a Trackable, got {obj} of type {type(obj)}.")
        found = {0: obj}
        waiting = deque(found)
        while waiting:
            number = waiting.popleft()
            parts = TrackableView.children(found[number])
            for name, child in self.children(number).items():
                if name in parts and child not in found:
                    found[child] = parts[name]
                    waiting.append(child)
        return found

    def diff(self, obj: Any) -> tuple[dict[int, Any], list[int], list[Any]]:
        """What an object and the checkpoint share, and what only one of them has.

        Returns:
          `match(obj)`, the numbers of what is in the checkpoint only, and the parts that only the object has.

        Raises:
          ValueError: if it is nothing that has a state.
        """
        both = self.match(obj)
        known = {id(part) for part in both.values()}
        only_here = [part for part in TrackableView(obj).descendants() if id(part) not in known]
        return both, [number for number in self.descendants() if number not in both], only_here


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
