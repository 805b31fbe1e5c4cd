"""Operations and tensors by their names. The answers are TensorFlow 2.21's."""

from __future__ import annotations

import pytest

import tfgrad_jax as tf


def test_by_name():
    graph = tf.function(lambda x: tf.identity(x, name="mine")).get_concrete_function(tf.TensorSpec([3])).graph
    assert graph.get_operation_by_name("mine").type == "Identity"
    assert graph.get_tensor_by_name("mine:0").shape == [3] and graph.get_tensor_by_name("x:0").shape == [3]
    assert graph.as_graph_element("mine").name == "mine" and graph.as_graph_element("mine:0").name == "mine:0"


@pytest.mark.parametrize(
    ("asked", "name", "error", "message"),
    [
        ("operation", "nothing", KeyError, "The name 'nothing' refers to an Operation not in the graph"),
        ("operation", "mine:0", ValueError, "Name 'mine:0' appears to refer to a Tensor, not a Operation"),
        ("operation", 3, TypeError, "Operation names are strings"),
        ("tensor", "nothing", ValueError, r"The name 'nothing' looks like an \(invalid\) Operation name"),
        ("tensor", "mine", ValueError, "The name 'mine' refers to an Operation, not a Tensor"),
        ("tensor", "mine:3", KeyError, "The name 'mine:3' refers to a Tensor which does not exist"),
        ("tensor", 3, TypeError, "Tensor names are strings"),
    ],
)
def test_what_is_not_there(asked, name, error, message):
    graph = tf.function(lambda x: tf.identity(x, name="mine")).get_concrete_function(tf.TensorSpec([3])).graph
    with pytest.raises(error, match=message):
        getattr(graph, f"get_{asked}_by_name")(name)


def test_programs_as_text():
    double = tf.function(lambda x: x * 2.0, jit_compile=True).experimental_get_compiler_ir(tf.constant(1.0))
    assert double(stage="hlo").startswith("HloModule") and double(stage="optimized_hlo").startswith("HloModule")
    assert "stablehlo" in double(stage="stablehlo")
