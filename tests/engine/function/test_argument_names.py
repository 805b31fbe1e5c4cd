"""What traces call their arguments: the values are TensorFlow's."""

import pytest

import tfgrad_jax as tf


def spec(name=None):
    return tf.TensorSpec([None, 2], tf.float32, name)


def one(inputs):
    return tf.nest.flatten(inputs)


def two(a, b):
    return tf.nest.flatten([a, b])


def swapped(inputs_1, inputs):
    return tf.nest.flatten([inputs_1, inputs])


def many(*args):
    return tf.nest.flatten(args)


@pytest.mark.parametrize(
    ("function", "signature", "names"),
    [
        (one, [[spec(), spec()]], ["inputs", "inputs_1"]),
        (one, [[spec("p"), spec("q")]], ["p", "q"]),
        (one, [{"a": spec(), "b": spec("z")}], ["inputs", "z"]),
        (one, [[spec(), [spec(), spec()]]], ["inputs", "inputs_1", "inputs_2"]),
        (one, [[spec("p"), spec("p")]], ["p", "p_1"]),
        (two, [[spec(), spec()], spec()], ["a", "a_1", "b"]),
        (two, [[spec(), spec()], spec("a_1")], ["a", "a_1", "a_1_1"]),
        (two, [spec("b"), spec()], ["b", "b_1"]),
        (swapped, [spec(), [spec(), spec()]], ["inputs_1", "inputs", "inputs_2"]),
        (many, [[spec(), spec()], spec()], ["args_0", "args_0_1", "args_1"]),
    ],
)
def test_placeholders(function, signature, names):
    concrete = tf.function(function, input_signature=signature).get_concrete_function()
    assert [t.name for t in concrete.inputs] == [f"{name}:0" for name in names]


def test_specs_say_the_path():
    concrete = tf.function(one, input_signature=[{"a": [spec(), spec()], "b": spec()}]).get_concrete_function()
    (described,), _ = concrete.structured_input_signature
    assert [s.name for s in tf.nest.flatten(described)] == ["inputs_a_0", "inputs_a_1", "inputs_b"]


def test_traces_are_parts_of_what_is_saved():
    f = tf.function(one)
    assert f._list_all_concrete_functions() == []
    f(tf.ones([2]))
    f(tf.ones([3]))
    assert list(f._trackable_children()) == []
    assert list(f._trackable_children("savedmodel")) == ["trace_0", "trace_1"]
    assert len(tf.function(one, input_signature=[spec()])._list_all_concrete_functions()) == 1
