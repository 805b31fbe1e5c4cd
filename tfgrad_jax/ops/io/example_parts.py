"""From columns of values to what a feature's declaration asks for: dense, padded, sparse or ragged arrays.

A declaration is a tuple, so that it can be an attribute of an operation: its kind, then what the functions below unpack.
"""

from __future__ import annotations

import functools
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
        _, value_key, dtype, partitions, _ = part
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


def _lengths(kind: str, found: np.ndarray, items: int) -> np.ndarray:
    """The lengths of the rows that a partition of one example tells; `items` is what there is to partition."""
    if kind == "RowLengths":
        return found
    if kind == "RowSplits":
        return np.diff(found)
    if kind == "RowStarts":
        return np.diff(np.append(found, items))
    if kind == "RowLimits":
        return np.diff(np.insert(found, 0, 0))
    return np.bincount(found, minlength=0)


def _ragged(part: Any, columns: Columns, defaults: Any, blame: Blame) -> list[np.ndarray]:
    _, value_key, dtype, partitions, splits_dtype = part
    counts, values = columns[value_key, dtype]
    items = np.maximum(counts, 0)
    inner = trailing(partitions)
    sizes = [size for _, size in partitions[len(partitions) - inner :]]
    step = math.prod(sizes)
    if len(values) % step if step else len(values):
        raise invalid_argument(
            f"Key: {value_key}.  {len(values)} values cannot be rows of {step}: a multiple is needed", blame.op
        )
    values = values.reshape(-1, *sizes)
    items = items // step if step else items
    nested = []
    for kind, key in reversed(partitions[: len(partitions) - inner]):
        if kind == "UniformRowLength":
            items = items // key if key else items
            lengths = np.full(items.sum(), key)
        else:
            found = columns[key, dtypes.int64]
            starts = starts_of(found.counts)
            rows = [
                _lengths(kind, found.values[a:b], n)
                for a, b, n in zip(starts[:-1], starts[1:], items.tolist(), strict=True)
            ]
            items = np.array([len(r) for r in rows], np.int64)
            lengths = np.concatenate([np.zeros(0, np.int64), *rows])
        nested.append(starts_of(lengths))
    nested.append(starts_of(items))
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
