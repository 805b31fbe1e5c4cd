"""Functions with host operations: what is compiled, what runs between, and that answers and gradients are those of eager code."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf
from tfgrad_jax.engine.graph.lifted import Part
from tfgrad_jax.engine.graph.segments import cut, needs_host
from tfgrad_jax.engine.threads.context import placed


def steps_of(function, *args, many_sizes=False):
    """How the trace for these arguments runs: a number of operations for each stretch, a name for each operation by itself."""
    lifted = function.get_concrete_function(*args).lifted
    assert needs_host(lifted)
    return [len(s.nodes) if isinstance(s, Part) else s.kernel.name for s in cut(lifted, False, many_sizes)]


def doubled(x):
    return tf.numpy_function(lambda a: a * 2, [x], tf.float32)


@pytest.fixture
def x():
    return tf.constant([1.0, -2.0, 3.0])


def test_two_stretches_around_python(x):
    @tf.function
    def f(x):
        y = tf.tanh(x) + tf.exp(x) * 3.0
        z = doubled(y)
        z.set_shape([3])
        return tf.reduce_sum(z * z + y) - 1.0

    counts = steps_of(f, x)
    assert [isinstance(c, str) for c in counts] == [False, True, False] and counts[1] == "PyFunc"
    y = np.tanh(x) + np.exp(x) * 3
    np.testing.assert_allclose(f(x).numpy(), np.sum(4 * y * y + y) - 1, rtol=1e-5)


def test_what_does_not_wait_for_the_host_is_one_stretch(x):
    @tf.function
    def f(x):
        tf.numpy_function(lambda a: a, [x], tf.float32)
        y = tf.sin(x) * 2.0
        tf.numpy_function(lambda a: a, [x], tf.float32)
        return tf.cos(y) + y

    assert steps_of(f, x) == [4, "PyFunc", "PyFunc"] or steps_of(f, x)[0] in (4, 5)
    y = np.sin(x) * 2
    np.testing.assert_allclose(f(x).numpy(), np.cos(y) + y, rtol=1e-5)


def test_host_operations_keep_their_order(x):
    seen = []

    @tf.function
    def f(x):
        tf.py_function(lambda a: seen.append(("first", float(a))), [x[0] * 2.0], [])
        y = tf.exp(x)
        tf.py_function(lambda a: seen.append(("second", float(a))), [x[1]], [])
        tf.py_function(lambda a: seen.append(("third", round(float(a), 3))), [y[0]], [])
        return y

    f(x)
    assert seen == [("first", 2.0), ("second", -2.0), ("third", 2.718)]


def test_gradients_flow_through_stretches_and_python(x):
    def body(x):
        y = tf.tanh(x) * x
        z = tf.py_function(lambda a: a * a, [y], tf.float32)
        z.set_shape(x.shape)
        return tf.reduce_sum(tf.exp(z) * y)

    answers = []
    for function in (body, tf.function(body)):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        answers.append((y.numpy(), tape.gradient(y, x).numpy()))
    np.testing.assert_allclose(answers[0][0], answers[1][0], rtol=1e-5)
    np.testing.assert_allclose(answers[0][1], answers[1][1], rtol=1e-5)


def test_a_tape_inside_the_function(x):
    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.py_function(lambda a: a**3, [tf.sin(x)], tf.float32)
            y.set_shape(x.shape)
            z = tf.reduce_sum(y * 2.0)
        return tape.gradient(z, x) + 1.0

    expected = 2 * 3 * np.sin(x) ** 2 * np.cos(x) + 1
    np.testing.assert_allclose(f(x).numpy(), expected, rtol=1e-5)


def test_a_second_order_gradient(x):
    @tf.function
    def f(x):
        y = tf.py_function(lambda a: a * a, [x], tf.float32)
        y.set_shape([3])
        return tf.reduce_sum(y * y)

    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        g = inner.gradient(y, x)
    np.testing.assert_allclose(outer.gradient(g, x).numpy(), 12 * np.asarray(x) ** 2, rtol=1e-5)


def test_strings(x):
    @tf.function
    def f(x, name):
        y = tf.reduce_sum(tf.square(x) + 1.0)
        return tf.strings.join([name, tf.strings.as_string(tf.cast(y, tf.int32))]), y * 2.0

    text, number = f(x, tf.constant("n="))
    assert text.numpy() == b"n=17" and number.numpy() == 34.0
    lifted = f.get_concrete_function(x, tf.constant("n=")).lifted
    assert isinstance(cut(lifted, False)[0], Part)


def test_shapes_that_depend_on_values(x):
    @tf.function
    def f(x):
        y = tf.boolean_mask(tf.exp(x) * 2.0, x > 0.0)
        places = tf.where(x > 0.0)
        return tf.reduce_sum(y) + tf.cast(tf.size(y), tf.float32), places, tf.zeros([tf.shape(y)[0], 2])

    for array in ([1.0, -2.0, 3.0], [1.0, 2.0, 3.0], [-1.0, -1.0, -1.0]):
        a = np.array(array, np.float32)
        total, places, zeros = f(tf.constant(a))
        kept = np.exp(a[a > 0]) * 2
        np.testing.assert_allclose(total.numpy(), kept.sum() + len(kept), rtol=1e-5)
        np.testing.assert_array_equal(places.numpy(), np.argwhere(a > 0))
        assert zeros.shape == (len(kept), 2)


@pytest.mark.parametrize("outer_compiled", [None, True])
def test_functions_within_that_are_compiled_may_have_them(x, outer_compiled):
    @tf.function(jit_compile=True)
    def inner(x, mask):
        return tf.reduce_sum(tf.boolean_mask(x, mask) ** 2)

    def once(x, mask):
        return inner(x, mask) + 1

    def looped(x, mask):
        total = 0.0
        for i in tf.range(3):
            total += inner(x + tf.cast(i, tf.float32), mask)
        return total

    def gradient(x, mask):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = inner(x, mask)
        return tape.gradient(y, x)

    args = tf.range(4.0), tf.constant([True, False, True, True])
    for call, expected in ((once, 14), (looped, 84), (gradient, [0, 0, 4, 6])):
        assert tf.function(call, jit_compile=outer_compiled)(*args).numpy().tolist() == expected


def test_unique(x):
    @tf.function
    def f(i):
        y, at = tf.unique(i % 3)
        return tf.gather(tf.square(y), at), tf.size(y)

    values, count = f(tf.constant([4, 1, 5, 2, 6]))
    assert values.numpy().tolist() == [1, 1, 4, 4, 0] and count.numpy() == 3


def test_variables(x):
    v = tf.Variable([0.0, 0.0, 0.0])

    @tf.function
    def f(x):
        v.assign_add(tf.square(x))
        y = doubled(v)
        y.set_shape([3])
        v.assign_sub(y * 0.25)
        return v + 1.0

    np.testing.assert_allclose(f(x).numpy(), np.asarray(x) ** 2 / 2 + 1)
    np.testing.assert_allclose(v.numpy(), np.asarray(x) ** 2 / 2)


def test_a_gradient_of_a_variable(x):
    v = tf.Variable([1.0, 2.0, 3.0])

    @tf.function
    def f(x):
        tf.numpy_function(lambda a: a, [x], tf.float32)
        return tf.reduce_sum(v * v * x)

    with tf.GradientTape() as tape:
        y = f(x)
    np.testing.assert_allclose(tape.gradient(y, v).numpy(), 2 * np.asarray(x) * [1, 2, 3])


def test_a_loop_with_python_in_its_body(x):
    seen = []

    @tf.function
    def f(x, n):
        total = tf.zeros_like(x)
        for i in tf.range(n):
            total = tf.tanh(total + x) * tf.cast(i + 1, tf.float32)
            tf.py_function(lambda a: seen.append(int(a)), [i], [])
        return total

    expected = np.zeros(3, np.float32)
    for i in range(4):
        expected = np.tanh(expected + np.asarray(x)) * (i + 1)
    np.testing.assert_allclose(f(x, tf.constant(4)).numpy(), expected, rtol=1e-5)
    assert seen == [0, 1, 2, 3]


def test_only_the_branch_that_is_taken_runs(x):
    seen = []

    @tf.function
    def f(x, take):
        if take:
            tf.py_function(lambda: seen.append(1), [], [])
            y = tf.exp(x) * 2.0
        else:
            y = tf.sin(x) + 1.0
        return y - 1.0

    np.testing.assert_allclose(f(x, tf.constant(False)).numpy(), np.sin(x), rtol=1e-5, atol=1e-6)
    assert not seen
    np.testing.assert_allclose(f(x, tf.constant(True)).numpy(), np.exp(x) * 2 - 1, rtol=1e-5)
    assert seen == [1]


def test_a_function_inside_keeps_its_compilation(x):
    traced = []

    @tf.function
    def inner(x):
        y = x
        for _ in range(5):
            y = tf.tanh(y) + tf.sin(y)
        return y

    @tf.function
    def outer(x):
        traced.append(1)
        y = inner(x)
        z = doubled(y)
        z.set_shape([3])
        return inner(z)

    assert steps_of(outer, x) == [1, "PyFunc", 1]
    np.testing.assert_allclose(outer(x).numpy(), inner(tf.constant(inner(x).numpy() * 2)).numpy(), rtol=1e-5)
    assert len(traced) == 1


def test_a_function_with_python_inside_a_function(x):
    @tf.function
    def inner(x):
        y = doubled(tf.exp(x))
        y.set_shape([3])
        return y * 3.0

    outer = tf.function(lambda x: inner(x) + inner(x + 1.0))
    np.testing.assert_allclose(outer(x).numpy(), 6 * (np.exp(x) + np.exp(np.asarray(x) + 1)), rtol=1e-5)


def test_a_growing_array_in_a_loop(x):
    @tf.function
    def f(x, n):
        tf.numpy_function(lambda a: a, [x], tf.float32)
        rows = tf.TensorArray(tf.float32, 0, dynamic_size=True)
        i = 0
        while i < n:
            rows = rows.write(i, x[0] * tf.cast(i, tf.float32))
            i += 1
        return rows.stack() + 1.0

    for n in (3, 5, 3):
        np.testing.assert_allclose(f(x, tf.constant(n)).numpy(), np.arange(n) + 1.0)


def test_checks_in_stretches_and_between(x):
    @tf.function
    def f(x, i):
        y = tf.gather(x, i)
        z = tf.numpy_function(lambda a: a, [y], tf.float32)
        z.set_shape([])
        return z + 1.0

    assert f(x, tf.constant(2)).numpy() == 4.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="indices = 3") as caught:
        f(x, tf.constant(3))
    assert len(caught.value.__notes__) == 1


def test_an_error_of_python_names_its_line(x):
    def fail(a):
        raise ValueError("no good")

    f = tf.function(lambda x: tf.py_function(fail, [tf.exp(x) + 1.0], tf.float32))
    with pytest.raises(tf.errors.InvalidArgumentError, match="no good") as caught:
        f(x)
    assert any("was recorded at" in note for note in caught.value.__notes__)


def test_printing_between_stretches(x, capsys):
    @tf.function
    def f(x):
        y = doubled(tf.exp(x))
        y.set_shape([3])
        tf.print("sum", tf.reduce_sum(y) > 0.0)
        return y + 1.0

    f(x)
    assert capsys.readouterr().err == "sum 1\n"


@pytest.mark.parametrize("last", [False, True], ids=["between", "at the end"])
def test_what_leads_to_python_alone_has_no_gradient(x, last):
    """A stretch gives the operand of a host operation besides what has a gradient: the two are told apart."""

    @tf.function
    def f(x, y):
        told = doubled(tf.sin(x) + 1.0)
        return told if last else tf.exp(told), tf.reduce_sum(y * y)

    y = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        _, loss = f(x, y)
    to_x, to_y = tape.gradient(loss, [x, y])
    assert to_x is None
    np.testing.assert_array_equal(to_y, [2.0, 4.0])


def test_a_loop_on_the_host_that_assigns_and_is_last():
    v = tf.Variable(0)

    @tf.function
    def steps(elements, n):
        for _ in tf.range(n * 2):
            v.assign_add(next(elements))
        return n + 1

    elements = iter(tf.data.Dataset.range(20, output_type=tf.int32))
    assert [(int(steps(elements, tf.constant(n))), int(v)) for n in (3, 2)] == [(4, 15), (3, 45)]


def test_what_follows_one_size_of_all_is_a_stretch_of_its_own():
    """Where images of many sizes come, only what meets their sizes is made for each of them."""

    @tf.function(input_signature=[tf.TensorSpec([], tf.string)])
    def f(data):
        image = tf.image.resize(tf.io.decode_png(data, channels=3), [2, 2]) / 255.0
        return image + tf.reduce_mean(image)

    whole = steps_of(f)
    assert whole[0] == "DecodePng" and len(whole) == 2
    assert steps_of(f, many_sizes=True) == ["DecodePng", "ResizeBilinear", whole[1] - 1]


@pytest.mark.parametrize(("size", "apart"), [(3, False), (200_000, True)])
def test_what_brings_replicas_together(size, apart):
    """Two replicas meet once: each has a stretch before and one after it; a small sum is a part of the first one's second."""

    @tf.function
    def f(x):
        parts = []
        for device in ("first", "second"):
            with placed(device):
                parts.append(tf.exp(x))
        total = parts[0] + parts[1]
        found = []
        for device in ("first", "second"):
            with placed(device):
                found.append(tf.sin(total))
        return found

    steps = cut(f.get_concrete_function(tf.TensorSpec([size])).lifted, False)
    before, after = [("first", 1), ("second", 1)], [("first", 1 if apart else 2), ("second", 1)]
    assert [(s.nodes[-1].place, len(s.nodes)) for s in steps] == [*before, *[(None, 1)] * apart, *after]
