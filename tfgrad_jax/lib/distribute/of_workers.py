"""Input of several processes: what each of them reads, and that all of them end together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from tfgrad_jax.composite.ragged.tensor import RaggedTensorSpec
from tfgrad_jax.composite.sparse_tensor import SparseTensorSpec
from tfgrad_jax.engine.messages.errors import NotFoundError, invalid_argument
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.specs import TensorSpec
from tfgrad_jax.lib.data.base import BaseDataset
from tfgrad_jax.lib.data.nodes.batching import Batch, PaddedBatch, Unbatch
from tfgrad_jax.lib.data.nodes.counting import Concatenate, Shard
from tfgrad_jax.lib.data.nodes.node import SHARD_HINT, Element, Node, Run, Step
from tfgrad_jax.lib.data.nodes.ordering import Shuffle
from tfgrad_jax.lib.data.options import AutoShardPolicy
from tfgrad_jax.lib.data.structure import Structure

_NAME = "AutoShardDataset"


def read_apart(dataset: Any, replicas: int, first: int, processes: int, process: int) -> Any:
    """What a process reads for itself, in batches for one replica after the other; None if batches are shared row by row.

    Args:
      dataset: a `tf.data.Dataset` of batches for all replicas, whose options have the policy.
      replicas: how many there are.
      first: the number of this process' first one.
      processes, process: how many processes there are, and the number of this one.

    Raises:
      NotFoundError: if input is to be shared by files, and there are none.
      InvalidArgumentError: if there are fewer files than processes, when it is read.
      NotImplementedError: if the size of the batches is not known.
    """
    policy = dataset.options().experimental_distribute.auto_shard_policy
    if policy is AutoShardPolicy.DATA:
        return None
    node = dataset.node
    if policy is AutoShardPolicy.HINT:
        node = _replaced(node, lambda found: _hinted(found, processes, process))
    elif policy is not AutoShardPolicy.OFF:
        by_files = _by_files(node, processes, process)
        if by_files is None and policy is AutoShardPolicy.AUTO:
            return None
        if by_files is None:
            raise NotFoundError(
                None, None, f"{_NAME}: AutoShardPolicy.FILE, but the dataset {dataset!r} does not read files alone; "
                "AutoShardPolicy.DATA shares its batches",
            )  # fmt: skip
        node = by_files
    size = _batch_size(node)
    if size is None:
        raise NotImplementedError(
            f"tf.distribute.Strategy.experimental_distribute_dataset: with {policy} the size of a batch must be known, as from "
            f"batch(); of {dataset!r} it is not. AutoShardPolicy.DATA shares batches of any size"
        )
    sizes = [size // replicas + (i < size % replicas) for i in range(replicas)]
    return BaseDataset.of(node).rebatch(sizes[first:] + sizes[:first])


def _replaced(node: Node, replace: Callable[[Node], Node | None]) -> Node:
    """A tree of nodes in which some are others."""
    found = replace(node)
    if found is not None:
        return found
    inputs = tuple([_replaced(source, replace) for source in node.inputs])
    return node if all(a is b for a, b in zip(inputs, node.inputs, strict=True)) else node.over(inputs)


def _hinted(node: Node, count: int, index: int) -> Node | None:
    return Shard(node.inputs[0], count, index) if isinstance(node, Shard) and node.count == SHARD_HINT else None


def _by_files(node: Node, count: int, index: int) -> Node | None:
    """The same tree over every so many-th file; None if it does not read files alone."""
    if node.reads_files:
        source = node.inputs[0]
        if isinstance(source, Shuffle):  # the same files whatever the order
            return node.over((source.over((_Files(source.inputs[0], count, index),)),))
        return node.over((_Files(source, count, index),))
    if len(node.inputs) == 1 or isinstance(node, Concatenate):
        inputs = [_by_files(source, count, index) for source in node.inputs]
        return None if None in inputs else node.over(tuple(inputs))  # type: ignore[arg-type]
    return None


class _Files(Shard):
    """Every so many-th name of a file."""

    def iterate(self, run: Run) -> Iterator[Element]:
        known = self.inputs[0].cardinality()
        if 0 <= known < self.count:
            raise invalid_argument(
                f"Could not apply FILE based sharding: the dataset only has {known} file(s), which is not enough for the "
                f"required {self.count} shards/workers. AutoShardPolicy.DATA shares batches.",
                _NAME,
            )
        return super().iterate(run)


def _batch_size(node: Node) -> int | None:
    """How many rows a batch has, the last one aside."""
    sizes = [leaf.shape[0] for leaf, _ in node.structure.groups if getattr(leaf.shape, "rank", None)]
    if sizes and sizes[0] is not None:
        return int(sizes[0])
    while node.inputs and not isinstance(node, Unbatch):
        if isinstance(node, (Batch, PaddedBatch)):
            return node.size
        node = node.inputs[0]
    return None


class Together(Node):
    """Elements until all processes have come to the end of theirs: no rows where one has ended before.

    Args:
      node: gives the elements of this process' replicas.
      structure: of these elements, of as many rows as there are.
      single: the type of the element of one replica.
      replicas: how many there are in this process.
      told: gives what all processes say, when each has said something.
    """

    def __init__(
        self,
        node: Node,
        structure: Structure,
        single: Structure,
        replicas: int,
        told: Callable[[bytes], list[bytes]],
    ) -> None:
        self.inputs = (node,)
        self.structure = structure
        self.told = told
        self.empty = spread([no_rows(single)] * replicas, single)

    def following(self, source: Iterator[Element], run: Run) -> Iterator[Element]:
        return _Asking(self, source)

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()


class _Asking(Step):
    def __init__(self, node: Together, source: Iterator[Element]) -> None:
        self._node = node
        self._source = source

    def __next__(self) -> Element:
        element = next(self._source, None)
        if b"more" not in self._node.told(b"end" if element is None else b"more"):
            raise StopIteration
        return self._node.empty if element is None else tuple(element)


def spread(elements: Iterable[Element], single: Structure) -> Element:
    """The elements of several replicas as one, of `PerReplica` values.

    Args:
      elements: an element for each.
      single: the type of one of them.
    """
    found = list(elements)
    return tuple([element[i] for _, places in single.groups for element in found for i in places])


def any_rows(spec: Any) -> Any:
    """A spec of as many rows as there are: such a tensor may come without any."""
    if isinstance(spec, TensorSpec) and spec.shape.rank:
        return TensorSpec([None, *spec.shape.as_list()[1:]], spec.dtype)
    return spec


def no_rows(structure: Structure) -> Element:
    """An element without rows: sizes that are open are 0, and where none is, the first; what has no rows is 0."""
    found: list[np.ndarray] = []
    for leaf, places in structure.groups:
        parts = [_zeros(structure.flat[i]) for i in places]
        if isinstance(leaf, RaggedTensorSpec):
            parts[1:] = [np.zeros(1, splits.dtype) for splits in parts[1:]]
        elif isinstance(leaf, SparseTensorSpec):
            parts[2] = np.array(_sizes_without_rows(leaf.shape), np.int64)
        found += parts
    return tuple(found)


def _zeros(spec: TensorSpec) -> np.ndarray:
    sizes = _sizes_without_rows(spec.shape)
    return np.full(sizes, b"", object) if spec.dtype is dtypes.string else np.zeros(sizes, spec.dtype.as_numpy_dtype)


def _sizes_without_rows(shape: TensorShape) -> list[int]:
    sizes = [size or 0 for size in shape] if shape.rank is not None else []
    if sizes and shape.is_fully_defined():
        sizes[0] = 0
    return sizes
