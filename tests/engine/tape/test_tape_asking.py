"""Asking gradient tapes: targets and sources, seeds, how often, and derivatives of derivatives."""

from __future__ import annotations

import collections

import numpy as np
import pytest

import tfgrad_jax as tf
from conformance.helpers import logged

Pair = collections.namedtuple("Pair", "first second")


def plain(answer):
    """Gradients as nested Python values."""
    return tf.nest.map_structure(lambda g: None if g is None else np.asarray(g).tolist(), answer)


def test_the_answer_has_the_structure_of_the_sources():
    a, b = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        y = a * b
    for sources, expected in [
        (a, 3.0),
        ([a], [3.0]),
        ((b, a), (2.0, 3.0)),
        ({"x": a, "y": [b, (a,)]}, {"x": 3.0, "y": [2.0, (3.0,)]}),
        (Pair(a, [b]), Pair(3.0, [2.0])),
        ([], []),
    ]:
        answer = plain(tape.gradient(y, sources))
        assert answer == expected and type(answer) is type(expected)


def test_each_gradient_has_the_type_of_its_source():
    types = [((2, 3), "float32"), ((3,), "float64"), ((), "float16")]
    sources = [tf.constant(np.ones(shape), dtype) for shape, dtype in types]
    with tf.GradientTape() as tape:
        tape.watch(sources)
        a, b, c = (tf.cast(s, tf.float64) for s in sources)
        y = a * b * c
    gradients = tape.gradient(y, sources)
    assert [(tuple(g.shape), g.dtype.name) for g in gradients] == [
        ((2, 3), "float32"),
        ((3,), "float64"),
        ((), "float16"),
    ]
    assert plain(gradients) == [[[1.0] * 3] * 2, [2.0] * 3, 6.0]


def test_targets_are_summed():
    v = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        y, z = v * v, v * [1.0, 2.0]
    for targets, expected in [([y, z], 7.0), ({"y": y, "z": (z, z)}, 10.0), (z, 3.0), (Pair(y, y), 8.0)]:
        assert float(tape.gradient(targets, v)) == expected
    assert tape.gradient([], v) is None


def test_intermediate_results_are_sources():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    assert plain(tape.gradient(z, [x, y, z])) == [108.0, 18.0, 1.0]


def test_the_gradient_of_a_thing_by_itself_is_one():
    x, v, u = tf.constant([1.0, 2.0]), tf.Variable([3.0, 4.0]), tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * v
    for t in (x, v, y, u):  # `u` was never watched
        assert plain(tape.gradient(t, t)) == [1.0, 1.0]
    assert plain(tape.gradient(x, x, output_gradients=tf.constant([5.0, 6.0]))) == [5.0, 6.0]


def test_every_result_is_a_tensor_of_its_own():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        copies = [tf.identity(x), x + 0.0, x * 1.0, tf.reshape(x, []), tf.cast(x, tf.float32), tf.stop_gradient(x)]
        y = tf.add_n([c * (i + 1.0) for i, c in enumerate(copies)])
    gradients = tape.gradient(y, [x, *copies])
    # A cast to the dtype that it has gives the tensor itself.
    assert plain(gradients) == [15.0, 1.0, 2.0, 3.0, 4.0, 15.0, None]


def test_equal_constants_are_two_tensors():
    a, b = tf.constant(3.0), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(a)
        y = a * b
    assert plain(tape.gradient(y, [a, b])) == [3.0, None]


def test_repeated_targets_and_sources():
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = 2.0 * y
    assert float(tape.gradient([y, y], y)) == 2.0 and float(tape.gradient([y, y], x)) == 12.0
    assert plain(tape.gradient(y, [x, x, (x,)])) == [6.0, 6.0, (6.0,)]
    assert plain(tape.gradient([z, y], [y, x])) == [3.0, 18.0]
    assert float(tape.gradient([z, x], x)) == 13.0


def test_output_gradients():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        total = tf.reduce_sum(x)
    for seed in (
        tf.constant([3.0, 5.0]),
        np.array([3.0, 5.0], np.float32),
        [tf.constant([3.0, 5.0])],
        tf.Variable([3.0, 5.0]),
    ):
        assert plain(tape.gradient(y, x, output_gradients=seed)) == [6.0, 20.0]
    assert plain(tape.gradient(total, x, output_gradients=4.0)) == [4.0, 4.0]
    both = {"a": y, "b": total}
    assert plain(tape.gradient(both, x, {"a": tf.constant([1.0, 0.0]), "b": tf.constant(-1.0)})) == [1.0, -1.0]


@pytest.mark.parametrize("zero", [tf.UnconnectedGradients.ZERO, "zero"])
def test_unconnected_sources(zero):
    x, u = tf.Variable(3.0), tf.Variable([[1.0, 2.0]], dtype=tf.float64)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
    assert tape.gradient(y, [x, u])[1] is tape.gradient(y, u, unconnected_gradients="none") is None
    zeros = tape.gradient(y, u, unconnected_gradients=zero)
    assert zeros.dtype == tf.float64 and plain(zeros) == [[0.0, 0.0]]
    with pytest.raises(ValueError, match="unconnected_gradients"):
        tape.gradient(y, u, unconnected_gradients="nope")


def test_integers_booleans_and_strings_are_not_connected():
    x = tf.Variable([2.5])
    with tf.GradientTape(persistent=True) as tape:
        integer = tf.cast(x, tf.int32)
        through_integer, through_bool = tf.cast(integer, tf.float32) * x, tf.cast(x > 1.0, tf.float32)
        text = tf.strings.as_string(x)
    assert plain(tape.gradient([through_integer, through_bool], x)) == [2.0]
    with logged():
        assert tape.gradient([integer, text], x) is tape.gradient(through_integer, integer) is None


def test_asking_for_integers_warns_once(monkeypatch):
    monkeypatch.setattr("tfgrad_jax.engine.messages.logging._warned", set())
    x = tf.constant(2)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
    with logged() as lines:
        assert tape.gradient(y, x) is tape.gradient(y, x) is None
    # As in the guide; TensorFlow 2.21 itself says so only when its logger is told to say everything.
    assert lines == [
        f"WARNING: The dtype of the {role} tensor must be floating (e.g. tf.float32) "
        "when calling GradientTape.gradient, got tf.int32"
        for role in ("target", "source")
    ]


@pytest.mark.parametrize("asks", ["gradient", "jacobian"])
def test_a_tape_answers_once_unless_it_is_persistent(asks):
    v, w = tf.Variable([2.0]), tf.Variable([3.0])
    with tf.GradientTape() as tape:
        y = v * v
    assert getattr(tape, asks)(y, w) is None
    with pytest.raises(RuntimeError, match="non-persistent GradientTape"):
        getattr(tape, asks)(y, v)
    with tf.GradientTape(persistent=True) as tape:
        y = v * v
        z = y * y
    for target, expected in [(y, 4.0), (z, 32.0), (y, 4.0)]:
        assert np.ravel(getattr(tape, asks)(target, v)).tolist() == [expected]


def test_asking_before_entering_is_like_asking_twice():
    x = tf.constant(1.0)
    with pytest.raises(RuntimeError, match="non-persistent GradientTape"):
        tf.GradientTape().gradient(x, x)


def test_asking_inside_the_context():
    v = tf.Variable(2.0)
    with logged() as lines, tf.GradientTape() as tape:
        y = v * v
        assert float(tape.gradient(y, v)) == 4.0
        later = v * v  # not recorded any more
    assert not lines
    with pytest.raises(RuntimeError):
        tape.gradient(later, v)


def test_a_persistent_tape_records_what_is_asked_inside_and_warns():
    v = tf.Variable(2.0)
    with logged() as lines, tf.GradientTape(persistent=True) as tape:
        y = v * v * v
        first = tape.gradient(y, v)
        second = tape.gradient(first, v)
    assert [line[:60] for line in lines] == ["WARNING: Calling GradientTape.gradient on a persistent tape i"[:60]] * 2
    assert plain([first, second, tape.gradient(second, v)]) == [12.0, 12.0, 6.0]


def test_neither_targets_nor_sources_may_be_anything():
    v = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        y = v * v
    with pytest.raises(TypeError):
        tape.gradient(None, v)
    with pytest.raises(TypeError):
        tape.gradient(y, "v")
    with pytest.raises(AttributeError):
        tape.gradient(3.0, v)


# -- higher orders -----------------------------------------------------------------------------------------------------


def nth_derivative(f, order):
    def derivative(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = nth_derivative(f, order - 1)(x)
        return tape.gradient(y, x)

    return derivative if order else f


def test_any_order():
    values = [float(nth_derivative(lambda x: x * x * x * x, n)(tf.constant(2.0))) for n in range(5)]
    assert values == [16.0, 32.0, 48.0, 48.0, 24.0]


@pytest.mark.parametrize("asked_inside", [True, False])
def test_what_an_outer_tape_sees(asked_inside):
    x = tf.Variable(2.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = x * x * x
        if asked_inside:
            first = inner.gradient(y, x)
    if not asked_inside:
        first = inner.gradient(y, x)
    assert float(first) == 12.0
    second = outer.gradient(first, x)
    assert float(second) == 12.0 if asked_inside else second is None


def test_a_tape_entered_after_the_forward_pass():
    x = tf.constant(2.0)
    with tf.GradientTape() as inner:
        inner.watch(x)
        y = x * x * x
    with tf.GradientTape() as outer:
        outer.watch(x)
        first = inner.gradient(y, x)
    assert float(outer.gradient(first, x)) == 8.0  # the product x*x of before is a constant to it


def test_output_gradients_have_gradients():
    x, seed = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])
    with tf.GradientTape() as outer:
        outer.watch([x, seed])
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x * x
        first = inner.gradient(y, x, output_gradients=seed)
    assert plain(outer.gradient(first, [x, seed])) == [[6.0, 8.0], [2.0, 4.0]]


def test_a_linear_function_has_no_second_derivative():
    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as outer:
        with tf.GradientTape() as inner:
            y = 3.0 * x
        first = inner.gradient(y, x)
    assert outer.gradient(first, x) is None
    assert float(outer.gradient(first, x, unconnected_gradients="zero")) == 0.0
