"""Gradients that programs write: `tf.custom_gradient`, `tf.recompute_grad`, `tf.grad_pass_through`."""

from __future__ import annotations

import gc
import inspect
import weakref

import numpy as np
import pytest

import tfgrad_jax as tf


def value_and_gradient(fn, *sources):
    sources = [s if isinstance(s, tf.Variable) else tf.constant(s) for s in sources]
    with tf.GradientTape() as tape:
        tape.watch(sources)
        y = fn(*sources)
    gradients = [None if g is None else np.asarray(g).tolist() for g in tape.gradient(y, sources)]
    return gradients if len(gradients) > 1 else gradients[0]


def times(factor):
    """The identity, with `factor` as its gradient."""

    @tf.custom_gradient
    def fn(x):
        return tf.identity(x), lambda dy: dy * factor

    return fn


def test_replaces_the_gradient_and_chains():
    assert value_and_gradient(lambda x: times(7.0)(x * 2.0) * 3.0, [1.0, 2.0]) == [42.0, 42.0]


def test_several_arguments_and_results():
    @tf.custom_gradient
    def swap(a, b):
        return (b * 1.0, a * 1.0), lambda db, da: (10.0 * da, 100.0 * db)

    assert value_and_gradient(lambda a, b: [t * t for t in swap(a, b)], 2.0, 3.0) == [40.0, 600.0]
    assert isinstance(swap(tf.constant(1.0), tf.constant(2.0)), tuple)


def test_results_that_nobody_used_send_zeros():
    @tf.custom_gradient
    def both(x):
        return (x + 1.0, x + 2.0), lambda a, b: a * 10.0 + b * 100.0

    assert value_and_gradient(lambda x: both(x)[1], [1.0, 2.0]) == [100.0, 100.0]


def test_none_is_not_connected():
    @tf.custom_gradient
    def first(a, b):
        return a * b, lambda dy: (dy, None)

    assert value_and_gradient(first, 2.0, 3.0) == [1.0, None]


@pytest.mark.parametrize("answer", [lambda dy: dy, lambda dy: (dy, dy, dy)])
def test_a_wrong_number_of_gradients_is_refused_when_asked(answer):
    @tf.custom_gradient
    def wrong(a, b):
        return a * b, answer

    with tf.GradientTape() as tape:
        a = tf.constant(1.0)
        tape.watch(a)
        y = wrong(a, a)
    with pytest.raises(ValueError, match="2 gradients"):
        tape.gradient(y, a)


def test_the_result_is_connected_by_the_gradient_function_alone():
    seen = {}

    @tf.custom_gradient
    def hidden(x):
        seen["inside"] = x * x
        return seen["inside"] * 1.0, lambda dy: dy

    v = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        y = hidden(v)
    assert float(tape.gradient(y, v)) == 1.0 and tape.gradient(y, seen["inside"]) is None
    assert float(tape.gradient(seen["inside"], v)) == 6.0  # what leaves the body by another way was recorded


def test_second_order_is_that_of_the_gradient_function():
    @tf.custom_gradient
    def fn(x):
        return x * x, lambda dy: dy * 5.0 * x * x

    x = tf.Variable(2.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = fn(x)
        first = inner.gradient(y, x)
    assert float(first) == 20.0 and float(outer.gradient(first, x)) == 20.0


def test_gradients_of_custom_gradients_may_be_custom():
    @tf.custom_gradient
    def fn(x):
        @tf.custom_gradient
        def first(dy, x):
            return dy * 3.0 * x, lambda ddy: (ddy * 3.0 * x, ddy * 100.0 * dy)

        return x * x, lambda dy: first(dy, x)

    x = tf.Variable(2.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = fn(x)
        g = inner.gradient(y, x)
    assert (float(g), float(outer.gradient(g, x))) == (6.0, 100.0)


def test_nested():
    @tf.custom_gradient
    def outer(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = times(7.0)(x * 2.0)
        g = tape.gradient(y, x)
        return y, lambda dy: dy * g * 10.0

    assert value_and_gradient(outer, 1.0) == 140.0


def test_on_methods():
    class Scale:
        factor = 4.0

        @tf.custom_gradient
        def call(self, x):
            return x * self.factor, lambda dy: (None, dy * self.factor)

        def bound(self, x):
            return x * self.factor, lambda dy: dy * self.factor * 2.0

    assert value_and_gradient(tf.custom_gradient(Scale().bound), 3.0) == 8.0


def test_keyword_arguments_are_constants():
    @tf.custom_gradient
    def scale(x, factor=1.0):
        return x * factor, lambda dy: dy * 10.0

    k = tf.Variable(5.0)
    assert value_and_gradient(lambda x, k: scale(x, factor=k.read_value()), 2.0, k) == [10.0, None]


def test_python_values_as_arguments():
    assert times(2.0)([1.0, 2.0]).numpy().tolist() == [1.0, 2.0] and float(times(2.0)(3.0)) == 3.0


@pytest.mark.parametrize("give", [lambda f: tf.custom_gradient(f), lambda f: tf.custom_gradient()(f)])
def test_the_function_keeps_its_name(give):
    def named(x):
        """Doc."""
        return x * 1.0, lambda dy: dy

    fn = give(named)
    assert (fn.__name__, fn.__doc__) == ("named", "Doc.")


# -- variables ---------------------------------------------------------------------------------------------------------


def test_variables_inside():
    w = tf.Variable(5.0)
    seen = []

    @tf.custom_gradient
    def linear(x):
        def backward(dy, variables=None):
            seen.extend(variables)
            return dy * w, [dy * x * 100.0]

        return x * w, backward

    assert value_and_gradient(lambda x, w: linear(x), 2.0, w) == [5.0, 200.0]
    assert len(seen) == 1 and seen[0] is w


def test_variables_inside_need_an_argument_for_them():
    w = tf.Variable(5.0)
    fn = tf.custom_gradient(lambda x: (x * w, lambda dy: dy))
    with pytest.raises(TypeError, match="variables"), tf.GradientTape():
        fn(tf.constant(1.0))


def test_variables_inside_that_are_not_trainable_are_constants():
    w = tf.Variable(5.0, trainable=False)
    fn = tf.custom_gradient(lambda x: (x * w, lambda dy: dy * w))
    assert value_and_gradient(fn, 2.0) == 5.0


def test_a_wrong_number_of_variable_gradients():
    w = tf.Variable(5.0)

    @tf.custom_gradient
    def linear(x):
        return x * w, lambda dy, variables=None: (dy, [dy, dy])

    with tf.GradientTape() as tape:
        y = linear(tf.constant(2.0))
    with pytest.raises(ValueError, match="variable"):
        tape.gradient(y, w)


def test_a_variable_as_argument():
    v = tf.Variable(2.0)
    assert value_and_gradient(times(3.0), v) == 3.0


# -- exceptions --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("where", ["body", "backward"])
def test_exceptions_propagate_and_leave_no_tape(where):
    @tf.custom_gradient
    def failing(x):
        def backward(dy):
            raise KeyError("backward")

        if where == "body":
            raise KeyError("body")
        return x * x, backward

    v = tf.Variable(2.0)
    with pytest.raises(KeyError, match=where):
        value_and_gradient(failing, v)
    assert value_and_gradient(lambda v: v * v, v) == 4.0
    after = v * v
    with tf.GradientTape() as tape:
        pass
    assert tape.gradient(after, v) is None


# -- recompute_grad ----------------------------------------------------------------------------------------------------


def test_recomputing_runs_again_and_holds_nothing():
    refs = []

    @tf.recompute_grad
    def fn(x):
        middle = tf.exp(x)
        refs.append(weakref.ref(middle))
        return middle * middle

    x = tf.Variable(0.5)
    with tf.GradientTape() as tape:
        y = fn(x)
        y.numpy()
    gc.collect()
    assert [r() for r in refs] == [None]
    np.testing.assert_allclose(tape.gradient(y, x), 2 * np.exp(1.0), rtol=1e-5)
    assert len(refs) == 2


def test_recomputing_with_variables_keywords_and_nests():
    w = tf.Variable([2.0, 3.0])
    fn = tf.recompute_grad(lambda x, scale: {"y": x * w * scale})
    x = tf.constant([1.0, -1.0])
    assert value_and_gradient(lambda x, w: fn(x, scale=10.0), x, w) == [[20.0, 30.0], [10.0, -10.0]]


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
def test_second_derivatives_through_recomputing(wrap):
    w = tf.Variable([2.0, 3.0])

    def twice(f, x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = f(x)
                loss = tf.reduce_sum(y * y)
            first = inner.gradient(loss, [x, w])
        return [*first, *outer.gradient(first, [x, w])]

    def block(x):
        return tf.sin(x) * x * w

    x = tf.constant([0.5, -1.0])
    recomputed = wrap(lambda x: twice(tf.recompute_grad(block), x))(x)
    for a, b in zip(recomputed, twice(block, x), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5)


# -- grad_pass_through -------------------------------------------------------------------------------------------------


def test_passing_through():
    assert value_and_gradient(lambda x: tf.grad_pass_through(tf.round)(x * 1.5) * 2.0, [1.0, 3.0]) == [3.0, 3.0]


def test_passing_through_into_a_variable():
    z = tf.Variable(3.0)
    assert value_and_gradient(lambda x: tf.grad_pass_through(z.assign)(x * x) * 4.0, 3.0) == 24.0
    assert z.numpy() == 9.0


def counted(calls, tag, answer=3.0):
    """The identity, whose gradient function notes that it runs."""

    @tf.custom_gradient
    def fn(x):
        def grad(dy):
            calls.append(tag)
            return None if answer is None else dy * answer

        return x * 1.0, grad

    return fn


HIDDEN = {
    "stop_gradient": lambda o: tf.stop_gradient(o),
    "round": tf.round,
    "integers": lambda o: tf.cast(tf.cast(o, tf.int32), tf.float32),
    "a comparison": lambda o: tf.cast(o > 0.0, tf.float32),
    "no use": lambda o: tf.ones_like(o),
    "a part": lambda o: tf.unstack(tf.stop_gradient(tf.stack([o, o])))[1],
    "a branch": lambda o: tf.cond(tf.reduce_sum(o) > 0.0, lambda: tf.stop_gradient(o), lambda: tf.round(o)),
    "a function": tf.function(lambda o: tf.stop_gradient(o) * 2.0),
    "another gradient": lambda o: counted([], "", None)(o),
}


@pytest.mark.parametrize("in_function", [False, True])
@pytest.mark.parametrize("hide", HIDDEN)
def test_what_is_hidden_does_not_run(hide, in_function):
    calls = []

    def ask(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            o = counted(calls, "upstream")(x)
            y = HIDDEN[hide](o) * x
        return tape.gradient(y, [x, o])

    to_x, to_o = (tf.function(ask) if in_function else ask)(tf.constant([1.0, 2.0]))
    assert to_x is not None and to_o is None and calls == []


def test_what_is_hidden_in_a_function_does_not_run_under_a_tape_outside():
    calls = []
    f = tf.function(lambda x: tf.stop_gradient(counted(calls, "hidden")(x)) * counted(calls, "seen")(x))
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert np.asarray(tape.gradient(y, x)).tolist() == [3.0, 6.0] and calls == ["seen"]


def test_gradients_that_use_each_other_in_a_function():
    @tf.custom_gradient
    def sine(x):
        return tf.sin(x), lambda dy: dy * cosine(x)

    @tf.custom_gradient
    def cosine(x):
        return tf.cos(x), lambda dy: -dy * sine(x)

    x = tf.constant(0.5)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = sine(x)
        first = inner.gradient(y, x)
    assert np.isclose(outer.gradient(first, x), -np.sin(0.5))


def test_its_signature_is_the_functions():
    @tf.custom_gradient
    def scaled(x, by=2.0):
        return x * by, lambda g: (g * by, None)

    assert inspect.getfullargspec(scaled).args == ["x", "by"]
    assert str(inspect.signature(scaled)) == "(x, by=2.0)"


def test_a_gradient_that_calls_its_own_function_comes_to_an_end_in_graphs():
    """As those of Bessel functions, whose gradients are Bessel functions."""

    @tf.custom_gradient
    def power(x):
        return tf.exp(x), lambda dy: dy * power(x)

    call = tf.function(power)

    def derivatives(x, count):
        """The derivatives of the orders from 0 to `count`."""
        if not count:
            return [call(x)]
        with tf.GradientTape() as tape:
            tape.watch(x)
            found = derivatives(x, count - 1)
        return [*found, tape.gradient(found[-1], x)]

    x = tf.constant([0.0, 1.0])
    for found in derivatives(x, 2):
        np.testing.assert_allclose(found, np.exp([0.0, 1.0]), rtol=1e-6)
    with pytest.raises(NotImplementedError, match="'power' has no derivative of order 3") as failed:
        derivatives(x, 3)[-1].numpy()
    assert failed.value.args  # the tapes of that live on with it, and what comes next asks nothing of them
    inside = tf.function(lambda: derivatives(x, 3))
    call = power
    for found in inside():
        np.testing.assert_allclose(found, np.exp([0.0, 1.0]), rtol=1e-6)


def test_gradients_that_run_python_in_functions():
    @tf.custom_gradient
    def square(x):
        def grad(upstream):
            slope = tf.numpy_function(lambda a: a * 2, [x], tf.float32)
            return upstream * tf.ensure_shape(slope, x.shape)

        return x * x, grad

    def twice(x):
        for _ in tf.range(2):
            x = square(x)
        return x

    x = tf.constant([1.0, 2.0])
    inner = tf.function(square)
    for function, wanted in (
        (inner, [2.0, 4.0]),
        (tf.function(lambda x: inner(x) * 2.0), [4.0, 8.0]),
        (tf.function(twice), [4.0, 32.0]),
    ):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        assert tape.gradient(y, x).numpy().tolist() == wanted


def test_gradients_that_ask_which_dimensions_were_repeated():
    @tf.custom_gradient
    def product(x, y):
        def grad(upstream):
            sizes = tf.shape(x), tf.shape(y)
            axes = tf.raw_ops.BroadcastGradientArgs(s0=sizes[0], s1=sizes[1])
            sums = [tf.reduce_sum(upstream * v, axis=a) for v, a in zip((y, x), axes, strict=True)]
            return [tf.reshape(s, size) for s, size in zip(sums, sizes, strict=True)]

        return x * y, grad

    unknown = [tf.TensorSpec([None, None]), tf.TensorSpec([None])]
    x = tf.ones([2, 3])
    for y, wanted in ((tf.constant([1.0, 2.0, 3.0]), [2.0, 2.0, 2.0]), (tf.constant([2.0]), [6.0])):
        with tf.GradientTape() as tape:
            tape.watch(y)
            z = tf.function(product, input_signature=unknown)(x, y)
        assert tape.gradient(z, y).numpy().tolist() == wanted
