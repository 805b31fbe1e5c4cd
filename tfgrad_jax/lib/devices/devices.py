"""Devices: what is there, and scopes that place work on one."""

from __future__ import annotations

import re
from types import TracebackType
from typing import Any, NamedTuple

import jax

from tfgrad_jax.engine.messages.logging import warn_once
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.lib.devices.device_spec import DeviceSpec


@export("config.PhysicalDevice")
class PhysicalDevice(NamedTuple):
    """A device of this machine."""

    name: str
    device_type: str


@export("config.LogicalDevice")
class LogicalDevice(NamedTuple):
    """A device that operations can run on."""

    name: str
    device_type: str


_SPEC = re.compile(
    r"(?i)^(?:/job:[^/]+)?(?:/replica:[^/]+)?(?:/task:[^/]+)?/?(?:device:)?(cpu|gpu|tpu)(?::(\d+|\*))?$|^(/job:.*)?$"
)


def _kinds() -> list[tuple[str, list[Any]]]:
    kinds = [("CPU", jax.devices("cpu"))]
    platform = jax.default_backend()
    if platform != "cpu":
        kinds.append((platform.upper(), jax.devices(platform)))
    return kinds


@export("config.list_physical_devices", "config.experimental.list_physical_devices")
def list_physical_devices(device_type: str | None = None) -> list[Any]:
    """The devices of this machine, of one kind (`"CPU"`, `"GPU"`, `"TPU"`) or all. Mirrors `tf.config.list_physical_devices`."""
    return [
        PhysicalDevice(f"/physical_device:{kind}:{i}", kind)
        for kind, devices in _kinds()
        for i, _ in enumerate(devices)
        if device_type in (None, kind)
    ]


@export("config.list_logical_devices", "config.experimental.list_logical_devices")
def list_logical_devices(device_type: str | None = None) -> list[Any]:
    """The devices that operations can run on. Mirrors `tf.config.list_logical_devices`."""
    return [
        LogicalDevice(f"/device:{kind}:{i}", kind)
        for kind, devices in _kinds()
        for i, _ in enumerate(devices)
        if device_type in (None, kind)
    ]


@export("config.get_visible_devices", "config.experimental.get_visible_devices")
def get_visible_devices(device_type: str | None = None) -> list[Any]:
    """The physical devices in use: all of them."""
    return list_physical_devices(device_type)


@export("config.set_visible_devices", "config.experimental.set_visible_devices")
def set_visible_devices(devices: Any, device_type: str | None = None) -> None:
    """Accepted, with a warning where it would hide a device: JAX chooses its devices when the process starts."""
    given = list(devices) if isinstance(devices, (list, tuple)) else [devices]
    if device_type and len(given) != len(list_physical_devices(device_type)):
        warn_once("tf.config.set_visible_devices has no effect; set the environment variable JAX_PLATFORMS instead")


@export("config.experimental.set_memory_growth")
def set_memory_growth(device: Any, enable: bool) -> None:
    """Accepted without effect: XLA_PYTHON_CLIENT_PREALLOCATE=false is JAX's way to say it, before the process starts."""


@export("config.experimental.get_memory_growth")
def get_memory_growth(device: Any) -> bool:
    """Whether the device's memory is taken as needed."""
    return False


@export("config.threading.set_intra_op_parallelism_threads", "config.threading.set_inter_op_parallelism_threads")
def _set_threads(num_threads: int) -> None:
    """Accepted without effect: XLA chooses the number of threads."""


@export("test.is_gpu_available")
def is_gpu_available(cuda_only: bool = False, min_cuda_compute_capability: Any = None) -> bool:
    """Whether there is a GPU."""
    return bool(list_physical_devices("GPU"))


@export("test.gpu_device_name")
def gpu_device_name() -> str:
    """The name of the first GPU, or ""."""
    return "/device:GPU:0" if is_gpu_available() else ""


@export("test.is_built_with_cuda")
def is_built_with_cuda() -> bool:
    """Whether JAX runs on CUDA."""
    return jax.default_backend() in ("gpu", "cuda")


@export("device")
class device:
    """A context that places operations on a device. Mirrors `tf.device`.

    Args:
      device_name: such as `"/GPU:0"`, `"CPU:0"` or a full device string; None or "" leaves the choice open.

    Raises:
      ValueError: on entering, if the name is not understood. A device that is not there falls back to the one that is, as
        with TensorFlow's soft placement.
    """

    def __init__(self, device_name: str | DeviceSpec | None) -> None:
        self._name = device_name.to_string() if isinstance(device_name, DeviceSpec) else device_name
        self._scope: Any = None

    def __enter__(self) -> None:
        name = self._name
        if not name:
            return
        found = _SPEC.match(str(name))
        if found is None:
            raise ValueError(f"tf.device: {name!r} is not a device name; such are '/CPU:0' and '/GPU:0'")
        kind, index = found.group(1), found.group(2)
        if kind is None:
            return
        devices = dict(_kinds()).get(kind.upper())
        if devices:
            i = int(index) if index and index != "*" else 0
            self._scope = jax.default_device(devices[i] if i < len(devices) else devices[0])
            self._scope.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._scope is not None:
            self._scope.__exit__(kind, error, trace)
            self._scope = None
