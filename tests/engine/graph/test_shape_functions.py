"""What graphs say of shapes that do not fit: in TensorFlow's words, recorded from it, since programs look for them."""

from __future__ import annotations

import pytest

import tfgrad_jax as tf


def place(*shape):
    return tf.compat.v1.placeholder(tf.float32, shape)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: place(3) + place(2, 2), "Dimensions must be equal, but are 3 and 2 for '{{node AddV2}} = AddV2"),
        (lambda: place(3) < place(2), "Dimensions must be equal, but are 3 and 2"),
        (lambda: tf.matmul(place(None, 3), place(4, None)), "Dimensions must be equal, but are 3 and 4"),
        (lambda: tf.linalg.cholesky(place(3)), "Shape must be at least rank 2 but is rank 1"),
        (lambda: tf.linalg.solve(place(3, 3), place(4, 3)), "Dimensions must be equal, but are 3 and 4"),
        (lambda: tf.nn.conv2d(place(3, 3), place(3, 3, 1, 1), 1, "SAME"), "Shape must be rank 4 but is rank 2"),
        (
            lambda: tf.nn.conv2d(place(1, 3, 3, 2), place(3, 3, 3, 1), 1, "SAME"),
            "Depth of input (2) is not a multiple of",
        ),
        (
            lambda: tf.nn.max_pool2d(place(1, 3, 3, 3), 5, 1, "VALID"),
            "Negative dimension size caused by subtracting 5 from 3",
        ),
        (lambda: tf.nn.in_top_k([0, 1], place(3, 3), 1), "Dimensions must be equal, but are 3 and 2"),
        (lambda: tf.reshape(place(3), [2, 2]), "Cannot reshape a tensor with 3 elements to shape [2,2] (4 elements)"),
        (lambda: tf.split(place(4, 6), 4, 1), "Dimension size must be evenly divisible by 4 but is 6"),
        (
            lambda: tf.stack([place(2), place(3)]),
            "Dimension 0 in both shapes must be equal, but are 2 and 3. Shapes are [2]",
        ),
        (lambda: tf.tile(place(2), [1, 2]), "Shape must be rank 1 but is rank 2"),
        (lambda: tf.transpose(place(2, 3), [0, 1, 2]), "Dimension must be 2 but is 3"),
        (lambda: tf.reduce_sum(place(2), [[0], [0]]), "Shape must be at most rank 1 but is rank 2"),
        (lambda: tf.where([True], place(2), place(3)), "Dimensions must be equal, but are 2 and 3"),
        (lambda: tf.math.top_k(1.0, 1), "Shape must be at least rank 1 but is rank 0"),
        (
            lambda: tf.math.top_k(place(2), -7),
            "Dimension size, given by scalar input 1, must be non-negative but is -7",
        ),
        (lambda: tf.roll(7, 1, 0), "Shape must be at least rank 1 but is rank 0"),
        (lambda: tf.roll(place(2), [[1]], 0), "Shape must be at most rank 1 but is rank 2"),
        (lambda: tf.roll(place(2, 2), [1], [0, 1]), "Dimension 0 in both shapes must be equal, but are 1 and 2."),
        (lambda: tf.reverse_sequence(place(2, 3), [1, 2], 5, 0), "seq_dim must be < input rank: 5 vs. 2"),
        (lambda: tf.gather(place(3), 0, axis=-2), "Shape must be at least rank 2 but is rank 1"),
        (lambda: tf.math.top_k(place(2), 3), "input must have last dimension >= k = 3 but is 2"),
    ],
)
def test_graphs_say_it_in_the_words_of_shape_functions(call, said):
    with tf.Graph().as_default(), pytest.raises(ValueError) as caught:
        call()
    assert said in str(caught.value)


def test_what_no_rule_knows_is_said_by_the_kernel():
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Can not squeeze"):
        tf.squeeze(place(2), 0)
