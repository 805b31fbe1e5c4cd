"""Categorical columns made of others: crosses, and categories with weights."""

from __future__ import annotations

from typing import Any, NamedTuple

from tfgrad_jax.composite.sparse.crosses import cross_hashed
from tfgrad_jax.composite.sparse_tensor import SparseTensor
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.lib.feature_column.base import CategoricalColumn, IdWeightPair, check_number, sparse_of
from tfgrad_jax.lib.feature_column.categorical import HashedCategoricalColumn
from tfgrad_jax.lib.io.features import VarLenFeature
from tfgrad_jax.ops.math.cast import cast


class _Cross(NamedTuple):
    keys: tuple[Any, ...]
    hash_bucket_size: int
    hash_key: int | None


class CrossedColumn(_Cross, CategoricalColumn):
    """Combinations of categories by a hash; what `crossed_column` returns."""

    @property
    def leaves(self) -> list[Any]:
        """What is combined: names of features, and columns that are no crosses themselves."""
        return [leaf for key in self.keys for leaf in (key.leaves if isinstance(key, CrossedColumn) else [key])]

    @property
    def name(self) -> str:
        return "_X_".join(sorted(leaf if isinstance(leaf, str) else leaf.name for leaf in self.leaves))

    @property
    def parents(self) -> list[Any]:
        return list(self.keys)

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key in self.keys:
            found.update(key.parse_example_spec if not isinstance(key, str) else {key: VarLenFeature(dtypes.string)})  # type: ignore[arg-type]
        return found

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> Any:
        found = []
        for leaf in self.leaves:
            if isinstance(leaf, str):
                found.append(transformation_cache.get(leaf, state_manager))
                continue
            ids, weights = leaf.get_sparse_tensors(transformation_cache, state_manager)
            if weights is not None:
                raise ValueError(
                    f"crossed_column does not support weight_tensor, but the given column populates weight_tensor. Given: {leaf}"
                )
            found.append(ids)
        return cross_hashed(found, self.hash_bucket_size, self.hash_key)

    @property
    def num_buckets(self) -> int:
        return self.hash_bucket_size


@export("feature_column.crossed_column", "compat.v1.feature_column.crossed_column")
def crossed_column(keys: Any, hash_bucket_size: int, hash_key: int | None = None) -> CrossedColumn:
    """Every combination of categories, by a hash. Mirrors `tf.feature_column.crossed_column`.

    Args:
      keys: two or more of: names of features of strings, categorical columns that are not hashed.
      hash_bucket_size: how many ids there are.
      hash_key: of the hash.

    Raises:
      ValueError: if a key is something else, or there are too few of them or of ids.
    """
    if not hash_bucket_size or hash_bucket_size < 1:
        raise ValueError(f"hash_bucket_size must be > 1. hash_bucket_size: {hash_bucket_size}")
    if not keys or len(keys) < 2:
        raise ValueError(f"keys must be a list with length > 1. Given: {keys}")
    for key in keys:
        if not isinstance(key, (str, CategoricalColumn)) or isinstance(key, HashedCategoricalColumn):
            raise ValueError(
                "Unsupported key type. All keys must be either string, or categorical column except HashedCategoricalColumn. "
                f"Given: {key}"
            )
    return CrossedColumn(tuple(keys), hash_bucket_size, hash_key)


class _Weighted(NamedTuple):
    categorical_column: Any
    weight_feature_key: str
    dtype: Any


class WeightedCategoricalColumn(_Weighted, CategoricalColumn):
    """Categories with weights; what `weighted_categorical_column` returns."""

    @property
    def name(self) -> str:
        return f"{self.categorical_column.name}_weighted_by_{self.weight_feature_key}"

    @property
    def parents(self) -> list[Any]:
        return [self.categorical_column, self.weight_feature_key]

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        return {**self.categorical_column.parse_example_spec, self.weight_feature_key: VarLenFeature(self.dtype)}

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> Any:
        weights = sparse_of(transformation_cache.get(self.weight_feature_key, state_manager), 0)
        if not (weights.dtype.is_floating or weights.dtype.is_integer):
            raise ValueError(f"Bad dtype, expected {self.dtype}, got {weights.dtype}: weights of {self.name}")
        floats = SparseTensor(weights.indices, cast(weights.values, dtypes.float32), weights.dense_shape)
        return transformation_cache.get(self.categorical_column, state_manager), floats

    def get_sparse_tensors(self, transformation_cache: Any, state_manager: Any) -> IdWeightPair:
        return IdWeightPair(*transformation_cache.get(self, state_manager))

    @property
    def num_buckets(self) -> int:
        return self.categorical_column.num_buckets


@export("feature_column.weighted_categorical_column", "compat.v1.feature_column.weighted_categorical_column")
def weighted_categorical_column(
    categorical_column: Any, weight_feature_key: str, dtype: Any = dtypes.float32
) -> WeightedCategoricalColumn:
    """Categories with a weight each. Mirrors `tf.feature_column.weighted_categorical_column`.

    Args:
      categorical_column: the categories.
      weight_feature_key: the name of the feature that has the weights.
      dtype: of that feature.

    Raises:
      ValueError: if the dtype is no number.
    """
    dtype = check_number(dtype, f"dtype {dtype} is not convertible to float.")
    return WeightedCategoricalColumn(categorical_column, weight_feature_key, dtype)
