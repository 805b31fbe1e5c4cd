"""`tf.distribute.TPUStrategy` and `tf.tpu`: JAX's TPU devices."""

from __future__ import annotations

from typing import Any, NamedTuple

from tfgrad_jax.engine.messages.errors import NotFoundError
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.lib.devices.devices import list_logical_devices
from tfgrad_jax.lib.distribute.cluster_resolver import ClusterResolver
from tfgrad_jax.lib.distribute.cluster_spec import ClusterSpec
from tfgrad_jax.lib.distribute.mirrored import MirroredExtended, devices_of
from tfgrad_jax.lib.distribute.strategy import Strategy


def _tpus(asking: str) -> list[str]:
    found = [one.name for one in list_logical_devices("TPU")]
    if not found:
        raise ValueError(
            f"{asking}: JAX finds no TPU on this machine. Install jax[tpu] on a machine that has one, or use "
            "tf.distribute.MirroredStrategy for GPUs and CPUs"
        )
    return found


@export("distribute.TPUStrategy", "distribute.experimental.TPUStrategy")
class TPUStrategy(Strategy):
    """A replica for each TPU core of this machine. Mirrors `tf.distribute.TPUStrategy`.

    Args:
      tpu_cluster_resolver, experimental_device_assignment, experimental_spmd_xla_partitioning: without effect; JAX knows the cores.

    Raises:
      ValueError: if there is no TPU.
    """

    def __init__(
        self,
        tpu_cluster_resolver: Any = None,
        experimental_device_assignment: Any = None,
        experimental_spmd_xla_partitioning: bool = False,
    ) -> None:
        self.devices = devices_of(_tpus("tf.distribute.TPUStrategy"))
        super().__init__(MirroredExtended(self))


@export("distribute.cluster_resolver.TPUClusterResolver")
class TPUClusterResolver(ClusterResolver):
    """The TPUs of this machine, which JAX finds. Mirrors `tf.distribute.cluster_resolver.TPUClusterResolver`.

    Programs that fall back to another strategy where this raises do so here.

    Args:
      tpu: a name or an address; "local" asks for TPUs only when they are used.
      zone, project, job_name, coordinator_name, coordinator_address, credentials, service, discovery_url: without effect.

    Raises:
      ValueError: if there is no TPU, unless "local" is asked for.
    """

    task_type = "worker"
    task_id = 0
    tpu_hardware_feature: Any = None

    def __init__(
        self,
        tpu: str | None = None,
        zone: str | None = None,
        project: str | None = None,
        job_name: str = "worker",
        coordinator_name: str | None = None,
        coordinator_address: str | None = None,
        credentials: Any = "default",
        service: Any = None,
        discovery_url: str | None = None,
    ) -> None:
        if tpu != "local":
            _tpus("tf.distribute.cluster_resolver.TPUClusterResolver")
        self.task_type = job_name

    @staticmethod
    def connect(tpu: str | None = None, zone: str | None = None, project: str | None = None) -> TPUClusterResolver:
        """A resolver whose TPUs are ready; raises as the class and `initialize_tpu_system`."""
        resolver = TPUClusterResolver(tpu, zone, project)
        initialize_tpu_system(resolver)
        return resolver

    def cluster_spec(self) -> ClusterSpec:
        """Nobody: there is this process only."""
        return ClusterSpec({})

    def master(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None) -> str:
        """Nobody's address."""
        return ""

    get_master = master

    def get_job_name(self) -> str | None:
        """The job of this process."""
        return self.task_type

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: Any = None
    ) -> dict[str, int]:
        """How many cores JAX finds."""
        return {"TPU": len(list_logical_devices("TPU"))}


@export("tpu.experimental.initialize_tpu_system")
def initialize_tpu_system(cluster_resolver: Any = None) -> None:
    """Find the TPUs: JAX makes them ready. Mirrors `tf.tpu.experimental.initialize_tpu_system`.

    Raises:
      NotFoundError: if there is none where a resolver says that there are.
      ValueError: if there is none, and no resolver is given.
    """
    try:
        _tpus("tf.tpu.experimental.initialize_tpu_system")
    except ValueError as error:
        if cluster_resolver is None:
            raise
        raise NotFoundError(None, None, str(error)) from None


@export("tpu.experimental.shutdown_tpu_system")
def shutdown_tpu_system(cluster_resolver: Any = None) -> None:
    """Nothing: JAX gives the TPUs back when the process ends.

    Raises:
      ValueError: if there is none.
    """
    _tpus("tf.tpu.experimental.shutdown_tpu_system")


@export("tpu.XLAOptions")
class XLAOptions(NamedTuple):
    """How XLA compiles for TPUs; kept without effect. Mirrors `tf.tpu.XLAOptions`."""

    use_spmd_for_xla_partitioning: bool = True
    enable_xla_dynamic_padder: bool = True
    use_shardy_partitioner: bool = False
