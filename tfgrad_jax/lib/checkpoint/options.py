"""`tf.train.CheckpointOptions`."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

from tfgrad_jax.engine.names.export import export


@export("train.experimental.ShardByTaskPolicy")
class ShardByTaskPolicy:
    """Each worker of a strategy writes a file of a checkpoint. Mirrors `tf.train.experimental.ShardByTaskPolicy`.

    All workers must save then, at the same path, in a directory that they share. A checkpoint of other objects has one file.
    """

    @property
    def description(self) -> str:
        """What it does."""
        return "Divides tensors among the workers that have them."


@export("train.experimental.MaxShardSizePolicy")
class MaxShardSizePolicy:
    """The files of data of a checkpoint have a largest size; tensors are cut for it.

    Mirrors `tf.train.experimental.MaxShardSizePolicy`.

    Args:
      max_shard_size: the bytes of a file. Strings are not cut, nor single numbers.

    Raises:
      ValueError: if it is no positive number.
    """

    def __init__(self, max_shard_size: int) -> None:
        if isinstance(max_shard_size, bool) or not isinstance(max_shard_size, (int, float)) or max_shard_size <= 0:
            raise ValueError(
                f"MaxShardSizePolicy: max_shard_size is a positive number of bytes, got {max_shard_size!r}"
            )
        self.max_shard_size = max_shard_size

    @property
    def description(self) -> str:
        """What it does."""
        return "Cuts tensors so that no file is larger."


@export("train.CheckpointOptions")
class CheckpointOptions:
    """How checkpoints are written. Mirrors `tf.train.CheckpointOptions`.

    Args:
      experimental_io_device: accepted for compatibility; files are written where the program runs.
      experimental_enable_async_checkpoint, enable_async: whether files are written beside the program, from copies of the values.
      experimental_write_callbacks: functions called after a checkpoint was written, with its path if they take an argument.
      experimental_skip_slot_variables: accepted for compatibility.
      experimental_sharding_callback: a `tf.train.experimental.ShardByTaskPolicy` or `MaxShardSizePolicy`, or None: there is one
        file of data.

    Raises:
      NotImplementedError: for another `experimental_sharding_callback`.
    """

    def __init__(
        self,
        experimental_io_device: Any = None,
        experimental_enable_async_checkpoint: bool = False,
        experimental_write_callbacks: Sequence[Callable[..., Any]] | None = None,
        enable_async: bool = False,
        experimental_skip_slot_variables: bool = False,
        experimental_sharding_callback: Any = None,
    ) -> None:
        if not isinstance(experimental_sharding_callback, ShardByTaskPolicy | MaxShardSizePolicy | None):
            raise NotImplementedError(
                "tf.train.CheckpointOptions: experimental_sharding_callback must be a tf.train.experimental.ShardByTaskPolicy, "
                f"MaxShardSizePolicy or None, got {experimental_sharding_callback!r}"
            )
        self.experimental_io_device = experimental_io_device
        self.enable_async = experimental_enable_async_checkpoint or enable_async
        self.experimental_enable_async_checkpoint = self.enable_async
        self.experimental_write_callbacks = experimental_write_callbacks
        self.experimental_skip_slot_variables = experimental_skip_slot_variables
        self.experimental_sharding_callback = experimental_sharding_callback

    def after_writing(self, callback: Callable[[str], Any]) -> CheckpointOptions:
        """The same options, with something else to be called first after writing."""
        found = copy.copy(self)
        found.experimental_write_callbacks = [callback, *(self.experimental_write_callbacks or ())]
        return found
