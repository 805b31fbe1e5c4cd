"""Jacobians of tapes: shapes, structure, both ways to compute them, and batches."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf
from tfgrad_jax.engine.tape import jacobian

BOTH = pytest.mark.parametrize("pfor", [True, False])


def taped(fn, *sources, persistent=True):
    with tf.GradientTape(persistent) as tape:
        tape.watch(sources)
        y = fn(*sources)
    return tape, y


@BOTH
def test_the_shape_is_the_targets_and_then_the_sources(pfor):
    x = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    tape, y = taped(lambda x: tf.reduce_sum(x * x, 1), x)
    j = tape.jacobian(y, x, experimental_use_pfor=pfor, parallel_iterations=3)
    assert j.numpy().tolist() == [[[2, 4, 6], [0, 0, 0]], [[0, 0, 0], [8, 10, 12]]]


@BOTH
def test_scalars(pfor):
    x, v = tf.constant(2.0), tf.constant([1.0, 3.0])
    tape, y = taped(lambda x, v: x * v, x, v)
    assert tape.jacobian(y, x, experimental_use_pfor=pfor).numpy().tolist() == [1, 3]
    tape, y = taped(lambda x, v: tf.reduce_sum(x * v), x, v)
    assert tape.jacobian(y, v, experimental_use_pfor=pfor).numpy().tolist() == [2, 2]


@BOTH
def test_structure_and_what_is_not_connected(pfor):
    x, u = tf.Variable([1.0, 2.0]), tf.Variable([[5.0]])
    tape, y = taped(lambda x: x * [3.0, 4.0], x)
    j = tape.jacobian(y, {"x": x, "more": (u, [x])}, experimental_use_pfor=pfor)
    assert j["more"][0] is None and j["x"].numpy().tolist() == j["more"][1][0].numpy().tolist() == [[3, 0], [0, 4]]


def test_zeros_where_not_connected():
    x, u = tf.Variable([1.0, 2.0]), tf.Variable([[5.0]])
    tape, y = taped(lambda x: x * x, x)
    zeros = tape.jacobian(y, u, unconnected_gradients="zero")
    assert zeros.shape == (2, 1, 1) and not zeros.numpy().any()
    with pytest.raises(ValueError):
        tape.jacobian(y, u, unconnected_gradients="nope")


def test_dtypes():
    x = tf.constant([1.0, 2.0], tf.float64)
    tape, y = taped(lambda x: tf.cast(x, tf.float32) ** 2, x)
    j = tape.jacobian(y, x)
    assert j.dtype == tf.float64 and j.numpy().tolist() == [[2, 0], [0, 4]]


def test_integer_targets_are_not_connected():
    x = tf.constant([1.5])
    tape, _ = taped(lambda x: x * x, x)
    assert tape.jacobian(tf.constant([1]), x) is None


def test_of_a_thing_by_itself():
    x = tf.constant([1.0, 2.0])
    tape, y = taped(lambda x: x * x, x)
    assert tape.jacobian(x, x).numpy().tolist() == tape.jacobian(y, y).numpy().tolist() == [[1, 0], [0, 1]]


def test_row_by_row_needs_a_persistent_tape():
    x = tf.constant([1.0, 2.0])
    tape, y = taped(lambda x: x * x, x, persistent=False)
    with pytest.raises(RuntimeError, match="persistent=True"):
        tape.jacobian(y, x, experimental_use_pfor=False)


def test_inside_the_context():
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = x**3
        j = tape.jacobian(y, x)
    assert j.numpy().tolist() == [[3, 0], [0, 12]]


@BOTH
def test_jacobians_have_gradients(pfor):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as outer:
        with tf.GradientTape(persistent=True) as inner:
            y = x**3
        j = inner.jacobian(y, x, experimental_use_pfor=pfor)
        total = tf.reduce_sum(j * [[1.0, 100.0], [100.0, 10.0]])
    assert outer.gradient(total, x).numpy().tolist() == [6, 120]


def test_through_gradients_that_programs_write():
    @tf.custom_gradient
    def triple(x):
        return x * 1.0, lambda dy: dy * 3.0

    x = tf.constant([1.0, 2.0])
    tape, y = taped(lambda x: triple(x) * [1.0, 10.0], x)
    assert tape.jacobian(y, x).numpy().tolist() == [[3, 0], [0, 30]]


def test_through_lookups():
    v = tf.Variable([1.0, 2.0, 3.0])
    tape, y = taped(lambda v: tf.gather(v, [2, 0]) ** 2, v)
    assert tape.jacobian(y, v).numpy().tolist() == [[0, 0, 6], [2, 0, 0]]


def test_equal_tapes_share_a_program():
    def ask(value):
        x = tf.constant([value, value])
        tape, y = taped(lambda x: tf.sin(x) * x[0], x)
        return tape.jacobian(y, x).numpy()

    ask(1.0)
    programs = len(jacobian._programs)
    j = ask(2.0)
    assert len(jacobian._programs) == programs
    s, c = np.sin(2.0), np.cos(2.0)
    np.testing.assert_allclose(j, [[s + 2 * c, 0], [s, 2 * c]], rtol=1e-5)


# -- batches -----------------------------------------------------------------------------------------------------------


@BOTH
def test_examples_are_kept_apart(pfor):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    tape, y = taped(lambda x: tf.stack([x[:, 0] * x[:, 1], x[:, 1], x[:, 0] ** 2], 1), x)
    j = tape.batch_jacobian(y, x, experimental_use_pfor=pfor)
    assert j.numpy().tolist() == [[[b, a], [0, 1], [2 * a, 0]] for a, b in ((1, 2), (3, 4), (5, 6))]


@BOTH
def test_batches_of_matrices(pfor):
    x = tf.constant(np.arange(8.0, dtype=np.float32).reshape(2, 2, 2))
    tape, y = taped(lambda x: x * x, x)
    j = tape.batch_jacobian(y, x, experimental_use_pfor=pfor).numpy()
    assert j.shape == (2, 2, 2, 2, 2)
    assert np.einsum("bijij->bij", j).tolist() == (2 * x).numpy().tolist() and np.count_nonzero(j) == 7


def test_batches_that_are_not_connected_are_zeros():
    x, u = tf.constant([[1.0, 2.0]]), tf.constant([[3.0, 4.0, 5.0]])
    tape, y = taped(lambda x, u: x * x, x, u)
    assert tape.batch_jacobian(y, u).numpy().tolist() == [[[0, 0, 0], [0, 0, 0]]]


@pytest.mark.parametrize(("target", "source"), [((2,), (2,)), ((2, 1), (2,)), ((2,), (2, 1)), ((3, 2), (2, 2))])
def test_batches_that_do_not_fit(target, source):
    x, y = tf.ones(source), tf.ones(target)
    tape, _ = taped(lambda x: x * x, x)
    with pytest.raises(ValueError):
        tape.batch_jacobian(y, x)


def test_numbers_are_no_batches():
    x = tf.constant(1.0)
    tape, y = taped(lambda x: x * x, x)
    with pytest.raises(IndexError):
        tape.batch_jacobian(y, x)


@pytest.mark.parametrize("in_function", [False, True])
@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("shape", [(0, 2), (2, 0), (0, 0)])
def test_nothing_at_all(shape, at_once, in_function):
    def ask(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x * x
        return (
            tape.jacobian(y, x, experimental_use_pfor=at_once),
            tape.batch_jacobian(y, x, experimental_use_pfor=at_once),
        )

    full, batched = (tf.function(ask) if in_function else ask)(tf.ones(shape))
    assert full.shape == shape + shape and batched.shape == shape + shape[1:]


def test_with_respect_to_nothing():
    x = tf.ones([2])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    for nest in ([], (), {}, [[]], {"a": []}):
        assert tape.jacobian(y, nest) == nest
        assert tape.jacobian(y, nest, experimental_use_pfor=False) == nest


@pytest.mark.parametrize("at_once", [True, False])
def test_of_integers_is_zeros_in_a_batch(at_once):
    x = tf.ones([2, 3])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.cast(x, tf.int32)
    assert tape.jacobian(y, x, experimental_use_pfor=at_once) is None
    answer = tape.batch_jacobian(y, x, experimental_use_pfor=at_once)
    assert answer.shape == (2, 3, 3) and not answer.numpy().any()
