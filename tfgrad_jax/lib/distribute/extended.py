"""`tf.distribute.StrategyExtended`: what libraries ask a strategy."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from tfgrad_jax.engine.composite.indexed_slices import IndexedSlices
from tfgrad_jax.engine.graph.operation import Operation
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.state.creators import variable_creator_scope
from tfgrad_jax.engine.state.synchronization import VariableAggregation, VariableSynchronization
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.threads.context import context, placed
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.convert import is_tensor
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.devices.devices import device, jax_device, list_logical_devices
from tfgrad_jax.lib.distribute import collective
from tfgrad_jax.lib.distribute.contexts import entered, here, mixed, updating
from tfgrad_jax.lib.distribute.reduce_op import ReduceOp, as_reduce_op, averaged, total
from tfgrad_jax.lib.distribute.values import DistributedValues, Mirrored, PerReplica, local_results, regrouped, selected
from tfgrad_jax.ops.array.creation import identity
from tfgrad_jax.ops.control.control_flow import group as one_for_all


def asked_for(kwargs: dict[str, Any]) -> tuple[VariableSynchronization, VariableAggregation]:
    """How a variable's copies are to relate, by the arguments of `tf.Variable`.

    Raises:
      ValueError: if there is no such way.
    """
    synchronization = kwargs.get("synchronization", VariableSynchronization.AUTO)
    aggregation = kwargs.get("aggregation", VariableAggregation.NONE)
    if not isinstance(synchronization, VariableSynchronization):
        raise ValueError(f"Invalid variable synchronization mode: {synchronization} for variable: {kwargs.get('name')}")
    if not isinstance(aggregation, VariableAggregation):
        raise ValueError(f"Invalid variable aggregation mode: {aggregation} for variable: {kwargs.get('name')}")
    return synchronization, aggregation


def outside(variable: Any) -> str:
    """What is wrong with a variable that was made outside of a strategy's scope."""
    return (
        f"the variable {getattr(variable, 'name', variable)!r} was made outside of the strategy's scope, so it has no copy for "
        "each replica. Make variables, models and optimizers within `with strategy.scope():`"
    )


def _one_place(destinations: Any) -> bool:
    """Whether a destination is one device's: its name, or what lies there; of replicas are lists of devices and their values."""
    if isinstance(destinations, DistributedValues):
        return False
    return isinstance(destinations, (str, Variable)) or is_tensor(destinations)


def _spread_as(variable: Any) -> Callable[..., Any]:
    """Makes variables; those of the shape of one that is spread over devices lie as it does."""

    def create(next_creator: Callable[..., Any], **kwargs: Any) -> Any:
        made = next_creator(**kwargs)
        if made.shape == variable.shape:
            if context.graph is None:
                made.box.spread(variable.box.sharding)
            else:
                made.box.sharding = variable.box.sharding  # the value comes when the function has been traced
        return made

    return create


@export("distribute.StrategyExtended")
class StrategyExtended:
    """A strategy's extended interface, which libraries use. Mirrors `tf.distribute.StrategyExtended`.

    Attributes:
      worker_devices: the device of each replica of this process.
      parameter_devices: the devices that variables lie on.
      wraps: whether the values that a function makes for replicas are distributed ones where there is a single replica, too.
    """

    wraps = False

    _in_multi_worker_mode = staticmethod(lambda: False)
    _global_batch_size = (
        True  # `batch` of a dataset means all replicas together; Keras 2 saves a model's metadata by it
    )
    experimental_require_static_shapes = False
    experimental_between_graph = False
    experimental_should_init = True
    should_checkpoint = True
    should_save_summary = True

    def __init__(self, strategy: Any) -> None:
        self._strategy = strategy
        devices = strategy.devices
        if not devices:
            devices = ((list_logical_devices("GPU") or list_logical_devices("CPU"))[0].name,)
        self.worker_devices: tuple[str, ...] = tuple(devices)
        self.parameter_devices: tuple[str, ...] = tuple(devices)

    @functools.cached_property
    def homes(self) -> tuple[str, ...]:
        """The device that computes for each replica.

        Devices of one CPU share its cores and its memory, so the first of them computes for all: what replicas do in a function is
        one program. `TFGRAD_JAX_CPU_REPLICAS=apart` gives each a device of JAX's, as accelerators have.
        """
        names = self.worker_devices
        found = [jax_device(name) for name in names]
        if os.environ.get("TFGRAD_JAX_CPU_REPLICAS") != "apart" and all(
            [d is not None and d.platform == "cpu" for d in found]
        ):
            return names[:1] * len(names)
        return names

    @functools.cached_property
    def _places(self) -> tuple[Any, ...]:
        """JAX's device of each replica, where these are as many; else None for each."""
        found = tuple([jax_device(name) for name in self.homes])
        return found if len(set(found)) == len(found) > 1 else (None,) * len(found)

    @contextmanager
    def on_device(self, replica: int) -> Iterator[None]:
        """A context on the device of a replica of this process; in a function, what is recorded is to run there."""
        with device(self.homes[replica]), placed(self._places[replica] if context.graph is not None else None):
            yield

    def variable_created_in_scope(self, v: Any) -> bool:
        """Whether a variable belongs to the strategy."""
        maker = getattr(v, "distribute_strategy", None) or getattr(v, "_distribute_strategy", None)
        return maker is self._strategy if self._strategy.chosen else maker in (None, self._strategy)

    def reduce_to(self, reduce_op: Any, value: Any, destinations: Any, options: Any = None) -> Any:
        """The replicas' values reduced: a copy for each, or one where a device, a tensor or a plain variable is the destination.

        Args:
          reduce_op: a `tf.distribute.ReduceOp`, or its name.
          value: the value to reduce.
          destinations: where to: a value of replicas, or None, means all replicas' devices.
          options: how devices communicate; without effect.

        Raises:
          ValueError: for the sum of a value that is none of replicas.
          AssertionError: for that of a `Mirrored`, such as a variable; in a replica, what is read of it can be summed.
        """
        return self.batch_reduce_to(reduce_op, [(value, destinations)], options)[0]

    def batch_reduce_to(self, reduce_op: Any, value_destination_pairs: Iterable[Any], options: Any = None) -> list[Any]:
        """`reduce_to` of several, for which other processes are asked once."""
        operation = as_reduce_op(reduce_op)
        pairs = list(value_destination_pairs)
        values = [self._of_replicas(operation, value) for value, _ in pairs]
        apart = [i for i, value in enumerate(values) if isinstance(value, PerReplica)]
        in_one = [_one_place(pairs[i][1]) for i in apart]
        sums = self._of_all_processes(self._of_this_process([values[i].values for i in apart], in_one))
        for i, one, copies in zip(apart, in_one, sums, strict=True):
            if one:
                del copies[1:]
            if operation is ReduceOp.MEAN:
                copies = self._averaged(copies, len(values[i].values) * self._strategy.processes)
            values[i] = Mirrored(copies) if len(copies) > 1 else copies[0] if one else self.mirrored(copies[0])
        return values

    def _of_this_process(self, values: list[Any], in_one: list[bool]) -> list[list[Any]]:
        """Sums over the replicas here: each as all of them have it, by an exchange, or once, from the first device.

        Args:
          values: for each the values of the replicas.
          in_one: whether it is wanted in one place.
        """
        places = self._places
        exchanged = [
            i
            for i, of_each in enumerate(values)
            if places[0] is not None and len(of_each) == len(places) and collective.suits(of_each, in_one[i])
        ]
        sums = collective.summed([values[i] for i in exchanged], places, self.on_device)
        found = dict(zip(exchanged, sums, strict=True))
        return [found[i] if i in found else [total(of_each)] for i, of_each in enumerate(values)]

    def _averaged(self, copies: list[Any], count: int) -> list[Any]:
        """Sums of so many values as their means; where there are several, each on its device."""
        if len(copies) == 1:
            return [averaged(copies[0], count)]
        found = []
        for replica, copy in enumerate(copies):
            with self.on_device(replica):
                found.append(averaged(copy, count))
        return found

    def _of_replicas(self, operation: ReduceOp, value: Any) -> Any:
        """What is to be brought together, as a `PerReplica`; anything else is the result already."""
        if isinstance(value, Mirrored):
            if operation is ReduceOp.SUM:
                raise AssertionError(
                    f"tf.distribute: the sum of {value}, which is the same in all replicas: read it in a replica, and sum that"
                )
            return value
        if isinstance(value, DistributedValues):
            return PerReplica(value.values)
        if len(self.worker_devices) == 1:
            return value if self._strategy.processes == 1 else PerReplica([value])
        if operation is ReduceOp.SUM:
            raise ValueError(
                f"A non-DistributedValues value {value} cannot be reduced with the given reduce op {operation}."
            )
        return value

    def _of_all_processes(self, sums: list[list[Any]]) -> list[list[Any]]:
        if self._strategy.processes == 1:
            return sums
        own = [copies[0] for copies in sums]
        dense = iter(self._strategy.summed([value for value in own if isinstance(value, Tensor)]))
        return [[next(dense) if isinstance(value, Tensor) else self._all_slices(value)] for value in own]

    def _all_slices(self, slices: IndexedSlices) -> IndexedSlices:
        values, indices = (self._strategy.joined_rows(part, 0) for part in (slices.values, slices.indices))
        return IndexedSlices(values, indices, slices.dense_shape)

    def mirrored(self, value: Any) -> Any:
        """A value with a copy for each replica of this process."""
        copies = [value]
        for replica in range(1, len(self.worker_devices)):
            with self.on_device(replica):
                copies.append(nest.map_structure(identity, value, expand_composites=True))
        return Mirrored(copies) if len(copies) > 1 else value

    def met(self, value: Any) -> Any:
        """A value that replicas meet with: one that all have as one object, from outside, counts once, as in TensorFlow."""
        return value if isinstance(value, DistributedValues) else PerReplica([value])

    def broadcast_to(self, tensor: Any, destinations: Any) -> Any:
        """A tensor as a value that all replicas have a copy of."""
        return tensor

    def update(self, var: Any, fn: Callable[..., Any], args: Any = (), kwargs: Any = None, group: bool = True) -> Any:
        """Call `fn(copy, *args, **kwargs)` on each copy of a variable.

        Args:
          var: the variable.
          fn: what is called, in a context where all variables are the copies of that number.
          args, kwargs: of whose distributed values each call gets its own.
          group: whether the results become one value; otherwise they are a tuple.
        """
        replica = here.open[-1][1] if here.open and here.updating is None else None
        if replica is not None and self._strategy.num_replicas_in_sync > 1:
            return replica.merge_call(
                lambda strategy, args, kwargs: self.update(var, fn, args, kwargs, group), (tuple(args), kwargs or {})
            )
        with entered(self._strategy, None):
            if not isinstance(var, DistributedValues):
                result = fn(var, *selected(0, tuple(args)), **selected(0, kwargs or {}))
                return result if group else local_results(result, 1)
            results = []
            for i, copy in enumerate(var.values):
                with updating(i), self.on_device(i):
                    result = fn(copy, *selected(i, tuple(args)), **selected(i, kwargs or {}))
                    results.append(result.read_value() if group and isinstance(result, Variable) else result)
        if not group:
            return tuple(results)
        # Operations have no value that a replica could ask for: one of them stands for all.
        return one_for_all(*results) if isinstance(results[0], Operation) else regrouped(results, Mirrored)

    def update_non_slot(
        self, colocate_with: Any, fn: Callable[..., Any], args: Any = (), kwargs: Any = None, group: bool = True
    ) -> Any:
        """Call `fn(*args, **kwargs)` where all replicas are looked at together."""
        return fn(*args, **(kwargs or {}))

    def non_slot_devices(self, var_list: Any) -> Any:
        """The devices of what belongs to no one variable."""
        return self.parameter_devices

    def value_container(self, value: Any) -> Any:
        """The variable that a copy is one of."""
        found = getattr(value, "_distributed_container", None)
        return value if found is None else found()

    def read_var(self, v: Any) -> Any:
        """The value of a variable, brought together if need be."""
        return v.read_value()

    def call_for_each_replica(self, fn: Callable[..., Any], args: Any = (), kwargs: Any = None) -> Any:
        """`tf.distribute.Strategy.run`."""
        return self._strategy.run(fn, args, kwargs)

    def make_variable(self, next_creator: Callable[..., Any], kwargs: dict[str, Any]) -> Any:
        """The variable that `tf.Variable` makes in the scope.

        Raises:
          ValueError: if there is no such way to bring values together.
        """
        asked_for(kwargs)
        made = next_creator(**kwargs)
        vars(made)["_distribute_strategy"] = self._strategy
        return made

    def colocate_vars_with(self, colocate_with_variable: Any) -> AbstractContextManager[None]:
        """A context whose variables lie as another does. Keras' optimizers make their slots in it.

        Raises:
          ValueError: if the other one was not made in the strategy's scope.
          RuntimeError: outside of the strategy's scope.
        """
        current = here.open[-1][0] if here.open else None
        if current is not None and current.chosen and current is not self._strategy:
            raise mixed(current, self._strategy)
        if self._strategy.chosen:
            if current is None or not current.chosen:
                raise RuntimeError(f'Need to be inside "with strategy.scope()" for {self._strategy}')
            if getattr(colocate_with_variable, "_distribute_strategy", None) is not self._strategy:
                raise ValueError(f"`colocate_vars_with`: {outside(colocate_with_variable)}")
        spread = getattr(getattr(colocate_with_variable, "box", None), "sharding", None)
        return nullcontext() if spread is None else variable_creator_scope(_spread_as(colocate_with_variable))
