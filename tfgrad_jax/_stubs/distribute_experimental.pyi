"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax._stubs import distribute_experimental_coordinator
from tfgrad_jax._stubs import distribute_experimental_partitioners
from tfgrad_jax._stubs import distribute_experimental_rpc
from tfgrad_jax.lib.distribute.mirrored import CentralStorageStrategy as CentralStorageStrategy
from tfgrad_jax.lib.distribute.communication import CommunicationImplementation as _CollectiveCommunication
from tfgrad_jax.lib.distribute.communication import CommunicationImplementation as CommunicationImplementation
from tfgrad_jax.lib.distribute.communication import CommunicationOptions as CommunicationOptions
from tfgrad_jax.lib.distribute.multi_worker import ExperimentalMultiWorkerMirroredStrategy as _MultiWorkerMirroredStrategy
from tfgrad_jax.lib.distribute.preemption import PreemptionCheckpointHandler as PreemptionCheckpointHandler
from tfgrad_jax.lib.distribute.tpu import TPUStrategy as TPUStrategy
from tfgrad_jax.lib.distribute.preemption import TerminationConfig as TerminationConfig
from tfgrad_jax.lib.distribute.input import ValueContext as ValueContext
coordinator = distribute_experimental_coordinator
partitioners = distribute_experimental_partitioners
rpc = distribute_experimental_rpc
CollectiveCommunication = _CollectiveCommunication
def CollectiveHints(bytes_per_pack: _Any = 0, timeout_seconds: _Any = None) -> _Any:
    """`CommunicationOptions` by their older name."""
MultiWorkerMirroredStrategy = _MultiWorkerMirroredStrategy
class ParameterServerStrategy(_Any): ...
class PreemptionWatcher(_Any): ...
