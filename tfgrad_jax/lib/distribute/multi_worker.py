"""`MultiWorkerMirroredStrategy`: replicas in several processes, which run the same program and meet by messages."""

from __future__ import annotations

import functools
import struct
import weakref
from collections.abc import Callable, Sequence

import numpy as np

from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.tensor import EagerTensor, Spec, Tensor
from tfgrad_jax.lib.data.base import host_operation
from tfgrad_jax.lib.distribute import shares
from tfgrad_jax.lib.distribute.cluster_resolver import ClusterResolver, TFConfigClusterResolver
from tfgrad_jax.lib.distribute.communication import CommunicationImplementation, CommunicationOptions
from tfgrad_jax.lib.distribute.messages import Cluster
from tfgrad_jax.lib.distribute.mirrored import MirroredExtended, devices_of
from tfgrad_jax.lib.distribute.strategy import Beside, Strategy
from tfgrad_jax.lib.distribute.wire import ALIGNED, Message, framed

_SHARED = 1 << 21
"""From so many bytes on each process sums a share; the first one sums less, which takes one message there and one back."""

_TASKS = ("chief", "worker", "evaluator", "ps", None)


class _Extended(MirroredExtended):
    """The extended interface of a strategy of several processes."""

    def _in_multi_worker_mode(self) -> bool:
        return self._strategy.processes > 1


_alive: weakref.WeakSet[MultiWorkerMirroredStrategy] = weakref.WeakSet()


def strategy_of(resolver: ClusterResolver | None) -> MultiWorkerMirroredStrategy | None:
    """The strategy of several workers that was made with a cluster resolver; None if there is none."""
    return next((s for s in _alive if s.cluster_resolver is resolver and s.processes > 1), None)


@export("distribute.MultiWorkerMirroredStrategy")
class MultiWorkerMirroredStrategy(Strategy):
    """A replica for each device of each process, all with a copy of every variable.

    Mirrors `tf.distribute.MultiWorkerMirroredStrategy`. Processes meet by messages from host to host, also inside of functions.

    Args:
      cluster_resolver: knows the processes; the variable TF_CONFIG of the environment where None. Without other workers it is as
        `tf.distribute.MirroredStrategy`.
      communication_options: a `tf.distribute.experimental.CommunicationOptions`, of which `timeout_seconds` has an effect.

    Raises:
      ValueError: if the place of this process in the cluster is not known, or there is no such place.
      DeadlineExceededError: if a worker does not come.
      InvalidArgumentError: if the first worker knows another cluster, or has this one already.
    """

    def __init__(
        self,
        cluster_resolver: ClusterResolver | None = None,
        communication_options: CommunicationOptions | None = None,
    ) -> None:
        self.cluster_resolver = cluster_resolver or TFConfigClusterResolver()
        addresses, index = _workers(self.cluster_resolver)
        timeout = communication_options.timeout_seconds if communication_options else None
        self.devices = devices_of(None, cpus=1)
        self._cluster = Cluster(addresses, index, timeout=timeout)
        self._reaches_all = True
        self.processes, self.process = self._cluster.size, index
        counts = [int(message) for message in self._cluster.told(b"%d" % len(self.devices))]
        self._total = sum(counts)
        self.first_replica = sum(counts[:index])
        super().__init__(_Extended(self))
        _alive.add(self)

    @property
    def num_replicas_in_sync(self) -> int:
        return self._total

    def summed(self, values: list[Tensor]) -> list[Tensor]:
        specs = [Spec.open(value.dtype, value.shape) for value in values]
        return self._met("CollectiveReduceV2", specs, values, self._sums)

    def joined_rows(self, value: Tensor, axis: int) -> Tensor:
        shape = value.shape.as_list()
        shape[axis] = None
        spec = Spec.open(value.dtype, value.shape.__class__(shape))
        return self._met("CollectiveGatherV2", [spec], [value], lambda given: self._rows(given, axis))[0]

    def agreed(self, array: np.ndarray) -> np.ndarray:
        if array.dtype == object:
            return array
        first = self._cluster.exchange("first value", [array.tobytes()], lambda messages: messages[:1])
        return np.frombuffer(first, array.dtype).reshape(array.shape)

    def told(self, message: bytes) -> list[bytes]:
        return self._cluster.told(message)

    @functools.cached_property
    def beside(self) -> Beside:
        return Beside(self.process, self.processes, self._cluster.another().told)

    def _met(
        self, name: str, specs: list[Spec], values: list[Tensor], meet: Callable[[Sequence[Tensor]], list[Tensor]]
    ) -> list[Tensor]:
        if self.processes == 1:
            return values
        return meet(values) if context.graph is None else host_operation(name, meet, specs, values, meet == self._sums)

    def _sums(self, given: Sequence[Tensor]) -> list[Tensor]:
        arrays = [np.asarray(tensor.array) for tensor in given]
        said = " and ".join(f"{a.dtype.name}{list(a.shape)}" for a in arrays)
        kinds = (said + " " * (-len(said) - 1 & ALIGNED - 1) + "\n").encode()

        def agreeing(messages: list[Message]) -> list[Message]:
            for number, message in enumerate(messages[1:], 1):
                if message[: len(kinds)] != kinds:  # as many bytes may be of other shapes or dtypes
                    others = bytes(message).partition(b"\n")[0].decode().strip()
                    raise invalid_argument(
                        f"the workers' tensors cannot be summed: worker {number} has {others}, worker 0 has {said}; shapes and "
                        "dtypes must be the same on all workers",
                        "CollectiveReduceV2",
                    )
            return []

        def combine(messages: list[Message]) -> list[Message]:
            agreeing(messages)
            sums = _parts(messages[1], len(kinds), arrays)
            for a, total in zip(arrays, sums, strict=True):
                np.add(a, total, total)  # in the order of the workers
            for message in messages[2:]:
                for total, part in zip(sums, _parts(message, len(kinds), arrays), strict=True):
                    np.add(total, part, total)
            return [messages[1][len(kinds) :]]

        shared = self._reaches_all and sum(a.nbytes for a in arrays) >= _SHARED
        if shared:
            self._cluster.exchange("sum", [kinds], agreeing)
            if not self._cluster.links:
                shared = self._reaches_all = shares.linked(self._cluster)
        if shared:
            sums = shares.summed(self._cluster, arrays)
        else:
            own = [np.ascontiguousarray(a).reshape(-1).view(np.uint8).data for a in arrays] if self.process else []
            sums = _parts(self._cluster.exchange("sum", [kinds, *own], combine), 0, arrays)
        for total in sums:
            total.setflags(write=False)
        return [EagerTensor(total) for total in sums]

    def _rows(self, given: Sequence[Tensor], axis: int) -> list[Tensor]:
        array = np.asarray(given[0].array)
        own = [struct.pack(f"!{array.ndim}Q", *array.shape), array.tobytes()]
        answer = self._cluster.exchange("gather", own, framed)
        parts, at = [], 0
        while at < len(answer):
            (size,) = struct.unpack_from("!Q", answer, at)
            shape = struct.unpack_from(f"!{array.ndim}Q", answer, at + 8)
            count = int(np.prod(shape))
            parts.append(np.frombuffer(answer, array.dtype, count, at + 8 + 8 * array.ndim).reshape(shape))
            at += 8 + size
        return [convert(np.concatenate(parts, axis))]


def _parts(message: Message, at: int, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The arrays in a message from a place on, of the dtypes and shapes of others."""
    found = []
    for array in arrays:
        found.append(np.frombuffer(message, array.dtype, array.size, at).reshape(array.shape))
        at += array.nbytes
    return found


def _workers(resolver: ClusterResolver) -> tuple[list[str], int]:
    """The addresses of the processes that train, the chief first, and the number of this one."""
    spec = resolver.cluster_spec()
    if not spec:
        return ["localhost:0"], 0
    task, number = resolver.task_type, resolver.task_id
    if task not in _TASKS:
        raise ValueError(f"Unrecognized task_type: {task}, valid task types are: {', '.join(map(repr, _TASKS))}")
    if task is None or number is None:
        raise ValueError("When `cluster_spec` is given, you must also specify `task_type` and `task_id`.")
    if task == "ps":
        raise ValueError(
            "MultiWorkerMirroredStrategy: this process is 'ps', and only 'chief' and 'worker' train together"
        )
    if task not in spec.jobs:
        raise ValueError(f"`task_type` {task!r} not found in cluster_spec: {spec}")
    if number not in spec.task_indices(task):
        raise ValueError(
            f"The `task_id` {number} exceeds the maximum id of {task}: its tasks are {spec.task_indices(task)}."
        )
    if "chief" in spec.jobs and spec.num_tasks("chief") > 1:
        raise ValueError("There must be at most one 'chief' job.")
    if task == "evaluator":  # beside those that train, alone
        return ["localhost:0"], 0
    addresses = [a for job in ("chief", "worker") if job in spec.jobs for a in spec.job_tasks(job)]
    if None in addresses:
        raise ValueError(f"MultiWorkerMirroredStrategy: workers are left out of the cluster: {spec}")
    if len(set(addresses)) < len(addresses):
        raise ValueError(f"MultiWorkerMirroredStrategy: several workers have the same address: {spec}")
    before = spec.num_tasks("chief") if task == "worker" and "chief" in spec.jobs else 0
    return [str(address) for address in addresses], before + number


@export("distribute.experimental.MultiWorkerMirroredStrategy")
class ExperimentalMultiWorkerMirroredStrategy(MultiWorkerMirroredStrategy):
    """The same by its older name.

    Args:
      communication: a `CommunicationImplementation`; without effect.
      cluster_resolver: knows the processes.
    """

    def __init__(
        self,
        communication: CommunicationImplementation = CommunicationImplementation.AUTO,
        cluster_resolver: ClusterResolver | None = None,
    ) -> None:
        super().__init__(cluster_resolver)
