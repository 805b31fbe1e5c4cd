"""Dispatch: function objects ask for targets only while there are any."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import tfgrad_jax as tf
from tfgrad_jax import add as held_early
from tfgrad_jax.engine.names.export import registry


class Point(tf.experimental.ExtensionType):
    x: tf.Tensor


POINT = Point([1.0, 2.0])


@pytest.fixture
def registered():
    targets = []
    yield targets
    for target in targets:
        tf.experimental.unregister_dispatch_for(target)


@pytest.mark.parametrize("function", [tf.add, tf.abs, tf.matmul, tf.gather, tf.reduce_sum, tf.concat, tf.shape])
def test_a_function_is_as_before_when_the_last_target_is_gone(function):
    def state():
        return function.__code__, function.__defaults__, function.__kwdefaults__, inspect.signature(function)

    before = state()
    parameters = inspect.signature(function).parameters.values()
    first = next(iter(parameters)).name
    needed = {p.name: POINT for p in parameters if p.default is p.empty}
    target = tf.experimental.dispatch_for_api(function, {first: Point})(lambda *args, **kwargs: "dispatched")
    assert function(POINT, POINT) == "dispatched" and function(**needed) == "dispatched"
    assert inspect.signature(function) == before[3]
    tf.experimental.unregister_dispatch_for(target)
    assert state() == before
    with pytest.raises((TypeError, ValueError)):
        function(POINT, POINT)
    with pytest.raises(ValueError, match="was not registered"):
        tf.experimental.unregister_dispatch_for(target)


def test_objects_that_were_handed_out_early_dispatch_too(registered):
    @tf.experimental.dispatch_for_api(tf.math.add)
    def added(x: Point, y: Point):
        return Point(x.x + y.x)

    registered.append(added)
    np.testing.assert_array_equal(held_early(POINT, POINT).x, [2.0, 4.0])
    np.testing.assert_array_equal(held_early([1.0], 2.0), [3.0])
    np.testing.assert_array_equal(tf.constant([1.0]) + 2.0, [3.0])


def test_errors_of_the_function_itself_are_its_own(registered):
    registered.append(tf.experimental.dispatch_for_api(tf.gather, {"params": Point})(lambda *a, **k: "dispatched"))
    with pytest.raises(TypeError):
        tf.gather(tf.ones([2]))
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.gather(tf.ones([2]), [3])


@pytest.mark.parametrize("function", [f for f in registry.values() if inspect.isfunction(f)][::25])
def test_every_public_function_can_be_dispatched(function):
    parameters = list(inspect.signature(function).parameters.values())
    if not parameters or parameters[0].kind is not inspect.Parameter.POSITIONAL_OR_KEYWORD:
        with pytest.raises(ValueError, match="unknown parameter"):
            tf.experimental.dispatch_for_api(function, {"missing": Point})
        return
    target = tf.experimental.dispatch_for_api(function, {0: Point})(lambda *args, **kwargs: "dispatched")
    needed = [p for p in parameters if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]
    named = {p.name: None for p in parameters if p.default is p.empty and p.kind is p.KEYWORD_ONLY}
    try:
        assert function(*[POINT] * max(len(needed), 1), **named) == "dispatched"
    finally:
        tf.experimental.unregister_dispatch_for(target)


def test_an_elementwise_handler_is_called_with_the_operands_alone(registered):
    seen = []

    @tf.experimental.dispatch_for_unary_elementwise_apis(Point)
    def unary(function, p):
        seen.append(function)
        return Point(function(p.x))

    registered.append(unary)
    assert tf.cast(POINT, tf.int32).x.dtype == tf.int32 and tf.nn.leaky_relu(Point([-1.0]), alpha=0.5).x[0] == -0.5
    assert tf.abs(POINT).x[1] == 2.0 and seen[-1] is tf.abs

    @tf.function
    def inside(p):
        return tf.square(p)

    np.testing.assert_array_equal(inside(POINT).x, [1.0, 4.0])
    assert float(tf.abs(tf.constant(-3.0))) == 3.0
