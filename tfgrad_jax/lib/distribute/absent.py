"""Parts of `tf.distribute` that there are none of here: each says by name what to use instead."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.names.export import export_value
from tfgrad_jax.lib.distribute.strategy import Strategy

_SERVERS = "tfgrad_jax does not speak to TensorFlow's servers. "


def _absent(name: str, why: str, base: type = object) -> type:
    """What cannot be made here, but derived from and asked about."""

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(f"tf.distribute.{name}: {why}")

    members = {"__init__": __init__, "instead": why}
    return export_value(type(name.rpartition(".")[2], (base,), members), f"distribute.{name}")


_WORKERS = _SERVERS + "Train synchronously, with tf.distribute.MultiWorkerMirroredStrategy or MirroredStrategy"

ParameterServerStrategy = _absent("ParameterServerStrategy", _WORKERS, Strategy)
export_value(ParameterServerStrategy, "distribute.experimental.ParameterServerStrategy")
Server = _absent(
    "Server", _SERVERS + "Processes of tf.distribute.MultiWorkerMirroredStrategy find each other by TF_CONFIG"
)
RpcServer = _absent("experimental.rpc.Server", _SERVERS + "Use a library for remote calls, such as grpc")
RpcClient = _absent("experimental.rpc.Client", _SERVERS + "Use a library for remote calls, such as grpc")
ClusterCoordinator = _absent("coordinator.ClusterCoordinator", _WORKERS)
PerWorkerValue = _absent("coordinator.PerWorkerValue", _WORKERS)
RemoteValue = _absent("coordinator.RemoteValue", _WORKERS)
export_value(ClusterCoordinator, "distribute.experimental.coordinator.ClusterCoordinator")
export_value(PerWorkerValue, "distribute.experimental.coordinator.PerWorkerValues")
export_value(RemoteValue, "distribute.experimental.coordinator.RemoteValue")
_RESUME = (
    "nobody tells of preemption by messages here. tf.distribute.experimental.PreemptionCheckpointHandler saves at SIGTERM, or "
    "when a termination_watcher_fn says so"
)
PreemptionWatcher = _absent("experimental.PreemptionWatcher", _RESUME)
