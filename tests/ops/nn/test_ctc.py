"""Gradients of CTC losses whose labels hold blanks or cannot come in so few steps, as TensorFlow computes them."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

LOGITS = np.sin(np.arange(30.0)).reshape(2, 5, 3).astype(np.float32)

RECORDED = {  # labels, steps: losses, gradients of the first step
    "padded with blanks": (
        [[1, 2, 0], [1, 0, 0]],
        [5, 5],
        [2.8010, 4.0969],
        [[0.0750, -0.5028, 0.4279], [0.1712, -0.2966, 0.1254]],
    ),
    "in too few steps": (
        [[1, 2, 1], [2, 2, 2]],
        [2, 4],
        [707.511, 708.111],
        [[-0.0279, -0.2561, 0.2840], [-0.2051, 0.2460, -0.0409]],
    ),
}
"""What TensorFlow 2.21 gives."""


@pytest.mark.parametrize("name", RECORDED)
def test_labels_that_are_blanks_or_too_many(name):
    labels, steps, losses, first = RECORDED[name]
    logits = tf.constant(LOGITS)
    with tf.GradientTape() as tape:
        tape.watch(logits)
        loss = tf.nn.ctc_loss(tf.constant(labels), logits, [3, 3], steps, logits_time_major=False, blank_index=0)
    np.testing.assert_allclose(loss.numpy(), losses, rtol=2e-5)
    np.testing.assert_allclose(tape.gradient(loss, logits)[:, 0].numpy(), first, atol=2e-4)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int16"])
def test_steps_of_any_number_count_without_their_fractions(dtype):
    def loss(steps):
        return tf.nn.ctc_loss([[1, 2], [1, 0]], LOGITS, [2, 1], steps, logits_time_major=False, blank_index=0).numpy()

    assert (
        loss(tf.constant([5, 4.75], dtype) if dtype[0] == "f" else tf.constant([5, 4], dtype)).tolist()
        == loss([5, 4]).tolist()
    )
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.nn.ctc_loss([[1, 2], [1, 0]], LOGITS, [2.0, 1.0], [5, 4], logits_time_major=False, blank_index=0)
