"""`tf.config`: settings of TensorFlow's runtime.

Those that mean something to JAX are passed on; the others are kept, given back when asked for, and have no effect, which each
function says.
"""

from __future__ import annotations

import os
from typing import Any

import jax

from tfgrad_jax.engine.function.function import functions_run_eagerly, run_functions_eagerly
from tfgrad_jax.engine.fused.modes import execution
from tfgrad_jax.engine.messages import where
from tfgrad_jax.engine.messages.errors import UnimplementedError
from tfgrad_jax.engine.names.export import export, export_value
from tfgrad_jax.lib.devices.devices import PhysicalDevice, list_physical_devices
from tfgrad_jax.ops.host.stripping import strip_debugging

_kept: dict[str, Any] = {
    "intra": 0,
    "inter": 0,
    "soft": True,
    "jit": "",
    "options": {},
    "policy": "silent",
    "synchronous": True,
    "tf32": True,
    "log": False,
}

export_value(run_functions_eagerly, "config.experimental_run_functions_eagerly")
export_value(functions_run_eagerly, "config.experimental_functions_run_eagerly")


@export("config.threading.get_intra_op_parallelism_threads")
def get_intra_op_parallelism_threads() -> int:
    """The number that was set; 0 says that XLA chooses. Mirrors `tf.config.threading.get_intra_op_parallelism_threads`."""
    return _kept["intra"]


@export("config.threading.set_intra_op_parallelism_threads")
def set_intra_op_parallelism_threads(num_threads: int) -> None:
    """Kept without effect: XLA chooses the number of threads when the process starts."""
    _kept["intra"] = num_threads


@export("config.threading.get_inter_op_parallelism_threads")
def get_inter_op_parallelism_threads() -> int:
    """The number that was set; 0 says that XLA chooses. Mirrors `tf.config.threading.get_inter_op_parallelism_threads`."""
    return _kept["inter"]


@export("config.threading.set_inter_op_parallelism_threads")
def set_inter_op_parallelism_threads(num_threads: int) -> None:
    """Kept without effect: XLA chooses the number of threads when the process starts."""
    _kept["inter"] = num_threads


@export("config.get_soft_device_placement")
def get_soft_device_placement() -> bool:
    """The setting of `tf.config.set_soft_device_placement`."""
    return _kept["soft"]


@export("config.set_soft_device_placement", "__internal__.eager_context.set_soft_device_placement")
def set_soft_device_placement(enabled: bool) -> None:
    """Kept without effect: `tf.device` always falls back to a device that is there."""
    _kept["soft"] = bool(enabled)


@export("config.optimizer.get_jit")
def get_jit() -> str:
    """The setting of `tf.config.optimizer.set_jit`: "autoclustering" or ""."""
    return _kept["jit"]


@export("config.optimizer.set_jit")
def set_jit(enabled: bool | str) -> None:
    """Kept without effect: every function is compiled by XLA."""
    _kept["jit"] = "autoclustering" if enabled is True or enabled == "autoclustering" else ""


_OPTIONS = (
    "layout_optimizer",
    "constant_folding",
    "shape_optimization",
    "remapping",
    "arithmetic_optimization",
    "dependency_optimization",
    "loop_optimization",
    "function_optimization",
    "debug_stripper",
    "disable_model_pruning",
    "scoped_allocator_optimization",
    "pin_to_host_optimization",
    "implementation_selector",
    "auto_mixed_precision",
    "disable_meta_optimizer",
    "auto_parallel",
    "min_graph_nodes",
    "use_plugin_optimizers",
)


@export("config.optimizer.get_experimental_options")
def get_experimental_options() -> dict[str, Any]:
    """The options that were set. Mirrors `tf.config.optimizer.get_experimental_options`."""
    options = {"disable_model_pruning": False, "disable_meta_optimizer": False, **_kept["options"]}
    return {name: options[name] for name in _OPTIONS if name in options}


@export("config.optimizer.set_experimental_options")
def set_experimental_options(options: dict[str, Any]) -> None:
    """Set options. Mirrors `tf.config.optimizer.set_experimental_options`.

    `debug_stripper` leaves `tf.debugging.Assert`, `tf.debugging.check_numerics` and `tf.print` out of functions that are traced
    afterwards. The others are kept without effect: XLA optimises programs, and has no such options.
    """
    _kept["options"].update({name: value for name, value in options.items() if name in _OPTIONS})
    strip_debugging(bool(_kept["options"].get("debug_stripper")))


_POLICIES = (None, "silent", "silent_for_int32", "warn", "explicit")


@export("config.experimental.get_device_policy")
def get_device_policy() -> str:
    """The setting of `tf.config.experimental.set_device_policy`."""
    return _kept["policy"]


@export("config.experimental.set_device_policy")
def set_device_policy(device_policy: str | None) -> None:
    """Kept without effect: operands are brought to the device that needs them.

    Raises:
      ValueError: if there is no such policy.
    """
    if device_policy not in _POLICIES:
        raise ValueError(
            f"Invalid argument `device_policy`: {device_policy!r}. It is one of {', '.join(map(repr, _POLICIES))}."
        )
    _kept["policy"] = device_policy or "silent"


@export("config.experimental.get_synchronous_execution")
def get_synchronous_execution() -> bool:
    """The setting of `tf.config.experimental.set_synchronous_execution`."""
    return _kept["synchronous"]


@export("config.experimental.set_synchronous_execution")
def set_synchronous_execution(enable: bool | None) -> None:
    """Kept without effect: JAX decides when to wait."""
    _kept["synchronous"] = enable is not False


@export("config.experimental.tensor_float_32_execution_enabled")
def tensor_float_32_execution_enabled() -> bool:
    """Whether matrix products may round their operands on GPUs. Mirrors the function of the same name."""
    return _kept["tf32"]


@export("config.experimental.enable_tensor_float_32_execution")
def enable_tensor_float_32_execution(enabled: bool) -> None:
    """Whether matrix products of float32 may round their operands to 10 bits on GPUs: JAX's default matrix precision."""
    _kept["tf32"] = bool(enabled)
    jax.config.update("jax_default_matmul_precision", None if enabled else "highest")


@export("config.experimental.enable_mlir_bridge", "config.experimental.disable_mlir_bridge")
def _mlir_bridge() -> None:
    """Accepted without effect: programs reach XLA through JAX."""


@export("config.experimental.enable_op_determinism", "python.framework.config.enable_op_determinism")
def enable_op_determinism() -> None:
    """Operations give the same results in every run. Mirrors the function of the same name.

    Each runs at once and is compiled when it is met first, as with `extras.execution("immediate", tiers="compiled")`: what runs
    how depends on nothing but the program, then. On GPUs it takes effect before the first operation.
    """
    flag = "--xla_gpu_deterministic_ops=true"
    if flag not in os.environ.get("XLA_FLAGS", ""):
        os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {flag}".strip()
    if not is_op_determinism_enabled():
        _kept["deterministic"] = execution("immediate", tiers="compiled")


@export("python.framework.config.disable_op_determinism")
def disable_op_determinism() -> None:
    """Run operations as before `enable_op_determinism`; tests of Keras call it."""
    before = _kept.pop("deterministic", None)
    if before is not None:
        before.undo()


@export("python.framework.config.is_op_determinism_enabled")
def is_op_determinism_enabled() -> bool:
    """Whether `tf.config.experimental.enable_op_determinism` was called; Keras asks it where it compiles."""
    return "deterministic" in _kept


@export("config.experimental.get_device_details")
def get_device_details(device: Any) -> dict[str, Any]:
    """What is known of a physical device: name and compute capability of a GPU. Mirrors the function of the same name.

    Raises:
      ValueError: if it is no `tf.config.PhysicalDevice`.
    """
    if not isinstance(device, PhysicalDevice):
        raise ValueError(f"device must be a tf.config.PhysicalDevice, but got: {device}")
    if device.device_type == "CPU":
        return {}
    found: Any = jax.devices(device.device_type.lower())[int(device.name.rpartition(":")[2])]
    details = {"device_name": found.device_kind}
    capability = getattr(found, "compute_capability", None)
    if capability:
        major, _, minor = str(capability).partition(".")
        details["compute_capability"] = (int(major), int(minor or 0))
    return details


def _named(device: str) -> Any:
    kind, _, number = str(device).rpartition("/")[2].removeprefix("device:").rpartition(":")
    if not kind or not number.isdigit() or kind.startswith("physical_device"):
        raise ValueError(
            f"Failed parsing device name: {device!r}. Note a valid device string should at least contain a device type "
            'and a device index, like "GPU:0".'
        )
    count = len(list_physical_devices(kind.upper()))
    if int(number) >= count:
        raise ValueError(f"No matching devices found for {device!r}")
    return jax.devices(kind.lower())[int(number)]


@export("config.experimental.get_memory_info")
def get_memory_info(device: str) -> dict[str, int]:
    """The bytes in use on a device, now and at most: `"current"` and `"peak"`. Mirrors the function of the same name.

    Raises:
      ValueError: if there is no such device, or it does not count (CPUs do not).
    """
    stats = None if (found := _named(device)).platform == "cpu" else found.memory_stats()
    if not stats:
        raise ValueError(f"Allocator stats not available for device {device!r}")
    return {"current": stats["bytes_in_use"], "peak": stats.get("peak_bytes_in_use", stats["bytes_in_use"])}


@export("config.experimental.get_memory_usage")
def get_memory_usage(device: str) -> int:
    """The bytes in use on a device.

    Raises:
      ValueError: as `tf.config.experimental.get_memory_info`.
    """
    return get_memory_info(device)["current"]


@export("config.experimental.reset_memory_stats")
def reset_memory_stats(device: str) -> None:
    """Not here: JAX's peak cannot be forgotten.

    Raises:
      ValueError: always.
    """
    _named(device)
    raise ValueError(f"Cannot reset memory stats for device {device!r}")


@export("config.experimental.ClusterDeviceFilters")
class ClusterDeviceFilters:
    """Which remote devices a task may see: kept without effect. Mirrors `tf.config.experimental.ClusterDeviceFilters`."""

    def __init__(self) -> None:
        self._filters: dict[tuple[str, int], list[str]] = {}

    def set_device_filters(self, job_name: str, task_index: int, device_filters: list[str]) -> None:
        """Keep what a task may see."""
        self._filters[job_name, task_index] = list(device_filters)


@export("config.experimental_connect_to_cluster", "config.experimental_connect_to_host")
def _connect(cluster_spec_or_resolver: Any = None, *args: Any, **kwargs: Any) -> None:
    """Not here: TensorFlow's servers speak their own protocol. A cluster of nobody else, as of this machine's TPUs, needs nothing.

    Raises:
      tf.errors.UnimplementedError: for any other.
    """
    asked = getattr(cluster_spec_or_resolver, "cluster_spec", None)
    if asked is not None and not asked():
        return
    raise UnimplementedError(
        None,
        None,
        "tf.config.experimental_connect_to_cluster: tfgrad_jax does not speak to TensorFlow's servers; several processes work "
        "together through jax.distributed",
    )


@export("debugging.get_log_device_placement")
def get_log_device_placement() -> bool:
    """The setting of `tf.debugging.set_log_device_placement`."""
    return _kept["log"]


@export("debugging.set_log_device_placement")
def set_log_device_placement(enabled: bool) -> None:
    """Kept without effect: operations are parts of programs, whose device is that of their operands."""
    _kept["log"] = bool(enabled)


@export("debugging.is_traceback_filtering_enabled")
def is_traceback_filtering_enabled() -> bool:
    """The setting of the next two."""
    return where.hiding


@export("debugging.enable_traceback_filtering")
def enable_traceback_filtering() -> None:
    """Leave JAX's frames out of tracebacks, and this package's out of messages that quote the user's code.

    Mirrors `tf.debugging.enable_traceback_filtering`.
    """
    where.hiding = True
    jax.config.update("jax_traceback_filtering", "auto")


@export("debugging.disable_traceback_filtering")
def disable_traceback_filtering() -> None:
    """Show JAX's frames in tracebacks, and this package's in messages that quote the user's code.

    Mirrors `tf.debugging.disable_traceback_filtering`.
    """
    where.hiding = False
    jax.config.update("jax_traceback_filtering", "off")
