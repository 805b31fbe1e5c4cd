"""The part of `api/late.py`'s table that is about distribution: names by the module that has them."""

from __future__ import annotations

DISTRIBUTION = {
    "tfgrad_jax.lib.distribute": (
        "__internal__.distribute.interim.maybe_merge_call",
        "__internal__.distribute.strategy_supports_no_merge_call",
        "distribute.DistributedDataset",
        "distribute.DistributedIterator",
        "distribute.DistributedValues",
        "distribute.InputContext",
        "distribute.InputOptions",
        "distribute.InputReplicationMode",
        "distribute.MirroredStrategy",
        "distribute.MultiWorkerMirroredStrategy",
        "distribute.OneDeviceStrategy",
        "distribute.ParameterServerStrategy",
        "distribute.ReduceOp",
        "distribute.ReplicaContext",
        "distribute.RunOptions",
        "distribute.Strategy",
        "distribute.StrategyExtended",
        "distribute.TPUStrategy",
        "distribute.experimental.CentralStorageStrategy",
        "distribute.experimental.ValueContext",
        "distribute.get_replica_context",
        "distribute.get_strategy",
        "distribute.has_strategy",
        "distribute.in_cross_replica_context",
        "types.experimental.distributed.Mirrored",
        "types.experimental.distributed.PerReplica",
    ),
}
"""By module, the names that exist once it is loaded."""
