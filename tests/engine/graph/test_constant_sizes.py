"""Sizes that a function computes of constants, real numbers among them: known while it is traced, as in TensorFlow."""

import numpy as np
import pytest

import tfgrad_jax as tf

X = tf.TensorSpec([6])


def pair():
    return tf.convert_to_tensor((3, 2), dtype="float32")


_MAKING = {
    "range": (lambda x: tf.range(pair()[0]), [3]),
    "steps": (lambda x: tf.range(0.0, pair()[0], 0.5), [6]),
    "zeros": (lambda x: tf.zeros(tf.cast(pair(), tf.int32)), [3, 2]),
    "scalars": (lambda x: tf.ones((pair()[0], 2)), [3, 2]),
    "filled": (lambda x: tf.fill((pair()[1], pair()[0]), 7.0), [2, 3]),
    "reshape": (lambda x: tf.reshape(x, (-1, pair()[0])), [2, 3]),
    "spread": (lambda x: tf.broadcast_to(x[:1], (pair()[0], pair()[1])), [3, 2]),
    "share": (lambda x: tf.reshape(x, tf.cast(pair() * 0.7 + 0.3, tf.int32) + [1, 2]), [3, 3]),
    "quotient": (lambda x: tf.zeros(tf.cast(tf.constant([4, 6]) / 2, tf.int32)), [2, 3]),
    "half": (lambda x: tf.zeros(tf.cast(tf.math.ceil(tf.shape(x) / 4), tf.int32)), [2]),
}


@pytest.mark.parametrize("name", _MAKING)
def test_the_shape_is_known(name):
    make, shape = _MAKING[name]
    x = tf.range(9.0 if name == "share" else 6.0)
    function = tf.function(make)
    assert function.get_concrete_function(x).output_shapes == shape
    np.testing.assert_array_equal(function(x), make(x))
    compiled = tf.function(make, jit_compile=True)  # nothing is left to the host
    np.testing.assert_array_equal(compiled(x), make(x))


@pytest.mark.parametrize("name", ["reshape", "spread", "share", "range"])
def test_a_saved_function_has_it_too_and_its_gradient(name, tmp_path):
    make, shape = _MAKING[name]
    x = tf.range(9.0 if name == "share" else 6.0)
    module = tf.Module()
    module.f = tf.function(lambda x: make(x) * x[1], input_signature=[tf.TensorSpec(x.shape)])
    tf.saved_model.save(module, tmp_path)
    again = tf.saved_model.load(tmp_path).f
    slopes = []
    for function in (module.f, again):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        assert y.shape == shape
        slopes.append(tape.gradient(y, x))
    np.testing.assert_allclose(*slopes)


def test_of_data_it_is_not_known():
    function = tf.function(lambda n: (tf.range(n * pair()[0]), tf.zeros(tf.cast(pair() * n, tf.int32))))
    found = function.get_concrete_function(tf.TensorSpec([])).output_shapes
    assert [shape.as_list() for shape in found] == [[None], [None, None]]
    assert [t.shape for t in function(tf.constant(2.0))] == [[6], [6, 4]]


@pytest.mark.parametrize(("times", "shape"), [(14, [1]), (3000, [None])])
def test_of_long_ways_from_constants_it_is_not_looked_for(times, shape):
    def squared(_):
        size = tf.constant(1.0)
        for _ in range(times):
            size = size * size
        return tf.zeros(tf.cast(size, tf.int32)[None])

    function = tf.function(squared, autograph=False)
    assert function.get_concrete_function(X).output_shapes.as_list() == shape


def test_a_session_may_be_fed_another():
    with tf.Graph().as_default():
        limit = tf.constant(3.0)
        made = tf.range(limit * 1.0)
        with tf.compat.v1.Session() as session:
            assert session.run(made).shape == (3,)
            assert session.run(made, {limit: 5.0}).shape == (5,)
