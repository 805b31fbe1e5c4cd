"""How devices communicate, as programs ask for it. XLA chooses here; what can be chosen is kept, and adds up all the same."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from enum import Enum
from typing import Any

from tfgrad_jax.engine.names.export import export, export_value
from tfgrad_jax.lib.distribute.reduce_op import ReduceOp, as_reduce_op, averaged, total
from tfgrad_jax.lib.distribute.values import DistributedValues


@export("distribute.experimental.CommunicationImplementation", "distribute.experimental.CollectiveCommunication")
class CommunicationImplementation(Enum):
    """By what devices communicate. Mirrors `tf.distribute.experimental.CommunicationImplementation`."""

    AUTO = "AUTO"
    RING = "RING"
    NCCL = "NCCL"


@export("distribute.experimental.CommunicationOptions")
@dataclasses.dataclass
class CommunicationOptions:
    """How devices communicate; kept without effect. Mirrors `tf.distribute.experimental.CommunicationOptions`.

    Args:
      bytes_per_pack: how much is sent at once; 0 leaves it open.
      timeout_seconds: how long is waited, or None.
      implementation: a `CommunicationImplementation`, or its name.

    Raises:
      ValueError: if a number is negative, or there is no such implementation.
    """

    bytes_per_pack: int = 0
    timeout_seconds: float | None = None
    implementation: CommunicationImplementation = CommunicationImplementation.AUTO

    def __post_init__(self) -> None:
        if self.bytes_per_pack < 0:
            raise ValueError(f"Argument `bytes_per_pack` must be >=0, Received {self.bytes_per_pack}.")
        if isinstance(self.implementation, str):
            self.implementation = CommunicationImplementation(self.implementation.upper())


@export("distribute.experimental.CollectiveHints")
def CollectiveHints(bytes_per_pack: int = 0, timeout_seconds: float | None = None) -> CommunicationOptions:
    """`CommunicationOptions` by their older name."""
    return CommunicationOptions(bytes_per_pack, timeout_seconds)


@export("distribute.CrossDeviceOps")
class CrossDeviceOps:
    """What brings values of replicas together. Mirrors `tf.distribute.CrossDeviceOps`."""

    def reduce(self, reduce_op: Any, per_replica_value: Any, destinations: Any, options: Any = None) -> Any:
        """The sum or mean of the replicas' values.

        Raises:
          ValueError: if the reduction is unknown.
        """
        operation = as_reduce_op(reduce_op)
        if not isinstance(per_replica_value, DistributedValues):
            return per_replica_value
        found = total(per_replica_value.values)
        return found if operation is ReduceOp.SUM else averaged(found, len(per_replica_value.values))

    def batch_reduce(self, reduce_op: Any, value_destination_pairs: Sequence[Any], options: Any = None) -> list[Any]:
        """`reduce` of several."""
        return [self.reduce(reduce_op, value, where, options) for value, where in value_destination_pairs]

    def broadcast(self, tensor: Any, destinations: Any) -> Any:
        """The tensor: each device gets it when it needs it."""
        return tensor


@export("distribute.ReductionToOneDevice")
class ReductionToOneDevice(CrossDeviceOps):
    """Values come together on one device. Mirrors `tf.distribute.ReductionToOneDevice`.

    Args:
      reduce_to_device, accumulation_fn: kept without effect.
    """

    def __init__(self, reduce_to_device: Any = None, accumulation_fn: Any = None) -> None:
        self.reduce_to_device = reduce_to_device
        self.accumulation_fn = accumulation_fn


def _packed(name: str, called: str) -> type:
    def __init__(self: Any, num_packs: int = 1) -> None:
        if num_packs < 0:
            raise ValueError(f"{called} requires num_packs >= 0, but {num_packs} is specified")
        self.num_packs = num_packs

    doc = f"Values come together by messages of XLA's. Mirrors `tf.distribute.{name}`.\n\nArgs:\n  num_packs: kept without effect."
    return export_value(type(name, (CrossDeviceOps,), {"__init__": __init__, "__doc__": doc}), f"distribute.{name}")


NcclAllReduce = _packed("NcclAllReduce", "NCCL all-reduce")
HierarchicalCopyAllReduce = _packed("HierarchicalCopyAllReduce", "HierarchicalCopy")
