"""Looking into checkpoints without objects: names, shapes, values."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.lib.checkpoint.bundle import BundleReader
from tfgrad_jax.lib.checkpoint.state import latest_checkpoint
from tfgrad_jax.lib.io.paths import path_text
from tfgrad_jax.ops.io.file_systems import file_system

_TEXT = {"float32": "FLOAT", "float64": "DOUBLE", "float16": "HALF"}


class CheckpointReader:
    """What is in a checkpoint.

    Args:
      filename: the path without what follows for each file.

    Raises:
      NotFoundError: if there is no such checkpoint.
      DataLossError: if it is corrupt.
    """

    def __init__(self, filename: Any) -> None:
        self._reader = BundleReader(path_text(filename))

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """The shapes by name."""
        return {name: list(entry.shape) for name, entry in self._reader.entries.items()}

    def get_variable_to_dtype_map(self) -> dict[str, DType]:
        """The dtypes by name."""
        return {name: entry.dtype for name, entry in self._reader.entries.items()}

    def has_tensor(self, tensor_str: Any) -> bool:
        """Whether there is a tensor of a name."""
        return _text(tensor_str) in self._reader.entries

    def get_tensor(self, tensor_str: Any) -> Any:
        """A tensor as a NumPy array; a scalar string as bytes.

        Raises:
          NotFoundError: if there is none of that name.
          DataLossError: if it is corrupt.
        """
        found = self._reader.tensor(_text(tensor_str))
        if found.ndim:
            return found
        return found.item() if found.dtype == object else found[()]

    def debug_string(self) -> bytes:
        """A line for each tensor."""
        lines = []
        for name, entry in sorted(self._reader.entries.items()):
            kind = _TEXT.get(entry.dtype.name, entry.dtype.name.upper())
            lines.append(f"{name} (DT_{kind}) [{','.join(map(str, entry.shape))}]\n")
        return "".join(lines).encode()


def _text(name: Any) -> str:
    return name.decode() if isinstance(name, bytes) else str(name)


def _prefix(ckpt_dir_or_file: Any) -> str:
    path = path_text(ckpt_dir_or_file)
    if not file_system(path).is_directory(path):
        return path
    latest = latest_checkpoint(path)
    if latest is None:
        raise ValueError(f"Couldn't find 'checkpoint' file or checkpoints in given directory {path}")
    return latest


@export("train.load_checkpoint")
def load_checkpoint(ckpt_dir_or_file: Any) -> CheckpointReader:
    """A reader of a checkpoint. Mirrors `tf.train.load_checkpoint`.

    Args:
      ckpt_dir_or_file: its path, or a directory, whose newest is read.

    Returns:
      An object with `get_tensor`, `has_tensor`, `get_variable_to_shape_map` and `get_variable_to_dtype_map`.

    Raises:
      ValueError: if the directory has no checkpoint.
      NotFoundError: if there is no such checkpoint.
      DataLossError: if it is corrupt.
    """
    return CheckpointReader(_prefix(ckpt_dir_or_file))


@export("train.load_variable")
def load_variable(ckpt_dir_or_file: Any, name: str) -> Any:
    """A tensor of a checkpoint as a NumPy array. Mirrors `tf.train.load_variable`.

    Args:
      ckpt_dir_or_file: its path, or a directory, whose newest is read.
      name: of the tensor.
    """
    name = name[:-2] if name.endswith(":0") else name
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name)


@export("train.list_variables")
def list_variables(ckpt_dir_or_file: Any) -> list[tuple[str, list[int]]]:
    """Names and shapes of all tensors of a checkpoint, by name. Mirrors `tf.train.list_variables`.

    Args:
      ckpt_dir_or_file: its path, or a directory, whose newest is read.
    """
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())


@export("train.checkpoints_iterator")
def checkpoints_iterator(
    checkpoint_dir: Any,
    min_interval_secs: float = 0,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Iterator[str]:
    """Paths of checkpoints of a directory, as they appear. Mirrors `tf.train.checkpoints_iterator`.

    Args:
      checkpoint_dir: the directory.
      min_interval_secs: so many seconds pass between two.
      timeout: so many seconds are waited for the next one; for ever where None.
      timeout_fn: called when they have passed; the iterator ends where it returns True, or there is none.

    Yields:
      The newest checkpoint, whenever it is another one.
    """
    last = None
    while True:
        found = _wait_for_new(checkpoint_dir, last, timeout)
        if found is None:
            if timeout_fn is None:
                return
            if timeout_fn():
                return
            continue
        start = time.monotonic()
        last = found
        yield found
        left = start + min_interval_secs - time.monotonic()
        if left > 0:
            time.sleep(left)


def _wait_for_new(directory: Any, last: str | None, timeout: float | None) -> str | None:
    stop = None if timeout is None else time.monotonic() + timeout
    while True:
        found = latest_checkpoint(directory)
        if found is not None and found != last:
            return found
        wait = 1.0 if stop is None else min(1.0, stop - time.monotonic())
        if wait <= 0:
            return None
        time.sleep(wait)


@export("compat.v1.train.NewCheckpointReader")
def new_checkpoint_reader(filepattern: Any) -> CheckpointReader:
    """A reader of a checkpoint. Mirrors `tf.compat.v1.train.NewCheckpointReader`."""
    return CheckpointReader(filepattern)
