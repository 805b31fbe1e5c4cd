"""`tf.io.parse_example`: serialized examples as tensors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from tfgrad_jax.composite.ragged.tensor import RaggedTensor
from tfgrad_jax.composite.sparse_tensor import SparseTensor
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import DType, as_dtype
from tfgrad_jax.engine.values.numbers import c_name
from tfgrad_jax.engine.values.shapes import UNRANKED, TensorShape
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.io.features import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    SparseFeature,
    VarLenFeature,
)
from tfgrad_jax.ops.array.shape import reshape
from tfgrad_jax.ops.array.sizes import size
from tfgrad_jax.ops.io.example_parts import DENSE, INDEXED, PADDED, RAGGED, SPARSE, keys_of, trailing
from tfgrad_jax.ops.io.example_rows import KINDS
from tfgrad_jax.ops.io.parse_example import parse_example_arrays

_GROUPS = {DENSE: "Dense", PADDED: "Dense", SPARSE: "sparse", INDEXED: "sparse", RAGGED: "ragged"}


class Wanted:
    """Features as the operation takes them.

    Attributes:
      keys: the keys of the results, in their order.
      parts: a declaration each, see `ops/io/example_parts.py`.
      defaults: the tensors that declarations name by position.
      features: the features as they were given.
    """

    def __init__(self, features: Mapping[str, Any], op: str) -> None:
        self.features = features
        self.defaults: list[Tensor] = []
        found = {key: self._part(key, features[key], op) for key in sorted(features)}
        order = [(SPARSE,), (DENSE, PADDED), (RAGGED,), (INDEXED,)]
        self.keys = [key for kinds in order for key, part in found.items() if part[0] in kinds]
        self.parts = tuple(found[key] for key in self.keys)
        self._check()

    def _part(self, key: str, feature: Any, op: str) -> tuple[Any, ...]:
        kinds: Any = (FixedLenFeature, FixedLenSequenceFeature, VarLenFeature, SparseFeature, RaggedFeature)
        if not isinstance(feature, kinds):
            raise ValueError(f"Unsupported {type(feature).__name__} {feature!r} for key {key!r}")
        if isinstance(key, bytes):
            key = key.decode()
        if not isinstance(key, str):
            raise TypeError(f"Keys of features are strings, got {key!r}")
        if not feature.dtype:
            raise ValueError(f"Missing type for feature {key}. Received feature={feature}")
        dtype = as_dtype(feature.dtype)
        if dtype not in KINDS:
            raise invalid_argument(
                f"Value for the dtype {c_name(dtype)} of feature {key} is not in the list of allowed values: float, int64, string",
                op,
            )
        if isinstance(feature, VarLenFeature):
            return SPARSE, key, dtype
        if isinstance(feature, SparseFeature):
            return self._indexed(key, feature, dtype)
        if isinstance(feature, RaggedFeature):
            partitions = tuple((type(p).__name__, p[0]) for p in feature.partitions)
            return RAGGED, feature.value_key or key, dtype, partitions, feature.row_splits_dtype, feature.validate
        return self._dense(key, feature, dtype, op)

    def _dense(self, key: str, feature: Any, dtype: DType, op: str) -> tuple[Any, ...]:
        if feature.shape is None:
            raise ValueError(f"Missing shape for feature {key}. Received feature={feature}.")
        known = TensorShape(feature.shape)
        fixed = isinstance(feature, FixedLenFeature)
        if fixed and known.rank and known[0] is None:
            raise ValueError(
                f"First dimension of shape for feature {key} unknown. Consider using FixedLenSequenceFeature. Received "
                f"feature={feature}."
            )
        if not known.is_fully_defined():
            raise ValueError(f"All dimensions of shape for feature {key} need to be known but received {known}.")
        if not fixed and not feature.allow_missing:
            raise ValueError(
                f"Unsupported: FixedLenSequenceFeature requires allow_missing to be True. Received feature={feature} for {key}."
            )
        place = -1
        if feature.default_value is not None:
            default = convert(feature.default_value, dtype)
            if not fixed and default.shape.num_elements() != 1:
                raise invalid_argument(
                    f"The default_value of feature {key}, which fills up sequences, must be one value, got {default.shape}",
                    op,
                )
            # A default of no values is none, also for features of no values.
            place = -1 if fixed and default.shape.num_elements() == 0 else len(self.defaults)
            self.defaults.append(reshape(default, known) if fixed and default.shape != known else default)
        return DENSE if fixed else PADDED, key, dtype, tuple(known.as_list()), place

    @staticmethod
    def _indexed(key: str, feature: Any, dtype: DType) -> tuple[Any, ...]:
        if not feature.index_key or not feature.value_key:
            raise ValueError(f"Missing index_key or value_key for SparseFeature {key}: {feature}")
        many = isinstance(feature.index_key, (list, tuple))
        if isinstance(feature.size, (list, tuple)) is not many:
            raise TypeError(
                f"SparseFeature {key} has a list of index keys or of sizes, and the other is none: {feature}"
            )
        keys = tuple(feature.index_key) if many else (feature.index_key,)
        sizes = tuple(feature.size) if many else (feature.size,)
        for text, number in zip(keys, sizes, strict=False):
            if not isinstance(text, str) or not isinstance(number, (int, np.integer)):
                raise TypeError(f"SparseFeature {key} needs strings as index keys and integers as sizes, got {feature}")
        if len(keys) != len(sizes):
            raise ValueError(f"SparseFeature {key} has {len(keys)} index keys, but {len(sizes)} sizes")
        return INDEXED, keys, feature.value_key, dtype, sizes, bool(feature.already_sorted)

    def _check(self) -> None:
        """One feature of an example has one dtype, and becomes a tensor of one kind."""
        known: dict[str, tuple[str, DType]] = {}
        for part in self.parts:
            for key, dtype in keys_of(part):
                group, before = known.setdefault(key, (_GROUPS[part[0]], dtype))
                if group != _GROUPS[part[0]]:
                    raise ValueError(f"{group} and {_GROUPS[part[0]]} keys must not intersect; both have {key!r}")
                if before is not dtype:
                    raise ValueError(f"Conflicting type {before!r} vs {dtype!r} for feature {key}.")

    def results(self, arrays: Iterator[Tensor], levels: int) -> dict[str, Any]:
        """The results by key, of the arrays of the operation.

        Args:
          arrays: they, in order.
          levels: how many dimensions come before those of a feature: the examples, the steps.
        """
        return {key: self.result(key, part, arrays, levels) for key, part in zip(self.keys, self.parts, strict=True)}

    def result(self, key: str, part: tuple[Any, ...], arrays: Iterator[Tensor], levels: int) -> Any:
        """The result of one declaration."""
        return _assembled(part, self.features[key], arrays, levels)


def _assembled(part: tuple[Any, ...], feature: Any, arrays: Iterator[Tensor], levels: int) -> Any:
    if part[0] in (DENSE, PADDED):
        return next(arrays)
    if part[0] in (SPARSE, INDEXED):
        indices, values, sizes = next(arrays), next(arrays), next(arrays)
        if part[0] == SPARSE or not levels:
            return SparseTensor(indices, values, list(part[4]) if part[0] == INDEXED else sizes)
        sparse = SparseTensor(indices, values, sizes)
        sparse.set_shape([None, *[None if count < 0 else count for count in part[4]]])
        return sparse
    partitions = part[3][: len(part[3]) - trailing(part[3])]
    found: Any = next(arrays)
    rows = [*[("RowSplits", None)] * levels, *partitions]
    for (kind, length), splits in reversed([(row, next(arrays)) for row in rows]):
        if kind == "UniformRowLength":
            count: Any = size(splits, splits.dtype)
            found = RaggedTensor.from_uniform_row_length(
                found, convert(length, splits.dtype), count - 1, feature.validate
            )
        else:
            found = RaggedTensor.from_row_splits(found, splits, validate=feature.validate)
    return found


def levels_of(text: Tensor) -> int:
    """How many dimensions the results have in front for the examples: one, or none for a single example."""
    return int(text.spec.shape is UNRANKED or text.shape.rank != 0)


def _parsed(serialized: Any, features: Any, example_names: Any, op: str) -> dict[str, Any]:
    if not features:
        raise ValueError(f"Argument `features` cannot be None or falsy. Got {features}")
    wanted = Wanted(features, op)
    text = convert(serialized, dtypes.string)
    names = convert([] if example_names is None else example_names, dtypes.string)
    arrays = parse_example_arrays(text, names, wanted.defaults, wanted.parts)
    return wanted.results(iter(arrays), levels_of(text))


@export("io.parse_example")
def parse_example(serialized: Any, features: Any, example_names: Any = None, name: str | None = None) -> dict[str, Any]:
    """Serialized examples as tensors. Mirrors `tf.io.parse_example`.

    Args:
      serialized: a vector of serialized `tf.train.Example`s, or a single one.
      features: by key what each feature shall become: a `tf.io.FixedLenFeature` becomes a dense tensor, a
        `tf.io.FixedLenSequenceFeature` one that is filled up to the longest sequence, `tf.io.VarLenFeature` and
        `tf.io.SparseFeature` become sparse, `tf.io.RaggedFeature` ragged.
      example_names: what the examples are called in errors.
      name: accepted for compatibility.

    Returns:
      A dict by key.

    Raises:
      InvalidArgumentError: if an example is none, lacks a feature without default, or has another dtype or number of values.
      ValueError: if the features contradict each other.
    """
    return _parsed(serialized, features, example_names, "ParseExampleV2")


@export("io.parse_single_example")
def parse_single_example(
    serialized: Any, features: Any, example_names: Any = None, name: str | None = None
) -> dict[str, Any]:
    """One serialized example as tensors. Mirrors `tf.io.parse_single_example`.

    Args:
      serialized: a scalar, a serialized `tf.train.Example`.
      features: as for `tf.io.parse_example`.
      example_names: what the example is called in errors.
      name: accepted for compatibility.

    Returns:
      A dict by key.

    Raises:
      ValueError: if it is no scalar, or the features contradict each other.
      InvalidArgumentError: as `tf.io.parse_example`.
    """
    text = convert(serialized, dtypes.string)
    if text.shape.rank not in (0, None):
        raise ValueError(f"Input serialized must be a scalar, got shape {text.shape}")
    return _parsed(text, features, example_names, "ParseExampleV2")
