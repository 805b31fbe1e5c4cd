"""The one module below `tensorflow.python` that libraries import although it is not public: where operations run."""

from __future__ import annotations

import contextlib
import dataclasses
import threading
from collections.abc import Iterator
from typing import Any

import jax

from tfgrad_jax.engine.names.export import export, export_value
from tfgrad_jax.engine.run.eager import executing_eagerly, init_scope
from tfgrad_jax.lib.devices.device_spec import DeviceSpec
from tfgrad_jax.lib.devices.devices import device, list_logical_devices, list_physical_devices


class _Context:
    """The eager context, as libraries ask for it: the open `tf.device`, and whether operations run at once."""

    def executing_eagerly(self) -> bool:
        """As `tf.executing_eagerly`."""
        return executing_eagerly()

    @property
    def device_spec(self) -> DeviceSpec:
        """Kind and number of the device whose scope is open; None where none is."""
        chosen = jax.config.jax_default_device  # type: ignore[attr-defined]
        return DeviceSpec() if chosen is None else DeviceSpec("localhost", 0, 0, chosen.platform, chosen.id)

    @property
    def device_name(self) -> str:
        """The device's name, or ""."""
        return self.device_spec.to_string()

    def clear_kernel_cache(self) -> None:
        """Forget kernels that are compiled: nothing, since their cache is bounded."""

    def num_gpus(self) -> int:
        """How many GPUs there are."""
        return len(list_logical_devices("GPU"))

    scope_name = ""
    """The scope of names, which programs may set."""

    summary_writer: Any = None
    """The writer of summaries, which programs may set."""

    def ensure_initialized(self) -> None:
        """Nothing: devices are ready."""

    def devices(self) -> list[str]:
        """The names of the devices."""
        return [f"/job:localhost/replica:0/task:0{d.name.replace('physical_', '')}" for d in list_logical_devices()]

    def device(self, name: Any) -> Any:
        """A scope within which operations run on a device.

        Raises:
          ValueError: for what is no name of a device.
        """
        if name is not None and not isinstance(name, (str, DeviceSpec)):
            raise ValueError(f"Expecting a string argument to device, got {name!r}")
        return device(name)

    def list_physical_devices(self, device_type: str | None = None) -> Any:
        """As `tf.config.list_physical_devices`."""
        return list_physical_devices(device_type)

    def list_logical_devices(self, device_type: str | None = None) -> Any:
        """As `tf.config.list_logical_devices`."""
        return list_logical_devices(device_type)

    def is_async(self) -> bool:
        """Whether programs see that operations return before they have run."""
        return bool(_local.mode)

    @property
    def execution_mode(self) -> int:
        """0 or 1: whether operations are said to return before they have run. What they compute is the same."""
        return _local.mode

    @execution_mode.setter
    def execution_mode(self, mode: int | None) -> None:
        if mode not in (None, 0, 1):
            raise ValueError(f"Execution mode should be None/SYNC/ASYNC. Received {mode!r}.")
        _local.mode = mode or 0

    @property
    def function_call_options(self) -> FunctionCallOptions:
        """What is chosen for calls of functions."""
        return FunctionCallOptions(_local.executor)


@dataclasses.dataclass
class FunctionCallOptions:
    """What is chosen for calls of functions.

    Attributes:
      executor_type: the name of what runs them, "" for the usual one; all run alike here.
      config_proto_serialized: settings of the grappler, which there are none of.
    """

    executor_type: str = ""
    config_proto_serialized: bytes = b""


class _Local(threading.local):
    mode = 0
    executor = ""


_local = _Local()
_context = export_value(_Context, "python.eager.context.Context")()


@export("python.eager.context.execution_mode")
@contextlib.contextmanager
def execution_mode(mode: int | None) -> Iterator[None]:
    """A context with another `execution_mode`."""
    before = _local.mode
    try:
        _context.execution_mode = mode
        yield
    finally:
        _local.mode = before


@export("python.eager.context.function_executor_type")
@contextlib.contextmanager
def function_executor_type(executor_type: str | None) -> Iterator[None]:
    """A context in which functions are said to be run by an executor; all run alike here."""
    before, _local.executor = _local.executor, executor_type or ""
    try:
        yield
    finally:
        _local.executor = before


@export("python.eager.context.context")
def context() -> _Context:
    """The state of eager execution."""
    return _context


export("python.eager.context.executing_eagerly")(executing_eagerly)


@export("python.eager.context.async_wait")
def async_wait() -> None:
    """Wait for operations under way. What they computed is waited for where it is read, and so are their errors."""


@export("__internal__.eager_context.eager_mode")
@contextlib.contextmanager
def eager_mode() -> Iterator[None]:
    """A context in which operations run at once, also while a function is recorded."""
    with init_scope():
        yield
