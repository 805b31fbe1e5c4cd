"""Tables between terms and their places in a vocabulary, as TensorFlow's private `lookup_ops` has them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tfgrad_jax.engine.names.export import export, export_value
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.lookup.initializers import KeyValueTensorInitializer, TextFileIndex, TextFileInitializer
from tfgrad_jax.lib.lookup.tables import LookupTable, StaticHashTable
from tfgrad_jax.ops.array.gather import where
from tfgrad_jax.ops.array.sequences import range as range_of
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.compare import equal
from tfgrad_jax.ops.strings.hashing import to_hash_bucket_fast, to_hash_bucket_strong
from tfgrad_jax.ops.strings.numbers import as_string

_L = "python.ops.lookup_ops."
_WHOLE, _NUMBER = TextFileIndex.WHOLE_LINE, TextFileIndex.LINE_NUMBER


@export(_L + "HasherSpec")
class HasherSpec(NamedTuple):
    """How terms outside the vocabulary find their bucket: by "fasthash", or by "stronghash" with a key."""

    hasher: Any
    key: Any


FAST = HasherSpec("fasthash", None)
export_value(FAST, _L + "FastHashSpec")


@export(_L + "StrongHashSpec")
class StrongHashSpec(HasherSpec):
    """Hashing with a secret key of two integers."""

    def __new__(cls, key: Any) -> StrongHashSpec:
        """The specification for a key.

        Raises:
          ValueError: if it has not two parts.
          TypeError: if these are no integers.
        """
        if len(key) != 2:
            raise ValueError(f"`key` must have size 2, received {len(key)}")
        if not all(isinstance(part, (int, np.integer)) for part in key):
            raise TypeError(f"Invalid key {key}. Must be unsigned integer values.")
        return super().__new__(cls, "stronghash", key)


@export(_L + "IdTableWithHashBuckets")
class IdTableWithHashBuckets(LookupTable):
    """A table from terms to ids, where other terms share buckets behind the ids of a vocabulary.

    Args:
      table: of the vocabulary; None where all terms share the buckets.
      num_oov_buckets: how many buckets there are.
      hasher_spec: how their bucket is found.
      name: of the table.
      key_dtype: of the terms, which are strings or integers.

    Raises:
      ValueError: if there are neither a table nor buckets.
      TypeError: for dtypes that do not go together, or if `hasher_spec` is something else.
    """

    def __init__(
        self, table: Any, num_oov_buckets: int, hasher_spec: Any = FAST, name: Any = None, key_dtype: Any = None
    ) -> None:
        known = dtypes.string if table is None else table.key_dtype
        wanted = known if key_dtype is None else as_dtype(key_dtype)
        if not wanted.is_integer and wanted is not dtypes.string:
            raise TypeError(f"Invalid `key_dtype`, expected integer or string, got {wanted!s}.")
        if wanted.is_integer != known.is_integer and table is not None:
            kind = "integer" if wanted.is_integer else "non-integer"
            raise TypeError(f"Invalid `key dtype`, expected {kind} but got {known!s}.")
        if table is None and num_oov_buckets <= 0:
            raise ValueError("`oov_buckets` must be > 0 if no `table` is supplied.")
        if table is not None and table.value_dtype is not dtypes.int64:
            raise TypeError(f"Invalid `value_dtype`: expected int64 but got {table.value_dtype!s}.")
        if not isinstance(hasher_spec, HasherSpec):
            raise TypeError(f"`hasher_spec` must be of type HasherSpec, got {type(hasher_spec)}.")
        self._table, self._buckets, self._hasher = table, num_oov_buckets, hasher_spec
        self._wanted, self._called = wanted, name

    key_dtype = property(lambda self: self._wanted)
    value_dtype = property(lambda self: dtypes.int64)
    name = property(lambda self: self._called)
    initializer = property(lambda self: None if self._table is None else self._table.initializer)

    def size(self, name: Any = None) -> Tensor:
        """How many ids there are."""
        vocabulary: Any = convert(0, dtypes.int64) if self._table is None else self._table.size()
        return vocabulary + self._buckets

    def lookup(self, keys: Any, name: Any = None) -> Any:
        """The ids of terms, dense, ragged or sparse ones.

        Raises:
          TypeError: if they have another dtype.
          ValueError: if the hash is not known.
        """
        return self._looked_up(keys, self._ids)

    def _ids(self, keys: Tensor) -> Any:
        if self._table is None:
            return self._bucket(keys)
        places = self._table.lookup(cast(keys, self._table.key_dtype) if keys.dtype.is_integer else keys)
        if not self._buckets:
            return places
        behind: Any = self._bucket(keys) + self._table.size()
        return where(equal(places, self._table.default_value), behind, places)

    def _bucket(self, keys: Tensor) -> Any:
        texts = as_string(keys) if keys.dtype.is_integer else keys
        if self._hasher.hasher == "fasthash":
            return to_hash_bucket_fast(texts, self._buckets)
        if self._hasher.hasher == "stronghash":
            return to_hash_bucket_strong(texts, self._buckets, self._hasher.key)
        raise ValueError(f"Found unknown hasher {self._hasher.hasher} in `hasher_spec`")


@export(_L + "TextFileIdTableInitializer")
class TextFileIdTableInitializer(TextFileInitializer):
    """From the lines of a file to their numbers."""

    def __init__(
        self,
        filename: Any,
        key_column_index: int = _WHOLE,
        value_column_index: int = _NUMBER,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: Any = "text_file_id_table_init",
        key_dtype: Any = dtypes.string,
    ) -> None:
        super().__init__(
            filename, key_dtype, key_column_index, dtypes.int64, value_column_index, vocab_size, delimiter, name
        )


@export(_L + "TextFileStringTableInitializer")
class TextFileStringTableInitializer(TextFileInitializer):
    """From the numbers of the lines of a file to the lines."""

    def __init__(
        self,
        filename: Any,
        key_column_index: int = _NUMBER,
        value_column_index: int = _WHOLE,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: Any = "text_file_string_table_init",
    ) -> None:
        super().__init__(
            filename, dtypes.int64, key_column_index, dtypes.string, value_column_index, vocab_size, delimiter, name
        )


def _check(file: Any, vocab_size: int | None, said: str = "") -> None:
    if file is None or (isinstance(file, str) and not file):
        raise ValueError("`vocabulary_file` must be specified and must not be empty.")
    if vocab_size is not None and vocab_size < 1:
        raise ValueError(f"`vocab_size` must be greater than 0, got {vocab_size}{said}.")


def _with_buckets(table: StaticHashTable, count: int, hasher: Any, dtype: Any, name: Any) -> Any:
    if not count and not (dtype.is_integer and dtype is not table.key_dtype):
        return table
    return IdTableWithHashBuckets(table, count, hasher, name, dtype)


@export(_L + "index_table_from_file")
def index_table_from_file(
    vocabulary_file: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: Any = -1,
    hasher_spec: Any = FAST,
    key_dtype: Any = dtypes.string,
    name: Any = None,
    key_column_index: int = _WHOLE,
    value_column_index: int = _NUMBER,
    delimiter: str = "\t",
) -> Any:
    """A table from the terms of a file, one a line, to their numbers; others have `default_value`, or share buckets.

    Raises:
      ValueError: if there is no file, or a number is out of range.
      TypeError: if the terms are neither strings nor integers.
    """
    _check(vocabulary_file, None)
    if num_oov_buckets < 0:
        raise ValueError(f"num_oov_buckets must be greater or equal than 0, got {num_oov_buckets}.")
    _check(vocabulary_file, vocab_size, f" for vocabulary_file: {vocabulary_file}")
    wanted = as_dtype(key_dtype)
    if not wanted.is_integer and wanted is not dtypes.string:
        raise TypeError("Dtype for `keys` should be either integer or string.")
    kept = dtypes.int64 if wanted.is_integer else wanted
    made = TextFileIdTableInitializer(
        vocabulary_file, key_column_index, value_column_index, vocab_size, delimiter, key_dtype=kept
    )
    return _with_buckets(StaticHashTable(made, default_value), num_oov_buckets, hasher_spec, wanted, name)


@export(_L + "index_table_from_tensor")
def index_table_from_tensor(
    vocabulary_list: Any,
    num_oov_buckets: int = 0,
    default_value: Any = -1,
    hasher_spec: Any = FAST,
    dtype: Any = dtypes.string,
    name: Any = None,
) -> Any:
    """A table from the terms of a vector to their places; others have `default_value`, or share buckets.

    Raises:
      ValueError: if there is no vector, it has another dtype, or a number is out of range.
      TypeError: if the terms are neither strings nor integers.
    """
    if vocabulary_list is None:
        raise ValueError("`vocabulary_list` must be specified.")
    if num_oov_buckets < 0:
        raise ValueError(f"`num_oov_buckets` must be greater or equal than 0, got {num_oov_buckets}.")
    wanted = as_dtype(dtype)
    if not wanted.is_integer and wanted is not dtypes.string:
        raise TypeError("`dtype` must either be integer or string.")
    keys = convert(vocabulary_list)
    if wanted.is_integer != keys.dtype.is_integer or (not wanted.is_integer and keys.dtype is not wanted):
        raise ValueError(
            f"Invalid `dtype`: Expected {'integer' if wanted.is_integer else str(wanted)}, got {keys.dtype!s}."
        )
    keys = cast(keys, dtypes.int64) if keys.dtype.is_integer else keys
    places = range_of(cast(keys.shape.num_elements(), dtypes.int64))
    table = StaticHashTable(KeyValueTensorInitializer(keys, places, keys.dtype, dtypes.int64), default_value)
    return _with_buckets(table, num_oov_buckets, hasher_spec, wanted, name)


@export(_L + "index_to_string_table_from_file")
def index_to_string_table_from_file(
    vocabulary_file: Any,
    vocab_size: int | None = None,
    default_value: Any = "UNK",
    name: Any = None,
    key_column_index: int = _NUMBER,
    value_column_index: int = _WHOLE,
    delimiter: str = "\t",
) -> StaticHashTable:
    """A table from numbers of lines of a file to the lines; other numbers have `default_value`.

    Raises:
      ValueError: if there is no file, or `vocab_size` is below 1.
    """
    _check(vocabulary_file, vocab_size)
    made = TextFileStringTableInitializer(vocabulary_file, key_column_index, value_column_index, vocab_size, delimiter)
    return StaticHashTable(made, default_value)


@export(_L + "index_to_string_table_from_tensor")
def index_to_string_table_from_tensor(
    vocabulary_list: Any, default_value: Any = "UNK", name: Any = None
) -> StaticHashTable:
    """A table from places in a vector of strings to the strings; other places have `default_value`.

    Raises:
      ValueError: if there is no vector.
    """
    if vocabulary_list is None:
        raise ValueError("`vocabulary_list` argument must be specified.")
    values = convert(vocabulary_list, dtypes.string)
    places = range_of(cast(values.shape.num_elements(), dtypes.int64))
    return StaticHashTable(KeyValueTensorInitializer(places, values, dtypes.int64, dtypes.string), default_value)
