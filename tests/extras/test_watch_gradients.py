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
