"""Parts of public functions, settings and recorders under their private names. The answers are TensorFlow 2.21's."""

from __future__ import annotations

import types

import numpy as np
import pytest

import tfgrad_jax as tf

eager, framework, ops = tf.python.eager, tf.python.framework, tf.python.ops


def test_what_a_tape_does_not_see():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        assert eager.record.could_possibly_record() and eager.record.should_record_backprop([x])
        with eager.record.stop_recording():
            y = x * 7.0
        eager.record.record_operation("Mine", [y], [x], lambda g: [g * 3.0])
        z = y * 2.0
    assert not eager.record.could_possibly_record()
    assert tape.gradient(z, x).numpy() == 6.0


def test_variables_that_are_read():
    v, w = tf.Variable(1.0), tf.Variable(1.0, trainable=False)
    with eager.record.VariableWatcher() as watcher:
        v + w
    assert [x is v for x in watcher.watched_variables()] == [True]


def test_sums_of_gradients():
    aggregate = eager.backprop_util.AggregateIndexedSlicesGradients
    slices = ops.math_ops._as_indexed_slices(tf.constant([[1.0, 2.0], [3.0, 4.0]]))
    other = tf.IndexedSlices(tf.constant([[5.0, 6.0]]), tf.constant([1], tf.int64), tf.constant([2, 2]))
    assert aggregate([]) is None and aggregate([None, slices]) is slices
    both = aggregate([slices, None, other])
    assert isinstance(both, tf.IndexedSlices) and both.indices.dtype == tf.int64
    assert tf.convert_to_tensor(both).numpy().tolist() == [[1, 2], [8, 10]]
    assert aggregate([slices, tf.ones([2, 2])]).numpy().tolist() == [[2, 3], [4, 5]]
    assert eager.backprop_util.IsTrainable(tf.resource) and not eager.backprop_util.IsTrainable(tf.constant(1))


def test_gradients_of_one_tensor_given_twice():
    x = tf.constant(3.0)
    assert [g.numpy() for g in eager.backprop.gradients_function(lambda a, b: a * b)(x, x)] == [3.0, 3.0]


def test_settings():
    with eager.context.graph_mode():
        assert not tf.executing_eagerly() and framework.ops.has_default_graph()
    tf.random.set_seed(7)
    assert eager.context.global_seed() == 7
    with tf.name_scope("a"):
        assert eager.context.scope_name() == "a/"
    assert framework.errors.INVALID_ARGUMENT == framework.errors_impl.INVALID_ARGUMENT == 3


def test_shapes():
    broadcast = framework.common_shapes.broadcast_shape
    assert broadcast(tf.TensorShape([1, None, 3]), tf.TensorShape([4, 1, 1])).as_list() == [4, None, 3]
    assert broadcast(tf.TensorShape([None]), tf.TensorShape([None])).as_list() == [None]
    with pytest.raises(ValueError, match="Incompatible shapes for broadcasting"):
        broadcast(tf.TensorShape([2]), tf.TensorShape([3]))
    assert framework.tensor_shape.unknown_shape(2).as_list() == [None, None]
    assert ops.math_ops.reduced_shape([2, 3, 4], [0, -1]).numpy().tolist() == [1, 3, 1]
    inside = tf.function(lambda s, a: ops.math_ops.reduced_shape(s, a))
    assert inside(tf.constant([2, 3, 4]), tf.constant([0, -1])).numpy().tolist() == [1, 3, 1]


def test_choices():
    case = framework.smart_cond.smart_case
    assert case([(False, lambda: 1), (True, lambda: 2)]) == 2
    assert case([(tf.constant(False), lambda: 1)], default=lambda: 3) == 3
    with pytest.raises(TypeError, match="Argument `pred` must be"):
        framework.smart_cond.smart_constant_value("yes")


def test_objects_that_stay_are_found():
    kept = []
    with framework.memory_checker.MemoryChecker() as checker:
        kept.append(tf.Variable(1.0))
    with pytest.raises(AssertionError, match="more objects than before"):
        checker.assert_no_new_python_objects()


class ModesTest(framework.test_util.TensorFlowTestCase):
    """Decorators and contexts of tests."""

    @framework.test_util.also_run_as_tf_function
    def test_as_a_function(self):
        assert not hasattr(self, "seen") or not tf.executing_eagerly()
        self.seen = True

    def test_contexts(self):
        with framework.test_util.run_functions_eagerly(True):
            assert tf.function(lambda: tf.executing_eagerly())()
        assert not tf.config.functions_run_eagerly()
        with framework.test_util.AbstractGradientTape(use_tape=False) as tape:
            assert not isinstance(tape, tf.GradientTape)
        made = framework.test_util.generate_combinations_with_testcase_name(b=[1, 2], a=["x"])
        assert made[0] == {"a": "x", "b": 1, "testcase_name": "_test_a_x_b_1"}


def test_dtypes_of_references():
    dtypes = framework.dtypes
    assert tf.as_dtype("float32_ref") is dtypes.float32_ref is tf.as_dtype(101) is tf.float32._as_ref
    assert repr(dtypes.float32_ref) == "tf.float32_ref" and dtypes.float32_ref._is_ref_dtype
    assert tf.float32.is_compatible_with(dtypes.float32_ref) and not dtypes.float32_ref.is_compatible_with(tf.float32)
    with pytest.raises(TypeError):
        tf.as_dtype("int32_ref_ref")


def test_registries():
    made = framework.registry.Registry("testfoo")
    made.register(3, "three")
    assert made.lookup("three") == 3
    with pytest.raises(KeyError, match=r"Registering two testfoo with name 'three'! .* test_registries .*py:\d+\)"):
        made.register(3, "three")
    with pytest.raises(LookupError):
        made.lookup("four")


def test_what_operations_cost():
    ops = framework.ops

    @ops.RegisterStatistics("Costly", "flops")
    def cost(graph, node):
        return ops.OpStats("flops", 3)

    node = types.SimpleNamespace(op="Costly")
    found = ops.OpStats("flops")
    found += ops.get_stats_for_node_def(None, node, "flops")
    found += ops.OpStats("flops", 4)
    assert (found.statistic_type, found.value) == ("flops", 7)
    assert ops.get_stats_for_node_def(None, node, "parameters").value is None
    with pytest.raises(ValueError, match="Can't add an OpStat of type flops to one of params"):
        found += ops.OpStats("params", 1)
    with pytest.raises(KeyError, match="Registering two statistical functions with name 'Costly,flops'"):
        ops.RegisterStatistics("Costly", "flops")(cost)
    for wrong in (("a,b", "flops"), (3, "flops"), ("a", "fl,ops")):
        with pytest.raises(TypeError):
            ops.RegisterStatistics(*wrong)


def test_conversions_that_users_register_give_tensors():
    class Mine:
        def __init__(self, result):
            self.result = result

    tf.register_tensor_conversion_function(Mine, lambda value, dtype=None, name=None, as_ref=False: value.result)
    assert framework.ops.convert_to_tensor(Mine(tf.constant(3)), name="x").numpy() == 3
    with pytest.raises(RuntimeError, match="returned non-Tensor: 'x'"):
        tf.convert_to_tensor(Mine("x"))
    with pytest.raises(RuntimeError, match="incompatible dtype: requested = float32, actual = int32"):
        tf.convert_to_tensor(Mine(tf.constant(1)), tf.float32)
    assert framework.ops.convert_to_tensor([1, 2], preferred_dtype=tf.float32).dtype == tf.float32
    with pytest.raises(RuntimeError, match=r"Sparse dtype mismatch. Requested: float32,  Actual: int32"):
        tf.compat.v1.convert_to_tensor_or_sparse_tensor(tf.SparseTensor([[0]], [1], [1]), tf.float32)


def test_devices_and_stacks():
    assert tf.DeviceSpec.from_string("/device:MyFunny:2").to_string() == "/device:MyFunny:2"
    assert framework.device.canonical_name("/cpu:0") == "/device:CPU:0"
    first = tf.python.client.device_lib.list_local_devices()[0]
    assert (first.name, first.device_type, first.xla_global_id) == ("/device:CPU:0", "CPU", -1)
    assert first.memory_limit == 1 << 28 and first.physical_device_desc == ""
    stack = framework.traceable_stack.TraceableStack()
    stack.push_obj(1)
    stack.push_obj(2)
    assert list(stack.peek_objs()) == [2, 1] and stack.pop_obj() == 2
    (left,) = stack.peek_traceable_objs()
    assert left.filename == __file__
    manager = eager.cancellation.CancellationManager()
    call = manager.get_cancelable_function(lambda: 1)
    assert call() == 1
    manager.start_cancel()
    with pytest.raises(tf.errors.CancelledError):
        call()


def test_dimensions_too_many():
    labels, predictions = ops.confusion_matrix.remove_squeezable_dimensions(np.ones([3, 1]), np.ones([3]))
    assert labels.shape == [3] and predictions.shape == [3]
    labels, predictions = ops.confusion_matrix.remove_squeezable_dimensions(np.ones([3]), np.ones([3, 2]), 1)
    assert predictions.shape == [3, 2]
    gathered = ops.array_ops.batch_gather_nd([[1, 2], [3, 4]], [[[0], [1]], [[1], [0]]], 1)
    assert gathered.numpy().tolist() == [[1, 2], [4, 3]]


class ParallelTest(ops.parallel_for.test_util.PForTestCase):
    """Loops at once and one after the other."""

    def test_rows(self):
        x = tf.random.uniform([3, 2])
        self._test_loop_fn(lambda i: (tf.gather(x, i), i * 2), 3, parallel_iterations=2)
        with self.assertRaisesRegex(ValueError, "Use `for_loop`"):
            ops.parallel_for.control_flow_ops.pfor(lambda i: i, 3, parallel_iterations=1)
        with self.assertRaises(AssertionError):
            self.run_and_assert_equal(tf.constant(1.0), tf.constant(2.0))


def test_numbers():
    assert ops.signal.util_ops.gcd(8, tf.constant(12)).numpy() == 4
    with pytest.raises(ValueError, match="must be an integer tensor"):
        ops.signal.util_ops.gcd(1.0, 2)
    random = ops.stateful_random_ops
    assert (random.RNG_ALG_PHILOX, random.PHILOX_STATE_SIZE) == (
        1,
        tf.random.Generator.from_seed(1, alg="philox").state.shape[0],
    )
    weak = framework.weak_tensor.convert_to_weak_tensor_or_tensor(tf.constant(1.0), to_weak=True)
    assert isinstance(weak, framework.weak_tensor.WeakTensor) and weak.to_tensor().numpy() == 1.0
    assert ops.control_flow_ops.with_dependencies([tf.constant(1)], tf.constant(2)).numpy() == 2


def test_functions_are_made_by_their_class_with_a_name():
    function = tf.__internal__.function.Function
    f = function(lambda x: x * 2.0, "double", input_signature=[tf.TensorSpec([None])])
    assert f([1.0, 2.0]).numpy().tolist() == [2.0, 4.0] and f.__name__ == "double"
    assert f.input_signature == (tf.TensorSpec([None]),)
    g = function(lambda: tf.constant(3.0), "loss", input_signature=[])
    assert g().numpy() == 3.0 and isinstance(tf.function(lambda: 1), function)
