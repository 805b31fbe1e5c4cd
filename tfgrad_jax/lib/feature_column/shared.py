"""Embeddings whose vectors several columns share, in graphs for sessions."""

from __future__ import annotations

from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from tfgrad_jax.engine.graph.func_graph import get_default_graph
from tfgrad_jax.engine.messages.errors import left_to_subclass
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.eager import executing_eagerly
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.lib.feature_column.base import CategoricalColumn
from tfgrad_jax.lib.feature_column.combined import WeightedCategoricalColumn
from tfgrad_jax.lib.feature_column.dense import OfEmbeddings, begin_with, check_embedding
from tfgrad_jax.lib.v1.collections import add_to_collection, get_collection
from tfgrad_jax.lib.v1.variable_scope import get_variable


class _Vectors:
    """The vectors of columns that share them, in each graph a variable, made when the first column is used there."""

    def __init__(
        self, name: str, shape: tuple[int, int], initializer: Any, checkpoint: Any, tensor_name: Any, trainable: bool
    ) -> None:
        self._name = name
        self._shape = shape
        self._initializer = initializer
        self._checkpoint, self._tensor_name = checkpoint, tensor_name
        self._trainable = trainable
        self._made: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()

    @property
    def dimension(self) -> int:
        """The length of a vector."""
        return self._shape[1]

    @property
    def embedding_weights(self) -> Any:
        """The variable of the open graph."""
        graph = get_default_graph()
        if graph not in self._made:
            made = get_variable(self._name, self._shape, dtypes.float32, self._initializer, trainable=self._trainable)
            begin_with(made, self._checkpoint, self._tensor_name)
            self._made[graph] = made
        return self._made[graph]


class _Shared(NamedTuple):
    categorical_column: Any
    shared_embedding_column_creator: _Vectors
    combiner: str
    max_norm: Any
    use_safe_embedding_lookup: bool


class SharedEmbeddingColumn(_Shared, OfEmbeddings):
    """A vector for each category, from vectors that other columns use too; what `shared_embeddings` returns."""

    _suffix = "shared_embedding"

    @property
    def variable_shape(self) -> Any:
        return TensorShape([self.shared_embedding_column_creator.dimension])

    def vectors(self, state_manager: Any) -> Any:
        return self.shared_embedding_column_creator.embedding_weights

    def get_config(self) -> dict[str, Any]:
        raise left_to_subclass(self, "get_config")


class _OfACollection(NamedTuple):
    categorical_column: Any
    dimension: int
    combiner: str
    initializer: Any
    shared_embedding_collection_name: str
    ckpt_to_load_from: Any
    tensor_name_in_ckpt: Any
    max_norm: Any
    trainable: bool
    use_safe_embedding_lookup: bool


class _SharedEmbeddingColumn(_OfACollection, OfEmbeddings):
    """A vector for each category, from the one variable of a collection; what `shared_embedding_columns` returns."""

    _suffix = "shared_embedding"

    @property
    def scope_name(self) -> str:
        return self.shared_embedding_collection_name

    @property
    def variable_shape(self) -> Any:
        return TensorShape([self.dimension])

    def create_state(self, state_manager: Any) -> None:
        """Make the variable that has the vectors, if no other column has.

        Raises:
          ValueError: if the collection has something else.
        """
        name, size = self.shared_embedding_collection_name, (self.categorical_column.num_buckets, self.dimension)
        found = get_collection(name)
        if len(found) > 1 or (found and found[0].shape != size):
            raise ValueError(
                f"compat.v1.feature_column.shared_embedding_columns: the collection {name!r} must have one variable of shape "
                f"{size} alone, which columns add, got {found}: choose another shared_embedding_collection_name"
            )
        if not found:
            made = state_manager.create_variable(
                self, name="embedding_weights", shape=size, dtype=dtypes.float32, trainable=self.trainable,
                initializer=self.initializer,
            )  # fmt: skip
            begin_with(made, self.ckpt_to_load_from, self.tensor_name_in_ckpt)
            add_to_collection(name, made)

    def vectors(self, state_manager: Any) -> Any:
        (found,) = get_collection(self.shared_embedding_collection_name)
        return found

    def get_config(self) -> dict[str, Any]:
        raise ValueError(f"Instance: {self} is not a FeatureColumn")  # not one of those that models can keep


def _checked(
    columns: Any, dimension: Any, initializer: Any, name: str | None, checkpoint: Any, tensor_name: Any
) -> tuple[int, Any, str]:
    """How many categories there are, the initializer, and the collection's name.

    Raises:
      RuntimeError: eagerly.
      ValueError: if columns differ or arguments make no sense.
    """
    if executing_eagerly():
        raise RuntimeError("shared_embedding_columns are not supported when eager execution is enabled.")
    initializer = check_embedding(dimension, initializer, checkpoint, tensor_name, "")
    if not columns:
        raise IndexError(
            "tf.feature_column.shared_embeddings: categorical_columns must have one column at least, got none"
        )
    first, *others = sorted(columns, key=lambda column: column.name)
    buckets: int = first.num_buckets
    if not isinstance(first, CategoricalColumn):
        raise ValueError(f"All categorical_columns must be subclasses of CategoricalColumn. Given: {first}")
    own = _unweighted(first)
    for column in map(_unweighted, others):
        if not isinstance(column, type(own)):
            raise ValueError(
                "To use shared_embedding_column, all categorical_columns must have the same type, or be "
                f"weighted_categorical_column of the same type. {own} does not match {column}"
            )
        if column.num_buckets != buckets:
            raise ValueError(
                "To use shared_embedding_column, all categorical_columns must have the same number of buckets. "
                f"{own} has {buckets}, {column} has {column.num_buckets}"
            )
    together = "_".join([column.name for column in (first, *others)])
    return buckets, initializer, name or f"{together}_shared_embedding"


def _unweighted(column: Any) -> Any:
    while isinstance(column, WeightedCategoricalColumn):
        column = column.categorical_column
    return column


@export("feature_column.shared_embeddings")
def shared_embeddings(
    categorical_columns: Any, dimension: int, combiner: str = "mean", initializer: Any = None,
    shared_embedding_collection_name: str | None = None, ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None, max_norm: float | None = None, trainable: bool = True,
    use_safe_embedding_lookup: bool = True,
) -> list[SharedEmbeddingColumn]:  # fmt: skip
    """Vectors for categories that columns share, in graphs for sessions. Mirrors `tf.feature_column.shared_embeddings`.

    Layers of Keras 2 take the columns; `input_layer` and `linear_model` take those of `shared_embedding_columns` alone.

    Args:
      categorical_columns: columns of one kind with equally many categories.
      dimension, combiner, initializer, ckpt_to_load_from, tensor_name_in_ckpt, max_norm, trainable, use_safe_embedding_lookup:
        as of `tf.feature_column.embedding_column`.
      shared_embedding_collection_name: the variable's name; made of those of the columns if not given.

    Returns:
      A column for each of the given ones, in their order.

    Raises:
      RuntimeError: eagerly.
      ValueError: if columns differ or arguments make no sense.
    """
    buckets, initializer, name = _checked(
        categorical_columns, dimension, initializer, shared_embedding_collection_name, ckpt_to_load_from, tensor_name_in_ckpt
    )  # fmt: skip
    vectors = _Vectors(name, (buckets, dimension), initializer, ckpt_to_load_from, tensor_name_in_ckpt, trainable)
    return [
        SharedEmbeddingColumn(column, vectors, combiner, max_norm, use_safe_embedding_lookup)
        for column in categorical_columns
    ]


@export("compat.v1.feature_column.shared_embedding_columns")
def shared_embedding_columns(
    categorical_columns: Any, dimension: int, combiner: str = "mean", initializer: Any = None,
    shared_embedding_collection_name: str | None = None, ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None, max_norm: float | None = None, trainable: bool = True,
    use_safe_embedding_lookup: bool = True,
) -> list[_SharedEmbeddingColumn]:  # fmt: skip
    """Vectors for categories that columns share, in graphs for sessions.

    Mirrors `tf.compat.v1.feature_column.shared_embedding_columns`.

    Args:
      categorical_columns: columns of one kind with equally many categories.
      dimension, combiner, initializer, ckpt_to_load_from, tensor_name_in_ckpt, max_norm, trainable, use_safe_embedding_lookup:
        as of `tf.feature_column.embedding_column`.
      shared_embedding_collection_name: of the collection that the variable is in, where all columns of this name find it; made
        of the names of the columns if not given.

    Returns:
      A column for each of the given ones, in their order.

    Raises:
      RuntimeError: eagerly.
      ValueError: if columns differ or arguments make no sense.
    """
    _, initializer, name = _checked(
        categorical_columns, dimension, initializer, shared_embedding_collection_name, ckpt_to_load_from, tensor_name_in_ckpt
    )  # fmt: skip
    return [
        _SharedEmbeddingColumn(
            column, dimension, combiner, initializer, name, ckpt_to_load_from, tensor_name_in_ckpt, max_norm, trainable,
            use_safe_embedding_lookup,
        )
        for column in categorical_columns
    ]  # fmt: skip
