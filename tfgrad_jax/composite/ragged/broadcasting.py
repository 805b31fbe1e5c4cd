"""Ragged tensors and tensors made to fit each other, dimension by dimension.

A uniform dimension of size 1 is stretched, as for dense tensors. Rows of different lengths have to agree: a row of length 1 is not
stretched. Only the dimensions down to the last ragged one are made equal; operations broadcast the others by themselves.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from tfgrad_jax.composite.checks import require
from tfgrad_jax.composite.ragged.partition import known, rowids_of_splits, sizes_in, splits_of_lengths
from tfgrad_jax.composite.ragged.rows import rank_of, same_splits_dtype
from tfgrad_jax.composite.ragged.tensor import RaggedTensor
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.ops.array.array import concat
from tfgrad_jax.ops.array.gather import gather, where
from tfgrad_jax.ops.array.sequences import range as range_
from tfgrad_jax.ops.array.shape import reshape
from tfgrad_jax.ops.math.compare import equal, not_equal
from tfgrad_jax.ops.math.rounding import maximum


class _Dimension(NamedTuple):
    """One dimension of an operand.

    Attributes:
      level: the rows, if they differ in length.
      size: the size, if it is uniform.
    """

    level: RaggedTensor | None
    size: Any

    @property
    def is_one(self) -> bool:
        size = None if self.size is None else known(self.size)
        return size is not None and int(size) == 1


class _Operand:
    """An operand on the way down its dimensions.

    Attributes:
      places: which of its parts stands at each part of the result; None if they are the same.
    """

    def __init__(self, value: Any, missing: int, depth: int, dtype: DType) -> None:
        self.missing = missing
        self.flat = value.flat_values if isinstance(value, RaggedTensor) else value
        self.places: Any = None
        self.dimensions: list[_Dimension] = []
        level = value
        if isinstance(value, RaggedTensor):
            self.dimensions.append(_Dimension(None, value.nrows(dtype)))
            while isinstance(level, RaggedTensor):
                length = level.uniform_row_length
                self.dimensions.append(_Dimension(level if length is None else None, length))
                level = level.values
        sizes = sizes_in(self.flat, dtype)
        consumed = 1 if self.dimensions else 0
        more = depth - missing - len(self.dimensions)
        static = self.flat.shape.as_list()
        for i in range(consumed, consumed + max(more, 0)):
            size = sizes[i] if static[i] is None else convert(static[i], dtype)
            self.dimensions.append(_Dimension(None, size))
        self.merged = consumed + max(more, 0)  # so many dimensions of the flat values are taken

    def at(self, depth: int) -> _Dimension | None:
        """The dimension at a depth of the result; None where the operand has fewer."""
        return self.dimensions[depth - self.missing] if depth >= self.missing else None

    def lengths(self, dimension: _Dimension) -> Any:
        """The row lengths at each part of the result."""
        assert dimension.level is not None
        lengths = dimension.level.row_lengths()
        return lengths if self.places is None else gather(lengths, self.places)

    def descend(self, dimension: _Dimension | None, stretched: Any, rowids: Any, inside: Any) -> None:
        """Go on to the parts of the next dimension.

        Args:
          dimension: the one that is left behind.
          stretched: whether it has size 1 and the result a larger one: a truth value or a tensor.
          rowids: the part of each next part of the result.
          inside: its number within that.
        """
        if dimension is None:  # the operand as a whole stands at each part
            self.places = rowids * 0 if self.merged else None
            return
        if stretched is True:
            self.places = rowids if self.places is None else gather(self.places, rowids)
        elif self.places is not None or stretched is not False:
            parts = rowids if self.places is None else gather(self.places, rowids)
            if dimension.level is not None:
                self.places = gather(dimension.level.row_starts(), parts) + inside
            else:
                number = inside if stretched is False else where(stretched, inside * 0, inside)
                self.places = parts * dimension.size + number

    def values(self) -> Any:
        """The values at all parts of the result, the dimensions that are left as they are."""
        if not self.merged:
            return self.flat
        flat = self.flat
        if self.merged > 1:
            rest = sizes_in(flat)[self.merged :]
            flat = reshape(flat, concat([[-1], rest], 0))
        return flat if self.places is None else gather(flat, self.places)


def ragged_depth(value: Any) -> int:
    """How many dimensions there are down to the last ragged one."""
    return value.ragged_rank + 1 if isinstance(value, RaggedTensor) else 0


def fitted(x: Any, y: Any) -> tuple[Any, Any, Any]:
    """Two operands, one of them ragged, made to fit each other.

    Returns:
      The flat values of both, and a function that divides values like them into the rows of the result.

    Raises:
      InvalidArgumentError: if sizes, or the lengths of rows, do not fit.
    """
    x, y = same_splits_dtype([x, y])
    ranks = rank_of(x), rank_of(y)
    rank = max(ranks)
    depth = max(ragged_depth(v) + rank - r for v, r in zip((x, y), ranks, strict=True) if isinstance(v, RaggedTensor))
    dtype = next(v.row_splits.dtype for v in (x, y) if isinstance(v, RaggedTensor))
    one, other = (_Operand(v, rank - r, depth, dtype) for v, r in zip((x, y), ranks, strict=True))
    divisions: list[tuple[Any, Any]] = []
    count: Any = None  # the parts of the result so far; at first the whole
    for at in range(depth):
        a, b = one.at(at), other.at(at)
        splits, uniform, stretched = _joined(one, a, other, b, count, dtype)
        total = splits[-1] if count is not None else splits
        if count is not None:
            divisions.append((splits, uniform))
        if at == depth - 1 and _stay(one, a, stretched[0]) and _stay(other, b, stretched[1]):
            break
        places: Any = range_(total)
        rowids = rowids_of_splits(splits, total) if count is not None else places * 0
        inside = places - gather(splits, rowids) if count is not None else places
        one.descend(a, stretched[0], rowids, inside)
        other.descend(b, stretched[1], rowids, inside)
        count = total

    def divided(values: Any) -> Any:
        for splits, uniform in reversed(divisions):
            values = RaggedTensor(values, splits, uniform, internal=True)
        return values

    return one.values(), other.values(), divided


def _stay(operand: _Operand, dimension: _Dimension | None, stretched: Any) -> bool:
    """Whether the parts of the next dimension are simply the operand's, one after the other."""
    return not operand.merged or (dimension is not None and stretched is False and operand.places is None)


def _joined(
    one: _Operand, a: _Dimension | None, other: _Operand, b: _Dimension | None, count: Any, dtype: DType
) -> tuple[Any, Any, tuple[Any, Any]]:
    """A dimension of the result: its splits (its size, for the first), its uniform size, and which operand is stretched."""
    if a is None or b is None:
        operand, dimension = (other, b) if a is None else (one, a)
        assert dimension is not None
        return *_alone(operand, dimension, count), (a is None, b is None)
    if a.is_one and b.is_one:
        return *_alone(one, a, count), (False, False)
    if a.is_one:
        return *_alone(other, b, count), (True, False)
    if b.is_one:
        return *_alone(one, a, count), (False, True)
    if a.level is None and b.level is None:
        return _uniform(a, b, count)
    says = "the lengths of rows must agree, as rows that differ in length do not broadcast"
    for uniform, rows, other_rows in ((a, b, other), (b, a, one)):
        if uniform.level is None and rows.level is not None and known(uniform.size) is None:
            # Whether it is stretched shows when the graph runs.
            lengths, size = other_rows.lengths(rows), uniform.size
            require(f"Incompatible shapes: {says}", lambda n, size: (n == size) | (size == 1), lengths, size)
            return *_alone(other_rows, rows, count), (size == 1, False) if uniform is a else (False, size == 1)
    splits = [_alone(operand, dimension, count)[0] for operand, dimension in ((one, a), (other, b))]
    if splits[0] is not splits[1]:
        require(f"Incompatible shapes: {says}", _agree, *splits)
    uniform = a.size if a.size is not None else b.size
    return splits[0], uniform, (False, False)


def _agree(x: Any, y: Any) -> Any:
    return x == y if x.shape == y.shape else False


def _alone(operand: _Operand, dimension: _Dimension, count: Any) -> tuple[Any, Any]:
    """The splits that one operand asks for."""
    if dimension.level is None:
        assert dimension.size is not None
        if count is None:
            return dimension.size, dimension.size
        return range_(count + 1) * dimension.size, dimension.size
    if operand.places is None:
        return dimension.level.row_splits, None
    return splits_of_lengths(operand.lengths(dimension)), None


def _uniform(a: _Dimension, b: _Dimension, count: Any) -> tuple[Any, Any, tuple[Any, Any]]:
    assert a.size is not None and b.size is not None
    x, y = known(a.size), known(b.size)
    require("Incompatible shapes", lambda x, y: (x == y) | (x == 1) | (y == 1), a.size, b.size)
    stretched: Any = (False, False)
    if x is not None and y is not None:
        size = a.size
    else:  # which one is stretched shows when the graph runs
        size = where(equal(a.size, 1), b.size, where(equal(b.size, 1), a.size, maximum(a.size, b.size)))
        stretched = (not_equal(a.size, size), not_equal(b.size, size))
    if count is None:
        return size, size, stretched
    return range_(count + 1) * size, size, stretched
