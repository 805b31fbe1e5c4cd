"""`tf.distribute.Strategy`: how a program is spread over replicas, and which strategy's scope is open."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any, ClassVar, NamedTuple

from tfgrad_jax.engine.function.function import Function
from tfgrad_jax.engine.hooks import replicas_in_sync, strategy_in_use
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.state.creators import variable_creator_scope
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.data.base import BaseDataset
from tfgrad_jax.lib.devices.devices import device
from tfgrad_jax.lib.distribute import input as inputs
from tfgrad_jax.lib.distribute.contexts import ReplicaContext, entered, here, mixed
from tfgrad_jax.lib.distribute.extended import StrategyExtended
from tfgrad_jax.lib.distribute.of_workers import read_apart
from tfgrad_jax.lib.distribute.reduce_op import as_reduce_op
from tfgrad_jax.lib.distribute.replicas import run_replicas
from tfgrad_jax.lib.distribute.together import gathered, reduced
from tfgrad_jax.lib.distribute.values import local_results, regrouped, selected
from tfgrad_jax.lib.keras.updates import updated


class Beside(NamedTuple):
    """Processes that speak to each other on threads of their own.

    Attributes:
      process, processes: the number of this one, and how many there are.
      told: what all say, as `Strategy.told`.
    """

    process: int
    processes: int
    told: Callable[[bytes], list[bytes]]


@export("distribute.Strategy")
class Strategy:
    """How a program is spread over devices. Mirrors `tf.distribute.Strategy`.

    Args:
      extended: the extended interface; the usual one where None.

    Attributes:
      devices: the names of the replicas' devices; empty for the one that operations run on anyway.
      chosen: whether the program chose it.
      first_replica: the number of this process' first replica among all.
      processes, process: how many processes there are, and the number of this one.
      cluster_resolver: what knows the other processes, or None.
    """

    devices: tuple[str, ...] = ()
    chosen = True
    first_replica = 0
    processes = 1
    process = 0
    cluster_resolver: Any = None
    _should_use_with_coordinator = False
    """Whether workers are to be asked by a coordinator, which Keras 2 wants to know: there is none."""

    def __init__(self, extended: Any = None) -> None:
        if extended is not None:
            self.extended = extended
        self._functions: weakref.WeakKeyDictionary[Function, Function] = weakref.WeakKeyDictionary()

    @functools.cached_property
    def extended(self) -> Any:
        """The extended interface. Made when it is asked for, since it names devices, and JAX finds those when somebody asks."""
        return StrategyExtended(self)

    @property
    def num_replicas_in_sync(self) -> int:
        """How many replicas there are."""
        return max(1, len(self.devices))

    @property
    def replica_number(self) -> int | None:
        """The number among all of the replica of this strategy that runs; None where none does."""
        replica = here.open[-1][1] if here.open and here.open[-1][0] is self else None
        return None if replica is None else self.first_replica + replica.number

    def __deepcopy__(self, memo: Any) -> Strategy:
        return self

    def summed(self, values: list[Tensor]) -> list[Tensor]:
        """Tensors of this process, each added to those of all others; here there are none."""
        return values

    def joined_rows(self, value: Tensor, axis: int) -> Tensor:
        """A tensor of this process, joined with those of all others along an axis."""
        return value

    def agreed(self, array: Any) -> Any:
        """The array of the first process."""
        return array

    def told(self, message: bytes) -> list[bytes]:
        """What all processes say, in their order, when each has said something."""
        return [message]

    @functools.cached_property
    def beside(self) -> Beside:
        """How processes speak to each other beside the program. All of them ask for it at one place."""
        return Beside(self.process, self.processes, self.told)

    def scope(self) -> AbstractContextManager[Strategy]:
        """A context in which this is the strategy: variables made in it have a copy for each replica.

        Raises:
          RuntimeError: on entering, inside the scope of another one, or inside of a replica.
        """
        return _Scope(self._scope())

    @contextmanager
    def _scope(self) -> Iterator[Strategy]:
        if not self.chosen:
            yield self
            return
        if _check_open(self):
            with entered(self, None):  # the creator's scope is open already
                yield self
            return
        with ExitStack() as stack:
            stack.enter_context(entered(self, None))
            stack.enter_context(variable_creator_scope(self._created))
            stack.enter_context(device(self.devices[0] if self.devices else ""))
            yield self

    def _created(self, next_creator: Callable[..., Any], **kwargs: Any) -> Any:
        return self.extended.make_variable(next_creator, kwargs)

    def run(
        self,
        fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: dict[str, Any] | None = None,
        options: Any = None,
    ) -> Any:
        """Call `fn` on every replica. Mirrors `tf.distribute.Strategy.run`.

        Args:
          fn: the function; of a `tf.function` one graph is made that has all replicas in it.
          args, kwargs: nests, of whose distributed values each replica gets its own.
          options: a `tf.distribute.RunOptions`; without effect.

        Returns:
          A nest of what the replicas return: a value for each, unless there is one replica.

        Raises:
          ValueError: if `args` is no list or tuple.
          RuntimeError: inside of a replica.
          BaseException: what a replica raises.
        """
        if not isinstance(args, (list, tuple)):
            raise ValueError(f"positional args must be a list or tuple, got {type(args)}")
        if not callable(fn):
            raise TypeError(f"{type(fn).__name__!r} object is not callable")
        if not self.chosen:
            with entered(self, ReplicaContext(self)):
                return fn(*args, **(kwargs or {}))
        with self.scope():
            if len(self.extended.worker_devices) > 1 and isinstance(fn, Function):
                return self._in_one_graph(fn)(*args, **(kwargs or {}))
            return self._replicas(fn, args, kwargs or {})

    def _replicas(self, fn: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        if len(self.extended.worker_devices) > 1:
            return run_replicas(self, fn, args, kwargs)
        with entered(self, ReplicaContext(self)):
            return fn(*selected(0, tuple(args)), **selected(0, kwargs))

    def _in_one_graph(self, fn: Function) -> Function:
        """A `tf.function` of all replicas: they may meet in it, as they may not in one each."""
        known = self._functions.get(fn)
        if known is None:
            known = self._functions[fn] = fn.around(self._replicas)
        return known

    def reduce(self, reduce_op: Any, value: Any, axis: int | None) -> Any:
        """The replicas' values, summed or averaged, along an axis too unless that is None. Mirrors `tf.distribute.Strategy.reduce`.

        Args:
          reduce_op: a `tf.distribute.ReduceOp`, or its name.
          value: a nest of distributed values.
          axis: the axis of each replica's tensor that goes as well, where replicas may differ in size; or None.

        Raises:
          TypeError: if `axis` is something else.
          ValueError: if the reduction is unknown, if there is no such axis, or for the sum of a value that is none of replicas.
          AssertionError: for the sum of a variable that is the same in all replicas.
          InvalidArgumentError: if the shapes differ.
        """
        operation = as_reduce_op(reduce_op)
        if not (axis is None or isinstance(axis, (int, tuple))):
            raise TypeError(
                f"tf.distribute.Strategy.reduce: axis must be an integer, a tuple of them or None, got {axis!r}"
            )
        with self.scope():
            return nest.map_structure(lambda v: reduced(self, operation, v, axis), value)

    def gather(self, value: Any, axis: int) -> Any:
        """The replicas' values joined along an axis, in the order of the replicas. Mirrors `tf.distribute.Strategy.gather`.

        Raises:
          ValueError: if a tensor has no such axis.
          RuntimeError: inside of a replica.
        """
        if here.open and here.open[-1][1] is not None and self.chosen:
            raise RuntimeError(
                "tf.distribute.Strategy.gather method requires cross-replica context, use get_replica_context().all_gather() "
                "instead"
            )
        return nest.map_structure(lambda v: gathered(self, v, axis), value)

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """The value of each replica of this process."""
        return local_results(value, len(self.extended.worker_devices))

    unwrap = experimental_local_results

    def group(self, value: Any, name: str | None = None) -> Any:
        """Nothing: what replicas do is done when it was called."""

    def experimental_distribute_dataset(self, dataset: Any, options: Any = None) -> Any:
        """A dataset of whose batches each replica gets a part. Mirrors `tf.distribute.Strategy.experimental_distribute_dataset`.

        Args:
          dataset: a `tf.data.Dataset` of batches for all replicas together.
          options: a `tf.distribute.InputOptions`.

        Raises:
          AttributeError: if it is no dataset.
          IndexError: if its elements are no batches.
          NotImplementedError: if the options ask for a dataset for each replica.
          NotFoundError: if several processes are to share input by files, and there are none.
        """
        if self.chosen and inputs.for_each_replica(options):
            raise NotImplementedError(
                "tf.distribute.Strategy.experimental_distribute_dataset: of one dataset there is none for each replica, as "
                "InputReplicationMode.PER_REPLICA asks; use distribute_datasets_from_function"
            )
        count, local = self.num_replicas_in_sync, len(self.extended.worker_devices)
        apart = None
        if self.processes > 1 and isinstance(dataset, BaseDataset):
            apart = read_apart(dataset, count, self.first_replica, self.processes, self.process)
        if apart is None:
            found = inputs.shared(dataset, count, self.first_replica, local)
        else:
            found = inputs.one_each([apart], local)
        return found if self.processes == 1 else inputs.together(found, dataset.structure, local, self.told)

    def distribute_datasets_from_function(self, dataset_fn: Callable[..., Any], options: Any = None) -> Any:
        """A dataset of which each replica gets every so many-th element, as it is; or of a dataset for each replica.

        Mirrors `tf.distribute.Strategy.distribute_datasets_from_function`.

        Args:
          dataset_fn: makes a `tf.data.Dataset` of a `tf.distribute.InputContext`.
          options: a `tf.distribute.InputOptions`, whose mode of replication tells whether it is called for each replica.
        """
        count, local = self.num_replicas_in_sync, len(self.extended.worker_devices)
        apart = self.chosen and inputs.for_each_replica(options)
        parts = [(count, self.first_replica + i) for i in range(local)] if apart else [(self.processes, self.process)]
        with self.scope():
            datasets = [dataset_fn(inputs.InputContext(*part, count)) for part in parts]
        found = inputs.one_each(datasets, local)
        return found if self.processes == 1 else inputs.together(found, datasets[0].structure, local, self.told)

    experimental_distribute_datasets_from_function = distribute_datasets_from_function

    def experimental_distribute_values_from_function(self, value_fn: Callable[..., Any]) -> Any:
        """The value that a function makes for each replica, of a `tf.distribute.experimental.ValueContext`."""
        count, first = self.num_replicas_in_sync, self.first_replica
        made = [value_fn(inputs.ValueContext(first + i, count)) for i in range(len(self.extended.worker_devices))]
        return regrouped(made, always=self.extended.wraps)


class _Scope(AbstractContextManager[Strategy]):
    """A strategy's scope, which stays open until it is left: notebooks enter one and keep nothing of it."""

    _open: ClassVar[list[_Scope]] = []

    def __init__(self, scope: AbstractContextManager[Strategy]) -> None:
        self._scope = scope

    def __enter__(self) -> Strategy:
        strategy = self._scope.__enter__()
        self._open.append(self)
        return strategy

    def __exit__(self, *error: Any) -> None:
        self._open.remove(self)
        self._scope.__exit__(*error)


def _check_open(strategy: Strategy) -> bool:
    """Whether a strategy's scope is open.

    Raises:
      RuntimeError: if another one's is, or this thread is in a replica.
    """
    if not here.open or not here.open[-1][0].chosen:
        return False
    current, replica = here.open[-1]
    if current is not strategy:
        raise mixed(current, strategy)
    if replica is not None:
        raise RuntimeError("Method requires being in cross-replica context, use get_replica_context().merge_call()")
    return True


class _DefaultDistributionStrategy(Strategy):
    """The strategy where none was chosen."""

    chosen = False


_default = _DefaultDistributionStrategy()
_default_replica = ReplicaContext(_default)


@export("distribute.get_strategy")
def get_strategy() -> Strategy:
    """The strategy whose scope is open, or the default one. Mirrors `tf.distribute.get_strategy`."""
    return here.open[-1][0] if here.open else _default


@export("distribute.has_strategy")
def has_strategy() -> bool:
    """Whether a strategy's scope is open. Mirrors `tf.distribute.has_strategy`."""
    return get_strategy().chosen


@export("distribute.in_cross_replica_context")
def in_cross_replica_context() -> bool:
    """Whether all replicas are looked at together, rather than one. Mirrors `tf.distribute.in_cross_replica_context`."""
    return bool(here.open) and here.open[-1][1] is None


@export("distribute.get_replica_context")
def get_replica_context() -> ReplicaContext | None:
    """The replica's context; None where all are looked at together. Mirrors `tf.distribute.get_replica_context`."""
    return here.open[-1][1] if here.open else _default_replica


@strategy_in_use.fill
def _strategy_in_use() -> Strategy | None:
    return get_strategy() if has_strategy() else None


@replicas_in_sync.fill
def _replicas_in_sync(asking: str) -> int:
    if in_cross_replica_context():
        raise RuntimeError(
            f"You are calling `{asking}` in cross replica context, while it was expected to be called in replica context."
        )
    return get_strategy().num_replicas_in_sync


@export("__internal__.distribute.strategy_supports_no_merge_call")
def strategy_supports_no_merge_call() -> bool:
    """Whether a replica may update variables without meeting the others: one replica always may."""
    return get_strategy().num_replicas_in_sync == 1


@export("__internal__.distribute.interim.maybe_merge_call")
def maybe_merge_call(fn: Callable[..., Any], strategy: Strategy, *args: Any, **kwargs: Any) -> Any:
    """Call `fn(strategy, *args, **kwargs)`, where all replicas meet if need be. Keras' optimizers update variables in it."""
    if not has_strategy() or (replica := get_replica_context()) is None:
        return fn(strategy, *args, **kwargs) if kwargs else updated(fn, strategy, args)
    return replica.merge_call(fn, args, kwargs)


@export("distribute.experimental_set_strategy")
def experimental_set_strategy(strategy: Strategy | None) -> None:
    """Enter a strategy's scope for the rest of the program, or leave it. Mirrors `tf.distribute.experimental_set_strategy`.

    Raises:
      RuntimeError: inside of a scope.
    """
    if here.open and here.open[-1] is not _left_open.entry:
        raise RuntimeError("Must not be called inside a `tf.distribute.Strategy` scope.")
    if _left_open.scope is not None:
        _left_open.scope.__exit__(None, None, None)
        _left_open.scope = _left_open.entry = None
    if strategy is not None:
        _left_open.scope = strategy.scope()
        _left_open.scope.__enter__()
        _left_open.entry = here.open[-1]


class _LeftOpen:
    """The scope that `experimental_set_strategy` has entered."""

    scope: Any = None
    entry: Any = None


_left_open = _LeftOpen()
