"""`tensorflow.python.data.experimental.ops.global_shuffle_op`: all elements of a dataset in random order."""

from __future__ import annotations

import weakref
from typing import Any

from tfgrad_jax.engine.messages.errors import failed_precondition, invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.lib.data.dataset import DatasetV2
from tfgrad_jax.lib.data.nodes import batching, buffering, counting, elementwise, sources
from tfgrad_jax.lib.data.nodes.node import Node
from tfgrad_jax.lib.data.options import INFINITE_CARDINALITY

_OP = "GlobalShuffleDataset"
_BY_PLACE = (
    buffering.Cache,
    buffering.Prefetch,
    elementwise.AssertCardinality,
    counting.Concatenate,
    elementwise.Map,
    counting.Repeat,
    counting.Shard,
    counting.Skip,
    counting.Take,
    elementwise.WithOptions,
    counting.Zip,
    sources.Range,
    sources.Slices,
    sources.Tensors,
)
"""What TensorFlow can ask for an element by its place."""

_shuffled: weakref.WeakSet[Node] = weakref.WeakSet()
"""The nodes that shuffle in this way."""


def _by_place(node: Node) -> bool:
    """Whether each element can be asked for by its place. Batches can if all are full."""
    if node in _shuffled:
        return True
    if type(node) is batching.Batch:
        shapes = [spec.shape for spec in node.structure.flat]
        if any(not shape.rank or shape[0] is None for shape in shapes):
            return False
    elif not isinstance(node, _BY_PLACE) or node.cardinality() == INFINITE_CARDINALITY:
        return False
    return all(map(_by_place, node.inputs))


@export("python.data.experimental.ops.global_shuffle_op._global_shuffle")
def global_shuffle(
    input_dataset: Any, seed: Any = None, reshuffle_each_iteration: bool = True, name: str | None = None
) -> DatasetV2:
    """A dataset with its elements in random order, which is not TensorFlow's for the same seed.

    Args:
      input_dataset: the dataset.
      seed: of the order; a random one for None.
      reshuffle_each_iteration: whether each iteration has another order.
      name: accepted for compatibility.

    Raises:
      FailedPreconditionError: if elements cannot be asked for by their place.
      InvalidArgumentError: if there are none.
    """
    if not _by_place(input_dataset.node):
        raise failed_precondition(
            "`global_shuffle` requires all upstream transformations be compatible with random access: leave out what filters, "
            "flattens, shuffles or repeats without end, and let batches drop their remainder",
            _OP,
        )
    count = input_dataset.node.cardinality()
    if count < 1:
        raise invalid_argument(
            f"`global_shuffle` requires the input dataset to have a non-empty finite cardinality, got {count}", _OP
        )
    found: DatasetV2 = input_dataset.shuffle(count, seed, reshuffle_each_iteration)
    _shuffled.add(found.node)
    return found
