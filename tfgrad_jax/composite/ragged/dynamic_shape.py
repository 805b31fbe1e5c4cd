"""`tf.experimental.DynamicRaggedShape`: the shape of a ragged tensor as a value, and the row partitions that it consists of."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.composite.extension_type import ExtensionType
from tfgrad_jax.composite.ragged import partition
from tfgrad_jax.composite.ragged.tensor import RaggedTensor
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import DType, as_dtype
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.ops.array.array import concat
from tfgrad_jax.ops.array.creation import zeros
from tfgrad_jax.ops.array.gather import gather
from tfgrad_jax.ops.array.sequences import range as range_
from tfgrad_jax.ops.array.sizes import shape as shape_of
from tfgrad_jax.ops.math.cast import cast


def _kind(dtype: Any) -> DType | None:
    return None if dtype is None else as_dtype(dtype)


@export("experimental.RowPartition")
class RowPartition(ExtensionType):
    """How values are divided into rows. Mirrors `tf.experimental.RowPartition`."""

    splits: Tensor

    def __init__(self, splits: Any) -> None:
        self.splits = splits

    @classmethod
    def from_row_splits(
        cls, row_splits: Any, validate: bool = True, dtype: Any = None, dtype_hint: Any = None
    ) -> RowPartition:
        """Of where rows begin, and where the last one ends: `[rows + 1]` integers."""
        splits = partition.vector(row_splits, "row_splits", _kind(dtype))
        return cls(RaggedTensor.from_row_splits(range_(splits[-1]), splits, validate=validate).row_splits)

    @classmethod
    def from_row_lengths(
        cls, row_lengths: Any, validate: bool = True, dtype: Any = None, dtype_hint: Any = None
    ) -> RowPartition:
        """Of the lengths of rows."""
        return cls(partition.splits_of_lengths(partition.vector(row_lengths, "row_lengths", _kind(dtype))))

    @classmethod
    def from_value_rowids(
        cls, value_rowids: Any, nrows: Any = None, validate: bool = True, dtype: Any = None, dtype_hint: Any = None
    ) -> RowPartition:
        """Of the row of each value, which never falls; `nrows` if rows without values follow."""
        rowids = partition.vector(value_rowids, "value_rowids", _kind(dtype))
        return cls(RaggedTensor.from_value_rowids(rowids, rowids, nrows, validate=validate).row_splits)

    @classmethod
    def from_row_starts(
        cls, row_starts: Any, nvals: Any, validate: bool = True, dtype: Any = None, dtype_hint: Any = None
    ) -> RowPartition:
        """Of where rows begin, and how many values there are."""
        starts = partition.vector(row_starts, "row_starts", _kind(dtype))
        return cls(concat([starts, [cast(convert(nvals), starts.dtype)]], 0))

    @classmethod
    def from_row_limits(
        cls, row_limits: Any, validate: bool = True, dtype: Any = None, dtype_hint: Any = None
    ) -> RowPartition:
        """Of where rows end."""
        limits = partition.vector(row_limits, "row_limits", _kind(dtype))
        return cls(concat([zeros([1], limits.dtype), limits], 0))

    @classmethod
    def from_uniform_row_length(
        cls, uniform_row_length: Any, nvals: Any = None, nrows: Any = None, validate: bool = True, dtype: Any = None,
        dtype_hint: Any = None,
    ) -> RowPartition:  # fmt: skip
        """Of the one length of all rows, and how many values or rows there are.

        Raises:
          ValueError: if neither is given.
        """
        if nvals is None and nrows is None:
            raise ValueError("tf.experimental.RowPartition.from_uniform_row_length: nvals or nrows is required")
        length: Any = cast(convert(uniform_row_length), _kind(dtype) or dtypes.int64)
        rows = cast(convert(nrows), length.dtype) if nrows is not None else cast(convert(nvals), length.dtype) // length
        return cls(partition.splits_of_uniform_length(length, rows))

    @property
    def dtype(self) -> DType:
        """The dtype of the splits."""
        return self.splits.dtype

    def row_splits(self) -> Any:
        """Where rows begin, and where the last one ends."""
        return self.splits

    def row_lengths(self) -> Any:
        """The length of each row."""
        splits: Any = self.splits
        return splits[1:] - splits[:-1]

    def nrows(self) -> Any:
        """How many rows there are."""
        return cast(partition.size_of(self.splits, self.dtype) - 1, self.dtype)

    def nvals(self) -> Any:
        """How many values there are."""
        splits: Any = self.splits
        return splits[-1]

    def row_starts(self) -> Any:
        """Where each row begins."""
        splits: Any = self.splits
        return splits[:-1]

    def row_limits(self) -> Any:
        """Where each row ends."""
        splits: Any = self.splits
        return splits[1:]

    def value_rowids(self) -> Any:
        """The row of each value."""
        return partition.rowids_of_splits(self.splits, self.nvals())

    def offsets_in_rows(self) -> Any:
        """The place of each value within its row."""
        rowids = self.value_rowids()
        return range_(cast(self.nvals(), self.dtype)) - gather(self.row_starts(), rowids)

    @property
    def static_nrows(self) -> int | None:
        """How many rows there are, if that is known."""
        size = self.splits.shape[0]
        return None if size is None else size - 1

    @property
    def static_nvals(self) -> int | None:
        """How many values there are, if that is known."""
        known = partition.known(self.splits)
        return None if known is None else int(known[-1])

    def with_dtype(self, dtype: Any) -> RowPartition:
        """The same with splits of another dtype."""
        return RowPartition(cast(self.splits, as_dtype(dtype)))

    def __repr__(self) -> str:
        known = partition.known(self.splits)
        return f"tf.RowPartition(row_splits={self.splits if known is None else known})"


@export("experimental.DynamicRaggedShape")
class DynamicRaggedShape(ExtensionType):
    """The shape of a ragged or dense tensor. Mirrors `tf.experimental.DynamicRaggedShape`; `tf.shape` of a ragged tensor gives it.

    Attributes:
      row_partitions: how each ragged dimension divides the next.
      inner_shape: the shape of the flat values, a vector.
    """

    row_partitions: tuple[RowPartition, ...]
    inner_shape: Tensor

    def __init__(self, row_partitions: Any, inner_shape: Any, dtype: Any = None, validate: bool = False) -> None:
        self.row_partitions = tuple(row_partitions)
        kind = row_partitions[0].dtype if row_partitions and dtype is None else dtype
        sizes = convert(inner_shape)
        self.inner_shape = sizes if kind is None else cast(sizes, as_dtype(kind))

    @classmethod
    def from_tensor(cls, t: Any, dtype: Any = None) -> DynamicRaggedShape:
        """The shape of a tensor, ragged or not."""
        if not isinstance(t, RaggedTensor):
            return cls((), shape_of(convert(t), out_type=as_dtype(dtype or dtypes.int64)))
        kind = t.row_splits.dtype if dtype is None else as_dtype(dtype)
        parts = tuple(RowPartition(cast(splits, kind)) for splits in t.nested_row_splits)
        return cls(parts, shape_of(t.flat_values, out_type=kind))

    @classmethod
    def from_lengths(
        cls, lengths: Any, num_row_partitions: Any = None, dtype: Any = dtypes.int64
    ) -> DynamicRaggedShape:
        """Of one size, or a tuple of row lengths, for each dimension.

        Raises:
          ValueError: if ragged dimensions do not come one after the other, from the second on.
          NotImplementedError: if `num_row_partitions` is given.
        """
        if num_row_partitions is not None:
            raise NotImplementedError("tf.experimental.DynamicRaggedShape.from_lengths: leave out num_row_partitions")
        ragged = [i for i, n in enumerate(lengths) if isinstance(n, (tuple, list))]
        if not ragged:
            return cls((), convert(np.array(lengths, as_dtype(dtype).np)))
        uniform = [i for i in range(1, ragged[-1]) if i not in ragged]
        if uniform or ragged[0] == 0:
            raise ValueError(
                f"DynamicRaggedShape.from_lengths: dimensions before ragged ones must be ragged: {lengths}"
            )
        parts = tuple(RowPartition.from_row_lengths(lengths[i], dtype=dtype) for i in ragged)
        inner = [int(sum(lengths[ragged[-1]])), *lengths[ragged[-1] + 1 :]]
        return cls(parts, convert(np.array(inner, as_dtype(dtype).np)))

    @property
    def dtype(self) -> DType:
        """The dtype of sizes and splits."""
        return self.inner_shape.dtype

    @property
    def num_row_partitions(self) -> int:
        """How many dimensions are ragged."""
        return len(self.row_partitions)

    @property
    def inner_rank(self) -> Any:
        """The rank of the flat values; None if it is not known."""
        return self.inner_shape.shape[0]

    @property
    def rank(self) -> Any:
        """How many dimensions there are; None if it is not known."""
        inner = self.inner_rank
        return None if inner is None else inner + self.num_row_partitions

    def is_uniform(self, axis: int) -> bool:
        """Whether all rows of a dimension are equally long."""
        return axis == 0 or axis > self.num_row_partitions

    def static_lengths(self, ragged_lengths: bool = True) -> Any:
        """For each dimension its size, or the lengths of its rows; None where that is not known."""
        found: list[Any] = []
        if self.row_partitions:
            first = partition.known(self.row_partitions[0].splits)
            found.append(None if first is None else len(first) - 1)
        for part in self.row_partitions:
            splits = partition.known(part.splits) if ragged_lengths else None
            found.append(None if splits is None else tuple(int(n) for n in np.diff(splits)))
        inner = partition.known(self.inner_shape)
        if inner is None:
            return [*found, *[None] * (self.inner_rank or 0)]
        return [*found, *[int(n) for n in (inner[1:] if self.row_partitions else inner)]]

    def with_dtype(self, dtype: Any) -> DynamicRaggedShape:
        """The same with sizes and splits of another dtype."""
        return DynamicRaggedShape([part.with_dtype(dtype) for part in self.row_partitions], self.inner_shape, dtype)

    def __getitem__(self, index: Any) -> Any:
        """The size of a dimension whose rows are equally long; with a slice, the shape of those dimensions.

        Raises:
          ValueError: if the dimension is ragged, or the slice begins after the first one and covers ragged ones.
        """
        count, sizes = self.num_row_partitions, self.inner_shape
        inner: Any = sizes
        if isinstance(index, slice):
            start, stop, step = index.indices(self.rank)
            if step != 1:
                raise IndexError("Cannot stride through a shape")
            if start == 0 and stop > count:
                return DynamicRaggedShape(self.row_partitions, inner[: stop - count], self.dtype)
            if start > count or not count:
                return DynamicRaggedShape((), inner[max(start - count, 0) : max(stop - count, 0)], self.dtype)
            if start:
                raise ValueError("All relevant dimensions must be uniform")
            if stop == 0:
                return DynamicRaggedShape((), inner[:0], self.dtype)
            if stop == 1:
                return DynamicRaggedShape((), self.row_partitions[0].nrows()[None], self.dtype)
            kept = self.row_partitions[: stop - 1]
            return DynamicRaggedShape(kept, kept[-1].nvals()[None], self.dtype)
        axis = index + self.rank if index < 0 else index
        if not 0 <= axis < self.rank:
            raise IndexError(f"Index {index} too big for a shape of rank {self.rank}")
        if not self.is_uniform(axis):
            raise ValueError(f"Index {axis} is not uniform")
        if axis == 0 and self.row_partitions:
            return self.row_partitions[0].nrows()
        return inner[axis - count]

    def __repr__(self) -> str:
        lengths = ", ".join(map(str, self.static_lengths()))
        return f"<DynamicRaggedShape lengths=[{lengths}] num_row_partitions={self.num_row_partitions}>"
