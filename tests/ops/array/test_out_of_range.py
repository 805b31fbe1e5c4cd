"""Places out of range, for each operation as in TensorFlow: refused, or left out; the figures are TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

X = np.arange(12.0, dtype=np.float32).reshape(4, 3)
U = np.arange(6.0, dtype=np.float32).reshape(2, 3) + 20


def called(f, places, how):
    if how == "eager":
        return f(tf.constant(places))
    signature = [tf.TensorSpec([None] * np.ndim(places), tf.int32)] if how == "open sizes" else None
    return tf.function(f, input_signature=signature)(tf.constant(places))


HOWS = ["eager", "function", "open sizes"]


def dense(i):
    return tf.convert_to_tensor(tf.IndexedSlices(tf.constant(U), i, tf.constant([4, 3])))


@pytest.mark.parametrize("how", HOWS)
def test_rows_of_slices(how):
    assert called(dense, [1, -1], how).numpy().tolist() == [[0] * 3, [20, 21, 22], [0] * 3, [0] * 3]
    for f in (dense, lambda i: tf.IndexedSlices(tf.constant(U), i, tf.constant([4, 3])) + tf.constant(X)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="4 is out of range"):
            called(f, [1, 4], how)
    with pytest.raises(tf.errors.InvalidArgumentError):
        called(
            lambda i: tf.add_n([-tf.IndexedSlices(tf.constant(U), i, tf.constant([4, 3])), tf.constant(X)]), [9, 1], how
        )


def test_rows_of_a_lookup_need_no_second_look():
    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.gather(x, [3, 3]) * 2
    slices = tape.gradient(y, x)
    assert slices.within and (-slices).within
    assert tf.convert_to_tensor(slices).numpy()[:, 0].tolist() == [0, 0, 0, 4]


IGNORED = {
    "gather_nd": (lambda i, **k: tf.gather_nd(X, i, **k), [X[1].tolist(), [0] * 3]),
    "scatter_nd": (lambda i, **k: tf.scatter_nd(i, U, [4, 3], **k), [[0] * 3, [20, 21, 22], [0] * 3, [0] * 3]),
    "add": (lambda i, **k: tf.tensor_scatter_nd_add(X, i, U, **k), [*X[:1].tolist(), [23, 25, 27], *X[2:].tolist()]),
    "sub": (lambda i, **k: tf.tensor_scatter_nd_sub(X, i, U, **k), [X[0].tolist(), [-17] * 3, *X[2:].tolist()]),
    "max": (lambda i, **k: tf.tensor_scatter_nd_max(X, i, U, **k), [X[0].tolist(), [20, 21, 22], *X[2:].tolist()]),
    "min": (lambda i, **k: tf.tensor_scatter_nd_min(X, i, -U, **k), [X[0].tolist(), [-20, -21, -22], *X[2:].tolist()]),
    "words": (lambda i, **k: tf.scatter_nd(i, ["a", "b"], [4], **k), [b"", b"a", b"", b""]),
    "picked words": (lambda i, **k: tf.gather_nd(tf.constant(["a", "b", "c", "d"]), i, **k), [b"b", b""]),
}


@pytest.mark.parametrize("how", HOWS[:2])
@pytest.mark.parametrize("outside", [-1, 4])
@pytest.mark.parametrize("name", list(IGNORED))
def test_what_is_told_to_ignore_them(name, outside, how):
    f, wanted = IGNORED[name]
    found = called(lambda i: f(i, bad_indices_policy="IGNORE"), [[1], [outside]], how)
    assert found.numpy().tolist() == wanted
    with pytest.raises(tf.errors.InvalidArgumentError):
        called(f, [[1], [outside]], how)


@pytest.mark.parametrize("outside", [-1, 4])
def test_gradients_of_what_ignores_them(outside):
    i, x, u = tf.constant([[1, 0], [outside, 2]]), tf.constant(X), tf.constant([5.0, 7.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, u])
        picked = tf.gather_nd(x, i, bad_indices_policy="IGNORE") * [2.0, 3.0]
        largest = tf.tensor_scatter_nd_max(x, i, u, bad_indices_policy="IGNORE")
    assert np.argwhere(tape.gradient(picked, x).numpy()).tolist() == [[1, 0]]
    assert [g.numpy().sum() for g in tape.gradient(largest, [x, u])] == [11, 1]
    assert called(lambda i: tf.gather_nd(X, i, bad_indices_policy="IGNORE"), [[[1, 0]]], "open sizes").numpy() == 3


def test_places_of_no_number():
    assert tf.unravel_index([-5, 3], [4, 3]).numpy().tolist() == [[-1, 1], [-2, 0]]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.unravel_index([12], [4, 3])
    beyond = tf.sparse.reshape(tf.SparseTensor([[5, 1]], [1.0], [4, 3]), [3, 4])
    assert beyond.indices.numpy().tolist() == [[4, 0]]  # and not within the shape, where it would hit another element


@pytest.mark.parametrize("how", [lambda f: f, tf.function], ids=["eager", "function"])
def test_moves_and_axes_must_be_of_one_rank(how):
    for shift, axis in ((1, [0]), ([1], 0)):
        with pytest.raises((tf.errors.InvalidArgumentError, ValueError)):
            how(lambda s=shift, a=axis: tf.roll(tf.constant(X), s, a))()
    assert how(lambda: tf.roll(tf.constant([1, 2, 3]), [1], [0]))().numpy().tolist() == [3, 1, 2]


def test_elements_of_ragged_rows_by_dense_places_are_dense():
    rows = tf.ragged.constant([[1], [2, 3]])
    found = tf.gather(rows, [[0, 0], [1, 0]], batch_dims=1)
    assert isinstance(found, tf.Tensor) and found.numpy().tolist() == [[1, 1], [3, 2]]
    assert tf.gather(rows, [0, 1], batch_dims=1).numpy().tolist() == [1, 3]
    assert tf.gather(rows, tf.ragged.constant([[0], [1, 1]]), batch_dims=1).to_list() == [[1], [3, 3]]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.math.unsorted_segment_sqrt_n([1, 2], [0, 0], 1)
