"""`tf.data.experimental`: transformations as functions, for `tf.data.Dataset.apply`, and what else has gathered there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.data.base import BaseDataset, host_operation
from tfgrad_jax.lib.data.dataset import DatasetV2
from tfgrad_jax.lib.data.iterators import open_specs
from tfgrad_jax.lib.data.nodes.node import unboxed
from tfgrad_jax.lib.data.nodes.sources import Elements
from tfgrad_jax.lib.data.structure import Structure, arrays_of, relaxed, taken_apart
from tfgrad_jax.lib.io.records import TFRecordWriter as RecordWriter

Transformation = Callable[[Any], Any]


def _method(name: str) -> Callable[..., Transformation]:
    """The method of datasets as a function that takes its arguments and gives a function of a dataset."""

    def transformation(*args: Any, **kwargs: Any) -> Transformation:
        return lambda dataset: getattr(dataset, name)(*args, **kwargs)

    transformation.__name__ = transformation.__qualname__ = name
    transformation.__doc__ = f"`tf.data.Dataset.{name}` as a function, for `tf.data.Dataset.apply`."
    return transformation


for _name, _of in {
    "bucket_by_sequence_length": "bucket_by_sequence_length",
    "dense_to_ragged_batch": "ragged_batch",
    "dense_to_sparse_batch": "sparse_batch",
    "enumerate_dataset": "enumerate",
    "group_by_window": "group_by_window",
    "ignore_errors": "ignore_errors",
    "rejection_resample": "rejection_resample",
    "scan": "scan",
    "snapshot": "snapshot",
    "take_while": "take_while",
    "unbatch": "unbatch",
    "unique": "unique",
}.items():
    export(f"data.experimental.{_name}")(_method(_of))


@export("data.experimental.map_and_batch")
def map_and_batch(
    map_func: Callable[..., Any],
    batch_size: Any,
    num_parallel_batches: Any = None,
    drop_remainder: bool = False,
    num_parallel_calls: Any = None,
) -> Transformation:
    """`map`, then `batch`. Mirrors `tf.data.experimental.map_and_batch`."""
    return lambda dataset: dataset.map(map_func, num_parallel_calls).batch(batch_size, drop_remainder)


@export("data.experimental.shuffle_and_repeat")
def shuffle_and_repeat(buffer_size: Any, count: Any = None, seed: Any = None) -> Transformation:
    """`shuffle`, then `repeat`. Mirrors `tf.data.experimental.shuffle_and_repeat`."""
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


@export("data.experimental.parallel_interleave")
def parallel_interleave(
    map_func: Callable[..., Any],
    cycle_length: Any,
    block_length: Any = 1,
    sloppy: bool = False,
    buffer_output_elements: Any = None,
    prefetch_input_elements: Any = None,
) -> Transformation:
    """`interleave`; its order is deterministic whatever `sloppy` says. Mirrors `tf.data.experimental.parallel_interleave`."""
    return lambda dataset: dataset.interleave(map_func, cycle_length, block_length)


@export("data.experimental.prefetch_to_device")
def prefetch_to_device(device: Any, buffer_size: Any = None) -> Transformation:
    """`prefetch`: operations bring elements to the device where they run. Mirrors `tf.data.experimental.prefetch_to_device`."""
    return lambda dataset: dataset.prefetch(buffer_size)


@export("data.experimental.copy_to_device")
def copy_to_device(target_device: Any, source_device: Any = "/cpu:0") -> Transformation:
    """The dataset as it is: operations bring elements to the device where they run.

    Mirrors `tf.data.experimental.copy_to_device`.
    """
    return lambda dataset: dataset


@export("data.experimental.choose_from_datasets")
def choose_from_datasets(datasets: Any, choice_dataset: Any, stop_on_empty_dataset: bool = False) -> Any:
    """`tf.data.Dataset.choose_from_datasets`. Mirrors `tf.data.experimental.choose_from_datasets`."""
    return DatasetV2.choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset)


@export("data.experimental.sample_from_datasets")
def sample_from_datasets(
    datasets: Any, weights: Any = None, seed: Any = None, stop_on_empty_dataset: bool = False
) -> Any:
    """`tf.data.Dataset.sample_from_datasets`. Mirrors `tf.data.experimental.sample_from_datasets`."""
    return DatasetV2.sample_from_datasets(datasets, weights, seed, stop_on_empty_dataset)


@export("data.experimental.Counter")
def counter(start: Any = 0, step: Any = 1, dtype: Any = dtypes.int64) -> Any:
    """`tf.data.Dataset.counter`. Mirrors `tf.data.experimental.Counter`."""
    return DatasetV2.counter(start, step, dtype)


@export("data.experimental.RandomDataset")
def random_dataset(seed: Any = None) -> Any:
    """`tf.data.Dataset.random`. Mirrors `tf.data.experimental.RandomDataset`."""
    return DatasetV2.random(seed)


@export("data.experimental.from_list")
def from_list(elements: list[Any], name: str | None = None) -> Any:
    """A dataset of the elements of a list. Mirrors `tf.data.experimental.from_list`.

    Raises:
      ValueError: if there is none, or it is no list.
      TypeError: if they have no type in common.
    """
    if not isinstance(elements, list):
        raise ValueError(f"data.experimental.from_list: `elements` must be a list, got {elements!r}")
    if not elements:
        raise ValueError("Empty list of elements. `elements` should not be empty.")
    parts = [taken_apart(element) for element in elements]
    spec = parts[0][0]
    for other, _ in parts[1:]:
        wider = relaxed(spec, other)
        if wider is None:
            raise TypeError(f"All elements must have one type, got {spec} and {other}.")
        spec = wider
    structure = Structure(spec)
    return BaseDataset.of(Elements(structure, [arrays_of(tensors) for _, tensors in parts]))


@export("data.experimental.get_single_element")
def get_single_element(dataset: Any) -> Any:
    """`dataset.get_single_element()`. Mirrors `tf.data.experimental.get_single_element`."""
    return dataset.get_single_element()


@export("data.experimental.get_next_as_optional")
def get_next_as_optional(iterator: Any) -> Any:
    """`iterator.get_next_as_optional()`. Mirrors `tf.data.experimental.get_next_as_optional`."""
    return iterator.get_next_as_optional()


@export("data.experimental.to_variant")
def to_variant(dataset: Any) -> Any:
    """The tensor that stands for a dataset. Mirrors `tf.data.experimental.to_variant`."""
    return dataset._type_spec._to_components(dataset)[0]


@export("data.experimental.from_variant")
def from_variant(variant: Any, structure: Any) -> Any:
    """The dataset that a tensor stands for. Mirrors `tf.data.experimental.from_variant`."""
    return BaseDataset.from_variant(Structure(structure), variant)


@export("data.experimental.save")
def save(dataset: Any, path: Any, compression: Any = None, shard_func: Any = None, checkpoint_args: Any = None) -> None:
    """`dataset.save(...)`. Mirrors `tf.data.experimental.save`."""
    dataset.save(path, compression, shard_func, checkpoint_args)


@export("data.experimental.load")
def load(path: Any, element_spec: Any = None, compression: Any = None, reader_func: Any = None) -> Any:
    """`tf.data.Dataset.load(...)`. Mirrors `tf.data.experimental.load`."""
    return DatasetV2.load(path, element_spec, compression, reader_func)


@export("data.experimental.at")
def at(dataset: Any, index: Any) -> Any:
    """The element at a position, which is the same each time. Mirrors `tf.data.experimental.at`.

    A shuffled dataset has an order for this that is not the one of its iterations: TensorFlow's, for the same seeds.

    Raises:
      OutOfRangeError: if there is none.
      FailedPreconditionError: of a dataset of unknown size, or without end.
      UnimplementedError: of one whose elements are only made one after the other.
    """
    structure: Structure = dataset.structure
    position = convert(index, dtypes.int64)
    if position.shape.rank not in (0, None):
        raise invalid_argument("index must be a scalar", "GetElementAtIndex")

    def get(given: Sequence[Tensor]) -> list[Tensor]:
        return structure.tensors(unboxed(given[0]).at(int(np.asarray(given[1].array))))

    operands = [to_variant(dataset), position]
    if context.graph is None:
        return structure.pack(get(operands))
    return structure.pack(host_operation("GetElementAtIndex", get, open_specs(structure), operands))


@export("data.experimental.TFRecordWriter")
class TFRecordWriter:
    """Writes a dataset of strings as records. Mirrors `tf.data.experimental.TFRecordWriter`.

    Args:
      filename: the file.
      compression_type: `"GZIP"`, `"ZLIB"` or None.
    """

    def __init__(self, filename: Any, compression_type: Any = None) -> None:
        self._filename = filename
        self._compression = compression_type

    def write(self, dataset: Any) -> None:
        """Write all elements.

        Raises:
          TypeError: if they are no strings.
        """
        if not isinstance(dataset, BaseDataset) or [s.dtype for s in dataset.structure.flat] != [dtypes.string]:
            raise TypeError(f"Invalid `dataset`: expected a dataset of `tf.string` scalars, got {dataset!r}.")
        with RecordWriter(self._filename, self._compression) as writer:
            for record in dataset.as_numpy_iterator():  # type: ignore[attr-defined]
                writer.write(record)
