"""The ways to make a ragged tensor of values and a division into rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from tfgrad_jax.composite.checks import require
from tfgrad_jax.composite.ragged.partition import (
    known,
    never_falls,
    size_of,
    splits_of_lengths,
    splits_of_rowids,
    splits_of_uniform_length,
    vector,
)
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.ops.array.array import concat
from tfgrad_jax.ops.array.creation import zeros
from tfgrad_jax.ops.array.gather import where
from tfgrad_jax.ops.common import operand
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.compare import equal
from tfgrad_jax.ops.math.rounding import maximum


class Factories:
    """Class methods that `tf.RaggedTensor` inherits; `cls(values, splits, uniform_row_length, internal=True)` makes one."""

    @classmethod
    def _with_rows(cls, values: Any) -> Any:
        """The values as a tensor or ragged tensor, which must have rows."""
        if isinstance(values, cls):
            return values
        tensor = operand(values)
        tensor.shape.with_rank_at_least(1)
        return tensor

    @classmethod
    def _made(cls, values: Any, splits: Any, uniform: Any = None) -> Self:
        if isinstance(values, cls) and values.row_splits.dtype is not splits.dtype:  # type: ignore[attr-defined]
            raise ValueError(
                f"The row partition has dtype {splits.dtype.name}, the one of the values has "
                f"{values.row_splits.dtype.name}; with_row_splits_dtype converts"  # type: ignore[attr-defined]
            )
        return cls(values, splits, uniform, internal=True)  # type: ignore[call-arg]

    @classmethod
    def _splits_dtype(cls, values: Any) -> DType | None:
        return values.row_splits.dtype if isinstance(values, cls) else None  # type: ignore[attr-defined]

    @classmethod
    def _count(cls, values: Any, dtype: DType) -> Any:
        return cast(values.nrows(), dtype) if isinstance(values, cls) else size_of(values, dtype)  # type: ignore[attr-defined]

    @classmethod
    def _ends_with_values(cls, method: str, splits: Any, values: Any) -> None:
        require(
            f"Arguments to {method} do not form a valid RaggedTensor: the rows must end where the values do",
            lambda splits, count: splits[-1] == count,
            splits,
            cls._count(values, splits.dtype),
        )

    @classmethod
    def from_row_splits(cls, values: Any, row_splits: Any, name: str | None = None, validate: bool = True) -> Self:
        """Rows `values[row_splits[i] : row_splits[i + 1]]`. Mirrors `tf.RaggedTensor.from_row_splits`.

        Args:
          values: a tensor of rank 1 at least, or a ragged tensor.
          row_splits: begins with 0, never falls, ends with the number of values.
          name: accepted for compatibility.
          validate: whether that is checked.

        Raises:
          InvalidArgumentError: if it is not so.
          ValueError: if `row_splits` is no vector of int32 or int64, or empty.
        """
        values = cls._with_rows(values)
        splits = vector(row_splits, "row_splits", cls._splits_dtype(values))
        if splits.shape[0] == 0:
            raise ValueError("row_splits tensor may not be empty.")
        if validate:
            says = "Arguments to from_row_splits do not form a valid RaggedTensor: row_splits must "
            require(says + "begin with 0", lambda splits: splits[0] == 0, splits)
            require(says + "never fall", never_falls, splits)
            cls._ends_with_values("from_row_splits", splits, values)
        return cls._made(values, splits)

    @classmethod
    def from_row_lengths(cls, values: Any, row_lengths: Any, name: str | None = None, validate: bool = True) -> Self:
        """Rows of the given lengths. Mirrors `tf.RaggedTensor.from_row_lengths`; see `from_row_splits`."""
        values = cls._with_rows(values)
        lengths = vector(row_lengths, "row_lengths", cls._splits_dtype(values))
        if validate:
            says = "Arguments to from_row_lengths do not form a valid RowPartition: row_lengths must not be negative"
            require(says, lambda lengths: lengths >= 0, lengths)
        splits = splits_of_lengths(lengths)
        if validate:
            cls._ends_with_values("from_row_lengths", splits, values)
        return cls._made(values, splits)

    @classmethod
    def from_row_starts(cls, values: Any, row_starts: Any, name: str | None = None, validate: bool = True) -> Self:
        """Rows that begin at the given places. Mirrors `tf.RaggedTensor.from_row_starts`; see `from_row_splits`."""
        values = cls._with_rows(values)
        starts = vector(row_starts, "row_starts", cls._splits_dtype(values))
        splits = concat([starts, cls._count(values, starts.dtype)[None]], 0)
        if validate:
            says = "Arguments to from_row_starts do not form a valid RaggedTensor: row_starts must "
            require(says + "begin with 0", lambda starts: starts[:1] == 0, starts)
            require(says + "never fall, nor exceed the number of values", never_falls, splits)
        return cls._made(values, splits)

    @classmethod
    def from_row_limits(cls, values: Any, row_limits: Any, name: str | None = None, validate: bool = True) -> Self:
        """Rows that end before the given places. Mirrors `tf.RaggedTensor.from_row_limits`; see `from_row_splits`."""
        values = cls._with_rows(values)
        limits = vector(row_limits, "row_limits", cls._splits_dtype(values))
        splits = concat([zeros([1], limits.dtype), limits], 0)
        if validate:
            says = "Arguments to from_row_limits do not form a valid RaggedTensor: row_limits must never fall"
            require(says, never_falls, splits)
            cls._ends_with_values("from_row_limits", splits, values)
        return cls._made(values, splits)

    @classmethod
    def from_value_rowids(
        cls, values: Any, value_rowids: Any, nrows: Any = None, name: str | None = None, validate: bool = True
    ) -> Self:
        """Rows by the row of each value. Mirrors `tf.RaggedTensor.from_value_rowids`.

        Args:
          values: a tensor of rank 1 at least, or a ragged tensor.
          value_rowids: the row of each value, which never falls.
          nrows: the number of rows; one more than the last row id if not given.
          name: accepted for compatibility.
          validate: whether the values are checked.

        Raises:
          InvalidArgumentError: if `value_rowids` fall, or are outside of `nrows`.
          ValueError: if `nrows` is negative or too small, or there are more or fewer row ids than values.
        """
        values = cls._with_rows(values)
        rowids = vector(value_rowids, "value_rowids", cls._splits_dtype(values))
        values.shape[:1].assert_is_compatible_with(rowids.shape)
        if nrows is None:
            ends: Any = concat([zeros([1], rowids.dtype), rowids + 1], 0)
            count = ends[-1]
        else:
            count = cast(vector(nrows, "nrows", rowids.dtype, rank=0), rowids.dtype)
            number, ids = known(count), known(rowids)
            if number is not None and number < 0:
                raise ValueError(f"Expected nrows >= 0; got {number}")
            if number is not None and ids is not None and ids.size and number < ids[-1] + 1:
                raise ValueError(
                    f"Expected nrows >= value_rowids[-1] + 1; got nrows={number}, value_rowids[-1]={ids[-1]}"
                )
        if validate:
            says = "Arguments to from_value_rowids do not form a valid RowPartition: value_rowids must "
            require(says + "never fall", never_falls, rowids)
            require(says + "not be negative", lambda ids: ids[:1] >= 0, rowids)
            require(says + "be below nrows", lambda ids, count: ids[-1:] < count, rowids, count)
            require(
                says + "be as many as the values",
                lambda ids, count: ids.shape[0] == count,
                rowids,
                cls._count(values, rowids.dtype),
            )
        return cls._made(values, splits_of_rowids(rowids, count))

    @classmethod
    def from_uniform_row_length(
        cls, values: Any, uniform_row_length: Any, nrows: Any = None, validate: bool = True, name: str | None = None
    ) -> Self:
        """Rows of one length. Mirrors `tf.RaggedTensor.from_uniform_row_length`.

        Args:
          values: a tensor of rank 1 at least, or a ragged tensor.
          uniform_row_length: the length.
          nrows: the number of rows; needed only if the length is 0.
          validate: whether the values are checked.
          name: accepted for compatibility.

        Raises:
          ValueError: if the rows do not take exactly the values; an `InvalidArgumentError` where that shows when a graph runs.
        """
        values = cls._with_rows(values)
        dtype = cls._splits_dtype(values)
        length = vector(uniform_row_length, "uniform_row_length", dtype, rank=0)
        nvals = cls._count(values, length.dtype)
        if nrows is not None:
            count = cast(vector(nrows, "nrows", length.dtype, rank=0), length.dtype)
        else:
            one_at_least: Any = maximum(length, 1)
            count = where(equal(length, 0), length, nvals // one_at_least)
        numbers = [int(n) for t in (length, count, nvals) if (n := known(t)) is not None]
        if len(numbers) == 3:
            size, rows, total = numbers
            if size < 0 or rows < 0:
                raise ValueError(f"uniform_row_length must be >= 0., and nrows: got {size} and {rows}")
            if validate and size * rows != total:
                raise ValueError(f"uniform_row_length={size} times nrows={rows} must equal nvals={total}")
        elif validate:
            says = "Arguments to from_uniform_row_length do not form a valid RaggedTensor: length times nrows must be nvals"
            require(says, lambda length, count, nvals: length * count == nvals, length, count, nvals)
        return cls._made(values, splits_of_uniform_length(length, count), length)

    @classmethod
    def from_nested_row_splits(
        cls, flat_values: Any, nested_row_splits: Any, name: str | None = None, validate: bool = True
    ) -> Any:
        """Rows of rows, by a list of `row_splits`, the outermost first. Mirrors `tf.RaggedTensor.from_nested_row_splits`.

        Raises:
          TypeError: if `nested_row_splits` is a tensor.
        """
        result = flat_values
        for splits in reversed(_listed(nested_row_splits, "nested_row_splits")):
            result = cls.from_row_splits(result, splits, validate=validate)
        return result

    @classmethod
    def from_nested_row_lengths(
        cls, flat_values: Any, nested_row_lengths: Any, name: str | None = None, validate: bool = True
    ) -> Any:
        """Rows of rows, by a list of `row_lengths`. Mirrors `tf.RaggedTensor.from_nested_row_lengths`."""
        result = flat_values
        for lengths in reversed(_listed(nested_row_lengths, "nested_row_lengths")):
            result = cls.from_row_lengths(result, lengths, validate=validate)
        return result

    @classmethod
    def from_nested_value_rowids(
        cls,
        flat_values: Any,
        nested_value_rowids: Any,
        nested_nrows: Any = None,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Rows of rows, by a list of `value_rowids`. Mirrors `tf.RaggedTensor.from_nested_value_rowids`.

        Raises:
          ValueError: if `nested_nrows` has another length.
          TypeError: if a list is a tensor.
        """
        rowids = _listed(nested_value_rowids, "nested_value_rowids")
        counts = [None] * len(rowids) if nested_nrows is None else _listed(nested_nrows, "nested_nrows")
        if len(counts) != len(rowids):
            raise ValueError(
                f"Argument `nested_nrows` must have the same length as argument `nested_value_rowids`. "
                f"len(nested_nrows) = {len(counts)} vs. len(nested_value_rowids) = {len(rowids)}"
            )
        result = flat_values
        for ids, count in reversed(list(zip(rowids, counts, strict=True))):
            result = cls.from_value_rowids(result, ids, count, validate=validate)
        return result


def _listed(value: Any, what: str) -> Sequence[Any]:
    if isinstance(value, Tensor):
        raise TypeError(f"Argument `{what}` must be a list of Tensors. Received {convert(value)}.")
    return list(value)
