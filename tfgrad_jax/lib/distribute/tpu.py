"""`tf.distribute.TPUStrategy` and `tf.tpu`: JAX's TPU devices."""

from __future__ import annotations

from typing import Any, NamedTuple

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.lib.devices.devices import list_logical_devices
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


@export("tpu.experimental.initialize_tpu_system")
def initialize_tpu_system(cluster_resolver: Any = None) -> None:
    """Find the TPUs: JAX makes them ready. Mirrors `tf.tpu.experimental.initialize_tpu_system`.

    Raises:
      ValueError: if there is none.
    """
    _tpus("tf.tpu.experimental.initialize_tpu_system")


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
