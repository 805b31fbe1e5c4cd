"""`tf.distribute` for one replica: strategies, contexts and reductions as programs written for several see them."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from enum import Enum
from typing import Any

from tfgrad_jax.engine.names.export import export, export_value
from tfgrad_jax.engine.state.synchronization import VariableAggregation
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.convert import convert, is_tensor
from tfgrad_jax.lib.devices.devices import device, list_logical_devices
from tfgrad_jax.ops.math import reduce as reductions


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
                f"{aggregation} is no sum or mean, so there is no `tf.distribute.ReduceOp` for it"
            ) from None


def _reduce_op(value: Any) -> ReduceOp:
    return value if isinstance(value, ReduceOp) else ReduceOp(str(value).upper())


class _Here(threading.local):
    """Where this thread is: the strategies whose scopes are open, and whether inside `run`."""

    def __init__(self) -> None:
        self.strategies: list[tuple[Strategy, bool]] = []


_here = _Here()


@export("distribute.ReplicaContext")
class ReplicaContext:
    """A replica's knowledge of the others: here, that there are none.

    Args:
      strategy: the strategy that runs it.
      replica_id_in_sync_group: the number of the replica.
    """

    def __init__(self, strategy: Strategy, replica_id_in_sync_group: int = 0) -> None:
        self.strategy = strategy
        self._replica_id = replica_id_in_sync_group

    @property
    def num_replicas_in_sync(self) -> int:
        """How many replicas there are."""
        return self.strategy.num_replicas_in_sync

    @property
    def replica_id_in_sync_group(self) -> Any:
        """The number of this replica: a tensor, except where no strategy was chosen."""
        return self._replica_id if self.strategy is _default else convert(self._replica_id)

    def all_reduce(self, reduce_op: Any, value: Any, options: Any = None) -> Any:
        """The sum or mean over all replicas of each tensor in a nest: of one replica, the tensors themselves.

        Raises:
          ValueError: if `reduce_op` is unknown.
        """
        _reduce_op(reduce_op)
        return nest.map_structure(_identity, value)

    def all_gather(self, value: Any, axis: int, options: Any = None) -> Any:
        """The replicas' tensors joined along an axis."""
        return nest.map_structure(_identity, value)

    def merge_call(
        self, merge_fn: Callable[..., Any], args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Call `merge_fn(strategy, *args, **kwargs)` where all replicas meet."""
        with _entered(self.strategy, replica=False):
            return merge_fn(self.strategy, *args, **(kwargs or {}))


def _identity(value: Any) -> Any:
    return value if is_tensor(value) else convert(value)


@contextmanager
def _entered(strategy: Strategy, replica: bool) -> Iterator[None]:
    _here.strategies.append((strategy, replica))
    try:
        yield
    finally:
        _here.strategies.pop()


@export("distribute.StrategyExtended")
class StrategyExtended:
    """A strategy's extended interface, which libraries use."""

    def __init__(self, strategy: Strategy) -> None:
        self._strategy = strategy
        name = strategy._device or (list_logical_devices("GPU") or list_logical_devices("CPU"))[0].name
        self.worker_devices: tuple[str, ...] = (name,)
        self.parameter_devices: tuple[str, ...] = (name,)

    def variable_created_in_scope(self, v: Any) -> bool:
        """Whether the variable belongs to the strategy: there is only one."""
        return True

    def reduce_to(self, reduce_op: Any, value: Any, destinations: Any, options: Any = None) -> Any:
        """The replicas' values reduced."""
        _reduce_op(reduce_op)
        return value

    def batch_reduce_to(self, reduce_op: Any, value_destination_pairs: Iterable[Any], options: Any = None) -> list[Any]:
        """`reduce_to` of several."""
        _reduce_op(reduce_op)
        return [value for value, _ in value_destination_pairs]

    def update(self, var: Any, fn: Callable[..., Any], args: Any = (), kwargs: Any = None, group: bool = True) -> Any:
        """Call `fn(var, *args, **kwargs)` on each copy of a variable."""
        return fn(var, *args, **(kwargs or {}))

    @contextmanager
    def colocate_vars_with(self, colocate_with_variable: Any) -> Iterator[None]:
        """A context whose variables lie beside another: they do."""
        yield


@export("distribute.Strategy")
class Strategy:
    """How a program is spread over devices: here, on one replica. Mirrors `tf.distribute.Strategy`."""

    _device = ""

    def __init__(self, extended: Any = None) -> None:
        if extended is not None:
            self.extended = extended
        self._replica_context = ReplicaContext(self)

    @functools.cached_property
    def extended(self) -> Any:
        """The extended interface. Made when it is asked for, since it names devices, and JAX finds those when somebody asks."""
        return StrategyExtended(self)

    @property
    def num_replicas_in_sync(self) -> int:
        """How many replicas there are."""
        return 1

    @contextmanager
    def scope(self) -> Iterator[Strategy]:
        """A context in which this is the strategy.

        Raises:
          RuntimeError: inside the scope of another one.
        """
        current = get_strategy()
        if current is not _default and current is not self:
            raise RuntimeError(f"Mixing different tf.distribute.Strategy objects: {current} is not {self}")
        with ExitStack() as stack:
            if self is not _default:
                stack.enter_context(_entered(self, replica=False))
                stack.enter_context(device(self._device))
            yield self

    def run(
        self,
        fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: dict[str, Any] | None = None,
        options: Any = None,
    ) -> Any:
        """Call `fn` on every replica."""
        with _entered(self, replica=True):
            return fn(*args, **(kwargs or {}))

    def reduce(self, reduce_op: Any, value: Any, axis: int | None) -> Any:
        """The replicas' values, summed or averaged, along an axis too unless that is None."""
        operation = _reduce_op(reduce_op)
        if axis is None:
            return nest.map_structure(_identity, value)
        along = reductions.reduce_sum if operation is ReduceOp.SUM else reductions.reduce_mean
        return nest.map_structure(lambda v: along(v, axis=axis), value)

    def gather(self, value: Any, axis: int) -> Any:
        """The replicas' values joined along an axis."""
        return nest.map_structure(_identity, value)

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """The value of each replica of this process."""
        return (value,)

    def experimental_distribute_dataset(self, dataset: Any, options: Any = None) -> Any:
        """The dataset, a share of each batch for each replica."""
        return dataset

    def distribute_datasets_from_function(self, dataset_fn: Callable[..., Any], options: Any = None) -> Any:
        """The dataset that the function makes for this process."""
        return dataset_fn(InputContext())

    def experimental_distribute_values_from_function(self, value_fn: Callable[..., Any]) -> Any:
        """The value that the function makes for each replica."""
        return value_fn(ValueContext())


@export("distribute.InputContext")
class InputContext:
    """Which part of the input a process reads."""

    def __init__(self, num_input_pipelines: int = 1, input_pipeline_id: int = 0, num_replicas_in_sync: int = 1) -> None:
        self.num_input_pipelines = num_input_pipelines
        self.input_pipeline_id = input_pipeline_id
        self.num_replicas_in_sync = num_replicas_in_sync

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """The size of a replica's share of a batch.

        Raises:
          ValueError: if it is no whole number.
        """
        if global_batch_size % self.num_replicas_in_sync:
            raise ValueError(
                f"The `global_batch_size` {global_batch_size!r} is not divisible by `num_replicas_in_sync` "
                f"{self.num_replicas_in_sync!r}"
            )
        return global_batch_size // self.num_replicas_in_sync


@export("distribute.experimental.ValueContext")
class ValueContext:
    """For which replica a value is made."""

    def __init__(self, replica_id_in_sync_group: int = 0, num_replicas_in_sync: int = 1) -> None:
        self.replica_id_in_sync_group = replica_id_in_sync_group
        self.num_replicas_in_sync = num_replicas_in_sync


class _DefaultDistributionStrategy(Strategy):
    """The strategy where none was chosen."""


_default = _DefaultDistributionStrategy()


@export("distribute.OneDeviceStrategy")
class OneDeviceStrategy(Strategy):
    """Everything on one device. Mirrors `tf.distribute.OneDeviceStrategy`.

    Args:
      device: its name, such as `"/gpu:0"`.
    """

    def __init__(self, device: str) -> None:
        self._device = device
        super().__init__()


@export("distribute.MirroredStrategy")
class MirroredStrategy(Strategy):
    """One replica for each device of this machine: here, for one. Mirrors `tf.distribute.MirroredStrategy`.

    Args:
      devices: names of devices, at most one; the default device where None.
      cross_device_ops: accepted; there is nothing to bring together.

    Raises:
      NotImplementedError: if there are several devices.
    """

    def __init__(self, devices: Any = None, cross_device_ops: Any = None) -> None:
        names = [devices] if isinstance(devices, str) else list(devices or ())
        if len(names) > 1:
            raise NotImplementedError(
                f"tf.distribute.MirroredStrategy: one replica only; {len(names)} devices were given ({', '.join(names)})"
            )
        if names:
            self._device = names[0]
        super().__init__()


def _absent(name: str) -> type:
    """A strategy that cannot be made here, but derived from and asked about."""

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(
            f"tf.distribute.{name}: one process and one replica only; use tf.distribute.OneDeviceStrategy"
        )

    return export_value(type(name.rpartition(".")[2], (Strategy,), {"__init__": __init__}), f"distribute.{name}")


TPUStrategy = _absent("TPUStrategy")
MultiWorkerMirroredStrategy = _absent("MultiWorkerMirroredStrategy")
ParameterServerStrategy = _absent("ParameterServerStrategy")


@export("distribute.get_strategy")
def get_strategy() -> Strategy:
    """The strategy whose scope is open, or the default one. Mirrors `tf.distribute.get_strategy`."""
    return _here.strategies[-1][0] if _here.strategies else _default


@export("distribute.has_strategy")
def has_strategy() -> bool:
    """Whether a strategy's scope is open. Mirrors `tf.distribute.has_strategy`."""
    return get_strategy() is not _default


@export("distribute.in_cross_replica_context")
def in_cross_replica_context() -> bool:
    """Whether all replicas are looked at together, rather than one. Mirrors `tf.distribute.in_cross_replica_context`."""
    return bool(_here.strategies) and not _here.strategies[-1][1]


@export("distribute.get_replica_context")
def get_replica_context() -> ReplicaContext | None:
    """The replica's context; None where all are looked at together. Mirrors `tf.distribute.get_replica_context`."""
    return None if in_cross_replica_context() else get_strategy()._replica_context


@export("__internal__.distribute.strategy_supports_no_merge_call")
def strategy_supports_no_merge_call() -> bool:
    """Whether a replica may update variables without meeting the others: one replica always may."""
    return True


@export("__internal__.distribute.interim.maybe_merge_call")
def maybe_merge_call(fn: Callable[..., Any], strategy: Strategy, *args: Any, **kwargs: Any) -> Any:
    """Call `fn(strategy, *args, **kwargs)`, where all replicas meet if need be. Keras' optimizers update variables in it."""
    return fn(strategy, *args, **kwargs)


@export("distribute.DistributedValues")
class DistributedValues:
    """Values of several replicas: none exist with one replica. Mirrors `tf.distribute.DistributedValues`."""


@export("distribute.DistributedDataset")
class DistributedDataset:
    """A dataset whose batches are shared between replicas: one replica has none. Mirrors `tf.distribute.DistributedDataset`."""


@export("distribute.DistributedIterator")
class DistributedIterator:
    """An iterator over such a dataset: none exist with one replica. Mirrors `tf.distribute.DistributedIterator`."""
