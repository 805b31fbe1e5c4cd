"""`tf.distribute.ReduceOp`, and what it makes of the replicas' values."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any

from tfgrad_jax.engine.composite.indexed_slices import IndexedSlices
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.state.synchronization import VariableAggregation
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.ops.array.array import concat
from tfgrad_jax.ops.math.math import add_n, divide


@export("distribute.ReduceOp")
class ReduceOp(Enum):
    """How values of several replicas become one. Mirrors `tf.distribute.ReduceOp`."""

    SUM = "SUM"
    MEAN = "MEAN"

    @staticmethod
    def from_variable_aggregation(aggregation: VariableAggregation) -> ReduceOp:
        """The reduction of the same name.

        Raises:
          ValueError: if there is none.
        """
        try:
            return ReduceOp(aggregation.name)
        except ValueError:
            raise ValueError(
                f"Could not convert from `tf.VariableAggregation` {aggregation} to `tf.distribute.ReduceOp` type: it is no sum "
                "and no mean"
            ) from None


def as_reduce_op(value: Any) -> ReduceOp:
    """A reduction, or the one of that name.

    Raises:
      ValueError: if there is none of that name.
    """
    return value if isinstance(value, ReduceOp) else ReduceOp(str(value).upper())


def total(values: Sequence[Any]) -> Any:
    """The sum of one value of each replica; slices of a table are put behind each other."""
    if not any(isinstance(value, IndexedSlices) for value in values):
        return add_n([convert(value) for value in values])
    return IndexedSlices(
        concat([value.values for value in values], 0),
        concat([value.indices for value in values], 0),
        values[0].dense_shape,
    )


def averaged(value: Any, count: int) -> Any:
    """A sum of so many values as their mean."""
    if isinstance(value, IndexedSlices):
        return IndexedSlices(divide(value.values, count), value.indices, value.dense_shape)
    return divide(value, count)
