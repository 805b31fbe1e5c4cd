"""Private modules of `tensorflow.python.distribute` that TensorFlow's own tests import: devices, workers, what tests need."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from typing import Any

import jax

from tfgrad_jax.engine.names.export import export, export_value
from tfgrad_jax.engine.run.eager import executing_eagerly_outside_functions
from tfgrad_jax.engine.state.synchronization import VariableAggregation, VariableSynchronization
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.lib.devices.device_spec import DeviceSpec
from tfgrad_jax.lib.devices.devices import LogicalDevice, device, list_logical_devices, list_physical_devices
from tfgrad_jax.lib.devices.visible import LogicalDeviceConfiguration, reset_context, set_logical_device_configuration
from tfgrad_jax.lib.distribute.cluster_spec import ClusterSpec
from tfgrad_jax.lib.distribute.contexts import here, updating
from tfgrad_jax.lib.distribute.extended import asked_for, outside
from tfgrad_jax.lib.distribute.mirrored import MirroredStrategy
from tfgrad_jax.lib.distribute.multi_worker import MultiWorkerMirroredStrategy
from tfgrad_jax.lib.distribute.strategy import Strategy, get_replica_context, get_strategy
from tfgrad_jax.lib.distribute.tpu import TPUStrategy
from tfgrad_jax.lib.distribute.values import DistributedValues, Mirrored, PerReplica, regrouped
from tfgrad_jax.lib.distribute.variables import DistributedVariable, MirroredVariable, SyncOnReadVariable
from tfgrad_jax.lib.testing.case import main as run_tests
from tfgrad_jax.ops.array.array import stack
from tfgrad_jax.ops.array.shape import expand_dims

_D, _W, _T, _L, _U = (
    f"python.distribute.{module}."
    for module in ("device_util", "multi_worker_util", "test_util", "distribute_lib", "distribute_utils")
)

# -- names of devices -----------------------------------------------------------------------------------------------


@export(_D + "canonicalize")
def canonicalize(d: Any, default: str | None = None) -> str:
    """The whole name of a device.

    Args:
      d: its name, or a part of that.
      default: the name that the rest is taken from.
    """
    spec = DeviceSpec.from_string(d.name if isinstance(d, LogicalDevice) else d or "")
    found = DeviceSpec(replica=0, task=0, device_type="CPU", device_index=0)
    if executing_eagerly_outside_functions():
        found = found.replace(job="localhost")
    if default:
        found = found.make_merged_spec(DeviceSpec.from_string(default))
    return found.make_merged_spec(spec).to_string()


@export(_D + "canonicalize_without_job_and_task")
def canonicalize_without_job_and_task(d: Any) -> str:
    """The name of a device, wherever that is."""
    return DeviceSpec.from_string(canonicalize(d)).replace(job=None, task=None, replica=0).to_string()


@export(_D + "current")
def current() -> str:
    """The device on which operations are placed now; "" where that is open."""
    chosen: Any = getattr(jax.config, "jax_default_device", None)
    if chosen is None:
        return ""
    kind = "GPU" if chosen.platform in ("cuda", "rocm") else chosen.platform.upper()
    job = "localhost" if executing_eagerly_outside_functions() else None
    return DeviceSpec(job, 0, 0, kind, chosen.id).to_string() if job else f"/device:{kind}:{chosen.id}"


@export(_D + "resolve")
def resolve(d: Any) -> str:
    """The whole name of a device, of which the rest is that of the current one."""
    return canonicalize(d, current())


@export(_D + "get_host_for_device")
def get_host_for_device(device: str, device_index: int = 0) -> str:
    """The name of the CPU beside a device."""
    spec = DeviceSpec.from_string(device)
    return DeviceSpec(spec.job, spec.replica, spec.task, "CPU", device_index).to_string()


@export(_D + "local_devices_from_num_gpus")
def local_devices_from_num_gpus(num_gpus: int) -> tuple[str, ...]:
    """The names of so many GPUs, or of the CPU where there are none."""
    return tuple([f"/device:GPU:{i}" for i in range(num_gpus)]) or ("/device:CPU:0",)


# -- workers --------------------------------------------------------------------------------------------------------

_TASKS = ("chief", "worker", "evaluator", "ps", None)


@export(_W + "normalize_cluster_spec")
def normalize_cluster_spec(cluster_spec: Any) -> ClusterSpec:
    """A `tf.train.ClusterSpec` of a dictionary, or of itself.

    Raises:
      ValueError: for anything else.
    """
    if not isinstance(cluster_spec, (dict, ClusterSpec)):
        raise ValueError("`cluster_spec' should be dict or a `tf.train.ClusterSpec` or a `tf.train.ClusterDef` object")
    return ClusterSpec(cluster_spec)


@export(_W + "task_count")
def task_count(cluster_spec: ClusterSpec, task_type: str) -> int:
    """How many processes a job has."""
    return cluster_spec.num_tasks(task_type) if task_type in cluster_spec.jobs else 0


@export(_W + "_validate_cluster_spec")
def validate_cluster_spec(cluster_spec: Any, task_type: str | None, task_id: int) -> None:
    """That a process is one of a cluster, and the cluster one for training.

    Raises:
      ValueError: if not.
    """
    spec = normalize_cluster_spec(cluster_spec)
    if any(job not in _TASKS for job in spec.jobs):
        raise ValueError(
            f"Disallowed task type found in cluster spec. Allowed types are {_TASKS} and the cluster spec is {spec}."
        )
    if task_type not in _TASKS:
        raise ValueError(f"Unrecognized task_type: {task_type}, valid task types are: {_TASKS}")
    if task_type and task_type not in spec.jobs and task_type != "evaluator":
        raise ValueError(f"`task_type` {task_type!r} not found in cluster_spec.")
    for job in ("chief", "evaluator"):
        if task_count(spec, job) > 1:
            raise ValueError(f"There must be at most one '{job}' job.")
    if task_type in spec.jobs and task_id >= spec.num_tasks(str(task_type)):
        raise ValueError(f"The `task_id` {task_id} exceeds the maximum id of {task_type}.")


@export(_W + "is_chief")
def is_chief(cluster_spec: Any = None, task_type: str | None = None, task_id: int | None = None) -> bool:
    """Whether a process is the one that others follow.

    Raises:
      ValueError: if it is none of the cluster.
    """
    validate_cluster_spec(cluster_spec, task_type, task_id or 0)
    chiefs = task_count(normalize_cluster_spec(cluster_spec), "chief")
    return task_type in ("chief", "evaluator") or (not chiefs and task_type == "worker" and task_id == 0)


def _leader(spec: ClusterSpec, jobs: Iterable[str]) -> str:
    if not spec.as_dict():
        return ""
    return f"/job:{next((job for job in jobs if job in spec.jobs), 'worker')}/replica:0/task:0"


@export(_W + "collective_leader")
def collective_leader(cluster_spec: Any, task_type: str, task_id: int) -> str:
    """The name of the process that leads those that train; "" where there is none, and for an evaluator.

    Raises:
      ValueError: if the process is none of the cluster.
    """
    spec = normalize_cluster_spec(cluster_spec)
    if not spec.as_dict():
        return ""
    validate_cluster_spec(spec, task_type, task_id)
    return "" if task_type == "evaluator" else _leader(spec, ("chief",))


@export(_W + "coordination_leader")
def coordination_leader(cluster_spec: Any) -> str:
    """The name of the process by which all others find each other; "" where there is none."""
    return _leader(normalize_cluster_spec(cluster_spec), ("ps", "chief"))


@export(_W + "worker_count")
def worker_count(cluster_spec: Any, task_type: str) -> int:
    """How many processes train, or evaluate.

    Raises:
      ValueError: for another kind of process, or one that is none of the cluster.
    """
    validate_cluster_spec(cluster_spec, task_type, 0)
    if task_type not in ("chief", "worker", "evaluator"):
        raise ValueError(f"Unexpected `task_type` {task_type!r}")
    spec = normalize_cluster_spec(cluster_spec)
    jobs = ("evaluator",) if task_type == "evaluator" else ("chief", "worker")
    return sum(task_count(spec, job) for job in jobs)


@export(_W + "id_in_cluster")
def id_in_cluster(cluster_spec: Any, task_type: str, task_id: int) -> int:
    """The number of a process among those of `worker_count`.

    Raises:
      ValueError: for another kind of process, or one that is none of the cluster.
    """
    validate_cluster_spec(cluster_spec, task_type, task_id)
    if task_type not in ("chief", "worker", "evaluator"):
        raise ValueError(f"There is no id for task_type {task_type!r}")
    if task_type == "worker":
        return task_id + task_count(normalize_cluster_spec(cluster_spec), "chief")
    return 0 if task_type == "chief" else task_id


# -- what tests are built on ----------------------------------------------------------------------------------------


def _at_least(kind: str, count: int) -> None:
    there = list_physical_devices(kind)
    if there and len(list_logical_devices(kind)) < count and kind == "CPU":
        set_logical_device_configuration(there[0], [LogicalDeviceConfiguration() for _ in range(count)])


@export(_T + "main")
def main(enable_v2_behavior: bool = True, config_logical_devices: bool = True) -> None:
    """Run the tests of the main module, where a CPU stands for two unless that is not wanted."""
    if config_logical_devices:
        _at_least("CPU", 2)
    run_tests()


export_value(run_tests, "python.distribute.multi_process_runner.test_main")
export_value(run_tests, "__internal__.distribute.multi_process_runner.test_main")
export_value(reset_context, _T + "reset_context")


@export(_T + "gather")
def gather(strategy: Strategy, value: Any) -> Any:
    """The values of all replicas, one below the other."""

    def stacked(value: Any) -> Any:
        parts = value.values if isinstance(value, DistributedValues) else (convert(value),)
        if strategy.processes == 1:
            return stack(list(parts))
        return strategy.gather(PerReplica([expand_dims(part, 0) for part in parts]), 0)

    return nest.map_structure(stacked, value)


@export(_T + "create_per_replica")
def create_per_replica(strategy: Strategy, value_list: Sequence[Any]) -> PerReplica:
    """A value for each replica.

    Raises:
      ValueError: if there are more or fewer.
    """
    devices = strategy.extended.worker_devices
    if len(devices) != len(value_list):
        raise ValueError("the length of values must be the same as the number of worker devices")
    made = []
    for name, value in zip(devices, value_list, strict=True):
        with device(name):
            made.append(convert(value))
    return PerReplica(made)


@export(_T + "get_running_threads")
def get_running_threads() -> set[str]:
    """The names of all threads."""
    return {thread.name for thread in threading.enumerate() if thread.name is not None}


@export(_T + "has_thread")
def has_thread(prefix: str, running_threads: Iterable[str]) -> bool:
    """Whether a name of a thread begins so."""
    return any(name.startswith(prefix) for name in running_threads)


def _kind(name: str, kind: type, *homes: str) -> None:
    def asked(strategy: Strategy) -> bool:
        return isinstance(strategy, kind)

    asked.__name__ = asked.__qualname__ = name
    asked.__doc__ = f"Whether a strategy is a `{kind.__name__}`."
    export_value(asked, *[f"python.distribute.{home}.{name}" for home in homes])


_kind("is_mirrored_strategy", MirroredStrategy, "strategy_test_lib")
_kind("is_multi_worker_mirrored_strategy", MultiWorkerMirroredStrategy, "strategy_test_lib")
_kind("is_tpu_strategy", TPUStrategy, "strategy_test_lib", "test_util")

# -- strategies, and values of replicas -----------------------------------------------------------------------------


@export(_L + "get_cross_replica_context")
def get_cross_replica_context() -> Strategy | None:
    """The strategy, where all replicas are looked at together; else None."""
    return here.open[-1][0] if here.open and here.open[-1][1] is None else None


@export(_L + "get_strategy_and_replica_context")
def get_strategy_and_replica_context() -> tuple[Strategy, Any]:
    """The strategy, and the replica's context."""
    return get_strategy(), get_replica_context()


@export(_L + "get_update_replica_id")
def get_update_replica_id() -> int | None:
    """The number of the copy of variables that is updated now; else None."""
    return here.updating


@export(_L + "UpdateContext")
class UpdateContext:
    """A context in which variables are their copies of a number.

    Args:
      replica_id: the number.
    """

    def __init__(self, replica_id: int) -> None:
        self._scope = updating(replica_id)

    def __enter__(self) -> None:
        self._scope.__enter__()

    def __exit__(self, *error: Any) -> None:
        self._scope.__exit__(*error)


@export(_L + "enter_or_assert_strategy")
def enter_or_assert_strategy(strategy: Strategy) -> Any:
    """A strategy's scope, which may be open already.

    Raises:
      RuntimeError: in another one's.
    """
    return strategy.scope()


@export(_U + "value_container")
def value_container(val: Any) -> Any:
    """The variable that a copy is one of, or the value itself."""
    return get_strategy().extended.value_container(val)


@export(_U + "assert_mirrored")
def assert_mirrored(structured: Any) -> None:
    """That all values of a nest are copies of one.

    Raises:
      TypeError: if one is not.
    """
    for value in nest.flatten(structured):
        if not isinstance(value, Mirrored):
            raise TypeError(f"Expected value to be mirrored across replicas: {value} in {structured}.")


@export(_U + "update_regroup")
def update_regroup(extended: Any, updates: Sequence[Any], group: bool) -> Any:
    """One value of what updates of copies gave, or a nest of all of them."""
    if group:
        return regrouped(updates, Mirrored)
    return nest.map_structure(
        lambda value: value.values if isinstance(value, DistributedValues) else (value,), regrouped(updates, Mirrored)
    )


@export(_U + "is_distributed_table")
def is_distributed_table(v: Any) -> bool:
    """Whether a table has copies: none has here."""
    return bool(getattr(v, "is_distributed_table", False))


@export(_U + "validate_colocate", _U + "validate_colocate_distributed_variable")
def validate_colocate(v: Any, extended: Any) -> None:
    """That a variable was made in the scope of a strategy.

    Raises:
      ValueError: if not.
    """
    if not extended.variable_created_in_scope(v):
        raise ValueError(f"`colocate_vars_with`: {outside(v)}")


@export(_U + "_validate_synchronization")
def validate_synchronization(kwargs: dict[str, Any]) -> VariableSynchronization:
    """How copies are to be brought together: on writing, where that is open.

    Raises:
      ValueError: for none of the ways, and for `NONE`.
    """
    found, _ = asked_for({"synchronization": kwargs.get("synchronization", VariableSynchronization.AUTO)})
    if found is VariableSynchronization.NONE:
        raise ValueError(
            "`NONE` variable synchronization mode is not supported with tf.distribute strategy. Please change the "
            f"`synchronization` for variable: {kwargs.get('name')}"
        )
    return VariableSynchronization.ON_WRITE if found is VariableSynchronization.AUTO else found


@export(_U + "_validate_aggregation")
def validate_aggregation(kwargs: dict[str, Any]) -> VariableAggregation:
    """What becomes of replicas' values: nothing, where that is open.

    Raises:
      ValueError: for none of the ways.
    """
    return asked_for({"name": kwargs.get("name"), "aggregation": kwargs.get("aggregation", VariableAggregation.NONE)})[
        1
    ]


export_value(
    {
        "VariableClass": DistributedVariable,
        VariableSynchronization.ON_WRITE: MirroredVariable,
        VariableSynchronization.ON_READ: SyncOnReadVariable,
    },
    _U + "VARIABLE_CLASS_MAPPING",
)
