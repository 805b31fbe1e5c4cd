"""Lookups in functions: under a tape outside, the gradient of a table is slices of it."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

TABLE = np.arange(8.0, dtype=np.float32).reshape(4, 2)


def gradient_of(function, source, *args):
    with tf.GradientTape() as tape:
        tape.watch(source)
        y = function(*args)
    return tape.gradient(y, source)


def is_slices(found, places):
    return isinstance(found, tf.IndexedSlices) and found.indices.numpy().tolist() == places


def test_the_gradient_of_a_lookup_in_a_function_is_slices():
    table = tf.Variable(TABLE)
    look = tf.function(lambda ids: tf.reduce_sum(tf.nn.embedding_lookup(table, ids) ** 2))
    for ids in ([1, 3, 1], [0, 2, 2]):
        found = gradient_of(look, table, tf.constant(ids))
        assert is_slices(found, ids) and found.dense_shape.numpy().tolist() == [4, 2]
        np.testing.assert_array_equal(found.values, 2 * TABLE[ids])


def test_of_arguments_of_computed_indices_and_of_open_sizes():
    @tf.function(input_signature=[tf.TensorSpec([None, 2]), tf.TensorSpec([None], tf.int32)])
    def look(table, ids):
        kept = tf.sort(ids)[::-1] % 4
        return tf.reduce_sum(tf.gather(table, kept) * tf.gather(table, [2]))

    x = tf.constant(TABLE)
    found = gradient_of(look, x, x, tf.constant([5, 0, 7]))
    assert is_slices(found, [3, 1, 0, 2])
    dense = gradient_of(look.python_function, x, x, tf.constant([5, 0, 7]))
    np.testing.assert_allclose(tf.convert_to_tensor(found), tf.convert_to_tensor(dense))


def expected(function, table, *args):
    return tf.convert_to_tensor(gradient_of(function.python_function, table, *args))


@pytest.mark.parametrize(
    "use",
    [
        lambda t, i: tf.reduce_sum(tf.gather(t, i) ** 2) + tf.reduce_sum(t),
        lambda t, i: tf.reduce_sum(tf.gather(t, i, axis=1) ** 2),
        lambda t, i: tf.reduce_sum(tf.gather(t * 1.0, i) ** 2),
        lambda t, i: (tf.reduce_sum(tf.gather(t, i) ** 2), t)[0] + t[0, 1],
        lambda t, i: tf.reduce_sum(tf.gather(t, tf.where(i > 0)[:, 0]) ** 2),
    ],
)
def test_other_uses_of_the_table_have_the_gradient_that_they_had(use):
    table, ids = tf.Variable(TABLE), tf.constant([1, 0, 1])
    function = tf.function(lambda ids: use(table, ids))
    np.testing.assert_allclose(
        tf.convert_to_tensor(gradient_of(function, table, ids)), expected(function, table, ids), rtol=1e-6
    )


def test_what_has_an_effect_is_not_done_twice():
    table, count = tf.Variable(TABLE), tf.Variable(0)

    @tf.function
    def sampled():
        count.assign_add(1)
        ids = tf.random.uniform([3], 0, 4, tf.int32)
        return tf.reduce_sum(tf.gather(table, ids)), ids

    with tf.GradientTape() as tape:
        y, ids = sampled()
    found = tf.convert_to_tensor(tape.gradient(y, table)).numpy()
    np.testing.assert_array_equal(found[:, 0], np.bincount(ids.numpy(), minlength=4))
    assert int(count) == 1


def test_the_table_may_change_afterwards_in_the_function():
    table = tf.Variable(TABLE)

    @tf.function
    def step(ids):
        rows = tf.gather(table, ids)
        table.assign(table * 0.0)
        return tf.reduce_sum(rows**2)

    found = gradient_of(step, table, tf.constant([3]))
    np.testing.assert_array_equal(tf.convert_to_tensor(found), [[0, 0], [0, 0], [0, 0], [12, 14]])
    np.testing.assert_array_equal(table, np.zeros([4, 2]))


def test_an_index_out_of_range_is_told_as_without_a_tape():
    table = tf.Variable(TABLE)
    look = tf.function(lambda ids: tf.reduce_sum(tf.gather(table, ids)))
    with pytest.raises(tf.errors.InvalidArgumentError, match="not in"), tf.GradientTape():
        look(tf.constant([1, 7])).numpy()


def test_second_order_persistent_tapes_and_jacobians():
    table, ids = tf.Variable(TABLE), tf.constant([1, 3, 1])
    look = tf.function(lambda ids: tf.gather(table, ids) ** 3)
    with tf.GradientTape(persistent=True) as outer:
        with tf.GradientTape(persistent=True) as tape:
            rows = look(ids)
            y = tf.reduce_sum(rows)
        first = tape.gradient(y, table)
        z = tf.reduce_sum(tf.convert_to_tensor(first))
    np.testing.assert_array_equal(first.values, 3 * TABLE[[1, 3, 1]] ** 2)
    second = tf.convert_to_tensor(outer.gradient(z, table)).numpy()
    np.testing.assert_array_equal(second[1], 2 * 6 * TABLE[1])
    jacobian = tape.jacobian(rows, table).numpy()
    np.testing.assert_array_equal(jacobian[0, 0, 1], [3 * TABLE[1, 0] ** 2, 0.0])
    assert tape.gradient(y, table).indices.numpy().tolist() == [1, 3, 1]
