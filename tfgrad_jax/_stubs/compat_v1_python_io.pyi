"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax.lib.v1.files import TFRecordCompressionType as TFRecordCompressionType
def tf_record_iterator(path: _Any, options: _Any = None) -> _Any:
    """The records of a file. Mirrors `tf.compat.v1.io.tf_record_iterator`."""
