"""Which devices a program uses, and how many logical ones a physical one stands for."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
from jax.extend.backend import clear_backends

from tfgrad_jax.engine.kernels.executables import budget
from tfgrad_jax.engine.kernels.policy import policy
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.state.random_state import set_seed
from tfgrad_jax.engine.threads.accelerator import hide
from tfgrad_jax.lib.devices.devices import PhysicalDevice, hidden, list_logical_devices, list_physical_devices, named

_INITIALISED = "Virtual devices cannot be modified after being initialized"
_configured: dict[PhysicalDevice, list[LogicalDeviceConfiguration]] = {}


@export("config.LogicalDeviceConfiguration", "config.experimental.VirtualDeviceConfiguration")
class LogicalDeviceConfiguration(NamedTuple):
    """A logical device of a physical one. Mirrors `tf.config.LogicalDeviceConfiguration`.

    Attributes:
      memory_limit: megabytes; kept without effect, as JAX shares a GPU's memory among all that runs on it.
      experimental_priority, experimental_device_ordinal: kept without effect.
    """

    memory_limit: float | None = None
    experimental_priority: int | None = None
    experimental_device_ordinal: int | None = None


@export("config.get_logical_device_configuration", "config.experimental.get_virtual_device_configuration")
def get_logical_device_configuration(device: Any) -> list[LogicalDeviceConfiguration] | None:
    """What was set for a physical device, or None. Mirrors `tf.config.get_logical_device_configuration`.

    Raises:
      ValueError: if there is no such device.
    """
    _known(device)
    return _configured.get(device)


@export("config.set_logical_device_configuration", "config.experimental.set_virtual_device_configuration")
def set_logical_device_configuration(device: Any, logical_devices: Any) -> None:
    """Have a CPU stand for several devices, before anything ran. Mirrors `tf.config.set_logical_device_configuration`.

    A GPU stays one device: a list of one configuration is kept for it.

    Raises:
      ValueError: if there is no such device; for a memory limit of a CPU; for several logical devices on a GPU.
      RuntimeError: if something ran already.
    """
    _known(device)
    given = list(logical_devices)
    if device.device_type != "CPU":
        if len(given) > 1:
            raise ValueError(
                "tf.config.set_logical_device_configuration: a GPU cannot be divided here; JAX has one device for each GPU"
            )
    elif any(one.memory_limit is not None for one in given):
        raise ValueError("Setting memory limit on CPU virtual devices is currently not supported")
    elif "CPU" in named:
        named["CPU"] = len(given)
    elif len(given) != len(list_logical_devices("CPU")):
        if jax.live_arrays() or budget.now:
            raise RuntimeError(_INITIALISED)
        clear_backends()
        jax.config.update("jax_num_cpu_devices", len(given))
    _configured[device] = given


@export("python.eager.context._reset_context")
def reset_context() -> None:
    """Forget logical devices and the global seed, also after something ran; Keras' tests call it.

    JAX's devices stay what they are, so logical ones that are set from now on are names for them.
    """
    _configured.clear()
    named["CPU"] = 1
    set_seed(None)


def _known(device: Any) -> None:
    if device not in list_physical_devices():
        raise ValueError(f"Unrecognized device: {device!r}")


@export("config.get_visible_devices", "config.experimental.get_visible_devices")
def get_visible_devices(device_type: str | None = None) -> list[Any]:
    """The physical devices in use. Mirrors `tf.config.get_visible_devices`."""
    return [device for device in list_physical_devices(device_type) if device not in hidden]


@export("config.set_visible_devices", "config.experimental.set_visible_devices")
def set_visible_devices(devices: Any, device_type: str | None = None) -> None:
    """Use these physical devices only, of one kind or of all. Mirrors `tf.config.set_visible_devices`.

    What is computed from now on is computed on the first GPU that is left, or on the CPU where none is.

    Raises:
      ValueError: if there is no such device, or it is of another kind.
      RuntimeError: if no CPU would be left.
    """
    given = list(devices) if isinstance(devices, (list, tuple)) else [devices]
    for device in given:
        _known(device)
        if device_type not in (None, device.device_type):
            raise ValueError(f"Unrecognized device: {device!r}")
    of_kind = list_physical_devices(device_type)
    if any(d.device_type == "CPU" for d in of_kind) and not any(d.device_type == "CPU" for d in given):
        raise RuntimeError("Visible devices cannot be modified after being initialized")
    before = set(hidden)
    hidden.difference_update(of_kind)
    hidden.update(set(of_kind) - set(given))
    if hidden == before:
        return
    left = [d for d in list_physical_devices() if d not in hidden and d.device_type != "CPU"]
    hide(not left)
    policy.choose(policy.choice)
    policy.look()
    if left:
        kind, number = left[0].device_type.lower(), int(left[0].name.rpartition(":")[2])
        jax.config.update("jax_default_device", jax.devices(kind)[number])
    else:
        jax.config.update("jax_default_device", jax.devices("cpu")[0])
