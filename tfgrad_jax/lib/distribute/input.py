"""Input of replicas: datasets whose batches are shared between them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from itertools import islice, zip_longest
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from tfgrad_jax.composite.sparse_tensor import SparseTensor
from tfgrad_jax.engine.names.export import export, recognised_as
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.composite import Composite, CompositeSpec
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.data.base import BaseDataset, DatasetSpec
from tfgrad_jax.lib.data.iterators import IteratorSpec, OwnedIterator, iterator_of
from tfgrad_jax.lib.data.nodes.node import INFINITE, Element, Node, Run, unboxed
from tfgrad_jax.lib.data.structure import Structure, mapped
from tfgrad_jax.lib.distribute.of_workers import Together, any_rows, no_rows, spread
from tfgrad_jax.lib.distribute.values import PerReplica, PerReplicaSpec
from tfgrad_jax.ops.array.sizes import shape
from tfgrad_jax.ops.control.iterables import Asking, found_by


@export("distribute.InputContext")
class InputContext:
    """Which part of the input a process reads. Mirrors `tf.distribute.InputContext`.

    Args:
      num_input_pipelines: how many processes read input.
      input_pipeline_id: the number of this one.
      num_replicas_in_sync: how many replicas there are.
    """

    def __init__(self, num_input_pipelines: int = 1, input_pipeline_id: int = 0, num_replicas_in_sync: int = 1) -> None:
        self.num_input_pipelines = num_input_pipelines
        self.input_pipeline_id = input_pipeline_id
        self.num_replicas_in_sync = num_replicas_in_sync

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """The size of a replica's share of a batch.

        Raises:
          ValueError: if it is no whole number.
        """
        if global_batch_size % self.num_replicas_in_sync:
            raise ValueError(
                f"The `global_batch_size` {global_batch_size!r} is not divisible by `num_replicas_in_sync` "
                f"{self.num_replicas_in_sync!r}"
            )
        return global_batch_size // self.num_replicas_in_sync

    def __str__(self) -> str:
        return (
            f"tf.distribute.InputContext(input pipeline id {self.input_pipeline_id}, total: {self.num_input_pipelines})"
        )


@export("distribute.experimental.ValueContext")
class ValueContext:
    """For which replica a value is made. Mirrors `tf.distribute.experimental.ValueContext`.

    Args:
      replica_id_in_sync_group: the number of the replica.
      num_replicas_in_sync: how many there are.
    """

    def __init__(self, replica_id_in_sync_group: int = 0, num_replicas_in_sync: int = 1) -> None:
        self.replica_id_in_sync_group = replica_id_in_sync_group
        self.num_replicas_in_sync = num_replicas_in_sync

    def __str__(self) -> str:
        return (
            f"tf.distribute.ValueContext(replica id {self.replica_id_in_sync_group}, "
            f" total replicas in sync: {self.num_replicas_in_sync})"
        )


@export("distribute.InputReplicationMode")
class InputReplicationMode(Enum):
    """Whether input is read once for each process or for each replica. Mirrors `tf.distribute.InputReplicationMode`."""

    PER_WORKER = "PER_WORKER"
    PER_REPLICA = "PER_REPLICA"


@export("distribute.InputOptions")
class InputOptions(NamedTuple):
    """How input reaches the replicas. Mirrors `tf.distribute.InputOptions`.

    Attributes:
      experimental_fetch_to_device, experimental_place_dataset_on_device, experimental_per_replica_buffer_size: kept without
        effect.
      experimental_replication_mode: a `tf.distribute.InputReplicationMode`, which has an effect.
    """

    experimental_fetch_to_device: bool | None = True
    experimental_replication_mode: InputReplicationMode = InputReplicationMode.PER_WORKER
    experimental_place_dataset_on_device: bool = False
    experimental_per_replica_buffer_size: int = 1


def for_each_replica(options: InputOptions | None) -> bool:
    """Whether input is to be read for each replica."""
    return options is not None and options.experimental_replication_mode is InputReplicationMode.PER_REPLICA


@export("distribute.RunOptions")
class RunOptions(NamedTuple):
    """How `tf.distribute.Strategy.run` runs; kept without effect. Mirrors `tf.distribute.RunOptions`."""

    experimental_enable_dynamic_batch_size: bool = True
    experimental_bucketizing_dynamic_shape: bool = False
    experimental_xla_options: Any = None


@export("distribute.DistributedIterator")
class DistributedIterator(OwnedIterator):
    """An iterator whose elements hold a value for each replica. Mirrors `tf.distribute.DistributedIterator`."""

    @property
    def _type_spec(self) -> DistributedIteratorSpec:
        return DistributedIteratorSpec(self.element_spec)

    def __next__(self) -> Any:
        if context.graph is not None:
            return super().__next__()
        if isinstance(element := unboxed(self.position).next(), LeftOver):
            raise StopIteration
        return self._structure.element(element)


class DistributedIteratorSpec(IteratorSpec):
    """The type of a `DistributedIterator`."""

    @property
    def value_type(self) -> Any:
        return DistributedIterator

    def _from_components(self, components: Any) -> Any:
        return DistributedIterator(components=components, element_spec=self._element_spec)


@export("distribute.DistributedDataset")
@recognised_as("python.distribute.input_lib")
class DistributedDataset(Composite):
    """A dataset whose elements hold a value for each replica. Mirrors `tf.distribute.DistributedDataset`.

    Args:
      dataset: the dataset of these elements.
    """

    def __init__(self, dataset: BaseDataset) -> None:
        self._dataset = dataset

    @property
    def dataset(self) -> BaseDataset:
        """The dataset of the elements."""
        return self._dataset

    @property
    def element_spec(self) -> Any:
        """The type of the elements: a `PerReplicaSpec` for each leaf, where there are several replicas."""
        return self._dataset.element_spec

    @property
    def cardinality(self) -> Any:
        """How many elements there are, or `tf.data.INFINITE_CARDINALITY`, or `tf.data.UNKNOWN_CARDINALITY`."""
        return self._dataset.cardinality().numpy()  # type: ignore[attr-defined]

    @property
    def _type_spec(self) -> DistributedDatasetSpec:
        return DistributedDatasetSpec(self._dataset.element_spec)

    def __iter__(self) -> DistributedIterator:
        found = iterator_of(self._dataset)
        return DistributedIterator(components=[found.position], element_spec=found.element_spec)


class DistributedDatasetSpec(CompositeSpec):
    """The type of a `DistributedDataset`.

    Args:
      element_spec: a nest of type specs.
    """

    describes_others = True

    def __init__(self, element_spec: Any) -> None:
        self._element_spec = element_spec

    @property
    def value_type(self) -> Any:
        return DistributedDataset

    def _serialize(self) -> tuple[Any, ...]:
        return (self._element_spec,)

    @property
    def _component_specs(self) -> Any:
        return (DatasetSpec(self._element_spec),)

    def _to_components(self, value: Any) -> Any:
        return (value.dataset,)

    def _from_components(self, components: Any) -> Any:
        return DistributedDataset(components[0])


@found_by.append
def _find(value: Any) -> Asking | None:
    """What a `for` in a function does with distributed input."""
    if not isinstance(value, DistributedDataset):
        return None
    iterator = iter(value)
    return Asking(iterator.has_next, iterator.get_next, relaxes=True)


def together(
    dataset: DistributedDataset, single: Structure, replicas: int, told: Callable[[bytes], list[bytes]]
) -> Any:
    """A distributed dataset that ends where those of all processes have ended; until then one without elements gives no rows.

    Args:
      dataset: that of this process.
      single: the type of the element of one replica.
      replicas: how many there are in this process.
      told: gives what all processes say, when each has said something.
    """
    if dataset.cardinality == INFINITE:
        return dataset
    structure = Structure(mapped(any_rows, dataset.element_spec))
    return DistributedDataset(
        BaseDataset.made(structure, lambda node: Together(node, structure, single, replicas, told), dataset.dataset)
    )


def shared(dataset: Any, replicas: int, first: int = 0, local: int | None = None) -> Any:
    """A dataset of batches, of which each replica gets a part: the first ones the larger, the last ones perhaps nothing.

    Args:
      dataset: a `tf.data.Dataset`.
      replicas: how many there are.
      first, local: the number of this process' first replica, and how many it has; all where None.

    Raises:
      AttributeError: if it is no dataset.
      IndexError: if its elements are no batches.
    """
    _check(dataset, "experimental_distribute_dataset")
    if replicas == 1:
        return DistributedDataset(dataset)
    if any(spec.shape.rank == 0 for spec in nest.flatten(dataset.element_spec) if hasattr(spec, "shape")):
        raise IndexError(
            "tf.distribute.Strategy.experimental_distribute_dataset: the elements are no batches, so they cannot be shared "
            f"between {replicas} replicas: {dataset.element_spec}. Call dataset.batch(global_batch_size) before."
        )

    mine = range(first, first + (replicas if local is None else local))
    of_replicas: Callable[[list[Any]], Any] = PerReplica if len(mine) > 1 else itemgetter(0)

    def share(*element: Any) -> Any:
        found = nest.map_structure(lambda leaf: of_replicas([_rows(leaf, i, replicas) for i in mine]), element)
        return found if isinstance(dataset.element_spec, tuple) else found[0]

    return DistributedDataset(dataset.map(share))


def _rows(batch: Any, number: int, replicas: int) -> Any:
    """A replica's rows of a batch."""
    if isinstance(batch, SparseTensor):
        raise NotImplementedError(
            "tf.distribute.Strategy.experimental_distribute_dataset: batches of sparse tensors are not shared here; make a "
            "dataset for each replica by distribute_datasets_from_function"
        )
    known = batch.shape[0]
    count = known if known is not None and known % replicas == 0 else _count(batch)
    size = -(-count // replicas)
    return batch[size * number : size * (number + 1)]


def _count(batch: Any) -> Any:
    return shape(batch)[0] if isinstance(batch, Tensor) else batch.nrows()


def one_each(datasets: Sequence[Any], replicas: int) -> Any:
    """A dataset that gives one element to each replica, and of a batch no rows to those for whom none is left.

    Args:
      datasets: a `tf.data.Dataset` whose elements go to the replicas in turn, or one for each.
      replicas: how many there are.

    Raises:
      AttributeError: if one is no dataset.
    """
    for dataset in datasets:
        _check(dataset, "distribute_datasets_from_function")
    if replicas == 1:
        return DistributedDataset(datasets[0])
    single = datasets[0].structure
    structure = Structure(mapped(lambda spec: PerReplicaSpec(*[any_rows(spec)] * replicas), datasets[0].element_spec))
    return DistributedDataset(
        BaseDataset.made(structure, lambda *nodes: OneEach(nodes, replicas, structure, single), *datasets)
    )


class LeftOver(tuple[Any, ...]):
    """An element for some replicas only, of a type that says how many rows each has: eagerly, `next` ends before it."""


class OneEach(Node):
    """As many elements as there are replicas, as one.

    Args:
      nodes: one that has the elements of all in turn, or one for each replica.
      replicas: how many there are.
      structure: the type of the elements together.
      single: that of one.
    """

    def __init__(self, nodes: Sequence[Node], replicas: int, structure: Structure, single: Structure) -> None:
        self.inputs = tuple(nodes)
        self.structure = structure
        self._replicas = replicas
        self._single = single
        self._empty = no_rows(single)
        self._closed = all(leaf.shape.is_fully_defined() for leaf, _ in single.groups if hasattr(leaf, "shape"))

    def iterate(self, run: Run) -> Iterator[Element]:
        for found in self._in_turn(run) if len(self.inputs) == 1 else self._side_by_side(run):
            kind = LeftOver if self._closed and any([element is self._empty for element in found]) else tuple
            yield kind(spread(found, self._single))

    def _in_turn(self, run: Run) -> Iterator[list[Element]]:
        elements = self.inputs[0].iterate(run)
        while found := list(islice(elements, self._replicas)):
            yield found + [self._empty] * (self._replicas - len(found))

    def _side_by_side(self, run: Run) -> Iterator[list[Element]]:
        for found in zip_longest(*[node.iterate(run) for node in self.inputs]):
            given = next(element for element in found if element is not None)
            if None in found and not all(map(np.ndim, given)):
                return  # what has no rows cannot have none of them
            yield [self._empty if element is None else element for element in found]

    def cardinality(self) -> int:
        count = self.inputs[0].cardinality()
        return count if count < 0 or len(self.inputs) > 1 else -(-count // self._replicas)


def _check(dataset: Any, method: str) -> None:
    if not isinstance(dataset, BaseDataset):
        raise AttributeError(f"tf.distribute.Strategy.{method}: expected a tf.data.Dataset, got {dataset!r}")
