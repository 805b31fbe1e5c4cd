"""Datasets of `tf.train.Example`s, parsed: from files, and from what there is already."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.lib.data.dataset import DatasetV2
from tfgrad_jax.lib.data.readers import TFRecordDatasetV2
from tfgrad_jax.lib.io.gfile import glob
from tfgrad_jax.lib.io.parsing import parse_example


@export("data.experimental.parse_example_dataset")
def parse_example_dataset(
    features: Mapping[str, Any], num_parallel_calls: int | None = 1, deterministic: bool | None = None
) -> Callable[[Any], Any]:
    """Makes of batches of serialized examples dictionaries of features. Mirrors `tf.data.experimental.parse_example_dataset`.

    Args:
      features: as `tf.io.parse_example` takes them.
      num_parallel_calls, deterministic: as `Dataset.map` takes them.

    Returns:
      A function of a dataset, for `Dataset.apply`.

    Raises:
      ValueError: if there are no features.
    """
    if features is None or not features:
        raise ValueError(
            "tf.data.experimental.parse_example_dataset: argument `features` is required, and must not be empty"
        )
    return lambda dataset: dataset.map(
        lambda examples: parse_example(examples, features), num_parallel_calls, deterministic=deterministic
    )


@export("data.experimental.make_batched_features_dataset")
def make_batched_features_dataset(
    file_pattern: Any, batch_size: int, features: Mapping[str, Any], reader: Any = None, label_key: str | None = None,
    reader_args: list[Any] | None = None, num_epochs: int | None = None, shuffle: bool = True, shuffle_buffer_size: int = 10000,
    shuffle_seed: int | None = None, prefetch_buffer_size: int | None = None, reader_num_threads: int | None = None,
    parser_num_threads: int | None = None, sloppy_ordering: bool = False, drop_final_batch: bool = False,
) -> Any:  # fmt: skip
    """Batches of features from files of examples. Mirrors `tf.data.experimental.make_batched_features_dataset`.

    Args:
      file_pattern: a pattern of file names, or several.
      batch_size: how many examples in a batch.
      features: as `tf.io.parse_example` takes them.
      reader: makes a dataset of a file; `tf.data.TFRecordDataset` where None. Of pairs the second part is the example.
      label_key: the feature that stands beside the dictionary, as the second part of a pair.
      reader_args: further arguments of `reader`.
      num_epochs: how often all examples come; None: without end.
      shuffle, shuffle_buffer_size, shuffle_seed: whether and how files and examples come in random order.
      prefetch_buffer_size: how many batches are made ahead; 1 if not given.
      reader_num_threads: from how many files at a time examples are taken.
      parser_num_threads: how many batches are parsed at a time.
      sloppy_ordering: accepted for compatibility: the order is always deterministic.
      drop_final_batch: whether a last batch that is not full is left out; it is, where `num_epochs` is None.

    Raises:
      ValueError: if no file matches, or `label_key` is none of the features.
    """
    patterns = [file_pattern] if isinstance(file_pattern, (str, bytes)) else list(file_pattern)
    names = sorted({name for pattern in patterns for name in glob(pattern)})
    if not names:
        raise ValueError(f"No files match `file_pattern` {file_pattern}.")
    if label_key is not None and label_key not in features:
        raise ValueError(
            f"The `label_key` provided ({label_key!r}) must be one of the `features` keys: {list(features)}."
        )
    make = TFRecordDatasetV2 if reader is None else reader

    found: Any = DatasetV2.from_tensor_slices(np.array([str(name).encode() for name in names], object))
    if shuffle:
        found = found.shuffle(len(names), shuffle_seed)
    found = found.interleave(
        lambda name: make(name, *(reader_args or ())), cycle_length=reader_num_threads or 1, block_length=1
    )
    if isinstance(found.element_spec, tuple):
        found = found.map(lambda _, example: example)
    if shuffle:
        found = found.shuffle(shuffle_buffer_size, shuffle_seed)
    if num_epochs != 1:
        found = found.repeat(num_epochs)
    found = found.batch(batch_size, drop_remainder=drop_final_batch or num_epochs is None)
    found = found.apply(parse_example_dataset(features, parser_num_threads or 2))
    if label_key is not None:
        found = found.map(lambda parsed: ({k: v for k, v in parsed.items() if k != label_key}, parsed[label_key]))
    return found.prefetch(1 if prefetch_buffer_size is None else prefetch_buffer_size)
