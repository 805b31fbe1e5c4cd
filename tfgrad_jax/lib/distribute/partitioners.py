"""`tf.distribute.experimental.partitioners`: in how many shards a variable is cut along its first dimension."""

from __future__ import annotations

import math
from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.engine.values.shapes import as_shape


@export("distribute.experimental.partitioners.Partitioner")
class Partitioner:
    """How a variable is cut. Mirrors `tf.distribute.experimental.partitioners.Partitioner`."""

    def __call__(self, shape: Any, dtype: Any, axis: int = 0) -> list[int]:
        """In how many parts each dimension of a variable is cut."""
        sizes: list[Any] = as_shape(shape).as_list()
        parts = [1] * len(sizes)
        parts[axis] = max(1, min(sizes[axis], self._count(sizes, as_dtype(dtype), axis)))
        return parts

    def _count(self, sizes: list[int], dtype: Any, axis: int) -> int:
        raise NotImplementedError(f"{type(self).__name__}.__call__")


@export("distribute.experimental.partitioners.FixedShardsPartitioner")
class FixedShardsPartitioner(Partitioner):
    """Always so many parts. Mirrors the class of the same name.

    Args:
      num_shards: how many.
    """

    def __init__(self, num_shards: int) -> None:
        self._shards = num_shards

    def _count(self, sizes: list[int], dtype: Any, axis: int) -> int:
        return self._shards


@export("distribute.experimental.partitioners.MinSizePartitioner")
class MinSizePartitioner(Partitioner):
    """As many parts as have so many bytes at least. Mirrors the class of the same name.

    Args:
      min_shard_bytes: how many bytes.
      max_shards: no more parts than this.
      bytes_per_string: what an element of dtype string counts.

    Raises:
      ValueError: if a number is less than 1.
    """

    def __init__(self, min_shard_bytes: int = 256 << 10, max_shards: int = 1, bytes_per_string: int = 16) -> None:
        _positive(min_shard_bytes=min_shard_bytes, max_shards=max_shards, bytes_per_string=bytes_per_string)
        self._least, self._most, self._string = min_shard_bytes, max_shards, bytes_per_string

    def _count(self, sizes: list[int], dtype: Any, axis: int) -> int:
        total = math.prod(sizes) * _bytes(dtype, self._string)
        return min(self._most, max(1, total // self._least))


@export("distribute.experimental.partitioners.MaxSizePartitioner")
class MaxSizePartitioner(Partitioner):
    """As few parts as have no more than so many bytes. Mirrors the class of the same name.

    Args:
      max_shard_bytes: how many bytes.
      max_shards: no more parts than this, if it is given.
      bytes_per_string: what an element of dtype string counts.

    Raises:
      ValueError: if a number is less than 1.
    """

    def __init__(self, max_shard_bytes: int, max_shards: int | None = None, bytes_per_string: int = 16) -> None:
        _positive(max_shard_bytes=max_shard_bytes, max_shards=max_shards, bytes_per_string=bytes_per_string)
        self._bytes, self._most, self._string = max_shard_bytes, max_shards, bytes_per_string

    def _count(self, sizes: list[int], dtype: Any, axis: int) -> int:
        row = math.prod(sizes) // max(1, sizes[axis]) * _bytes(dtype, self._string)
        count = math.ceil(sizes[axis] / max(1, self._bytes // max(1, row)))
        return count if self._most is None else min(count, self._most)


def _bytes(dtype: Any, string: int) -> int:
    return string if dtype.name == "string" else dtype.size


def _positive(**numbers: int | None) -> None:
    for name, number in numbers.items():
        if number is not None and number < 1:
            raise ValueError(f"Argument `{name}` must be positive. Received: {number}")
