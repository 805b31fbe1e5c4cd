"""`tf.train.Checkpoint`: objects and all that they consist of, saved and restored."""

from __future__ import annotations

import inspect
import os
import weakref
from typing import Any

import numpy as np

from tfgrad_jax.engine.messages.errors import DataLossError, NotFoundError
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.state.trackable import Trackable
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.lib.checkpoint.bundle import BundleReader, BundleWriter, index_name
from tfgrad_jax.lib.checkpoint.graph import GRAPH_KEY, ObjectGraph, decoded, encoded
from tfgrad_jax.lib.checkpoint.options import CheckpointOptions
from tfgrad_jax.lib.checkpoint.restoring import Restoration, restore_by_name
from tfgrad_jax.lib.checkpoint.state import update_checkpoint_state
from tfgrad_jax.lib.checkpoint.status import CheckpointLoadStatus, InitializationOnlyStatus, NameBasedSaverStatus
from tfgrad_jax.lib.checkpoint.values import full_name
from tfgrad_jax.lib.io.paths import path_text
from tfgrad_jax.lib.tracking import AutoTrackable, NoDependency
from tfgrad_jax.ops.io.file_systems import file_system


def write_checkpoint(prefix: str, root: Any, attached: dict[str, Any] | None = None) -> ObjectGraph:
    """Write an object and all that it consists of.

    Args:
      prefix: the path without what follows for each file.
      root: the object.
      attached: parts that it has besides its own.

    Returns:
      The objects that were written.
    """
    graph = ObjectGraph.of(root, attached).with_slots()
    tensors: dict[str, Any] = {}
    nodes = graph.nodes(tensors)
    with BundleWriter(prefix) as writer:
        for key, get in tensors.items():
            writer.add(key, get())
        writer.add(GRAPH_KEY, np.array(encoded(nodes), object))
    return graph


def read_checkpoint(prefix: str, root: Any, attached: dict[str, Any] | None = None) -> Any:
    """Restore an object and all that it consists of, now and later.

    Args:
      prefix: the path without what follows for each file.
      root: the object.
      attached: parts that it has besides its own.

    Returns:
      The status.
    """
    attached = attached or {}
    system = file_system(prefix)
    if system.is_directory(prefix) and not system.exists(index_name(prefix)):
        raise DataLossError(
            None, None, f"Unable to open table file {prefix}: Is a directory, not the path of a checkpoint"
        )
    try:
        reader = BundleReader(prefix)
    except NotFoundError as error:
        raise NotFoundError(
            None, None,
            f"Error when restoring from checkpoint or SavedModel at {prefix}: {error.message}\nPlease double-check that the path "
            "is correct. You may be missing the checkpoint suffix (e.g. the '-1' in 'path/to/ckpt-1').",
        ) from error  # fmt: skip
    if GRAPH_KEY not in reader.entries:
        left = restore_by_name(reader, ObjectGraph.of(root, attached).objects)
        return NameBasedSaverStatus([trackable for trackable in left if full_name(trackable) != "save_counter"])
    nodes = decoded(reader.tensor(GRAPH_KEY).item(), prefix)
    restoration = Restoration(reader, nodes)
    restoration.restore(0, root, attached)
    return CheckpointLoadStatus(restoration, lambda: ObjectGraph.of(root, attached).with_slots())


@export("train.Checkpoint")
class Checkpoint(AutoTrackable):
    """Saves and restores objects and all that they consist of. Mirrors `tf.train.Checkpoint`.

    Args:
      root: an object whose parts are the checkpoint's, besides the others.
      **kwargs: objects by name, which become attributes.

    Raises:
      ValueError: if something cannot be saved, or a name is one of a part of `root` that is another object.
    """

    def __init__(self, root: Any = None, **kwargs: Any) -> None:
        super().__init__()
        self._save_counter: Any = None
        attached: dict[str, Any] = {}
        self._attached: Any = NoDependency(attached)
        self._given_root: Any = None
        if root is not None:
            _check("root", _reached(root))
            self._given_root = NoDependency(root)
            parts = _reached(root)._trackable_children()
            kwargs["root"] = root
        for name, value in sorted(kwargs.items()):
            setattr(self, name, value)
            value = value if isinstance(value, weakref.ref) else getattr(self, name)
            _check(name, _reached(value))
            if root is not None:
                if parts.get(name, _reached(value)) is not _reached(value):
                    raise ValueError(
                        f"Cannot create a Checkpoint with keyword argument {name} if root.{name} already exists."
                    )
                attached[name] = value
            elif isinstance(value, weakref.ref):
                attached[name] = value

    def _root(self) -> Any:
        return self if self._given_root is None else _reached(self._given_root)

    def _parts(self) -> dict[str, Any]:
        return {name: _reached(part) for name, part in self._attached.items()}

    def _counter(self) -> Variable:
        if self._save_counter is None:
            counter = Variable(np.int64(0), trainable=False, name="save_counter", dtype=dtypes.int64)
            self._save_counter = NoDependency(counter)
            if self._given_root is None:
                self._track_trackable(counter, "save_counter")
            else:
                self._attached["save_counter"] = counter
                self._root()._handle_deferred_dependencies("save_counter", counter)
        return self._save_counter

    @property
    def save_counter(self) -> Variable:
        """A variable that counts calls of `save`."""
        return self._counter()

    def write(self, file_prefix: Any, options: CheckpointOptions | None = None) -> str:
        """Write a checkpoint at a path.

        Args:
          file_prefix: the path without what follows for each file.
          options: a `tf.train.CheckpointOptions`.

        Returns:
          The path.

        Raises:
          NotImplementedError: inside a `tf.function`.
        """
        _outside("write")
        prefix = path_text(file_prefix)
        options = options or CheckpointOptions()
        callbacks = options.experimental_write_callbacks or ()
        write_checkpoint(prefix, self._root(), self._parts())
        for callback in callbacks:
            callback(*([prefix] if inspect.signature(callback).parameters else []))
        return prefix

    def save(self, file_prefix: Any, options: CheckpointOptions | None = None) -> str:
        """Write a checkpoint with a new number, and note in the directory that it is the newest.

        Args:
          file_prefix: the path before the number.
          options: a `tf.train.CheckpointOptions`.

        Returns:
          The path with the number.
        """
        _outside("save")
        counter = self._counter()
        counter.assign_add(1, read_value=False)
        try:
            path = self.write(f"{path_text(file_prefix)}-{int(counter)}", options)
        except BaseException:
            counter.assign_sub(1, read_value=False)  # there is no such checkpoint
            raise
        update_checkpoint_state(os.path.dirname(path), path, [path])
        return path

    def read(self, save_path: Any, options: CheckpointOptions | None = None) -> Any:
        """Restore what `write` wrote.

        Args:
          save_path: the path; with None nothing happens.
          options: a `tf.train.CheckpointOptions`.

        Returns:
          A status: `assert_consumed()` and others say how far checkpoint and objects fit together.

        Raises:
          NotFoundError: if there is no such checkpoint.
          DataLossError: if it is corrupt; nothing has changed then.
          ValueError: if a shape differs; nothing has changed then.
        """
        _outside("read")
        if save_path is None:
            return InitializationOnlyStatus()
        return read_checkpoint(path_text(save_path), self._root(), self._parts())

    def restore(self, save_path: Any, options: CheckpointOptions | None = None) -> Any:
        """Restore what `save` wrote, the number of the next checkpoint too; see `read`."""
        _outside("restore")
        self._counter()  # before, so that nothing changes if the checkpoint is corrupt there
        return self.read(save_path, options)

    def sync(self) -> None:
        """Nothing: a checkpoint is whole when `save` returns."""


def _outside(what: str) -> None:
    if context.graph is not None:
        raise NotImplementedError(f"tf.train.Checkpoint.{what} inside a tf.function: call it outside")


def _reached(value: Any) -> Any:
    return value() if isinstance(value, weakref.ref) else value


def _check(name: str, value: Any) -> None:
    if not isinstance(value, Trackable):
        raise ValueError(
            f"`Checkpoint` was expecting {name} to be a trackable object (an object derived from `Trackable`), got {value}. "
            "If you believe this object should be trackable (i.e. it is part of the TensorFlow Python API and manages state), "
            "please open an issue."
        )
