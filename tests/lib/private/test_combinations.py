"""Tests for combinations of parameters, and the base of tests of datasets, as TensorFlow 2.21 has them."""

from __future__ import annotations

import unittest

import numpy as np
import pytest
from absl.testing import parameterized

import tfgrad_jax as tf

combinations = tf.python.framework.combinations
test_base = tf.python.data.kernel_tests.test_base
Dataset = tf.data.Dataset


def outcome(case):
    """How many tests of a class ran and were left out, and what went wrong."""
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
    wrong = [text.splitlines()[-1] for _, text in [*result.errors, *result.failures]]
    return result.testsRun, len(result.skipped), wrong


def test_combinations():
    combine, times = combinations.combine, combinations.times
    assert combine(b=1, a=[2, 3]) == [{"a": 2, "b": 1}, {"a": 3, "b": 1}]
    assert combine() == [{}] and combine(a=[]) == [] and combine(a=(1, 2)) == [{"a": (1, 2)}]
    assert times(combine(c=[1, 2]), combine(b="x")) == [{"b": "x", "c": 1}, {"b": "x", "c": 2}]
    assert list(times(combine(c=1), combine(b=2))[0]) == ["c", "b"]
    with pytest.raises(ValueError, match="Keys need to not overlap"):
        times(combine(a=1), combine(a=2))


def test_usual_combinations_can_be_read_and_added_to():
    usual = combinations.generate.keywords["test_combinations"]
    assert [type(one).__name__ for one in usual] == ["EagerGraphCombination", "TFVersionCombination"]
    assert tf.__internal__.test.combinations.generate is combinations.generate
    seen = []

    class Test(tf.test.TestCase, parameterized.TestCase):
        @tf.python.framework.test_combinations.generate(
            combinations.combine(mode=["eager", "graph"])
        )  # by none of them
        def testMode(self, mode):
            seen.append(mode)

    outcome(Test)
    assert seen == ["eager", "graph"]


def test_a_test_runs_for_each_combination():
    seen = []

    class Test(tf.test.TestCase, parameterized.TestCase):
        @combinations.generate(
            combinations.combine(
                tf_api_version=[1, 2], mode=["eager", "graph"], x=[1, 2.5], y=combinations.NamedObject("n", [3])
            )
        )
        def testSome(self, x, y):
            seen.append((x, repr(y), list(y)))

        @combinations.generate(combinations.combine(mode="eager", z=5))
        def testMode(self, mode, z):
            seen.append((mode, z))

        @combinations.generate(combinations.combine(mode="eager", absent=1))
        def testAbsent(self):
            seen.append("never")

    ran, skipped, wrong = outcome(Test)
    assert (ran, skipped) == (11, 5)  # the test case itself leaves one out
    assert wrong == ["ValueError: The test does not take parameters that were passed: absent."]
    assert sorted(map(repr, seen)) == sorted(map(repr, [*[(1, "n", [3]), (2.5, "n", [3])] * 2, ("eager", 5)]))


def test_modes_of_combinations():
    seen = []

    class Test(tf.test.TestCase, parameterized.TestCase):
        @combinations.generate(combinations.combine(mode=["graph", "eager"]))
        def testMode(self, mode):
            variable = tf.compat.v1.Variable([1.0, 2.0])
            self.evaluate(tf.compat.v1.global_variables_initializer())
            seen.append((mode, tf.executing_eagerly(), self.evaluate(variable * 2.0).tolist()))

        @combinations.generate(combinations.combine(mode="other"))
        def testOther(self):
            seen.append("never")

    assert outcome(Test)[2] == ["ValueError: `mode` of a combination must be one of 'eager', 'graph', got 'other'."]
    assert sorted(seen) == [("eager", True, [2.0, 4.0]), ("graph", False, [2.0, 4.0])]


def test_all_tests_of_a_class_run_for_each_combination():
    seen = []

    @combinations.generate(combinations.combine(tf_api_version=2, mode="eager", q=[1, 2]))
    class Test(tf.test.TestCase, parameterized.TestCase):
        def testOne(self, q):
            seen.append(q)

    assert outcome(Test) == (3, 1, []) and seen == [1, 2]


@pytest.fixture
def case():
    return test_base.DatasetTestBase()


@pytest.mark.parametrize(
    ("make", "expected", "options"),
    [
        (lambda: Dataset.range(3), np.arange(3), {"expected_shapes": tf.TensorShape([])}),
        (lambda: Dataset.range(5).batch(2), [[0, 1], [2, 3], [4]], {"expected_shapes": tf.TensorShape([None])}),
        (
            lambda: Dataset.from_tensor_slices(({"a": [1, 2]}, [3.0, 4.0])),
            [({"a": 1}, 3.0), ({"a": 2}, 4.0)],
            {"num_test_iterations": 2},
        ),
        (lambda: Dataset.range(4).shuffle(4), [0, 1, 2, 3], {"assert_items_equal": True}),
        (lambda: Dataset.from_tensors(tf.ragged.constant([[1], [2, 3]])), [tf.ragged.constant([[1], [2, 3]])], {}),
        (lambda: Dataset.from_tensors(tf.SparseTensor([[0]], [5], [3])), [tf.SparseTensor([[0]], [5], [3])], {}),
    ],
)
def test_what_datasets_produce(case, make, expected, options):
    case.assertDatasetProduces(make(), expected, **options)
    case.assertDatasetsEqual(Dataset.range(3), Dataset.range(3))


@pytest.mark.parametrize(
    ("expected", "options"),
    [
        ([0, 1], {}),
        ([0, 1, 2, 3], {}),
        ([0, 2, 1], {}),
        ([0, 1, 3], {"assert_items_equal": True}),
        ([0, 1, 2], {"expected_shapes": tf.TensorShape([1])}),
        ([(0,), (1,), (2,)], {}),
    ],
)
def test_what_datasets_do_not_produce(case, expected, options):
    with pytest.raises((AssertionError, tf.errors.OutOfRangeError)):
        case.assertDatasetProduces(Dataset.range(3), expected, **options)


def test_datasets_that_fail(case):
    def broken():
        return Dataset.from_tensor_slices([1, 0]).map(lambda x: 1 // x)

    case.assertDatasetProduces(
        broken(), expected_error=(tf.errors.InvalidArgumentError, "by zero"), expected_error_iter=2
    )
    case.assertDatasetsRaiseSameError(broken(), broken(), tf.errors.InvalidArgumentError)
    with pytest.raises(AssertionError):
        case.assertDatasetProduces(broken(), expected_error=(tf.errors.InvalidArgumentError, "by zero"))
    with pytest.raises(AssertionError):
        case.assertDatasetsEqual(Dataset.range(3), Dataset.from_tensors(0))


def test_structured_datasets(case):
    spec = tf.TensorSpec([], tf.int64)
    assert case.structuredDataset((None, (None, None))).element_spec == (spec, (spec, spec))
    assert case.structuredElement((None, None), [2])[1].numpy().tolist() == [0, 0]
    assert len(test_base.default_test_combinations()) == 4 and len(test_base.v2_eager_only_combinations()) == 1
