"""What graphs for sessions are asked for, and by which names. The answers are TensorFlow 2.21's."""

from __future__ import annotations

import pytest

import tfgrad_jax as tf


def test_collections_controls_and_elements():
    with tf.Graph().as_default() as graph:
        a, b = tf.constant([1.0], name="a"), tf.constant([2.0], name="b")
        assert a.op is a.op and graph.get_operations()[0] is a.op and graph.as_graph_element("a:0") is a
        with graph.control_dependencies([a]):
            waiting = tf.identity(b)
            after = tf.identity(waiting)
        assert waiting.op.control_inputs == [a.op] and after.op.control_inputs == []
        with pytest.raises(TypeError, match=r"Control input must be an Operation"), graph.control_dependencies([3.5]):
            pass
        graph.add_to_collection("k", 1)
        graph.add_to_collections(["x", "y", "x"], 2)
        assert graph.get_collection("k") == [1] and tf.compat.v1.get_collection("x") == [2]
        assert graph.get_all_collection_keys() == ["k", "x", "y"]
        graph.clear_collection("k")
        assert graph.get_collection_ref("k") == []
        with graph.device("/cpu:0"), graph.device(lambda operation: "/cpu:0"):
            assert tf.add(a, b, name="sum").name == "sum:0"
        with pytest.raises(KeyError, match="exists but only has 1 outputs"):
            graph.get_tensor_by_name("sum:1")
        with pytest.raises(TypeError, match="Can not convert a float into a Tensor or Operation"):
            graph.as_graph_element(1.5)
        graph.finalize()
        with pytest.raises(RuntimeError, match="Graph is finalized"):
            tf.constant(1)


def test_functions_that_are_made_of_others_take_names():
    @tf.function
    def named(x, y):
        made = (
            tf.add(x, y, name="n"), tf.divide(x, y, name="n"), tf.concat([x, y], 0, name="n"), tf.cast(x, tf.int32, name="n"),
            tf.where(x > 0, x, y, name="n"), tf.gather(x, [0], name="n"), tf.equal(x, y, name="n"), tf.pow(x, y, name="n"),
            tf.add_n([x, y], name="n"), tf.argmax(x, name="n"),
        )  # fmt: skip
        assert [t.op.name for t in made] == ["n", *[f"n_{i}" for i in range(1, 10)]]

    named.get_concrete_function(tf.TensorSpec([2]), tf.TensorSpec([2]))


def test_what_is_known_of_tensors_before_a_session_runs():
    with tf.Graph().as_default() as graph:
        a = tf.constant([1, 2], name="a")
        size = tf.compat.v1.placeholder(tf.int32, [])
        doubled = tf.stack([size, 4])
        assert tf.get_static_value(a).tolist() == [1, 2] and tf.get_static_value(tf.concat([a, [3]], 0)).tolist() == [
            1,
            2,
            3,
        ]
        assert tf.get_static_value(doubled) is None and doubled.value_index == 0 and size.consumers() == [doubled.op]
        shape_of = tf.python.framework.tensor_util.constant_value_as_shape
        assert shape_of(doubled).as_list() == [None, 4] and shape_of(tf.constant(-1)).rank is None
        (definition,) = [node for node in graph.as_graph_def().node if node.name == "a"]
        assert tf.make_ndarray(definition.attr["value"].tensor).tolist() == [1, 2]


def test_small_functions_of_nests_and_sizes():
    framework = tf.python.framework
    sparse = tf.SparseTensor([[0]], [1.0], [1])
    assert [len(part) for part in framework.composite_tensor.replace_composites_with_components([sparse, [2]])] == [
        3,
        1,
    ]
    assert framework.tensor_shape.as_dimension(3).value == 3
    with pytest.raises(tf.python.saved_model.nested_structure_coder.NotEncodableError):
        tf.python.saved_model.nested_structure_coder.encode_structure([object()])
