"""The names that programs give to the operations of graphs, by which sessions find them."""

from __future__ import annotations

import pytest

import tfgrad_jax as tf

v1 = tf.compat.v1


def image():
    return v1.placeholder(tf.float32, [1, 4, 4, 3])


def matrix():
    return v1.placeholder(tf.float32, [2, 3])


CALLS = {
    "tf.nn.bias_add": lambda name: tf.nn.bias_add(matrix(), [1.0, 2.0, 3.0], name=name),
    "tf.nn.conv2d": lambda name: v1.nn.conv2d(image(), tf.zeros([3, 3, 3, 2]), [1] * 4, "SAME", name=name),
    "tf.nn.max_pool": lambda name: v1.nn.max_pool(image(), 2, 2, "SAME", name=name),
    "tf.nn.top_k": lambda name: tf.nn.top_k(matrix(), 2, name=name).indices,
    "tf.nn.fused_batch_norm": lambda name: v1.nn.fused_batch_norm(image(), [1.0] * 3, [0.0] * 3, name=name)[0],
    "tf.unstack": lambda name: tf.unstack(matrix(), name=name)[1],
    "tf.clip_by_value": lambda name: tf.clip_by_value(matrix(), 0.0, 1.0, name=name),
    "tf.nn.leaky_relu": lambda name: tf.nn.leaky_relu(matrix(), name=name),
    "tf.nn.l2_normalize": lambda name: tf.nn.l2_normalize(matrix(), 1, name=name),
    "tf.nn.xw_plus_b": lambda name: v1.nn.xw_plus_b(matrix(), tf.zeros([3, 2]), [0.0, 0.0], name=name),
    "tf.random_normal": lambda name: v1.random_normal([2], name=name),
    "tf.py_func": lambda name: v1.py_func(lambda x: x, [matrix()], tf.float32, name=name),
    "tf.Print": lambda name: v1.Print(matrix(), [], name=name),
    "tf.placeholder_with_default": lambda name: v1.placeholder_with_default(1.0, [], name=name),
    "tf.shape": lambda name: tf.shape(matrix(), name=name),
    "tf.range": lambda name: tf.range(3, name=name),
}


@pytest.mark.parametrize("call", CALLS)
def test_an_operation_has_the_name_that_it_is_given(call):
    with tf.Graph().as_default() as graph:
        number = {"tf.nn.top_k": 1, "tf.unstack": 1}.get(call, 0)
        with tf.name_scope("scope"):
            found = CALLS[call]("named")
            again = CALLS[call]("named")
        assert (found.name, again.name) == (f"scope/named:{number}", f"scope/named_1:{number}")
        assert graph.get_tensor_by_name(found.name) is found


def test_of_several_operations_the_last_one_has_the_name():
    with tf.Graph().as_default() as graph:
        found = v1.nn.xw_plus_b(matrix(), tf.zeros([3, 2]), [0.0, 0.0], name="layer")
        assert found.name == "layer:0" and graph.get_operation_by_name("layer/MatMul").outputs[0].shape == (2, 2)
        assert found.op.inputs[0].op.name == "layer/MatMul"
        assert v1.nn.xw_plus_b(matrix(), tf.zeros([3, 2]), [0.0, 0.0], name="layer").name == "layer_1:0"


def test_functions_that_are_called_name_what_they_record_themselves():
    with tf.Graph().as_default():
        branch = tf.cond(
            v1.placeholder(tf.bool, []), lambda: tf.nn.bias_add(matrix(), [0.0] * 3, name="inner"), matrix, name="outer"
        )
        assert branch.name == "outer:0"
        w = v1.get_variable("w", initializer=1.0)
        assert (w.name, (w + 1.0).name) == ("w:0", "add:0")


def test_what_is_no_name_is_refused():
    with tf.Graph().as_default(), pytest.raises(ValueError, match="is not a valid node name"):
        tf.nn.bias_add(matrix(), [0.0] * 3, name="no name")
