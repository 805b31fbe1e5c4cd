"""`tf.distribute.cluster_resolver`: where the processes of a cluster are found out."""

from __future__ import annotations

import json
import os
import re
from typing import Any

from tfgrad_jax.engine.names.export import export, export_value
from tfgrad_jax.lib.devices.devices import list_logical_devices
from tfgrad_jax.lib.distribute.cluster_spec import ClusterSpec


@export("distribute.cluster_resolver.ClusterResolver")
class ClusterResolver:
    """What knows the processes of a cluster. Mirrors `tf.distribute.cluster_resolver.ClusterResolver`.

    Attributes:
      task_type, task_id: the job and the number of this process, or None.
      environment: where the cluster runs.
      rpc_layer: how its processes speak to each other, or None.
    """

    task_type: str | None = None
    task_id: int | None = None
    environment: str | None = ""
    rpc_layer: str | None = None

    def cluster_spec(self) -> ClusterSpec:
        """All processes."""
        raise NotImplementedError(f"{type(self).__name__}.cluster_spec")

    def master(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None) -> str:
        """The address of a process, with how to speak to it; "" if it is not known which."""
        if task_type is None or task_id is None:
            return ""
        return _address(self.cluster_spec().task_address(task_type, task_id), rpc_layer or self.rpc_layer)

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: Any = None
    ) -> dict[str, int]:
        """How many devices of each kind this process has besides the CPU."""
        kinds = [one.device_type for one in list_logical_devices() if one.device_type != "CPU"]
        return {kind: kinds.count(kind) for kind in sorted(set(kinds))}


def _address(address: str, rpc_layer: str | None) -> str:
    return f"{rpc_layer}://{address}" if rpc_layer else address


@export("distribute.cluster_resolver.SimpleClusterResolver")
class SimpleClusterResolver(ClusterResolver):
    """A cluster that the program knows. Mirrors `tf.distribute.cluster_resolver.SimpleClusterResolver`.

    Args:
      cluster_spec: a `tf.train.ClusterSpec`.
      master: the address that `master()` gives.
      task_type, task_id, environment, rpc_layer: see `ClusterResolver`.
      num_accelerators: what that gives.

    Raises:
      TypeError: if `cluster_spec` is something else.
    """

    def __init__(
        self,
        cluster_spec: ClusterSpec,
        master: str = "",
        task_type: str | None = None,
        task_id: int | None = None,
        environment: str = "",
        num_accelerators: dict[str, int] | None = None,
        rpc_layer: str | None = None,
    ) -> None:
        if not isinstance(cluster_spec, ClusterSpec):
            raise TypeError("cluster_spec must be a `tf.train.ClusterSpec`.")
        if not isinstance(master, str):
            raise TypeError("master must be a string.")
        self._spec = cluster_spec
        self._master = master
        self.task_type, self.task_id = task_type, task_id
        self.environment, self.rpc_layer = environment, rpc_layer
        self._accelerators = num_accelerators

    def cluster_spec(self) -> ClusterSpec:
        return self._spec

    def master(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None) -> str:
        if task_type is not None and task_id is not None:
            return super().master(task_type, task_id, rpc_layer)
        return _address(self._master, rpc_layer or self.rpc_layer)

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: Any = None
    ) -> dict[str, int]:
        return self._accelerators or {}


@export("distribute.cluster_resolver.TFConfigClusterResolver")
class TFConfigClusterResolver(ClusterResolver):
    """A cluster that the variable TF_CONFIG of the environment describes.

    Mirrors `tf.distribute.cluster_resolver.TFConfigClusterResolver`.

    Args:
      task_type, task_id, rpc_layer, environment: instead of what it says.
    """

    def __init__(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
        environment: str | None = None,
    ) -> None:
        self._given = task_type, task_id, rpc_layer, environment

    @property
    def _config(self) -> dict[str, Any]:
        text = os.environ.get("TF_CONFIG", "")
        found = (json.loads(text) if text else None) or {}
        if not isinstance(found, dict):
            raise TypeError(f"TF_CONFIG must be a JSON object with 'cluster' and 'task', got {text}")
        return found

    @property
    def _task(self) -> dict[str, Any]:
        task = self._config.get("task", {})
        if not isinstance(task, dict):
            raise ValueError(f"TF_CONFIG: 'task' must be an object with 'type' and 'index', got {task!r}")
        return task

    @property
    def task_type(self) -> str | None:  # type: ignore[override]
        found = self._given[0] or self._task.get("type")
        return None if found is None else str(found)

    @property
    def task_id(self) -> int | None:  # type: ignore[override]
        found = self._given[1] if self._given[1] is not None else self._task.get("index")
        try:
            return None if found is None else int(found)
        except (TypeError, ValueError):
            raise ValueError(f"TF_CONFIG: the index of the task must be an integer, got {found!r}") from None

    @property
    def rpc_layer(self) -> str | None:  # type: ignore[override]
        return self._given[2] or self._config.get("rpc_layer")

    @property
    def environment(self) -> str | None:  # type: ignore[override]
        return self._given[3]

    def cluster_spec(self) -> ClusterSpec:
        """All processes.

        Raises:
          json.JSONDecodeError: if TF_CONFIG is no JSON.
          TypeError: if its cluster is none.
        """
        return ClusterSpec(self._config.get("cluster", {}))

    def master(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None) -> str:
        if not self.cluster_spec():
            return ""
        number = self.task_id if task_id is None else task_id
        return super().master(task_type or self.task_type, number, rpc_layer)


@export("distribute.cluster_resolver.UnionResolver")
class UnionClusterResolver(ClusterResolver):
    """The processes of several resolvers; all else is the first one's. Mirrors `tf.distribute.cluster_resolver.UnionResolver`.

    Args:
      *args: the resolvers.
      task_type, task_id, rpc_layer: instead of the first one's.

    Raises:
      ValueError: if there is none.
      TypeError: if one is something else.
    """

    def __init__(
        self, *args: Any, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None
    ) -> None:
        if not args:
            raise ValueError("At least one ClusterResolver is required.")
        if not all(isinstance(one, ClusterResolver) for one in args):
            raise TypeError("All arguments must be a sub-class of `ClusterResolver.`")
        self._all = args
        self.task_type = task_type or args[0].task_type
        self.task_id = args[0].task_id if task_id is None else task_id
        self.rpc_layer = rpc_layer or args[0].rpc_layer
        self.environment = args[0].environment

    def cluster_spec(self) -> ClusterSpec:
        found: dict[str, Any] = {}
        for resolver in self._all:
            for job, tasks in resolver.cluster_spec().as_dict().items():
                known = found.get(job)
                if known is None:
                    found[job] = tasks
                elif isinstance(known, list) and isinstance(tasks, list):
                    found[job] = [*known, *tasks]
                else:
                    raise ValueError(f"Overlapping keys detected when merging dictionaries of the job {job!r}")
        return ClusterSpec(found)

    def master(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None) -> str:
        if task_type is None or task_id is None:
            return self._all[0].master()
        return super().master(task_type, task_id, rpc_layer)


@export("distribute.cluster_resolver.SlurmClusterResolver")
class SlurmClusterResolver(ClusterResolver):
    """The cluster of a step of Slurm, by the variables that it sets. Mirrors `tf.distribute.cluster_resolver.SlurmClusterResolver`.

    Args:
      jobs: by job how many processes it has, in their order; all are workers where None.
      port_base: the port of the first process of each node.
      gpus_per_node, gpus_per_task, auto_set_gpu: kept without effect: JAX is told of its devices by Slurm itself.
      tasks_per_node: how many processes a node has; what Slurm says where None.
      rpc_layer: see `ClusterResolver`.

    Raises:
      RuntimeError: outside of Slurm.
      ValueError: if the jobs have more processes than there are.
    """

    def __init__(
        self,
        jobs: dict[str, int] | None = None,
        port_base: int = 8888,
        gpus_per_node: int | None = None,
        gpus_per_task: int | None = None,
        tasks_per_node: Any = None,
        auto_set_gpu: bool = True,
        rpc_layer: str | None = "grpc",
    ) -> None:
        self._rank = int(_of_slurm("PROCID"))
        nodes = _expanded(_of_slurm("STEP_NODELIST"))
        if tasks_per_node is None:
            counts = _counts(_of_slurm("STEP_TASKS_PER_NODE"))
        else:
            counts = [tasks_per_node] * len(nodes) if isinstance(tasks_per_node, int) else list(tasks_per_node)
        addresses = [f"{node}:{port_base + i}" for node, n in zip(nodes, counts, strict=False) for i in range(n)]
        jobs = {"worker": len(addresses)} if jobs is None else jobs
        if sum(jobs.values()) > len(addresses):
            raise ValueError(
                f"SlurmClusterResolver: the jobs {jobs} have more processes than the {len(addresses)} that Slurm started"
            )
        self._jobs: dict[str, list[str]] = {}
        first = 0
        for job, count in jobs.items():
            self._jobs[job] = addresses[first : first + count]
            if first <= self._rank < first + count:
                self.task_type, self.task_id = job, self._rank - first
            first += count
        self.rpc_layer = rpc_layer

    def cluster_spec(self) -> ClusterSpec:
        return ClusterSpec(self._jobs)

    def get_task_info(self) -> tuple[str | None, int | None]:
        """The job and the number of this process."""
        return self.task_type, self.task_id

    def master(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None) -> str:
        number = self.task_id if task_id is None else task_id
        return super().master(task_type or self.task_type, number, rpc_layer)


def _of_slurm(name: str) -> str:
    found = os.environ.get(f"SLURM_{name}")
    if found is None:
        raise RuntimeError(f"SLURM_{name} not found in environment. Not running inside a SLURM step?")
    return found


def _expanded(nodes: str) -> list[str]:
    """The names in a list of Slurm's such as `n[1-2,5],m3`."""
    found = []
    for prefix, ranges, suffix in re.findall(r"([^,\[\]]+)(?:\[([^\]]*)\])?([^,\[]*)", nodes):
        if not ranges:
            found.append(prefix + suffix)
            continue
        for part in ranges.split(","):
            first, _, last = part.partition("-")
            numbers = range(int(first), int(last or first) + 1)
            found += [f"{prefix}{number:0{len(first)}d}{suffix}" for number in numbers]
    return found


def _counts(tasks: str) -> list[int]:
    """How many processes each node has, of a list of Slurm's such as `2(x3),1`."""
    found = []
    for part in tasks.split(","):
        count, _, times = part.partition("(x")
        found += [int(count)] * int(times.rstrip(")") or 1)
    return found


def _elsewhere(name: str, why: str) -> type:
    """A resolver for a service that is not asked here."""

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(
            f"tf.distribute.cluster_resolver.{name}: {why} List the workers in TF_CONFIG, or give a SimpleClusterResolver"
        )

    made = type(name, (ClusterResolver,), {"__init__": __init__, "instead": why})
    return export_value(made, f"distribute.cluster_resolver.{name}")


KubernetesClusterResolver = _elsewhere("KubernetesClusterResolver", "Kubernetes is not asked for its pods here.")
GCEClusterResolver = _elsewhere("GCEClusterResolver", "Google Cloud is not asked for its machines here.")
