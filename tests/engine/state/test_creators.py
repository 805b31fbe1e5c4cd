"""Scopes that take part in making variables, and what libraries ask of the eager context."""

import sys

import pytest

import tfgrad_jax as tf


def test_creators_run_from_the_inside_out_and_see_every_argument():
    seen = []

    def creator(tag):
        def make(next_creator, **kwargs):
            seen.append((tag, kwargs["name"], kwargs["trainable"], kwargs["synchronization"]))
            return next_creator(**kwargs)

        return make

    auto = tf.VariableSynchronization.AUTO
    with tf.variable_creator_scope(creator("outer")), tf.variable_creator_scope(creator("inner")):
        v = tf.Variable(1.0, False, name="v")
    assert seen == [("inner", "v", False, auto), ("outer", "v", False, auto)]
    assert (v.name, v.trainable) == ("v:0", False)
    tf.Variable(2.0)
    assert len(seen) == 2


def test_a_creator_may_change_arguments_or_answer_itself():
    with tf.variable_creator_scope(lambda make, **kwargs: make(**{**kwargs, "initial_value": 5.0})):
        assert tf.Variable(1.0) == 5.0
    with tf.variable_creator_scope(lambda make, **kwargs: tf.constant(7.0)):
        assert isinstance(tf.Variable(1.0), tf.Tensor)


def test_an_error_closes_the_scope():
    try:
        with tf.variable_creator_scope(lambda make, **kwargs: None):
            raise KeyError
    except KeyError:
        pass
    assert tf.Variable(1.0) == 1.0


def test_the_eager_context():
    context = sys.modules["tfgrad_jax.python.eager.context"].context()
    assert context.executing_eagerly()
    assert context.device_spec.device_type is None
    with tf.device("/cpu:0"):
        assert (context.device_spec.device_type, context.device_name[-5:]) == ("CPU", "CPU:0")


def test_raw_batch_normalization():
    x = tf.reshape(tf.range(8.0), [2, 2, 1, 2])
    one = tf.ones([2])
    out = tf.raw_ops.FusedBatchNormV2(
        x=x, scale=one, offset=one, mean=one * 0, variance=one, is_training=False, epsilon=0.0
    )
    assert (out.y == x + 1.0).numpy().all()
    trained = tf.raw_ops.FusedBatchNormV2(x=x, scale=one, offset=one, mean=one * 0, variance=one)
    assert trained.batch_mean.numpy().tolist() == [3.0, 4.0]


def test_a_variable_that_keeps_its_value_elsewhere():
    class Elsewhere(tf.Variable):
        def __init__(self, value):
            self.kept = value

        dtype = property(lambda self: self.kept.dtype)

    class Nowhere(tf.Variable):
        def __init__(self):
            pass

        dtype = tf.float32

    tf.register_tensor_conversion_function(Elsewhere, lambda value, dtype=None, name=None, as_ref=False: value.kept)
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.add(Elsewhere(x), Elsewhere(x)) * x
    assert tape.gradient(y, x) == 12.0
    with pytest.raises(NotImplementedError, match="Nowhere holds no value"):
        tf.add(Nowhere(), 1.0)


@pytest.mark.parametrize(
    "value", [lambda self: self.shown, property(lambda self: lambda: self.shown)], ids=["method", "property"]
)
def test_operators_ask_a_class_for_its_value_and_functions_do_not(value):
    Doubled = type("Doubled", (type(tf.Variable(1.0)),), {"value": value, "shown": tf.constant([5.0, 6.0])})
    v = Doubled([1.0, 2.0])
    assert (v + 1.0).numpy().tolist() == (1.0 + v).numpy().tolist() == [6.0, 7.0]
    assert (-v).numpy().tolist() == [-5.0, -6.0]
    assert (v**2).numpy().tolist() == [25.0, 36.0]
    assert (tf.constant(1.0) + v).numpy().tolist() == [6.0, 7.0]
    assert v[0].numpy() == 5.0
    assert v[tf.constant([True, False])].numpy().tolist() == [5.0]
    assert (v < 6.0).numpy().tolist() == [True, False]
    assert (v == 5.0).numpy().tolist() == [False, False]
    assert tf.multiply(v, 1.0).numpy().tolist() == v.read_value().numpy().tolist() == [1.0, 2.0]


def test_operators_of_a_class_without_a_value_raise_what_it_says():
    class Empty(tf.Variable):
        dtype, shape = tf.float32, tf.TensorShape([])

        def __init__(self):
            pass

        def value(self):
            raise ValueError("it has no value")

    tf.register_tensor_conversion_function(Empty, lambda value, dtype=None, name=None, as_ref=False: tf.zeros([]))
    assert tf.add(Empty(), 1.0) == 1.0
    for operate in (lambda: 0 + Empty(), lambda: -Empty(), lambda: Empty() < 1.0, lambda: Empty()[0]):
        with pytest.raises(ValueError, match="it has no value"):
            operate()
