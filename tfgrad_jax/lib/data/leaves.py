"""Rows and batches of what an element may consist of: tensors, ragged and sparse tensors, datasets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import singledispatch
from itertools import chain, pairwise, repeat
from typing import Any

import numpy as np

from tfgrad_jax.composite.ragged.tensor import RaggedTensorSpec
from tfgrad_jax.composite.sparse_tensor import SparseTensorSpec
from tfgrad_jax.engine.messages.errors import DataLossError, invalid_argument
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.composite import batched_spec, unbatched_spec
from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.engine.values.specs import TensorSpec
from tfgrad_jax.lib.data.encoded import (
    batched_extension,
    decoded_arrays,
    decoded_rows,
    encoded_arrays,
    fields_of,
    has_fields,
    is_batchable,
    unbatched_extension,
)
from tfgrad_jax.lib.data.structure import NoneTensorSpec, Structure, mapped

Components = tuple[Any, ...]


# -- types ------------------------------------------------------------------------------------------------------------


def batched(spec: Any, count: int | None) -> Any:
    """The structure of batches of `count` elements (None: of any number)."""
    return mapped(lambda leaf: batch_spec(leaf, count), spec)


def unbatched(spec: Any, what: str) -> Any:
    """The structure of the rows of elements.

    Raises:
      ValueError: if a component is a scalar.
    """

    def row(leaf: Any) -> Any:
        shape = getattr(leaf, "shape", getattr(leaf, "dataset_shape", None))
        if shape is not None and shape.rank == 0:
            raise ValueError(f"{what}: Cannot unbatch an input with scalar components: {leaf} needs rank >= 1")
        return row_spec(leaf)

    return mapped(row, spec)


@singledispatch
def batch_spec(leaf: Any, count: int | None) -> Any:
    """The type of a batch of leaves of one type."""
    if is_batchable(leaf):
        return batched_extension(leaf, count, batch_spec)
    batched = batched_spec(leaf, count)
    if batched is not None:
        return batched
    raise TypeError(f"tf.data: values of type {leaf!r} cannot be batched")


@singledispatch
def row_spec(leaf: Any) -> Any:
    """The type of a row of a leaf."""
    if is_batchable(leaf):
        return unbatched_extension(leaf, row_spec)
    row = unbatched_spec(leaf)
    if row is not None:
        return row
    raise TypeError(f"tf.data: values of type {leaf!r} have no rows")


batch_spec.register(NoneTensorSpec, lambda leaf, count: leaf)
row_spec.register(NoneTensorSpec, lambda leaf: leaf)


# -- rows -------------------------------------------------------------------------------------------------------------


def rows(structure: Structure, arrays: Components) -> Iterator[Components]:
    """The rows of an element.

    Raises:
      InvalidArgumentError: if its parts have different numbers of rows.
    """
    lengths = [count_rows(leaf, arrays[p.start : p.stop]) for leaf, p in structure.groups if p]
    if len(set(lengths)) > 1:
        raise invalid_argument(f"all components must have one first dimension, got {lengths}", "Unbatch")
    if structure.is_plain:
        return zip(*[rows_of_array(a) for a in arrays])
    parts = [leaf_rows(leaf, arrays[p.start : p.stop]) for leaf, p in structure.groups if p]
    return (sum(row, ()) for row in zip(*parts))


def rows_of_array(array: Any) -> Iterator[Any]:
    """The rows of an array, as arrays also where it is a vector."""
    if array.ndim > 1:
        return iter(array)
    return map(array.__getitem__, zip(range(len(array)), repeat(Ellipsis)))


@singledispatch
def count_rows(leaf: Any, parts: Components) -> int:
    """How many rows a leaf has."""
    if not has_fields(leaf):
        if not parts[0].ndim:
            raise invalid_argument("Input element must have a non-scalar value in each component", "Unbatch")
        return len(parts[0])
    fields = fields_of(leaf)
    if fields is None:
        return len(encoded_arrays(leaf, parts, 1)[0])
    return next(count_rows(field, parts[p.start : p.stop]) for field, p in fields.groups)


@singledispatch
def leaf_rows(leaf: Any, parts: Components) -> Iterator[Components]:
    """The components of the rows of a leaf."""
    if not has_fields(leaf):
        return zip(rows_of_array(parts[0]))
    fields = fields_of(leaf)
    if fields is None:
        return decoded_rows(row_spec(leaf), zip(*map(rows_of_array, encoded_arrays(leaf, parts, 1))))
    if is_batchable(leaf):
        return rows(fields, parts)
    wanted = fields_of(row_spec(leaf)).groups  # type: ignore[union-attr]
    columns = [
        [other_form(row_spec(field), to, row) for row in leaf_rows(field, parts[p.start : p.stop])]
        for (field, p), (to, _) in zip(fields.groups, wanted, strict=True)
    ]
    return (sum(row, ()) for row in zip(*columns, strict=True))


@count_rows.register
def _(leaf: RaggedTensorSpec, parts: Components) -> int:
    flat, *splits = parts
    return len(splits[0]) - 1 if splits else len(flat)


@leaf_rows.register
def _(leaf: RaggedTensorSpec, parts: Components) -> Iterator[Components]:
    flat, *splits = parts
    if not splits:
        return zip(rows_of_array(flat))
    bounds = splits[0].tolist()
    return (_ragged_row(flat, splits[1:], start, end) for start, end in pairwise(bounds))


def _ragged_row(flat: Any, splits: Sequence[Any], start: int, end: int) -> Components:
    inner = []
    for level in splits:
        found = level[start : end + 1]
        start, end = int(found[0]), int(found[-1])
        inner.append(found - start)
    return (flat[start:end], *inner)


@count_rows.register
def _(leaf: SparseTensorSpec, parts: Components) -> int:
    return int(parts[2][0])


@leaf_rows.register
def _(leaf: SparseTensorSpec, parts: Components) -> Iterator[Components]:
    indices, values, shape = parts
    bounds = np.searchsorted(indices[:, 0], np.arange(int(shape[0]) + 1)).tolist()
    return ((indices[a:b, 1:], values[a:b], shape[1:]) for a, b in pairwise(bounds))


# -- batches ----------------------------------------------------------------------------------------------------------


def stacker(structure: Structure, most: int = 0) -> Callable[..., Any]:
    """A function that makes a batch of elements: of an iterable, and of how many it takes at least; None where there are fewer.

    Args:
      structure: of the elements.
      most: so many elements come at most; 0 if nobody knows.

    Raises:
      InvalidArgumentError: (the function) if tensors have different shapes.
    """
    width = len(structure.flat)

    def plain(elements: Iterable[Components], least: int = 1) -> Components | None:
        coming = iter(elements)
        found: Sequence[Any] = ()
        if most > 1 and (first := next(coming, None)) is not None:
            coming = chain((first,), coming)
            if any([_Rows.suit(array, most) for array in first]):
                found = [_Rows(array, most) if _Rows.suit(array, most) else [] for array in first]
                for element in coming:
                    for column, array in zip(found, element, strict=True):
                        column.append(array)
        found = found or columns(coming, width)
        if len(found[0]) < least:
            return None
        return tuple([stacked(parts, place) for place, parts in enumerate(found)])

    def batch(elements: Iterable[Components], least: int = 1) -> Components | None:
        held = [element for element in elements]  # noqa: C416, see `columns`
        if len(held) < least:
            return None
        return tuple(
            [
                array
                for leaf, places in structure.groups
                if places
                for array in (
                    leaf_batch(leaf, [element[places.start : places.stop] for element in held])
                    if has_fields(leaf)
                    else (stacked([element[places.start] for element in held], places.start),)
                )
            ]
        )

    return plain if structure.is_plain and width else batch


def columns(elements: Iterable[Components], width: int) -> list[list[Any]]:
    """The components of elements, those of one place together.

    Elements are let go of at once: the collector would go through them again and again, which took most of the time of large
    batches. They are taken by lines of Python, between which Ctrl-C is found; C code finds it only in the collector's
    callbacks, where it is lost.
    """
    if width == 1:
        return [[array for (array,) in elements]]
    flat = [array for element in elements for array in element]
    return [flat[i::width] for i in range(width)]


def stacked(parts: Sequence[Any] | _Rows, place: int = 0) -> np.ndarray:
    """Arrays of one shape as one.

    Args:
      parts: the arrays.
      place: which component of elements they are.

    Raises:
      InvalidArgumentError: if their shapes differ.
    """
    if isinstance(parts, _Rows):
        return parts.stacked(place)
    first = parts[0]
    shape = first.shape
    for part in parts:
        if part.shape != shape:
            raise _misfit(place, shape, next(i for i, other in enumerate(parts) if other is part), part.shape)
    if first.dtype.kind == "O" or not shape:
        if not shape and first.dtype.kind == "O":
            return np.fromiter([part.item() for part in parts], object, len(parts))
        out = np.empty((len(parts), *shape), first.dtype)
        for i, part in enumerate(parts):
            out[i] = part[()] if not shape else part
        return out
    return np.concatenate(parts).reshape((len(parts), *shape))


class _Rows:
    """Large arrays of one shape, copied as they come, while a processor's cache has them; the next one gets their memory.

    Args:
      first: the first of them, which is not added.
      most: so many come at most.
    """

    def __init__(self, first: np.ndarray, most: int) -> None:
        self._out = np.empty((most, *first.shape), first.dtype)
        self._shape = first.shape
        self._count = 0
        self._misfit: tuple[int, Sequence[int]] | None = None

    @staticmethod
    def suit(array: Any, most: int) -> bool:
        """Whether it is worth it, and so many of them are not too much to ask for before they come."""
        return 1 << 16 <= array.nbytes <= (1 << 28) // most and array.dtype.kind != "O"

    def __len__(self) -> int:
        return self._count

    def append(self, array: np.ndarray) -> None:
        """Add an array; one of another shape is told of in the end."""
        if array.shape == self._shape:
            self._out[self._count] = array
        elif self._misfit is None:
            self._misfit = self._count, array.shape
        self._count += 1

    def stacked(self, place: int) -> np.ndarray:
        """All of them as one; see `stacked`."""
        if self._misfit is not None:
            raise _misfit(place, self._shape, *self._misfit)
        return self._out if self._count == len(self._out) else self._out[: self._count].copy()


def _misfit(place: int, first: Sequence[int], at: int, shape: Sequence[int]) -> Exception:
    return invalid_argument(
        f"Cannot batch tensors with different shapes in component {place}. First element had shape {_sizes(first)} and "
        f"element {at} had shape {_sizes(shape)}; padded_batch and ragged_batch take them.",
        "BatchDatasetV2",
    )


def _sizes(shape: Sequence[int]) -> str:
    """As TensorFlow's messages show shapes."""
    return "[" + ",".join(map(str, shape)) + "]"


@singledispatch
def leaf_batch(leaf: Any, parts: Sequence[Components]) -> Components:
    """The components of a batch of leaves."""
    if not has_fields(leaf):
        return (stacked([part[0] for part in parts]),)
    fields = fields_of(leaf)
    if fields is None:
        columns = zip(*[encoded_arrays(leaf, part, 0) for part in parts])
        return decoded_arrays(batch_spec(leaf, None), [stacked(column) for column in columns])
    if is_batchable(leaf):
        batched: Components = stacker(fields)(parts)
        return batched
    found: Components = ()
    wanted = fields_of(batch_spec(leaf, len(parts))).groups  # type: ignore[union-attr]
    for (field, p), (batch, _) in zip(fields.groups, wanted, strict=True):
        to = row_spec(batch) if isinstance(field, TensorSpec) else field
        found += leaf_batch(to, [other_form(field, to, part[p.start : p.stop]) for part in parts])
    return found


@leaf_batch.register
def _(leaf: RaggedTensorSpec, parts: Sequence[Components]) -> Components:
    if leaf.ragged_rank < 0:  # scalars, which were rows of what had no rows itself
        return (np.stack([part[0] for part in parts]),)
    dtype = leaf.row_splits_dtype.np
    inner = []
    for level in zip(*[part[1:] for part in parts]):
        starts = _splits([splits[-1] for splits in level], dtype)
        inner.append(np.concatenate([[0], *[s[1:] + at for s, at in zip(level, starts)]]).astype(dtype))
    outer = _splits([count_rows(leaf, part) for part in parts], dtype)
    return (np.concatenate([part[0] for part in parts]), outer, *inner)


def _splits(lengths: Sequence[Any], dtype: Any) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(dtype)


@leaf_batch.register
def _(leaf: SparseTensorSpec, parts: Sequence[Components]) -> Components:
    indices = [np.insert(part[0], 0, i, axis=1) for i, part in enumerate(parts)]
    shape = np.max([part[2] for part in parts], axis=0)
    return (
        np.concatenate(indices),
        np.concatenate([part[1] for part in parts]),
        np.concatenate([[len(parts)], shape]).astype(np.int64),
    )


# -- dense leaves as others -------------------------------------------------------------------------------------------


def other_form(leaf: Any, to: Any, parts: Components) -> Components:
    """The components that a leaf has as another type: a dense tensor as a ragged one, or the other way round.

    The type of a batch of composites may have ragged components where that of one has dense ones.
    """
    if isinstance(leaf, TensorSpec) and isinstance(to, RaggedTensorSpec):
        return ragged_components(parts[0], to.ragged_rank, to.row_splits_dtype.np)
    if isinstance(leaf, RaggedTensorSpec) and isinstance(to, TensorSpec):
        flat, *splits = parts
        lengths = [len(splits[0]) - 1] if splits else []
        for level in splits:
            found = np.unique(np.diff(level))
            if len(found) > 1:
                raise invalid_argument(f"rows of lengths {found.tolist()} are no dense tensor", "Unbatch")
            lengths.append(int(found[0]) if len(found) else 0)
        return (flat.reshape((*lengths, *flat.shape[1:])),) if splits else (flat,)
    return parts


def as_ragged(leaf: Any, splits: DType = dtypes.int64) -> Any:
    """The type that rows of a tensor have where they become parts of a ragged tensor; the same where nothing is open.

    Args:
      leaf: a spec.
      splits: the dtype of the ragged tensor's row splits.

    Raises:
      ValueError: if the rank is not known.
    """
    if not isinstance(leaf, TensorSpec) or leaf.shape.is_fully_defined():
        return leaf
    if leaf.shape.rank is None:
        raise ValueError(f"ragged_batch: the rank of {leaf} is not known; use Tensor.set_shape or tf.ensure_shape")
    last = max(d for d, n in enumerate(leaf.shape.as_list()) if n is None)
    return RaggedTensorSpec(leaf.shape, leaf.dtype, last, splits)


def ragged_components(array: Any, ragged_rank: int, dtype: Any) -> Components:
    """A dense array as a ragged tensor."""
    splits = [np.arange(int(np.prod(array.shape[:k])) + 1) * n for k, n in enumerate(array.shape[1:], 1)][:ragged_rank]
    return (array.reshape((-1, *array.shape[ragged_rank + 1 :])), *[s.astype(dtype) for s in splits])


def sparse_components(arrays: Sequence[Any], shape: Sequence[int | None]) -> Components:
    """Dense arrays as the rows of a sparse tensor.

    Raises:
      DataLossError, InvalidArgumentError: if one has another rank, or is larger than the shape.
    """
    for array in arrays:
        fits = f"sparse_batch: an element of shape {list(array.shape)} does not fit the row shape {list(shape)}"
        if array.ndim != len(shape):
            raise invalid_argument(fits, "DenseToSparseBatchDataset")
        if any(n is not None and m > n for m, n in zip(array.shape, shape)):
            raise DataLossError(None, None, fits)
    places = [np.argwhere(np.ones(a.shape, bool)).reshape(a.size, a.ndim) for a in arrays]
    indices = np.concatenate([np.insert(p, 0, i, axis=1) for i, p in enumerate(places)]).astype(np.int64)
    full = [max(a.shape[d] for a in arrays) if n is None else n for d, n in enumerate(shape)]
    return indices, np.concatenate([a.reshape(-1) for a in arrays]), np.array([len(arrays), *full], np.int64)
