"""What all feature columns have in common, and the features that they read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from tfgrad_jax.composite.sparse_tensor import SparseTensor
from tfgrad_jax.engine.messages.errors import left_to_subclass
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import DType, as_dtype
from tfgrad_jax.ops.array.gather import gather_nd, where
from tfgrad_jax.ops.array.shape import expand_dims
from tfgrad_jax.ops.array.sizes import shape
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.compare import not_equal


class FeatureColumn:
    """Base of all columns: a description of how a feature becomes numbers. Subclasses are named tuples of their settings."""

    @property
    def name(self) -> str:
        """What the column is called; columns are sorted by it."""
        raise left_to_subclass(self, "name")

    @property
    def scope_name(self) -> str:
        """The scope that the variables of the column are in."""
        return self.name

    @property
    def parents(self) -> list[Any]:
        """The columns, or names of features, that this one reads."""
        raise left_to_subclass(self, "parents")

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """The features that the column reads, as `tf.io.parse_example` takes them."""
        found: dict[str, Any] = {}
        for parent in self.parents:
            found.update(parent.parse_example_spec)
        return found

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> Any:
        """What the column makes of the features, once for all that read it."""
        raise left_to_subclass(self, "transform_feature")

    def create_state(self, state_manager: Any) -> None:
        """Make the column's variables, of which most columns have none."""

    def get_config(self) -> dict[str, Any]:
        """The settings as plain values: dtypes and functions by their names, columns and objects by class and settings."""
        settings = zip(self._fields, self)  # type: ignore[attr-defined, call-overload]
        return {name: _plain(value) for name, value in settings}


def _plain(value: Any) -> Any:
    if isinstance(value, DType):
        return value.name
    if hasattr(value, "get_config"):
        return {"class_name": type(value).__name__, "config": value.get_config()}
    if isinstance(value, tuple):
        return tuple([_plain(part) for part in value])
    return value.__name__ if hasattr(value, "__name__") else value


class OfOneFeature(FeatureColumn):
    """A column that reads the feature after which it is called."""

    key: str

    @property
    def name(self) -> str:
        return self.key

    @property
    def parents(self) -> list[Any]:
        return [self.key]

    @property
    def feature(self) -> Any:
        """How `tf.io.parse_example` reads the feature."""
        raise left_to_subclass(self, "feature")

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        return {self.key: self.feature}


class DenseColumn(FeatureColumn):
    """A column whose numbers are a dense tensor."""

    @property
    def variable_shape(self) -> Any:
        """The shape of the numbers of one example."""
        raise left_to_subclass(self, "variable_shape")

    def get_dense_tensor(self, transformation_cache: Any, state_manager: Any) -> Any:
        """The numbers of all examples."""
        return transformation_cache.get(self, state_manager)


class IdWeightPair(NamedTuple):
    """What a categorical column gives: ids as a sparse tensor, and their weights or None."""

    id_tensor: Any
    weight_tensor: Any


class CategoricalColumn(FeatureColumn):
    """A column whose values are ids of categories."""

    @property
    def num_buckets(self) -> int:
        """How many categories there are."""
        raise left_to_subclass(self, "num_buckets")

    def get_sparse_tensors(self, transformation_cache: Any, state_manager: Any) -> IdWeightPair:
        """The ids of all examples."""
        return IdWeightPair(transformation_cache.get(self, state_manager), None)


class FeatureTransformationCache:
    """Features, and what columns made of them.

    Args:
      features: tensors by name.
    """

    def __init__(self, features: Mapping[str, Any]) -> None:
        self._features = features
        self._made: dict[Any, Any] = {}

    def get(self, key: Any, state_manager: Any = None, training: Any = None) -> Any:
        """A feature as a tensor with examples along the first axis, or what a column makes of the features.

        Raises:
          ValueError: if there is no such feature, or it is a scalar.
          TypeError: if `key` is neither a name nor a column.
        """
        if key not in self._made:
            if not isinstance(key, (str, FeatureColumn)):
                raise TypeError(f'"key" must be either a "str" or "FeatureColumn". Provided: {key}')
            if isinstance(key, FeatureColumn):
                self._made[key] = key.transform_feature(self, state_manager)
            elif key in self._features:
                self._made[key] = _with_examples(key, self._features[key])
            else:
                raise ValueError(f"Feature {key} is not in features dictionary.")
        return self._made[key]


def _with_examples(key: str, feature: Any) -> Any:
    if isinstance(feature, SparseTensor):
        return feature
    tensor = convert(feature)
    if tensor.shape.rank == 0:
        raise ValueError(f"Feature (key: {key}) cannot have rank 0. Given: {tensor}")
    return expand_dims(tensor, -1) if tensor.shape.rank == 1 else tensor


def sparse_of(feature: Any, ignored: Any = None) -> SparseTensor:
    """A feature as a sparse tensor, without what stands for nothing: -1 among integers, empty strings.

    Args:
      feature: a tensor, sparse or not.
      ignored: another value that stands for nothing.
    """
    if isinstance(feature, SparseTensor):
        return feature
    if ignored is None:
        ignored = b"" if feature.dtype is dtypes.string else -1 if feature.dtype.is_integer else 0
    places = where(not_equal(feature, convert(ignored, feature.dtype)))
    return SparseTensor(places, gather_nd(feature, places), cast(shape(feature), dtypes.int64))


def check_key(key: Any) -> None:
    """Make sure that a feature's name is a string.

    Raises:
      ValueError: if not.
    """
    if not isinstance(key, str):
        raise ValueError(f"key must be a string. Got: type {type(key)}. Given key: {key}.")


def check_dtype(dtype: Any) -> Any:
    """A dtype as given to a column.

    Raises:
      AttributeError: if it is the name of one, which columns do not take.
    """
    if isinstance(dtype, str):
        raise AttributeError(
            f"tf.feature_column: a dtype must be a tf.DType, such as tf.float32, got the string {dtype!r}"
        )
    return as_dtype(dtype)


def check_number(dtype: Any, message: str) -> Any:
    """A dtype of numbers.

    Raises:
      ValueError: with this message, if it is another.
    """
    found = check_dtype(dtype)
    if not (found.is_integer or found.is_floating):
        raise ValueError(message)
    return found


def sizes_in(shape: Any, key: Any) -> tuple[int, ...]:
    """The shape of the numbers of a column.

    Raises:
      TypeError: if a size is no integer.
      ValueError: if there is none.
    """
    sizes = tuple(shape) if hasattr(shape, "__iter__") else (shape,)
    if not all(isinstance(n, (int, np.integer)) for n in sizes):
        raise TypeError(f"shape dimensions must be integer. shape: {sizes}, key: {key}")
    if any(n < 1 for n in sizes):
        raise ValueError(f"shape dimensions must be greater than 0. shape: {sizes}, key: {key}")
    return tuple([int(n) for n in sizes])


def specs_of(columns: Iterable[Any]) -> dict[str, Any]:
    """The features that columns read, together.

    Raises:
      ValueError: if something is no column, or two columns read one feature in different ways.
    """
    found: dict[str, Any] = {}
    for column in columns:
        if not isinstance(column, FeatureColumn):
            raise ValueError(f"All feature_columns must be FeatureColumn instances. Given: {column}")
        for key, value in column.parse_example_spec.items():
            if found.setdefault(key, value) != value:
                raise ValueError(
                    f"feature_columns contain different parse_spec for key {key}. Given {value} and {found[key]}"
                )
    return found
