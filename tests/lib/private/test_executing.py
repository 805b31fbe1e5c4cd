"""Operations by their raw names, and the context that they run in. The answers are TensorFlow 2.21's."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import tfgrad_jax as tf

execute, context = tf.python.eager.execute, tf.python.eager.context


def test_operations_by_their_raw_names():
    three, five, run = tf.constant(3), tf.constant(5), context.context()
    assert execute.execute(b"Mul", 1, [three, five], ("T", 3), run)[0].numpy() == 15
    halves = execute.execute("Split", 2, [tf.constant(0), tf.constant([[1], [2]])], ("num_split", 2, "T", 3), run)
    assert [h.numpy().tolist() for h in halves] == [[[1]], [[2]]]
    with pytest.raises(tf.errors.NotFoundError, match="BlahBlah"):
        execute.execute(b"BlahBlah", 1, [three], (), run)


def test_attributes_and_operands():
    run = context.context()
    assert execute.make_type("float32", "T") == 1 and execute.make_shape([1, None], "s") == [1, None]
    with pytest.raises(TypeError, match="Expected bool for argument 'a' not 1"):
        execute.make_bool(1, "a")
    dtype, operands = execute.args_to_matching_eager([tf.constant(1.0), 2], run, [tf.float32])
    assert dtype == 1 and operands[1].dtype == tf.float32
    assert execute.convert_to_mixed_eager_tensors([1, 2.0, "a"], run)[0] == [3, 1, 7]
    made = tf.__internal__.EagerTensor([1, 2], device="/cpu:0", dtype=tf.float32.as_datatype_enum)
    assert made.dtype == tf.float32 and made.numpy().tolist() == [1.0, 2.0]
    sizes = tf.python.pywrap_tfe.TFE_Py_TensorShapeSlice([made, tf.zeros([3])], 0)
    assert sizes.numpy().tolist() == [2, 3]
    with pytest.raises(IndexError, match=r"dimension \(2\) must be smaller than rank of all tensors"):
        tf.python.pywrap_tfe.TFE_Py_TensorShapeSlice([made], 2)


def test_what_has_an_array_interface_becomes_a_tensor():
    class Interface:
        __array_interface__ = np.arange(3.0).__array_interface__
        held = np.arange(3.0)

    array = np.arange(3.0)
    Interface.__array_interface__ = array.__array_interface__
    assert tf.constant(Interface()).numpy().tolist() == [0.0, 1.0, 2.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Cannot convert .+ resource"):
        tf.Variable(1.0).handle.numpy()


def test_the_context():
    with context.execution_mode(context.ASYNC):
        assert context.is_async() and context.context().execution_mode == context.ASYNC
    assert not context.is_async()
    with context.function_executor_type("SINGLE_THREADED_EXECUTOR"):
        assert context.context().function_call_options.executor_type == "SINGLE_THREADED_EXECUTOR"
    assert context.context().function_call_options.executor_type == ""
    assert any("CPU" in name for name in context.context().devices())


def test_numbers_that_are_kept():
    monitoring = tf.python.eager.monitoring
    cell = monitoring.Sampler("t/s", monitoring.ExponentialBuckets(1.0, 2.0, 2), "").get_cell()
    for value in (1.0, 1.5, 8.0):
        cell.add(value)
    seen = cell.value()
    assert (seen.min, seen.max, seen.num, seen.sum) == (1.0, 8.0, 3.0, 10.5) and sum(seen.bucket) == 3


def twice(x):
    return 2 * x


def test_what_tests_ask_of_functions_and_shapes():
    made = tf.function(twice, reduce_retracing=True)
    assert pickle.loads(pickle.dumps(made))(tf.constant(3)).numpy() == 6
    assert made._clone(lambda x: x + 1)(tf.constant(3)).numpy() == 4
    with pytest.raises(ValueError, match="functions marked with 'jit_compile=True'"):
        made.experimental_get_compiler_ir(tf.constant(1))
    x = tf.ones([1, 2])
    assert (x._shape_tuple(), x._shape_as_list(), x._rank()) == ((1, 2), [1, 2], 2)
    first, second = (tf.TensorSpec([None, 2], name=name) for name in ("first", "second"))
    product = tf.function(lambda pairs: pairs[0][0] @ tf.transpose(pairs[0][1])).get_concrete_function(
        [(first, second)]
    )
    assert product(second=x, first=2 * x).numpy().tolist() == [[4.0]]
    initializer = tf.python.ops.lookup_ops.TextFileIdTableInitializer("words.txt")
    assert (initializer.key_dtype, initializer.value_dtype) == (tf.string, tf.int64)
