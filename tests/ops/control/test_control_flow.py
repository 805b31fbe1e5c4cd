"""Choosing and repeating: eagerly, in functions, with gradients of both orders."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf
from tfgrad_jax.engine.control import loop_program
from tfgrad_jax.engine.control.counting import iterations

WRAPS = [lambda f: f, tf.function]
IDS = ["eager", "function"]


@pytest.mark.parametrize("wrap", WRAPS, ids=IDS)
def test_cond_and_its_gradient(wrap):
    f = wrap(lambda x: tf.cond(x > 0, lambda: x * x, lambda: -x))
    for value, slope in ((3.0, 6.0), (-2.0, -1.0)):
        x = tf.constant(value)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        assert float(tape.gradient(y, x)) == slope


def test_cond_refuses_in_a_graph_what_tensorflow_refuses():
    with pytest.raises(TypeError):
        tf.function(lambda x: tf.cond(x > 0, lambda: x, lambda: tf.constant(1)))(tf.constant(1.0))
    with pytest.raises(ValueError):
        tf.function(lambda x: tf.cond(x > 0, lambda: None, lambda: x))(tf.constant(1.0))


@pytest.mark.parametrize("wrap", WRAPS, ids=IDS)
def test_switch_case_out_of_range_takes_the_last(wrap):
    f = wrap(lambda i: tf.switch_case(i, [lambda: tf.constant(1), lambda: tf.constant(2)]))
    assert [int(f(tf.constant(i))) for i in (0, 1, 5, -5)] == [1, 2, 2, 2]


@pytest.mark.parametrize("wrap", WRAPS, ids=IDS)
def test_while_loop_of_unknown_length_to_second_order(wrap):
    w = tf.Variable(1.3)

    @wrap
    def f(x, n):
        return tf.while_loop(
            lambda i, s: i < n, lambda i, s: (i + 1, tf.tanh(s * w) + 0.1 * s * s), (tf.constant(0), x)
        )[1]

    x = tf.constant(0.3)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x, tf.constant(6))
        slope = inner.gradient(y, x)
    bend = outer.gradient(slope, x)
    s, d1, d2 = 0.3, 1.0, 0.0
    for _ in range(6):
        t = np.tanh(1.3 * s)
        a, b = 1.3 * (1 - t * t) + 0.2 * s, -2 * 1.69 * t * (1 - t * t) + 0.2
        s, d1, d2 = t + 0.1 * s * s, a * d1, b * d1 * d1 + a * d2
    np.testing.assert_allclose([y, slope, bend], [s, d1, d2], rtol=1e-4)


def test_while_loop_keeps_types_in_a_graph():
    with pytest.raises(ValueError):
        tf.function(lambda x: tf.while_loop(lambda x: True, lambda x: tf.concat([x, x], 0), [x]))(tf.constant([0.0]))
    with pytest.raises(TypeError):
        tf.function(lambda x: tf.while_loop(lambda x: True, lambda x: tf.cast(x, tf.int64), [x]))(tf.constant(0))


@pytest.mark.parametrize("wrap", WRAPS, ids=IDS)
def test_map_scan_and_fold(wrap):
    x = tf.constant([1, 2, 3])
    assert wrap(lambda x: tf.map_fn(lambda a: a * 2, x))(x).numpy().tolist() == [2, 4, 6]
    assert wrap(lambda x: tf.vectorized_map(lambda a: a * 2, x))(x).numpy().tolist() == [2, 4, 6]
    assert wrap(lambda x: tf.scan(lambda a, b: a + b, x))(x).numpy().tolist() == [1, 3, 6]
    assert wrap(lambda x: tf.scan(lambda a, b: a - b, x, reverse=True))(x).numpy().tolist() == [0, 1, 3]
    assert int(wrap(lambda x: tf.foldl(lambda a, b: a * 10 + b, x))(x)) == 123
    assert int(wrap(lambda x: tf.foldr(lambda a, b: a * 10 + b, x))(x)) == 321


def test_variables_written_in_branches_and_loops():
    v = tf.Variable(1.0)

    @tf.function
    def f(x):
        for _ in tf.range(3):
            v.assign_add(x)
        if x > 0:
            v.assign(v * 2.0)
        return v + 0.0

    assert float(f(tf.constant(1.0))) == 8.0
    assert float(v) == 8.0


def test_smart_cond_takes_what_static_sizes_tell():
    """Of the other branch nothing is recorded, not even that its sizes do not fit."""
    smart_cond = tf.__internal__.smart_cond.smart_cond

    @tf.function(input_signature=[tf.TensorSpec([None, 4])])
    def f(y):
        some = smart_cond(tf.shape(y)[0] > 100, lambda: tf.ones([2]), lambda: tf.zeros([2]))  # known when it runs
        return smart_cond(tf.shape(y)[-1] > 1, lambda: tf.argmax(y, -1), lambda: tf.squeeze(y, -1)), some

    places, some = f(tf.constant([[0.0, 1.0, 0.0, 0.0]]))
    assert places.numpy().tolist() == [1] and some.numpy().tolist() == [0.0, 0.0]


def _while(limit, step=1, inclusive=False, maximum_iterations=None):
    """The gradient of a product that a loop makes, whose condition is on a counter."""

    def run(x):
        def condition(i, y, rows):
            return i <= limit if inclusive else i < limit

        def body(i, y, rows):
            y = tf.sin(y) * x
            return i + step, y, rows.write(i // step, y)

        rows = tf.TensorArray(tf.float32, 8, element_shape=[])
        with tf.GradientTape() as tape:
            tape.watch(x)
            _, y, rows = tf.while_loop(condition, body, (0, x, rows), maximum_iterations=maximum_iterations)
            loss = y + tf.reduce_sum(rows.stack() ** 2)
        return loss, tape.gradient(loss, x)

    return run


@pytest.mark.usefixtures("compiled_at_once")
@pytest.mark.parametrize(
    ("options", "turns"),
    [
        ({"limit": 5}, 5),
        ({"limit": 5, "step": 2}, 3),
        ({"limit": 6, "step": 3, "inclusive": True}, 3),
        ({"limit": 7, "maximum_iterations": 4}, 4),
        ({"limit": 0}, 0),
        ({"limit": -3}, 0),
        ({"limit": tf.constant(4)}, 4),
    ],
    ids=str,
)
def test_loops_that_count_have_known_lengths(monkeypatch, options, turns):
    found = []

    def counted(*arguments):
        found.append(iterations(*arguments))
        return found[-1]

    monkeypatch.setattr(loop_program, "iterations", counted)
    x = tf.constant(0.7)
    loss, gradient = _while(**options)(x)
    in_function = tf.function(_while(**options))(x)
    np.testing.assert_allclose(in_function, [loss, gradient], rtol=1e-5)
    y, terms, before = 0.7, 0.0, 0.7
    for _ in range(turns):
        y = np.sin(before) * 0.7
        terms, before = terms + y**2, y
    np.testing.assert_allclose(loss, y + terms, rtol=1e-5)
    asked = [count for count in found if count is not None]
    assert asked and all(count >= turns for count in asked)


@pytest.mark.parametrize("limit", [3, 40])
def test_loops_whose_end_is_a_tensors_value_have_gradients(limit):
    @tf.function
    def f(x, n):
        y, i = x, 0
        with tf.GradientTape() as tape:
            tape.watch(x)
            while i < n:
                y = y * x
                i += 1
        return tape.gradient(y, x)

    assert float(f(tf.constant(1.01), tf.constant(limit))) == pytest.approx((limit + 1) * 1.01**limit, rel=1e-5)


def test_second_derivatives_of_a_loop_in_a_loop():
    @tf.function
    def f(x):
        def outer(i, y):
            return i + 1, y + tf.while_loop(lambda j, z: j < i, lambda j, z: (j + 1, z * x), (0, tf.ones_like(x)))[1]

        return tf.while_loop(lambda i, y: i < 4, outer, (0, x))[1]

    x = tf.constant(2.0)
    with tf.GradientTape() as second:
        second.watch(x)
        with tf.GradientTape() as first:
            first.watch(x)
            y = f(x)
        slope = first.gradient(y, x)
    # x + 1 + x + x**2 + x**3
    assert (float(y), float(slope), float(second.gradient(slope, x))) == (17.0, 18.0, 14.0)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: tf.cond(tf.constant(True), tf.no_op, tf.no_op), True),
        (lambda: tf.cond(tf.constant(False), lambda: tf.group(tf.no_op()), lambda: False), False),
        (lambda: tf.cond(tf.constant(True), lambda: tf.debugging.assert_equal(1, 1), tf.no_op), True),
        (lambda: tf.switch_case(tf.constant(1), [tf.no_op, tf.no_op]), 1),
        (lambda: tf.case([(tf.constant(True), tf.no_op)], default=tf.no_op), True),
        (lambda: tf.cond(tf.constant(False), lambda: (tf.no_op(), 1.0), lambda: (tf.no_op(), 2.0))[0], False),
    ],
)
def test_branches_of_operations_without_results_give_what_chose_them(call, expected):
    """The values are TensorFlow's."""
    found = tf.function(call)().numpy()
    assert found == expected and found.dtype.kind == np.asarray(expected).dtype.kind


def test_smart_cond_takes_a_number_that_is_known():
    taken = []

    @tf.function
    def call(x):
        for number in (0.0, 0.5):
            tf.__internal__.smart_cond.smart_cond(
                tf.convert_to_tensor(number), lambda: taken.append(1), lambda: taken.append(0)
            )
        return x

    call(tf.constant(1))
    assert taken == [0, 1]


@pytest.mark.parametrize("invariant", [[None], [4], [3, None], [None, None, None]], ids=str)
def test_a_loop_whose_first_value_has_not_the_promised_shape(invariant):
    """TensorFlow runs it; what is known of the shape afterwards is what holds for both."""

    @tf.function
    def f(x):
        shapes = [tf.TensorShape([]), tf.TensorShape(invariant)]
        _, y = tf.while_loop(lambda i, a: i < 2, lambda i, a: (i + 1, a * 2.0), [0, x], shape_invariants=shapes)
        assert y.shape.is_compatible_with([2, 3])
        return y

    np.testing.assert_array_equal(f(tf.ones([2, 3])), np.full([2, 3], 4.0))


@pytest.mark.usefixtures("compiled_at_once")
@pytest.mark.parametrize("jit_compile", [None, True])
def test_a_branch_that_is_not_taken_may_not_fit_the_sizes(jit_compile):
    numbers, flag, size = (
        tf.TensorSpec([None] * rank, dtype) for rank, dtype in ((1, tf.float32), (0, tf.bool), (0, tf.int32))
    )

    @tf.function(jit_compile=jit_compile, input_signature=[numbers, flag])
    def total(x, in_pairs):
        return tf.cond(in_pairs, lambda: tf.reduce_sum(tf.reshape(x, [2, -1])[0]), lambda: tf.reduce_sum(x))

    @tf.function(jit_compile=jit_compile, input_signature=[numbers, size])
    def of_first(x, k):
        x = x[:k]
        return tf.reduce_sum(tf.reshape(x, [2, -1])[0]) if k > 2 else tf.reduce_sum(x)

    three, four = tf.constant([1.0, 2.0, 3.0]), tf.constant([1.0, 2.0, 3.0, 4.0])
    for _ in range(3):
        for function, no, yes in ((total, False, True), (of_first, 1, 4)):
            with tf.GradientTape(persistent=True) as tape:
                tape.watch([three, four])
                made = [function(three, tf.constant(no)), function(four, tf.constant(yes))]
            assert [float(y) for y in made] == [6.0 if function is total else 1.0, 3.0]
            slopes = [tape.gradient(y, x).numpy().tolist() for y, x in zip(made, (three, four), strict=True)]
            assert slopes == [[1.0] * 3 if function is total else [1.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0]]
        with pytest.raises(tf.errors.InvalidArgumentError, match="3 values"):
            total(three, tf.constant(True))
        with pytest.raises(tf.errors.InvalidArgumentError, match="3 values"):
            of_first(four, tf.constant(3))
