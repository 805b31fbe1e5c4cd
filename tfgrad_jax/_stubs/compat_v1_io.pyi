"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax.lib.v1.files import TFRecordCompressionType as TFRecordCompressionType
def decode_csv(records: _Any, record_defaults: _Any, field_delim: _Any = ',', use_quote_delim: _Any = True, name: _Any = None, na_value: _Any = '', select_cols: _Any = None) -> _Any:
    """`tf.io.decode_csv` with its arguments in another order. Mirrors `tf.compat.v1.decode_csv`."""
def decode_raw(input_bytes: _Any = None, out_type: _Any = None, little_endian: _Any = True, name: _Any = None, bytes: _Any = None) -> _Any:
    """`tf.io.decode_raw`, whose first argument may be called `bytes`. Mirrors `tf.compat.v1.decode_raw`."""
def match_filenames_once(pattern: _Any, name: _Any = None) -> _Any:
    """The files that fit patterns when local variables are initialized. Mirrors `tf.io.match_filenames_once`."""
def parse_example(serialized: _Any, features: _Any, name: _Any = None, example_names: _Any = None) -> _Any:
    """`tf.io.parse_example` with its arguments in another order. Mirrors `tf.compat.v1.parse_example`."""
def parse_single_example(serialized: _Any, features: _Any, name: _Any = None, example_names: _Any = None) -> _Any:
    """`tf.io.parse_single_example` with its arguments in another order. Mirrors `tf.compat.v1.parse_single_example`."""
def tf_record_iterator(path: _Any, options: _Any = None) -> _Any:
    """The records of a file. Mirrors `tf.compat.v1.io.tf_record_iterator`."""
def write_graph(graph_or_graph_def: _Any, logdir: _Any, name: _Any, as_text: _Any = True) -> _Any:
    """Write a graph or a `GraphDef` to a file. Mirrors `tf.io.write_graph`."""
