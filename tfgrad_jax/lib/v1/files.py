"""`tf.compat.v1`'s readers of records, and where programs find their files."""

from __future__ import annotations

import inspect
import os
import tempfile
from collections.abc import Iterator
from typing import Any

from tfgrad_jax.engine.names.export import export, export_value
from tfgrad_jax.lib.io.gfile import GFile
from tfgrad_jax.lib.io.records import TFRecordOptions, read_records

export_value(
    "legacy_init_op", "compat.v1.saved_model.LEGACY_INIT_OP_KEY", "compat.v1.saved_model.constants.LEGACY_INIT_OP_KEY"
)
export_value("saved_model_main_op", "compat.v1.saved_model.MAIN_OP_KEY", "compat.v1.saved_model.constants.MAIN_OP_KEY")


@export("compat.v1.io.TFRecordCompressionType", "compat.v1.python_io.TFRecordCompressionType")
class TFRecordCompressionType:
    """How records are packed. Mirrors `tf.compat.v1.io.TFRecordCompressionType`."""

    NONE = 0
    ZLIB = 1
    GZIP = 2


_KINDS = {TFRecordCompressionType.ZLIB: "ZLIB", TFRecordCompressionType.GZIP: "GZIP"}


@export("compat.v1.io.tf_record_iterator", "compat.v1.python_io.tf_record_iterator")
def tf_record_iterator(path: Any, options: Any = None) -> Iterator[bytes]:
    """The records of a file. Mirrors `tf.compat.v1.io.tf_record_iterator`.

    Args:
      path: of the file.
      options: a `tf.io.TFRecordOptions`, or how the records are packed.
    """
    kind = _KINDS.get(options, options) if isinstance(options, int) else options
    return iter(read_records(path, TFRecordOptions.get_compression_type_string(kind)))


_temporary: list[str] = []


@export("compat.v1.test.get_temp_dir")
def get_temp_dir() -> str:
    """A directory for files of tests, one for the whole program. Mirrors `tf.compat.v1.test.get_temp_dir`."""
    if not _temporary:
        _temporary.append(tempfile.mkdtemp())
    return _temporary[0]


@export("compat.v1.resource_loader.get_data_files_path")
def get_data_files_path() -> str:
    """The directory of the calling file. Mirrors `tf.compat.v1.resource_loader.get_data_files_path`."""
    return os.path.dirname(inspect.stack(0)[1].filename)


@export("compat.v1.resource_loader.get_path_to_datafile")
def get_path_to_datafile(path: str) -> str:
    """A path below the directory of the calling file. Mirrors `tf.compat.v1.resource_loader.get_path_to_datafile`."""
    return os.path.join(os.path.dirname(inspect.stack(0)[1].filename), path)


@export("compat.v1.resource_loader.load_resource")
def load_resource(path: str) -> bytes:
    """What is in a file below the working directory. Mirrors `tf.compat.v1.resource_loader.load_resource`."""
    with GFile(path, "rb") as file:
        return file.read()
