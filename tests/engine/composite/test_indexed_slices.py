"""`tf.IndexedSlices`: what they are, and when gradients are slices."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

TABLE = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]


def looked_up(source, use):
    with tf.GradientTape() as tape:
        tape.watch(source)
        y = use(source)
    return tape.gradient(y, source)


def test_parts():
    s = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([1]), tf.constant([3, 2]))
    assert (s.dtype, s.shape) == (tf.float32, (3, 2))
    assert s.dense_shape.numpy().tolist() == [3, 2] and s.device.endswith("CPU:0")
    assert tf.IndexedSlices(s.values, s.indices).shape.rank is None
    n = -s
    assert isinstance(n, tf.IndexedSlices) and n.values.numpy().tolist() == [[-1, -2]] and n.indices is s.indices
    assert str(s).startswith("IndexedSlices(indices=tf.Tensor([1]") and "dense_shape=" in str(s)


def test_becoming_dense_adds_repeated_rows():
    s = tf.IndexedSlices(tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([1, 1]), tf.constant([3, 2]))
    expected = [[0, 0], [4, 6], [0, 0]]
    assert tf.convert_to_tensor(s).numpy().tolist() == expected
    assert (s + tf.zeros([3, 2])).numpy().tolist() == expected
    assert tf.add_n([s, s]).numpy().tolist() == [[0, 0], [8, 12], [0, 0]]
    with pytest.raises(ValueError, match="float64"):
        tf.convert_to_tensor(s, tf.float64)
    with pytest.raises(ValueError, match="dense_shape"):
        tf.convert_to_tensor(tf.IndexedSlices(s.values, s.indices))


def test_a_structure_with_slices_may_be_taken_apart():
    s = tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]), tf.constant([2]))
    assert [x is s for x in tf.nest.flatten([s])] == [True]
    parts = tf.nest.flatten([s], expand_composites=True)
    assert [p.numpy().tolist() for p in parts] == [[1.0], [0], [2]]
    (again,) = tf.nest.pack_sequence_as([s], parts, expand_composites=True)
    assert isinstance(again, tf.IndexedSlices) and again.shape == (2,)


# -- gradients ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", [tf.constant(TABLE), tf.Variable(TABLE)], ids=["tensor", "variable"])
def test_the_gradient_of_a_lookup_is_slices(source):
    g = looked_up(source, lambda t: tf.gather(t, [2, 0, 2]) * [[1.0], [10.0], [100.0]])
    assert isinstance(g, tf.IndexedSlices)
    assert g.values.numpy().tolist() == [[1, 1], [10, 10], [100, 100]]
    assert g.indices.numpy().tolist() == [2, 0, 2] and g.shape == (3, 2)
    assert tf.convert_to_tensor(g).numpy().tolist() == [[10, 10], [0, 0], [101, 101]]


@pytest.mark.parametrize(
    ("lookup", "shape"),
    [
        (lambda t: tf.gather(t, 1), (1, 2)),
        (lambda t: tf.gather(t, [[0, 1], [1, 2]]), (4, 2)),
        (lambda t: tf.nn.embedding_lookup(t, [0, 1]), (2, 2)),
        (lambda t: t.sparse_read([0, 1]), (2, 2)),
    ],
)
def test_lookups(lookup, shape):
    g = looked_up(tf.Variable(TABLE), lookup)
    assert isinstance(g, tf.IndexedSlices) and tuple(g.values.shape) == shape


@pytest.mark.parametrize(
    "lookup",
    [lambda t: tf.gather(t, [1], axis=1), lambda t: t[1], lambda t: tf.gather_nd(t, [[0, 1]]), lambda t: tf.square(t)],
)
def test_other_reads_have_dense_gradients(lookup):
    assert isinstance(looked_up(tf.Variable(TABLE), lookup), tf.Tensor)


def test_two_lookups_give_the_rows_of_both():
    g = looked_up(tf.Variable(TABLE), lambda t: [tf.gather(t, [0]), tf.gather(t, [1, 0]) * 5.0])
    assert isinstance(g, tf.IndexedSlices)
    assert (g.indices.numpy().tolist(), g.values.numpy().tolist()) == ([0, 1, 0], [[1, 1], [5, 5], [5, 5]])


def test_indices_of_two_widths_are_joined():
    wide = tf.constant([1], tf.int64)
    g = looked_up(tf.Variable(TABLE), lambda t: [tf.gather(t, [0]), tf.gather(t, wide)])
    assert tf.convert_to_tensor(g).numpy().tolist() == [[1, 1], [1, 1], [0, 0]]


def test_a_dense_use_makes_the_sum_dense():
    g = looked_up(tf.Variable(TABLE), lambda t: [tf.gather(t, [0]), t * 2.0])
    assert isinstance(g, tf.Tensor) and g.numpy().tolist() == [[3, 3], [2, 2], [2, 2]]


def test_an_intermediate_table_gets_a_dense_gradient():
    g = looked_up(tf.Variable(TABLE), lambda t: tf.gather(t * 2.0, [0, 0]))
    assert isinstance(g, tf.Tensor) and g.numpy().tolist() == [[4, 4], [0, 0], [0, 0]]


def test_second_order_through_slices():
    v = tf.Variable(TABLE)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.gather(v, [1]) ** 3
        g = inner.gradient(y, v)
        total = tf.reduce_sum(g.values * [[1.0, 10.0]])
    second = tf.convert_to_tensor(outer.gradient(total, v))
    np.testing.assert_allclose(second, [[0, 0], [6 * 3, 10 * 6 * 4], [0, 0]])


def test_no_dense_array_of_the_tables_size_is_made():
    table = tf.Variable(tf.zeros([100_000, 64]))  # a dense gradient would be as large as this
    g = looked_up(table, lambda t: tf.reduce_sum(tf.gather(t, [5, 7])))
    assert isinstance(g, tf.IndexedSlices) and tuple(g.values.shape) == (2, 64)
    assert tuple(g.shape) == (100_000, 64)
