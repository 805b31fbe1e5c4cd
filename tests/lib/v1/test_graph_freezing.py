"""Traced functions whose variables became constants, as TensorFlow's `convert_variables_to_constants_v2` makes them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tfgrad_jax as tf

convert_to_constants = tf.python.framework.convert_to_constants
convert = convert_to_constants.convert_variables_to_constants_v2
v1 = tf.compat.v1


def traced(shape):
    w, b = tf.Variable([[1.0, -2.0], [3.0, 0.5]]), tf.Variable([1.0, -1.0])

    @tf.function(input_signature=[tf.TensorSpec(shape, tf.float32, name="x")])
    def layer(x):
        return {"y": tf.nn.relu(x @ w + b), "size": tf.shape(x)[0]}

    return layer, w


def test_a_frozen_function_holds_what_the_variables_held(tmp_path):
    layer, w = traced([None, 2])
    x = tf.constant([[1.0, 1.0], [2.0, -1.0]])
    before = layer(x)
    frozen = convert(layer.get_concrete_function())
    w.assign_add(tf.ones_like(w))
    size, y = frozen(x)
    assert (size.numpy(), y.numpy().tolist()) == (before["size"].numpy(), before["y"].numpy().tolist())
    assert [t.name for t in frozen.inputs] == ["x:0"] and frozen.inputs[0].shape.as_list() == [None, 2]
    assert [t.name for t in frozen.outputs] == ["Identity:0", "Identity_1:0"]
    assert isinstance(frozen.structured_outputs, list) and not frozen.variables
    path = tf.io.write_graph(frozen.graph, tmp_path, "frozen.pb", as_text=False)
    read = v1.GraphDef()
    read.ParseFromString(Path(path).read_bytes())
    assert not {"VarHandleOp", "ReadVariableOp"} & {n.op for n in read.node}
    again = v1.wrap_function(lambda: v1.import_graph_def(read, name=""), []).prune("x:0", "Identity_1:0")
    np.testing.assert_array_equal(again(x[:1]), y[:1])


def test_the_message_comes_along():
    layer, _ = traced([1, 2])
    frozen, definition = convert_to_constants.convert_variables_to_constants_v2_as_graph(layer.get_concrete_function())
    assert sorted(n.name for n in definition.node if n.op == "Placeholder") == ["x"]
    assert frozen(tf.constant([[0.0, 0.0]]))[1].numpy().tolist() == [[1.0, 0.0]]


def test_what_changes_cannot_be_constant():
    w = tf.Variable(1.0)
    with pytest.raises(NotImplementedError, match="assigns variables"):
        convert(tf.function(lambda: w.assign_add(1.0)).get_concrete_function())
    with pytest.raises(NotImplementedError, match="draws random numbers"):
        convert(tf.function(lambda: tf.random.normal([2])).get_concrete_function())
