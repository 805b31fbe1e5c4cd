"""`tf.sets`: the last dimension of a tensor as sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfgrad_jax.composite.sparse_tensor import SparseTensor
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.ops.host.host_calls import numpy_function

_MEMBERS = (dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64, dtypes.uint8, dtypes.uint16, dtypes.string)
_Sets = dict[tuple[int, ...], Any]


def _parts(value: Any) -> list[Any]:
    if isinstance(value, SparseTensor):
        return [value.indices, value.values, value.dense_shape]
    return [convert(value)]


def _read(parts: Any) -> tuple[tuple[int, ...], _Sets]:
    """The leading sizes, and the members by leading index."""
    if len(parts) == 1:
        (dense,) = parts
        dense = np.asarray(dense)
        lead = dense.shape[:-1]
        return lead, {place: np.unique(dense[place]) for place in np.ndindex(*lead)}
    indices, values, shape = parts
    lead = tuple(int(n) for n in shape[:-1])
    found: dict[tuple[int, ...], list[Any]] = {}
    for place, value in zip(np.asarray(indices), np.asarray(values)):
        found.setdefault(tuple(int(i) for i in place[:-1]), []).append(value)
    return lead, {place: np.unique(np.array(members)) for place, members in found.items()}


def _operation(name: str, a: Any, b: Any, combine: Callable[[Any, Any], Any]) -> SparseTensor:
    first, second = _parts(a), _parts(b)
    members = first[1 if len(first) > 1 else 0].dtype
    if members != second[1 if len(second) > 1 else 0].dtype:
        raise TypeError(f"Types do not match. a: {members}, b: {second[-1].dtype}")

    if members not in _MEMBERS:
        raise TypeError(f"tf.sets: members must be integers or strings, got {members.name}")

    def compute(*arrays: Any) -> Any:
        shape, left = _read(arrays[: len(first)])
        if not shape:
            raise invalid_argument("Input tensors must have at least two dimensions, got one", name)
        others, right = _read(arrays[len(first) :])
        if shape != others:
            raise invalid_argument(f"Input tensors have different group shapes: {list(shape)} and {list(others)}", name)
        none = np.array([], members.as_numpy_dtype)
        indices: list[Any] = []
        values: list[Any] = []
        most = 0
        for place in np.ndindex(*shape):
            made = combine(left.get(place, none), right.get(place, none))
            indices += [(*place, i) for i in range(len(made))]
            values += list(made)
            most = max(most, len(made))
        return (
            np.array(indices, np.int64).reshape(-1, len(shape) + 1),
            np.array(values, members.as_numpy_dtype),
            np.array([*shape, most], np.int64),
        )

    indices, values, shape = numpy_function(compute, [*first, *second], [dtypes.int64, members, dtypes.int64])
    rank = (len(first) == 1 and first[0].shape.rank) or (first[0].shape[1] if len(first) > 1 else None)
    for tensor, static in ((indices, [None, rank]), (values, [None]), (shape, [rank])):
        tensor.set_shape(static)
    return SparseTensor(indices, values, shape)


@export("sets.difference")
def difference(a: Any, b: Any, aminusb: bool = True, validate_indices: bool = True) -> SparseTensor:
    """What one set has and the other has not, for each set of the last dimension. Mirrors `tf.sets.difference`.

    Args:
      a, b: tensors or sparse tensors of the same leading shape.
      aminusb: whether it is `a` that is taken from; `b` otherwise.
      validate_indices: accepted.

    Returns:
      A sparse tensor, the members in order.

    Raises:
      TypeError: if the dtypes differ, or are neither integers nor strings.
      InvalidArgumentError: if the leading shapes differ, or there are none.
    """
    first, second = (a, b) if aminusb else (b, a)
    return _operation("DenseToDenseSetOperation", first, second, np.setdiff1d)


@export("sets.intersection")
def intersection(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """What both sets have, for each set of the last dimension. Mirrors `tf.sets.intersection`; see `tf.sets.difference`."""
    return _operation("DenseToDenseSetOperation", a, b, np.intersect1d)


@export("sets.union")
def union(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """What either set has, for each set of the last dimension. Mirrors `tf.sets.union`; see `tf.sets.difference`."""
    return _operation("DenseToDenseSetOperation", a, b, np.union1d)


@export("sets.size")
def size(a: Any, validate_indices: bool = True) -> Any:
    """How many members each set of a sparse tensor's last dimension has. Mirrors `tf.sets.size`.

    Raises:
      TypeError: if it is no sparse tensor.
    """
    if not isinstance(a, SparseTensor):
        raise TypeError(f"Expected `SparseTensor`, got {a}.")

    def compute(*arrays: Any) -> Any:
        shape, members = _read(arrays)
        counts = np.zeros(shape, np.int32)
        for place, found in members.items():
            counts[place] = len(found)
        return counts

    counts = numpy_function(compute, _parts(a), dtypes.int32)
    counts.set_shape(a.shape[:-1])
    return counts
