"""Bases of tests of datasets: `checkpoint_test_base` saves and restores iterators, `tf_record_test_base` writes records."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.messages.errors import left_to_subclass
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes, nest
from tfgrad_jax.lib.checkpoint.checkpoint import Checkpoint
from tfgrad_jax.lib.checkpoint.state import latest_checkpoint
from tfgrad_jax.lib.data.parsed import make_batched_features_dataset
from tfgrad_jax.lib.data.readers import TFRecordDatasetV2
from tfgrad_jax.lib.io import messages
from tfgrad_jax.lib.io.features import FixedLenFeature, VarLenFeature
from tfgrad_jax.lib.io.records import TFRecordWriter
from tfgrad_jax.lib.private.combinations import NamedObject, combine
from tfgrad_jax.lib.private.datasets import DatasetTestBase
from tfgrad_jax.lib.testing.case import TestCase

_C, _R = "python.data.kernel_tests.checkpoint_test_base.", "python.data.kernel_tests.tf_record_test_base."

_WAYS = (
    "verify_unused_iterator",
    "verify_fully_used_iterator",
    "verify_exhausted_iterator",
    "verify_multiple_breaks",
    "verify_reset_restored_iterator",
)


@export(_C + "default_test_combinations")
def default_test_combinations() -> list[Any]:
    """Each way to use an iterator before it is saved, as `verify_fn(test, dataset_function, number_of_elements)`."""

    def way(name: str) -> Callable[..., None]:
        return lambda test, ds_fn, num_outputs, **options: getattr(test, name)(ds_fn, num_outputs, **options)

    return [one for name in _WAYS for one in combine(verify_fn=NamedObject(name, way(name)))]


@export(_C + "remove_variants")
def remove_variants(get_next_op: Any) -> Any:
    """A nest with `()` in place of tensors of variants."""
    return nest.map_structure(lambda x: () if getattr(x, "dtype", None) == dtypes.variant else x, get_next_op)


@export(_C + "CheckpointTestBase")
class CheckpointTestBase(TestCase):
    """A test case that compares elements of one run with those of a run that is saved and restored on the way."""

    def verify_unused_iterator(self, ds_fn: Any, num_outputs: int, *args: Any, **options: Any) -> None:
        """An iterator is saved before its first element."""
        self.verify_run_with_breaks(ds_fn, [0], num_outputs, *args, **options)

    def verify_fully_used_iterator(self, ds_fn: Any, num_outputs: int, *args: Any, **options: Any) -> None:
        """An iterator is saved after its last element."""
        self.verify_run_with_breaks(ds_fn, [num_outputs], num_outputs, *args, **options)

    def verify_exhausted_iterator(
        self, ds_fn: Any, num_outputs: int, sparse_tensors: bool = False, assert_items_equal: bool = False
    ) -> None:
        """An iterator is saved after it has said that there is no more."""
        self.gen_outputs(ds_fn, [], num_outputs, verify_exhausted=True)
        self.assertEqual(self.gen_outputs(ds_fn, [], 0, ckpt_saved=True, verify_exhausted=True), [])

    def verify_multiple_breaks(
        self, ds_fn: Any, num_outputs: int, num_breaks: int = 10, *args: Any, **options: Any
    ) -> None:
        """An iterator is saved at some places from first to last."""
        self.verify_run_with_breaks(
            ds_fn, self.gen_break_points(num_outputs, num_breaks), num_outputs, *args, **options
        )

    def verify_reset_restored_iterator(self, ds_fn: Any, num_outputs: int, *args: Any, **options: Any) -> None:
        """Skipped: what begins anew belongs to sessions."""
        self.skipTest("iterators that begin anew belong to graph mode with sessions")

    def verify_error_on_save(
        self,
        ds_fn: Any,
        num_outputs: int,
        error: Any,
        break_point: int | None = None,
        sparse_tensors: bool = False,
        assert_items_equal: bool = False,
    ) -> None:
        """An iterator refuses to be saved, by that error."""
        iterator = iter(ds_fn())
        for _ in range(break_point or num_outputs // 2):
            next(iterator)
        with self.assertRaises(error):
            Checkpoint(iterator=iterator).save(self._ckpt_path())

    def verify_run_with_breaks(
        self,
        ds_fn: Any,
        break_points: Sequence[int],
        num_outputs: int,
        sparse_tensors: bool = False,
        verify_exhausted: bool = True,
        assert_items_equal: bool = False,
    ) -> None:
        """The elements are the same with and without breaks."""
        expected = self.gen_outputs(ds_fn, [], num_outputs, verify_exhausted=verify_exhausted)
        actual = self.gen_outputs(ds_fn, break_points, num_outputs, verify_exhausted=verify_exhausted)
        self.match(expected, actual, assert_items_equal=assert_items_equal)

    def gen_outputs(
        self,
        ds_fn: Any,
        break_points: Sequence[int],
        num_outputs: int,
        ckpt_saved: bool = False,
        sparse_tensors: bool = False,
        verify_exhausted: bool = True,
        save_checkpoint_at_end: bool = True,
    ) -> list[Any]:
        """Elements of a dataset, whose iterator is saved at breaks, and after the last one, and goes on as another one.

        Args:
          ds_fn: the function that makes the dataset.
          break_points: after how many elements to save.
          num_outputs: the number of elements.
          ckpt_saved: whether the first iterator begins where one was saved before.
          sparse_tensors: accepted for compatibility.
          verify_exhausted: whether there may be no more elements.
          save_checkpoint_at_end: whether to save after the last one.
        """
        found: list[Any] = []
        ends = [*break_points, num_outputs]
        for number, (start, end) in enumerate(zip([0, *break_points], ends)):
            iterator = iter(ds_fn())
            checkpoint = Checkpoint(iterator=iterator)
            if ckpt_saved:
                checkpoint.restore(self._latest_ckpt())
            found += [self.evaluate(next(iterator)) for _ in range(end - start)]
            last = number == len(break_points)
            if verify_exhausted and (last or end == num_outputs):
                with self.assertRaises(StopIteration):
                    next(iterator)
            if save_checkpoint_at_end or not last:
                checkpoint.save(self._ckpt_path())
                ckpt_saved = True
        return found

    def match(self, expected: Any, actual: Any, assert_items_equal: bool = False) -> None:
        """Two nests of NumPy values are of the same types and equal."""
        expected, actual = (x.tolist() if isinstance(x, np.ndarray) else x for x in (expected, actual))
        self.assertEqual(type(expected), type(actual))
        parts, others = (
            (x.values, x.row_splits) if hasattr(x, "row_splits") else tuple(x) if hasattr(x, "dense_shape") else x
            for x in (expected, actual)
        )
        if isinstance(parts, dict):
            self.assertEqual(sorted(parts), sorted(others))
            parts, others = ([x[key] for key in sorted(x)] for x in (parts, others))
        if not isinstance(parts, (list, tuple)):
            self.assertEqual(parts, others)
            return
        self.assertEqual(len(parts), len(others))
        if assert_items_equal:
            parts, others = sorted(parts), sorted(others)
        for part, other in zip(parts, others):
            self.match(part, other)

    def does_not_match(self, expected: Any, actual: Any) -> None:
        """Two nests are not equal."""
        with self.assertRaises(AssertionError):
            self.match(expected, actual)

    def gen_break_points(self, num_outputs: int, num_samples: int = 10) -> Any:
        """Places from 0 to the number of elements."""
        return np.unique(np.linspace(0, num_outputs, num_samples, dtype=int))

    def _ckpt_path(self) -> str:
        return os.path.join(self.get_temp_dir(), "iterator")

    def _latest_ckpt(self) -> Any:
        return latest_checkpoint(self.get_temp_dir())


def _in_turn(sources: list[Iterator[Any]], cycle_length: int) -> Iterator[Any]:
    """One of each open source in turn; the next one takes the place of one that has ended."""
    waiting = iter(sources)
    places: list[Iterator[Any] | None] = list(itertools.islice(waiting, cycle_length))
    while any(place is not None for place in places):
        for k, place in enumerate(places):
            if place is None:
                continue
            try:
                yield next(place)
            except StopIteration:
                places[k] = next(waiting, None)


class _Files(DatasetTestBase):
    """Two files of seven records."""

    def setUp(self) -> None:
        super().setUp()
        self._num_files, self._num_records = 2, 7
        self._filenames = self._createFiles()

    def _content(self, file: int, record: int) -> bytes:
        raise left_to_subclass(self, "_content")

    def _createFiles(self) -> list[str]:
        names = []
        for file in range(self._num_files):
            names.append(os.path.join(self.get_temp_dir(), f"tf_record.{file}.txt"))
            with TFRecordWriter(names[-1]) as writer:
                for record in range(self._num_records):
                    writer.write(self._content(file, record))
        return names

    def _interleave(self, iterators: list[Iterator[Any]], cycle_length: int) -> Iterator[Any]:
        return _in_turn(iterators, cycle_length)

    def _expected(self, files: Any, num_epochs: int, cycle_length: int) -> Iterator[tuple[int, int]]:
        """The records in the order in which they are read."""
        if files is None:
            files = range(self._num_files)
        chosen = [files] if isinstance(files, int) else list(files)
        for _ in range(num_epochs):
            sources: list[Iterator[Any]] = [zip(itertools.repeat(file), range(self._num_records)) for file in chosen]
            yield from _in_turn(sources, cycle_length)


def _batches(records: Iterator[Any], size: int) -> Iterator[list[Any]]:
    while batch := list(itertools.islice(records, size)):
        yield batch


@export(_R + "TFRecordTestBase")
class TFRecordTestBase(_Files):
    """A test case with two files, of seven texts each."""

    def _record(self, f: int, r: int) -> bytes:
        return b"Record %d of file %d" % (r, f)

    def _content(self, file: int, record: int) -> bytes:
        return self._record(file, record)

    def _writeFile(self, name: str, data: Any) -> str:
        path = os.path.join(self.get_temp_dir(), name)
        with TFRecordWriter(path) as writer:
            for one in data:
                writer.write(one if isinstance(one, bytes) else str(one).encode())
        return path

    def _next_expected_batch(
        self,
        file_indices: Any,
        batch_size: int,
        num_epochs: int,
        cycle_length: int,
        drop_final_batch: bool,
        use_parser_fn: bool,
    ) -> Iterator[list[bytes]]:
        begin = 1 if use_parser_fn else 0
        for batch in _batches(self._expected(file_indices, num_epochs, cycle_length), batch_size):
            if len(batch) == batch_size or not drop_final_batch:
                yield [self._record(*one)[begin:] for one in batch]

    def _verify_records(
        self,
        outputs: Any,
        batch_size: int,
        file_index: Any,
        num_epochs: int,
        interleave_cycle_length: int,
        drop_final_batch: bool,
        use_parser_fn: bool,
    ) -> None:
        for batch in self._next_expected_batch(
            file_index, batch_size, num_epochs, interleave_cycle_length, drop_final_batch, use_parser_fn
        ):
            self.assertAllEqual(batch, self.evaluate(outputs()))


@export(_R + "FeaturesTestBase")
class FeaturesTestBase(_Files):
    """A test case with two files, of seven `tf.train.Example`s each."""

    outputs: Any = None

    def make_batch_feature(
        self,
        filenames: Any,
        num_epochs: Any,
        batch_size: int,
        label_key: str | None = None,
        reader_num_threads: int = 1,
        parser_num_threads: int = 1,
        shuffle: bool = False,
        shuffle_seed: int | None = None,
        drop_final_batch: bool = False,
    ) -> Any:
        """The dataset of batches of parsed records."""
        self.filenames, self.num_epochs, self.batch_size = filenames, num_epochs, batch_size
        fixed: Any = FixedLenFeature
        varying: Any = VarLenFeature
        return make_batched_features_dataset(
            file_pattern=filenames,
            batch_size=batch_size,
            features={
                "file": fixed([], dtypes.int64),
                "record": fixed([], dtypes.int64),
                "keywords": varying(dtypes.string),
                "label": fixed([], dtypes.string),
            },
            label_key=label_key,
            reader=TFRecordDatasetV2,
            num_epochs=num_epochs,
            shuffle=shuffle,
            shuffle_seed=shuffle_seed,
            reader_num_threads=reader_num_threads,
            parser_num_threads=parser_num_threads,
            drop_final_batch=drop_final_batch,
        )

    def _get_keywords(self, f: int, r: int) -> list[bytes]:
        return [b"keyword%d" % k for k in range(1 + (f + r) % 2)]

    def _sum_keywords(self, num_files: int) -> int:
        return sum(len(self._get_keywords(f, r)) for f in range(num_files) for r in range(self._num_records))

    def _record(self, f: int, r: int, label: Any) -> bytes:
        example = messages.Example()  # type: ignore[attr-defined]
        feature = example.features.feature
        feature["file"].int64_list.value.append(f)
        feature["record"].int64_list.value.append(r)
        feature["keywords"].bytes_list.value.extend(self._get_keywords(f, r))
        feature["label"].bytes_list.value.append(label if isinstance(label, bytes) else label.encode())
        return bytes(example.SerializeToString())

    def _content(self, file: int, record: int) -> bytes:
        return self._record(file, record, "fake-label")

    def _run_actual_batch(self, outputs: Any, label_key_provided: bool = False) -> list[Any]:
        found = self.evaluate(outputs())
        features, label = found if label_key_provided else (found, found["label"])
        words = features["keywords"]
        return [features["file"], words.indices, words.values, words.dense_shape, features["record"], label]

    def _next_actual_batch(self, label_key_provided: bool = False) -> list[Any]:
        return self._run_actual_batch(self.outputs, label_key_provided)

    def _next_expected_batch(
        self, file_indices: Any, batch_size: int, num_epochs: int, cycle_length: int = 1
    ) -> Iterator[list[Any]]:
        for batch in _batches(self._expected(file_indices, num_epochs, cycle_length), batch_size):
            words = [self._get_keywords(*one) for one in batch]
            places = [[row, k] for row, listed in enumerate(words) for k in range(len(listed))]
            files, records = ([one[k] for one in batch] for k in (0, 1))
            shape = [len(batch), max(map(len, words))]
            yield [
                files,
                places,
                [word for listed in words for word in listed],
                shape,
                records,
                [b"fake-label"] * len(batch),
            ]

    def _verify_records(
        self,
        batch_size: int,
        file_index: Any = None,
        num_epochs: int = 1,
        label_key_provided: bool = False,
        interleave_cycle_length: int = 1,
    ) -> None:
        for batch in self._next_expected_batch(file_index, batch_size, num_epochs, interleave_cycle_length):
            for expected, actual in zip(batch, self._next_actual_batch(label_key_provided)):
                self.assertAllEqual(expected, actual)
