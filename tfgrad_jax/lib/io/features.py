"""What a feature of an example shall become: `tf.io.FixedLenFeature` and its kin."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from tfgrad_jax.engine.names.export import export, export_value
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.dtypes import as_dtype

FixedLenFeature = export_value(
    namedtuple("FixedLenFeature", ["shape", "dtype", "default_value"], defaults=[None]), "io.FixedLenFeature"
)
FixedLenFeature.__doc__ = """A feature with as many values in every example. Mirrors `tf.io.FixedLenFeature`.

Args:
  shape: the shape of its values.
  dtype: float32, int64 or string.
  default_value: what stands for a feature that is missing; None if none may be.
"""

VarLenFeature = export_value(namedtuple("VarLenFeature", ["dtype"]), "io.VarLenFeature")
VarLenFeature.__doc__ = """A feature with any number of values, which becomes sparse. Mirrors `tf.io.VarLenFeature`.

Args:
  dtype: float32, int64 or string.
"""

FixedLenSequenceFeature = export_value(
    namedtuple("FixedLenSequenceFeature", ["shape", "dtype", "allow_missing", "default_value"], defaults=[False, None]),
    "io.FixedLenSequenceFeature",
)
FixedLenSequenceFeature.__doc__ = """A feature that is a sequence of elements of one shape. Mirrors `tf.io.FixedLenSequenceFeature`.

Args:
  shape: the shape of an element.
  dtype: float32, int64 or string.
  allow_missing: whether an example may lack it, and so has a sequence of length 0.
  default_value: what shorter sequences are filled up with; zero, or the empty string, by default.
"""

SparseFeature = export_value(
    namedtuple("SparseFeature", ["index_key", "value_key", "dtype", "size", "already_sorted"], defaults=[False]),
    "io.SparseFeature",
)
SparseFeature.__doc__ = """Two features or more that are places and values of a sparse tensor. Mirrors `tf.io.SparseFeature`.

Args:
  index_key: the feature, or list of features, with the places in each dimension.
  value_key: the feature with the values.
  dtype: the dtype of the values.
  size: the size, or list of sizes.
  already_sorted: whether the places of each example ascend.
"""


@export("io.RaggedFeature")
class RaggedFeature(namedtuple("RaggedFeature", ["dtype", "value_key", "partitions", "row_splits_dtype", "validate"])):
    """A feature that becomes ragged. Mirrors `tf.io.RaggedFeature`.

    Args:
      dtype: float32, int64 or string.
      value_key: the feature with the values; the key under which this stands by default.
      partitions: how the values are parted into rows, those into rows and so on, the outermost first.
      row_splits_dtype: int32 or int64.
      validate: whether it is checked that the partitions fit.

    Raises:
      TypeError: if a partition is none, or `validate` is no bool.
      ValueError: if a dtype is none of these, or a key no text.
    """

    RowSplits = namedtuple("RowSplits", ["key"])
    RowLengths = namedtuple("RowLengths", ["key"])
    RowStarts = namedtuple("RowStarts", ["key"])
    RowLimits = namedtuple("RowLimits", ["key"])
    ValueRowIds = namedtuple("ValueRowIds", ["key"])
    UniformRowLength = namedtuple("UniformRowLength", ["length"])

    def __new__(
        cls,
        dtype: Any,
        value_key: str | None = None,
        partitions: Any = (),
        row_splits_dtype: Any = dtypes.int32,
        validate: bool = False,
    ) -> RaggedFeature:
        kinds = (cls.RowSplits, cls.RowLengths, cls.RowStarts, cls.RowLimits, cls.ValueRowIds, cls.UniformRowLength)
        kind, splits = as_dtype(dtype), as_dtype(row_splits_dtype)
        if kind not in (dtypes.float32, dtypes.int64, dtypes.string):
            raise ValueError(f"tf.io.RaggedFeature: `dtype` must be int64, float32 or string, got {kind.name}")
        if splits not in (dtypes.int32, dtypes.int64):
            raise ValueError(f"tf.io.RaggedFeature: `row_splits_dtype` must be int32 or int64, got {splits.name}")
        if value_key is not None and not isinstance(value_key, str):
            raise ValueError(f"tf.io.RaggedFeature: `value_key` must be a string, got {value_key!r}")
        if not isinstance(validate, bool):
            raise TypeError(f"tf.io.RaggedFeature: `validate` must be a bool, got {validate!r}")
        if not isinstance(partitions, (list, tuple)) or isinstance(partitions, kinds):
            raise TypeError(f"tf.io.RaggedFeature: `partitions` must be a list or tuple of them, got {partitions!r}")
        for partition in partitions:
            if not isinstance(partition, kinds):
                names = ", ".join(known.__name__ for known in kinds)
                raise TypeError(f"tf.io.RaggedFeature: {partition!r} is no partition; those are {names}")
        return super().__new__(cls, kind, value_key, tuple(partitions), splits, validate)
