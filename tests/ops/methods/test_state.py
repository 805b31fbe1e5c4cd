"""The methods of variables that read or change some of their elements."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf


def variable(dtype=np.float32):
    return tf.Variable(np.array([1, 2, 3, 4], dtype))


ROWS = {
    "add": [1, 12.5, 3, 4],
    "sub": [1, -8.5, 3, 4],
    "update": [1, 0.5, 3, 4],
    "max": [1, 10, 3, 4],
    "min": [1, 0.5, 3, 4],
    "mul": [1, 10, 3, 4],
    "div": [1, 0.4, 3, 4],
}


@pytest.mark.parametrize("how", ROWS)
def test_scatter_combines_what_comes_twice(how):
    v = variable()
    returned = getattr(v, f"scatter_{how}")(tf.IndexedSlices(tf.constant([10.0, 0.5]), tf.constant([1, 1])))
    np.testing.assert_allclose(v.numpy(), ROWS[how], rtol=1e-6)
    np.testing.assert_allclose(returned.numpy(), ROWS[how], rtol=1e-6)
    assert returned.name == "UnreadVariable"


@pytest.mark.parametrize("how", ["add", "sub", "update", "max", "min"])
def test_scatter_nd(how):
    v = variable()
    getattr(v, f"scatter_nd_{how}")([[1], [1]], [10.0, 0.5])
    np.testing.assert_allclose(v.numpy(), ROWS[how], rtol=1e-6)


def test_rows_of_matrices():
    v = tf.Variable(np.zeros((3, 2), np.float32))
    v.scatter_add(tf.IndexedSlices([[1.0, 2.0], [3.0, 4.0]], [2, 2]))
    v.scatter_nd_update([[0, 1]], [9.0])
    v.scatter_nd_update([[1]], [[7.0, 8.0]])
    assert v.numpy().tolist() == [[0, 9], [7, 8], [4, 6]]
    v.scatter_add(tf.IndexedSlices(tf.constant(1.0), tf.constant([[0], [1]])))
    assert v.numpy().tolist() == [[1, 10], [8, 9], [4, 6]]


def test_integers_divide_towards_zero():
    v = variable(np.int32)
    v.scatter_div(tf.IndexedSlices([2, -3], [0, 3]))
    assert v.numpy().tolist() == [0, 2, 3, -1]


def test_other_dtypes():
    b = tf.Variable([True, False])
    b.scatter_update(tf.IndexedSlices([True], [1]))
    s = tf.Variable(["a", "b"])
    s.scatter_nd_update([[1]], ["z"])
    assert b.numpy().tolist() == [True, True] and s.numpy().tolist() == [b"a", b"z"]


SLICES = tf.IndexedSlices


@pytest.mark.parametrize(
    "call, error, says",
    [
        (
            lambda v: v.scatter_add(SLICES(tf.constant([1.0]), tf.constant([9]))),
            tf.errors.InvalidArgumentError,
            r"indices\[0\] = 9",
        ),
        (
            lambda v: v.scatter_add(SLICES(tf.constant([1.0]), tf.constant([-1]))),
            tf.errors.InvalidArgumentError,
            "= -1 is not in",
        ),
        (lambda v: v.scatter_add(SLICES(tf.ones([3]), tf.constant([0, 1]))), tf.errors.InvalidArgumentError, "prefix"),
        (lambda v: v.scatter_add(SLICES(tf.constant([1]), tf.constant([0]))), ValueError, "dtype"),
        (
            lambda v: v.scatter_add(SLICES(tf.ones([1]), tf.constant([0], tf.int16))),
            tf.errors.InvalidArgumentError,
            "int16",
        ),
        (lambda v: v.scatter_add(tf.constant(1.0)), TypeError, "IndexedSlices"),
        (lambda v: v.scatter_nd_add([[9]], [1.0]), tf.errors.InvalidArgumentError, "does not index into"),
        (lambda v: v.scatter_nd_add([[1]], [1.0, 2.0]), tf.errors.InvalidArgumentError, "must match"),
        (lambda v: v.scatter_nd_add([[1, 1]], [1.0]), tf.errors.InvalidArgumentError, "must match"),
        (lambda v: v.sparse_read([5]), tf.errors.InvalidArgumentError, "is not in"),
        (lambda v: v.count_up_to(3), tf.errors.InvalidArgumentError, "float"),
    ],
)
def test_what_does_not_fit_leaves_the_variable(call, error, says):
    v = variable()
    with pytest.raises(error, match=says):
        call(v)
    assert v.numpy().tolist() == [1, 2, 3, 4]


def test_batch_scatter_update():
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    v.batch_scatter_update(tf.IndexedSlices(tf.constant([[9.0], [8.0]]), tf.constant([[0], [1]])))
    assert v.numpy().tolist() == [[9, 2], [3, 8]]
    with pytest.raises(tf.errors.InvalidArgumentError):
        v.batch_scatter_update(tf.IndexedSlices(tf.constant([[9.0], [8.0]]), tf.constant([[0], [7]])))
    assert v.numpy().tolist() == [[9, 2], [3, 8]]


def test_reads():
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape(persistent=True) as tape:
        rows, elements = v.sparse_read([1, 1]), v.gather_nd([[0, 1]])
    assert rows.numpy().tolist() == [[3, 4], [3, 4]] and elements.numpy().tolist() == [2]
    assert isinstance(tape.gradient(rows, v), tf.IndexedSlices)
    assert tape.gradient(elements, v).numpy().tolist() == [[0, 1], [0, 0]]


def test_count_up_to():
    v = tf.Variable(0)
    assert [int(v.count_up_to(2)), int(v.count_up_to(2))] == [0, 1]
    with pytest.raises(tf.errors.OutOfRangeError, match="limit of 2"):
        v.count_up_to(2)
    assert v.numpy() == 2


def test_tapes_see_the_value_read_afterwards():
    v, u = variable(), tf.constant([5.0])
    with tf.GradientTape() as tape:
        tape.watch(u)
        y = v.scatter_update(tf.IndexedSlices(u, tf.constant([0]))) * 2.0
    assert tape.gradient(y, u) is None
    with tf.GradientTape() as tape:
        y = v.scatter_nd_add([[0]], [1.0]) * 2.0
    assert tape.gradient(y, v).numpy().tolist() == [2, 2, 2, 2]


def test_a_scalar_has_no_rows():
    v = tf.Variable(1.0)
    for how in ("add", "max", "update"):
        with pytest.raises(tf.errors.InvalidArgumentError, match="is a scalar, which has no rows"):
            getattr(v, f"scatter_{how}")(tf.IndexedSlices(tf.constant([1.0]), tf.constant([0])))
    assert v == 1.0
