"""Operations that divide elements into groups, by value or by number, and put groups together."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from tfgrad_jax.engine.declare.op import MISSING, op
from tfgrad_jax.engine.declare.roles import DTypeArg, Int, Operand, Own, Ts, static
from tfgrad_jax.engine.graph.deferred import deferred
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.execute import host_value, misfit
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert_to_tensor
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.engine.values.tensor import Spec, Tensor
from tfgrad_jax.ops.array.gather import convert_indices, merged
from tfgrad_jax.ops.array.scatter import put
from tfgrad_jax.ops.common import listed, one_of, operand, shape_of, xp

_PLACES: Any = Operand(shared=False, many=True, differentiable=False)

# -- by value -----------------------------------------------------------------------------------------------


class Unique(NamedTuple):
    """The result of `tf.unique`: the values, and for each element where its value is among them."""

    y: Tensor
    idx: Tensor


class UniqueWithCounts(NamedTuple):
    """The result of `tf.unique_with_counts`: as `Unique`, and how often each value comes."""

    y: Tensor
    idx: Tensor
    count: Tensor  # type: ignore[assignment]  # TensorFlow's name for it, whatever tuples have under it


def _uniques(x: np.ndarray, raw: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    if x.ndim != 1:
        raise invalid_argument(f"{raw.lower()} expects a 1D vector, got shape {listed(x.shape)}.", raw)
    _, first, inverse, counts = np.unique(
        x, return_index=True, return_inverse=True, return_counts=True, equal_nan=False
    )
    order = np.argsort(first)  # TensorFlow keeps the order in which the values come
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return x[first[order]], rank[inverse.reshape(-1)], counts[order]


@op("Unique", host=True, gradient=MISSING)
def _unique(x: Own, out_idx: DTypeArg):
    y, idx, _ = _uniques(x, "Unique")
    return y, idx.astype(out_idx.np)


@op("UniqueWithCounts", host=True, gradient=MISSING)
def _unique_with_counts(x: Own, out_idx: DTypeArg):
    y, idx, count = _uniques(x, "UniqueWithCounts")
    return y, idx.astype(out_idx.np), count.astype(out_idx.np)


def _index_type(out_idx: Any, raw: str) -> Any:
    dtype = dtypes.int32 if out_idx is None else as_dtype(out_idx)
    one_of(dtype, frozenset({dtypes.int32, dtypes.int64}), raw)
    return dtype


@export("unique")
def unique(x: Any, out_idx: Any = dtypes.int32, name: str | None = None) -> Unique:
    """The values in a vector, in the order in which they first come, and where each element's is. Mirrors `tf.unique`.

    Raises:
      InvalidArgumentError: if `x` is no vector.
    """
    return Unique(*_unique(x, _index_type(out_idx, "Unique")))


@export("unique_with_counts")
def unique_with_counts(x: Any, out_idx: Any = dtypes.int32, name: str | None = None) -> UniqueWithCounts:
    """As `unique`, and how often each value comes. Mirrors `tf.unique_with_counts`.

    Raises:
      InvalidArgumentError: if `x` is no vector.
    """
    return UniqueWithCounts(*_unique_with_counts(x, _index_type(out_idx, "UniqueWithCounts")))


# -- by number -------------------------------------------------------------------------------------------------------


@op("DynamicPartition")
def _partition(data: Own, places: _PLACES, ndims: Int):
    flat = merged(data, 0, ndims)
    return [xp(data, p).take(flat, p, 0) for p in places]


_PARTITIONS_LIMIT = 1 << 20
"""So many results one operation may have."""


@export("dynamic_partition")
@deferred("partitions")
def dynamic_partition(data: Any, partitions: Any, num_partitions: Any, name: str | None = None) -> list[Tensor]:
    """The elements (or slices) of `data`, in lists by the number that `partitions` gives each.

    Mirrors `tf.dynamic_partition`.

    Raises:
      InvalidArgumentError: if a number is not below `num_partitions`, or the shapes do not fit.
    """
    raw = "DynamicPartition"
    value, numbers, count = (
        operand(data),
        host_value(convert_to_tensor(partitions, dtypes.int32)),
        static(num_partitions),
    )
    if count < 1:
        raise invalid_argument(f"Value for attr 'num_partitions' of {count} must be at least minimum 1", raw)
    shape = value.spec.shape
    if shape[: numbers.ndim] != numbers.shape:
        raise misfit(
            f"data.shape must start with partitions.shape, got data.shape = {listed(shape)}, partitions.shape = "
            f"{listed(numbers.shape)}",
            raw,
        )
    wrong = np.argwhere((numbers < 0) | (numbers >= count))
    if len(wrong):
        bad = tuple(wrong[0])
        raise invalid_argument(f"partitions[{','.join(map(str, bad))}] = {numbers[bad]} is not in [0, {count})", raw)
    if count > _PARTITIONS_LIMIT:
        raise invalid_argument(f"num_partitions = {count} is too large: at most {_PARTITIONS_LIMIT} lists", raw)
    places = [np.flatnonzero(numbers == i) for i in range(count)]
    return _partition(value, places, numbers.ndim)


@dynamic_partition.open_shape
def _(data: Any, partitions: Any, num_partitions: Any, **_: Any) -> list[Any]:
    rest = shape_of(data)[len(shape_of(partitions)) :]
    return [(None, *rest)] * num_partitions


@op("DynamicStitch")
def _stitch(indices: _PLACES, data: Ts, size: Int):
    inner = data[0].shape[indices[0].ndim :]
    out = jnp.zeros((size, *inner), data[0].dtype)
    for where, values in zip(indices, data, strict=True):
        out = put(
            out,
            where.reshape(-1),
            values.reshape((-1, *inner)) if values.size else values.reshape((0, *inner)),
            "update",
        )
    return out


@_stitch.rule
def _(cts, inputs, outputs):
    count = len(inputs) // 2
    return [None] * count + [cts[0][where] for where in inputs[:count]]


@export("dynamic_stitch")
@deferred("indices")
def dynamic_stitch(indices: Any, data: Any, name: str | None = None) -> Tensor:
    """Slices of several tensors put together by index; where one comes twice, the later stays.

    Mirrors `tf.dynamic_stitch`.

    Raises:
      InvalidArgumentError: if an index is negative, or the shapes do not fit.
    """
    raw = "DynamicStitch"
    places, values = [convert_indices(i) for i in indices], [operand(d) for d in data]
    if len(places) != len(values) or not places:
        raise invalid_argument(
            f"expected as many indices as data, and at least one, got {len(places)} and {len(values)}", raw
        )
    inner = values[0].spec.shape[len(places[0].spec.shape) :]
    size = 0
    for i, (where, value) in enumerate(zip(places, values, strict=True)):
        rank = len(where.spec.shape)
        if value.spec.shape[:rank] != where.spec.shape:
            raise invalid_argument(
                f"data[{i}].shape = {listed(value.spec.shape)} does not start with indices[{i}].shape = "
                f"{listed(where.spec.shape)}",
                raw,
            )
        if value.spec.shape[rank:] != inner:
            raise invalid_argument(
                f"Need data[0].shape[{len(places[0].spec.shape)}:] = data[{i}].shape[{rank}:], got {listed(inner)} and "
                f"{listed(value.spec.shape[rank:])}",
                raw,
            )
        known = host_value(where)
        if known.size and known.min() < 0:
            raise invalid_argument(f"indices[{i}] is out of range: {known.min()} is negative", raw)
        size = max(size, int(known.max()) + 1 if known.size else 0)
    return _stitch(places, values, size)


@dynamic_stitch.open_shape
def _(indices: Any, data: Any, **_: Any) -> list[Any]:
    inner = shape_of(data[0])[len(shape_of(indices[0])) :]
    if any(isinstance(i, Spec) for i in indices):
        return [(None, *inner)]
    known = [np.asarray(i, object).reshape(-1).tolist() for i in indices]
    unknown = any(n is None for places in known for n in places)
    return [(None if unknown else 1 + max([-1, *(n for places in known for n in places)]), *inner)]
