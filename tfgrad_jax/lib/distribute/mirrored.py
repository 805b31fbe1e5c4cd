"""Strategies of one process: `MirroredStrategy`, `OneDeviceStrategy`, `CentralStorageStrategy`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfgrad_jax.engine.messages import logging
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.eager import init_scope
from tfgrad_jax.engine.state.synchronization import VariableAggregation, VariableSynchronization
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.devices.device_spec import DeviceSpec
from tfgrad_jax.lib.devices.devices import device, list_logical_devices
from tfgrad_jax.lib.distribute.contexts import here
from tfgrad_jax.lib.distribute.extended import StrategyExtended, asked_for, outside
from tfgrad_jax.lib.distribute.strategy import Strategy
from tfgrad_jax.lib.distribute.variables import (
    AggregatingVariable,
    DistributedVariable,
    MirroredVariable,
    SyncOnReadVariable,
)


def full_name(name: str) -> str:
    """The whole name of a device of this process.

    Raises:
      ValueError: if the name is not understood.
    """
    spec = DeviceSpec("localhost", 0, 0, "CPU", 0).make_merged_spec(DeviceSpec.from_string(name))
    return spec.to_string()


def devices_of(devices: Any, cpus: int | None = None) -> tuple[str, ...]:
    """The whole names of the devices, or of all GPUs, or of the CPU's where there are none.

    Args:
      devices: the names, or nothing.
      cpus: how many of the CPU's logical devices are meant where none are named; all of them where None.

    Raises:
      ValueError: if a name is not understood.
      AssertionError: if one is there twice.
    """
    if not devices:
        found = list_logical_devices("GPU") or list_logical_devices("CPU")[:cpus]
        devices = [one.name for one in found]
    names = tuple([full_name(str(name)) for name in devices])
    if len(set(names)) < len(names):
        raise AssertionError(f"No duplicates allowed in `devices` argument: {names}")
    return names


class MirroredExtended(StrategyExtended):
    """The extended interface of strategies whose variables have a copy for each replica."""

    wraps = True

    def _use_merge_call(self) -> bool:
        return self._strategy.num_replicas_in_sync > 1

    def make_variable(self, next_creator: Callable[..., Any], kwargs: dict[str, Any]) -> DistributedVariable:
        """The variable that `tf.Variable` makes in the scope: the first replica to come makes it for all."""
        replica = here.open[-1][1]
        if replica is None:
            return self._copies(next_creator, kwargs)

        return replica.variable(lambda: self._copies(next_creator, kwargs))

    def update(self, var: Any, fn: Callable[..., Any], args: Any = (), kwargs: Any = None, group: bool = True) -> Any:
        """As `StrategyExtended.update`.

        Raises:
          AssertionError: for a variable that was made outside of the strategy's scope.
        """
        if not isinstance(var, DistributedVariable):
            raise AssertionError(f"tf.distribute: {outside(var)}")
        return super().update(var, fn, args, kwargs, group)

    def _copies(self, next_creator: Callable[..., Any], kwargs: dict[str, Any]) -> DistributedVariable:
        synchronization, aggregation = asked_for(kwargs)
        if synchronization is VariableSynchronization.NONE:
            raise ValueError(
                "`NONE` variable synchronization mode is not supported with tf.distribute strategy. Please change the "
                f"`synchronization` for variable: {kwargs.get('name')}"
            )
        copies: list[Any] = []
        for i, home in enumerate(self.homes):
            if copies:
                kwargs = {
                    **kwargs,
                    "initial_value": self._value(copies[0]),
                    "name": f"{copies[0].name.split(':')[0]}/replica_{i}",
                }
            with device(home):
                copies.append(next_creator(**kwargs))
            if self._strategy.processes > 1 and len(copies) == 1:
                with init_scope():
                    copies[0].assign(self._strategy.agreed(copies[0].numpy()))
        if aggregation is VariableAggregation.MEAN and not copies[0].dtype.is_floating:
            raise ValueError(
                f"tf.Variable {copies[0].name!r} of {copies[0].dtype.name}: a mean is no integer, so aggregation=MEAN needs a "
                "floating dtype; use SUM or ONLY_FIRST_REPLICA, or another dtype"
            )
        if synchronization is VariableSynchronization.ON_READ:
            return SyncOnReadVariable(self._strategy, copies, synchronization, aggregation)
        return MirroredVariable(self._strategy, copies, VariableSynchronization.ON_WRITE, aggregation)

    def _value(self, first: Any) -> Tensor:
        """The first value of the other copies: that of the first one, on the host, from where each goes to its device."""
        return convert(first.box.current.numpy())


@export("distribute.MirroredStrategy")
class MirroredStrategy(Strategy):
    """A replica for each device of this machine, each with a copy of every variable. Mirrors `tf.distribute.MirroredStrategy`.

    Args:
      devices: names of devices; all GPUs where None, or all logical devices of the CPU where there are none.
      cross_device_ops: how devices communicate; without effect.

    Raises:
      ValueError: if a name is not understood.
      AssertionError: if a device is there twice.
    """

    def __init__(self, devices: Sequence[str] | None = None, cross_device_ops: Any = None) -> None:
        self.devices = devices_of(devices)
        logging.info("Using MirroredStrategy with devices %s", self.devices)
        super().__init__(MirroredExtended(self))


@export("distribute.OneDeviceStrategy")
class OneDeviceStrategy(Strategy):
    """Everything on one device. Mirrors `tf.distribute.OneDeviceStrategy`.

    Args:
      device: its name, such as `"/gpu:0"`.

    Raises:
      ValueError: if the name is not understood.
    """

    def __init__(self, device: str) -> None:
        self.devices = (full_name(device),)
        super().__init__()


class _CentralStorageExtended(StrategyExtended):
    """The extended interface of `CentralStorageStrategy`: one copy of each variable."""

    wraps = True

    def make_variable(self, next_creator: Callable[..., Any], kwargs: dict[str, Any]) -> Any:
        """The variable that `tf.Variable` makes in the scope."""
        if self._strategy.num_replicas_in_sync == 1:
            return super().make_variable(next_creator, kwargs)
        return AggregatingVariable(self._strategy, [next_creator(**kwargs)], *asked_for(kwargs))

    def update(self, var: Any, fn: Callable[..., Any], args: Any = (), kwargs: Any = None, group: bool = True) -> Any:
        return super().update(var.values[0] if isinstance(var, AggregatingVariable) else var, fn, args, kwargs, group)


@export("distribute.experimental.CentralStorageStrategy")
class CentralStorageStrategy(Strategy):
    """A replica for each device, and one copy of each variable. Mirrors `tf.distribute.experimental.CentralStorageStrategy`.

    Args:
      compute_devices: names of the replicas' devices; all GPUs where None, or the CPU where there are none.
      parameter_device: the name of the variables' device.
    """

    def __init__(self, compute_devices: Sequence[str] | None = None, parameter_device: str | None = None) -> None:
        self.devices = devices_of(compute_devices, cpus=1)
        super().__init__(_CentralStorageExtended(self))
        self.extended.parameter_devices = (parameter_device or self.devices[0],)
