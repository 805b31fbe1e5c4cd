"""Categorical columns: values that become ids, by a vocabulary, a hash, or as they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tfgrad_jax.composite.sparse_tensor import SparseTensor
from tfgrad_jax.engine.messages.errors import InvalidArgumentError, left_to_subclass
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.eager import init_scope
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.lib.feature_column.base import CategoricalColumn, OfOneFeature, check_dtype, check_key, sparse_of
from tfgrad_jax.lib.io.features import VarLenFeature
from tfgrad_jax.lib.io.gfile import GFile, exists, isdir
from tfgrad_jax.lib.lookup.initializers import KeyValueTensorInitializer
from tfgrad_jax.lib.lookup.tables import StaticHashTable, StaticVocabularyTable
from tfgrad_jax.ops.array.gather import where
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.strings.hashing import to_hash_bucket_fast
from tfgrad_jax.ops.strings.numbers import as_string


class _CategoriesOfOneFeature(OfOneFeature, CategoricalColumn):
    """A column of the values of one feature."""

    dtype: Any = dtypes.int64

    @property
    def feature(self) -> Any:
        return VarLenFeature(self.dtype)

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> Any:
        given = sparse_of(transformation_cache.get(self.key, state_manager))
        return SparseTensor(given.indices, self._ids(given.values), given.dense_shape)

    def _ids(self, values: Any) -> Any:
        raise left_to_subclass(self, "_ids")

    def _check(self, values: Any) -> None:
        if (values.dtype is dtypes.string) is not (self.dtype is dtypes.string):
            raise ValueError(
                f"Column dtype and SparseTensors dtype must be compatible. key: {self.key}, column dtype: {self.dtype}, tensor "
                f"dtype: {values.dtype}"
            )


def _of_words_or_integers(key: str, dtype: Any) -> Any:
    dtype = check_dtype(dtype)
    if not (dtype is dtypes.string or dtype.is_integer):
        raise ValueError(f"column_name: {key} dtype must be string or integer. dtype: {dtype}.")
    return dtype


def _looked_up(words: Sequence[Any], values: Any, buckets: int, default: int) -> Any:
    """The ids of values in a vocabulary."""
    integers = values.dtype.is_integer
    with init_scope():
        keys = np.array(words, np.int64) if integers else np.array([_bytes(word) for word in words], object)
        known = KeyValueTensorInitializer(convert(keys), convert(np.arange(len(words), dtype=np.int64)))
        table: Any = StaticVocabularyTable(known, buckets) if buckets else StaticHashTable(known, default)
    return table.lookup(cast(values, dtypes.int64) if integers else values)


def _bytes(word: Any) -> bytes:
    return word if isinstance(word, bytes) else str(word).encode()


class _List(NamedTuple):
    key: str
    vocabulary_list: tuple[Any, ...]
    dtype: Any
    default_value: int
    num_oov_buckets: int


class VocabularyListCategoricalColumn(_List, _CategoriesOfOneFeature):
    """Ids by a list; what `categorical_column_with_vocabulary_list` returns."""

    def _ids(self, values: Any) -> Any:
        self._check(values)
        return _looked_up(self.vocabulary_list, values, self.num_oov_buckets, self.default_value)

    @property
    def num_buckets(self) -> int:
        return len(self.vocabulary_list) + self.num_oov_buckets


_NAMES = "feature_column.categorical_column_with_"


@export(f"{_NAMES}vocabulary_list", f"compat.v1.{_NAMES}vocabulary_list")
def categorical_column_with_vocabulary_list(
    key: str, vocabulary_list: Any, dtype: Any = None, default_value: int = -1, num_oov_buckets: int = 0
) -> VocabularyListCategoricalColumn:
    """Ids of values by their place in a list. Mirrors `tf.feature_column.categorical_column_with_vocabulary_list`.

    Args:
      key: the feature's name.
      vocabulary_list: the values.
      dtype: string or integer; the list's where None.
      default_value: the id of other values.
      num_oov_buckets: into how many ids after the list's others fall.

    Raises:
      ValueError: if the list is empty or has a value twice, or other arguments make no sense.
    """
    if vocabulary_list is None or len(vocabulary_list) < 1:
        raise ValueError(f"vocabulary_list {vocabulary_list} must be non-empty, column_name: {key}")
    if len(set(vocabulary_list)) != len(vocabulary_list):
        raise ValueError(f"Duplicate keys in vocabulary_list {vocabulary_list}, column_name: {key}")
    own = dtypes.int64 if np.array(vocabulary_list).dtype.kind in "iu" else dtypes.string
    dtype = own if dtype is None else _of_words_or_integers(key, dtype)
    if (dtype is dtypes.string) is not (own is dtypes.string):
        raise ValueError(f"dtype {dtype} and vocabulary dtype {own} do not match, column_name: {key}")
    check_key(key)
    _check_buckets(key, num_oov_buckets, default_value != -1)
    return VocabularyListCategoricalColumn(key, tuple(vocabulary_list), dtype, default_value, num_oov_buckets)


def _check_buckets(key: str, num_oov_buckets: int | None, has_default: bool) -> None:
    if not num_oov_buckets:
        return
    if has_default:
        raise ValueError(f"Can't specify both num_oov_buckets and default_value in {key}.")
    if num_oov_buckets < 0:
        raise ValueError(f"Invalid num_oov_buckets {num_oov_buckets} in {key}.")


class _File(NamedTuple):
    key: str
    vocabulary_file: Any
    vocabulary_size: int
    num_oov_buckets: int
    dtype: Any
    default_value: int
    file_format: Any = None


class VocabularyFileCategoricalColumn(_File, _CategoriesOfOneFeature):
    """Ids by the lines of a file; what `categorical_column_with_vocabulary_file` returns."""

    def _ids(self, values: Any) -> Any:
        self._check(values)
        words = _lines(self.vocabulary_file)[: self.vocabulary_size]
        if len(words) < self.vocabulary_size:
            raise InvalidArgumentError(
                None, None,
                f"Invalid vocab_size in {self.vocabulary_file}: expected {self.vocabulary_size} but got {len(words)} lines",
            )  # fmt: skip
        return _looked_up(words, values, self.num_oov_buckets, self.default_value)

    @property
    def num_buckets(self) -> int:
        return self.vocabulary_size + self.num_oov_buckets


def _lines(path: Any) -> list[bytes]:
    with GFile(path, "rb") as file:
        return file.read().splitlines()


@export(f"{_NAMES}vocabulary_file")
def categorical_column_with_vocabulary_file(
    key: str, vocabulary_file: Any, vocabulary_size: int | None = None, dtype: Any = dtypes.string,
    default_value: int | None = None, num_oov_buckets: int = 0, file_format: str | None = None,
) -> VocabularyFileCategoricalColumn:  # fmt: skip
    """Ids of values by their line in a file. Mirrors `tf.feature_column.categorical_column_with_vocabulary_file`.

    Args:
      key: the feature's name.
      vocabulary_file: the path.
      vocabulary_size: how many lines count; all where None.
      dtype: string or integer.
      default_value: the id of other values; -1 where None.
      num_oov_buckets: into how many ids after the file's others fall.
      file_format: "text" or None.

    Raises:
      ValueError: if arguments make no sense, or without `vocabulary_size` there is no such file.
    """
    if not vocabulary_file:
        raise ValueError(f"Missing vocabulary_file in {key}.")
    if file_format not in (None, "text"):
        raise NotImplementedError(f"tf.{_NAMES}vocabulary_file: file_format {file_format!r}; only text")
    if vocabulary_size is None and not exists(vocabulary_file):
        raise ValueError(f"vocabulary_file {vocabulary_file} in {key} does not exist.")
    size = vocabulary_size
    if size is None:
        size = 0 if isdir(vocabulary_file) else len(_lines(vocabulary_file))
    if size < 1:
        raise ValueError(f"Invalid vocabulary_size in {key}.")
    _check_buckets(key, num_oov_buckets, default_value is not None)
    check_key(key)
    default = -1 if default_value is None else default_value
    dtype = _of_words_or_integers(key, as_dtype(dtype))
    return VocabularyFileCategoricalColumn(key, vocabulary_file, size, num_oov_buckets, dtype, default, file_format)


@export(f"compat.v1.{_NAMES}vocabulary_file")
def vocabulary_file_v1(
    key: str, vocabulary_file: Any, vocabulary_size: int | None = None, num_oov_buckets: int = 0, default_value: int | None = None,
    dtype: Any = dtypes.string,
) -> VocabularyFileCategoricalColumn:  # fmt: skip
    """`categorical_column_with_vocabulary_file` with its arguments in another order."""
    return categorical_column_with_vocabulary_file(
        key, vocabulary_file, vocabulary_size, dtype, default_value, num_oov_buckets
    )


class _Hash(NamedTuple):
    key: str
    hash_bucket_size: int
    dtype: Any


class HashedCategoricalColumn(_Hash, _CategoriesOfOneFeature):
    """Ids by a hash; what `categorical_column_with_hash_bucket` returns."""

    def _ids(self, values: Any) -> Any:
        self._check(values)
        words = values if values.dtype is dtypes.string else as_string(values)
        return to_hash_bucket_fast(words, self.hash_bucket_size)

    @property
    def num_buckets(self) -> int:
        return self.hash_bucket_size


@export(f"{_NAMES}hash_bucket", f"compat.v1.{_NAMES}hash_bucket")
def categorical_column_with_hash_bucket(
    key: str, hash_bucket_size: int, dtype: Any = dtypes.string
) -> HashedCategoricalColumn:
    """Ids of values by a hash. Mirrors `tf.feature_column.categorical_column_with_hash_bucket`.

    Raises:
      ValueError: if there is no bucket, or dtype or name make no sense.
    """
    if hash_bucket_size is None:
        raise ValueError(f"hash_bucket_size must be set. key: {key}")
    if hash_bucket_size < 1:
        raise ValueError(f"hash_bucket_size must be at least 1. hash_bucket_size: {hash_bucket_size}, key: {key}")
    check_key(key)
    return HashedCategoricalColumn(key, hash_bucket_size, _of_words_or_integers(key, dtype))


class _Identity(NamedTuple):
    key: str
    number_buckets: int
    default_value: int | None


class IdentityCategoricalColumn(_Identity, _CategoriesOfOneFeature):
    """Integers as they are; what `categorical_column_with_identity` returns."""

    def _ids(self, values: Any) -> Any:
        if not values.dtype.is_integer:
            raise ValueError(f"Invalid input, not integer. key: {self.key} dtype: {values.dtype}")
        ids: Any = cast(values, dtypes.int64)
        if self.default_value is None:
            return ids
        return where((ids < 0) | (ids >= self.number_buckets), convert(self.default_value, dtypes.int64), ids)

    @property
    def num_buckets(self) -> int:
        return self.number_buckets


@export(f"{_NAMES}identity", f"compat.v1.{_NAMES}identity")
def categorical_column_with_identity(
    key: str, num_buckets: int, default_value: int | None = None
) -> IdentityCategoricalColumn:
    """Integers that are ids already. Mirrors `tf.feature_column.categorical_column_with_identity`.

    Args:
      key: the feature's name.
      num_buckets: ids are below this.
      default_value: the id of others; where None, those are left out.

    Raises:
      ValueError: if there is no bucket, or the default is none of the ids.
    """
    if num_buckets < 1:
        raise ValueError(f"num_buckets {num_buckets} < 1, column_name {key}")
    if default_value is not None and not 0 <= default_value < num_buckets:
        raise ValueError(f"default_value {default_value} not in range [0, {num_buckets}), column_name {key}")
    check_key(key)
    return IdentityCategoricalColumn(key, num_buckets, default_value)
