"""`tf.compat.v1.train.Saver`: variables under their names."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from tfgrad_jax.engine.messages.errors import NotFoundError, invalid_argument
from tfgrad_jax.engine.names.export import export, export_value
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.lib.checkpoint.bundle import BundleReader, BundleWriter, check_dtype
from tfgrad_jax.lib.checkpoint.graph import GRAPH_KEY, decoded
from tfgrad_jax.lib.checkpoint.manager import remove_checkpoint
from tfgrad_jax.lib.checkpoint.restoring import restore_values
from tfgrad_jax.lib.checkpoint.sessions import require_values, values_of
from tfgrad_jax.lib.checkpoint.state import checkpoint_exists, update_checkpoint_state
from tfgrad_jax.lib.checkpoint.values import full_name, saved_of
from tfgrad_jax.lib.io.paths import path_text
from tfgrad_jax.lib.v1.collections import GraphKeys, get_collection
from tfgrad_jax.ops.io.file_systems import file_system

export_value(checkpoint_exists, "compat.v1.train.checkpoint_exists")


@export("compat.v1.train.Saver")
class Saver:
    """Saves variables under their names, and restores them. Mirrors `tf.compat.v1.train.Saver`, as eager programs use it.

    Args:
      var_list: variables, or a dict of variables by name; in a graph by default all variables that were made there.
      reshape, sharded: must be False.
      max_to_keep: how many checkpoints are kept; all where None or 0.
      pad_step_number: whether numbers of steps have eight digits.
      save_relative_paths: whether the file that says what the newest one is has paths as seen from its directory.
      keep_checkpoint_every_n_hours, name, restore_sequentially, saver_def, builder, defer_build, allow_empty, write_version,
        filename: accepted for compatibility.

    Raises:
      RuntimeError: if there are no variables.
      ValueError: if the graph has none.
      NotImplementedError: for `reshape` and `sharded`.
    """

    def __init__(
        self,
        var_list: Any = None,
        reshape: bool = False,
        sharded: bool = False,
        max_to_keep: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000.0,
        name: str | None = None,
        restore_sequentially: bool = False,
        saver_def: Any = None,
        builder: Any = None,
        defer_build: bool = False,
        allow_empty: bool = False,
        write_version: Any = 2,
        pad_step_number: bool = False,
        save_relative_paths: bool = False,
        filename: str | None = None,
    ) -> None:
        if var_list is None:
            if context.graph is None:
                raise RuntimeError(
                    "When eager execution is enabled, `var_list` must specify a list or dict of variables to save"
                )
            var_list = get_collection(GraphKeys.GLOBAL_VARIABLES)
            if not var_list and not allow_empty:
                raise ValueError("No variables to save")
        if reshape or sharded:
            raise NotImplementedError("tf.compat.v1.train.Saver: reshape and sharded")
        named = var_list.items() if isinstance(var_list, Mapping) else ((None, v) for v in var_list)
        self._variables: dict[str, Any] = {}
        self._pieces: list[tuple[str, Any]] = []  # the name of the whole, a piece
        for key, value in named:
            pieces: list[Any] = (
                [value] if isinstance(value, Variable) else list(value) if hasattr(value, "partitions") else []
            )
            if any(hasattr(piece, "save_slice") for piece in pieces):
                self._pieces += [(piece.save_slice.name if key is None else key, piece) for piece in pieces]
            else:
                self._variables[full_name(value) if key is None else key] = value
        self._max_to_keep = max_to_keep
        self._padded = pad_step_number
        self._relative = save_relative_paths
        self._kept: list[str] = []

    @property
    def last_checkpoints(self) -> list[str]:
        """The paths of the checkpoints that are there, the oldest first."""
        return list(self._kept)

    def set_last_checkpoints(self, last_checkpoints: Sequence[str]) -> None:
        """Say which checkpoints are there."""
        self._kept = list(last_checkpoints)

    def recover_last_checkpoints(self, checkpoint_paths: Sequence[str]) -> None:
        """Say which checkpoints of an earlier run are there."""
        self._kept = [path for path in checkpoint_paths if checkpoint_exists(path)]

    def save(
        self,
        sess: Any,
        save_path: Any,
        global_step: Any = None,
        latest_filename: str | None = None,
        meta_graph_suffix: str = "meta",
        write_meta_graph: bool = True,
        write_state: bool = True,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> str:
        """Save the variables.

        Args:
          sess: the session whose values these are; eagerly None.
          save_path: the path before the number.
          global_step: the number.
          latest_filename: another name of the file that says what the newest one is.
          write_state: whether that file is written.
          meta_graph_suffix, write_meta_graph, strip_default_attrs, save_debug_info: of graphs, which there are none of.

        Returns:
          The path.

        Raises:
          ValueError: if the directory does not exist.
          FailedPreconditionError: if the initializer of a variable did not run in the session.
        """
        path = path_text(save_path)
        with values_of(sess):
            require_values(sess, [*self._variables.values(), *(piece for _, piece in self._pieces)])
            if global_step is not None:
                step = int(global_step.box.current.array if isinstance(global_step, Variable) else global_step)
                path += f"-{step:08d}" if self._padded else f"-{step}"
            above = os.path.dirname(path)
            if above and not file_system(above).is_directory(above):
                raise ValueError(f"Parent directory of {path} doesn't exist, can't save.")
            self._write(path)
        if not write_state:
            return path
        if path in self._kept:
            self._kept.remove(path)
        self._kept.append(path)
        going = self._kept[: -self._max_to_keep] if self._max_to_keep else []
        del self._kept[: len(going)]
        update_checkpoint_state(above, path, self._kept, latest_filename, relative=self._relative)
        for old in going:
            remove_checkpoint(old)
        return path

    def _write(self, path: str) -> None:
        with BundleWriter(path) as writer:
            for name, variable in sorted(self._variables.items()):
                for value in _saved(variable).values:
                    writer.add(name + value.suffix, value.get())
            for name, piece in self._pieces:
                (value,) = _saved(piece).values
                writer.add_part(name, piece.save_slice.full_shape, piece.save_slice.part, value.get())

    def restore(self, sess: Any, save_path: Any) -> None:
        """Restore the variables, also from what `tf.train.Checkpoint` wrote.

        Args:
          sess: the session whose values these are; eagerly None.
          save_path: the path with the number.

        Raises:
          ValueError: if there is no such checkpoint, or a shape differs.
          NotFoundError: if a name is not in it.
        """
        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        path = path_text(save_path)
        if not checkpoint_exists(path):
            raise ValueError(f"The passed save_path is not a valid checkpoint: {path}")
        reader = BundleReader(path)
        keys = {}
        if GRAPH_KEY in reader.entries:
            nodes = decoded(reader.tensor(GRAPH_KEY).item(), path)
            keys = {a.full_name: a.key for node in nodes for a in node.attributes if a.full_name}
        work = []
        for name, variable in self._variables.items():
            saved = _saved(variable)
            here = {v.attribute + v.suffix: keys.get(name, name) + v.suffix for v in saved.values}
            missing = [key for key in here.values() if key not in reader.entries]
            if missing:
                raise NotFoundError(
                    None, None, f"Restoring from checkpoint failed: Key {missing[0]} not found in checkpoint {path}. This is most "
                    "likely due to a Variable name that is missing from the checkpoint.",
                )  # fmt: skip
            work.append((saved, here))
        with values_of(sess):
            self._restore(reader, work)

    def _restore(self, reader: BundleReader, work: list[tuple[Any, dict[str, str]]]) -> None:
        cut = []
        for name, piece in self._pieces:
            entry = reader.entries.get(name)
            if entry is None:
                raise NotFoundError(None, None, f"Restoring from checkpoint failed: Key {name} not found in checkpoint")
            check_dtype(name, entry, piece.dtype)
            if tuple(entry.shape) != piece.save_slice.full_shape:
                raise invalid_argument(
                    f"tensor_name = {name}; expected shape {list(piece.save_slice.full_shape)} of the variable that is cut "
                    f"in pieces, got {list(entry.shape)}",
                    "RestoreV2",
                )
            cut.append((piece, name))
        restore_values(reader, work)
        wholes = {name: reader.tensor(name) for name in {name for _, name in cut}}
        for piece, name in cut:
            piece.assign(wholes[name][piece.save_slice.part.place()])


def _saved(variable: Any) -> Any:
    saved = saved_of(variable)
    if saved is None:
        raise TypeError(f"tf.compat.v1.train.Saver: {variable!r} cannot be saved")
    return saved


@export("compat.v1.train.update_checkpoint_state")
def update_state(
    save_dir: Any,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: Any = None,
    latest_filename: str | None = None,
    all_model_checkpoint_timestamps: Any = None,
    last_preserved_timestamp: float | None = None,
) -> None:
    """Write the file that says what the newest checkpoint is. Mirrors `tf.compat.v1.train.update_checkpoint_state`."""
    update_checkpoint_state(
        path_text(save_dir), model_checkpoint_path, all_model_checkpoint_paths or (), latest_filename,
        all_model_checkpoint_timestamps or (), last_preserved_timestamp or 0.0, relative=False,
    )  # fmt: skip


@export("compat.v1.train.remove_checkpoint")
def remove_v1(checkpoint_prefix: Any, checkpoint_format_version: Any = 2, meta_graph_suffix: str = "meta") -> None:
    """Remove the files of a checkpoint. Mirrors `tf.compat.v1.train.remove_checkpoint`."""
    remove_checkpoint(path_text(checkpoint_prefix))


@export("compat.v1.train.get_checkpoint_mtimes")
def checkpoint_times(checkpoint_prefixes: Sequence[Any]) -> list[float]:
    """When checkpoints were made, in seconds since 1970. Mirrors `tf.compat.v1.train.get_checkpoint_mtimes`."""
    found = []
    for prefix in map(path_text, checkpoint_prefixes):
        path = prefix + ".index"
        if file_system(path).exists(path):
            found.append(file_system(path).status(path)[1] / 1e9)
    return found
