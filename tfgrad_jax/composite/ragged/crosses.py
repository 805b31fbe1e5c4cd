"""`tf.ragged.cross`: every combination of the values that a row has in several inputs."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.composite.ragged.partition import splits_of_rowids
from tfgrad_jax.composite.ragged.rows import ragged_or_tensor, rank_of
from tfgrad_jax.composite.ragged.tensor import RaggedTensor
from tfgrad_jax.composite.sparse.crosses import cross_features
from tfgrad_jax.composite.sparse_tensor import SparseTensor
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.ops.math.cast import cast


def _crossed(inputs: Any, separator: str, buckets: Any, key: Any) -> RaggedTensor:
    if not isinstance(inputs, (list, tuple)) or not inputs:
        raise TypeError("Argument `inputs` must be a list")
    features = []
    for given in inputs:
        value = RaggedTensor.from_sparse(given) if isinstance(given, SparseTensor) else ragged_or_tensor(given)
        if rank_of(value) != 2:
            raise invalid_argument(
                f"tf.ragged.cross only supports inputs with rank=2, got shape {value.shape}", "RaggedCross"
            )
        if not isinstance(value, RaggedTensor):
            value = RaggedTensor.from_tensor(value)
        numbers = value.values if value.dtype is dtypes.string else cast(value.values, dtypes.int64)
        features.append((numbers, cast(value.value_rowids(), dtypes.int64), cast(value.nrows(), dtypes.int64)))
    values, rows, _ = cross_features(features, separator, buckets, key)
    return RaggedTensor(values, splits_of_rowids(rows, features[0][2]), internal=True)


@export("ragged.cross")
def cross(inputs: Any, name: str | None = None) -> RaggedTensor:
    """Every combination of the values of a row, joined with "_X_". Mirrors `tf.ragged.cross`.

    Args:
      inputs: ragged tensors, sparse tensors or tensors of rank 2, with as many rows.
      name: accepted for compatibility.

    Raises:
      ValueError: if an input has another rank.
    """
    return _crossed(inputs, "_X_", None, None)


@export("ragged.cross_hashed")
def cross_hashed(
    inputs: Any, num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> RaggedTensor:
    """Every combination of the values of a row, hashed. Mirrors `tf.ragged.cross_hashed`.

    Args:
      inputs: as for `cross`.
      num_buckets: how many hashes there are; all that are not negative if 0.
      hash_key: of the hash.
      name: accepted for compatibility.
    """
    return _crossed(inputs, "", num_buckets, hash_key)
