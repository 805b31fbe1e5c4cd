"""Gradients of functions, and what tests of libraries import. The answers are TensorFlow 2.21's."""

from __future__ import annotations

import unittest

import numpy as np
import pytest

import tfgrad_jax as tf

backprop = tf.python.eager.backprop
test_util = tf.python.framework.test_util


def product(x, y):
    return x * x * y


def numbers(values):
    return [None if v is None else v.numpy() for v in values]


@pytest.mark.parametrize(
    ("params", "keywords", "expected"),
    [(None, {}, [12, 9]), ([1], {}, [9]), (["y"], {}, [9]), (None, {"dy": 5.0}, [60, 45])],
)
def test_gradients_of_functions(params, keywords, expected):
    assert numbers(backprop.gradients_function(product, params)(3.0, 2.0, **keywords)) == expected
    value, gradients = backprop.val_and_grad_function(product, params)(3.0, 2.0, **keywords)
    assert value.numpy() == 18 and numbers(gradients) == expected


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: backprop.gradients_function(product)(3.0, y=2.0), ValueError, "keyword arguments"),
        (lambda: backprop.gradients_function(product, [5])(3.0, 2.0), IndexError, "5"),
        (lambda: backprop.gradients_function(product, ["z"])(3.0, 2.0), ValueError, "'z' is not in list"),
        (lambda: backprop.gradients_function(lambda x: None)(3.0), ValueError, "did you forget to return a value"),
        (lambda: backprop.gradients_function(lambda x: x["a"])({"a": tf.constant(1.0)}), ValueError, "dict"),
        (lambda: backprop.make_vjp(product)(3.0, y=2.0), AssertionError, "keyword"),
        (lambda: backprop.implicit_grad(lambda: None)(), ValueError, "did you forget to return a value"),
        (lambda: backprop.implicit_grad(lambda: tf.constant(1.0))(), ValueError, "No trainable variables"),
    ],
)
def test_what_has_no_gradient(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_products_with_vectors():
    result, vjp = backprop.make_vjp(product)(3.0, 2.0)
    assert result.numpy() == 18 and numbers(vjp(2.0)) == [24, 18] and numbers(vjp()) == [12, 9]
    result, vjp = backprop.make_vjp(lambda x: (x * x, x * 3))(3.0)
    assert numbers(result) == [9, 9] and numbers(vjp([1.0, 2.0])) == [12]
    assert numbers(backprop.gradients_function(tf.stop_gradient)(3.0)) == [None]


def test_gradients_of_the_variables_that_are_read():
    v, fixed = tf.Variable(3.0), tf.Variable(2.0, trainable=False)
    [(gradient, variable)] = backprop.implicit_grad(lambda x: v * v * x * fixed)(2.0)
    assert gradient.numpy() == 24 and variable is v
    value, [(gradient, _)] = backprop.implicit_val_and_grad(lambda: v * v)()
    assert (value.numpy(), gradient.numpy()) == (9, 6)


def test_the_largest_difference():
    max_error = tf.python.ops.gradient_checker_v2.max_error
    assert max_error(*tf.test.compute_gradient(tf.square, [tf.constant([1.0, 2.0])])) < 1e-2
    assert max_error([np.ones([1, 2])], [np.array([[2.0, 1.5]])]) == 1
    assert max_error([np.zeros([0, 2])], [np.zeros([0, 2])]) == 0
    assert np.isnan(max_error([np.ones([1, 2])], [np.array([[2.0, np.nan]])]))


def test_channels_first_and_last():
    assert test_util.NHWCToNCHW([1, 2, 3, 4]) == [1, 4, 2, 3] and test_util.NCHWToNHWC([1, 2, 3, 4, 5]) == [
        1,
        3,
        4,
        5,
        2,
    ]
    assert test_util.NHWCToNCHW(tf.ones([1, 2, 3, 4])).shape == [1, 4, 2, 3]


def test_tests_are_decorated():
    @test_util.for_all_test_methods(test_util.skip_if, True)
    class Test(unittest.TestCase):
        def test_nothing(self):
            raise AssertionError

        def helper(self):
            return 1

    assert Test().test_nothing() is None and Test().helper() == 1

    def failing():
        raise AssertionError

    with pytest.raises(AssertionError):
        test_util.skip_if(lambda: False)(failing)()
    with test_util.use_gpu(), test_util.force_cpu():
        assert tf.python.platform.test.mock is unittest.mock


def test_names_and_conversions():
    ops = tf.python.framework.ops
    assert ops.strip_name_scope("a/b/c", "a/b") == "c" and ops.strip_name_scope("loc:@a/b", "a") == "loc:@b"
    assert ops.strip_name_scope("^a/b", "a/") == "^b" and ops.strip_name_scope("b", None) == "b"
    assert [t.dtype for t in ops.convert_n_to_tensor([1.0, 2])] == [tf.float32, tf.int32]
    assert ops.internal_convert_to_tensor([1], tf.float32).dtype is tf.float32 and ops.uid() < ops.uid()
    with ops.name_scope(None, "default", [1]), ops.colocate_with(tf.constant(1)):
        assert tf.Variable(1.0, name="v").name == "v:0"
    with ops.name_scope("named", skip_on_eager=False):
        assert tf.Variable(1.0, name="v").name == "named/v:0"
    assert tf.python.ops.math_ops.mul(2, 3).numpy() == 6 and tf.python.ops.nn_ops.relu([-1.0]).numpy() == [0]
