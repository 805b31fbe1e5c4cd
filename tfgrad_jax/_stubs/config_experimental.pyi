"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax.lib.devices.configuration import ClusterDeviceFilters as ClusterDeviceFilters
from tfgrad_jax.lib.devices.visible import LogicalDeviceConfiguration as _VirtualDeviceConfiguration
VirtualDeviceConfiguration = _VirtualDeviceConfiguration
def disable_mlir_bridge() -> _Any:
    """Accepted without effect: programs reach XLA through JAX."""
def enable_mlir_bridge() -> _Any:
    """Accepted without effect: programs reach XLA through JAX."""
def enable_op_determinism() -> _Any:
    """Operations give the same results in every run. Mirrors the function of the same name."""
def enable_tensor_float_32_execution(enabled: _Any) -> _Any:
    """Whether matrix products of float32 may round their operands to 10 bits on GPUs: JAX's default matrix precision."""
def get_device_details(device: _Any) -> _Any:
    """What is known of a physical device: name and compute capability of a GPU. Mirrors the function of the same name."""
def get_device_policy() -> _Any:
    """The setting of `tf.config.experimental.set_device_policy`."""
def get_memory_growth(device: _Any) -> _Any:
    """Whether the device's memory is taken as needed."""
def get_memory_info(device: _Any) -> _Any:
    """The bytes in use on a device, now and at most: `"current"` and `"peak"`. Mirrors the function of the same name."""
def get_memory_usage(device: _Any) -> _Any:
    """The bytes in use on a device."""
def get_synchronous_execution() -> _Any:
    """The setting of `tf.config.experimental.set_synchronous_execution`."""
def get_virtual_device_configuration(device: _Any) -> _Any:
    """What was set for a physical device, or None. Mirrors `tf.config.get_logical_device_configuration`."""
def get_visible_devices(device_type: _Any = None) -> _Any:
    """The physical devices in use. Mirrors `tf.config.get_visible_devices`."""
def list_logical_devices(device_type: _Any = None) -> _Any:
    """The devices that operations can run on. Mirrors `tf.config.list_logical_devices`."""
def list_physical_devices(device_type: _Any = None) -> _Any:
    """The devices of this machine, of one kind (`"CPU"`, `"GPU"`, `"TPU"`) or all. Mirrors `tf.config.list_physical_devices`."""
def reset_memory_stats(device: _Any) -> _Any:
    """Not here: JAX's peak cannot be forgotten."""
def set_device_policy(device_policy: _Any) -> _Any:
    """Kept without effect: operands are brought to the device that needs them."""
def set_memory_growth(device: _Any, enable: _Any) -> _Any:
    """Accepted without effect: XLA_PYTHON_CLIENT_PREALLOCATE=false is JAX's way to say it, before the process starts."""
def set_synchronous_execution(enable: _Any) -> _Any:
    """Kept without effect: JAX decides when to wait."""
def set_virtual_device_configuration(device: _Any, logical_devices: _Any) -> _Any:
    """Have a CPU stand for several devices, before anything ran. Mirrors `tf.config.set_logical_device_configuration`."""
def set_visible_devices(devices: _Any, device_type: _Any = None) -> _Any:
    """Use these physical devices only, of one kind or of all. Mirrors `tf.config.set_visible_devices`."""
def tensor_float_32_execution_enabled() -> _Any:
    """Whether matrix products may round their operands on GPUs. Mirrors the function of the same name."""
