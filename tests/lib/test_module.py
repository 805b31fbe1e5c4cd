"""`tf.Module`: names, variables and submodules."""

from __future__ import annotations

import inspect

import pytest

import tfgrad_jax as tf


class Dense(tf.Module):
    def __init__(self, n, name=None):
        super().__init__(name)
        with self.name_scope:
            self.w = tf.Variable(tf.ones([n, n]), name="w")
            self.b = tf.Variable(tf.zeros([n]), name="b")

    def __call__(self, x):
        return x @ self.w + self.b


class TwoLayers(tf.Module):
    def __init__(self):
        super().__init__()
        self.layers = [Dense(2, "first"), Dense(2, "second")]
        self.count = tf.Variable(0, trainable=False, name="count")

    @tf.Module.with_name_scope
    def __call__(self, x):
        self.scope_seen = tf.Variable(1.0, name="inside").name
        return self.layers[1](self.layers[0](x))


@pytest.mark.parametrize(
    ("given", "expected"),
    [("Dense", "dense"), ("TwoLayers", "two_layers"), ("MLP", "mlp"), ("MyRNNCell2", "my_rnn_cell2")],
)
def test_names_come_from_the_class(given, expected):
    assert type(given, (tf.Module,), {})().name == expected


def test_given_names():
    assert Dense(1, "other").name == "other"
    for wrong in ("a b", "1a", "a/b", ""):
        with pytest.raises(ValueError, match="not a valid module name"):
            tf.Module(wrong)


def test_names_of_variables_begin_with_the_modules():
    d = Dense(1, "d")
    assert [v.name for v in (d.w, d.b)] == ["d/w:0", "d/b:0"]
    with tf.name_scope("outer"):
        assert Dense(1, "d").w.name == "outer/d/w:0"


def test_methods_in_the_name_scope():
    m = TwoLayers()
    assert m(tf.ones([1, 2])).numpy().tolist() == [[4.0, 4.0]]
    assert m.scope_seen == "two_layers/inside:0"


def test_variables_in_order_of_attribute_names():
    m = TwoLayers()
    assert [v.name for v in m.variables] == ["count:0", "first/b:0", "first/w:0", "second/b:0", "second/w:0"]
    assert [v.name for v in m.trainable_variables] == [v.name for v in m.variables[1:]]
    assert [v.name for v in m.non_trainable_variables] == ["count:0"]
    assert all(type(found) is tuple for found in (m.variables, m.trainable_variables, m.submodules))


def test_variables_in_structures_each_once():
    m = tf.Module()
    v = [tf.Variable(float(i)) for i in range(5)]
    m.z = (v[0], {"b": v[1], "a": [v[2]]})
    m.a = v[0]
    m.other = {2: v[3], 1: v[4]}
    m.nothing = [None, 3, "text", tf.constant(1.0)]
    assert [float(x) for x in m.variables] == [0.0, 4.0, 3.0, 2.0, 1.0]


def test_submodules():
    m = TwoLayers()
    m.deeper = tf.Module("deeper")
    m.deeper.inner = Dense(1, "inner")
    m.deeper.back = m
    assert [s.name for s in m.submodules] == ["deeper", "first", "second", "inner"]
    assert len(m.trainable_variables) == 6


def test_properties_may_be_left_out():
    class Part(tf.Module):
        _TF_MODULE_IGNORED_PROPERTIES = tf.Module._TF_MODULE_IGNORED_PROPERTIES | {"hidden"}

    m = Part()
    m.hidden, m.seen = tf.Variable(1.0), tf.Variable(2.0)
    assert [float(v) for v in m.variables] == [2.0]


def test_paths():
    m = tf.Module()
    m.a, m.b = [tf.Variable(1.0)], Dense(1)
    found = dict(m._flatten(predicate=lambda v: isinstance(v, tf.Variable), with_path=True))
    assert set(found) == {("a", 0), ("b", "w"), ("b", "b")}


def test_gradients_of_a_module():
    m = TwoLayers()
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(m(tf.ones([1, 2])))
    gradients = tape.gradient(loss, m.trainable_variables)
    assert [g.numpy().tolist() for g in gradients] == [[2, 2], [[2, 2], [2, 2]], [1, 1], [[2, 2], [2, 2]]]


def test_signatures_are_shown_as_written():
    @tf.Module.with_name_scope
    def method(self, a, b=2):
        return a

    def plain(x, y=1):
        return x

    for decorated in (
        tf.recompute_grad(plain),
        tf.grad_pass_through(plain),
        tf.function(plain),
        tf.custom_gradient(plain),
    ):
        assert inspect.getfullargspec(decorated).args == ["x", "y"]
    assert inspect.getfullargspec(method).args == ["self", "a", "b"]
    untracked = tf.__internal__.tracking.no_automatic_dependency_tracking(method)
    assert inspect.getfullargspec(untracked).args == ["self", "a", "b"]
    made = tf.__internal__.decorator.make_decorator(plain, lambda *args: plain(*args))
    assert inspect.getfullargspec(made).defaults == (1,)


def test_the_operation_of_an_assignment():
    v = tf.Variable([1.0, 2.0])
    assert v.assign([3.0, 4.0]).op is None and tf.compat.v1.scatter_update(v, [1], [5.0]).op is None

    @tf.function
    def f():
        made = [v.assign_add([1.0, 1.0]).op, tf.compat.v1.scatter_update(v, [0], [7.0]).op]
        assert all(isinstance(op, tf.Operation) for op in made)
        tf.group(*made)
        return v.read_value()

    assert f().numpy().tolist() == [7.0, 6.0]


def test_variables_of_composites_come_with_the_other_attributes():
    class Held(tf.experimental.ExtensionType):
        value: tf.Tensor

    class Part(tf.Module):
        def __init__(self):
            super().__init__()
            self.weight = tf.Variable(1.0, name="part")

    module = tf.Module()
    module.a, module.b, module.c = Part(), tf.Variable(2.0, name="own"), Held(tf.constant(3.0))
    assert [v.name for v in module.variables] == ["own:0", "part:0"]
    found = list(module._flatten(predicate=lambda leaf: isinstance(leaf, (tf.Tensor, Held)), expand_composites=True))
    assert [float(x) for x in found if isinstance(x, tf.Tensor) and not isinstance(x, tf.Variable)] == [3.0]
    assert [type(x) for x in module._flatten(predicate=lambda leaf: isinstance(leaf, Held))] == [Held]
