"""`tf.compat.v1`'s `while_loop`, `cond` and `case`, which take and return single values in place of lists."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

v1 = tf.compat.v1


def both(f):
    """The answer eagerly and in a function."""
    return [
        tf.nest.map_structure(lambda t: np.asarray(t).tolist(), answer)
        for answer in (f(), tf.function(f, autograph=False)())
    ]


def below(n):
    return lambda i, *rest: i < n


@pytest.mark.parametrize("start", [tf.constant(0), 0])
def test_a_loop_over_a_scalar(start):
    assert both(lambda: v1.while_loop(below(3), lambda i: i + 1, [start])) == [3, 3]


def test_a_loop_over_a_list_of_one():
    assert both(lambda: v1.while_loop(below(3), lambda i: [i + 1], [tf.constant(0)])) == [[3], 3]
    same = lambda: v1.while_loop(below(3), lambda i: [i + 1], [tf.constant(0)], return_same_structure=True)  # noqa: E731
    assert both(same) == [[3], [3]]


def test_a_loop_over_two():
    assert both(lambda: v1.while_loop(below(3), lambda i, j: (i + 1, j * 2), [tf.constant(0), tf.constant(1)])) == [
        (3, 8),
        [3, 8],
    ]


def test_a_loop_with_a_bound():
    for bound, end in ((4, 4), (0, 0)):
        assert both(
            lambda: v1.while_loop(below(30), lambda i: i + 1, [tf.constant(0)], maximum_iterations=bound)  # noqa: B023
        ) == [end, end]


def test_the_gradient_of_a_loop_over_a_scalar():
    def f():
        x = tf.constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = v1.while_loop(lambda y: y < 20.0, lambda y: y * x, [x])
        return y, tape.gradient(y, x)

    assert both(f) == [(32.0, 80.0), (32.0, 80.0)]


def test_errors_of_loops():
    with pytest.raises(TypeError, match="iterate over a scalar"):  # the present one takes no single value eagerly
        tf.while_loop(below(3), lambda i: i + 1, [tf.constant(0)])
    with pytest.raises(TypeError, match="callable"):
        v1.while_loop(3, lambda i: i, [tf.constant(0)])
    with pytest.raises(ValueError, match="loop_vars"):
        v1.while_loop(lambda: False, lambda: (), [])
    with pytest.raises(ValueError, match="structure"):
        tf.function(lambda: tf.while_loop(lambda d: d["a"] < 3, lambda d: {"a": d["a"] + 1}, [{"a": tf.constant(0)}]))()


def test_branches_of_one_value():
    true = tf.constant(True)
    assert both(lambda: v1.cond(true, lambda: [tf.constant(1.0)], lambda: [tf.constant(2.0)])) == [1.0, [1.0]]
    assert both(lambda: v1.cond(true, lambda: [tf.constant(1.0)], lambda: [tf.constant(2.0)], strict=True)) == [
        [1.0],
        [1.0],
    ]
    assert both(lambda: v1.cond(true, fn1=lambda: tf.constant(1.0), fn2=lambda: tf.constant(2.0))) == [1.0, 1.0]
    pairs = [(tf.constant(False), lambda: [tf.constant(1.0)])]
    assert both(lambda: v1.case(pairs, default=lambda: [tf.constant(3.0)])) == [3.0, [3.0]]
    assert both(lambda: v1.case(pairs, default=lambda: [tf.constant(3.0)], strict=True)) == [[3.0], [3.0]]


def test_errors_of_branches():
    one = lambda: tf.constant(1.0)  # noqa: E731
    with pytest.raises(TypeError, match="simultaneously"):
        v1.cond(tf.constant(True), one, one, fn1=one)
    with pytest.raises(TypeError, match="'false_fn' is required"):
        v1.cond(tf.constant(True), one)


@pytest.mark.parametrize("in_function", [False, True])
def test_a_vectorized_map_draws_and_asserts(in_function):
    def f():
        def row(r):
            tf.debugging.assert_positive(r)
            return r + tf.random.uniform([2])

        return tf.vectorized_map(row, tf.constant([[1.0, 2.0], [3.0, 4.0]]), fallback_to_while_loop=False)

    drawn = np.asarray((tf.function(f) if in_function else f)()) - [[1.0, 2.0], [3.0, 4.0]]
    assert drawn.shape == (2, 2) and len(np.unique(drawn)) == 4 and (drawn >= 0).all() and (drawn < 1).all()


def test_a_vectorized_map_that_assigns_is_refused():
    v = tf.Variable(0.0, name="total")
    with pytest.raises(ValueError, match="total"):
        tf.vectorized_map(v.assign_add, tf.constant([1.0, 2.0]), fallback_to_while_loop=False)
