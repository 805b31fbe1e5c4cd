"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax._stubs import io_gfile
from tfgrad_jax.lib.io.features import RaggedFeature as RaggedFeature
from tfgrad_jax.lib.io.records import TFRecordOptions as TFRecordOptions
from tfgrad_jax.lib.io.records import TFRecordWriter as TFRecordWriter
gfile = io_gfile
class FixedLenFeature(_Any): ...
class FixedLenSequenceFeature(_Any): ...
class SparseFeature(_Any): ...
class VarLenFeature(_Any): ...
def decode_and_crop_jpeg(contents: _Any, crop_window: _Any, channels: _Any = 0, ratio: _Any = 1, fancy_upscaling: _Any = True, try_recover_truncated: _Any = False, acceptable_fraction: _Any = 1, dct_method: _Any = '', name: _Any = None) -> _Any:
    """The pixels of a part of a JPEG image. Mirrors `tf.io.decode_and_crop_jpeg`."""
def decode_base64(input: _Any, name: _Any = None) -> _Any:
    """The strings that are given in base64, in the alphabet with `-` and `_`; `=` at the end may be left out."""
def decode_bmp(contents: _Any, channels: _Any = 0, name: _Any = None) -> _Any:
    """The pixels of a BMP image. Mirrors `tf.io.decode_bmp`."""
def decode_compressed(bytes: _Any, compression_type: _Any = '', name: _Any = None) -> _Any:
    """Each string decompressed. Mirrors `tf.io.decode_compressed`."""
def decode_csv(records: _Any, record_defaults: _Any, field_delim: _Any = ',', use_quote_delim: _Any = True, na_value: _Any = '', select_cols: _Any = None, name: _Any = None) -> _Any:
    """Lines of comma-separated values as a tensor for each column. Mirrors `tf.io.decode_csv`."""
def decode_gif(contents: _Any, name: _Any = None) -> _Any:
    """The pixels of all frames of a GIF image. Mirrors `tf.io.decode_gif`."""
def decode_image(contents: _Any, channels: _Any = None, dtype: _Any = ..., name: _Any = None, expand_animations: _Any = True) -> _Any:
    """The pixels of a BMP, GIF, JPEG or PNG image. Mirrors `tf.io.decode_image`."""
def decode_jpeg(contents: _Any, channels: _Any = 0, ratio: _Any = 1, fancy_upscaling: _Any = True, try_recover_truncated: _Any = False, acceptable_fraction: _Any = 1, dct_method: _Any = '', name: _Any = None) -> _Any:
    """The pixels of a JPEG image. Mirrors `tf.io.decode_jpeg`."""
def decode_json_example(json_examples: _Any, name: _Any = None) -> _Any:
    """Examples written in JSON as serialized `tf.train.Example`s. Mirrors `tf.io.decode_json_example`."""
def decode_png(contents: _Any, channels: _Any = 0, dtype: _Any = ..., name: _Any = None) -> _Any:
    """The pixels of a PNG image. Mirrors `tf.io.decode_png`."""
def decode_proto(bytes: _Any, message_type: _Any, field_names: _Any, output_types: _Any, descriptor_source: _Any = 'local://', message_format: _Any = 'binary', sanitize: _Any = False, name: _Any = None) -> _Any:
    """Fields of serialized messages as tensors. Mirrors `tf.io.decode_proto`."""
def decode_raw(input_bytes: _Any, out_type: _Any, little_endian: _Any = True, fixed_length: _Any = None, name: _Any = None) -> _Any:
    """Bytes as the numbers that they are in memory. Mirrors `tf.io.decode_raw`."""
def decode_webp(contents: _Any, channels: _Any = 0, dtype: _Any = ..., name: _Any = None) -> _Any:
    """The pixels of all frames of a WebP image, `[frames, height, width, channels]`. Mirrors `tf.io.decode_webp`."""
def deserialize_many_sparse(serialized_sparse: _Any, dtype: _Any, rank: _Any = None, name: _Any = None) -> _Any:
    """The sparse tensor whose rows were written by `tf.io.serialize_sparse` or `serialize_many_sparse`."""
def encode_base64(input: _Any, pad: _Any = False, name: _Any = None) -> _Any:
    """Each string in base64, in the alphabet with `-` and `_`."""
def encode_jpeg(image: _Any, format: _Any = '', quality: _Any = 95, progressive: _Any = False, optimize_size: _Any = False, chroma_downsampling: _Any = True, density_unit: _Any = 'in', x_density: _Any = 300, y_density: _Any = 300, xmp_metadata: _Any = '', name: _Any = None) -> _Any:
    """An image as a JPEG file. Mirrors `tf.io.encode_jpeg`."""
def encode_png(image: _Any, compression: _Any = -1, name: _Any = None) -> _Any:
    """Images as PNG files. Mirrors `tf.io.encode_png`."""
def encode_proto(sizes: _Any, values: _Any, field_names: _Any, message_type: _Any, descriptor_source: _Any = 'local://', name: _Any = None) -> _Any:
    """Serialized messages of fields that are tensors. Mirrors `tf.io.encode_proto`."""
def extract_jpeg_shape(contents: _Any, output_type: _Any = ..., name: _Any = None) -> _Any:
    """Height, width and number of channels of a JPEG image, from its header. Mirrors `tf.io.extract_jpeg_shape`."""
def is_jpeg(contents: _Any, name: _Any = None) -> _Any:
    """Whether a file begins as a JPEG image does. Mirrors `tf.io.is_jpeg`."""
def match_filenames_once(pattern: _Any, name: _Any = None) -> _Any:
    """The files that fit patterns when local variables are initialized. Mirrors `tf.io.match_filenames_once`."""
def matching_files(pattern: _Any, name: _Any = None) -> _Any:
    """The files that one or more patterns stand for, in alphabetical order. Mirrors `tf.io.matching_files`."""
def parse_example(serialized: _Any, features: _Any, example_names: _Any = None, name: _Any = None) -> _Any:
    """Serialized examples as tensors. Mirrors `tf.io.parse_example`."""
def parse_sequence_example(serialized: _Any, context_features: _Any = None, sequence_features: _Any = None, example_names: _Any = None, name: _Any = None) -> _Any:
    """Serialized sequence examples as tensors. Mirrors `tf.io.parse_sequence_example`."""
def parse_single_example(serialized: _Any, features: _Any, example_names: _Any = None, name: _Any = None) -> _Any:
    """One serialized example as tensors. Mirrors `tf.io.parse_single_example`."""
def parse_single_sequence_example(serialized: _Any, context_features: _Any = None, sequence_features: _Any = None, example_name: _Any = None, name: _Any = None) -> _Any:
    """One serialized sequence example as tensors. Mirrors `tf.io.parse_single_sequence_example`."""
def parse_tensor(serialized: _Any, out_type: _Any, name: _Any = None) -> _Any:
    """The tensor that a serialized `TensorProto` stands for. Mirrors `tf.io.parse_tensor`."""
def read_file(filename: _Any, name: _Any = None) -> _Any:
    """All that is in a file. Mirrors `tf.io.read_file`."""
def serialize_many_sparse(sp_input: _Any, out_type: _Any = ..., name: _Any = None) -> _Any:
    """Each row of a sparse tensor as three strings. Mirrors `tf.io.serialize_many_sparse`."""
def serialize_sparse(sp_input: _Any, out_type: _Any = ..., name: _Any = None) -> _Any:
    """A sparse tensor as three strings. Mirrors `tf.io.serialize_sparse`."""
def serialize_tensor(tensor: _Any, name: _Any = None) -> _Any:
    """A tensor as bytes: a serialized `TensorProto`. Mirrors `tf.io.serialize_tensor`."""
def write_file(filename: _Any, contents: _Any, name: _Any = None) -> _Any:
    """Write a file anew, and the directories that it lies in. Mirrors `tf.io.write_file`."""
def write_graph(graph_or_graph_def: _Any, logdir: _Any, name: _Any, as_text: _Any = True) -> _Any:
    """Write a graph or a `GraphDef` to a file. Mirrors `tf.io.write_graph`."""
