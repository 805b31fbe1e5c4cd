"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax._stubs import distribute_cluster_resolver
from tfgrad_jax._stubs import distribute_coordinator
from tfgrad_jax._stubs import distribute_experimental
from tfgrad_jax.lib.distribute.communication import CrossDeviceOps as CrossDeviceOps
from tfgrad_jax.lib.distribute.input import DistributedDataset as DistributedDataset
from tfgrad_jax.lib.distribute.input import DistributedIterator as DistributedIterator
from tfgrad_jax.lib.distribute.values import DistributedValues as DistributedValues
from tfgrad_jax.lib.distribute.input import InputContext as InputContext
from tfgrad_jax.lib.distribute.input import InputOptions as InputOptions
from tfgrad_jax.lib.distribute.input import InputReplicationMode as InputReplicationMode
from tfgrad_jax.lib.distribute.mirrored import MirroredStrategy as MirroredStrategy
from tfgrad_jax.lib.distribute.multi_worker import MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy
from tfgrad_jax.lib.distribute.mirrored import OneDeviceStrategy as OneDeviceStrategy
from tfgrad_jax.lib.distribute.reduce_op import ReduceOp as ReduceOp
from tfgrad_jax.lib.distribute.communication import ReductionToOneDevice as ReductionToOneDevice
from tfgrad_jax.lib.distribute.contexts import ReplicaContext as ReplicaContext
from tfgrad_jax.lib.distribute.input import RunOptions as RunOptions
from tfgrad_jax.lib.distribute.strategy import Strategy as Strategy
from tfgrad_jax.lib.distribute.extended import StrategyExtended as StrategyExtended
from tfgrad_jax.lib.distribute.tpu import TPUStrategy as TPUStrategy
cluster_resolver = distribute_cluster_resolver
coordinator = distribute_coordinator
experimental = distribute_experimental
class HierarchicalCopyAllReduce(_Any): ...
class NcclAllReduce(_Any): ...
class ParameterServerStrategy(_Any): ...
class Server(_Any): ...
def experimental_set_strategy(strategy: _Any) -> _Any:
    """Enter a strategy's scope for the rest of the program, or leave it. Mirrors `tf.distribute.experimental_set_strategy`."""
def get_replica_context() -> _Any:
    """The replica's context; None where all are looked at together. Mirrors `tf.distribute.get_replica_context`."""
def get_strategy() -> _Any:
    """The strategy whose scope is open, or the default one. Mirrors `tf.distribute.get_strategy`."""
def has_strategy() -> _Any:
    """Whether a strategy's scope is open. Mirrors `tf.distribute.has_strategy`."""
def in_cross_replica_context() -> _Any:
    """Whether all replicas are looked at together, rather than one. Mirrors `tf.distribute.in_cross_replica_context`."""
