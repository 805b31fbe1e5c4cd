"""The backward pass: what entries hold, how deep they may go, and gradients that programs register."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import tfgrad_jax as tf
from tests.counting import calls
from tfgrad_jax.engine.declare.op import MISSING, op
from tfgrad_jax.engine.declare.roles import Attr, Number, Ts
from tfgrad_jax.engine.fused.modes import execution
from tfgrad_jax.engine.tape import backward


@pytest.fixture
def scale(declaring):
    """An operation without gradient."""

    @op("TestScale", gradient=MISSING)
    def scale(x: Number, factor: Attr = 2.0):
        return x * factor

    return scale


@pytest.fixture
def squares(declaring):
    """An operation of several results, with a Python gradient to its first operand alone."""

    @op("TestSquares")
    def squares(xs: Ts):
        return [x * x for x in xs]

    @squares.python_gradient
    def _(view, *dy):
        return [None if i else 2 * d * x for i, (d, x) in enumerate(zip(dy, view.inputs, strict=True))]

    return squares


# -- memory ------------------------------------------------------------------------------------------------------------


CHAINS = {
    # How many arrays an operation holds: TensorFlow never holds fewer.
    "sums": (lambda x: x + 1.0, 0),
    "differences": (lambda x: 2.0 - x, 0),
    "negations": (lambda x: -x, 0),
    "reshapes": (lambda x: tf.reshape(x, [4, 1]) if x.shape.rank == 1 else tf.reshape(x, [4]), 0),
    "casts": (lambda x: tf.cast(x, tf.float64 if x.dtype == tf.float32 else tf.float32), 0),
    "means": (lambda x: tf.reduce_mean(x, keepdims=True) + tf.zeros([4]), 0),
    "multiples of constants": (lambda x: x * 3.0, 0),
    "relu": (tf.nn.relu, 1),
    "tanh": (tf.tanh, 1),
    "sigmoid": (tf.sigmoid, 1),
    "exp": (tf.exp, 1),
    "square": (tf.square, 1),
    "sin": (tf.sin, 1),
}


@pytest.mark.parametrize("chain", CHAINS)
def test_intermediates_that_nobody_needs_are_freed_during_the_forward_pass(chain):
    step, expected = CHAINS[chain]
    x = tf.constant([0.1, 0.2, 0.3, 0.4])
    refs = []
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in range(6):
            y = step(y)
            refs.append(weakref.ref(y))
            y.numpy()  # also where operations wait for a value: what they need is settled now
    gc.collect()
    alive = sum(ref() is not None for ref in refs[:-1])
    # The first operation may hold `x`, which is not counted, instead of its own result; the last result is held here.
    assert alive == expected * 5


def test_matmul_holds_its_inputs_and_not_its_result():
    a, b = tf.constant(np.eye(2, dtype=np.float32)), tf.constant(np.ones((2, 2), np.float32))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([a, b])
        left, right = a + 1.0, b + 1.0
        product = left @ right
        y = product + 1.0
        y.numpy()
    refs = [weakref.ref(t) for t in (left, right, product)]
    del left, right, product
    gc.collect()
    assert [ref() is not None for ref in refs] == [True, True, False]
    assert tape.gradient(y, a).numpy().tolist() == [[4, 4], [4, 4]]


def test_only_the_operand_of_the_other_factor_is_held():
    x, w = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        shifted, other = x + 1.0, w + 1.0
        y = shifted * other
        y.numpy()
    refs = [weakref.ref(shifted), weakref.ref(other)]
    del shifted, other
    gc.collect()
    assert [ref() is not None for ref in refs] == [False, True]
    assert tape.gradient(y, x).numpy().tolist() == [4.0, 5.0]


@pytest.mark.parametrize("persistent", [False, True])
def test_what_a_tape_held_is_freed_when_it_has_answered(persistent):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent) as tape:
        tape.watch(x)
        middle = tf.exp(x)
        y = middle * middle
        y.numpy()
    ref = weakref.ref(middle)
    del middle
    tape.gradient(y, x).numpy()
    gc.collect()
    assert (ref() is not None) is persistent
    if persistent:
        del tape
        gc.collect()
        assert ref() is None


def test_a_tape_that_is_dropped_without_being_asked_frees_what_it_held():
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.exp(x)
        z = y * y
    y.numpy()  # where operations wait for a value, they hold their operands until then
    refs = [weakref.ref(y), weakref.ref(tape)]
    del y, z, tape
    gc.collect()
    assert [ref() for ref in refs] == [None, None]


def test_the_backward_pass_frees_as_it_goes(monkeypatch):
    """Each entry is forgotten when it is done with: the peak is not twice what the forward pass kept."""
    x = tf.constant([1.0, 2.0])
    refs = []
    with execution("immediate"), tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in range(5):
            y = tf.exp(-y)
            refs.append(weakref.ref(y))
    alive = []
    original = backward.Entry.cotangents

    def cotangents(entry, given):
        alive.append(sum(ref() is not None for ref in refs[:-1]))
        return original(entry, given)

    monkeypatch.setattr(backward.Entry, "cotangents", cotangents)
    with execution("immediate"):
        tape.gradient(y, x)
    assert alive == sorted(alive, reverse=True) and alive[0] == 4 and alive[-1] == 0


# -- depth -------------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("compiled_at_once")
def test_depth_is_not_limited_by_the_stack_and_work_grows_with_it():
    x = tf.constant(1.0)

    def chain(n):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in range(n // 4):
                y = (y + 1.0 - 1.0 + 1.0) * 1.0001
        np.testing.assert_allclose(tape.gradient(y, x), 1.0001 ** (n // 4), rtol=1e-2)

    chain(100_000)
    # What fused mode does besides depends on what is known of the chain, and compiled, by then.
    with tf.extras.execution("immediate"):
        chain(6_000)
        short, long = calls(lambda: chain(6_000)), calls(lambda: chain(18_000))
    assert long < 3 * short * 1.3


# -- cotangents that meet ----------------------------------------------------------------------------------------------


def test_cotangents_of_several_uses_add_up():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * 2.0 + tf.reduce_sum(x) + tf.exp(x) * 0.0
    assert tape.gradient(y, x).numpy().tolist() == [4.0, 4.0]


def test_outputs_that_nobody_used_have_cotangents_of_zero():
    x = tf.constant([4.0, 1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        _, second, _ = tf.split(x, 3)
        values, _ = tf.math.top_k(x, 2)
        y = tf.reduce_sum(second) * 10.0 + values[0]
    assert tape.gradient(y, x).numpy().tolist() == [1.0, 10.0, 0.0]


def test_python_gradients(squares):
    a, b = tf.constant(3.0), tf.constant(5.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([a, b])
        first, second = squares([a, b])
        y = first * 10.0
    assert float(tape.gradient([y, second], a)) == 60.0
    assert tape.gradient([y, second], b) is None
    assert float(tape.gradient(second, a)) == 0.0  # the cotangent of `first` is zeros then


def test_a_python_gradient_with_a_wrong_number_of_answers(squares, monkeypatch):
    monkeypatch.setattr(squares.op, "gradient", lambda view, *dy: [dy[0]])
    a = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(a)
        y = squares([a, a, a])[1]
    with pytest.raises(ValueError, match="TestSquares returned 1 values; expected 3"):
        tape.gradient(y, a)


# -- gradients that are registered -------------------------------------------------------------------------------------


def asked(scale, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = scale(x, 3.0)
    return tape.gradient(y, x)


def test_asking_through_an_operation_without_gradient(scale):
    with pytest.raises(LookupError, match="gradient registry has no entry for: TestScale"):
        asked(scale, tf.constant(2.0))


def test_a_registered_gradient_serves(scale, monkeypatch):
    monkeypatch.setattr(backward, "registered", {})
    views = []

    @tf.RegisterGradient("TestScale")
    def gradient(op, dy):
        views.append(op)
        return dy * op.get_attr("factor") * 10.0

    assert float(asked(scale, tf.constant(2.0))) == 30.0
    (view,) = views
    assert (view.type, float(view.inputs[0]), float(view.outputs[0])) == ("TestScale", 2.0, 6.0)
    assert view.get_attr("T") == tf.float32
    with pytest.raises(ValueError, match="no attr named 'depth'"):
        view.get_attr("depth")
    with pytest.raises(KeyError, match="TestScale"):
        tf.RegisterGradient("TestScale")(gradient)


@pytest.mark.parametrize("outside", [True, False])
def test_a_compiled_function_asks_for_the_registered_gradient(scale, monkeypatch, outside):
    def slope():
        function = tf.function(lambda x: tf.sin(scale(x, 3.0)), jit_compile=True)

        def of(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = function(x)
            return tape.gradient(y, x)

        return of if outside else tf.function(of, jit_compile=True)

    monkeypatch.setattr(backward, "registered", {})
    x = tf.constant([0.5, 2.0])
    with pytest.raises(LookupError, match="gradient registry has no entry for: TestScale"):
        slope()(x)
    tf.RegisterGradient("TestScale")(lambda op, dy: dy * op.inputs[0] * op.get_attr("factor"))
    np.testing.assert_allclose(slope()(x), np.cos(3 * x.numpy()) * 3 * x.numpy(), rtol=1e-6)


def test_a_compiled_function_asks_again_for_a_second_derivative(scale, monkeypatch):
    monkeypatch.setattr(backward, "registered", {})
    tf.RegisterGradient("TestScale")(lambda op, dy: dy * tf.sin(op.inputs[0]))
    function = tf.function(lambda x: scale(x, 3.0), jit_compile=True)
    x = tf.constant(0.5)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        slope = tape.gradient(y, x)
    assert float(slope) == pytest.approx(np.sin(0.5))
    assert float(outer.gradient(slope, x)) == pytest.approx(np.cos(0.5))


def test_no_gradient(scale, monkeypatch):
    monkeypatch.setattr(backward, "registered", {})
    tf.no_gradient("TestScale")
    assert asked(scale, tf.constant(2.0)) is None
    with pytest.raises(KeyError):
        tf.no_gradient("TestScale")


@pytest.mark.parametrize("register", [tf.RegisterGradient, tf.no_gradient])
def test_names_of_operations_are_text(register):
    with pytest.raises(TypeError, match="string"):
        register(3)


def test_an_operation_has_one_gradient():
    with pytest.raises(KeyError, match="Sin"):
        tf.RegisterGradient("Sin")(lambda op, dy: dy)


@pytest.mark.parametrize(
    ("function", "x", "y", "expected"),
    [
        (tf.math.xlogy, [0.0, 1.0], [0.0, 2.0], [[0.0, 0.5], [0.0, 0.44314718]]),
        (tf.math.xlog1py, [0.0, 1.0], [-1.0, 2.0], [[0.0, 0.22222222], [0.0, 0.65833414]]),
        (tf.math.xdivy, [0.0, 1.0], [0.0, 2.0], [[0.0, 0.125], [0.0, -0.375]]),
        (tf.pow, [1.0, -2.0], [2.0, 3.0], [[8.0, -288.0], [4.0, 96.0]]),
    ],
    ids=["xlogy", "xlog1py", "xdivy", "pow"],
)
def test_second_derivatives_at_zeros_and_negative_bases(function, x, y, expected):
    """TensorFlow's own: numbers where those of `where` are not."""
    sources = [tf.constant(x), tf.constant(y)]

    def norms():
        with tf.GradientTape() as outer:
            outer.watch(sources)
            with tf.GradientTape() as inner:
                inner.watch(sources)
                value = function(*sources)
            found = [tf.reduce_sum(g**2) for g in inner.gradient(value, sources)]
        return outer.gradient(found, sources)

    for run in (norms, tf.function(norms)):
        np.testing.assert_allclose(tf.stack(run()), expected, rtol=1e-5)


def test_what_special_functions_take_for_constants_stays_without_gradient_in_second_derivatives():
    a, b, x = tf.constant([1.5, 2.0]), tf.constant([1.5, 2.0]), tf.constant([0.3, 0.9])
    with tf.GradientTape(persistent=True) as outer:
        outer.watch([a, b, x])
        with tf.GradientTape() as inner:
            inner.watch([a, b, x])
            value = tf.math.betainc(a, b, x)
        first = inner.gradient(value, [a, b, x])
    assert first[:2] == [None, None]
    np.testing.assert_allclose(outer.gradient(first[2], x), [1.1113746, -4.8], rtol=1e-4)
    np.testing.assert_allclose(outer.gradient(first[2], a), [-0.37071288, 0.39310548], rtol=1e-4)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            value = tf.math.zeta(a, x)
        first = inner.gradient(value, x)
    np.testing.assert_allclose(outer.gradient(first, x), [255.38493, 9.739016], rtol=1e-4)


def test_a_gradient_without_a_gradient_is_looked_up_in_vain():
    a, x = tf.constant([0.5, 2.0]), tf.constant([0.3, 1.0])
    with pytest.raises(LookupError, match="gradient registry has no entry for"), tf.GradientTape() as outer:
        outer.watch(a)
        with tf.GradientTape() as inner:
            inner.watch(a)
            value = tf.math.igamma(a, x)
        outer.gradient(inner.gradient(value, a), a)
