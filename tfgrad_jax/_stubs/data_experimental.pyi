"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax._stubs import data_experimental_service
from tfgrad_jax.lib.data.options import AutoShardPolicy as AutoShardPolicy
from tfgrad_jax.lib.data.options import AutotuneAlgorithm as AutotuneAlgorithm
from tfgrad_jax.lib.data.options import AutotuneOptions as AutotuneOptions
from tfgrad_jax.lib.data.readers import CsvDatasetV2 as _CsvDataset
from tfgrad_jax.lib.data.keyed import DatasetInitializer as DatasetInitializer
from tfgrad_jax.lib.data.base import DatasetSpec as _DatasetStructure
from tfgrad_jax.lib.data.options import DistributeOptions as DistributeOptions
from tfgrad_jax.lib.data.options import ExternalStatePolicy as ExternalStatePolicy
from tfgrad_jax.lib.data.options import OptimizationOptions as OptimizationOptions
from tfgrad_jax.lib.data.iterators import Optional as Optional
from tfgrad_jax.lib.data.iterators import OptionalSpec as _OptionalStructure
from tfgrad_jax.lib.data.keyed import Reducer as Reducer
from tfgrad_jax.lib.data.sql import SqlDatasetV2 as _SqlDataset
from tfgrad_jax.lib.data.experimental import TFRecordWriter as TFRecordWriter
from tfgrad_jax.lib.data.options import ThreadingOptions as ThreadingOptions
service = data_experimental_service
AUTOTUNE: int
def Counter(start: _Any = 0, step: _Any = 1, dtype: _Any = ...) -> _Any:
    """`tf.data.Dataset.counter`. Mirrors `tf.data.experimental.Counter`."""
CsvDataset = _CsvDataset
DatasetStructure = _DatasetStructure
INFINITE_CARDINALITY: int
OptionalStructure = _OptionalStructure
def RandomDataset(seed: _Any = None) -> _Any:
    """`tf.data.Dataset.random`. Mirrors `tf.data.experimental.RandomDataset`."""
SHARD_HINT: int
SqlDataset = _SqlDataset
UNKNOWN_CARDINALITY: int
def assert_cardinality(expected_cardinality: _Any) -> _Any:
    """For `apply`: the same elements, of which there must be so many. Mirrors `tf.data.experimental.assert_cardinality`."""
def at(dataset: _Any, index: _Any) -> _Any:
    """The element at a position, which is the same each time. Mirrors `tf.data.experimental.at`."""
def bucket_by_sequence_length(*args: _Any, **kwargs: _Any) -> _Any:
    """`tf.data.Dataset.bucket_by_sequence_length` as a function, for `tf.data.Dataset.apply`."""
def cardinality(dataset: _Any) -> _Any:
    """`dataset.cardinality()`. Mirrors `tf.data.experimental.cardinality`."""
def choose_from_datasets(datasets: _Any, choice_dataset: _Any, stop_on_empty_dataset: _Any = False) -> _Any:
    """`tf.data.Dataset.choose_from_datasets`. Mirrors `tf.data.experimental.choose_from_datasets`."""
def copy_to_device(target_device: _Any, source_device: _Any = '/cpu:0') -> _Any:
    """The dataset as it is: operations bring elements to the device where they run."""
def dense_to_ragged_batch(*args: _Any, **kwargs: _Any) -> _Any:
    """`tf.data.Dataset.ragged_batch` as a function, for `tf.data.Dataset.apply`."""
def dense_to_sparse_batch(*args: _Any, **kwargs: _Any) -> _Any:
    """`tf.data.Dataset.sparse_batch` as a function, for `tf.data.Dataset.apply`."""
def enumerate_dataset(*args: _Any, **kwargs: _Any) -> _Any:
    """`tf.data.Dataset.enumerate` as a function, for `tf.data.Dataset.apply`."""
def from_list(elements: _Any, name: _Any = None) -> _Any:
    """A dataset of the elements of a list. Mirrors `tf.data.experimental.from_list`."""
def from_variant(variant: _Any, structure: _Any) -> _Any:
    """The dataset that a tensor stands for. Mirrors `tf.data.experimental.from_variant`."""
def get_next_as_optional(iterator: _Any) -> _Any:
    """`iterator.get_next_as_optional()`. Mirrors `tf.data.experimental.get_next_as_optional`."""
def get_single_element(dataset: _Any) -> _Any:
    """`dataset.get_single_element()`. Mirrors `tf.data.experimental.get_single_element`."""
def get_structure(dataset_or_iterator: _Any) -> _Any:
    """The `element_spec` of a dataset or iterator. Mirrors `tf.data.experimental.get_structure`."""
def group_by_reducer(key_func: _Any, reducer: _Any) -> _Any:
    """Makes one element of all with one key, in the order of the keys. Mirrors `tf.data.experimental.group_by_reducer`."""
def group_by_window(*args: _Any, **kwargs: _Any) -> _Any:
    """`tf.data.Dataset.group_by_window` as a function, for `tf.data.Dataset.apply`."""
def ignore_errors(*args: _Any, **kwargs: _Any) -> _Any:
    """`tf.data.Dataset.ignore_errors` as a function, for `tf.data.Dataset.apply`."""
def index_table_from_dataset(dataset: _Any = None, num_oov_buckets: _Any = 0, vocab_size: _Any = None, default_value: _Any = -1, hasher_spec: _Any = None, key_dtype: _Any = ..., name: _Any = None) -> _Any:
    """A table of the positions of keys in a dataset. Mirrors `tf.data.experimental.index_table_from_dataset`."""
def load(path: _Any, element_spec: _Any = None, compression: _Any = None, reader_func: _Any = None) -> _Any:
    """`tf.data.Dataset.load(...)`. Mirrors `tf.data.experimental.load`."""
def make_batched_features_dataset(file_pattern: _Any, batch_size: _Any, features: _Any, reader: _Any = None, label_key: _Any = None, reader_args: _Any = None, num_epochs: _Any = None, shuffle: _Any = True, shuffle_buffer_size: _Any = 10000, shuffle_seed: _Any = None, prefetch_buffer_size: _Any = None, reader_num_threads: _Any = None, parser_num_threads: _Any = None, sloppy_ordering: _Any = False, drop_final_batch: _Any = False) -> _Any:
    """Batches of features from files of examples. Mirrors `tf.data.experimental.make_batched_features_dataset`."""
def make_csv_dataset(file_pattern: _Any, batch_size: _Any, column_names: _Any = None, column_defaults: _Any = None, label_name: _Any = None, select_columns: _Any = None, field_delim: _Any = ',', use_quote_delim: _Any = True, na_value: _Any = '', header: _Any = True, num_epochs: _Any = None, shuffle: _Any = True, shuffle_buffer_size: _Any = 10000, shuffle_seed: _Any = None, prefetch_buffer_size: _Any = None, num_parallel_reads: _Any = None, sloppy: _Any = False, num_rows_for_inference: _Any = 100, compression_type: _Any = None, ignore_errors: _Any = False, encoding: _Any = 'utf-8') -> _Any:
    """Batches of CSV files' lines, as dictionaries of columns. Mirrors `tf.data.experimental.make_csv_dataset`."""
def map_and_batch(map_func: _Any, batch_size: _Any, num_parallel_batches: _Any = None, drop_remainder: _Any = False, num_parallel_calls: _Any = None) -> _Any:
    """`map`, then `batch`. Mirrors `tf.data.experimental.map_and_batch`."""
def pad_to_cardinality(cardinality: _Any, mask_key: _Any = 'valid') -> _Any:
    """Adds elements of zeros until there are so many. Mirrors `tf.data.experimental.pad_to_cardinality`."""
def parallel_interleave(map_func: _Any, cycle_length: _Any, block_length: _Any = 1, sloppy: _Any = False, buffer_output_elements: _Any = None, prefetch_input_elements: _Any = None) -> _Any:
    """`interleave`; its order is deterministic whatever `sloppy` says. Mirrors `tf.data.experimental.parallel_interleave`."""
def parse_example_dataset(features: _Any, num_parallel_calls: _Any = 1, deterministic: _Any = None) -> _Any:
    """Makes of batches of serialized examples dictionaries of features. Mirrors `tf.data.experimental.parse_example_dataset`."""
def prefetch_to_device(device: _Any, buffer_size: _Any = None) -> _Any:
    """`prefetch`: operations bring elements to the device where they run. Mirrors `tf.data.experimental.prefetch_to_device`."""
def rejection_resample(*args: _Any, **kwargs: _Any) -> _Any:
    """`tf.data.Dataset.rejection_resample` as a function, for `tf.data.Dataset.apply`."""
def sample_from_datasets(datasets: _Any, weights: _Any = None, seed: _Any = None, stop_on_empty_dataset: _Any = False) -> _Any:
    """`tf.data.Dataset.sample_from_datasets`. Mirrors `tf.data.experimental.sample_from_datasets`."""
def save(dataset: _Any, path: _Any, compression: _Any = None, shard_func: _Any = None, checkpoint_args: _Any = None) -> _Any:
    """`dataset.save(...)`. Mirrors `tf.data.experimental.save`."""
def scan(*args: _Any, **kwargs: _Any) -> _Any:
    """`tf.data.Dataset.scan` as a function, for `tf.data.Dataset.apply`."""
def shuffle_and_repeat(buffer_size: _Any, count: _Any = None, seed: _Any = None) -> _Any:
    """`shuffle`, then `repeat`. Mirrors `tf.data.experimental.shuffle_and_repeat`."""
def snapshot(*args: _Any, **kwargs: _Any) -> _Any:
    """`tf.data.Dataset.snapshot` as a function, for `tf.data.Dataset.apply`."""
def table_from_dataset(dataset: _Any = None, num_oov_buckets: _Any = 0, vocab_size: _Any = None, default_value: _Any = None, hasher_spec: _Any = None, key_dtype: _Any = ..., name: _Any = None) -> _Any:
    """A table of the pairs in a dataset. Mirrors `tf.data.experimental.table_from_dataset`."""
def take_while(*args: _Any, **kwargs: _Any) -> _Any:
    """`tf.data.Dataset.take_while` as a function, for `tf.data.Dataset.apply`."""
def to_variant(dataset: _Any) -> _Any:
    """The tensor that stands for a dataset. Mirrors `tf.data.experimental.to_variant`."""
def unbatch(*args: _Any, **kwargs: _Any) -> _Any:
    """`tf.data.Dataset.unbatch` as a function, for `tf.data.Dataset.apply`."""
def unique(*args: _Any, **kwargs: _Any) -> _Any:
    """`tf.data.Dataset.unique` as a function, for `tf.data.Dataset.apply`."""
