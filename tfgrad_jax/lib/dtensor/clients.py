"""The processes of `tf.experimental.dtensor`: there is one; and what there is none of."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.names.export import export, export_value
from tfgrad_jax.lib.devices.device_spec import DeviceSpec
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


@export("experimental.dtensor.initialize_accelerator_system")
def initialize_accelerator_system(
    device_type: str | None = None,
    enable_coordination_service: bool | None = True,
    num_logical_cpu_devices: int | None = None,
    experimental_reset_context: bool | None = False,
    experimental_enable_megcore: bool | None = False,
) -> str:
    """The kind of devices in use, which JAX makes ready itself. Mirrors the function of the same name."""
    return device_type or preferred_device_type()


export_value(initialize_accelerator_system, "experimental.dtensor.initialize_multi_client")


@export("experimental.dtensor.shutdown_accelerator_system")
def shutdown_accelerator_system() -> None:
    """Nothing: JAX gives devices back when the process ends."""


def _absent(name: str, instead: str) -> None:
    def absent(*args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f"tf.experimental.dtensor.{name}: {instead}")

    absent.__name__ = name
    # TensorFlow's classes are classes here, too: programs ask values for them, and none is of them.
    found: Any = type(name, (), {"__init__": absent}) if name[0].isupper() else absent
    found.instead = instead
    export_value(found, f"experimental.dtensor.{name}")


_absent("DTensorDataset", "give each batch to dtensor.copy_to_mesh")
_absent("DTensorCheckpoint", "tf.train.Checkpoint saves variables on meshes as all others")
_absent("sharded_save", "tf.train.Checkpoint saves variables on meshes as all others")
_absent("name_based_save", "tf.train.Checkpoint saves variables on meshes as all others")
_absent("name_based_restore", "tf.train.Checkpoint restores variables on meshes as all others")
