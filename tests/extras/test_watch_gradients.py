"""`extras.watch_gradients`: norms by variable, and where what is not finite comes from."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import tfgrad_jax as tf


@pytest.fixture(autouse=True, params=["immediate", "fused"])
def _mode(request):
    with tf.extras.execution(request.param):
        yield


def line_of(function, mark):
    lines, first = inspect.getsourcelines(function)
    return f"test_watch_gradients.py:{first + next(i for i, text in enumerate(lines) if mark in text)}"


def test_norms_by_variable_and_step():
    w, b, unused = tf.Variable([3.0, 4.0], name="w"), tf.Variable(1.0, name="b"), tf.Variable(1.0, name="unused")

    @tf.function
    def step(k):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(w * w) * k + b
        return tape.gradient(loss, [w, b, unused])

    with tf.extras.watch_gradients([w, b, unused]) as watch:
        for k in (0.5, 1.0):
            step(tf.constant(k))
    assert watch.norms == {"w": [5.0, 10.0], "b": [1.0, 1.0], "unused": [None, None]}
    assert watch.first is None
    lines = str(watch).splitlines()
    assert lines[0].split() == ["variable", "steps", "first", "last", "min", "max", "None", "not", "finite"]
    assert lines[1].split() == ["w", "2", "5", "10", "5", "10", "0", "0"]
    assert lines[3].split() == ["unused", "2", "2", "0"]
    assert not tf.config.functions_run_eagerly()


def test_gathered_rows_count_once():
    table = tf.Variable(tf.ones([4, 2]), name="table")
    with tf.extras.watch_gradients() as watch, tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.gather(table, [1, 1]))
        tape.gradient(loss, table)
    assert watch.norms == {"table": [pytest.approx(np.sqrt(8.0))]}


def test_nan_of_the_forward_pass_is_located():
    w, x = tf.Variable(2.0, name="w"), tf.Variable(1.0, name="x")
    with tf.extras.watch_gradients() as watch:
        for k in (1.0, -1.0):
            with tf.GradientTape() as tape:
                h = tf.math.log(tf.constant(k))  # log
                loss = h * w + x
            tape.gradient(loss, [w, x])
    step, origin = watch.first
    where = line_of(test_nan_of_the_forward_pass_is_located, "# log")
    assert (step, origin.kind, origin.operation, origin.place) == (1, "NaN", "Log", where)
    assert f"NaN came first from Log at {where} (step 1: gradient of w)" in str(watch)
    assert list(watch.origins) == ["w"]


def test_infinity_of_the_backward_pass_is_located():
    w = tf.Variable(0.0, name="w")
    with tf.extras.watch_gradients(w) as watch:
        with tf.GradientTape() as tape:
            root = tf.sqrt(w)  # root
            loss = root * 2
        tape.gradient(loss, w)
    where = line_of(test_infinity_of_the_backward_pass_is_located, "# root")
    assert f"Inf came first from the gradient of Sqrt at {where}" in str(watch)


def test_a_masked_nan_is_none():
    w = tf.Variable([1.0, 2.0], name="w")
    with tf.extras.watch_gradients(w) as watch:
        with tf.GradientTape() as tape:
            bad = tf.math.log(tf.constant([-1.0, 1.0]))
            loss = tf.reduce_sum(tf.where([False, True], bad, 0.0) + w)
        tape.gradient(loss, w)
    assert watch.first is None


def test_what_was_there_from_the_start_says_so():
    w = tf.Variable(float("nan"), name="w")
    with tf.extras.watch_gradients(w) as watch:
        with tf.GradientTape() as tape:
            loss = w * w
        tape.gradient(loss, w)
    assert "NaN was in a value that no watched operation made" in str(watch)


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
def test_an_overflow_that_no_gradient_shows_is_located_in_the_target(wrap):
    w = tf.Variable([300.0, 1.0], name="w")

    @wrap
    def step():
        with tf.GradientTape() as tape:
            half = tf.cast(w, tf.float16)
            loss = tf.reduce_sum(tf.cast(half * half, tf.float32))  # overflows
        return tape.gradient(loss, w)

    with tf.extras.watch_gradients(w) as watch:
        step()
    assert watch.first is None and watch.target[0] == 0
    place = line_of(test_an_overflow_that_no_gradient_shows_is_located_in_the_target, "# overflows")
    assert str(watch).splitlines()[-1] == f"Inf came first from Mul at {place} (step 0: the target)"


def test_a_gradient_that_takes_cotangents_only_is_found_by_the_types():
    w = tf.Variable([1.0, 2.0], name="w")
    with tf.extras.watch_gradients(w) as watch, tf.GradientTape() as tape:
        half = tf.cast(w, tf.float16)
        loss = tf.reduce_sum(tf.cast(half, tf.float32)) * 1e6  # back
        tape.gradient(loss, w)
    _, origin = watch.first
    place = line_of(test_a_gradient_that_takes_cotangents_only_is_found_by_the_types, "# back")
    assert str(origin) == f"Inf came first from the gradient of Cast at {place}"

    with tf.extras.watch_gradients(w) as watch, tf.GradientTape() as tape:
        a = tf.cast(tf.cast(w, tf.float16), tf.float32)
        b = tf.cast(tf.cast(w, tf.float16), tf.float32)
        tape.gradient(tf.reduce_sum(a + b) * 1e6, w)
    assert str(watch.first[1]).endswith(", where it was asked for"), "two lines are two too many"


def test_an_infinity_that_is_there_and_what_makes_nan_of_it_are_both_told():
    w, mask = tf.Variable([[1.0, 2.0]], name="w"), tf.constant([[-np.inf, -np.inf]])
    with tf.extras.watch_gradients(w) as watch, tf.GradientTape() as tape:
        scores = w + mask  # masked
        tape.gradient(tf.nn.softmax(scores)[:, 0], w)  # softmax
    this = test_an_infinity_that_is_there_and_what_makes_nan_of_it_are_both_told
    assert str(watch.first[1]) == (
        f"Inf was in a value that no watched operation made, used first at {line_of(this, '# masked')}, "
        f"and NaN of it from Softmax at {line_of(this, '# softmax')}"
    )
    x = tf.Variable([0.0, 1.0], name="x")
    with tf.extras.watch_gradients(x) as watch, tf.GradientTape() as tape:
        tape.gradient(tf.math.log(tf.nn.relu(x)), x)
    assert watch.first[1].operation == "the gradient of Log"
    assert watch.first[1].became.startswith("the gradient of Relu at ")
    assert (watch.target[1].operation, watch.target[1].kind) == ("Log", "Inf")


def test_a_model_is_watched_and_others_are_not():
    class Model(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable(1.0, name="w")
            self.frozen = tf.Variable(1.0, name="frozen", trainable=False)

    model, other = Model(), tf.Variable(1.0, name="other")
    with tf.extras.watch_gradients(model) as watch:
        with tf.GradientTape() as tape:
            loss = model.w * other
        tape.gradient(loss, [model.w, other])
    assert watch.norms == {"w": [1.0]}


def test_bad_arguments():
    with pytest.raises(TypeError, match="watch_gradients: expected a model, a variable or a nest of them, got 'int'"):
        tf.extras.watch_gradients(3)
    with pytest.raises(ValueError, match="no variables"):
        tf.extras.watch_gradients([])
    with pytest.raises(ValueError, match="no variables"):
        tf.extras.watch_gradients(tf.Module())
