"""Replays compare what graphs claim of shapes with the real ones."""

from __future__ import annotations

import pytest

import tfgrad_jax as tf
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.run.execute import execute
from tfgrad_jax.engine.values.tensor import Spec

ROWS = [tf.TensorSpec([None])]


def claiming(shape, interpret=None):
    """An operation that returns its operand, and claims that it has some shape."""
    kernel = Kernel("Claiming", lambda x: [x * 1.0], interpret=interpret)
    kernel.typed = [Spec.of(tf.float32, shape)]
    return lambda x: execute(kernel, (x,))[0]


@pytest.mark.parametrize("answer", [lambda y: y + 1.0, tf.size, tf.shape, tf.rank])
def test_a_false_claim_is_an_error_and_never_a_value(answer):
    f = tf.function(lambda x: answer(claiming((7,) if answer is not tf.rank else ())(x)), input_signature=ROWS)
    with pytest.raises(tf.errors.InternalError, match=r"(?s)Claiming.*test_replay.py.*shape \((7,)?\).*shape \(3,\)"):
        f(tf.ones([3]))


def test_a_false_claim_in_a_loop_and_in_a_branch():
    def looped(x):
        return tf.while_loop(lambda i, s: i < 2, lambda i, s: (i + 1, s + tf.reduce_sum(claiming((7,))(x))), (0, 0.0))[
            1
        ]

    def chosen(x):
        return tf.cond(x[0] > 0.0, lambda: claiming((7,))(x), lambda: tf.ones([7]))

    for call in (looped, chosen):
        with pytest.raises(tf.errors.InternalError, match="Claiming"):
            tf.function(call, input_signature=ROWS)(tf.ones([3]))


def test_a_false_claim_of_what_is_interpreted():
    def call(x):
        return tf.size(claiming((7,), lambda tensors: [tensors[0] * 1.0])(x)) + tf.size(tf.boolean_mask(x, x > 0.0))

    with pytest.raises(tf.errors.InternalError, match="Claiming"):
        tf.function(call, input_signature=ROWS)(tf.ones([3]))


def test_a_true_claim_is_free_once_compiled():
    f = tf.function(lambda x: tf.size(claiming((3,))(x)), input_signature=ROWS)
    assert f(tf.ones([3])) == 3


def test_a_shape_that_the_user_set_wrongly():
    def call(x):
        y = x * 2.0
        y.set_shape([4])
        return y, tf.size(y)

    f = tf.function(call, input_signature=ROWS)
    assert f(tf.ones([4]))[1] == 4
    with pytest.raises(tf.errors.InternalError, match="set_shape"):
        f(tf.ones([3]))
