"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax._stubs import distribute_experimental_coordinator as coordinator
from tfgrad_jax._stubs import distribute_experimental_partitioners as partitioners
from tfgrad_jax._stubs import distribute_experimental_rpc as rpc
from tfgrad_jax.lib.distribute.mirrored import CentralStorageStrategy as CentralStorageStrategy
from tfgrad_jax.lib.distribute.communication import CommunicationImplementation as CollectiveCommunication
from tfgrad_jax.lib.distribute.communication import CommunicationImplementation as CommunicationImplementation
from tfgrad_jax.lib.distribute.communication import CommunicationOptions as CommunicationOptions
from tfgrad_jax.lib.distribute.multi_worker import ExperimentalMultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy
from tfgrad_jax.lib.distribute.preemption import PreemptionCheckpointHandler as PreemptionCheckpointHandler
from tfgrad_jax.lib.distribute.tpu import TPUStrategy as TPUStrategy
from tfgrad_jax.lib.distribute.preemption import TerminationConfig as TerminationConfig
from tfgrad_jax.lib.distribute.input import ValueContext as ValueContext
def CollectiveHints(bytes_per_pack: _Any = 0, timeout_seconds: _Any = None) -> _Any:
    """`CommunicationOptions` by their older name."""
ParameterServerStrategy: _Any
PreemptionWatcher: _Any
