"""What tests of datasets import. The answers are TensorFlow 2.21's."""

from __future__ import annotations

import unittest

import numpy as np
import pytest

import tfgrad_jax as tf

nest, structure, options = (getattr(tf.python.data.util, name) for name in ("nest", "structure", "options"))
checkpoints = tf.python.data.kernel_tests.checkpoint_test_base
combinations = tf.python.framework.combinations


def run(case):
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
    assert result.testsRun
    return [*result.errors, *result.failures]


def test_iterators_are_saved_at_breaks():
    class Case(checkpoints.CheckpointTestBase):
        def test_shuffled(self):
            self.verify_multiple_breaks(lambda: tf.data.Dataset.range(9).shuffle(4, seed=1).batch(2), 5)

        def test_exhausted(self):
            self.verify_exhausted_iterator(lambda: tf.data.Dataset.range(3), 3)

        def test_matches(self):
            self.match({"a": [np.array([1, 2])]}, {"a": [np.array([1, 2])]})
            self.does_not_match((1, 2), [1, 2])

    assert run(Case) == []
    ways = checkpoints.default_test_combinations()
    assert [str(way["verify_fn"]) for way in ways][:2] == ["verify_unused_iterator", "verify_fully_used_iterator"]


def test_files_of_records_are_read():
    base = tf.python.data.kernel_tests.tf_record_test_base

    class Texts(base.TFRecordTestBase):
        def test_interleaved(self):
            files = tf.data.Dataset.from_tensor_slices(self._filenames)
            read = files.interleave(tf.data.TFRecordDataset, cycle_length=2).batch(4)
            self._verify_records(self.getNext(read), 4, None, 1, 2, False, False)

    class Features(base.FeaturesTestBase):
        def test_batches(self):
            self.outputs = self.getNext(self.make_batch_feature(self._filenames[0], 1, 3))
            self._verify_records(3, file_index=0)

    assert run(Texts) == []
    assert run(Features) == []


def test_combinations_are_named_in_the_order_of_their_lists():
    modes = combinations.combine(mode="eager", tf_api_version=2)

    class Case(unittest.TestCase):
        @combinations.generate(combinations.times(modes, combinations.combine(count=[1, object()])))
        def test(self, count):
            pass

    from absl.testing import parameterized

    case = type("Case", (parameterized.TestCase,), {"test": vars(Case)["test"]})
    names = unittest.defaultTestLoader.getTestCaseNames(case)
    assert "test_test_mode_eager_tfapiversion_2_count_1" in names
    assert "test_test_mode_eager_tfapiversion_2_count_objectobjectat2" in names


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (
            lambda: nest.map_structure(lambda x, y: (x, y), ([1], {"a": 2}), ([3, 4], {"a": 5})),
            (([1], [3, 4]), {"a": (2, 5)}),
        ),
        (lambda: nest.pack_sequence_as({"b": 1, "a": [2]}, [3, 4]), {"a": 3, "b": 4}),
        (lambda: nest.flatten_up_to((0, 0), ((1, [2]), 3)), [(1, [2]), 3]),
        (lambda: nest.map_structure_up_to((0, 0), lambda x: x, ([1], (2, 3))), ([1], (2, 3))),
        (lambda: structure.are_compatible(tf.TensorSpec([2]), tf.TensorSpec(None)), True),
        (lambda: structure.are_compatible((tf.TensorSpec([]),), {"a": tf.TensorSpec([])}), False),
        (lambda: structure.type_spec_from_value((1, [2])), (tf.TensorSpec([], tf.int32), tf.TensorSpec([1], tf.int32))),
        (lambda: [s.dtype for s in tf.python.data.util.random_seed.get_seed(1)], [tf.int64, tf.int64]),
        (lambda: tf.python.data.util.convert.partial_shape_to_tensor([2, None]).numpy().tolist(), [2, -1]),
        (lambda: tf.python.data.util.sparse.as_dense_types(tf.int32, tf.SparseTensor), tf.variant),
    ],
)
def test_nests_and_types_of_elements(call, expected):
    assert call() == expected


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: nest.assert_same_structure((1, 2), (1, (2, 3))), ValueError, "same nested structure"),
        (lambda: nest.assert_same_structure((1, 2), {"a": 1, "b": 2}), TypeError, "same nested structure"),
        (lambda: nest.pack_sequence_as("s", 3), TypeError, "must be a sequence"),
        (lambda: nest.pack_sequence_as((1, 2), [1]), ValueError, "had 2 elements"),
        (lambda: nest.assert_shallow_structure({"a": 1}, {"b": 1}), ValueError, "same keys"),
        (lambda: nest.assert_shallow_structure((1, 2), 3), TypeError, "input must also be a sequence"),
        (lambda: nest.map_structure_up_to((1, 2), lambda x: x), ValueError, "Cannot map over no sequences"),
        (lambda: structure.type_spec_from_value(object), TypeError, "Could not build a `TypeSpec`"),
        (lambda: structure.from_tensor_list(tf.TensorSpec([]), [1.0, 2.0]), ValueError, "Expected 1 tensors but got 2"),
        (lambda: options.merge_options(), ValueError, "At least one options"),
    ],
)
def test_wrong_nests_and_types(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_options_are_declared_and_merged():
    class Settings(options.OptionsBase):
        x = options.create_option("x", int, "A number.", default_factory=lambda: 3)
        y = options.create_option("y", float, "Another.")

    first, second = Settings(), Settings()
    assert (first.x, first.y) == (3, None) and first == second
    first.x, second.y = 5, 1.5
    merged = options.merge_options(first, second)
    assert (merged.x, merged.y) == (5, 1.5) and merged != first
    with pytest.raises(TypeError, match='"x" must be of type'):
        first.x = 1.5
    with pytest.raises(AttributeError, match="Cannot set the property z"):
        first.z = 1


def test_values_of_version_1_are_elements():
    sparse = tf.compat.v1.SparseTensorValue([[0]], [7], [1])
    made = tf.data.Dataset.range(2).map(lambda i: tf.compat.v1.SparseTensorValue([[0]], i * [1], [1]))
    assert made.element_spec == tf.SparseTensorSpec([1], tf.int64)
    assert tf.data.Dataset.from_tensors((sparse, 1)).element_spec == (
        tf.SparseTensorSpec([1], tf.int32),
        tf.TensorSpec([], tf.int32),
    )
    ragged = tf.compat.v1.ragged.constant_value([[1], [2, 3]])
    assert next(iter(tf.data.Dataset.from_tensors(ragged))).to_list() == [[1], [2, 3]]


def test_files_that_are_no_texts_are_refused():
    with pytest.raises(TypeError, match=r"elements\. Got `tf\.int32` elements"):
        tf.data.TFRecordDataset([1, 2])
    with pytest.raises(TypeError, match=r"Got a dataset of `tf\.int64` elements"):
        tf.data.TextLineDataset(tf.data.Dataset.range(2))
    with pytest.raises(TypeError, match=r"of shape \[\] \(i.e. scalars\)"):
        tf.data.TFRecordDataset(tf.data.Dataset.from_tensors(["a", "b"]))


def test_private_names_that_public_functions_stand_for():
    ragged = tf.python.ops.ragged
    rows = tf.ragged.constant([[1], [2, 3]])
    assert ragged.ragged_gather_ops.gather(rows, [1]).to_list() == [[2, 3]]
    assert ragged.ragged_conversion_ops.to_tensor(rows).numpy().tolist() == [[1, 0], [2, 3]]
    assert tf.exp in ragged.ragged_tensor_test_ops.UNARY_FLOAT_OPS
    assert tf.python.saved_model.tag_constants.EVAL == "eval"
    assert tf.python.saved_model.signature_constants.PREDICT_INPUTS == "inputs"


def test_helpers_of_ragged_tensors():
    util, tensors = tf.python.ops.ragged.ragged_util, tf.python.ops.ragged.ragged_tensor
    rows = tf.ragged.constant([[1], [2, 3]], row_splits_dtype=tf.int32)
    assert util.repeat_ranges(["a", "b", "c"], [0, 2, 3], 2).numpy().tolist() == [b"a", b"b", b"a", b"b", b"c", b"c"]
    assert util.repeat_ranges([1, 2, 3], [0, 2, 3], [0, 3]).numpy().tolist() == [3, 3, 3]
    assert util.lengths_to_splits([1, 2]).numpy().tolist() == [0, 1, 3]
    assert util.get_positive_axis(-1, 3) == 2
    with pytest.raises(ValueError, match="out of bounds: expected -2<=axis<2"):
        util.get_positive_axis(2, 2)
    with pytest.raises(TypeError, match="must be an integer tensor"):
        util.convert_to_int_tensor([1.5], "n")
    assert tensors.is_ragged(rows) and not tensors.is_ragged([1])
    assert tensors.match_row_splits_dtypes(rows, 3, return_dtype=True)[0] == tf.int32
    assert tensors.merge_dims(tf.zeros([2, 3, 4]), 0, 1).shape == [6, 4]
    with pytest.raises(ValueError, match="requested dtype float32"):
        tensors.convert_to_tensor_or_ragged_tensor(rows, tf.float32)
