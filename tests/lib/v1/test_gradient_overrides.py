"""`Graph.gradient_override_map`. The answers are TensorFlow 2.21's."""

from __future__ import annotations

import pytest

import tfgrad_jax as tf

v1 = tf.compat.v1


@tf.RegisterGradient("OverrideTimesSeven")
def times_seven(operation, cotangent):
    return cotangent * 7.0


@tf.RegisterGradient("OverrideGuidedRelu")
def guided(operation, cotangent):
    slope = tf.raw_ops.ReluGrad(gradients=cotangent, features=operation.outputs[0])
    return tf.where(cotangent < 0.0, tf.zeros_like(cotangent), slope)


@tf.RegisterGradient("OverrideFirstOnly")
def first_only(operation, cotangent):
    return cotangent * 2.0, None


def squares(graph, x):
    with graph.gradient_override_map({"Square": "OverrideTimesSeven"}):
        y = tf.square(x)
    return v1.gradients([y, tf.square(x)], x)


def guided_backpropagation(graph, x):
    with graph.gradient_override_map({"Relu": "OverrideGuidedRelu"}):
        y = tf.nn.relu(tf.nn.relu(x * [-1.0, 1.0]) + 5.0)
    return v1.gradients(y, x, tf.constant([1.0, -1.0]))


def nested(graph, x):
    override = graph.gradient_override_map
    with override({"Mul": "OverrideFirstOnly"}), override({"Square": "OverrideTimesSeven"}):
        y = tf.square(x) * x
    return v1.gradients(y, x)


def without_one_of_its_own(graph, x):
    with graph.gradient_override_map({"Sign": "OverrideTimesSeven"}):
        y = tf.sign(x)
    return v1.gradients(y * y, x)


@pytest.mark.parametrize(
    ("build", "expected"),
    [
        (squares, [11.0, 5.0]),
        (guided_backpropagation, [-0.0, 0.0]),
        (nested, [14.0, 14.0]),
        (without_one_of_its_own, [14.0, -14.0]),
    ],
)
def test_operations_recorded_inside_have_the_other_gradient(build, expected):
    with tf.Graph().as_default() as graph, v1.Session() as session:
        (slope,) = session.run(build(graph, tf.constant([2.0, -1.0])))
    assert slope.tolist() == expected


def test_what_is_refused():
    with tf.Graph().as_default() as graph:
        for wrong in (3, {"Square": 3}):
            with pytest.raises(TypeError), graph.gradient_override_map(wrong):
                pass
        x = tf.constant(1.0)
        with graph.gradient_override_map({"Square": "OverrideNobodyRegistered"}):
            y = tf.square(x)
        with pytest.raises(LookupError, match="OverrideNobodyRegistered"):
            v1.gradients(y, x)
