"""Columns of sequences: numbers that come step by step, as layers of Keras 2 for sequences take them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from tfgrad_jax.composite.sparse.dense import to_dense
from tfgrad_jax.composite.sparse_tensor import SparseTensor
from tfgrad_jax.engine.messages.errors import left_to_subclass
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.lib.feature_column.base import FeatureColumn, OfOneFeature, check_number, sizes_in
from tfgrad_jax.lib.io.features import VarLenFeature
from tfgrad_jax.ops.array.shape import reshape
from tfgrad_jax.ops.common import sizes_of
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.rounding import maximum
from tfgrad_jax.ops.segments.segment import unsorted_segment_max


class TensorSequenceLengthPair(NamedTuple):
    """What a column of sequences gives: numbers by example and step, and how many steps each example has."""

    dense_tensor: Any
    sequence_length: Any


@export("__internal__.feature_column.SequenceDenseColumn")
class SequenceDenseColumn(FeatureColumn):
    """A column that gives numbers for each step of a sequence."""

    TensorSequenceLengthPair: Any = TensorSequenceLengthPair

    def get_sequence_dense_tensor(self, transformation_cache: Any, state_manager: Any) -> Any:
        """The numbers of all examples, and their lengths."""
        raise left_to_subclass(self, "get_sequence_dense_tensor")


class _Numbers(NamedTuple):
    key: str
    shape: tuple[int, ...]
    default_value: Any
    dtype: Any
    normalizer_fn: Callable[..., Any] | None


class SequenceNumericColumn(_Numbers, OfOneFeature, SequenceDenseColumn):
    """Numbers of sequences; what `sequence_numeric_column` returns."""

    @property
    def feature(self) -> Any:
        return VarLenFeature(self.dtype)

    @property
    def variable_shape(self) -> Any:
        """The shape of the numbers of one step."""
        return TensorShape(self.shape)

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> Any:
        given = transformation_cache.get(self.key, state_manager)
        return given if self.normalizer_fn is None else self.normalizer_fn(given)

    def get_sequence_dense_tensor(self, transformation_cache: Any, state_manager: Any) -> Any:
        given = transformation_cache.get(self, state_manager)
        if not isinstance(given, SparseTensor):
            raise TypeError(f"Input must be a SparseTensor. key: {self.key}, got {type(given).__name__}")
        table = to_dense(given, default_value=self.default_value)
        examples = sizes_of(table)[0]
        dense = reshape(table, [examples, -1, *self.shape])
        # Without a dimension of their own, the numbers of a step stand one after the other.
        each = math.prod(self.shape) if given.shape.rank == 2 else 1
        last = maximum(unsorted_segment_max(given.indices[:, 1] + 1, given.indices[:, 0], examples), 0)
        return TensorSequenceLengthPair(dense, cast((last + each - 1) // each, dtypes.int64))


@export("feature_column.sequence_numeric_column", "compat.v1.feature_column.sequence_numeric_column")
def sequence_numeric_column(
    key: str, shape: Any = (1,), default_value: Any = 0.0, dtype: Any = dtypes.float32, normalizer_fn: Any = None
) -> SequenceNumericColumn:
    """Numbers of sequences. Mirrors `tf.feature_column.sequence_numeric_column`.

    Args:
      key: the name of the feature, a sparse tensor.
      shape: of the numbers of one step.
      default_value: stands where a sequence has ended.
      dtype: of the feature in files.
      normalizer_fn: a function of the sparse tensor.

    Raises:
      ValueError: if shape or dtype make no sense.
      TypeError: if `normalizer_fn` cannot be called, or a size is no integer.
    """
    sizes = sizes_in(shape, key)
    check_number(dtype, f"dtype must be convertible to float. dtype: {dtype}, key: {key}")
    if normalizer_fn is not None and not callable(normalizer_fn):
        raise TypeError(f"normalizer_fn must be a callable. Given: {normalizer_fn}")
    return SequenceNumericColumn(key, sizes, default_value, dtype, normalizer_fn)
