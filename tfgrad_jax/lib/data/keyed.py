"""Datasets by keys: reductions of the elements with one key, and tables for lookups made of a dataset."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfgrad_jax.engine.names.export import export, export_value
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.specs import TensorSpec
from tfgrad_jax.lib.data.dataset import DatasetV2
from tfgrad_jax.lib.data.functions import Mapped
from tfgrad_jax.lib.data.nodes.grouping import GroupByReducer
from tfgrad_jax.lib.data.nodes.node import SHARD_HINT
from tfgrad_jax.lib.data.structure import Structure
from tfgrad_jax.lib.lookup.contents import Contents
from tfgrad_jax.lib.lookup.initializers import TableInitializer
from tfgrad_jax.lib.lookup.tables import StaticHashTable, StaticVocabularyTable
from tfgrad_jax.ops.array.creation import zeros

export_value(SHARD_HINT, "data.experimental.SHARD_HINT")


# -- reductions by key ------------------------------------------------------------------------------------------------


@export("data.experimental.Reducer")
class Reducer:
    """How the elements with one key become one. Mirrors `tf.data.experimental.Reducer`.

    Args:
      init_func: gives the first state for a key, a scalar int64.
      reduce_func: gives the next state for a state and an element.
      finalize_func: gives an element for the last state.
    """

    def __init__(
        self, init_func: Callable[..., Any], reduce_func: Callable[..., Any], finalize_func: Callable[..., Any]
    ) -> None:
        self.init_func = init_func
        self.reduce_func = reduce_func
        self.finalize_func = finalize_func


@export("data.experimental.group_by_reducer")
def group_by_reducer(key_func: Callable[..., Any], reducer: Any) -> Callable[[Any], Any]:
    """Makes one element of all with one key, in the order of the keys. Mirrors `tf.data.experimental.group_by_reducer`.

    Args:
      key_func: gives a scalar int64 for an element.
      reducer: a `Reducer`.

    Returns:
      A function of a dataset, for `Dataset.apply`, which raises ValueError if a key is something else, TypeError if a state
      has another type than the one before.
    """

    def grouped(dataset: Any) -> Any:
        key = Mapped(key_func, dataset.structure, "group_by_reducer_key", dtypes.int64)
        spec = key.structure.spec
        if not (isinstance(spec, TensorSpec) and spec.dtype is dtypes.int64 and spec.shape.is_compatible_with([])):
            raise ValueError(f"Invalid `key_func`. It must return a scalar tf.int64 tensor, but returns {spec}.")
        first = Mapped(reducer.init_func, Structure(TensorSpec([], dtypes.int64)), "group_by_reducer_init")
        state, reduce = dataset.settled(first.structure.spec, reducer.reduce_func, "group_by_reducer")
        finalize = Mapped(reducer.finalize_func, state, "group_by_reducer_finalize")
        return dataset.made(finalize.structure, GroupByReducer, dataset, key, first, reduce, finalize)

    return grouped


@export("data.experimental.pad_to_cardinality")
def pad_to_cardinality(cardinality: Any, mask_key: str = "valid") -> Callable[[Any], Any]:
    """Adds elements of zeros until there are so many. Mirrors `tf.data.experimental.pad_to_cardinality`.

    Args:
      cardinality: how many.
      mask_key: the component that tells whether an element was there before.

    Returns:
      A function of a dataset, for `Dataset.apply`, which raises ValueError if the elements are no dictionaries of tensors of
      known shapes, or if it is not known how many there are, or if there are more.
    """

    def padded(dataset: Any) -> Any:
        spec = dataset.element_spec
        if type(spec) is not dict:
            raise ValueError(f"pad_to_cardinality: the elements must be dictionaries, got {spec}")
        have, wanted = (int(np.asarray(convert(n).array)) for n in (dataset.cardinality(), cardinality))
        if have < 0:
            raise ValueError(f"pad_to_cardinality: the number of elements must be known, it is {have}")
        if have > wanted:
            raise ValueError(f"pad_to_cardinality: there are {have} elements, more than {wanted}")
        filler = {key: zeros(leaf.shape, leaf.dtype) for key, leaf in spec.items()}
        some = dataset.map(lambda element: {**element, mask_key: convert(True)})
        rest = DatasetV2.from_tensors({**filler, mask_key: False}).repeat(wanted - have)
        return some.concatenate(rest)

    return padded


# -- tables -----------------------------------------------------------------------------------------------------------


@export("data.experimental.DatasetInitializer")
class DatasetInitializer(TableInitializer):
    """The keys and values of a table, from a dataset of pairs. Mirrors `tf.data.experimental.DatasetInitializer`.

    Args:
      dataset: its elements are pairs of scalars.

    Raises:
      TypeError, ValueError: if they are something else.
    """

    def __init__(self, dataset: Any) -> None:
        spec = dataset.element_spec
        if not isinstance(spec, tuple):
            raise TypeError(f"A table is made of a dataset of pairs (key, value), got elements of type {spec}.")
        if len(spec) != 2 or not all(isinstance(s, TensorSpec) and s.shape.is_compatible_with([]) for s in spec):
            raise ValueError(f"A table is made of pairs (key, value) of scalars, got elements of type {spec}.")
        self._dataset = dataset
        self.key_dtype, self.value_dtype = (s.dtype for s in spec)

    def fill(self, contents: Contents) -> None:
        rows = list(self._dataset.as_numpy_iterator())
        keys, values = (
            np.array([row[i] for row in rows], dtype.np) for i, dtype in enumerate((self.key_dtype, self.value_dtype))
        )
        contents.fill(keys, values, "InitializeTableFromDataset")


@export("data.experimental.table_from_dataset")
def table_from_dataset(
    dataset: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: Any = None,
    hasher_spec: Any = None,
    key_dtype: Any = dtypes.string,
    name: str | None = None,
) -> Any:
    """A table of the pairs in a dataset. Mirrors `tf.data.experimental.table_from_dataset`.

    Args:
      dataset: its elements are pairs of scalars, a key and a value.
      num_oov_buckets: how many values there are for other keys, after those of the dataset.
      vocab_size: how many pairs are taken; all if None.
      default_value: what other keys have where there are no buckets; -1 if not given.
      hasher_spec: how keys find their bucket; only the default hash is supported.
      key_dtype: of what is looked up where there are buckets; otherwise it is that of the dataset's keys.
      name: of the table.

    Raises:
      ValueError: if a number is wrong, elements are no pairs of scalars, or values are strings without a default.
      TypeError: if keys have another dtype.
      NotImplementedError: for another hash.
    """
    if num_oov_buckets < 0:
        raise ValueError(f"`num_oov_buckets` must be greater than or equal to 0, got {num_oov_buckets}.")
    if vocab_size is not None and vocab_size < 1:
        raise ValueError(f"`vocab_size` must be greater than 0, got {vocab_size}.")
    if hasher_spec is not None:
        raise NotImplementedError(
            f"table_from_dataset: hasher_spec={hasher_spec!r}: only the default hash is supported"
        )
    initializer = DatasetInitializer(dataset if vocab_size is None else dataset.take(vocab_size))
    if num_oov_buckets:
        return StaticVocabularyTable(initializer, num_oov_buckets, key_dtype, name)
    if default_value is None and initializer.value_dtype is dtypes.string:
        raise ValueError("table_from_dataset: values are strings, which need a `default_value`")
    return StaticHashTable(initializer, -1 if default_value is None else default_value, name)


@export("data.experimental.index_table_from_dataset")
def index_table_from_dataset(
    dataset: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: Any = -1,
    hasher_spec: Any = None,
    key_dtype: Any = dtypes.string,
    name: str | None = None,
) -> Any:
    """A table of the positions of keys in a dataset. Mirrors `tf.data.experimental.index_table_from_dataset`.

    Args:
      dataset: its elements are keys, scalars.
      num_oov_buckets, vocab_size, default_value, hasher_spec, key_dtype, name: as of `table_from_dataset`.

    Raises:
      ValueError: if a number is wrong, or elements are no scalars.
      TypeError: if keys have another dtype.
    """
    pairs = dataset.enumerate().map(lambda i, key: (key, i))
    return table_from_dataset(pairs, num_oov_buckets, vocab_size, default_value, hasher_spec, key_dtype, name)
