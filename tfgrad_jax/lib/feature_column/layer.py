"""`tf.compat.v1.feature_column.input_layer` and `linear_model`: tensors of columns."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from tfgrad_jax.composite.sparse.embeddings import safe_embedding_lookup_sparse
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.lib.feature_column.base import (
    CategoricalColumn,
    DenseColumn,
    FeatureColumn,
    FeatureTransformationCache,
)
from tfgrad_jax.lib.feature_column.shared import SharedEmbeddingColumn
from tfgrad_jax.lib.v1.initializers import Zeros
from tfgrad_jax.lib.v1.variable_scope import get_variable, variable_scope
from tfgrad_jax.ops.array.array import concat
from tfgrad_jax.ops.array.shape import reshape
from tfgrad_jax.ops.common import sizes_of
from tfgrad_jax.ops.linalg.matmul import matmul
from tfgrad_jax.ops.math.math import add_n


class _State:
    """The variables of columns.

    Args:
      trainable: whether tapes watch them.
    """

    def __init__(self, trainable: bool) -> None:
        self._trainable = trainable
        self.variables: dict[Any, dict[str, Any]] = {}

    def create_variable(
        self, feature_column: Any, name: str, shape: Any, dtype: Any = None, trainable: bool = True, use_resource: bool = True,
        initializer: Any = None,
    ) -> Any:  # fmt: skip
        """Make a variable of a column."""
        made = get_variable(name, shape, dtype, initializer, trainable=self._trainable and trainable)
        self.variables.setdefault(feature_column, {})[name] = made
        return made

    def get_variable(self, feature_column: Any, name: str) -> Any:
        """A variable of a column."""
        return self.variables[feature_column][name]


def _sorted(feature_columns: Any) -> list[Any]:
    if isinstance(feature_columns, Mapping):
        raise ValueError("Expected feature_columns to be iterable, found dict.")
    columns = [feature_columns] if isinstance(feature_columns, FeatureColumn) else list(feature_columns)
    if not columns:
        raise ValueError("feature_columns must not be empty.")
    names: dict[str, Any] = {}
    for column in columns:
        if not isinstance(column, FeatureColumn):
            raise ValueError(
                f"Items of feature_columns must be a _FeatureColumn. Given (type {type(column)}): {column}."
            )
        if isinstance(column, SharedEmbeddingColumn):
            raise ValueError(
                "SharedEmbeddingColumns are not supported in `linear_model` or `input_layer`, which take those of "
                f"compat.v1.feature_column.shared_embedding_columns. Given: {column.name}"
            )
        if names.setdefault(column.name, column) is not column:
            raise ValueError(
                f"Duplicate feature column name found for columns: {column} and {names[column.name]}. This usually means that "
                "these columns refer to same base feature. Either one must be discarded or a duplicated but renamed item must be "
                "inserted in features dict."
            )
    return sorted(columns, key=lambda column: column.name)


def _rows(column: DenseColumn, cache: FeatureTransformationCache, state: _State) -> Any:
    """What a column gives, in a row for each example."""
    numbers = column.get_dense_tensor(cache, state)
    return reshape(numbers, [sizes_of(numbers)[0], math.prod(column.variable_shape.as_list())])


@export("compat.v1.feature_column.input_layer")
def input_layer(
    features: Mapping[str, Any], feature_columns: Any, weight_collections: Any = None, trainable: bool = True,
    cols_to_vars: dict[Any, Any] | None = None, cols_to_output_tensors: dict[Any, Any] | None = None,
) -> Any:  # fmt: skip
    """The numbers of dense columns side by side, in the order of their names. Mirrors `tf.compat.v1.feature_column.input_layer`.

    Args:
      features: tensors by name, examples along the first axis.
      feature_columns: dense columns.
      weight_collections: accepted for compatibility.
      trainable: whether tapes watch variables of embeddings, which eagerly are made anew with each call.
      cols_to_vars, cols_to_output_tensors: are given the variables and the numbers of each column.

    Raises:
      ValueError: if a column is not dense, comes twice, or has no feature.
    """
    columns = _sorted(feature_columns)
    for column in columns:
        if not isinstance(column, DenseColumn):
            raise ValueError(
                "Items of feature_columns must be a _DenseColumn. You can wrap a categorical column with an embedding_column or "
                f"indicator_column. Given: {column}"
            )
    cache, state, found = FeatureTransformationCache(features), _State(trainable), []
    with variable_scope(None, "input_layer"):
        for column in columns:
            with variable_scope(None, column.scope_name):
                column.create_state(state)
                numbers = _rows(column, cache, state)
            found.append(numbers)
            if cols_to_vars is not None:
                cols_to_vars[column] = list(state.variables.get(column, {}).values())
            if cols_to_output_tensors is not None:
                cols_to_output_tensors[column] = numbers
    return concat(found, 1)


@export("compat.v1.feature_column.linear_model")
def linear_model(
    features: Mapping[str, Any], feature_columns: Any, units: int = 1, sparse_combiner: str = "sum", weight_collections: Any = None,
    trainable: bool = True, cols_to_vars: dict[Any, Any] | None = None,
) -> Any:  # fmt: skip
    """The sum of all columns' values, each with a weight of its own. Mirrors `tf.compat.v1.feature_column.linear_model`.

    Weights begin at zero; eagerly they are made anew with each call.

    Args:
      features: tensors by name, examples along the first axis.
      feature_columns: dense or categorical columns.
      units: how many sums.
      sparse_combiner: what becomes of several categories of an example: "sum", "mean" or "sqrtn".
      weight_collections: accepted for compatibility.
      trainable: whether tapes watch the weights.
      cols_to_vars: is given the weights of each column, and the bias.

    Raises:
      ValueError: if something is no column, comes twice, or has no feature.
    """
    columns = _sorted(feature_columns)
    for column in columns:
        if not isinstance(column, (DenseColumn, CategoricalColumn)):
            raise ValueError(
                f"Items of feature_columns must be either a _DenseColumn or _CategoricalColumn. Given: {column}"
            )
    cache, state, found = FeatureTransformationCache(features), _State(trainable), []
    with variable_scope(None, "linear_model"):
        for column in sorted(columns, key=lambda column: column.scope_name):
            with variable_scope(None, column.scope_name):
                if isinstance(column, CategoricalColumn):
                    ids, weights = column.get_sparse_tensors(cache, state)
                    factors = state.create_variable(
                        column, "weights", [column.num_buckets, units], dtypes.float32, initializer=Zeros()
                    )
                    found.append(safe_embedding_lookup_sparse(factors, ids, weights, combiner=sparse_combiner))
                else:
                    size = math.prod(column.variable_shape.as_list())
                    factors = state.create_variable(
                        column, "weights", [size, units], dtypes.float32, initializer=Zeros()
                    )
                    column.create_state(state)
                    found.append(matmul(_rows(column, cache, state), factors))
            if cols_to_vars is not None:
                cols_to_vars[column] = list(state.variables.get(column, {}).values())
        bias = state.create_variable("bias", "bias_weights", [units], dtypes.float32, initializer=Zeros())
    if cols_to_vars is not None:
        cols_to_vars["bias"] = [bias]
    return add_n(found) + bias
