"""Where a thread is: whose scope is open, in which replica, on which copy of the variables."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tfgrad_jax.engine.composite.indexed_slices import IndexedSlices
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.tape.custom_gradient import custom_gradient
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.distribute.reduce_op import ReduceOp, as_reduce_op
from tfgrad_jax.ops.array.index import getitem
from tfgrad_jax.ops.array.sizes import shape
from tfgrad_jax.ops.array.slice import slice_
from tfgrad_jax.ops.math.math import add


class Here(threading.local):
    """The state of one thread.

    Attributes:
      open: the strategies entered, innermost last, each with the replica that runs or None.
      updating: the copy of the variables that `extended.update` is at, or None.
    """

    def __init__(self) -> None:
        self.open: tuple[tuple[Any, ReplicaContext | None], ...] = ()
        self.updating: int | None = None


here = Here()


@contextmanager
def entered(strategy: Any, replica: ReplicaContext | None) -> Iterator[None]:
    """A context in a replica of a strategy, or in none of them but where all are looked at together."""
    before, here.open = here.open, (*here.open, (strategy, replica))
    try:
        yield
    finally:
        here.open = before


@contextmanager
def updating(copy: int) -> Iterator[None]:
    """A context in which variables are their copies of that number."""
    before = here.updating, context.copy
    here.updating = context.copy = copy
    try:
        yield
    finally:
        here.updating, context.copy = before


@contextmanager
def as_saved(always: bool = False) -> Iterator[None]:
    """A context in which variables are their first copies alone, outside of replicas: what is saved has one for all of them.

    Args:
      always: also where no strategy is entered.
    """
    if not (here.open or always):
        yield
        return
    with updating(0):
        context.copy = -1  # functions are traced for themselves here, not for the first replica
        yield


def copy_in_use(strategy: Any) -> int | None:
    """The number of the copy that a strategy's variables are in this place; None where all are looked at together."""
    if here.updating is not None:
        return here.updating
    if not here.open:
        return None
    innermost, replica = here.open[-1]
    return None if replica is None or innermost is not strategy else replica.number


def mixed(current: Any, strategy: Any) -> RuntimeError:
    """The error where a strategy is used in another one's scope."""
    return RuntimeError(
        f"Mixing different tf.distribute.Strategy objects: {current} is not {strategy}. Make variables, models and optimizers "
        "within the scope of the strategy that trains them."
    )


@export("distribute.ReplicaContext")
class ReplicaContext:
    """A replica's knowledge of the others. Mirrors `tf.distribute.ReplicaContext`.

    Args:
      strategy: the strategy that runs it.
      replica_id_in_sync_group: the number of the replica.
      meet: calls a function where all replicas meet, with the arguments that each has; None where there are no others.
      variable: of what makes a variable gives the one that all replicas make in that place; None where there are no others.
    """

    def __init__(
        self,
        strategy: Any,
        replica_id_in_sync_group: int = 0,
        meet: Callable[..., Any] | None = None,
        variable: Callable[[Callable[[], Any]], Any] | None = None,
    ) -> None:
        self.strategy = strategy
        self.number = replica_id_in_sync_group
        self._meet = meet
        self._variable = variable

    @property
    def num_replicas_in_sync(self) -> int:
        """How many replicas there are."""
        return self.strategy.num_replicas_in_sync

    @property
    def replica_id_in_sync_group(self) -> Any:
        """The number of this replica: a tensor, except where no strategy was chosen."""
        return convert(self.strategy.first_replica + self.number) if self.strategy.chosen else self.number

    @property
    def devices(self) -> list[str]:
        """The device of this replica, in a list."""
        return [self.strategy.extended.worker_devices[self.number]]

    def __enter__(self) -> None:
        self._before = here.open
        here.open = (*here.open, (self.strategy, self))

    def __exit__(self, *unused: Any) -> None:
        here.open = self._before

    def variable(self, make: Callable[[], Any]) -> Any:
        """The variable that all replicas make in this place, by a function that makes it where they are looked at together."""
        if self._variable is not None:
            return self._variable(lambda: self._together(make))
        return self._together(make)

    def _together(self, call: Callable[[], Any]) -> Any:
        with entered(self.strategy, None):
            return call()

    def merge_call(
        self, merge_fn: Callable[..., Any], args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Call `merge_fn(strategy, *args, **kwargs)` where all replicas meet, with the values of all of them.

        Returns:
          Of what it gives, this replica's part.

        Raises:
          RuntimeError: inside of a graph that the replica began, which the others know nothing of.
        """
        if self._meet is not None:
            return self._meet(merge_fn, tuple(args), kwargs or {})
        return self._together(lambda: merge_fn(self.strategy, *args, **(kwargs or {})))

    def all_reduce(self, reduce_op: Any, value: Any, options: Any = None) -> Any:
        """The sum or mean over all replicas of each tensor in a nest. Gradients are reduced the same way.

        Args:
          reduce_op: a `tf.distribute.ReduceOp`, or its name.
          value: a nest of tensors and `tf.IndexedSlices`, of the same structure in each replica.
          options: how devices communicate; without effect.

        Raises:
          ValueError: if the reduction is unknown.
        """
        operation = as_reduce_op(reduce_op)
        flat = [leaf if isinstance(leaf, IndexedSlices) else _met(leaf) for leaf in nest.flatten(value)]
        if operation is ReduceOp.SUM and self.strategy.num_replicas_in_sync == 1 and not context.recorders:
            return nest.pack_sequence_as(value, flat)

        def all_reduced(strategy: Any, *leaves: Any) -> Any:
            extended = strategy.extended
            return extended.batch_reduce_to(operation, [(extended.met(leaf), None) for leaf in leaves], options)

        def forward(*leaves: Any) -> Any:
            return self.merge_call(all_reduced, leaves)

        def backward(*cotangents: Any) -> Any:
            return self.all_reduce(operation, list(cotangents), options)

        return nest.pack_sequence_as(value, _with_gradient(forward, backward, flat))

    def all_gather(self, value: Any, axis: int, options: Any = None) -> Any:
        """The replicas' tensors joined along an axis, in the order of the replicas.

        Args:
          value: a nest of tensors, which may differ in their sizes along `axis` alone.
          axis: the axis.
          options: how devices communicate; without effect.

        Raises:
          NotImplementedError: for `tf.IndexedSlices`.
          ValueError: if a tensor has no such axis.
        """
        if any(isinstance(leaf, IndexedSlices) for leaf in nest.flatten(value)):
            raise NotImplementedError(
                "tf.distribute.ReplicaContext.all_gather does not support IndexedSlices; gather their values and their indices"
            )
        flat = [_met(leaf) for leaf in nest.flatten(value)]

        def all_gathered(strategy: Any, *leaves: Any) -> Any:
            extended = strategy.extended
            return [extended.mirrored(strategy.gather(extended.met(leaf), axis)) for leaf in leaves]

        def forward(*leaves: Any) -> Any:
            return self.merge_call(all_gathered, leaves)

        def backward(*cotangents: Any) -> Any:
            sums = self.all_reduce(ReduceOp.SUM, list(cotangents), options)
            sizes = self.all_gather([getitem(shape(leaf), slice(axis, axis + 1 or None)) for leaf in flat], 0)
            return [self._own(s, leaf, n, axis) for s, leaf, n in zip(sums, flat, sizes, strict=True)]

        return nest.pack_sequence_as(value, _with_gradient(forward, backward, flat))

    def _own(self, joined: Tensor, leaf: Tensor, sizes: Any, axis: int) -> Tensor:
        """This replica's part of what was joined along an axis."""
        rank = joined.shape.rank or 0
        before = convert(0)
        for n in range(self.number):
            before = add(before, sizes[n])
        begin = [before if i == axis % rank else 0 for i in range(rank)]
        return slice_(joined, begin, shape(leaf))


def _met(value: Any) -> Any:
    """What replicas meet with: tensors; of a variable the copy that this one reads.

    A variable that they share stays what it is, and so counts once; in a function each has read it, as in TensorFlow.
    """
    if getattr(value, "one_for_all", False) and context.graph is None:
        return value
    return value if isinstance(value, Tensor) else convert(value)


def _with_gradient(forward: Callable[..., Any], backward: Callable[..., Any], leaves: list[Any]) -> list[Any]:
    """What `forward` gives, connected to tensors by `backward` if a tape looks at them."""
    if not context.recorders or any(isinstance(leaf, IndexedSlices) for leaf in leaves):
        return list(forward(*leaves))

    def connected(*given: Any) -> tuple[Any, Callable[..., Any]]:
        return forward(*given), backward

    return list(custom_gradient(connected)(*leaves))
