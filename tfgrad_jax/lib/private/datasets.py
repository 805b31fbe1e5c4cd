"""`tensorflow.python.data.kernel_tests.test_base`: the base of tests of datasets."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tfgrad_jax.composite.tensor_array import TensorArray
from tfgrad_jax.engine.messages.errors import OutOfRangeError
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes, nest
from tfgrad_jax.engine.values.composite import Composite
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.data.dataset import DatasetV2 as Dataset
from tfgrad_jax.lib.data.experimental import at as element_at
from tfgrad_jax.lib.data.keyed import DatasetInitializer
from tfgrad_jax.lib.lookup import initializers
from tfgrad_jax.lib.private.combinations import combine
from tfgrad_jax.lib.testing.case import TestCase
from tfgrad_jax.ops.array.creation import zeros

_B = "python.data.kernel_tests.test_base."


@export(_B + "default_test_combinations")
def default_test_combinations() -> list[Any]:
    """Each mode and each version of the behaviour."""
    return combine(tf_api_version=[1, 2], mode=["eager", "graph"])


@export(_B + "eager_only_combinations")
def eager_only_combinations() -> list[Any]:
    """Each version, eagerly."""
    return combine(tf_api_version=[1, 2], mode="eager")


@export(_B + "graph_only_combinations")
def graph_only_combinations() -> list[Any]:
    """Each version, in graphs."""
    return combine(tf_api_version=[1, 2], mode="graph")


@export(_B + "v1_only_combinations")
def v1_only_combinations() -> list[Any]:
    """Version 1, in each mode."""
    return combine(tf_api_version=1, mode=["eager", "graph"])


@export(_B + "v2_only_combinations")
def v2_only_combinations() -> list[Any]:
    """Version 2, in each mode."""
    return combine(tf_api_version=2, mode=["eager", "graph"])


@export(_B + "v2_eager_only_combinations")
def v2_eager_only_combinations() -> list[Any]:
    """Version 2, eagerly."""
    return combine(tf_api_version=2, mode="eager")


def _parts(value: Any) -> dict[Any, Any] | None:
    """What an element consists of; lists are tensors, and None what has no parts."""
    if isinstance(value, Mapping):
        return dict(sorted(value.items()))
    if isinstance(value, tuple):
        return dict(enumerate(value))
    if hasattr(value, "row_splits"):
        return {"values": value.values, "row_splits": value.row_splits}
    return None


@export(_B + "DatasetTestBase")
class DatasetTestBase(TestCase):
    """A test case with assertions about datasets."""

    def getNext(
        self, dataset: Any, requires_initialization: bool = False, shared_name: Any = None
    ) -> Callable[[], Any]:
        """A function that returns the next element of a new iterator, and raises `OutOfRangeError` after the last.

        An element that is a `tf.TensorArray` is stacked.
        """
        get_next = iter(dataset).get_next

        def stacked() -> Any:
            found = get_next()
            return found.stack() if isinstance(found, TensorArray) else found

        return stacked

    def getIteratorOutput(self, get_next: Callable[[], Any]) -> list[Any]:
        """All that is left, as NumPy values."""
        found = []
        while True:
            try:
                found.append(self.evaluate(get_next()))
            except OutOfRangeError:
                return found

    def getDatasetOutput(self, dataset: Any, requires_initialization: bool = False) -> list[Any]:
        """All elements, as NumPy values."""
        return self.getIteratorOutput(self.getNext(dataset))

    def assertValuesEqual(self, expected: Any, actual: Any) -> None:
        """Tensors, composites or NumPy values, or tuples and mappings of them, equal in all their parts."""
        expected, actual = (
            self.evaluate(value) if isinstance(value, (Tensor, Composite)) else value for value in (expected, actual)
        )
        parts, others = _parts(expected), _parts(actual)
        if parts is None and others is None:
            self.assertAllEqual(expected, actual)
            return
        parts, others = parts or {}, others or {}
        self.assertEqual([*parts], [*others], f"{expected!r} is not like {actual!r}")
        for name, part in parts.items():
            self.assertValuesEqual(part, others[name])

    def assertDatasetProduces(
        self,
        dataset: Any,
        expected_output: Any = None,
        expected_shapes: Any = None,
        expected_error: Any = None,
        requires_initialization: bool = False,
        num_test_iterations: int = 1,
        assert_items_equal: bool = False,
        expected_error_iter: int = 1,
    ) -> None:
        """A dataset has these elements, then no more, or fails like this.

        Args:
          dataset: the dataset.
          expected_output: the elements.
          expected_shapes: the shapes of its components.
          expected_error: a class of exceptions, and an expression that the message matches.
          requires_initialization: accepted for compatibility.
          num_test_iterations: how often to go through it.
          assert_items_equal: whether the order does not matter.
          expected_error_iter: at which element it fails, from 1.
        """
        assert (expected_output is None) != (expected_error is None), "either elements or an error is expected"
        if expected_shapes is not None:
            found = nest.map_structure(lambda spec: spec.shape, dataset.element_spec)
            self.assertEqual(str(expected_shapes), str(found))
        for _ in range(num_test_iterations):
            get_next = self.getNext(dataset)
            if expected_error is not None:
                for _ in range(expected_error_iter - 1):
                    self.evaluate(get_next())
                with self.assertRaisesWithPredicateMatch(*expected_error):
                    self.evaluate(get_next())
                continue
            found = [self.evaluate(get_next()) for _ in range(len(expected_output))]
            for _ in range(2):
                with self.assertRaises(OutOfRangeError):
                    self.evaluate(get_next())
            if assert_items_equal:
                self.assertCountEqual(*(map(str, map(np.asarray, elements)) for elements in (expected_output, found)))
                continue
            for expected, actual in zip(expected_output, found, strict=True):
                self.assertValuesEqual(expected, actual)

    def assertDatasetsEqual(self, dataset1: Any, dataset2: Any) -> None:
        """Two datasets have equal elements of equal types."""
        self.assertEqual(dataset1.element_spec, dataset2.element_spec)
        self.assertDatasetProduces(dataset2, self.getDatasetOutput(dataset1))

    def assertDatasetsRaiseSameError(
        self, dataset1: Any, dataset2: Any, exception_class: Any, replacements: Any = None
    ) -> None:
        """Two datasets fail alike, after `replacements` (pairs of expressions and texts) in the first one's message."""
        with self.assertRaises(exception_class) as raised:
            self.getDatasetOutput(dataset1)
        message = str(raised.exception)
        for pattern, text in replacements or []:
            message = re.sub(pattern, text, message)
        with self.assertRaisesRegex(exception_class, re.escape(message)):
            self.getDatasetOutput(dataset2)

    def structuredDataset(self, dataset_structure: Any, shape: Any = None, dtype: Any = dtypes.int64) -> Any:
        """A dataset of one zero; zipped ones where there is a structure."""
        if dataset_structure is None:
            return Dataset.from_tensors(zeros(shape or [], dtype=dtype))
        return Dataset.zip(tuple(self.structuredDataset(part, shape, dtype) for part in dataset_structure))

    def structuredElement(self, element_structure: Any, shape: Any = None, dtype: Any = dtypes.int64) -> Any:
        """A zero; a tuple of such where there is a structure."""
        if element_structure is None:
            return zeros(shape or [], dtype=dtype)
        return tuple(self.structuredElement(part, shape, dtype) for part in element_structure)

    def graphRoundTrip(self, dataset: Any, allow_stateful: bool = False) -> Any:
        """The dataset itself: there are no graphs of datasets here."""
        return dataset

    def verifyRandomAccess(self, dataset: Any, expected: Any) -> None:
        """The element at each position, in some other order too, and that there is none after the last."""
        self.verifyRandomAccessInfiniteCardinality(dataset, expected)
        with self.assertRaises(OutOfRangeError):
            self.evaluate(element_at(dataset, len(expected)))

    def verifyRandomAccessInfiniteCardinality(self, dataset: Any, expected: Any) -> None:
        """The element at each position, in some other order too."""
        forwards = list(range(len(expected)))
        for position in (*forwards[1::2], *forwards[::-2], *forwards):
            self.assertAllEqual(expected[position], self.evaluate(element_at(dataset, position)))

    def textFileInitializer(self, vals: Any) -> Any:
        """What fills a table with the values, by a file of lines."""
        path = os.path.join(self.get_temp_dir(), "text_file_initializer")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(f"{value}\n" for value in vals)
        index = initializers.TextFileIndex
        return initializers.TextFileInitializer(path, dtypes.int64, index.LINE_NUMBER, dtypes.int64, index.WHOLE_LINE)

    def keyValueTensorInitializer(self, vals: Any) -> Any:
        """What fills a table with the values, by tensors."""
        keys = convert(list(range(len(vals))), dtypes.int64)
        return initializers.KeyValueTensorInitializer(keys, convert(vals))

    def datasetInitializer(self, vals: Any) -> Any:
        """What fills a table with the values, by a dataset."""
        return DatasetInitializer(Dataset.zip((Dataset.range(len(vals)), Dataset.from_tensor_slices(vals))))

    def lookupTableInitializer(self, init_source: str, vals: Any) -> Any:
        """What fills a table with the values, by a source: "textfile", "keyvaluetensor" or "dataset".

        Raises:
          ValueError: if it is another one.
        """
        sources = {
            "textfile": self.textFileInitializer,
            "keyvaluetensor": self.keyValueTensorInitializer,
            "dataset": self.datasetInitializer,
        }
        if init_source not in sources:
            raise ValueError(f"Unrecognized init_source: {init_source}")
        return sources[init_source](vals)

    def checkDeterminism(
        self, dataset_fn: Callable[[int], Any], expect_determinism: bool, expected_elements: Any
    ) -> None:
        """A dataset has these elements, in their order if that is expected.

        Args:
          dataset_fn: makes the dataset, given the milliseconds by which its first element is late.
          expect_determinism: whether the order is certain. It always is here; where it need not be, any order will do.
          expected_elements: the elements.
        """
        found = self.getDatasetOutput(dataset_fn(10))
        (self.assertAllEqual if expect_determinism else self.assertCountEqual)(expected_elements, found)
