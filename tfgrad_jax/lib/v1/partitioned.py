"""Variables of `tf.compat.v1` that are cut in pieces along an axis, and what says in how many."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import DType, as_dtype
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.checkpoint.slices import Slice
from tfgrad_jax.ops.array.array import concat, split


class PartitionInfo(NamedTuple):
    """What initializers are told of a piece.

    Attributes:
      full_shape: the sizes of the whole variable.
      var_offset: where in it the piece begins.
    """

    full_shape: list[int]
    var_offset: list[int]


class PartitionedVariable:
    """Variables that are one, cut along an axis. Mirrors TensorFlow's class of that name.

    Args:
      name: of the whole.
      shape: of the whole.
      dtype: of the pieces.
      pieces: the variables.
      partitions: how many pieces there are along each axis.
    """

    def __init__(
        self, name: str, shape: TensorShape, dtype: DType, pieces: Sequence[Any], partitions: Sequence[int]
    ) -> None:
        self.name = name
        self.shape = shape
        self.dtype = dtype
        self.partitions = list(partitions)
        self._pieces = list(pieces)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._pieces)

    def __len__(self) -> int:
        return len(self._pieces)

    def get_shape(self) -> TensorShape:
        """The shape of the whole."""
        return self.shape

    def as_tensor(self) -> Tensor:
        """The pieces as one tensor."""
        found: Tensor = concat(self._pieces, _cut(self.partitions))
        return found

    def __tf_tensor__(self, dtype: DType | None = None, name: str | None = None) -> Tensor:
        return convert(self.as_tensor(), dtype)

    def assign(
        self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> list[Any]:
        """Give each piece its part of a value. Returns what assigning to each one gives."""
        return [piece.assign(part, read_value=read_value) for piece, part in self._parts(value)]

    def assign_add(
        self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> list[Any]:
        """Add to each piece its part of a value."""
        return [piece.assign_add(part, read_value=read_value) for piece, part in self._parts(value)]

    def assign_sub(
        self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> list[Any]:
        """Subtract from each piece its part of a value."""
        return [piece.assign_sub(part, read_value=read_value) for piece, part in self._parts(value)]

    def _parts(self, value: Any) -> Iterator[tuple[Any, Any]]:
        axis = _cut(self.partitions)
        sizes = [piece.shape[axis] for piece in self._pieces]
        return zip(self._pieces, split(convert(value, self.dtype), sizes, axis), strict=True)


def _sizes(shape: TensorShape) -> list[int]:
    """The sizes of a shape, all of which are to be known."""
    sizes: Any = shape.as_list()
    return list(sizes)


def _cut(partitions: Sequence[int]) -> int:
    """The axis along which there are pieces."""
    return max(range(len(partitions)), key=lambda axis: partitions[axis])


def partitions_of(name: str, partitioner: Any, shape: TensorShape, dtype: DType) -> list[int]:
    """How many pieces a partitioner wants along each axis.

    Raises:
      ValueError: if it is no function, or what it returns does not fit.
    """
    if not callable(partitioner):
        raise ValueError(f"Partitioner must be callable, but received: {partitioner}")
    if not shape.is_fully_defined():
        raise ValueError(
            f"Shape of a new partitioned variable ({name}) must be fully defined, but instead was {shape}."
        )
    found = list(partitioner(shape=shape, dtype=dtype))
    if len(found) != shape.rank:
        raise ValueError(
            f"Partitioner returned a partition list that does not match the Variable's rank: {found} vs. {shape}"
        )
    if any(count < 1 for count in found):
        raise ValueError(f"Partitioner returned zero partitions for some axes: {found}")
    if sum(count > 1 for count in found) > 1:
        raise ValueError(f"Can only slice a variable along one dimension: shape: {shape}, partitioning: {found}")
    return found


def make_partitioned(
    name: str, shape: TensorShape, dtype: DType, initializer: Any, partitions: Sequence[int], make: Callable[..., Any]
) -> PartitionedVariable:
    """The variables that one consists of.

    Args:
      name, shape, dtype: of the whole.
      initializer: a value of that shape, or a function of shape and dtype, which may take `partition_info`.
      partitions: how many there are to be along each axis.
      make: makes a variable of a name, a shape and an initializer.
    """
    axis, full = _cut(partitions), _sizes(shape)
    even, over = divmod(full[axis], partitions[axis])
    sizes = [even + (i < over) for i in range(partitions[axis])]
    pieces = []
    for i, size in enumerate(sizes):
        offset = [sum(sizes[:i]) if at == axis else 0 for at in range(len(full))]
        part = [size if at == axis else n for at, n in enumerate(full)]
        if callable(initializer):
            first, known = _of_piece(initializer, PartitionInfo(full, offset)), part
        else:
            first, known = split(convert(initializer), sizes, axis)[i], None
        piece = make(f"{name}/part_{i}", known, first)
        piece.save_slice = Slice(name, tuple(full), tuple(offset), tuple(part))
        pieces.append(piece)
    return PartitionedVariable(name, shape, dtype, pieces, partitions)


def _of_piece(initializer: Any, info: PartitionInfo) -> Any:
    """An initializer that is told of which whole it makes a piece, if it takes that."""
    made = initializer() if isinstance(initializer, type) else initializer
    try:
        told = "partition_info" in inspect.signature(made).parameters
    except (TypeError, ValueError):
        told = False
    return (lambda shape, dtype=None: made(shape, dtype=dtype, partition_info=info)) if told else made


@export("compat.v1.fixed_size_partitioner")
def fixed_size_partitioner(num_shards: int, axis: int = 0) -> Callable[..., list[int]]:
    """So many pieces along an axis. Mirrors `tf.compat.v1.fixed_size_partitioner`."""

    def partitioner(shape: Any, **unused: Any) -> list[int]:
        sizes = _sizes(TensorShape(shape))
        return [min(num_shards, n) if at == axis % len(sizes) else 1 for at, n in enumerate(sizes)]

    return partitioner


def _bytes_of(shape: Any, dtype: Any, of_text: int) -> tuple[list[int], int]:
    """The sizes of a shape, and how many bytes such a tensor has.

    Raises:
      ValueError: if the shape is none, or not known.
    """
    if not isinstance(shape, TensorShape):
        raise ValueError(f"shape is not a TensorShape: {shape}")
    if not shape.is_fully_defined():
        raise ValueError(f"shape is not fully defined: {shape}")
    dtype = as_dtype(dtype)
    return _sizes(shape), math.prod(_sizes(shape)) * (of_text if dtype is dtypes.string else dtype.size)


@export("compat.v1.variable_axis_size_partitioner")
def variable_axis_size_partitioner(
    max_shard_bytes: int, axis: int = 0, bytes_per_string_element: int = 16, max_shards: int | None = None
) -> Callable[..., list[int]]:
    """As many pieces along an axis as keep each below so many bytes. Mirrors its namesake in `tf.compat.v1`.

    Args:
      max_shard_bytes: how large a piece may be; one that has a single row may be larger.
      axis: along which variables are cut.
      bytes_per_string_element: what a string counts.
      max_shards: how many pieces there may be; any number if it is not given.

    Raises:
      ValueError: if a number is not positive.
    """
    if max_shard_bytes < 1 or bytes_per_string_element < 1:
        raise ValueError(
            "Both max_shard_bytes and bytes_per_string_element must be positive. Currently, max_shard_bytes is "
            f"{max_shard_bytes} and bytes_per_string_element is {bytes_per_string_element}"
        )
    if max_shards and max_shards < 1:
        raise ValueError(f"max_shards must be positive, got {max_shards}")

    def partitioner(shape: Any, dtype: Any) -> list[int]:
        sizes, total = _bytes_of(shape, dtype, bytes_per_string_element)
        rows = max(1, max_shard_bytes // max(1, total // max(1, sizes[axis])))
        count = max(1, math.ceil(sizes[axis] / rows))
        return _along(sizes, axis, min(max_shards, count) if max_shards else count)

    return partitioner


@export("compat.v1.min_max_variable_partitioner")
def min_max_variable_partitioner(
    max_partitions: int = 1, axis: int = 0, min_slice_size: int = 256 << 10, bytes_per_string_element: int = 16
) -> Callable[..., list[int]]:
    """As many pieces along an axis as have so many bytes each. Mirrors its namesake in `tf.compat.v1`.

    Args:
      max_partitions: how many pieces there may be.
      axis: along which variables are cut.
      min_slice_size: how many bytes each piece is to have.
      bytes_per_string_element: what a string counts.
    """

    def partitioner(shape: Any, dtype: Any) -> list[int]:
        sizes, total = _bytes_of(shape, dtype, bytes_per_string_element)
        return _along(sizes, axis, max(1, min(sizes[axis], max_partitions, math.ceil(total / min_slice_size))))

    return partitioner


def _along(sizes: Sequence[int], axis: int, count: int) -> list[int]:
    return [count if at == axis % len(sizes) else 1 for at in range(len(sizes))]
