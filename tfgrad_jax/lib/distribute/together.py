"""What a strategy makes of the values of its replicas where they are looked at together: `reduce` and `gather`."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.convert import convert, is_tensor
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.distribute.reduce_op import ReduceOp
from tfgrad_jax.lib.distribute.values import DistributedValues, local_results, regrouped
from tfgrad_jax.ops.array.array import concat
from tfgrad_jax.ops.array.sizes import shape
from tfgrad_jax.ops.math import reduce as reductions
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.math import add_n, divide


def reduced(strategy: Any, operation: ReduceOp, value: Any, axis: int | tuple[int, ...] | None) -> Any:
    """`tf.distribute.Strategy.reduce` of one value, within the strategy's scope.

    Args:
      strategy: the strategy.
      operation: how replicas become one.
      value: the value; one that is not distributed counts once for each replica, as far as an axis is reduced.
      axis: the axis that goes as well, or None.

    Raises:
      ValueError: if there is no such axis, or for the sum of a value that is none of replicas.
    """
    place = strategy.extended.worker_devices[0]  # nobody else asks for it
    if axis is None:
        if not isinstance(value, DistributedValues) and (
            strategy.num_replicas_in_sync == 1 or _same(operation, strategy)
        ):
            return value
        return _first(strategy.extended.reduce_to(operation, _tensor(value), place))
    parts = [_tensor(part) for part in _of_each(strategy, value)]
    if strategy.processes > 1 and parts[0].shape.rank == 0:  # Keras asks so for the mean of losses
        return _first(strategy.extended.reduce_to(operation, value, place))
    axes = nest.flatten(axis)
    for part in parts:
        for a in axes:
            _check(part, a, "reduce", "values are reduced along axes of theirs")
    along = [reductions.reduce_sum(part, axis=axis) for part in parts]
    total = _first(strategy.extended.reduce_to(ReduceOp.SUM, along[0] if len(along) == 1 else regrouped(along), place))
    if operation is ReduceOp.SUM:
        return total
    counts = [reductions.reduce_prod([shape(part)[a] for a in axes]) for part in parts]
    return divide(total, cast(strategy.summed([add_n(counts)])[0], total.dtype))


def gathered(strategy: Any, value: Any, axis: int) -> Any:
    """`tf.distribute.Strategy.gather` of one value. What is not distributed, or of one replica, is the result already.

    Raises:
      ValueError: if a replica's tensor has no such axis.
    """
    distributed = isinstance(value, DistributedValues)
    if strategy.processes == 1 and (not distributed or len(value.values) == 1):
        return _tensor(value.values[0] if distributed else value)
    parts = [convert(part) for part in (value.values if distributed else (value,))]
    for part in parts:
        _check(part, axis, "gather", "values are joined along one of their axes")
    return strategy.joined_rows(concat(parts, axis), axis)


def _same(operation: ReduceOp, strategy: Any) -> bool:
    """Whether the reduction of a value that all replicas share is that value."""
    return operation is ReduceOp.MEAN and strategy.processes == 1


def _of_each(strategy: Any, value: Any) -> tuple[Any, ...]:
    """The value of each replica of this process, where one that is not distributed is that of all."""
    count = len(strategy.extended.worker_devices)
    return local_results(value, count) if isinstance(value, DistributedValues) else (value,) * count


def _check(part: Tensor, axis: int, name: str, why: str) -> None:
    rank = part.shape.rank
    if rank is not None and not -rank <= axis < rank:
        raise ValueError(
            f"tf.distribute.Strategy.{name}: axis = {axis}, but a replica's value has shape {part.shape}; {why}"
        )


def _tensor(value: Any) -> Any:
    return value if is_tensor(value) or isinstance(value, DistributedValues) else convert(value)


def _first(value: Any) -> Any:
    found = value.values[0] if isinstance(value, DistributedValues) else value
    return found.read_value() if isinstance(found, Variable) else found
