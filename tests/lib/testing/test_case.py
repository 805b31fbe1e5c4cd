"""`tf.test.TestCase`: which values its assertions take for equal, and how they fail. Recorded from TensorFlow 2.21."""

from __future__ import annotations

import collections
import sys
import unittest

import numpy as np
import pytest

import tfgrad_jax as tf

Named = collections.namedtuple("Named", "a b")


class Case(tf.test.TestCase):
    __test__ = False

    def runTest(self):
        pass


@pytest.fixture
def case():
    made = Case()
    made.setUp()
    yield made
    made.doCleanups()


RAGGED = [[1.0], [2.0, 3.0]]
HOLD = {
    "tensors": lambda t: t.assertAllClose(tf.constant([1.0, 2.0]), [1.0, 2.0000001]),
    "mappings": lambda t: t.assertAllClose({"a": 1.0, "b": [2.0]}, {"a": 1.0, "b": [2.0]}),
    "named tuples": lambda t: t.assertAllClose(Named(1.0, 2.0), Named(1.0, 2.0)),
    "nests": lambda t: t.assertAllClose([{"a": tf.constant(1.0)}, [2.0, 3.0]], [{"a": 1.0}, [2.0, 3.0]]),
    "lengths": lambda t: t.assertAllClose([tf.constant([1.0, 2.0]), tf.constant([1.0])], [[1.0, 2.0], [1.0]]),
    "nan": lambda t: t.assertAllClose(float("nan"), float("nan")),
    "ragged": lambda t: t.assertAllClose(tf.ragged.constant(RAGGED), RAGGED),
    "bfloat16": lambda t: t.assertAllCloseAccordingToType(tf.cast([1.0, 2.0], tf.bfloat16), [1.005, 2.0]),
    "half": lambda t: t.assertAllCloseAccordingToType(tf.cast([1.0, 2.0], tf.half), [1.0005, 2.0]),
    "not close": lambda t: t.assertNotAllClose([1.0], [2.0]),
    "not equal": lambda t: t.assertNotAllEqual([1.0], [2.0]),
    "strings": lambda t: t.assertAllEqual(tf.constant(["a", "b"]), ["a", b"b"]),
    "equal nan": lambda t: t.assertAllEqual([float("nan")], [float("nan")]),
    "equal ragged": lambda t: t.assertAllEqual(tf.ragged.constant([[1], [2, 3]]), [[1], [2, 3]]),
    "scalars": lambda t: t.assertAllEqual(1, 1.0),
    "shapes": lambda t: t.assertAllEqual(tf.TensorShape([1, 2]), [1, 2]),
    "shape": lambda t: t.assertShapeEqual(np.zeros([2]), tf.constant([1.0, 2.0])),
    "norm": lambda t: t.assertNDArrayNear(np.array([1.0, 2.0]), np.array([1.0, 2.1]), 0.2),
    "near": lambda t: t.assertNear(1.0, 1.1, 0.2),
    "near, an array": lambda t: t.assertNear(np.float32(1.0), np.array(1.1), 0.2),
    "all near": lambda t: t.assertArrayNear([1.0, 2.0], [1.0, 2.1], 0.2),
    "greater": lambda t: t.assertAllGreater(tf.constant([1, 2]), 0),
    "range": lambda t: t.assertAllInRange(tf.constant([1, 2]), 1, 2),
    "range of tensors": lambda t: t.assertAllInRange(tf.constant([1, 2]), tf.constant(1), tf.constant(2)),
    "set": lambda t: t.assertAllInSet(tf.constant([1, 2, 2]), {1, 2}),
    "dtype": lambda t: t.assertDTypeEqual(tf.constant(1.0), tf.float32),
    "dtype of a list": lambda t: t.assertDTypeEqual([1, 2], np.int64),
    "devices": lambda t: t.assertDeviceEqual("/cpu:0", "/device:CPU:0"),
    "no devices": lambda t: t.assertDeviceEqual(None, None),
}
FAIL = {
    "elements": (lambda t: t.assertAllClose([1.0, 2.0], [1.0, 2.1]), "Mismatched elements: 1 / 2"),
    "scalar": (lambda t: t.assertAllClose(np.float16(1.0), np.float16(1.002)), "Mismatched elements: 1 / 1"),
    "keys": (lambda t: t.assertAllClose({"a": 1.0}, {"b": 1.0}), "mismatched keys"),
    "shape": (lambda t: t.assertAllClose(1.0, tf.constant([1.0])), r"\(\) != \(1,\)"),
    "deep": (lambda t: t.assertAllClose([1.0, [2.0, 3.0]], [1.0, [2.0, 3.5]]), r"a\[1\] is different from b\[1\]"),
    "ragged": (lambda t: t.assertAllClose(tf.ragged.constant(RAGGED), [[1.0], [2.0, 3.5]]), r"value\[1\]\[1\]"),
    "half": (lambda t: t.assertAllCloseAccordingToType(tf.cast([1.0], tf.half), [1.005]), "not close"),
    "float64": (lambda t: t.assertAllCloseAccordingToType(np.array([1.0]), [1.000005]), "not close"),
    "close": (lambda t: t.assertNotAllClose([1.0], [1.0]), "close at all elements"),
    "same": (lambda t: t.assertNotAllEqual([1.0], [1.0]), "equal at all elements"),
    "equal": (lambda t: t.assertAllEqual(tf.constant([1, 2]), [1, 3]), "Arrays are not equal"),
    "equal shape": (lambda t: t.assertAllEqual(tf.constant([1, 2]), [[1, 2]]), r"\(2,\) != \(1, 2\)"),
    "shapes": (lambda t: t.assertShapeEqual(np.zeros([3]), tf.constant([1.0, 2.0])), "not equal"),
    "norm": (lambda t: t.assertNDArrayNear(np.array([2.0]), np.array([2.1]), 0.01), "not true"),
    "near": (lambda t: t.assertNear(1.0, 1.1, 0.01), r"1.000000 != 1.100000 \+/- 0.010000 \(difference: 0.1\)"),
    "length": (lambda t: t.assertArrayNear([1.0, 2.0], [1.0], 0.2), "2 != 1"),
    "greater": (lambda t: t.assertAllGreater(tf.constant([1, 2]), 1), "not greater than 1"),
    "less": (lambda t: t.assertAllLessEqual([1, 2], 1), "not less than or equal to 1"),
    "range": (
        lambda t: t.assertAllInRange(tf.constant([1, 2]), 1, 2, open_upper_bound=True),
        r"1 of the 2 element\(s\) are outside the range \[1, 2\)",
    ),
    "range of a scalar": (lambda t: t.assertAllInRange(tf.constant(5), 1, 2), r"1 of the 1 element\(s\) are outside"),
    "range of strings": (lambda t: t.assertAllInRange(tf.constant(["a"]), 1, 2), "ordered numeric type"),
    "range of nan": (lambda t: t.assertAllInRange(tf.constant([np.nan]), 1, 2), r"1 of the 1 element\(s\) are NaN"),
    "set": (lambda t: t.assertAllInSet(tf.constant([1, 2, 3]), [1, 2]), r"not in the set \[1, 2\]: \[3\]"),
    "dtype": (lambda t: t.assertDTypeEqual(tf.constant(1), np.int64), "int32"),
    "devices": (lambda t: t.assertDeviceEqual("/cpu:0", "/device:CPU:1"), "Devices /device:CPU:0 and /device:CPU:1"),
}


@pytest.mark.parametrize("name", HOLD)
def test_assertions_that_hold(case, name):
    HOLD[name](case)


@pytest.mark.parametrize("name", FAIL)
def test_assertions_that_fail(case, name):
    assertion, message = FAIL[name]
    with pytest.raises(AssertionError, match=message):
        assertion(case)


def test_what_cannot_be_compared(case):
    with pytest.raises(ValueError, match="Can't compare dict to non-dict"):
        case.assertAllClose({"a": 1.0}, 1.0)
    with pytest.raises(TypeError, match="a has <class 'NoneType'>"):
        case.assertAllClose(None, None)
    with pytest.raises(TypeError, match="input_a must be a Numpy ndarray"):
        case.assertShapeEqual([1, 2], tf.constant([1.0]))


def test_evaluate(case):
    values = case.evaluate({"a": tf.constant(1), "b": [tf.Variable(2), None]})
    assert values == {"a": 1, "b": [2, None]} and isinstance(values["a"], np.int32)
    assert case.evaluate(lambda: tf.constant(3)) == 3
    sparse = case.evaluate(tf.sparse.from_dense([1, 0]))
    assert type(sparse) is tf.compat.v1.SparseTensorValue and sparse.values.tolist() == [1]
    assert case.evaluate(tf.ragged.constant([[1], [2, 3]])).to_list() == [[1], [2, 3]]
    slices = case.evaluate(tf.IndexedSlices(tf.constant([1.0]), tf.constant([0])))
    assert type(slices) is tf.compat.v1.IndexedSlicesValue and slices.dense_shape is None
    for wrong in (5, "text", np.ones(2)):
        with pytest.raises(ValueError, match="Unsupported type"):
            case.evaluate(wrong)


def test_seeds(case):
    assert np.random.rand() == 0.18463433217903202
    assert float(tf.random.uniform([])) == 0.5836374759674072


def test_sessions(case):
    for context in (case.session, case.cached_session, case.test_session):
        with context() as session:
            assert session.run([tf.constant(1), {"a": tf.constant(2)}]) == [1, {"a": 2}]
        with pytest.raises(AttributeError, match=r"with self\.session"):
            case.session().run(tf.constant(1))


def test_a_graph_has_one_session_in_a_test(case):
    with tf.Graph().as_default():
        v = tf.Variable(1.0)
        case.evaluate(v.initializer)
        case.evaluate(v.assign_add(1.0))
        assert case.evaluate(v) == 2.0
        with case.cached_session() as kept, case.test_session() as same:
            assert kept is same and kept.run(v) == 2.0
        with case.session() as new, pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized"):
            assert new is not kept
            case.evaluate(v)
        with case.test_session(graph=v.graph) as other:
            assert other is not kept
        for given in ({"graph": tf.Graph()}, {"config": tf.compat.v1.ConfigProto()}):
            with pytest.raises(ValueError, match="different than the one"), case.cached_session(**given):
                pass
        case.doCleanups()
        with pytest.raises(RuntimeError, match="closed"):
            kept.run(v)


def wrong_product():
    tf.linalg.matmul(tf.ones([2, 3]), tf.ones([2, 3]))


def test_expected_errors(case):
    with case.assertRaisesOpError("Matrix size-incompatible"):
        wrong_product()
    with case.assertRaisesOpError(lambda error: "Matrix" in str(error)):
        wrong_product()
    with case.assertRaisesIncompatibleShapesError():
        tf.ones([2, 3]) + tf.ones([4])
    for raised, pattern in ((wrong_product, "nothing"), (lambda: int("x"), "x"), (lambda: None, "")):
        with pytest.raises(AssertionError), case.assertRaisesOpError(pattern):
            raised()


def test_streams_threads_and_folders(case, capfd):
    with capfd.disabled(), case.captureWritesToStream(sys.__stderr__) as written:
        print("text", file=sys.__stderr__)
    assert written.contents() == "text\n"
    assert case.get_temp_dir() == case.get_temp_dir()
    good, bad = case.checkedThread(lambda a: a, args=(1,)), case.checkedThread(lambda: case.fail("no"))
    for thread in (good, bad):
        thread.start()
    good.join()
    with pytest.raises(AssertionError, match="Error in checkedThread: no"):
        bad.join()


def test_messages(case):
    example = tf.train.Example()
    example.features.feature["a"].int64_list.value.append(3)
    case.assertProtoEquals('features { feature { key: "a" value { int64_list { value: 3 } } } }', example)
    with pytest.raises(AssertionError):
        case.assertProtoEquals("", example)


def test_numerical_gradients():
    x = tf.constant([1.0, 2.0])
    (taped,), (numeric,) = tf.test.compute_gradient(lambda x: x * x, [x])
    assert taped.tolist() == [[2.0, 0.0], [0.0, 4.0]] and taped.dtype == np.float32
    np.testing.assert_allclose(numeric, taped, atol=1e-3)
    taped, _ = tf.test.compute_gradient(tf.matmul, [tf.constant([[1.0, 2.0]]), tf.constant([[1.0], [3.0]])])
    assert [t.tolist() for t in taped] == [[[1.0, 3.0]], [[1.0, 2.0]]]
    (taped,), (numeric,) = tf.test.compute_gradient(lambda x: x * x, [tf.constant(1.0 + 2.0j)])
    assert taped.tolist() == numeric.tolist() == [[2.0, -4.0], [4.0, 2.0]]
    (taped,), _ = tf.test.compute_gradient(lambda x: tf.gather(x, [0, 0]), [x])
    assert taped.tolist() == [[1.0, 0.0], [1.0, 0.0]]
    assert tf.test.compute_gradient(lambda x: x, [tf.zeros([0])])[0][0].shape == (0, 0)
    with pytest.raises(ValueError, match="`x` must be a list or tuple"):
        tf.test.compute_gradient(lambda x: x, x)
    with pytest.raises(AssertionError, match="unsupported type int32 of argument 0"):
        tf.test.compute_gradient(lambda x: x, [tf.constant(1)])


def test_benchmarks(capsys):
    class Speed(tf.test.Benchmark):
        def benchmark_sum(self):
            self.report_benchmark(iters=3, wall_time=0.5, extras={"a": 1.0}, metrics=[{"name": "m", "value": 2.0}])

    Speed().benchmark_sum()
    assert '"name": "Speed.benchmark_sum", "iters": 3, "wall_time": 0.5' in capsys.readouterr().out
    with pytest.raises(TypeError, match="extras must be a dict"):
        Speed().report_benchmark(extras=[1])
    with pytest.raises(NotImplementedError, match="run_op_benchmark"):
        Speed().run_op_benchmark(None, None)


def test_questions_about_the_build():
    tf.test.experimental.sync_devices()
    assert tf.test.is_built_with_xla() is True
    assert tf.test.is_cpu_target_available("x86_64") is True
    assert tf.test.is_built_with_rocm() is False
    with pytest.raises(tf.errors.UnimplementedError, match="create_local_cluster"):
        tf.test.create_local_cluster(1, 1)


def test_main_runs_the_tests_of_a_program(run_imported, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import tensorflow as tf\nclass Sums(tf.test.TestCase):\n    def test_sum(self):\n"
        "        self.assertAllEqual(tf.constant([1, 2]) + 1, [2, 3])\nif __name__ == '__main__':\n    tf.test.main()\n"
    )
    done = run_imported("-m", "tfgrad_jax", str(program))
    assert done.returncode == 0 and "OK" in done.stderr, done.stderr


def test_skipping():
    class Skipped(tf.test.TestCase):
        @tf.test.disable_with_predicate(lambda: True, "not today")
        def runTest(self):
            raise AssertionError

    result = unittest.TestResult()
    Skipped().run(result)
    assert result.skipped[0][1] == "not today"
    assert tf.test.with_eager_op_as_function(Skipped) is Skipped


def test_names_begin_anew_in_each_test():
    found = []

    class Case(tf.test.TestCase):
        def runTest(self):
            found.append(tf.compat.v1.get_default_graph().unique_name("a"))

    for _ in range(2):
        Case().run(unittest.TestResult())
    assert found == ["a", "a"]


def test_tensors_of_a_session_are_evaluated_where_they_are_compared(case):
    with tf.Graph().as_default():
        x = tf.constant([1.0, 2.0])
        case.assertAllEqual(x + 1.0, [2.0, 3.0])
        case.assertAllClose([x, {"a": x * 2.0}], [[1.0, 2.0], {"a": [2.0, 4.0]}])
        case.assertAllEqual(tf.ragged.constant([[1], []]) * 2, [[2], []])
        with pytest.raises(AssertionError):
            case.assertAllClose(x, [1.0, 3.0])
