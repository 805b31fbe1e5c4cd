"""What a step of training computes of a cross entropy, and how its values are printed."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import tfgrad_jax as tf

LOSSES = {
    "sparse": lambda x, y: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=x),
    "dense": lambda x, y: tf.nn.softmax_cross_entropy_with_logits(labels=tf.one_hot(y, 100), logits=x),
}


@pytest.mark.skipif(
    jax.default_backend() != "cpu", reason="an accelerator's compiler repeats what is cheaper than to keep"
)
@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_a_loss_and_its_gradient_take_exponentials_once(loss):
    """They are most of a step with many classes, and XLA finds what both need only where it is written alike."""

    @tf.function(jit_compile=True)
    def step(x, y):
        with tf.GradientTape() as tape:
            tape.watch(x)
            mean = tf.reduce_mean(loss(x, y))
        return mean, tape.gradient(mean, x)

    text = step.experimental_get_compiler_ir(tf.ones([32, 100]), tf.zeros([32], tf.int32))("optimized_hlo")
    assert text.count(" exponential(") == 1


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_nothing_lost_is_zero_without_a_sign(loss):
    logits = np.zeros([1, 100], np.float32)
    logits[0, 3] = 200.0
    lost = loss(tf.constant(logits), tf.constant([3])).numpy()
    assert lost == 0.0 and not np.signbit(lost)
