"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax._stubs import config_experimental
from tfgrad_jax._stubs import config_optimizer
from tfgrad_jax._stubs import config_threading
from tfgrad_jax.lib.devices.devices import LogicalDevice as LogicalDevice
from tfgrad_jax.lib.devices.visible import LogicalDeviceConfiguration as LogicalDeviceConfiguration
from tfgrad_jax.lib.devices.devices import PhysicalDevice as PhysicalDevice
experimental = config_experimental
optimizer = config_optimizer
threading = config_threading
def experimental_connect_to_cluster(cluster_spec_or_resolver: _Any = None, *args: _Any, **kwargs: _Any) -> _Any:
    """Not here: TensorFlow's servers speak their own protocol. A cluster of nobody else, as of this machine's TPUs, needs nothing."""
def experimental_connect_to_host(cluster_spec_or_resolver: _Any = None, *args: _Any, **kwargs: _Any) -> _Any:
    """Not here: TensorFlow's servers speak their own protocol. A cluster of nobody else, as of this machine's TPUs, needs nothing."""
def experimental_functions_run_eagerly() -> _Any:
    """The setting of `tf.config.run_functions_eagerly`."""
def experimental_run_functions_eagerly(run_eagerly: _Any) -> _Any:
    """Whether calls of `tf.function`s run the Python functions instead. Mirrors `tf.config.run_functions_eagerly`."""
def functions_run_eagerly() -> _Any:
    """The setting of `tf.config.run_functions_eagerly`."""
def get_logical_device_configuration(device: _Any) -> _Any:
    """What was set for a physical device, or None. Mirrors `tf.config.get_logical_device_configuration`."""
def get_soft_device_placement() -> _Any:
    """The setting of `tf.config.set_soft_device_placement`."""
def get_visible_devices(device_type: _Any = None) -> _Any:
    """The physical devices in use. Mirrors `tf.config.get_visible_devices`."""
def list_logical_devices(device_type: _Any = None) -> _Any:
    """The devices that operations can run on. Mirrors `tf.config.list_logical_devices`."""
def list_physical_devices(device_type: _Any = None) -> _Any:
    """The devices of this machine, of one kind (`"CPU"`, `"GPU"`, `"TPU"`) or all. Mirrors `tf.config.list_physical_devices`."""
def run_functions_eagerly(run_eagerly: _Any) -> _Any:
    """Whether calls of `tf.function`s run the Python functions instead. Mirrors `tf.config.run_functions_eagerly`."""
def set_logical_device_configuration(device: _Any, logical_devices: _Any) -> _Any:
    """Have a CPU stand for several devices, before anything ran. Mirrors `tf.config.set_logical_device_configuration`."""
def set_soft_device_placement(enabled: _Any) -> _Any:
    """Kept without effect: `tf.device` always falls back to a device that is there."""
def set_visible_devices(devices: _Any, device_type: _Any = None) -> _Any:
    """Use these physical devices only, of one kind or of all. Mirrors `tf.config.set_visible_devices`."""
