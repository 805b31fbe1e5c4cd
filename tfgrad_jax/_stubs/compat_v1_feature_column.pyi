"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
def bucketized_column(source_column: _Any, boundaries: _Any) -> _Any:
    """Numbers by the interval that they are in. Mirrors `tf.feature_column.bucketized_column`."""
def categorical_column_with_hash_bucket(key: _Any, hash_bucket_size: _Any, dtype: _Any = ...) -> _Any:
    """Ids of values by a hash. Mirrors `tf.feature_column.categorical_column_with_hash_bucket`."""
def categorical_column_with_identity(key: _Any, num_buckets: _Any, default_value: _Any = None) -> _Any:
    """Integers that are ids already. Mirrors `tf.feature_column.categorical_column_with_identity`."""
def categorical_column_with_vocabulary_file(key: _Any, vocabulary_file: _Any, vocabulary_size: _Any = None, num_oov_buckets: _Any = 0, default_value: _Any = None, dtype: _Any = ...) -> _Any:
    """`categorical_column_with_vocabulary_file` with its arguments in another order."""
def categorical_column_with_vocabulary_list(key: _Any, vocabulary_list: _Any, dtype: _Any = None, default_value: _Any = -1, num_oov_buckets: _Any = 0) -> _Any:
    """Ids of values by their place in a list. Mirrors `tf.feature_column.categorical_column_with_vocabulary_list`."""
def crossed_column(keys: _Any, hash_bucket_size: _Any, hash_key: _Any = None) -> _Any:
    """Every combination of categories, by a hash. Mirrors `tf.feature_column.crossed_column`."""
def embedding_column(categorical_column: _Any, dimension: _Any, combiner: _Any = 'mean', initializer: _Any = None, ckpt_to_load_from: _Any = None, tensor_name_in_ckpt: _Any = None, max_norm: _Any = None, trainable: _Any = True, use_safe_embedding_lookup: _Any = True) -> _Any:
    """A vector for each category, learned. Mirrors `tf.feature_column.embedding_column`."""
def indicator_column(categorical_column: _Any) -> _Any:
    """How often each category comes in an example. Mirrors `tf.feature_column.indicator_column`."""
def input_layer(features: _Any, feature_columns: _Any, weight_collections: _Any = None, trainable: _Any = True, cols_to_vars: _Any = None, cols_to_output_tensors: _Any = None) -> _Any:
    """The numbers of dense columns side by side, in the order of their names. Mirrors `tf.compat.v1.feature_column.input_layer`."""
def linear_model(features: _Any, feature_columns: _Any, units: _Any = 1, sparse_combiner: _Any = 'sum', weight_collections: _Any = None, trainable: _Any = True, cols_to_vars: _Any = None) -> _Any:
    """The sum of all columns' values, each with a weight of its own. Mirrors `tf.compat.v1.feature_column.linear_model`."""
def make_parse_example_spec(feature_columns: _Any) -> _Any:
    """What `tf.io.parse_example` needs to read the features of columns. Mirrors `tf.feature_column.make_parse_example_spec`."""
def numeric_column(key: _Any, shape: _Any = ..., default_value: _Any = None, dtype: _Any = ..., normalizer_fn: _Any = None) -> _Any:
    """Numbers as they are. Mirrors `tf.feature_column.numeric_column`."""
def sequence_numeric_column(key: _Any, shape: _Any = ..., default_value: _Any = ..., dtype: _Any = ..., normalizer_fn: _Any = None) -> _Any:
    """Numbers of sequences. Mirrors `tf.feature_column.sequence_numeric_column`."""
def shared_embedding_columns(categorical_columns: _Any, dimension: _Any, combiner: _Any = 'mean', initializer: _Any = None, shared_embedding_collection_name: _Any = None, ckpt_to_load_from: _Any = None, tensor_name_in_ckpt: _Any = None, max_norm: _Any = None, trainable: _Any = True, use_safe_embedding_lookup: _Any = True) -> _Any:
    """Vectors for categories that columns share, in graphs for sessions."""
def weighted_categorical_column(categorical_column: _Any, weight_feature_key: _Any, dtype: _Any = ...) -> _Any:
    """Categories with a weight each. Mirrors `tf.feature_column.weighted_categorical_column`."""
