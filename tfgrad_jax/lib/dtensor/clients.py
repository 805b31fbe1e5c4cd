"""The processes of `tf.experimental.dtensor`: there is one."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.lib.devices.device_spec import DeviceSpec
from tfgrad_jax.lib.devices.devices import list_physical_devices
from tfgrad_jax.lib.devices.visible import LogicalDeviceConfiguration, set_logical_device_configuration
from tfgrad_jax.lib.dtensor.mesh import device_names


@export("experimental.dtensor.num_clients")
def num_clients() -> int:
    """How many processes there are: one."""
    return 1


@export("experimental.dtensor.client_id")
def client_id() -> int:
    """The number of this process."""
    return 0


@export("experimental.dtensor.job_name")
def job_name() -> str:
    """The name of the processes' job."""
    return "localhost"


@export("experimental.dtensor.full_job_name")
def full_job_name(task_id: int | None = None) -> str:
    """The name of a process."""
    return f"localhost/replica:0/task:{task_id or 0}"


@export("experimental.dtensor.jobs")
def jobs() -> list[str]:
    """The addresses of the processes: none, as there is one."""
    return []


@export("experimental.dtensor.heartbeat_enabled")
def heartbeat_enabled() -> bool:
    """Whether processes look for each other."""
    return True


@export("experimental.dtensor.preferred_device_type")
def preferred_device_type() -> str:
    """The kind of devices that meshes have if nothing else is said."""
    return str(DeviceSpec.from_string(device_names(None)[0]).device_type)


@export("experimental.dtensor.local_devices")
def local_devices(device_type: str, for_client_id: int | None = None) -> list[DeviceSpec]:
    """The devices of a kind of this process."""
    return [DeviceSpec.from_string(name) for name in device_names(device_type)]


@export("experimental.dtensor.num_local_devices", "experimental.dtensor.num_global_devices")
def num_local_devices(device_type: str) -> int:
    """How many devices of a kind there are."""
    return len(device_names(device_type))


@export("experimental.dtensor.device_name")
def device_name() -> str:
    """The name that TensorFlow's messages have for what runs operations on meshes."""
    return "/job:localhost/replica:0/task:0/device:CUSTOM:0"


@export("experimental.dtensor.barrier")
def barrier(mesh: Any, barrier_name: str | None = None, timeout_in_ms: int | None = None) -> None:
    """Wait for all processes: there is one."""


_U = "dtensor.python.accelerator_util."
_initialized: list[str] = []


@export(_U + "is_initialized")
def is_initialized() -> bool:
    """Whether devices were made ready."""
    return bool(_initialized)


@export(_U + "set_initialized")
def set_initialized(value: Any) -> None:
    """Note which kind of devices was made ready."""
    _initialized[:] = [value] if value else []


@export("experimental.dtensor.initialize_accelerator_system", "experimental.dtensor.initialize_multi_client")
def initialize_accelerator_system(
    device_type: str | None = None,
    enable_coordination_service: bool | None = True,
    num_logical_cpu_devices: int | None = None,
    experimental_reset_context: bool | None = False,
    experimental_enable_megcore: bool | None = False,
) -> str:
    """Make devices ready: the CPU is divided, the others are. Mirrors the function of the same name.

    Args:
      device_type: the kind.
      enable_coordination_service, experimental_reset_context, experimental_enable_megcore: accepted for compatibility.
      num_logical_cpu_devices: in how many devices a CPU is to be divided.

    Raises:
      ValueError: if it was done before, or for an unknown kind, or a number of CPUs where these are not meant.
    """
    if is_initialized():
        raise ValueError(
            "Accelerator system has already been initialized. Call tf.experimental.dtensor.shutdown_accelerator_system() first."
        )
    found = device_type or preferred_device_type()
    if found not in ("CPU", "GPU", "TPU"):
        raise ValueError(f"Unknown device_type {found}. Allowed values are CPU, GPU, or TPU")
    if num_logical_cpu_devices is not None and found != "CPU":
        raise ValueError('num_logical_cpu_devices should only be set with device_type "CPU"')
    if num_logical_cpu_devices:
        configurations = [LogicalDeviceConfiguration() for _ in range(num_logical_cpu_devices)]
        set_logical_device_configuration(list_physical_devices("CPU")[0], configurations)
    set_initialized(found)
    return found


@export("experimental.dtensor.shutdown_accelerator_system")
def shutdown_accelerator_system() -> None:
    """Forget that devices were made ready.

    Raises:
      ValueError: if they were not.
    """
    if not is_initialized():
        raise ValueError(
            "Accelerator system is not initialized. Call tf.experimental.dtensor.initialize_accelerator_system first."
        )
    set_initialized(None)
