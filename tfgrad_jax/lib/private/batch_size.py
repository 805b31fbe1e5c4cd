"""The size of a dataset's batches, which Keras' distribution asks for."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes, nest
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.data.dataset import DatasetV2
from tfgrad_jax.lib.data.nodes import batching, buffering, counting, elementwise, ordering
from tfgrad_jax.lib.data.nodes.node import Node

_UNKNOWN = -1

_KEEPING = (
    buffering.Cache,
    buffering.Prefetch,
    elementwise.AssertCardinality,
    counting.Concatenate,
    elementwise.Filter,
    counting.Repeat,
    counting.Shard,
    counting.Skip,
    counting.Take,
    elementwise.WithOptions,
    counting.Zip,
    ordering.Shuffle,
)
"""What leaves batches as they are."""


@export("python.data.experimental.ops.distribute.compute_batch_size")
def compute_batch_size(dataset: Any) -> Tensor:
    """The size of a dataset's batches, the last of which may be smaller.

    Mirrors `tensorflow.python.data.experimental.ops.distribute.compute_batch_size`.

    Args:
      dataset: it consists of batches.

    Returns:
      A scalar of int64; -1 where the transformations do not say one size.

    Raises:
      TypeError: if it is no dataset.
      IndexError: if its elements have scalars.
    """
    if not isinstance(dataset, DatasetV2):
        raise TypeError(f"compute_batch_size: `dataset` must be a `tf.data.Dataset`, got {dataset!r}")
    shapes = [getattr(spec, "shape", None) for spec in nest.flatten(dataset.element_spec)]
    sizes = [None if shape is None or shape.rank is None else shape.as_list()[0] for shape in shapes]
    known = _size(dataset.node) if None in sizes else _one(sizes)
    return convert(known, dtypes.int64)


def _one(sizes: Any) -> int:
    return sizes[0] if len(set(sizes)) == 1 else _UNKNOWN


def _size(node: Node) -> int:
    if isinstance(node, (batching.Batch, batching.PaddedBatch)):
        return _UNKNOWN if node.label.startswith("_Parallel") else node.size  # TensorFlow does not look into these
    return _one([_size(source) for source in node.inputs]) if isinstance(node, _KEEPING) else _UNKNOWN
