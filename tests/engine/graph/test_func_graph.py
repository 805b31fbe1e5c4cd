"""Graphs that programs record themselves, as Keras does to find out shapes; what was seen in TensorFlow."""

from __future__ import annotations

import pytest

import tfgrad_jax as tf

p = tf.compat.v1.placeholder
F = tf.float32


@pytest.fixture
def graph():
    return tf.__internal__.FuncGraph("scratch")


def test_a_graph_and_its_context(graph):
    assert (graph.name, graph.building_function, isinstance(graph, tf.Graph)) == ("scratch", True, True)
    assert tf.executing_eagerly() and tf.compat.v1.get_default_graph() is graph.outer_graph
    with graph.as_default() as inside:
        assert inside is graph is tf.compat.v1.get_default_graph()
        assert not tf.executing_eagerly() and tf.inside_function()
        with tf.init_scope():
            assert tf.executing_eagerly() and (tf.constant(1.0) + 1.0).numpy() == 2.0
    assert tf.executing_eagerly() and graph.inputs == [] and graph.outputs == []
    assert graph.structured_input_signature is None and graph.structured_outputs is None


def test_placeholders(graph):
    with graph.as_default():
        x = p(F, shape=[None, 3], name="x")
        assert str(x) == 'Tensor("x:0", shape=(None, 3), dtype=float32)'
        assert repr(x) == "<tf.Tensor 'x:0' shape=(None, 3) dtype=float32>"
        assert (x.name, x.op.type, x.graph is graph, tf.is_tensor(x)) == ("x:0", "Placeholder", True, True)
        assert p(F, [1], name="x").name == "x_1:0" and graph.unique_name("x") == "x_2" and p(tf.int32, []).shape == []
        assert graph.get_operations()[0].type == "Placeholder"
        assert p(F).shape.rank is None and (p(F) + 1.0).shape.rank is None
        with pytest.raises(AttributeError, match="numpy"):
            x.numpy()
        with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
            bool(x[0, 0] > 0)
    with pytest.raises(RuntimeError, match=r"tf\.placeholder\(\) is not compatible with eager execution"):
        p(F, [None])
    with pytest.raises(TypeError, match="is out of scope"):
        x + 1.0


def test_symbolic_tensors(graph):
    with graph.as_default():
        x = p(F, [None])
        assert tf.is_symbolic_tensor(x) and tf.is_symbolic_tensor(x * 2.0)
    assert not any(map(tf.is_symbolic_tensor, (tf.constant(1.0), 3, tf.Variable(1.0))))


def test_captures(graph):
    with graph.as_default():
        pass
    e, v = tf.constant([1.0, 2.0]), tf.Variable(1.0)
    with graph.as_default():
        inner = graph.capture(e)
        assert graph.capture(e) is inner and inner.graph is graph and inner.shape == [2]
        assert (e * 2.0).shape == [2]
        assert [o is e for o, _ in graph.captures] == [True] and graph.internal_captures[0] is inner
        assert graph.external_captures[0] is e and graph.variables == ()
        v * 2.0
        assert graph.variables == (v,) == graph.trainable_variables and len(graph.captures) == 2


SHAPES = {
    "matmul": (lambda: tf.matmul(p(F, [None, 3]), tf.ones([3, 4])), "(None, 4)"),
    "einsum": (lambda: tf.einsum("bij,bjk->bik", p(F, [None, None, 4]), p(F, [None, 4, None])), "(None, None, None)"),
    "add": (lambda: p(F, [None, 2]) + p(F, [None, 1, 2]), "(None, None, 2)"),
    "reshape": (lambda: tf.reshape(p(F, [None, 4, 5]), [-1, 20]), "(None, 20)"),
    "reshape by shape": (lambda: tf.reshape(p(F, [None, 4]), [tf.shape(p(F, [None, 4]))[0], 2, 2]), "(None, 2, 2)"),
    "reshape to fixed": (lambda: tf.reshape(p(F, [None, 4]), [3, -1]), "(3, None)"),
    "reshape of two": (lambda: tf.reshape(p(F, [None, None, 5]), [-1, 5]), "(None, 5)"),
    "broadcast_to": (lambda: tf.broadcast_to(tf.ones([1, 4]), [tf.shape(p(F, [None]))[0], 4]), "(None, 4)"),
    "range": (lambda: tf.range(tf.shape(p(F, [None]))[0]), "(None,)"),
    "conv2d": (
        lambda: tf.nn.conv2d(p(F, [None, None, None, 3]), tf.ones([3, 3, 3, 8]), 2, "SAME"),
        "(None, None, None, 8)",
    ),
    "conv2d valid": (
        lambda: tf.nn.conv2d(p(F, [None, 28, 28, 3]), tf.ones([3, 3, 3, 8]), 2, "VALID"),
        "(None, 13, 13, 8)",
    ),
    "max_pool2d": (lambda: tf.nn.max_pool2d(p(F, [None, 28, None, 3]), 2, 2, "VALID"), "(None, 14, None, 3)"),
    "conv2d_transpose": (
        lambda: tf.nn.conv2d_transpose(
            p(F, [None, 7, 7, 3]), tf.ones([3, 3, 8, 3]), [tf.shape(p(F, [None]))[0], 14, 14, 8], 2
        ),
        "(None, 14, 14, 8)",
    ),
    "resize": (lambda: tf.image.resize(p(F, [None, None, None, 1]), [5, 5]), "(None, 5, 5, 1)"),
    "depth_to_space": (lambda: tf.nn.depth_to_space(p(F, [None, None, None, 4]), 2), "(None, None, None, 1)"),
    "gather": (lambda: tf.gather(tf.ones([10, 4]), p(tf.int32, [None, None])), "(None, None, 4)"),
    "one_hot": (lambda: tf.one_hot(p(tf.int32, [None]), 5), "(None, 5)"),
    "concat": (lambda: tf.concat([p(F, [None, 2]), p(F, [None, 3])], 1), "(None, 5)"),
    "concat of rows": (lambda: tf.concat([p(F, [None, 2]), p(F, [3, 2])], 0), "(None, 2)"),
    "stack": (lambda: tf.stack([p(F, [None, 2]), p(F, [3, 2])]), "(2, 3, 2)"),
    "unstack": (lambda: tf.unstack(p(F, [None, 3, 2]), axis=1)[2], "(None, 2)"),
    "split": (lambda: tf.split(p(F, [None, 4]), 2, 1)[1], "(None, 2)"),
    "split of rows": (lambda: tf.split(p(F, [None, 4]), 2, 0)[1], "(None, 4)"),
    "slice": (lambda: p(F, [None, 4])[:5, ::2], "(None, 2)"),
    "squeeze": (lambda: tf.squeeze(p(F, [None, 1, 2]), [1]), "(None, 2)"),
    "pad": (lambda: tf.pad(p(F, [None, 3, 2]), [[0, 0], [1, 1], [0, 0]]), "(None, 5, 2)"),
    "tile": (lambda: tf.tile(p(F, [None, 3]), [2, 2]), "(None, 6)"),
    "reduce_mean": (lambda: tf.reduce_mean(p(F, [None, 1, 2]), 0), "(1, 2)"),
    "top_k": (lambda: tf.math.top_k(p(F, [None, 4]), 2).values, "(None, 2)"),
    "dropout": (lambda: tf.nn.dropout(p(F, [None, 4]), 0.5), "(None, 4)"),
    "where": (lambda: tf.where(p(tf.bool, [None, 3])), "(None, 2)"),
    "where of known size": (lambda: tf.where(p(tf.bool, [3])), "(None, 1)"),
    "boolean_mask": (lambda: tf.boolean_mask(p(F, [None, 3]), p(tf.bool, [None])), "(None, 3)"),
    "unique": (lambda: tf.unique(p(F, [None])).y, "(None,)"),
    "a function": (lambda: tf.function(lambda a: a * 2.0)(p(F, [None, 2])), "(None, 2)"),
    "cond": (lambda: tf.cond(p(tf.bool, []), lambda: tf.ones([2]), lambda: tf.zeros([3])), "(None,)"),
    "while_loop": (
        lambda: tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * 2.0), [tf.constant(0), p(F, [None, 2])])[1],
        "(None, 2)",
    ),
    "map_fn": (lambda: tf.map_fn(lambda row: row * 2.0, p(F, [None, 2])), "(None, 2)"),
}


@pytest.mark.parametrize("name", SHAPES)
def test_static_shapes_are_tensorflows(name, graph):
    call, shape = SHAPES[name]
    with graph.as_default():
        assert str(call().shape) == shape


@pytest.mark.parametrize(
    "call",
    [
        lambda: tf.matmul(p(F, [None, 4]), tf.ones([3, 4])),
        lambda: p(F, [None, 4]) + tf.ones([3]),
        lambda: tf.unstack(p(F, [None, 3])),
    ],
)
def test_what_cannot_fit_is_a_value_error(call, graph):
    with graph.as_default(), pytest.raises(ValueError):
        call()


def test_tapes_go_on_in_the_graph_that_is_entered_again():
    w = tf.Variable(3.0)

    @tf.function
    def gradient(x):
        with tf.GradientTape() as tape:
            with tf.compat.v1.get_default_graph().as_default():
                y = w * x
            z = y * 2.0
        return tape.gradient(z, w)

    assert gradient(tf.constant(2.0)).numpy() == 4.0


def test_tensors_of_any_other_graph_may_stand_in_it():
    one, other = tf.__internal__.FuncGraph("one"), tf.__internal__.FuncGraph("other")
    with one.as_default():
        x = p(F, [None, 3])
    with other.as_default():
        y = tf.cond(tf.constant(True), lambda: x * 2.0, lambda: x + 1.0)
    assert y.graph is other and str(y.shape) == "(None, 3)" and other.external_captures == [x]

    @tf.function
    def function():
        return x + 1.0

    with pytest.raises(TypeError, match="out of scope"):  # a function is to run
        function()


def test_libraries_ask_which_device_is_open(graph):
    class Asking:
        device = None

        def _set_device_from_string(self, name):
            self.device = name

    with graph.as_default():
        outside, inside = Asking(), Asking()
        graph._apply_device_functions(outside)
        with tf.device("/cpu:0"):
            graph._apply_device_functions(inside)
    assert (outside.device, inside.device) == (None, "/device:CPU:0")
