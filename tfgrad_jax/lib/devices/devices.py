"""Devices: what is there, and scopes that place work on one."""

from __future__ import annotations

import re
from types import TracebackType
from typing import Any, NamedTuple

import jax

from tfgrad_jax.engine.fused.modes import flush
from tfgrad_jax.engine.hooks import device_scope
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.threads.accelerator import has_accelerator
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


named: dict[str, int] = {}
"""By kind, how many logical devices there are, where these are names only: several of them are one of JAX's devices."""

hidden: set[PhysicalDevice] = set()
"""The physical devices that the program does not want to use."""


@export("config.list_physical_devices", "config.experimental.list_physical_devices")
def list_physical_devices(device_type: str | None = None) -> list[Any]:
    """The devices of this machine, of one kind (`"CPU"`, `"GPU"`, `"TPU"`) or all. Mirrors `tf.config.list_physical_devices`.

    All processors together are one device, as in TensorFlow.
    """
    return [
        PhysicalDevice(f"/physical_device:{kind}:{i}", kind)
        for kind, devices in _kinds()
        for i, _ in enumerate(devices[:1] if kind == "CPU" else devices)
        if device_type in (None, kind)
    ]


@export("config.list_logical_devices", "config.experimental.list_logical_devices")
def list_logical_devices(device_type: str | None = None) -> list[Any]:
    """The devices that operations can run on. Mirrors `tf.config.list_logical_devices`."""
    count = {kind: named.get(kind, len(devices)) for kind, devices in _kinds()}
    for device in hidden:
        count[device.device_type] -= 1
    return [
        LogicalDevice(f"/device:{kind}:{i}", kind)
        for kind, number in count.items()
        for i in range(number)
        if device_type in (None, kind)
    ]


@export("config.experimental.set_memory_growth")
def set_memory_growth(device: Any, enable: bool) -> None:
    """Accepted without effect: XLA_PYTHON_CLIENT_PREALLOCATE=false is JAX's way to say it, before the process starts.

    Args:
      device: a `tf.config.PhysicalDevice`.
      enable: whether memory is taken as needed.

    Raises:
      ValueError: if it is none of this machine's devices, or a CPU.
    """
    if device not in list_physical_devices():
        raise ValueError(f"Unrecognized device: {device!r}: tf.config.list_physical_devices() has those that there are")
    if device.device_type == "CPU":
        raise ValueError("Cannot set memory growth on non-GPU and non-Pluggable devices")


@export("config.experimental.get_memory_growth")
def get_memory_growth(device: Any) -> bool:
    """Whether the device's memory is taken as needed."""
    return False


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


def jax_device(name: str) -> Any:
    """JAX's device of a name; the first of its kind where there are not as many, None where there is no such kind or none is named.

    Raises:
      ValueError: if the name is not understood.
    """
    found = _SPEC.match(name)
    if found is None:
        raise ValueError(f"tf.device: {name!r} is not a device name; such are '/CPU:0' and '/GPU:0'")
    kind, index = found.group(1), found.group(2)
    devices = dict(_kinds()).get(kind.upper()) if kind is not None else None
    if not devices:
        return None
    i = int(index) if index and index != "*" else 0
    return devices[i] if i < len(devices) else devices[0]


@device_scope.fill
@export("device")
class device:
    """A context that places operations on a device. Mirrors `tf.device`.

    Args:
      device_name: such as `"/GPU:0"`, `"CPU:0"` or a full device string, or a logical device; None or "" leaves the choice open.

    Raises:
      ValueError: on entering, if the name is not understood. A device that is not there falls back to the one that is, as
        with TensorFlow's soft placement.
    """

    def __init__(self, device_name: str | DeviceSpec | LogicalDevice | None) -> None:
        named = device_name.name if isinstance(device_name, LogicalDevice) else device_name
        self._name = named.to_string() if isinstance(named, DeviceSpec) else named
        self._scope: Any = None

    def __enter__(self) -> None:
        name = self._name
        if not name:
            return
        found = jax_device(str(name))
        if found is not None:
            _run_pending()
            self._scope = jax.default_device(found)
            self._scope.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._scope is not None:
            try:
                if error is None:
                    _run_pending()
            finally:
                self._scope.__exit__(kind, error, trace)
                self._scope = None


def _run_pending() -> None:
    """Run what fused mode has noted, on the device for which that was: where there is more than one."""
    if has_accelerator() or jax.device_count() > 1:
        flush()
