"""What programs see of traces: their types, their graphs, and objects that say which trace they need."""

from __future__ import annotations

import re
import sys

import pytest

import tfgrad_jax as tf


class Kind(tf.types.experimental.TraceType):
    """Objects of one class share a trace."""

    def __init__(self, value):
        self.value = value

    def is_subtype_of(self, other):
        return type(other) is Kind and type(self.value) is type(other.value)

    def most_specific_common_supertype(self, others):
        return self if all(self == other for other in others) else None

    def placeholder_value(self, placeholder_context=None):
        return self.value

    def __eq__(self, other):
        return type(other) is Kind and type(self.value) is type(other.value)

    def __hash__(self):
        return hash(type(self.value))


class Apple:
    flavor = tf.constant([1, 2])

    def __tf_tracing_type__(self, context):
        return Kind(self)


class Mango(Apple):
    flavor = tf.constant([3, 4])


def test_objects_may_say_which_trace_they_need():
    f = tf.function(lambda a, b: a.flavor + b.flavor)
    assert [f(Apple(), Mango()).numpy().tolist() for _ in range(2)] == [[4, 6]] * 2
    assert f.experimental_get_tracing_count() == 1
    f(Mango(), Apple())
    assert f.experimental_get_tracing_count() == 2


def test_type_of_a_trace():
    f = tf.function(lambda x, y=2, *rest, k=None: {"a": x + y, "b": [x]})
    concrete = f.get_concrete_function(tf.TensorSpec([None]), 3, tf.constant(1), k=tf.constant(2))
    assert str(concrete.function_type) == (
        "(x: TensorSpec(shape=(None,), dtype=tf.float32, name=None), y: Literal[3], "
        "rest_0: TensorSpec(shape=(), dtype=tf.int32, name=None), /, *, k: TensorSpec(shape=(), dtype=tf.int32, name=None)) -> "
        "Dict[['a', TensorSpec(shape=(None,), dtype=tf.float32, name=None)], "
        "['b', List[TensorSpec(shape=(None,), dtype=tf.float32, name=None)]]]"
    )
    assert list(concrete.function_type.parameters) == ["x", "y", "rest_0", "k"]


def test_a_trace_with_objects_takes_its_tensors_alone():
    class Model:
        weight = 2.0

    model = Model()
    concrete = tf.function(lambda m, x: m.weight * x).get_concrete_function(model, tf.constant(1.0))
    assert float(concrete(tf.constant(3.0))) == 6.0
    assert float(concrete(x=tf.constant(4.0))) == 8.0
    with pytest.raises(TypeError, match="Binding inputs"):
        concrete(3.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="float"):
        concrete(tf.constant(1))


def test_a_trace_with_a_number_takes_no_other():
    square = tf.function(lambda a, b: a**b).get_concrete_function(tf.TensorSpec(None, tf.float32), b=2)
    with pytest.raises(TypeError, match=r"Can not cast 3 to Literal\[2\]"):
        square(tf.constant(10.0), b=3)


def test_strings_are_added_under_the_name_of_sums():
    graph = tf.function(lambda a: a + a).get_concrete_function(tf.TensorSpec([], tf.string)).graph
    assert [node.name for node in graph.as_graph_def().node] == ["a", "add", "Identity"]


def test_a_graph_as_a_message():
    graph = tf.function(lambda x, y: tf.matmul(x, y) + 1.0).get_concrete_function(*[tf.TensorSpec([2, 2])] * 2).graph
    nodes = {node.name: node for node in graph.as_graph_def().node}
    assert [nodes[name].op for name in ("x", "y", "MatMul", "Identity")] == [
        "Placeholder",
        "Placeholder",
        "MatMul",
        "Identity",
    ]
    assert list(nodes["MatMul"].input) == ["x", "y"]
    assert all(source in nodes for node in nodes.values() for source in node.input)
    assert repr(graph.get_operations()[0]) == "<tf.Operation 'x' type=Placeholder>"
    assert "type: DT_FLOAT\n" in str(nodes["MatMul"])


def test_a_symbolic_tensor_of_unknown_rank_shows_no_shape():
    shown = []
    tf.function(lambda x: shown.append(str(x)) or x).get_concrete_function(tf.TensorSpec(None, tf.float32))
    assert shown == ['Tensor("x:0", dtype=float32)']


def test_how_a_trace_is_shown():
    spec = "TensorSpec(shape={}, dtype=tf.float32, name={!r})".format
    v = tf.Variable(3.0)

    @tf.function(input_signature=[tf.TensorSpec([None], name="own"), tf.TensorSpec([2])])
    def f(a, b):
        tf.print("seen", output_stream=sys.stderr)  # what printing keeps is no capture
        return {"x": a, "y": (b * v,)}

    found = f.get_concrete_function()
    line = f"(a: {spec('(None,)', 'own')}, b: {spec('(2,)', None)})"
    assert str(found.function_type).startswith(line + " -> Dict[")
    assert repr(found.function_type) == found.pretty_printed_signature()
    assert re.sub(r"\d{6,}", "ID", repr(found.function_type)).endswith(
        "Captures:\n  ID: TensorSpec(shape=(), dtype=tf.resource, name=None)"
    )
    # Results leave by an operation each.
    assert repr(found.structured_outputs["x"]) == "<tf.Tensor 'Identity:0' shape=(None,) dtype=float32>"
    assert [t.name for t in found.outputs] == ["Identity:0", "Identity_1:0"]
    with pytest.raises(TypeError, match=re.escape(f"for signature: {line}.")):
        f(tf.ones([2]), tf.ones([3]))
    plain = tf.function(lambda a, b: a)
    with pytest.raises(TypeError, match=r"for signature: \(a, b\)\.$"):
        plain(1)


def test_a_trace_refuses_other_shapes():
    f = tf.function(lambda a: [x + 1.0 for x in a]).get_concrete_function([tf.TensorSpec([2]), tf.TensorSpec([None])])
    assert [t.numpy().tolist() for t in f([[1.0, 2.0], [3.0]])] == [[2.0, 3.0], [4.0]]
    assert [t.numpy().tolist() for t in f(tf.ones([2]), tf.ones([1]))] == [[2.0, 2.0], [2.0]]
    ragged = tf.function(lambda a: a).get_concrete_function(tf.RaggedTensorSpec([2, None]))
    for call in (
        lambda: f([tf.ones([3]), tf.ones([1])]),
        lambda: f(tf.ones([3]), tf.ones([1])),
        lambda: f([tf.ones([2]), tf.ones([1, 1])]),
        lambda: f([tf.ones([2])]),
        lambda: ragged(tf.ragged.constant([[1.0], [2.0], [3.0]])),
    ):
        with pytest.raises(TypeError, match=r"Binding inputs to tf\.function failed due to"):
            call()


def traces(function, *calls):
    traced = tf.function(function)
    for value in calls:
        traced(value)
    return traced.experimental_get_tracing_count()


def test_composites_share_a_trace_where_their_types_are_equal():
    ragged = tf.ragged.constant
    two, none, three = ragged([[1.0], [2.0]]), ragged([[], []]), ragged([[1.0, 2.0], [3.0]])
    assert traces(lambda x: x + 1.0, two, two, none, three, two) == 1  # as in TensorFlow, as are all of these numbers
    assert traces(lambda x: x + 1.0, two, ragged([[1.0]]), three) == 2
    assert traces(lambda x: x["a"][0] * 2.0, {"a": [two]}, {"a": [three]}) == 1
    deep = [ragged([[[1, 2], [3]], [[4]]]), ragged([[[1, 2]], [[4], [5, 6]]]), ragged([[[1, 2]], [[4]]])]
    assert traces(lambda x: tf.reduce_sum(x, -1), *deep) == 1

    def sparse(n):
        return tf.SparseTensor(tf.cast(tf.fill([n, 2], 0), tf.int64), tf.ones([n]), [9, 9])

    assert traces(tf.sparse.reduce_sum, sparse(2), sparse(3), sparse(0)) == 1
    slices = [tf.IndexedSlices(tf.ones([n, 2]), tf.range(n), tf.constant([5, 2])) for n in (2, 3)]
    assert traces(tf.convert_to_tensor, *slices) == 2


def test_a_trace_of_a_composite_knows_what_its_type_says():
    seen = []

    @tf.function
    def total(x):
        seen.append((x.shape.as_list(), x.flat_values.shape.as_list(), x.row_splits.shape.as_list()))
        return tf.reduce_sum(x, 1)

    three, two = tf.ragged.constant([[1.0, 2.0], [3.0]]), tf.ragged.constant([[], [1.0, 5.0]])
    assert [total(x).numpy().tolist() for x in (three, two)] == [[3.0, 3.0], [0.0, 6.0]]
    assert seen == [([2, None], [None], [3])]
    assert total.get_concrete_function(three)(two).numpy().tolist() == [0.0, 6.0]
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.function(lambda x: tf.reduce_sum(x * v))(two)
    assert tape.gradient(y, v).numpy() == 6.0
