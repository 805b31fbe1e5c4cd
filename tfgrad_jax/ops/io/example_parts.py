"""From columns of values to what a feature's declaration asks for: dense, padded, sparse or ragged arrays.

A declaration is a tuple, so that it can be an attribute of an operation: its kind, then what the functions below unpack.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.engine.values.shapes import UNRANKED
from tfgrad_jax.engine.values.tensor import Spec
from tfgrad_jax.ops.io.example_rows import Blame, Column, name_of

Columns = Mapping[tuple[str, DType], Column]

DENSE, PADDED, SPARSE, INDEXED, RAGGED = "dense", "padded", "sparse", "indexed", "ragged"


def keys_of(part: tuple[Any, ...]) -> list[tuple[str, DType]]:
    """The features, by key and dtype, that a declaration reads."""
    if part[0] == INDEXED:
        _, index_keys, value_key, dtype, _, _ = part
        return [(value_key, dtype), *((key, dtypes.int64) for key in index_keys)]
    if part[0] == RAGGED:
        _, value_key, dtype, partitions, *_ = part
        return [(value_key, dtype), *((key, dtypes.int64) for _, key in partitions if isinstance(key, str))]
    return [(part[1], part[2])]


@functools.lru_cache(256)
def wanted_of(parts: tuple[tuple[Any, ...], ...]) -> tuple[tuple[str, DType], ...]:
    """The features, by key and dtype, that declarations read, each once."""
    return tuple(dict.fromkeys(key for part in parts for key in keys_of(part)))


def starts_of(counts: np.ndarray) -> np.ndarray:
    """Where the values of each example begin, and the end of all."""
    return np.concatenate([[0], np.cumsum(np.maximum(counts, 0))])


# -- dense ------------------------------------------------------------------------------------------------------------


def _dense(part: Any, columns: Columns, defaults: Sequence[np.ndarray], blame: Blame) -> list[np.ndarray]:
    _, key, dtype, shape, default = part
    counts, values = columns[key, dtype]
    size = math.prod(shape)
    if np.count_nonzero(counts == size) == len(counts):
        return [values.reshape(len(counts), *shape)]
    wrong = np.flatnonzero((counts >= 0) & (counts != size))
    if len(wrong):
        i = int(wrong[0])
        raise blame.of_key(i, key)(
            f"Number of {name_of(dtype)} values != expected.  Values size: {counts[i]} but output shape: {list(shape)}"
        )
    missing = counts < 0
    if default < 0:
        i = int(np.argmax(missing))
        raise blame.wrong(i, f"Feature: {key} (data type: {name_of(dtype)}) is required but could not be found.")
    out = np.empty((len(counts), size), dtype.np)
    out[:] = defaults[default].reshape(-1)
    out[~missing] = values.reshape(-1, size)
    return [out.reshape(len(counts), *shape)]


def _padded(part: Any, columns: Columns, defaults: Sequence[np.ndarray], blame: Blame) -> list[np.ndarray]:
    _, key, dtype, shape, default = part
    counts, values = columns[key, dtype]
    stride = math.prod(shape)
    wrong = np.flatnonzero((counts > 0) & (counts % stride != 0)) if stride else np.flatnonzero(counts > 0)
    if len(wrong):
        i = int(wrong[0])
        raise blame.of_key(i, key)(
            f"Number of {name_of(dtype)} values is not a multiple of stride length. Saw {counts[i]} values but output "
            f"shape is: {[-1, *shape]}"
        )
    longest = int(counts.max(initial=0)) // stride if stride else 0
    filler = defaults[default].reshape(-1)[0] if default >= 0 else b"" if dtype is dtypes.string else 0
    out = np.full((len(counts), longest * stride), filler, dtype.np)
    out[np.arange(longest * stride) < counts[:, None]] = values
    return [out.reshape(len(counts), longest, *shape)]


# -- sparse -----------------------------------------------------------------------------------------------------------


def _sparse(part: Any, columns: Columns, defaults: Any, blame: Blame) -> list[np.ndarray]:
    _, key, dtype = part
    counts, values = columns[key, dtype]
    starts = starts_of(counts)
    rows = np.repeat(np.arange(len(counts)), np.diff(starts))
    places = np.arange(len(values)) - starts[rows]
    shape = np.array([len(counts), counts.max(initial=0)], np.int64)
    return [np.stack([rows, places], 1), values, shape]


def _indexed(part: Any, columns: Columns, defaults: Any, blame: Blame) -> list[np.ndarray]:
    _, index_keys, value_key, dtype, sizes, already_sorted = part
    counts, values = columns[value_key, dtype]
    rows = np.repeat(np.arange(len(counts)), np.maximum(counts, 0))
    parts = [rows]
    for key in index_keys:
        found = columns[key, dtypes.int64]
        differ = np.flatnonzero(np.maximum(found.counts, 0) != np.maximum(counts, 0))
        if len(differ):
            i = int(differ[0])
            have, wanted = max(int(found.counts[i]), 0), max(int(counts[i]), 0)
            raise blame.of_key(i, key)(f"There are {have} indices for {wanted} values in {value_key!r}")
        parts.append(found.values)
    indices = np.stack(parts, 1)
    if not already_sorted:
        order = np.lexsort(parts[::-1])
        indices, values = indices[order], values[order]
    return [indices, values, np.array([len(counts), *sizes], np.int64)]


# -- ragged -----------------------------------------------------------------------------------------------------------


def trailing(partitions: Sequence[tuple[str, Any]]) -> int:
    """How many partitions at the end are uniform: they are dimensions of the values, and need no splits."""
    count = 0
    while count < len(partitions) and partitions[-1 - count][0] == "UniformRowLength":
        count += 1
    return count


def _partitioned(kind: str, found: Column, outer: np.ndarray, total: int) -> tuple[np.ndarray, np.ndarray]:
    """The splits that a partition of all examples tells, and how many rows of it come before those of each example.

    Args:
      kind: the partition's.
      found: its numbers, which count within each example.
      outer: how many items come before those of each example.
      total: how many there are.
    """
    counts, numbers = np.maximum(found.counts, 0), found.values
    rows = starts_of(counts)
    if kind == "RowLengths":
        return starts_of(numbers), rows
    if kind == "ValueRowIds":
        last = [numbers[a:b].max(initial=-1) for a, b in itertools.pairwise(rows)]
        owners = starts_of(np.array(last, np.int64) + 1)
        return starts_of(np.bincount(numbers + np.repeat(owners[:-1], counts), minlength=owners[-1])), owners
    bounds = numbers + np.repeat(outer[:-1], counts)
    if kind == "RowStarts":
        return np.append(bounds, total), rows
    if kind == "RowSplits":  # of these, all but the first are limits
        first = np.zeros(len(bounds), bool)
        first[rows[:-1][counts > 0]] = True
        bounds, rows = bounds[~first], starts_of(counts - 1)
    return np.insert(bounds, 0, 0), rows


def _check_partition(kind: str, key: str, found: Column, outer: np.ndarray, validate: bool, blame: Blame) -> None:
    """There is a row for each item; and where it is asked for, rows are in their order and begin with the first.

    Raises:
      InvalidArgumentError: if not.
    """
    starts = starts_of(found.counts)
    if kind == "ValueRowIds":
        have, wanted = np.diff(starts), np.diff(outer)
        for i in np.flatnonzero(have != wanted)[:1].tolist():
            raise blame.of_key(i, key)(f"There are rows for {have[i]} values, but {wanted[i]} values")
    for i, (a, b) in enumerate(itertools.pairwise(starts)):
        numbers = found.values[a:b]
        if kind == "ValueRowIds" and (np.diff(numbers, prepend=0) < 0 if validate else numbers < 0).any():
            raise blame.of_key(i, key)(f"Rows of values must ascend from 0, got {numbers.tolist()}")
        if kind == "RowSplits" and validate and numbers[:1].any():
            raise blame.of_key(i, key)(f"Splits of rows must begin with 0, got {numbers.tolist()}")


def _ragged(part: Any, columns: Columns, defaults: Any, blame: Blame) -> list[np.ndarray]:
    _, value_key, dtype, partitions, splits_dtype, validate = part
    counts, values = columns[value_key, dtype]
    inner = trailing(partitions)
    sizes = [size for _, size in partitions[len(partitions) - inner :]]
    step = math.prod(sizes)
    if len(values) % step if step else len(values):
        raise invalid_argument(
            f"Key: {value_key}.  {len(values)} values cannot be rows of {step}: a multiple is needed", blame.op
        )
    values = values.reshape(-1, *sizes)
    outer = starts_of(counts) // max(step, 1)
    nested: list[np.ndarray] = []
    for kind, key in reversed(partitions[: len(partitions) - inner]):
        total = len(nested[-1]) - 1 if nested else len(values)
        if kind == "UniformRowLength":
            splits = np.arange(total // key + 1) * key if key else np.zeros(1, np.int64)
            outer = outer // max(key, 1)
        else:
            found = columns[key, dtypes.int64]
            _check_partition(kind, key, found, outer, validate, blame)
            splits, outer = _partitioned(kind, found, outer, total)
        nested.append(splits)
    nested.append(outer)
    return [values, *[splits.astype(splits_dtype.np) for splits in reversed(nested)]]


_MAKERS: dict[str, Callable[..., list[np.ndarray]]] = {
    DENSE: _dense, PADDED: _padded, SPARSE: _sparse, INDEXED: _indexed, RAGGED: _ragged,
}  # fmt: skip


def arrays_of(
    part: tuple[Any, ...], columns: Columns, defaults: Sequence[np.ndarray], blame: Blame
) -> list[np.ndarray]:
    """The arrays for a declaration, of a batch of examples.

    Returns:
      One array; for sparse ones indices, values and shape; for ragged ones values and splits, those of the batch first.
    """
    return _MAKERS[part[0]](part, columns, defaults, blame)


def of_one(part: tuple[Any, ...], arrays: list[np.ndarray]) -> list[np.ndarray]:
    """The same of a batch of one example, without the dimension of the batch."""
    if part[0] in (DENSE, PADDED):
        return [arrays[0].reshape(arrays[0].shape[1:])]
    if part[0] in (SPARSE, INDEXED):
        indices, values, shape = arrays
        return [indices[:, 1:], values, shape[1:]]
    return [arrays[0], *arrays[2:]]


def specs_of(part: tuple[Any, ...], batch: tuple[Any, ...]) -> list[Spec]:
    """The types of the arrays, where `batch` is the shape of the examples."""
    kind, dtype = part[0], part[3] if part[0] == INDEXED else part[2]
    known = batch is not UNRANKED
    if kind in (DENSE, PADDED):
        shape = part[3] if kind == DENSE else (None, *part[3])
        return [Spec.of(dtype, (*batch, *shape) if known else UNRANKED)]
    if kind in (SPARSE, INDEXED):
        rank = len(batch) + (len(part[1]) if kind == INDEXED else 1) if known else None
        specs = (dtypes.int64, (None, rank)), (dtype, (None,)), (dtypes.int64, (rank,))
        return [Spec.of(d, s) for d, s in specs]  # type: ignore[arg-type]
    inner = trailing(part[3])
    sizes = [size for _, size in part[3][len(part[3]) - inner :]]
    rows = batch[0] if known and batch else None
    splits = [(None if rows is None else rows + 1,)] if batch else []
    splits += [(None,)] * (len(part[3]) - inner)
    return [Spec.of(dtype, (None, *sizes)), *[Spec.of(part[4], s) for s in splits]]  # type: ignore[arg-type]
