"""What the metrics of version 1 have in common: variables that sum up, weights, and the pair of a value and its update."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from tfgrad_jax.engine.names.scopes import name_scope
from tfgrad_jax.engine.run.eager import executing_eagerly
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.v1.collections import GraphKeys, add_to_collections
from tfgrad_jax.lib.v1.variable_scope import variable_scope
from tfgrad_jax.lib.v1.variables import VariableV1
from tfgrad_jax.ops.array.creation import ones_like, zeros
from tfgrad_jax.ops.array.shape import expand_dims, squeeze
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.math import divide_no_nan
from tfgrad_jax.ops.math.reduce import reduce_sum
from tfgrad_jax.ops.math.rounding import maximum

Metric = tuple[Any, Any]
"""The value, and the operation that takes more into account and gives the value then."""


def require_graph(function: str) -> None:
    """Make sure that a metric, as errors call it, is asked for in a graph.

    Raises:
      RuntimeError: where operations run at once.
    """
    if executing_eagerly():
        raise RuntimeError(f"tf.metrics.{function} is not supported when eager execution is enabled.")


@contextlib.contextmanager
def metric_scope(function: str, name: str | None, default: str, names_alone: bool = False) -> Iterator[str]:
    """The scope of a metric's variables and operations.

    Args:
      function: the metric, as errors call it.
      name: what the caller calls it, or None.
      default: what it is called otherwise.
      names_alone: whether the scope is one of names, not of variables.

    Raises:
      RuntimeError: where operations run at once.
    """
    require_graph(function)
    if names_alone:
        with name_scope(name or default) as scope:
            yield scope
    else:
        with variable_scope(name, default) as opened:
            yield opened.original_name_scope


def metric_variable(shape: Any, dtype: Any, name: str | None = None) -> Any:
    """A variable of zeros that is initialized with the local ones."""
    if not TensorShape(shape).is_fully_defined():
        raise ValueError(f"Cannot convert a partially known TensorShape {TensorShape(shape)} to a Tensor.")
    kept = [GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES]
    return VariableV1(lambda: zeros(shape, dtype), trainable=False, collections=kept, name=name)


def collected(value: Any, update: Any, metrics_collections: Any, updates_collections: Any) -> Metric:
    """The pair, kept in the collections that the caller names."""
    for keys, kept in ((metrics_collections, value), (updates_collections, update)):
        if keys:
            add_to_collections(keys, kept)
    return value, update


def ratio(part: Any, whole: Any, name: str | None = None) -> Tensor:
    """The quotient; zero where the whole is not positive."""
    return divide_no_nan(part, maximum(whole, 0), name=name)


def fitted(predictions: Any, labels: Any = None, weights: Any = None) -> tuple[Any, Any, Any]:
    """Predictions, labels and weights of one rank: a last dimension of size one goes, or comes, where the others ask for it.

    Raises:
      ValueError: if shapes contradict each other.
    """
    predictions = convert(predictions)
    if labels is not None:
        labels = convert(labels)
        p, t = predictions.shape.rank, labels.shape.rank
        if p is not None and t is not None and p - t == 1 and predictions.shape[-1] in (1, None):
            predictions = squeeze(predictions, [-1])
        elif p is not None and t is not None and t - p == 1 and labels.shape[-1] in (1, None):
            labels = squeeze(labels, [-1])
        predictions.shape.assert_is_compatible_with(labels.shape)
    if weights is None:
        return predictions, labels, None
    weights = convert(weights)
    p, w = predictions.shape.rank, weights.shape.rank
    if w and p is not None and w - p == 1:
        weights = squeeze(weights, [-1])
    elif w and p is not None and p - w == 1:
        weights = expand_dims(weights, [-1])
    return predictions, labels, weights


def spread(weights: Any, values: Any) -> Tensor:
    """Weights of the shape of values, and of their dtype.

    Raises:
      ValueError: if they cannot be broadcast.
    """
    weights = cast(convert(weights), values.dtype)
    mine, theirs = weights.shape, values.shape
    known = mine.rank not in (0, None) and theirs.rank is not None
    if known and (
        mine.rank != theirs.rank or any(a not in (1, None) and b is not None and a != b for a, b in zip(mine, theirs))
    ):
        raise ValueError(
            f"weights can not be broadcast to values. values.rank={theirs.rank}. weights.rank={mine.rank}. "
            f"values.shape={theirs}. weights.shape={mine}. Received weights={weights}, values={values}"
        )
    return weights * ones_like(values)


def summed(name: str, values: Any, shape: Any = (), dtype: Any = dtypes.float32, axis: Any = None) -> tuple[Any, Any]:
    """A variable that sums values up, and the assignment that adds these."""
    variable = metric_variable(shape, dtype, name)
    return variable, variable.assign_add(reduce_sum(cast(values, dtype), axis))
