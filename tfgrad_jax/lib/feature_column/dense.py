"""Dense columns: numbers, buckets of numbers, indicators and embeddings of categories."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tfgrad_jax.composite.sparse.dense import to_dense
from tfgrad_jax.composite.sparse.embeddings import embedding_lookup_sparse, safe_embedding_lookup_sparse
from tfgrad_jax.composite.sparse_tensor import SparseTensor
from tfgrad_jax.engine.messages.errors import left_to_subclass
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.lib.feature_column.base import (
    CategoricalColumn,
    DenseColumn,
    IdWeightPair,
    OfOneFeature,
    check_key,
    check_number,
    sizes_in,
    specs_of,
)
from tfgrad_jax.lib.io.features import FixedLenFeature
from tfgrad_jax.lib.v1.initializers import TruncatedNormal
from tfgrad_jax.lib.v1.warm_starting import init_from_checkpoint
from tfgrad_jax.ops.array.array import concat
from tfgrad_jax.ops.array.creation import one_hot
from tfgrad_jax.ops.array.rearrange import tile
from tfgrad_jax.ops.array.sequences import range as range_
from tfgrad_jax.ops.array.shape import expand_dims, reshape
from tfgrad_jax.ops.array.sizes import shape
from tfgrad_jax.ops.array.sorting import searchsorted
from tfgrad_jax.ops.common import sizes_of
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.reduce import reduce_sum


class _Number(NamedTuple):
    key: str
    shape: tuple[int, ...]
    default_value: Any
    dtype: Any
    normalizer_fn: Callable[..., Any] | None


class NumericColumn(_Number, OfOneFeature, DenseColumn):
    """Numbers as they are; what `numeric_column` returns."""

    @property
    def feature(self) -> Any:
        return FixedLenFeature(self.shape, self.dtype, self.default_value)  # type: ignore[call-arg]

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> Any:
        given = transformation_cache.get(self.key, state_manager)
        if isinstance(given, SparseTensor):
            raise ValueError(f"The corresponding Tensor of numerical column must be a Tensor. key: {self.key}")
        given = given if self.normalizer_fn is None else self.normalizer_fn(given)
        return cast(given, dtypes.float32)

    @property
    def variable_shape(self) -> Any:
        return TensorShape(self.shape)


@export("feature_column.numeric_column", "compat.v1.feature_column.numeric_column")
def numeric_column(
    key: str, shape: Any = (1,), default_value: Any = None, dtype: Any = dtypes.float32, normalizer_fn: Any = None
) -> NumericColumn:
    """Numbers as they are. Mirrors `tf.feature_column.numeric_column`.

    Args:
      key: the feature's name.
      shape: of the numbers of one example.
      default_value: for examples without the feature; one for all numbers, or as many as there are.
      dtype: of the feature in files.
      normalizer_fn: a function of the tensor.

    Raises:
      ValueError: if the name, shape or dtype make no sense.
      TypeError: if `normalizer_fn` cannot be called, or the default is no number.
    """
    check_key(key)
    sizes = sizes_in(shape, key)
    dtype = check_number(dtype, f"dtype must be convertible to float. dtype: {dtype}, key: {key}")
    if default_value is not None:
        default_value = np.broadcast_to(np.asarray(default_value, dtype.np), sizes).tolist()
        default_value = _tuples(default_value)
    if normalizer_fn is not None and not callable(normalizer_fn):
        raise TypeError(f"normalizer_fn must be a callable. Given: {normalizer_fn}")
    return NumericColumn(key, sizes, default_value, dtype, normalizer_fn)


def _tuples(value: Any) -> Any:
    return tuple(_tuples(part) for part in value) if isinstance(value, list) else value


class _Buckets(NamedTuple):
    source_column: NumericColumn
    boundaries: tuple[Any, ...]


class BucketizedColumn(_Buckets, DenseColumn, CategoricalColumn):
    """Numbers by the interval that they are in; what `bucketized_column` returns."""

    @property
    def name(self) -> str:
        return f"{self.source_column.name}_bucketized"

    @property
    def parents(self) -> list[Any]:
        return [self.source_column]

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> Any:
        given = transformation_cache.get(self.source_column, state_manager)
        places = searchsorted(convert(list(self.boundaries), dtypes.float32), reshape(given, [-1]), side="right")
        return reshape(places, shape(given))

    @property
    def _count(self) -> int:
        return len(self.boundaries) + 1

    @property
    def variable_shape(self) -> Any:
        return TensorShape((*self.source_column.shape, self._count))

    def get_dense_tensor(self, transformation_cache: Any, state_manager: Any) -> Any:
        return one_hot(transformation_cache.get(self, state_manager), self._count)

    @property
    def num_buckets(self) -> int:
        return self._count * self.source_column.shape[0]

    def get_sparse_tensors(self, transformation_cache: Any, state_manager: Any) -> IdWeightPair:
        given = transformation_cache.get(self, state_manager)
        size, examples = self.source_column.shape[0], sizes_of(given)[0]
        rows = reshape(tile(expand_dims(range_(examples), 1), [1, size]), [-1])
        columns = tile(range_(size), [examples])
        ids = cast(reshape(given, [-1]) + self._count * columns, dtypes.int64)
        places = cast(_stacked(rows, columns), dtypes.int64)
        return IdWeightPair(SparseTensor(places, ids, cast(shape(given), dtypes.int64)), None)


def _stacked(rows: Any, columns: Any) -> Any:
    return concat([expand_dims(rows, 1), expand_dims(columns, 1)], 1)


@export("feature_column.bucketized_column", "compat.v1.feature_column.bucketized_column")
def bucketized_column(source_column: Any, boundaries: Sequence[Any]) -> BucketizedColumn:
    """Numbers by the interval that they are in. Mirrors `tf.feature_column.bucketized_column`.

    Args:
      source_column: a numeric column of one dimension.
      boundaries: rising numbers; one belongs to the interval that it begins.

    Raises:
      ValueError: if the source is another column, or boundaries do not rise.
    """
    if not isinstance(source_column, NumericColumn):
        raise ValueError(f"source_column must be a column generated with numeric_column(). Given: {source_column}")
    if len(source_column.shape) > 1:
        raise ValueError(f"source_column must be one-dimensional column. Given: {source_column}")
    if not boundaries:
        raise ValueError("boundaries must not be empty.")
    if not isinstance(boundaries, (list, tuple)) or any(a >= b for a, b in itertools.pairwise(boundaries)):
        raise ValueError("boundaries must be a sorted list.")
    return BucketizedColumn(source_column, tuple(boundaries))


class _OfCategories(DenseColumn):
    """A column of numbers for the ids of a categorical one."""

    categorical_column: Any
    _suffix = ""

    @property
    def name(self) -> str:
        return f"{self.categorical_column.name}_{self._suffix}"

    @property
    def parents(self) -> list[Any]:
        return [self.categorical_column]


class _Indicator(NamedTuple):
    categorical_column: Any


class IndicatorColumn(_Indicator, _OfCategories):
    """How often each category comes; what `indicator_column` returns."""

    _suffix = "indicator"

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> Any:
        ids, weights = self.categorical_column.get_sparse_tensors(transformation_cache, state_manager)
        counted: Any = one_hot(to_dense(ids, default_value=-1), self.categorical_column.num_buckets)
        if weights is not None:
            counted = counted * expand_dims(to_dense(weights), -1)
        return reduce_sum(counted, axis=-2)

    @property
    def variable_shape(self) -> Any:
        return TensorShape([1, self.categorical_column.num_buckets])


def _categorical(column: Any) -> None:
    if not isinstance(column, CategoricalColumn):
        raise ValueError(f"Unsupported input type. Input must be a CategoricalColumn. Given: {column}")


@export("feature_column.indicator_column", "compat.v1.feature_column.indicator_column")
def indicator_column(categorical_column: Any) -> IndicatorColumn:
    """How often each category comes in an example. Mirrors `tf.feature_column.indicator_column`.

    Raises:
      ValueError: if the source is no categorical column.
    """
    _categorical(categorical_column)
    return IndicatorColumn(categorical_column)


class _Embedding(NamedTuple):
    categorical_column: Any
    dimension: int
    combiner: str
    initializer: Any
    ckpt_to_load_from: Any
    tensor_name_in_ckpt: Any
    max_norm: Any
    trainable: bool
    use_safe_embedding_lookup: bool


class OfEmbeddings(_OfCategories):
    """A column of learned vectors for the categories of another."""

    combiner: str
    max_norm: Any
    use_safe_embedding_lookup: bool

    def vectors(self, state_manager: Any) -> Any:
        """The variable that has the vectors."""
        raise left_to_subclass(self, "vectors")

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> Any:
        return self.categorical_column.get_sparse_tensors(transformation_cache, state_manager)

    def get_dense_tensor(self, transformation_cache: Any, state_manager: Any) -> Any:
        ids, weights = transformation_cache.get(self, state_manager)
        safe = self.use_safe_embedding_lookup or ids.shape.rank is None or ids.shape.rank > 2
        look_up: Any = safe_embedding_lookup_sparse if safe else embedding_lookup_sparse
        return look_up(self.vectors(state_manager), ids, weights, combiner=self.combiner, max_norm=self.max_norm)


class EmbeddingColumn(_Embedding, OfEmbeddings):
    """A vector for each category, learned; what `embedding_column` returns."""

    _suffix = "embedding"

    @property
    def variable_shape(self) -> Any:
        return TensorShape([self.dimension])

    def create_state(self, state_manager: Any) -> None:
        """Make the variable that has the vectors."""
        state_manager.create_variable(
            self, name="embedding_weights", shape=(self.categorical_column.num_buckets, self.dimension), dtype=dtypes.float32,
            trainable=self.trainable, initializer=self.initializer,
        )  # fmt: skip
        begin_with(self.vectors(state_manager), self.ckpt_to_load_from, self.tensor_name_in_ckpt)

    def vectors(self, state_manager: Any) -> Any:
        return state_manager.get_variable(self, "embedding_weights")


def begin_with(variable: Any, checkpoint: Any, name: Any) -> None:
    """Let a variable begin with a tensor of a checkpoint, where one is given."""
    if checkpoint is not None:
        init_from_checkpoint(checkpoint, {name: variable})


def check_embedding(dimension: Any, initializer: Any, checkpoint: Any, tensor_name: Any, of: str) -> Any:
    """The initializer of vectors, after a look at the other arguments.

    Args:
      of: what messages add about the initializer.

    Raises:
      ValueError: if one makes no sense.
    """
    if dimension is None or dimension < 1:
        raise ValueError(f"Invalid dimension {dimension}.")
    if (checkpoint is None) is not (tensor_name is None):
        raise ValueError("Must specify both `ckpt_to_load_from` and `tensor_name_in_ckpt` or none of them.")
    if initializer is not None and not callable(initializer):
        raise ValueError(f"initializer must be callable if specified.{of}")
    return TruncatedNormal(stddev=1 / math.sqrt(dimension)) if initializer is None else initializer


@export("feature_column.embedding_column", "compat.v1.feature_column.embedding_column")
def embedding_column(
    categorical_column: Any, dimension: int, combiner: str = "mean", initializer: Any = None, ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None, max_norm: float | None = None, trainable: bool = True,
    use_safe_embedding_lookup: bool = True,
) -> EmbeddingColumn:  # fmt: skip
    """A vector for each category, learned. Mirrors `tf.feature_column.embedding_column`.

    Args:
      categorical_column: the categories.
      dimension: the length of the vectors.
      combiner: what becomes of several categories of an example: "mean", "sqrtn" or "sum".
      initializer: of the vectors; truncated normal draws where None.
      ckpt_to_load_from, tensor_name_in_ckpt: the checkpoint, and the tensor in it, that the vectors begin with, both or neither.
      max_norm: vectors are shortened to this length.
      trainable: whether tapes watch the variable.
      use_safe_embedding_lookup: whether invalid ids are left out, and examples without ids have zeros.

    Raises:
      ValueError: if dimension, initializer or checkpoint make no sense. That the source has no categories shows where it is used.
    """
    of = f" Embedding of column_name: {getattr(categorical_column, 'name', categorical_column)}"
    initializer = check_embedding(dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt, of)
    return EmbeddingColumn(
        categorical_column, dimension, combiner, initializer, ckpt_to_load_from, tensor_name_in_ckpt, max_norm, trainable,
        use_safe_embedding_lookup,
    )  # fmt: skip


@export("feature_column.make_parse_example_spec", "compat.v1.feature_column.make_parse_example_spec")
def make_parse_example_spec(feature_columns: Any) -> dict[str, Any]:
    """What `tf.io.parse_example` needs to read the features of columns. Mirrors `tf.feature_column.make_parse_example_spec`.

    Raises:
      ValueError: if something is no column, or two columns read one feature in different ways.
    """
    return specs_of(feature_columns)
