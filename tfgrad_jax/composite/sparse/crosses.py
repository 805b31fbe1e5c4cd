"""Crosses of features: every combination of the values that a row has in several inputs."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfgrad_jax.composite.sparse_tensor import SparseTensor
from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Flag, Int, Own, Owns, Text
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.execute import misfit
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.tensor import Spec, Tensor
from tfgrad_jax.ops.array.array import concat as join
from tfgrad_jax.ops.array.array import stack
from tfgrad_jax.ops.array.creation import zeros
from tfgrad_jax.ops.array.rearrange import repeat
from tfgrad_jax.ops.array.sequences import range as range_
from tfgrad_jax.ops.array.shape import reshape
from tfgrad_jax.ops.array.sizes import shape as shape_of
from tfgrad_jax.ops.common import number_of, operand
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.reduce import reduce_max
from tfgrad_jax.ops.strings import hashes

KEY = 956888297470
"""The hash of nothing, as long as no other key is given."""

_MIX = 0xC6A4A7935BD1E995
_BITS = 0xFFFFFFFFFFFFFFFF


def _mixed(value: int) -> int:
    return value ^ (value >> 47)


def _joined(one: int, other: int) -> int:
    """A fingerprint of two."""
    result = one ^ _MIX
    result ^= _mixed(other * _MIX & _BITS) * _MIX & _BITS
    result = result * _MIX & _BITS
    result = _mixed(result) * _MIX & _BITS
    return _mixed(result)


@op("FeatureCross", host=True)
def crossed(parts: Owns, count: Own, separator: Text, hashed: Flag, buckets: Int, key: Int):
    """The combinations, row by row.

    Args:
      parts: the values of each input and the row of each value, in order, by turns.
      count: the number of rows.
      separator: stands between joined strings.
      hashed: whether combinations are hashed rather than joined.
      buckets: how many hashes there are; all if 0.
      key: of the hash.

    Returns:
      The combinations, the row of each, and its number there.
    """
    rows: list[list[list[Any]]] = []
    for values, places in zip(parts[::2], parts[1::2], strict=True):
        features: Any = values.tolist()
        if hashed:
            features = hashes.farm(values).tolist() if values.dtype == object else [int(v) & _BITS for v in features]
        else:
            features = [v if isinstance(v, bytes) else str(v).encode() for v in features]
        found: list[list[Any]] = [[] for _ in range(int(count))]
        for feature, row in zip(features, places.tolist(), strict=True):
            found[row].append(feature)
        rows.append(found)

    def one(combination: Sequence[Any]) -> Any:
        if not hashed:
            return separator.encode().join(combination)
        result = key
        for feature in combination:
            result = _joined(result, feature)
        return result % (buckets or 0x7FFFFFFFFFFFFFFF)

    made = [[one(c) for c in itertools.product(*features)] for features in zip(*rows, strict=True)]
    flat = [item for row in made for item in row]
    values = np.empty(len(flat), np.int64 if hashed else object)
    values[:] = flat
    lengths = [len(row) for row in made]
    numbers = np.concatenate([np.arange(n) for n in lengths]) if lengths else np.zeros(0)
    return [values, np.repeat(np.arange(len(made)), lengths).astype(np.int64), numbers.astype(np.int64)]


@crossed.types
def _(parts, count, separator, hashed, buckets, key):
    vector, texts = (Spec.open(dtype, TensorShape([None])) for dtype in (dtypes.int64, dtypes.string))
    return [vector if hashed else texts, vector, vector]


def _number(value: Any) -> Any:
    """Numbers as integers of 64 bits, texts as they are."""
    return value if value.dtype is dtypes.string else cast(value, dtypes.int64)


def _features(value: Any) -> tuple[Any, Any, Any]:
    """The values of an input, the row of each, and the number of rows."""
    if isinstance(value, SparseTensor):
        return _number(value.values), value.indices[:, 0], value.dense_shape[0]
    dense = operand(value)
    sizes: Any = shape_of(dense, out_type=dtypes.int64)
    rows = repeat(range_(sizes[0]), sizes[1])
    return _number(reshape(dense, [-1])), rows, sizes[0]


def cross_features(features: Sequence[tuple[Any, Any, Any]], separator: str, buckets: Any, key: Any) -> Any:
    """What `crossed` makes of several inputs; hashes unless `buckets` is None."""
    parts = [part for values, rows, _ in features for part in (values, rows)]
    hashed = buckets is not None
    return crossed(parts, features[0][2], separator, hashed, buckets or 0, KEY if key is None else key)


def _sparse(inputs: Any, separator: str, buckets: Any, key: Any) -> SparseTensor:
    if not isinstance(inputs, (list, tuple)) or not inputs:
        raise TypeError("inputs must be a list")
    if not all(isinstance(i, (SparseTensor, Tensor)) for i in inputs):
        raise TypeError("All inputs must be Tensor or SparseTensor.")
    # TensorFlow takes the sparse ones first.
    features = [_features(i) for i in sorted(inputs, key=lambda i: not isinstance(i, SparseTensor))]
    values, rows, numbers = cross_features(features, separator, buckets, key)
    width = reduce_max(join([zeros([1], dtypes.int64), numbers + 1], 0))
    return SparseTensor(stack([rows, numbers], 1), values, stack([features[0][2], width]))


@export("sparse.cross")
def cross(inputs: Any, name: str | None = None, separator: str | None = None) -> SparseTensor:
    """Every combination of the values of a row, joined to one string. Mirrors `tf.sparse.cross`.

    Args:
      inputs: sparse tensors or tensors of rank 2, with as many rows.
      name: accepted for compatibility.
      separator: stands between the values; "_X_" if not given.

    Raises:
      TypeError: if an input is something else.
    """
    return _sparse(inputs, "_X_" if separator is None else separator, None, None)


@export("sparse.cross_hashed")
def cross_hashed(
    inputs: Any, num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> SparseTensor:
    """Every combination of the values of a row, hashed. Mirrors `tf.sparse.cross_hashed`.

    Args:
      inputs: as for `cross`.
      num_buckets: how many hashes there are; all that are not negative if 0.
      hash_key: of the hash.
      name: accepted for compatibility.
    """
    buckets = number_of(num_buckets, "num_buckets")
    if buckets < 0:
        raise misfit(f"Value for attr 'num_buckets' of {buckets} must be at least minimum 0", "SparseCrossHashed")
    return _sparse(inputs, "", buckets, hash_key)
