"""What TensorFlow answers where mathematics or reason would say otherwise; the figures are TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
def test_labels_are_constants_to_second_derivatives_of_cross_entropy(wrap):
    logits, labels = tf.constant([[1.0, 2.0, 0.5]]), tf.constant([[0.2, 0.5, 0.3]])

    @wrap
    def seconds(logits, labels):
        found = []
        with tf.GradientTape(persistent=True) as outer:
            outer.watch([logits, labels])
            with tf.GradientTape() as inner:
                inner.watch([logits, labels])
                loss = tf.nn.softmax_cross_entropy_with_logits(labels, logits)
            firsts = [g * [[1.0, 2.0, 4.0]] for g in inner.gradient(loss, [logits, labels])]
        found += outer.gradient(firsts[0], [logits, labels])
        return [*found, outer.gradient(firsts[1], logits)]

    by_logits, by_labels, mixed = seconds(logits, labels)
    np.testing.assert_allclose(by_logits, [[-0.242615, -0.030965, 0.27358]], atol=1e-6)
    assert by_labels.numpy().tolist() == [[0.0, 0.0, 0.0]]
    np.testing.assert_allclose(mixed, [[0.618567, 2.399722, -3.018289]], atol=1e-6)


def test_an_ellipsis_counts_as_a_label_where_einsum_names_no_result():
    x = tf.reshape(tf.range(12.0), [3, 4])
    assert tf.einsum("...", x).numpy().tolist() == x.numpy().tolist()
    assert tf.einsum("i...", x).numpy().tolist() == tf.transpose(x).numpy().tolist()
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.einsum("...,...", x, x)


def test_of_a_class_that_was_drawn_twice_the_last_place_is_hit():
    examples, places, _ = tf.nn.compute_accidental_hits([[1, 3], [2, 1]], [2, 1, 1, 3], 2)
    assert (examples.numpy().tolist(), places.numpy().tolist()) == ([0, 0, 1, 1], [2, 3, 0, 2])
