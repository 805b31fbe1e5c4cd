"""`tf.train.Checkpoint`: objects and all that they consist of, saved and restored."""

from __future__ import annotations

import functools
import inspect
import os
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from tfgrad_jax.engine.messages.errors import DataLossError, NotFoundError
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.eager import recording_for_sessions
from tfgrad_jax.engine.state.trackable import Trackable
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.lib.checkpoint.background import Writer
from tfgrad_jax.lib.checkpoint.bundle import BundleReader, BundleWriter, index_name
from tfgrad_jax.lib.checkpoint.graph import GRAPH_KEY, ObjectGraph, decoded, encoded
from tfgrad_jax.lib.checkpoint.options import CheckpointOptions, MaxShardSizePolicy
from tfgrad_jax.lib.checkpoint.restoring import Restoration, found_by_name, restore_values
from tfgrad_jax.lib.checkpoint.sessions import counted, not_in_function, require_values, session_for, values_of
from tfgrad_jax.lib.checkpoint.sized import write_sized
from tfgrad_jax.lib.checkpoint.state import update_checkpoint_state
from tfgrad_jax.lib.checkpoint.status import CheckpointLoadStatus, InitializationOnlyStatus, NameBasedSaverStatus
from tfgrad_jax.lib.checkpoint.together import strategy_of, workers_of, write_together
from tfgrad_jax.lib.checkpoint.values import full_name
from tfgrad_jax.lib.io.paths import path_text
from tfgrad_jax.lib.tracking import AutoTrackable, NoDependency
from tfgrad_jax.ops.io.file_systems import file_system


class _Contents:
    """What a checkpoint of an object holds, as long as nothing has changed.

    Args:
      root: the object.
      attached: parts that it has besides its own.

    Attributes:
      graph: the objects.
    """

    def __init__(self, root: Any, attached: dict[str, Any] | None = None) -> None:
        self.graph = ObjectGraph.of(root, attached).with_slots()
        self._tensors: dict[str, Callable[[], Any]] = {}
        self._nodes = self.graph.nodes(self._tensors)

    def copy(self) -> None:
        """Take the values as they are now."""
        for key, get in self._tensors.items():
            value = get()
            # Not what NumPy shows of memory that a step may write to.
            taken = value if isinstance(value, (str, bytes)) else np.array(value)
            self._tensors[key] = functools.partial(_same, taken)

    def write(self, prefix: str, workers: Any = None, limit: int | None = None, beside: bool = False) -> None:
        """Write the values.

        Args:
          prefix: the path without what follows for each file.
          workers: the strategy whose workers each write a share, or None.
          limit: the largest size of a file, or None.
          beside: whether that is beside the program.
        """
        tensors = self._tensors | {GRAPH_KEY: lambda: np.array(encoded(self._nodes), object)}
        if workers is not None:
            known = zip(self._nodes, self.graph.objects, strict=True)
            copied = [a.key for node, found in known if strategy_of(found) is workers for a in node.attributes]
            write_together(prefix, tensors, copied, workers.beside if beside else workers)
            return
        if limit is not None:
            write_sized(prefix, tensors, limit)
            return
        with BundleWriter(prefix) as writer:
            for key, get in tensors.items():
                writer.add(key, get())


def _same(value: Any) -> Any:
    return value


def write_checkpoint(prefix: str, root: Any, attached: dict[str, Any] | None = None) -> ObjectGraph:
    """Write an object and all that it consists of.

    Args:
      prefix: the path without what follows for each file.
      root: the object.
      attached: parts that it has besides its own.

    Returns:
      The objects that were written.
    """
    contents = _Contents(root, attached)
    contents.write(prefix)
    return contents.graph


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
        work, left = found_by_name(reader, ObjectGraph.of(root, attached).objects)
        left = [trackable for trackable in left if full_name(trackable) != "save_counter"]

        def restore(session: Any) -> None:
            with values_of(session):
                restore_values(reader, work)

        if recording_for_sessions():
            return NameBasedSaverStatus(left, restore)
        restore(None)
        return NameBasedSaverStatus(left)
    nodes = decoded(reader.tensor(GRAPH_KEY).item(), prefix)
    restoration = Restoration(reader, nodes, later=recording_for_sessions())
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
        self._writer: Any = NoDependency(Writer())
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
          options: a `tf.train.CheckpointOptions`. With `enable_async` values are copied now, and written beside the program;
            whatever is asked of the checkpoint next waits for that.

        Returns:
          The path.

        Raises:
          NotImplementedError: inside a `tf.function`; for several workers that write files of a largest size.
          UnavailableError: if another worker could not write its share.
          AttributeError: in the graph of a session, if none is open.
          FailedPreconditionError: if the initializer of a variable did not run in the session.
          Exception: what went wrong the last time, if that was written beside the program; nothing is written then.
        """
        return self._write(path_text(file_prefix), options or CheckpointOptions(), None)

    def _write(self, prefix: str, options: CheckpointOptions, session: Any) -> str:
        session = session_for("tf.train.Checkpoint.write", session)
        callbacks = options.experimental_write_callbacks or ()
        self.sync()
        with values_of(session):
            contents = _Contents(self._root(), self._parts())
            require_values(session, contents.graph.objects)
        policy = options.experimental_sharding_callback
        limit = policy.max_shard_size if isinstance(policy, MaxShardSizePolicy) else None
        workers = workers_of(contents.graph.objects) if policy is not None else None
        if workers is not None and limit is not None:
            raise NotImplementedError(
                "tf.train.CheckpointOptions: MaxShardSizePolicy under several workers; by ShardByTaskPolicy each writes a file"
            )

        def finish() -> None:
            with values_of(session):
                contents.write(prefix, workers, limit, options.enable_async)
            for callback in callbacks:
                callback(*([prefix] if inspect.signature(callback).parameters else []))

        if options.enable_async:
            with values_of(session):
                contents.copy()
            session = None  # of which nothing is needed any more
            if workers is not None:
                workers.beside  # noqa: B018 (all of them are here now, and make the line)
            self._writer.start(finish, prefix)
        else:
            finish()
        return prefix

    def save(self, file_prefix: Any, options: CheckpointOptions | None = None) -> str:
        """Write a checkpoint with a new number, and note in the directory that it is the newest.

        Args:
          file_prefix: the path before the number.
          options: a `tf.train.CheckpointOptions`.

        Returns:
          The path with the number.
        """
        return self._save(path_text(file_prefix), options, None)

    def _save(self, prefix: str, options: CheckpointOptions | None, session: Any) -> str:
        session = session_for("tf.train.Checkpoint.save", session)
        noted = (options or CheckpointOptions()).after_writing(
            lambda path: update_checkpoint_state(os.path.dirname(path), path, [path])
        )
        with counted(self, session) as number:
            return self._write(f"{prefix}-{number}", noted, session)

    def read(self, save_path: Any, options: CheckpointOptions | None = None) -> Any:
        """Restore what `write` wrote.

        Args:
          save_path: the path; with None nothing happens.
          options: a `tf.train.CheckpointOptions`.

        Returns:
          A status: `assert_consumed()` and others say how far checkpoint and objects fit together. In the graph of a session its
          `run_restore_ops()` or `initialize_or_restore()` restores.

        Raises:
          NotFoundError: if there is no such checkpoint.
          DataLossError: if it is corrupt; nothing has changed then.
          ValueError: if a shape differs; nothing has changed then.
        """
        not_in_function("tf.train.Checkpoint.read")
        self.sync()
        if save_path is None:
            later = recording_for_sessions()
            return InitializationOnlyStatus(
                (lambda: ObjectGraph.of(self._root(), self._parts()).objects) if later else None
            )
        return read_checkpoint(path_text(save_path), self._root(), self._parts())

    def restore(self, save_path: Any, options: CheckpointOptions | None = None) -> Any:
        """Restore what `save` wrote, the number of the next checkpoint too; see `read`."""
        not_in_function("tf.train.Checkpoint.restore")
        self._counter()  # before, so that nothing changes if the checkpoint is corrupt there
        return self.read(save_path, options)

    def sync(self) -> None:
        """Wait until what is written beside the program is written.

        Raises:
          Exception: what went wrong with that.
        """
        self._writer.wait()


def _reached(value: Any) -> Any:
    return value() if isinstance(value, weakref.ref) else value


def _check(name: str, value: Any) -> None:
    if not isinstance(value, Trackable):
        raise ValueError(
            f"`Checkpoint` was expecting {name} to be a trackable object (an object derived from `Trackable`), got {value}. "
            "If you believe this object should be trackable (i.e. it is part of the TensorFlow Python API and manages state), "
            "please open an issue."
        )


@export("compat.v1.train.Checkpoint")
class CheckpointV1(Checkpoint):
    """A checkpoint of objects as version 1 has it, which may be told the session. Mirrors `tf.compat.v1.train.Checkpoint`.

    Args:
      **kwargs: objects by name, which become attributes.

    Raises:
      ValueError: if something cannot be saved.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)

    def write(self, file_prefix: Any, session: Any = None) -> str:
        """Write a checkpoint at a path; see `tf.train.Checkpoint.write`.

        Args:
          file_prefix: the path without what follows for each file.
          session: whose values are written, in a graph; the open one by default.

        Returns:
          The path.
        """
        return self._write(path_text(file_prefix), CheckpointOptions(), session)

    def save(self, file_prefix: Any, session: Any = None) -> str:
        """Write a checkpoint with a new number; see `tf.train.Checkpoint.save`.

        Args:
          file_prefix: the path before the number.
          session: whose values are written, in a graph; the open one by default.

        Returns:
          The path with the number.
        """
        return self._save(path_text(file_prefix), None, session)

    def restore(self, save_path: Any) -> Any:  # type: ignore[override]
        """Restore what `save` wrote; see `tf.train.Checkpoint.read`."""
        return super().restore(save_path)
