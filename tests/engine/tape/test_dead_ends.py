"""Operations without gradient: their results are on the tape, what lies before them is not connected."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import tfgrad_jax as tf

ROUNDED = {
    "round": tf.round,
    "floor": tf.floor,
    "ceil": tf.math.ceil,
    "rint": tf.math.rint,
    "floordiv": lambda x: x // 0.5,
    "ones_like": tf.ones_like,
    "zeros_like": tf.zeros_like,
    "range": lambda x: tf.range(x[0], x[0] + 3.0),
    "angle": tf.math.angle,
    "hsv_to_rgb": lambda x: tf.image.hsv_to_rgb(tf.stack([x, x, x], -1)),
}


def asked(f, in_function=False, **options):
    """The gradients of `2 f(x)` with respect to `f(x)` and to `x`, and of `[2 f(x), f(x)]` with respect to both."""

    def run(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            t = f(x)
            y = t * 2.0
        answers = tape.gradient(y, t), tape.gradient(y, x), *tape.gradient([y, t], [t, x])
        return [None if a is None else a for a in answers]

    x = tf.constant([0.3, 0.7])
    answers = (tf.function(run) if in_function else run)(x)
    return [None if a is None else np.unique(a).tolist() for a in answers]


@pytest.mark.parametrize("name", ROUNDED)
def test_results_are_on_the_tape(name):
    assert asked(ROUNDED[name]) == [[2.0], None, [3.0], None]


@pytest.mark.parametrize("name", ["round", "floor", "floordiv", "hsv_to_rgb"])
def test_results_are_on_the_tape_in_a_function(name):
    assert asked(ROUNDED[name], in_function=True) == [[2.0], None, [3.0], None]


@pytest.mark.parametrize(
    "f",
    [
        tf.stop_gradient,
        lambda x: tf.cast(x > 0.5, tf.float32),
        lambda x: tf.cast(tf.cast(x, tf.int32), tf.float32),
        lambda x: tf.cast(tf.argmax(x), tf.float32),
        lambda x: tf.constant([1.0, 2.0]),
        lambda x: tf.constant(np.ones(2, np.float32)),
        tf.math.zero_fraction,
    ],
)
@pytest.mark.parametrize("in_function", [False, True])
def test_what_is_cut_is_a_constant(f, in_function):
    assert asked(f, in_function) == [None, None, [1.0], None]


def test_a_path_beside_one_is_not_lost():
    x = tf.constant([0.3, 0.7])
    with tf.GradientTape() as tape:
        tape.watch(x)
        t = tf.round(x)
        u = t * x
        y = u * t
    to_x, to_t, to_u = tape.gradient(y, [x, t, u])
    assert np.allclose(to_x, np.round([0.3, 0.7]) ** 2)
    assert np.allclose(to_t, 2 * np.round([0.3, 0.7]) * [0.3, 0.7])
    assert np.allclose(to_u, np.round([0.3, 0.7]))


def test_a_variable_that_is_assigned_stays_apart():
    v, w = tf.Variable(1.0, trainable=False), tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        v.assign(w * 2.0)
        v.assign_add(w)
        y = v * w
    assert tape.gradient(y, v) is None
    assert float(tape.gradient(y, w)) == 6.0


def test_second_order_through_a_rounded_value():
    x = tf.constant(1.2)
    with tf.GradientTape() as outer:
        outer.watch(x)
        t = tf.round(x)
        with tf.GradientTape() as inner:
            inner.watch(t)
            y = t * t * x
        first = inner.gradient(y, t)
    assert float(first) == pytest.approx(2.4)
    assert float(outer.gradient(first, x)) == 2.0


def test_second_order_with_respect_to_a_rounded_value():
    x = tf.constant(1.2)
    with tf.GradientTape() as outer:
        outer.watch(x)
        t = tf.round(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = t * x * x
        first = inner.gradient(y, x)
    assert float(outer.gradient(first, t)) == pytest.approx(2.4)


def test_jacobians_with_respect_to_a_rounded_value():
    x = tf.constant([[0.3, 1.7]])
    for ask in ("jacobian", "batch_jacobian"):
        with tf.GradientTape() as tape:
            tape.watch(x)
            t = tf.round(x)
            y = t * [[2.0, 3.0]]
        assert np.asarray(getattr(tape, ask)(y, t)).reshape(2, 2).tolist() == [[2.0, 0.0], [0.0, 3.0]]


def test_gradients_of_a_graph():
    @tf.function
    def f(x):
        t = tf.round(x)
        return tf.gradients(t * 2.0 + x, [t, x]), tf.gradients(t * 2.0, x) == [None]

    (to_t, to_x), unconnected = f(tf.constant([0.3]))
    assert to_t.numpy() == 2.0 and to_x.numpy() == 1.0 and unconnected


def test_forward_mode_has_no_tangent_there():
    x = tf.constant(1.2)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:
        t = tf.round(x)
        y = t * x
    assert acc.jvp(t) is None
    assert float(acc.jvp(y)) == 1.0


def test_the_result_of_a_function_is_on_the_tape():
    @tf.function
    def f(x):
        return tf.round(x)

    assert asked(f) == [[2.0], None, [3.0], None]


def test_nothing_is_held():
    held = []
    v = tf.Variable([1.0, 2.0])
    tape = tf.GradientTape(persistent=True)
    with tape:
        x = v * 1.0
        t = tf.round(x + 1.0)
        held += [weakref.ref(t), weakref.ref(x)]
    np.asarray(t)
    del t, x
    gc.collect()
    assert [ref() for ref in held] == [None, None]


def test_a_poisson_draw_has_no_gradient_registered():
    lam = tf.constant([2.0])
    with tf.GradientTape() as tape:
        tape.watch(lam)
        y = tf.random.poisson([1], lam)
    with pytest.raises(LookupError, match="RandomPoissonV2"):
        tape.gradient(y, lam)
