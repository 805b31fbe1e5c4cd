"""A `tf.TensorArray` of which a branch writes the first element, as TensorFlow 2.21 has it."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf


@pytest.fixture(autouse=True, params=["immediate", "fused"])
def _mode(request):
    with tf.extras.execution(request.param):
        yield


@pytest.mark.parametrize("size", [0, 1])
def test_one_branch_writes_the_first_element(size):
    @tf.function
    def f(x, p):
        elements, y, z = tf.TensorArray(tf.int32, size=size, dynamic_size=True), x, x
        if p:
            elements = elements.write(0, x)
            y, z = x + 10, x * 3  # other results come as they belong, too
        return elements.stack(), y, z

    x = tf.constant([1, 2])
    found, y, z = f(x, tf.constant(True))
    assert found.numpy().tolist() == [[1, 2]] and y.numpy().tolist() == [11, 12] and z.numpy().tolist() == [3, 6]
    found, y, z = f(x, tf.constant(False))
    assert found.numpy().tolist() == [[0, 0]] * size and found.shape == [size, 2]
    assert y.numpy().tolist() == [1, 2] and z.numpy().tolist() == [1, 2]


def test_both_branches_write_it_and_further_ones_add_to_it():
    @tf.function
    def f(x, p, q):
        elements = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        if p:
            elements = elements.write(0, x * 2.0)
        else:
            elements = elements.write(0, x * 3.0)
        if q:
            elements = elements.write(elements.size(), x)
        return elements.stack()

    x = tf.Variable([1.0, 2.0])
    for p, first in ((True, 2.0), (False, 3.0)):
        for q in (True, False):
            with tf.GradientTape() as tape:
                found = f(x, tf.constant(p), tf.constant(q))
                loss = tf.reduce_sum(found)
            np.testing.assert_array_equal(found, [[first, 2 * first], [1.0, 2.0]][: 1 + q])
            np.testing.assert_array_equal(tape.gradient(loss, x), [first + q, first + q])


def test_branches_in_a_row_by_what_a_text_says():
    """One sees none of it: which of them are taken is known when the function runs."""

    @tf.function
    def f(x, sides):
        elements = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
        if tf.strings.regex_full_match(sides, ".*s.*"):
            elements = elements.write(elements.size(), x)
        if tf.strings.regex_full_match(sides, ".*o.*"):
            elements = elements.write(elements.size(), x + 1)
        return elements.stack()

    x = tf.constant([1, 2])
    for sides, expected in (("s,o", [[1, 2], [2, 3]]), ("s", [[1, 2]]), ("o", [[2, 3]]), ("", [])):
        assert f(x, tf.constant(sides)).numpy().tolist() == expected


def test_nothing_is_known_of_the_elements_of_an_empty_one():
    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32), tf.TensorSpec([], tf.bool)])
    def f(x, p):
        elements = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
        if p:
            elements = elements.write(0, x)
        return elements.stack()

    assert f(tf.constant([1, 2]), tf.constant(True)).numpy().tolist() == [[1, 2]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Tried to stack elements of an empty list"):
        f(tf.constant([1, 2]), tf.constant(False))
